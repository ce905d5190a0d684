//! Tests a slow portal of hundreds of hosts beside honest portals: are the honest portals crawled as fast as without
//! it? `benches/hostile.rs -- --slow` is the long form.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::WebConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use crate::crawl_world::{LONG, Ran, World, pause, start};

/// The portals and IP addresses of the slow hosts.
#[allow(dead_code)] // the bench has them all
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlowHosts {
    /// All of one portal, at one IP address.
    OnePortal,
    /// All of one portal, each at its own IP address.
    ManyAddresses,
    /// Each of its own portal, all of one registrable domain.
    ManyPortals,
    /// Each of its own portal and domain, all at one IP address.
    ManyDomains,
}

/// In which way the hosts are slow.
#[allow(dead_code)] // the bench has them all
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Every answer is sent at this many bytes a second.
    Drip(usize),
    /// Connections are accepted and never answered.
    Silent,
    /// Only robots.txt comes slowly.
    SlowRobots,
    /// Only sitemaps come slowly.
    SlowSitemap,
}

/// The parameters of the world.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub honest: usize,
    pub articles: usize,
    pub slow: usize,
    pub shape: SlowHosts,
    pub pace: Pace,
    pub in_flight: usize,
    pub delay: Duration,
    /// The duration of each of the two crawls.
    pub lasts: Duration,
}

/// The results.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Requests to the honest portals, without and beside the slow one.
    pub alone: usize,
    pub beside: usize,
    /// Requests to the slow hosts.
    pub slow: usize,
    pub ran: Ran,
}

impl Outcome {
    pub(crate) fn kept(&self) -> f64 {
        self.beside as f64 / self.alone.max(1) as f64
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "honest portals: {} requests alone, {} beside the slow one: {:.0} %; {} requests to slow hosts, peak RSS {} MB",
            self.alone,
            self.beside,
            100.0 * self.kept(),
            self.slow,
            self.ran.usage.peak_rss_bytes / 1_000_000
        )?;
        writeln!(f, "{}", self.ran.stderr.lines().rev().take(10).collect::<Vec<_>>().join("\n"))
    }
}

impl Plan {
    fn host(&self, number: usize) -> String {
        match self.shape {
            SlowHosts::ManyDomains => format!("slow{number}.example"),
            _ => format!("h{number}.slow.example"),
        }
    }

    fn address(&self, number: usize) -> Ipv4Addr {
        let own = if self.shape == SlowHosts::ManyAddresses { number % 250 } else { 0 };
        Ipv4Addr::new(127, 0, 9, 1 + own as u8)
    }

    fn seeds(&self) -> String {
        let portal = |host: String| format!("\n[[portal]]\nstart = [\"http://{host}/\"]\nscope = \"domain\"\n");
        match self.shape {
            SlowHosts::OnePortal | SlowHosts::ManyAddresses => portal("slow.example".to_owned()),
            SlowHosts::ManyPortals | SlowHosts::ManyDomains => (0..self.slow).map(|n| portal(self.host(n))).collect(),
        }
    }
}

/// A server of the slow hosts. It ends when this is dropped.
struct SlowWeb {
    _runtime: Runtime,
    port: u16,
    requests: Arc<std::sync::Mutex<BTreeMap<String, usize>>>,
}

impl SlowWeb {
    fn start(plan: &Plan) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let requests = Arc::new(std::sync::Mutex::new(BTreeMap::new()));
        let addresses: std::collections::BTreeSet<Ipv4Addr> = (0..plan.slow).map(|n| plan.address(n)).collect();
        let mut port = 0;
        for address in addresses {
            let bound = runtime.block_on(TcpListener::bind(SocketAddr::new(IpAddr::V4(address), port)));
            let listener = bound.expect("a port on loopback");
            port = listener.local_addr().unwrap().port();
            let (plan, requests) = (plan.clone(), Arc::clone(&requests));
            runtime.spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let (plan, requests) = (plan.clone(), Arc::clone(&requests));
                    tokio::spawn(async move {
                        let _ = answer(stream, &plan, &requests).await;
                    });
                }
            });
        }
        Self { _runtime: runtime, port, requests }
    }

    fn rules(&self, plan: &Plan) -> Vec<String> {
        let rule = |host: String, address: Ipv4Addr| format!("{host}:80:{address}:{}", self.port);
        let own = (0..plan.slow).map(|n| rule(plan.host(n), plan.address(n)));
        own.chain([rule("slow.example".to_owned(), plan.address(0))]).collect()
    }
}

