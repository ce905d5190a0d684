//! `goldminer check`: requests robots.txt, the first page, feeds and sitemaps of each portal in a seeds file, and
//! reports what a crawl would do. It sends a few requests to each portal, as politely as a crawl, and stores nothing.

use std::collections::BTreeSet;
use std::fmt::Display;

use goldminer_core::rights::RobotsRules;
use goldminer_crawl::health::probe::{Probe, ProbeAnswer, Probed, RobotsSeen, page_of};
use goldminer_crawl::{Config, HumanDuration, Portal, Seeds, UrlKind};
use goldminer_fetch::{Accept, list};
use goldminer_html::CrawlUrl;
use goldminer_html::capture::coding::CodingLimits;
use serde::Serialize;

use crate::cli::CheckArgs;
use crate::commands::look::try_page::unanswered;
use crate::commands::terminal::style::{DROPPED, KEPT, TITLE, labelled, styled};
use crate::commands::{Exit, UsageError, counted, misuse, network, output, plain_bytes};

/// The most sitemaps and feeds of a portal that are requested.
const LISTS: usize = 2;

/// The beginning of [`PortalCheck::robots`] if robots.txt is unreachable.
const UNREACHABLE: &str = "unreachable";

/// The result of checking a portal.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PortalCheck {
    name: String,
    pub(crate) start: CrawlUrl,
    /// The final URL of the first page, after redirects.
    leads_to: CrawlUrl,
    robots: String,
    page: String,
    /// Number of links on the first page that a crawl would follow, and of all links.
    links: Option<(usize, usize)>,
    /// The feeds that the first page announces.
    pub(crate) feeds: Vec<CrawlUrl>,
    /// Descriptions of the requested feeds and sitemaps.
    lists: Vec<String>,
    /// The time between two requests to a host.
    delay: HumanDuration,
    /// Why a crawl would get no pages; None if it would get some.
    pub(crate) hindrance: Option<String>,
    hints: Vec<String>,
}

/// Runs `goldminer check`.
///
/// # Errors
/// When seeds or configuration are invalid.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    let seeds = Seeds::read(&args.seeds).map_err(UsageError::of)?;
    if let Some(unknown) = args.portal.iter().find(|name| !seeds.portals.iter().any(|portal| portal.name == **name)) {
        let known: Vec<&str> = seeds.portals.iter().take(10).map(|portal| portal.name.as_str()).collect();
        return misuse(format_args!("--portal: there is no portal {unknown:?}; the portals are {}", known.join(", ")));
    }
    let mut config = network::config(seeds, &network::overrides(&args.network), &args.network, &args.seeds)?;
    config.portals.retain(|portal| args.portal.is_empty() || args.portal.contains(&portal.name));
    let checked = ask(config)?;
    let well = checked.iter().filter(|portal| portal.hindrance.is_none()).count();
    output::answer(args.json, &checked, || {
        let portals: String = checked.iter().map(PortalCheck::describe).collect();
        let all = counted(checked.len() as u64, "portal", "portals");
        format!("{portals}a crawl would get pages from {well} of {all}")
    })?;
    Ok(if well == checked.len() { Exit::Done } else { Exit::NoDocuments })
}

/// Checks every portal of a configuration. The results are in the same order.
///
/// # Errors
/// When the configuration cannot be used.
pub(crate) fn ask(config: Config) -> anyhow::Result<Vec<PortalCheck>> {
    let (probe, delay) = (Probe::new(&config)?, config.crawl.delay);
    network::ask_each(probe, config.portals, |probe, portal| async move { check(&probe, &portal, delay).await })
}

async fn check(probe: &Probe, portal: &Portal, delay: HumanDuration) -> PortalCheck {
    let start = portal.start[0].clone();
    let probed = probe.get(&start, Accept::Page).await;
    let mut checked = PortalCheck {
        name: portal.name.clone(),
        leads_to: probed.url.clone(),
        robots: robots(&probed.robots),
        page: String::new(),
        links: None,
        feeds: Vec::new(),
        lists: Vec::new(),
        delay: HumanDuration(
            delay.0.max(portal.delay.map_or(delay.0, |own| own.0)).max(probed.robots.crawl_delay().unwrap_or_default()),
        ),
        hindrance: None,
        hints: Vec::new(),
        start,
    };
    // A crawl decides on each redirect, and requests no target that is out of scope.
    if let Some((_, out)) = probed.hops.iter().find(|(_, to)| portal.decide(to, UrlKind::Start, 0).is_err()) {
        checked.page = format!("redirects to {out}");
        checked.hindrance = Some(format!(
            "the start page redirects to {out}, which is out of the portal's scope; write start = [{:?}]",
            probed.url.as_str()
        ));
        return checked;
    }
    checked.first_page(&probed, portal, probe.product_token());
    if checked.hindrance.is_some() && !matches!(probed.answer, ProbeAnswer::Response(_)) {
        return checked;
    }
    let mut sitemaps = portal.sitemaps.clone();
    if let RobotsSeen::Rules(rules) = probed.robots.as_ref() {
        sitemaps.extend(rules.sitemaps().iter().filter_map(|url| probed.url.join(url).ok()));
    }
    if sitemaps.is_empty() {
        sitemaps.extend(probed.url.join("/sitemap.xml"));
    }
    let feeds: Vec<CrawlUrl> = portal.feeds.iter().chain(&checked.feeds).cloned().collect();
    for (urls, accept) in [(feeds, Accept::Feed), (sitemaps, Accept::Sitemap)] {
        let mut requested = BTreeSet::new();
        for url in urls.iter().filter(|url| requested.insert(url.as_str().to_owned())).take(LISTS) {
            let answer = probe.get(url, accept).await;
            checked.lists.push(format!("{url}: {}", held(&answer, accept)));
        }
        if urls.len() > LISTS {
            checked.lists.push(format!("… and {} more", urls.len() - LISTS));
        }
    }
    checked
}

