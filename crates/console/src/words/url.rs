//! Describes the history of a URL: its state and the reason, then the facts behind them.

use std::collections::BTreeMap;

use goldminer_core::PageOutcome;
use goldminer_corpus::figures::{counted, thousands};
use goldminer_crawl::frontier::{
    Answer, HostError, OTHER_DOMAIN, OTHER_HOST, PortalVerdict, Source, UrlHistory, UrlState, WITHDRAWN,
};
use goldminer_crawl::health::url_result::UrlResult;
use goldminer_crawl::{DISALLOWED, Done, HostStatus, WhyReport, name_of};
use goldminer_html::CrawlUrl;
use jiff::Timestamp;

use super::host::{next_due, reason, span};
use crate::texts;

/// The most portals that are named beside the rule by which they reject a URL.
const PORTALS_NAMED: usize = 4;

/// The facts about a URL on which its summary ([`verdict`]) is based, each with a label and a text. A line that
/// continues the one above has no label.
pub fn lines(report: &WhyReport) -> Vec<(&'static str, String)> {
    let explanation = &report.explanation;
    let mut lines = Vec::new();
    if let Some(life) = &explanation.life {
        lines.push(("found", found(life)));
        if let Some(answer) = &life.answer {
            lines.push(("answer", answered(answer, life.account == UrlState::Done(Done::Disallowed))));
        }
        if let Some(record) = life.answer.as_ref().and_then(|answer| answer.position.as_ref()) {
            let bytes = thousands(record.length);
            lines.push(("archive", format!("{} at byte {}, {bytes} bytes", record.file, record.offset)));
        }
    }
    lines.extend(report.gave.as_ref().map(|gave| ("document", result_in_words(gave))));
    lines.push(("robots", report.robots.clone()));
    lines.extend(by_rule(&explanation.portals).into_iter().map(|portals| ("portals", portals)));
    lines.extend(report.suspects.iter().map(|suspect| ("suspect", suspect.reason())));
    if let Some(host) = &explanation.host {
        lines.push(("host", host_line(host, report.at)));
        if let Some(trouble) = &host.trouble {
            lines.push(("trouble", trouble_line(trouble, host, report.at)));
            lines.extend(trouble.cause.hint().map(|hint| ("", hint.to_owned())));
        }
    }
    lines
}

