//! The report on a crawl: the crawl's page in a file, with details that take longer to collect: the yield of each
//! domain and path, politeness, and errors.

use std::collections::BTreeMap;
use std::path::Path;

use goldminer_core::Phase;
use goldminer_corpus::figures::{counted, duration, minute, thousands};
use goldminer_crawl::{DomainLine, HostStatus, ProfileLine, SiteReport};
use goldminer_fetch::failure::Cause;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

use super::{MAX_LINES, accounts, attention, by_path, drawn, numbers, run_state};
use crate::job_summary::{JobSummary, PortalLine};
use crate::pages::frame::{self, Medium};
use crate::pages::parts::{CHARS, Cell, ReportProblem, card, problems, shortened, sortable, table};
use crate::pages::portals::{self, View};
use crate::survey::HostPoliteness;
use crate::words::host::{in_a_row, next_due};

/// The most hosts that are named for each cause of failures.
const HOSTS_SHOWN: usize = 50;

/// Details of a crawl that take longer to collect than its summary.
#[derive(Debug, Default)]
pub struct CrawlDetails {
    /// Every domain with pages.
    pub domains: Vec<DomainLine>,
    /// All profiles.
    pub profiles: Vec<ProfileLine>,
    /// Number of article-like pages from which a profile is learned.
    pub learning_pages: u64,
    /// The yields of path prefixes, and examples of URLs without documents.
    pub examples: SiteReport,
    /// The gaps between the requests to each host, and the delay that applies.
    pub politeness: Vec<HostPoliteness>,
    /// Whether all requests were measured, not only the latest.
    pub measured_all: bool,
}

/// The complete report on a crawl. With `has_index`, it links to the report on all domains in the same folder.
pub fn saved(source: &Path, summary: &JobSummary, details: &CrawlDetails, has_index: bool, made: Timestamp) -> String {
    let (disallowed, failed) = ReportProblem::disallowed_and_failed(&details.examples);
    let mut others = of_hosts(&summary.hosts, made);
    others.extend(failed);
    let body = html! {
        header {
            p.kind { "The crawl" }
            h1 { (source.display()) " " (run_state(summary)) }
            p.lead { @if summary.is_running { "Running. " } @else { "Not running. " } (in_a_sentence(summary)) }
            (failure(summary))
        }
        (numbers(summary, Some(details)))
        (attention(Medium::Saved, summary))
        (drawn(&summary.so_far))
        (accounts(summary))
        (portals::table_of(Medium::Saved, summary, &View::default()))
        (yields(summary, details))
        (politeness(details))
        section {
            h2 { "Disallowed by robots.txt" }
            @if disallowed.is_empty() { p { "No URL was disallowed." } }
            @else { p.lead { "Grouped by rule. None of these URLs was requested." } }
            (problems(Medium::Saved, &disallowed))
        }
        section {
            h2 { "Errors" }
            @if others.is_empty() { p { "No errors." } }
            @else { p.lead { "Grouped by kind, with examples. Temporary errors are retried." } }
            (problems(Medium::Saved, &others))
        }
        @if !details.examples.is_whole {
            p.note { "The crawl has too many URLs to read them all: the lists of URLs are based on a part of them." }
        }
    };
    frame::saved("The crawl", has_index.then_some(("index.html", "learned profiles")), made, &body)
}

fn in_a_sentence(summary: &JobSummary) -> Markup {
    let timeline = &summary.so_far.timeline;
    let intervals = timeline.intervals.len();
    html! {
        (counted(summary.counts.discovered, "URL", "URLs")) " discovered on " (counted(summary.counts.hosts, "host", "hosts"))
        @if intervals > 0 {
            ", from " (minute(timeline.from)) " to " (minute(timeline.start_of(intervals))) " UTC ("
            (duration(timeline.length(intervals))) ")"
        }
        "."
    }
}

/// A message at the top of the page if the whole crawl, or some portals, gave no document.
fn failure(summary: &JobSummary) -> Markup {
    let no_yield: Vec<&PortalLine> = summary.portals.iter().filter(|portal| portal.why_none.is_some()).collect();
    html! {
        @if !summary.is_running && summary.documents == 0 {
            p.failed {
                "The crawl gave no document. "
                @if let Some(portal) = no_yield.first() {
                    (portal.name) ": " (shortened(portal.why_none.as_deref().unwrap_or_default(), CHARS)) "."
                }
            }
        } @else if summary.is_running && !no_yield.is_empty() {
            p.failed { (counted(no_yield.len() as u64, "portal gives", "portals give")) " no document so far: see below." }
        } @else if !no_yield.is_empty() {
            p.failed {
                (thousands(no_yield.len() as u64)) " of " (counted(summary.portals.len() as u64, "portal", "portals"))
                " gave no document: see below."
            }
        }
    }
}