/// Describes the contents of a feed or a sitemap.
fn held(probed: &Probed, accept: Accept) -> String {
    let capture = match &probed.answer {
        ProbeAnswer::Response(capture) if capture.status == 200 => capture,
        other => return unanswered(other),
    };
    let limits = CodingLimits::default().with_decoded_bytes(list::MAX_BYTES);
    let (body, damage) = match capture.decoded_body(limits) {
        Ok(body) => (body, ""),
        Err(error) if error.decoded.is_empty() => return "its content coding is broken".to_owned(),
        Err(error) => (error.decoded.into(), "; its content coding is broken, and only the beginning was read"),
    };
    match (list::read(&body, capture.content_type(), &probed.url), accept) {
        (Ok(list), _) => format!("{list}{damage}"),
        (Err(error), Accept::Feed) => error.to_string(),
        (Err(_), _) => "no sitemap, or an empty one".to_owned(),
    }
}

fn robots(robots: &RobotsSeen) -> String {
    match robots {
        RobotsSeen::AllowAll => "no file: everything is allowed".to_owned(),
        RobotsSeen::Unavailable(reason) => format!("{UNREACHABLE} ({reason})"),
        RobotsSeen::Rules(rules) => {
            let pause = rules.crawl_delay().map(|delay| format!(", asks for a delay of {} s", delay.as_secs_f64()));
            let maps = rules.sitemaps().len() as u64;
            format!("found{}, {}", pause.unwrap_or_default(), counted(maps, "sitemap listed", "sitemaps listed"))
        }
    }
}

impl PortalCheck {
    /// The start page for the seeds file: the target of redirects, if that is on the same domain.
    pub(crate) fn start(&self) -> &CrawlUrl {
        if self.start.domain() == self.leads_to.domain() { &self.leads_to } else { &self.start }
    }

    /// Whether robots.txt was unreachable: no answer, or an error.
    pub(crate) fn is_silent(&self) -> bool {
        self.robots.starts_with(UNREACHABLE)
    }

    /// A line that says what a crawl would do.
    pub(crate) fn verdict(&self) -> String {
        match (&self.hindrance, self.links) {
            (Some(hindrance), _) => format!("a crawl would get no pages: {hindrance}"),
            (None, Some((wanted, all))) => format!(
                "a crawl would send a request every {}, and follow {wanted} of {} on the first page",
                self.delay,
                counted(all as u64, "link", "links")
            ),
            (None, None) => format!("a crawl would send a request every {}", self.delay),
        }
    }

    fn first_page(&mut self, probed: &Probed, portal: &Portal, product_token: &str) {
        let is_wanted = |url: &CrawlUrl| portal.decide(url, UrlKind::Page, 1).is_ok();
        let capture = match &probed.answer {
            ProbeAnswer::Response(capture) => capture,
            other => {
                self.page = unanswered(other);
                self.hindrance = Some(self.page.clone());
                return;
            }
        };
        let (media, bytes) = (capture.content_type(), plain_bytes(capture.body.len() as u64));
        self.page = format!("status {}, {}, {bytes}", capture.status, media.unwrap_or("no content type"));
        if !probed.hops.is_empty() {
            self.hints.push(format!("the start page redirects to {}; you can use this URL as start", probed.url));
        }
        let page = match page_of(capture) {
            Ok(page) => page,
            Err(reason) => {
                self.hindrance = Some(format!("the first page cannot be used: {reason}"));
                return;
            }
        };
        let page = page.parse();
        let (links, rules) = (page.links(&probed.url), RobotsRules::of_page(&page, product_token));
        let wanted = links.links.iter().filter(|link| !link.nofollow && is_wanted(&link.url)).count();
        self.links = Some((wanted, links.links.len()));
        self.feeds = links.feeds;
        if rules.nofollow {
            self.hindrance = Some("the first page tells crawlers not to follow its links (nofollow)".to_owned());
        } else if wanted == 0 && self.feeds.is_empty() && portal.feeds.is_empty() && portal.sitemaps.is_empty() {
            self.hindrance = Some(match links.links.len() {
                0 => "the first page has no links; perhaps scripts fill it in a browser".to_owned(),
                all => format!(
                    "none of the {} on the first page is in the portal's scope; check scope, include and exclude",
                    counted(all as u64, "link", "links")
                ),
            });
        }
    }

    fn describe(&self) -> String {
        let mut text = format!("{}  {}\n", styled(TITLE, &self.name), self.start);
        let mut line = |name: &str, what: &dyn Display| text += &labelled(9, name, what);
        line("robots", &self.robots);
        line("page", &self.page);
        self.feeds.iter().for_each(|feed| line("announces", feed));
        self.lists.iter().for_each(|list| line("list", list));
        self.hints.iter().for_each(|hint| line("hint", hint));
        let style = if self.hindrance.is_some() { DROPPED } else { KEPT };
        line("result", &styled(style, self.verdict()));
        text + "\n"
    }
}
