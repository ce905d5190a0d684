//! Tests hosts with robots.txt files of the greatest length that is read: how much memory do their rules take?
//! `benches/hostile.rs -- --rules` is the long form.

use std::fmt;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::crawl_world::{Ran, goldminer, pause, start};

/// The parameters of the world.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub hosts: usize,
    pub pages: usize,
    pub robots_bytes: usize,
    pub delay: Duration,
    pub patience: Duration,
}

/// The results: with short files, and with long ones.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub short: Ran,
    pub long: Ran,
    /// The requests for pages that robots.txt forbids.
    pub forbidden: usize,
    pub pages: usize,
}

impl Outcome {
    /// The memory that the rules and reading them take.
    pub(crate) fn bytes(&self) -> u64 {
        self.long.usage.peak_rss_bytes.saturating_sub(self.short.usage.peak_rss_bytes)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = |ran: &Ran| {
            let usage = ran.usage;
            format!("{:.1?}, CPU {:.1?}, peak RSS {} MB", ran.took, usage.cpu, usage.peak_rss_bytes / 1_000_000)
        };
        writeln!(f, "short files: {}\nlong files:  {}", run(&self.short), run(&self.long))?;
        writeln!(
            f,
            "the rules: {} MB; {} pages, {} requests of what is forbidden\n{}",
            self.bytes() / 1_000_000,
            self.pages,
            self.forbidden,
            self.long.stderr
        )
    }
}

/// Crawls the same hosts twice.
pub(crate) fn run_plan(plan: &Plan) -> Outcome {
    let (short, ..) = crawl(plan, 100);
    let (long, pages, forbidden) = crawl(plan, plan.robots_bytes);
    Outcome { short, long, forbidden, pages }
}

fn crawl(plan: &Plan, robots_bytes: usize) -> (Ran, usize, usize) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let paths = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port on loopback");
    let address = listener.local_addr().unwrap();
    let (pages, seen) = (plan.pages, std::sync::Arc::clone(&paths));
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let seen = std::sync::Arc::clone(&seen);
            tokio::spawn(async move {
                let _ = answer(stream, pages, robots_bytes, &seen).await;
            });
        }
    });
    let dir = tempfile::tempdir().unwrap();
    let seeds = dir.path().join("seeds.toml");
    let mut text = "[crawl]\nip_spacing = \"0s\"\n\
                    user_agent = \"it/1.0 (+https://crawler.example/; it@crawler.example)\"\n"
        .to_owned();
    for host in 0..plan.hosts {
        text += &format!("\n[[portal]]\nstart = [\"http://rules{host}.example/\"]\n");
    }
    std::fs::write(&seeds, text).unwrap();
    let mut crawl = goldminer(&["crawl"]);
    crawl.arg(&seeds).arg("--dir").arg(dir.path().join("job")).args(["--allow-private", "-q"]);
    crawl.args(["--resolve", &format!("*:80:{address}"), "--delay", &format!("{}ms", plan.delay.as_millis())]);
    let mut running = start(&mut crawl);
    let began = std::time::Instant::now();
    while running.is_running() && began.elapsed() < plan.patience {
        pause(Duration::from_millis(50));
    }
    if running.is_running() {
        running.signal("INT");
    }
    let ran = running.end(Duration::from_secs(60));
    let paths = paths.lock().unwrap();
    let forbidden = paths.iter().filter(|path: &&String| path.starts_with("/no")).count();
    (ran, paths.iter().filter(|path| path.starts_with("/page")).count(), forbidden)
}

async fn answer(
    mut stream: TcpStream,
    pages: usize,
    robots_bytes: usize,
    seen: &std::sync::Mutex<Vec<String>>,
) -> std::io::Result<()> {
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await?);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let (kind, body) = match &*path {
            "/robots.txt" => {
                let lines = (0..).map(|n| format!("Disallow: /never/{n}\n")).scan(0, |bytes, line| {
                    *bytes += line.len();
                    (*bytes < robots_bytes).then_some(line)
                });
                ("text/plain", format!("User-agent: *\nDisallow: /no\n{}", lines.collect::<String>()))
            }
            "/" => {
                let links =
                    (0..pages).map(|n| format!("<a href=\"/page-{n}.html\">n</a><a href=\"/no-{n}.html\">n</a>"));
                ("text/html", format!("<html><body>{}</body></html>", links.collect::<String>()))
            }
            _ => ("text/html", "<html><body><p>A page.</p></body></html>".to_owned()),
        };
        seen.lock().unwrap().push(path);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
    }
}

#[test]
fn long_robots_files_are_obeyed_in_little_memory() {
    let plan = Plan {
        hosts: 40,
        pages: 1,
        robots_bytes: 500_000,
        delay: Duration::from_millis(50),
        patience: Duration::from_secs(120),
    };
    let verdict = run_plan(&plan);
    assert_eq!((verdict.pages, verdict.forbidden), (40, 0), "{verdict}");
    assert!(verdict.bytes() < 200_000_000, "{verdict}");
}
