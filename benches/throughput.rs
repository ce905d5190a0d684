//! How many pages does a CPU second of the crawler bear, archive and extraction included? On loopback, without delay; the
//! server is another process, whose time is not counted.
//!
//! `cargo bench --bench throughput -- --pages 6000 --page-bytes 40000`

#[path = "../tests/it/crawl_world.rs"]
#[allow(dead_code, clippy::unwrap_used)] // shared with the tests, which may
mod crawl_world;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use goldminer::demo::portals::{Portals, Size};
use goldminer::demo::web::{Web, WebConfig};

/// Portals that the pages are spread over, so that one request a host does not make the crawler wait.
const HOSTS: usize = 40;

struct Plan {
    pages: usize,
    page_bytes: usize,
    dir: Option<PathBuf>,
    serve: bool,
}

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() {
    let plan = plan();
    let size = Size { page_bytes: plan.page_bytes, traps: false, ..Size::default() };
    let portals = Portals::many(HOSTS, plan.pages / HOSTS, &size);
    if plan.serve {
        return serve(portals);
    }
    let mut server = Command::new(std::env::current_exe().expect("our own path"));
    server.args(["--serve", "--pages", &plan.pages.to_string(), "--page-bytes", &plan.page_bytes.to_string()]);
    let mut server = Server(server.stdout(Stdio::piped()).spawn().expect("a server process"));
    let mut rule = String::new();
    BufReader::new(server.0.stdout.take().expect("a pipe")).read_line(&mut rule).expect("the server's address");

    let dir = tempfile::tempdir().expect("a folder");
    let seeds = dir.path().join("seeds.toml");
    let text = goldminer::demo::seeds(&portals).replacen("\n[[portal]]", "ip_spacing = \"0s\"\n[[portal]]", 1);
    std::fs::write(&seeds, text).expect("the seeds file");
    let job = plan.dir.unwrap_or_else(|| dir.path().join("job"));
    let mut crawl = crawl_world::goldminer(&["crawl", "-q"]);
    crawl.arg(&seeds).args(["--delay", "0s", "--allow-private", "--resolve", rule.trim()]).arg("--dir").arg(&job);
    let ran = crawl_world::run(&mut crawl, Duration::from_secs(3600));
    assert_eq!(ran.code(), Some(0), "{ran:?}");

    let status = crawl_world::status(&job);
    let number = |name: &str| status["counts"][name].as_u64().unwrap_or(0);
    let fetched = status["counts"]["done"]["fetched"].as_u64().unwrap_or(0);
    let documents: u64 =
        status["domains"].as_array().into_iter().flatten().filter_map(|d| d["documents"].as_u64()).sum();
    println!(
        "{fetched} pages of {:.1} kB on the wire, {documents} documents: {:.0} pages per CPU second \
         (CPU {:.2} s, wall {:.1} s, peak RSS {} MB)",
        number("bytes") as f64 / 1000.0 / fetched.max(1) as f64,
        fetched as f64 / ran.usage.cpu.as_secs_f64(),
        ran.usage.cpu.as_secs_f64(),
        ran.took.as_secs_f64(),
        ran.usage.peak_rss_bytes / 1_000_000,
    );
}

fn plan() -> Plan {
    let mut plan = Plan { pages: 4000, page_bytes: 40_000, dir: None, serve: false };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(name) = args.next() {
        if name == "--serve" {
            plan.serve = true;
            continue;
        }
        let value = args.next().unwrap_or_default();
        let number = || value.parse::<usize>().unwrap_or_else(|_| panic!("{name} takes a number, not {value:?}"));
        match name.as_str() {
            "--pages" => plan.pages = number(),
            "--page-bytes" => plan.page_bytes = number(),
            "--dir" => plan.dir = Some(PathBuf::from(value)),
            _ => panic!("unknown argument {name}; there are --pages, --page-bytes, --dir"),
        }
    }
    plan
}

/// Serves until killed; the first line says where.
fn serve(portals: Portals) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let web = runtime.block_on(Web::start(WebConfig::new(portals))).expect("a free port on loopback");
    println!("{}", web.resolve_rule());
    std::io::stdout().flush().expect("a reader");
    runtime.block_on(std::future::pending::<()>());
}