async fn answer(
    mut stream: TcpStream,
    plan: &Plan,
    requests: &std::sync::Mutex<BTreeMap<String, usize>>,
) -> std::io::Result<()> {
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await?);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let path = head.split(' ').nth(1).unwrap_or_default();
        let host = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("host: ").map(str::to_owned));
        let host = host.unwrap_or_default();
        *requests.lock().unwrap().entry(host.clone()).or_default() += 1;
        let is_front = host == "slow.example";
        let (kind, body) = match path {
            "/robots.txt" => {
                ("text/plain", format!("User-agent: *\nDisallow: /no\nSitemap: http://{host}/sitemap.xml\n"))
            }
            "/sitemap.xml" => ("application/xml", "<urlset></urlset>".to_owned()),
            "/" if is_front => {
                let links = (0..plan.slow).map(|n| format!("<a href=\"http://{}/\">h</a>\n", plan.host(n)));
                ("text/html", format!("<html><body>{}</body></html>", links.collect::<String>()))
            }
            _ => {
                let links = (0..20).map(|n| format!("<a href=\"/page-{n}.html\">n</a>\n"));
                ("text/html", format!("<html><body>{}</body></html>", links.collect::<String>()))
            }
        };
        let is_slow = match plan.pace {
            Pace::Drip(_) | Pace::Silent => true,
            Pace::SlowRobots => path == "/robots.txt",
            Pace::SlowSitemap => path == "/sitemap.xml",
        } && !is_front;
        let length = if is_slow { 200_000 } else { body.len() };
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
        if is_slow && plan.pace == Pace::Silent {
            tokio::time::sleep(Duration::from_secs(3_600)).await;
        }
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        if is_slow {
            let rate = if let Pace::Drip(rate) = plan.pace { rate } else { 1_150 };
            let mut left = length - body.len();
            while left > 0 {
                let piece = left.min(rate);
                stream.write_all(&vec![b' '; piece]).await?;
                left -= piece;
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

/// Runs a plan: two crawls.
pub(crate) fn run_plan(plan: &Plan) -> Outcome {
    let (alone, _) = requests(plan, None);
    let slow = SlowWeb::start(plan);
    let (beside, ran) = requests(plan, Some(&slow));
    let slow = slow.requests.lock().unwrap().values().sum();
    Outcome { alone, beside, slow, ran }
}

/// The number of requests to the honest portals during a crawl.
fn requests(plan: &Plan, slow: Option<&SlowWeb>) -> (usize, Ran) {
    let size = Size { traps: false, ..Size::default() };
    let config =
        WebConfig { addresses: plan.honest, ..WebConfig::new(Portals::many(plan.honest, plan.articles, &size)) };
    let settings = format!("ip_spacing = \"0s\"\nmax_in_flight = {}", plan.in_flight);
    let world = World::serve(config).settings(&settings);
    let world = if slow.is_some() { world.more_seeds(plan.seeds()) } else { world };
    let mut crawl = world.crawl(&world.path("job"));
    for rule in slow.iter().flat_map(|slow| slow.rules(plan)) {
        crawl.args(["--resolve", &rule]);
    }
    let mut running = start(crawl.args(["--delay", &format!("{}ms", plan.delay.as_millis()), "-q"]));
    let began = std::time::Instant::now();
    while running.is_running() && began.elapsed() < plan.lasts {
        pause(Duration::from_millis(50));
    }
    let count = world.log().iter().filter(|entry| entry.status == 200).count();
    if running.is_running() {
        running.signal("INT");
    }
    (count, running.end(LONG))
}

#[test]
fn honest_portals_keep_their_rate_beside_a_slow_one() {
    keep_their_rate(SlowHosts::OnePortal, Pace::Drip(1_150));
}

#[test]
fn honest_portals_keep_their_rate_beside_silent_ones() {
    keep_their_rate(SlowHosts::ManyDomains, Pace::Silent);
}

fn keep_their_rate(shape: SlowHosts, pace: Pace) {
    let plan = Plan {
        honest: 4,
        articles: 200,
        slow: 90,
        shape,
        pace,
        in_flight: 32,
        delay: Duration::from_millis(150),
        lasts: Duration::from_secs(12),
    };
    // Other work on this machine may slow down one of the crawls. If the crawler is at fault, the portals are slow
    // each time.
    let mut outcomes = String::new();
    for _ in 0..3 {
        let outcome = run_plan(&plan);
        if outcome.kept() > 0.75 && outcome.slow > 15 {
            return;
        }
        outcomes += &outcome.to_string();
    }
    panic!("{plan:?}\n{outcomes}");
}
