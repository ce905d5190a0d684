//! A client of the console, byte by byte: requests with a cookie and an origin, or without them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::crawl_world::{LONG, goldminer, pause};

/// A running `goldminer console`. It ends when this is dropped.
pub(crate) struct ConsoleClient {
    child: Child,
    /// The address with its token, as it was printed.
    pub address: String,
    /// `127.0.0.1:PORT`
    pub host: String,
    pub cookie: String,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Page {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl ConsoleClient {
    /// Starts a console of a job or a folder of jobs, and opens its printed address.
    pub(crate) fn open(dir: &Path) -> Self {
        Self::started(goldminer(&["console"]).arg(dir))
    }

    /// Starts a console with this command, and opens its printed address.
    pub(crate) fn started(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Open in a browser: ").expect("an address").to_owned();
        let host = address.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        let mut console = Self { child, address, host, cookie: String::new() };
        let path = console.address.split_once(&console.host).unwrap().1.to_owned();
        let page = console.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", console.host), "");
        assert_eq!(page.status, 303, "{page:?}");
        console.cookie = page.header("set-cookie").split(';').next().unwrap().to_owned();
        console
    }

    /// The ID of its process.
    #[allow(dead_code)] // a bench uses it
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Requests a page as the browser that opened the console's printed address. The request is repeated as long as the
    /// page says that the job's state is still being read.
    pub(crate) fn get(&self, path: &str) -> Page {
        let until = Instant::now() + LONG;
        loop {
            let page = self.get_once(path);
            if !page.body.contains(" data-looking") || Instant::now() > until {
                return page;
            }
            pause(Duration::from_millis(20));
        }
    }

    /// Requests a page once.
    pub(crate) fn get_once(&self, path: &str) -> Page {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n", self.host, self.cookie), "")
    }

    /// Sends a form of a page of the console with these fields.
    pub(crate) fn send(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let check = self.get("/").value_of("check");
        let encoded = |value: &str| -> String { url::form_urlencoded::byte_serialize(value.as_bytes()).collect() };
        let fields = fields.iter().copied().chain([("check", check.as_str())]);
        let body: Vec<String> = fields.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nCookie: {1}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n",
            self.host, self.cookie
        );
        self.ask(&head, &body.join("&"))
    }

    /// Sends a request with this head, unchanged.
    pub(crate) fn ask(&self, head: &str, body: &str) -> Page {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        write!(stream, "{head}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Page { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Returns the beginning of a response that does not end, up to the first empty line after its head.
    pub(crate) fn listen(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", self.host, self.cookie).unwrap();
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        lines.filter(|line| line.starts_with("data: ")).take(1).collect()
    }
}

impl Page {
    /// A header's value; empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }

    /// The value of a form's field.
    pub(crate) fn value_of(&self, field: &str) -> String {
        let field = format!("name=\"{field}\" value=\"");
        let found = self.body.split_once(&field).unwrap_or_else(|| panic!("no {field} in {}", self.body));
        found.1.split('"').next().unwrap().to_owned()
    }
}

impl Drop for ConsoleClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
