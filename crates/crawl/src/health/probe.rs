//! Sends a few requests without a job, for `try` and `check`. As in a crawl, robots.txt comes first, a host gets one
//! request at a time, and each request waits for the delay after the previous response. Nothing is stored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use goldminer_core::StoredPage;
use goldminer_fetch::failure::Failure;
use goldminer_fetch::robots::{MAX_REDIRECTS, Robots};
use goldminer_fetch::{Accept, Admission, Fetched, Fetcher, MediaKind, Request, robots};
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::{Capture, CrawlUrl, Host};
use tokio::time::Instant;

use crate::job::settings::fetcher;
use crate::limits::clock;
use crate::run::body;
use crate::{Clock, Config, CrawlError};

/// The most redirects of a page that are followed: fewer than in browsers (20), enough for portals.
const MAX_HOPS: usize = 5;
/// The longest pause before a request. A crawl waits longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);

/// Requests single pages, politely.
pub struct Probe {
    fetcher: Fetcher,
    clock: Clock,
    delay: Duration,
    product_token: String,
    /// The time of the next request, by host name and non-default port. Locked during a request.
    servers: Mutex<HashMap<String, Arc<tokio::sync::Mutex<ServerClock>>>>,
    robots: Mutex<HashMap<Host, Arc<RobotsSeen>>>,
}

#[derive(Debug, Default)]
struct ServerClock {
    not_before: Option<Instant>,
    crawl_delay: Duration,
}

/// What a host's robots.txt allows.
#[derive(Debug, Clone, PartialEq)]
pub enum RobotsSeen {
    /// The host's rules for this crawler.
    Rules(Robots),
    /// The host has no rules: everything is allowed.
    AllowAll,
    /// The host's robots.txt is unreachable: nothing is allowed.
    Unavailable(String),
}

/// The result of probing a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// The URL that answered, after redirects.
    pub url: CrawlUrl,
    /// The redirects that were followed, with their status.
    pub hops: Vec<(u16, CrawlUrl)>,
    /// The robots.txt rules of its host.
    pub robots: Arc<RobotsSeen>,
    /// The answer.
    pub answer: ProbeAnswer,
}

/// The answer to a probe.
#[derive(Debug, Clone, PartialEq)]
pub enum ProbeAnswer {
    /// A response with any status.
    Response(Box<Capture>),
    /// robots.txt forbids the URL by this rule; no request was made.
    Disallowed(String),
    /// robots.txt is unreachable, so no request was made.
    NoRobots(String),
    /// A response that is neither a page nor a feed, by its header or its first bytes.
    NoPage(Box<Capture>),
    /// There was no response.
    Failed(Failure),
    /// There were more redirects than are followed.
    TooManyRedirects,
    /// The host requires a longer pause than is made for a single page.
    TooSlow(Duration),
}

impl RobotsSeen {
    /// The Crawl-delay in the host's robots.txt, if it has one.
    pub fn crawl_delay(&self) -> Option<Duration> {
        match self {
            Self::Rules(rules) => rules.crawl_delay(),
            Self::AllowAll | Self::Unavailable(_) => None,
        }
    }
}

/// The most idle connections: a probe uses few hosts.
const IDLE_CONNECTIONS: usize = 64;

