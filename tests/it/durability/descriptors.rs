//! Few file descriptors: the crawl works with those that it gets, slows down, says so, and ends well. Programs that
//! connect to its port cannot use them up.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::runtime::Runtime;

use crate::crawl_world::{LONG, goldminer, pause, run, start};
use crate::raw_server::{RawServer, page};

/// The exit code of a crawl whose portals gave pages and no documents.
const NO_DOCUMENTS: i32 = 4;

/// Portals of one page and one sitemap each, at one server that keeps its connections.
struct ManyPortals {
    server: RawServer,
    _runtime: Runtime,
    dir: tempfile::TempDir,
    count: usize,
}

impl ManyPortals {
    fn new(count: usize) -> Self {
        // The server in this process needs a descriptor for each connection that it holds.
        let _ = rlimit::increase_nofile_limit(u64::MAX);
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(RawServer::start(|head, mut stream| async move {
            let body = if head.contains("robots.txt") { "" } else { "<p>Hello." };
            let _ = stream.write_all(&page(body)).await;
            Some(stream)
        }));
        Self { server, _runtime: runtime, dir: tempfile::tempdir().unwrap(), count }
    }

    fn job(&self) -> PathBuf {
        self.dir.path().join("job")
    }

    /// The crawl, started by a shell with these limits (`-S` soft, `-H` hard).
    fn crawl(&self, limits: &str, delay: &str) -> Command {
        let seeds = self.dir.path().join("seeds.toml");
        let portals: String =
            (0..self.count).map(|n| format!("[[portal]]\nstart = [\"http://p{n}.example/\"]\n")).collect();
        let agent = "user_agent = \"it/1.0 (+https://crawler.example/; it@crawler.example)\"\nip_spacing = \"0s\"";
        std::fs::write(&seeds, format!("[crawl]\n{agent}\n{portals}")).unwrap();
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{limits}; exec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_goldminer"));
        command.arg("crawl").arg(&seeds).arg("--dir").arg(self.job()).args(["--allow-private", "--delay", delay]);
        command.args(["--resolve", &format!("*:80:{}", self.server.address)]);
        command
    }
}

fn counts(job: &Path) -> Value {
    let ran = run(goldminer(&["status", "--json"]).arg(job), LONG);
    serde_json::from_str::<Value>(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {ran:?}"))["counts"].clone()
}

#[test]
fn few_file_descriptors_slow_the_crawl_but_lose_no_portal() {
    let portals = ManyPortals::new(400);
    let ran = run(&mut portals.crawl("ulimit -n 200", "0s"), LONG);
    assert_eq!(ran.code(), Some(NO_DOCUMENTS), "{ran:?}");
    assert!(ran.stderr.contains("200 file descriptors") && ran.stderr.contains("ulimit -n"), "{}", ran.stderr);
    let counts = counts(&portals.job());
    assert_eq!((&counts["done"]["fetched"], &counts["done"]["failed"]), (&800.into(), &0.into()), "{counts:#}");
    assert_eq!(counts["retries"], 0, "a missing descriptor was counted as a failure of the host: {counts:#}");
}

#[test]
fn a_soft_limit_is_raised_and_the_crawl_is_not_slowed() {
    let portals = ManyPortals::new(250);
    let ran = run(&mut portals.crawl("ulimit -S -n 150", "0s"), LONG);
    assert_eq!(ran.code(), Some(NO_DOCUMENTS), "{ran:?}");
    assert!(!ran.stderr.contains("descriptors"), "{}", ran.stderr);
}

#[test]
fn too_few_file_descriptors_are_refused_with_advice() {
    let portals = ManyPortals::new(1);
    let ran = run(&mut portals.crawl("ulimit -n 60", "0s"), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(
        ran.stderr.contains("only 60 file descriptors") && ran.stderr.contains("ulimit -n 65536"),
        "{}",
        ran.stderr
    );
}

#[test]
fn strangers_at_its_port_do_not_stop_the_crawl() {
    let portals = ManyPortals::new(30);
    let metrics = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = portals.crawl("ulimit -n 400", "3s");
    let mut running = start(command.args(["--metrics", &metrics.to_string()]));
    let control = portals.job().join("control.json");
    let port = loop {
        assert!(running.is_running(), "{:?}", running.end(LONG));
        let endpoint = std::fs::read(&control).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        match endpoint.and_then(|endpoint| endpoint["port"].as_u64()) {
            Some(port) => break u16::try_from(port).unwrap(),
            None => pause(std::time::Duration::from_millis(10)),
        }
    };
    assert_eq!(port, metrics, "commands and figures have one port");
    // More than the process may open.
    let strangers: Vec<TcpStream> = (0..1_200).filter_map(|_| TcpStream::connect(("127.0.0.1", port)).ok()).collect();
    assert!(strangers.len() > 1_000, "{}", strangers.len());
    let asked = run(goldminer(&["status", "--json"]).arg(portals.job()), LONG);
    assert!(asked.stdout.contains("\"running\": true") || !running.is_running(), "{asked:?}");
    let ran = running.end(LONG);
    assert_eq!(ran.code(), Some(NO_DOCUMENTS), "{ran:?}");
    assert_eq!(counts(&portals.job())["done"]["fetched"], 60);
    drop(strangers);
}