/// A card with the number of gaps between requests that were shorter than the delay.
pub(super) fn too_short(politeness: &[HostPoliteness]) -> Markup {
    let too_short: u64 = politeness.iter().map(|host| host.too_short).sum();
    let gaps: u64 = politeness.iter().map(|host| host.requests.saturating_sub(1)).sum();
    let says = match politeness.iter().any(|host| host.delay_seconds > 0.0) {
        true => format!(
            "Gaps between two requests to the same host that were shorter than the host's delay, of {} gaps in all.",
            thousands(gaps)
        ),
        false => "No delay is configured, so no gap is too short.".to_owned(),
    };
    card(("gaps too short", &says), thousands(too_short))
}

/// The gaps between requests to each host, compared with the delays that apply.
fn politeness(details: &CrawlDetails) -> Markup {
    let names = ["host", "delay", "shortest gap", "median gap", "too short", "requests"];
    let columns = sortable(&names, &["host"], ("requests", "descending"));
    html! {
        section {
            h2 { "Politeness" }
            p.lead {
                "A gap is the time from the end of a response to the next request to the same host, as recorded in the archive"
                @if !details.measured_all { " (only the latest requests)" }
                ". The crawler adds up to 10 % to each delay, at random."
            }
            (table("sortable", &columns, MAX_LINES, details.politeness.iter().map(polite)))
        }
    }
}

fn polite(host: &HostPoliteness) -> Vec<Cell> {
    let shown = |seconds: f64| duration(SignedDuration::try_from_secs_f64(seconds).unwrap_or_default());
    let is_by_robots = host.crawl_delay_seconds.is_some_and(|asked| asked >= host.delay_seconds);
    let delay = format!("{}{}", shown(host.delay_seconds), if is_by_robots { " (from robots.txt)" } else { "" });
    vec![
        Cell::text(&host.host),
        Cell::number(host.delay_seconds, delay),
        Cell::perhaps(host.least_seconds, shown),
        Cell::perhaps(host.median_seconds, shown),
        Cell::count(host.too_short),
        Cell::count(host.requests),
    ]
}

fn yields(summary: &JobSummary, details: &CrawlDetails) -> Markup {
    let mut domains: Vec<&DomainLine> = details.domains.iter().collect();
    domains.sort_by_key(|domain| std::cmp::Reverse(domain.pages));
    let names = ["domain", "learned", "pages", "extracted", "documents", "received", "yield"];
    let columns = sortable(&names, &["domain"], ("pages", "descending"));
    let domain = |line: &DomainLine| {
        vec![
            Cell::text(&line.domain),
            learned(line, details),
            Cell::count(line.pages),
            Cell::count(line.extracted),
            Cell::count(line.documents),
            Cell::bytes(line.bytes),
            Cell::share(line.text_yield()),
        ]
    };
    html! {
        section {
            h2 { "Yield and learning" }
            p.lead {
                "A domain's profile is learned from " (thousands(details.learning_pages))
                " article-like pages, or fewer if the crawl ends; until then its pages wait in the archive. "
                b { "yield" } ": bytes of clean text, in per cent of the bytes received."
            }
            (table("sortable", &columns, MAX_LINES, domains.into_iter().map(domain)))
            @if !details.examples.prefixes.is_empty() {
                h3 { "By path" }
                (by_path(&details.examples.prefixes, &summary.hosts))
            }
        }
    }
}

fn learned(line: &DomainLine, details: &CrawlDetails) -> Cell {
    let profile = details.profiles.iter().find(|profile| profile.key == line.domain);
    let wanted = details.learning_pages;
    let share = match line.phase {
        Phase::Profiled => 1.0,
        _ => (line.article_pages as f64 / wanted.max(1) as f64).min(1.0),
    };
    let words = match profile {
        Some(profile) if profile.version > 1 => format!("fitness {:.2}, version {}", profile.fitness, profile.version),
        Some(profile) => format!("fitness {:.2}", profile.fitness),
        None if line.phase == Phase::Learning => format!("{} of {}", thousands(line.article_pages), thousands(wanted)),
        None => "no profile".to_owned(),
    };
    let bar = html! { " " span.measure.inline { span style={ "width:" (format!("{:.0}", 100.0 * share)) "%" } {} } };
    Cell::number(share, html! { (words) (bar) })
}