impl Probe {
    /// Creates a probe with the settings of a crawl's configuration.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub fn new(config: &Config) -> Result<Self, CrawlError> {
        Ok(Self {
            fetcher: fetcher(config, IDLE_CONNECTIONS)?,
            clock: Clock::start(),
            delay: config.crawl.delay.0,
            product_token: config.user_agent()?.product_token().to_owned(),
            servers: Mutex::default(),
            robots: Mutex::default(),
        })
    }

    /// The crawler's name in robots.txt.
    pub fn product_token(&self) -> &str {
        &self.product_token
    }

    /// Requests a page and follows redirects. The robots.txt of each host is requested before.
    pub async fn get(&self, url: &CrawlUrl, accept: Accept) -> Probed {
        let (mut url, mut hops) = (url.clone(), Vec::new());
        loop {
            let robots = self.robots(&url.host()).await;
            let answer = match robots.as_ref() {
                RobotsSeen::Unavailable(reason) => ProbeAnswer::NoRobots(reason.clone()),
                RobotsSeen::AllowAll => self.page(&url, accept).await,
                RobotsSeen::Rules(rules) => match rules.verdict(&url) {
                    verdict if verdict.allowed => self.page(&url, accept).await,
                    verdict => ProbeAnswer::Disallowed(verdict.rule.unwrap_or_default()),
                },
            };
            let target = match &answer {
                ProbeAnswer::Response(capture) if (300..400).contains(&capture.status) => {
                    let target = capture.headers.get("location").and_then(|to| url.join(to).ok());
                    target.map(|to| (capture.status, to))
                }
                _ => None,
            };
            match target {
                Some(_) if hops.len() >= MAX_HOPS => {
                    return Probed { url, hops, robots, answer: ProbeAnswer::TooManyRedirects };
                }
                Some((status, to)) => {
                    hops.push((status, to.clone()));
                    url = to;
                }
                None => return Probed { url, hops, robots, answer },
            }
        }
    }

    async fn page(&self, url: &CrawlUrl, accept: Accept) -> ProbeAnswer {
        match self.request(url, accept).await {
            Ok(Fetched::Response(capture)) => ProbeAnswer::Response(capture),
            Ok(Fetched::Unwanted(capture, _)) => ProbeAnswer::NoPage(capture),
            Ok(Fetched::Failed(failure)) => ProbeAnswer::Failed(failure),
            Err(pause) => ProbeAnswer::TooSlow(pause),
        }
    }

    /// The rules of a host; robots.txt is requested only once.
    pub async fn robots(&self, host: &Host) -> Arc<RobotsSeen> {
        if let Some(seen) = self.robots.lock().ok().and_then(|known| known.get(host).cloned()) {
            return seen;
        }
        let seen = Arc::new(self.ask_for_robots(host).await);
        if let Ok(mut known) = self.robots.lock() {
            known.insert(host.clone(), Arc::clone(&seen));
        }
        if let Some(asked_for) = seen.crawl_delay() {
            let server = self.server(&host.root());
            let mut host_clock = server.lock().await;
            let more = asked_for.saturating_sub(self.delay.max(host_clock.crawl_delay));
            host_clock.not_before = host_clock.not_before.map(|at| at + more);
            host_clock.crawl_delay = host_clock.crawl_delay.max(asked_for);
        }
        seen
    }

    async fn ask_for_robots(&self, host: &Host) -> RobotsSeen {
        let mut url = match host.root().join("/robots.txt") {
            Ok(url) => url,
            Err(error) => return RobotsSeen::Unavailable(error.to_string()),
        };
        for hops in 0..=MAX_REDIRECTS {
            let fetched = match self.request(&url, Accept::Robots).await {
                Ok(fetched) => fetched,
                Err(pause) => {
                    return RobotsSeen::Unavailable(format!("its server asks for a pause of {} s", pause.as_secs()));
                }
            };
            match robots::Answer::of(&fetched, hops, self.clock.now()) {
                robots::Answer::Rules(body) => return RobotsSeen::Rules(Robots::parse(&body, &self.product_token)),
                robots::Answer::AllowAll => return RobotsSeen::AllowAll,
                robots::Answer::MovedTo(target) => url = target,
                robots::Answer::Unavailable { failure, .. } => {
                    return RobotsSeen::Unavailable(failure.to_string());
                }
            }
        }
        RobotsSeen::AllowAll
    }

    /// Sends one request after the pause that its server needs. If the pause is too long, returns it instead.
    async fn request(&self, url: &CrawlUrl, accept: Accept) -> Result<Fetched, Duration> {
        let server = self.server(url);
        // Locked until the response arrives, so that there is one request at a time.
        let mut host_clock = server.lock().await;
        if let Some(at) = host_clock.not_before {
            let pause = at.saturating_duration_since(clock::instant());
            if pause > LONGEST_PAUSE {
                return Err(pause);
            }
            if pause > Duration::from_secs(1) {
                tracing::info!("waiting {:.0} s before the next request to {}", pause.as_secs_f64(), url.host_name());
            }
            tokio::time::sleep_until(at).await;
        }
        loop {
            match self.fetcher.admit(url).await {
                Admission::Go => break,
                Admission::Wait(wait, _) => tokio::time::sleep(wait).await,
                Admission::Refused(failure) => return Ok(Fetched::Failed(failure)),
            }
        }
        let fetched = self.fetcher.fetch(&Request::new(url.clone(), accept), self.clock.now()).await;
        host_clock.not_before = Some(clock::instant() + self.delay.max(host_clock.crawl_delay));
        Ok(fetched)
    }

    /// The clock that spaces the requests to a server. The http and https URLs of a host name share one clock; a
    /// non-default port is another server.
    fn server(&self, url: &CrawlUrl) -> Arc<tokio::sync::Mutex<ServerClock>> {
        let port = url.given_port().map_or_else(String::new, |port| format!(":{port}"));
        let name = format!("{}{port}", url.host_name());
        match self.servers.lock() {
            Ok(mut servers) => Arc::clone(servers.entry(name).or_default()),
            Err(_) => Arc::default(),
        }
    }
}

/// The page in a response, as a crawl would extract it.
///
/// # Errors
/// When the response is not a page; the message says why.
pub fn page_of(capture: &Capture) -> Result<StoredPage, String> {
    let body = body::read(capture, CodingLimits::default()).map_err(|why| why.to_string())?;
    if body.kind != MediaKind::Html {
        return Err("it is a feed or a sitemap, not a page".to_owned());
    }
    let mut page = StoredPage::new(capture.url.site(), body.bytes.into_owned());
    page.url = Some(capture.url.clone());
    page.wire_bytes = capture.body.len() as u64;
    page.content_type = capture.content_type().map(str::to_owned);
    page.fetched = Some(capture.fetched);
    Ok(page)
}
