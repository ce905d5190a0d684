//! A few hosts with a few pages on loopback, defined in the test that needs them. The server remembers the requests.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::runtime::Runtime;

use crate::crawl_world::goldminer;
use crate::raw_server::RawServer;

/// A response: status, content type, body. The body of a redirect is its target.
pub(crate) type Answer = (u16, &'static str, String);

/// A server of some hosts, and a folder for jobs. Both end when this is dropped.
pub(crate) struct SmallWeb {
    pub dir: TempDir,
    server: RawServer,
    _runtime: Runtime,
}

impl SmallWeb {
    /// Starts a server whose pages are the results of `answer` for host and path. Other pages have status 404.
    pub(crate) fn new(answer: impl Fn(&str, &str) -> Option<Answer> + Clone + Send + Sync + 'static) -> Self {
        Self::serve(move |host, path| {
            response(answer(host, path).unwrap_or((404, "text/plain", "nothing here".to_owned())))
        })
    }

    /// Starts a server whose pages are the results of `answer` for host and path: content type, and body byte by byte.
    pub(crate) fn raw(
        answer: impl Fn(&str, &str) -> Option<(&'static str, Vec<u8>)> + Clone + Send + Sync + 'static,
    ) -> Self {
        Self::serve(move |host, path| match answer(host, path) {
            Some((media, body)) => {
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 200 x\r\nContent-Type: {media}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
                );
                [head.into_bytes(), body].concat()
            }
            None => response((404, "text/plain", "nothing here".to_owned())),
        })
    }

    fn serve(answer: impl Fn(&str, &str) -> Vec<u8> + Clone + Send + Sync + 'static) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(RawServer::start(move |head, mut stream| {
            let (host, path) = host_and_path(&head);
            let answer = answer(&host, &path);
            async move {
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
                None
            }
        }));
        Self { dir: tempfile::tempdir().unwrap(), server, _runtime: runtime }
    }

    /// The requests so far: host and path, in order.
    pub(crate) fn requests(&self) -> Vec<(String, String)> {
        self.server.heads().iter().map(|head| host_and_path(head)).collect()
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A rule for `--resolve` that maps port 80 of every host to the server.
    pub(crate) fn resolve_rule(&self) -> String {
        format!("*:80:{}", self.server.address)
    }

    /// A command that sends its requests to this server, without delay, and runs in the folder.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = goldminer(args);
        command.current_dir(self.dir.path()).env_remove("GOLDMINER_USER_AGENT");
        command.args(["--allow-private", "--delay", "0s", "--resolve", &self.resolve_rule()]);
        command
    }

    /// A seeds file with a portal for each host.
    pub(crate) fn seeds(&self, hosts: &[&str]) -> PathBuf {
        let portals: String = hosts.iter().map(|host| format!("[[portal]]\nstart = [\"http://{host}/\"]\n")).collect();
        self.file("seeds.toml", &format!("[crawl]\nuser_agent = \"it/1.0 (+https://uni.hu/it)\"\n{portals}"))
    }

    /// A file in the folder.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

/// A page that is clearly an article, with these links.
pub(crate) fn article(number: usize, links: &[&str]) -> Answer {
    let story = format!(
        "The council met for the {number}th time on Monday and talked for hours about the bridge that was to be built over \
         the river before the winter came. Nobody could say who would pay for it, and so the meeting was put off again."
    );
    let links: String = links.iter().map(|link| format!("<li><a href=\"{link}\">more</a></li>")).collect();
    let html = format!(
        "<!doctype html><html lang=en><head><title>Meeting {number}</title></head><body><ul>{links}</ul><article><h1>Meeting \
         {number}</h1><p>{story}</p><p>{story} This was said on day {number}.</p></article></body></html>"
    );
    (200, "text/html; charset=utf-8", html)
}

/// A page of links alone.
pub(crate) fn links(to: &[&str]) -> Answer {
    let links: String = to.iter().map(|link| format!("<li><a href=\"{link}\">{link}</a></li>")).collect();
    (
        200,
        "text/html; charset=utf-8",
        format!("<!doctype html><html lang=en><title>Links</title><ul>{links}</ul></html>"),
    )
}

/// A robots.txt.
pub(crate) fn robots(text: &str) -> Answer {
    (200, "text/plain", text.to_owned())
}

fn host_and_path(head: &str) -> (String, String) {
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let host =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("host:").map(|h| h.trim().to_owned()));
    (host.unwrap_or_default(), path)
}

fn response((status, media, body): Answer) -> Vec<u8> {
    let (body, location) = match status {
        300..=399 => (String::new(), format!("Location: {body}\r\n")),
        _ => (body, String::new()),
    };
    let length = body.len();
    format!(
        "HTTP/1.1 {status} x\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n{location}Connection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

/// The text of a file.
pub(crate) fn text_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