/// The hosts that fail or do not answer, grouped by cause.
fn of_hosts(hosts: &[HostStatus], now: Timestamp) -> Vec<ReportProblem> {
    let mut causes: BTreeMap<Cause, ReportProblem> = BTreeMap::new();
    for (host, trouble) in hosts.iter().filter_map(|host| Some((host, host.trouble.as_ref()?))) {
        let hint = trouble.cause.hint().map_or_else(String::new, |hint| format!("; {hint}"));
        let kind = causes.entry(trouble.cause).or_insert_with(|| ReportProblem {
            account: format!("hosts that do not answer{hint}"),
            what: trouble.cause.to_string(),
            urls: 0,
            examples: Vec::new(),
        });
        kind.urls += 1;
        if kind.examples.len() < HOSTS_SHOWN {
            let next = next_due(host, now);
            let note = format!("{}; next request {next}; {}", in_a_row(trouble, now), trouble.detail);
            kind.examples.push((host.host.as_str().to_owned(), Some(note)));
        }
    }
    let mut causes: Vec<ReportProblem> = causes.into_values().collect();
    causes.sort_by_key(|kind| std::cmp::Reverse(kind.urls));
    causes
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::survey::{GapMeter, TimelineBuilder};
    use crate::testing::{self, host};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    /// The status of a crawl with a good and a refusing portal.
    fn status() -> Value {
        let mut status = testing::report(&hosts());
        status["counts"]["discovered"] = 7.into();
        status["counts"]["queued"] = 2.into();
        status["counts"]["hosts"] = 1.into();
        status["counts"]["done"] = json!({ "fetched": 4, "gone": 1 });
        status["domains"] = json!([{ "domain": "portal.example", "phase": "learning", "pages": 4, "article_pages": 40, "extracted": 0,
            "documents": 3, "tally": {}, "bytes": 4_000, "clean_bytes": 1_000 }]);
        status
    }

    fn hosts() -> [Value; 2] {
        [host("https://portal.example", 2, "delay"), host("https://closed.example", 0, "links")]
    }

    fn html(status: &Value, has_index: bool) -> String {
        let (mut timeline, mut meter) = (TimelineBuilder::default(), GapMeter::default());
        for second in [0, 5, 10, 12] {
            timeline.note(at(second), if second == 5 { 404 } else { 200 }, 1_000);
            meter.note("https://portal.example", at(second), at(second));
        }
        let failures = json!([{ "done": "gone", "cause": "status 404", "urls": 1, "examples": [
            { "url": "https://portal.example/<script>", "at": null, "note": "<img src=x>" }] }]);
        let details = CrawlDetails {
            domains: serde_json::from_value(status["domains"].clone()).unwrap(),
            learning_pages: 100,
            politeness: meter.politeness(|_| Some((5.0, None))),
            examples: SiteReport {
                failures: serde_json::from_value(failures).unwrap(),
                is_whole: true,
                ..SiteReport::default()
            },
            measured_all: true,
            ..CrawlDetails::default()
        };
        let source = Path::new("crawls/<script>alert(1)</script>");
        let summary = testing::summary_of(status, &hosts()).with_timeline(timeline.finish());
        saved(source, &summary, &details, has_index, at(60))
    }

    #[test]
    fn the_report_shows_the_state_and_the_short_gap() {
        let html = html(&status(), true);
        for expected in
            ["Running. 7 URLs discovered on 1 host", "40 of 100", "25\u{a0}%", "status 404", "No URL was disallowed."]
        {
            assert!(html.contains(expected), "{expected} is missing:\n{html}");
        }
        assert!(html.contains("data-label=\"too short\" data-value=\"1\""), "the gap that was too short: {html}");
    }

    #[test]
    fn an_unused_page_is_counted_once_among_the_urls() {
        let mut status = status();
        status["counts"]["withheld"] = json!({ "noindex": 2 });
        let page = html(&status, true);
        let list = page.split("id=\"accounts\"").nth(1).and_then(|rest| rest.split("</section>").next()).unwrap();
        assert_eq!(list.matches("<li>").count(), 3, "fetched, gone, queued: {list}");
        assert!(list.contains("2 fetched pages are not used, because of noindex."), "{list}");
    }

    #[test]
    fn a_crawl_without_documents_says_why_first() {
        let mut failed = status();
        failed["running"] = false.into();
        failed["domains"][0]["documents"] = 0.into();
        failed["no_yield"] = json!([{ "portal": "closed.example", "documents": 0, "nothing": {
            "why": "disallowed", "rule": "Disallow: /" } }]);
        let page = html(&failed, true);
        assert!(page.contains("The crawl gave no document. closed.example: robots.txt forbids it"), "{page}");
        failed["domains"][0]["documents"] = 3.into();
        let page = html(&failed, true);
        assert!(page.contains("1 of 2 portals gave no document"), "{page}");
        let place = |text: &str| page.rfind(&format!("data-label=\"portal\">{text}")).unwrap();
        assert!(place("closed.example") < place("portal.example"), "the worst first: {page}");
    }

    #[test]
    fn a_page_links_to_the_index_only_where_there_is_one() {
        let links = |has_index: bool| html(&status(), has_index).contains("href=\"index.html\"");
        assert!(links(true) && !links(false));
    }

    #[test]
    fn text_from_the_web_is_escaped() {
        let html = html(&status(), true);
        assert_eq!(html.matches("<script").count(), 1, "only our own:\n{html}");
        assert!(!html.contains("<img"), "{html}");
    }

    #[test]
    fn a_saved_page_has_no_links_that_need_a_server() {
        let html = html(&status(), true);
        let links: Vec<&str> = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(links.iter().all(|link| ["data:,", "index.html"].contains(link)), "{links:?}");
        assert!(!html.contains("<form") && !html.contains("data-events"), "{html}");
    }
}