/// The state of the URL and the reason, in a line.
pub fn verdict(report: &WhyReport) -> String {
    let explanation = &report.explanation;
    if explanation.portals.iter().any(|portal| portal.rule == WITHDRAWN) {
        return format!("{WITHDRAWN}; it is not requested again");
    }
    let is_disallowed = report.robots.starts_with(DISALLOWED);
    if let Some(host) = explanation.host.as_ref().filter(|_| explanation.url.path_and_query() == "/robots.txt") {
        let (state, meaning) = texts::robots(host.robots);
        return format!("the crawl requests this file by itself. State: {state}. {meaning}");
    }
    let Some(life) = &explanation.life else {
        if !explanation.similar.is_empty() {
            let similar: Vec<&str> = explanation.similar.iter().map(CrawlUrl::as_str).collect();
            return format!("the crawl has not come across this URL, but across {}", similar.join(" and "));
        }
        return match explanation.portals.iter().find(|portal| portal.wanted) {
            Some(_) if is_disallowed => "the crawl has not come across this URL; robots.txt disallows it".to_owned(),
            Some(portal) => format!(
                "the crawl has not come across this URL; if it does, it queues it for the portal {}",
                portal.portal
            ),
            None => "the crawl has not come across this URL, and would not request it: no portal accepts it".to_owned(),
        };
    };
    let answer = life.answer.as_ref();
    let note = answer.and_then(|answer| answer.note.as_deref());
    let status = answer.and_then(|answer| answer.status);
    let because = note.map(str::to_owned).or_else(|| status.map(|status| format!("status {status}")));
    let because = because.map_or_else(String::new, |because| format!(": {because}"));
    match life.account {
        UrlState::Queued if is_disallowed => "queued, but it will not be requested: robots.txt disallows it".to_owned(),
        UrlState::Queued => {
            let waits = explanation.host.as_ref().map_or_else(|| "unknown".to_owned(), |host| reason(host, report.at));
            let tried = if life.attempts > 0 {
                format!(", {} so far", counted(u64::from(life.attempts), "attempt", "attempts"))
            } else {
                String::new()
            };
            format!("queued{tried}; its host: {waits}")
        }
        UrlState::InFlight => "being requested now".to_owned(),
        UrlState::Done(Done::Fetched) => {
            format!("fetched{}", note.map_or_else(String::new, |note| format!("; {note}")))
        }
        UrlState::Done(Done::NotModified) => "fetched; unchanged since then (304)".to_owned(),
        UrlState::Done(Done::Redirected) => format!("redirected to {}", note.unwrap_or("an invalid URL")),
        UrlState::Done(Done::Disallowed) => format!("disallowed by robots.txt{because}"),
        UrlState::Done(Done::Gone) => format!("gone{because}"),
        UrlState::Done(Done::NoSitemap) => {
            "the host has no sitemap here; robots.txt names none, so the usual place was tried".to_owned()
        }
        UrlState::Done(Done::Refused) => format!("refused by the server{because}"),
        UrlState::Done(Done::Repeated) => format!("repeated{because}"),
        UrlState::Done(Done::Failed) => format!("failed{because}"),
        UrlState::Rejected(rule) => {
            let own = explanation.portals.iter().find(|portal| portal.portal == life.portal);
            let own = match own {
                Some(own) if !own.wanted => format!(": {}", own.rule),
                Some(_) if rule.is_of_seeds() => {
                    " of an earlier seeds file; the URL is queued when it is found again".to_owned()
                }
                _ => String::new(),
            };
            format!("rejected by the rule {}{own}", name_of(&rule))
        }
    }
}

fn found(life: &UrlHistory) -> String {
    let how = match life.source {
        Source::Seed => "in the seeds",
        Source::Feed => "in a feed",
        Source::NewsSitemap => "in a news sitemap",
        Source::Sitemap => "in a sitemap",
        Source::Link => "by a link",
        Source::Redirect => "by a redirect",
        Source::Canonical => "as the canonical URL of a page",
        Source::Refresh => "by a meta refresh",
    };
    let via = life.via.as_ref().map_or_else(String::new, |via| format!(" at {via}"));
    let hops = if life.hops > 0 {
        format!(" after {}", counted(u64::from(life.hops), "redirect", "redirects"))
    } else {
        String::new()
    };
    let kind = name_of(&life.kind);
    format!("{:.0} {how}{via}; {kind}, depth {}{hops}, for the portal {}", life.found, life.depth, life.portal)
}

/// Whether there is a document for the URL, and if not, why.
fn result_in_words(gave: &UrlResult) -> String {
    match gave {
        UrlResult::Document { id } => format!("in the corpus, with the id {id}"),
        UrlResult::Waits { learns: true, .. } => "none yet: the domain's profile is still being learned".to_owned(),
        UrlResult::Waits { before: 0, .. } => "none yet: the page is extracted next".to_owned(),
        UrlResult::Waits { before, .. } => {
            format!("none yet: {} of its domain are extracted first", counted(*before, "page", "pages"))
        }
        UrlResult::Nothing { of: Some(id), .. } => format!("none: the document {id} has the same text"),
        UrlResult::Nothing { outcome, of: None } => format!("none: {} ({})", no_document(*outcome), outcome.as_str()),
        UrlResult::List { holds } => format!("none: it is {holds}"),
        UrlResult::NoPage { reason } => format!("none: {reason}"),
    }
}

/// What became of the pages with an outcome, to follow their number: `became documents`.
pub fn became(outcome: PageOutcome) -> String {
    match outcome {
        PageOutcome::Document => "became documents".to_owned(),
        PageOutcome::Partial => "became documents whose text a paywall cuts off".to_owned(),
        other => format!("gave no document: {}", no_document(other)),
    }
}

/// Why an extracted page gave no document.
pub fn no_document(outcome: PageOutcome) -> &'static str {
    match outcome {
        PageOutcome::Duplicate => "same text as an earlier document",
        PageOutcome::Filtered => "excluded by a filter",
        PageOutcome::Gallery => "a gallery: pictures with captions",
        PageOutcome::List => "mostly links to other pages",
        PageOutcome::NoTemplate => "no template gives its text, and it does not look like an article",
        PageOutcome::TooLarge => "too large for the manual rules of the profile",
        PageOutcome::NoProse => "repeats the same words, or is a dump of bytes",
        PageOutcome::NoText => {
            "no paragraph looks like article text, as on a front page, in a list, or where scripts fill the page in a browser"
        }
        PageOutcome::NotHtml => "not HTML",
        PageOutcome::Seen => "all text is in earlier documents",
        PageOutcome::Stub => "only a title and a video or recording",
        PageOutcome::Uncertain => "confidence too low",
        PageOutcome::Undated => "no date",
        PageOutcome::Unreadable => "bytes cannot be read",
        PageOutcome::Wall => "a paywall or consent dialog in place of the text",
        _ => "unknown reason",
    }
}

fn answered(answer: &Answer, is_disallowed: bool) -> String {
    let status = match (answer.status, is_disallowed) {
        (Some(status), _) => format!("status {status}"),
        (None, true) => "not requested".to_owned(),
        (None, false) => "no response".to_owned(),
    };
    let note = answer.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
    format!("{:.0} {status}{note}", answer.ended)
}

/// Lines with the portals that accept or reject the URL by the same rule. Those that accept it come first. Portals with
/// other hosts are left out. At most [`PORTALS_NAMED`] portals of a line are named.
fn by_rule(portals: &[PortalVerdict]) -> Vec<String> {
    let is_elsewhere = |portal: &&PortalVerdict| portal.rule == OTHER_HOST || portal.rule == OTHER_DOMAIN;
    let mut by_rule: BTreeMap<(bool, &str), Vec<&str>> = BTreeMap::new();
    for portal in portals.iter().filter(|portal| !is_elsewhere(portal)) {
        by_rule.entry((!portal.wanted, &portal.rule)).or_default().push(&portal.portal);
    }
    let lines = by_rule.into_iter().map(|((is_refused, rule), names)| match (is_refused, names.as_slice()) {
        (false, [name]) => format!("{name} accepts it: {rule}"),
        (false, names) => format!("{} accept it: {rule}", names.join(", ")),
        (true, [name]) => format!("{name} rejects it: {rule}"),
        (true, names) if names.len() > PORTALS_NAMED => {
            let others = thousands((names.len() - PORTALS_NAMED) as u64);
            format!("{} and {others} more reject it: {rule}", names[..PORTALS_NAMED].join(", "))
        }
        (true, names) => format!("{} reject it: {rule}", names.join(", ")),
    });
    let mut lines: Vec<String> = lines.collect();
    if lines.is_empty() && !portals.is_empty() {
        lines.push("no portal has this host".to_owned());
    }
    lines
}

fn host_line(host: &HostStatus, now: Timestamp) -> String {
    let (delay, queued) = (span(host.delay), thousands(host.queued));
    format!(
        "{}: {queued} queued, delay {delay}, next request {}: {}",
        host.host,
        next_due(host, now),
        reason(host, now)
    )
}

fn trouble_line(trouble: &HostError, host: &HostStatus, now: Timestamp) -> String {
    let times =
        if trouble.count == 1 { "once".to_owned() } else { format!("{} times", thousands(trouble.count.into())) };
    let failure = trouble.failure();
    format!(
        "{failure}; {times} since {:.0}, last {:.0}, next request {}",
        trouble.since,
        trouble.last,
        next_due(host, now)
    )
}
