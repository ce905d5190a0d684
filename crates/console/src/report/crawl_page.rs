//! The page of a crawl: how it stands in a minute, what came when, what it yields, how politely it asked, what went
//! wrong.

use maud::{Markup, html};

use super::crawl::{CrawlReport, DomainProgress, PortalHarvest, PrefixProgress, ReportProblem, Timeline};
use super::domain::DomainPhase;
use super::figure::{bytes, clock, counted, minute, percent, span, thousands};
use super::frame;
use super::frame::{heads, more, shortened};
use super::plot::Bars;
use super::politeness_view::politeness;

/// Lines of a table; the others are counted.
const MAX_LINES: usize = 200;
const MAX_PREFIXES: usize = 100;
/// Characters of a URL or a note.
const URL_CHARS: usize = 140;

impl CrawlReport {
    /// The page, whole.
    #[must_use]
    pub fn to_html(&self) -> String {
        let body = html! {
            header {
                p.kind { "The crawl" }
                h1 { (self.source) }
                p.lead { (self.in_a_sentence()) }
                (self.failure())
            }
            (self.in_a_minute())
            (self.portals())
            (over_time(&self.course))
            (self.outcomes())
            (self.yields())
            (politeness(&self.politeness, self.measured_all))
            (troubles(
                "robots.txt said no",
                "By the rule that forbade them. None of these URLs was asked for.",
                &self.refusals,
                "No rule of a robots.txt forbade anything that was found.",
            ))
            (troubles(
                "What went wrong",
                "By kind, with examples. The web does that; what can be mended is tried again.",
                &self.troubles,
                "Nothing.",
            ))
            @if !self.counted_all {
                p.note { "The crawl knows so many URLs that the kinds and their numbers are of a part of them." }
            }
        };
        let back = self.has_index.then_some(("index.html", "what it learned"));
        frame::page("The crawl – GoldMiner", back, self.made, &body)
    }

    fn in_a_sentence(&self) -> Markup {
        let course = &self.course;
        html! {
            @if self.is_running { "It runs. " } @else { "It does not run now. " }
            (counted(self.accounts.discovered, "URL", "URLs"))
            " discovered on " (counted(self.accounts.hosts, "host", "hosts"))
            @if !course.intervals.is_empty() {
                ", from " (minute(course.from)) " to " (minute(course.start_of(course.intervals.len()))) " UTC ("
                (span(course.interval_seconds * course.intervals.len() as i64)) ")"
            }
            "."
        }
    }

    /// A crawl that gave nothing says so first.
    fn failure(&self) -> Markup {
        let no_yield: Vec<&PortalHarvest> = self.portals.iter().filter(|portal| portal.why_none.is_some()).collect();
        html! {
            @if !self.is_running && self.accounts.documents == 0 {
                p.failed {
                    "It has given no document. "
                    @if let Some(why) = no_yield.first().and_then(|portal| portal.why_none.as_ref()) {
                        (no_yield[0].portal) ": " (shortened(why, URL_CHARS)) "."
                    }
                }
            } @else if self.is_running && !no_yield.is_empty() {
                p.failed { (counted(no_yield.len() as u64, "portal gives", "portals give")) " nothing so far: see below." }
            } @else if !no_yield.is_empty() {
                p.failed {
                    (thousands(no_yield.len() as u64)) " of " (counted(self.portals.len() as u64, "portal", "portals"))
                    " gave no document: see below."
                }
            }
        }
    }

    /// What each portal gave, the worst first.
    fn portals(&self) -> Markup {
        let mut portals: Vec<&PortalHarvest> = self.portals.iter().collect();
        portals.sort_by(|a, b| a.documents.cmp(&b.documents).then_with(|| a.portal.cmp(&b.portal)));
        html! {
            @if !portals.is_empty() {
                section {
                    h2 { "The portals of the seeds" }
                    div.scroll {
                        table.sortable.cards {
                            (heads(&[("portal", ""), ("documents", "number"), ("why none", "")], ("documents", "ascending")))
                            tbody {
                                @for one in portals.iter().take(MAX_LINES) {
                                    tr {
                                        td data-label="portal" { (one.portal) }
                                        td.number data-label="documents" data-value=(one.documents) {
                                            (thousands(one.documents))
                                        }
                                        td.why.bad data-label="why none" {
                                            @if let Some(why) = &one.why_none { (shortened(why, URL_CHARS)) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                    (more(portals.len(), MAX_LINES))
                }
            }
        }
    }

    /// Bytes of text in the corpus for each byte received.
    fn text_yield(&self) -> f64 {
        let text: u64 = self.domains.iter().map(|domain| domain.clean_bytes).sum();
        let received: u64 = self.domains.iter().map(|domain| domain.bytes).sum();
        text as f64 / received.max(1) as f64
    }

    fn in_a_minute(&self) -> Markup {
        let too_short: u64 = self.politeness.iter().map(|host| host.too_short).sum();
        let gaps: u64 = self.politeness.iter().map(|host| host.requests.saturating_sub(1)).sum();
        let accounts = &self.accounts;
        html! {
            section.minute {
                div.card.kept {
                    h2 { "Pages" }
                    p.big { (thousands(accounts.pages)) }
                    p { "stored, from " (bytes(accounts.bytes)) " received." }
                }
                div.card.kept[accounts.documents > 0 || self.is_running].repeated[accounts.documents == 0 && !self.is_running] {
                    h2 { "Documents" }
                    p.big { (thousands(accounts.documents)) }
                    p { "in the corpus, each article once; yield " (percent(self.text_yield())) "." }
                }
                div.card.edges {
                    h2 { "Still to do" }
                    p.big { (thousands(accounts.queued + accounts.in_flight)) }
                    @if accounts.queued + accounts.in_flight == 0 { p { "Nothing waits." } }
                    @else {
                        p {
                            "URLs wait"
                            @if accounts.in_flight > 0 {
                                ", " (thousands(accounts.in_flight)) " of them are asked for just now"
                            }
                            "."
                        }
                    }
                }
                div.card.sure {
                    h2 { "Politeness" }
                    @if self.politeness.iter().all(|host| host.delay_seconds <= 0.0) {
                        p.big { "–" }
                        p { "No delay was asked for." }
                    } @else {
                        p.big { (thousands(too_short)) }
                        p {
                            "of " (counted(gaps, "gap", "gaps"))
                            " between requests to a host were shorter than the delay allows."
                        }
                    }
                }
            }
        }
    }

    fn outcomes(&self) -> Markup {
        let accounts = &self.accounts;
        let mut lines: Vec<(&str, u64, &str)> = Vec::new();
        lines.extend(accounts.done.iter().map(|(what, urls)| (what.as_str(), *urls, "done")));
        lines.extend(accounts.rejected.iter().map(|(what, urls)| (what.as_str(), *urls, "rejected by a rule of ours")));
        lines.extend(
            accounts
                .withheld
                .iter()
                .map(|(says, pages)| (says.as_str(), *pages, "fetched, and not used since the page says so")),
        );
        lines.push(("queued", accounts.queued, "to do"));
        lines.push(("in flight", accounts.in_flight, "to do"));
        lines.retain(|(_, urls, _)| *urls > 0);
        let most = lines.iter().map(|(_, urls, _)| *urls).max().unwrap_or(1);
        html! {
            section {
                h2 { "Every URL accounted for" }
                ul.measures {
                    @for (what, urls, account) in lines {
                        li {
                            span.what { (what) " " span.source { (account) } }
                            span.measure {
                                span style={ "width:" (format!("{:.2}", 100.0 * urls as f64 / most as f64)) "%" } {}
                            }
                            b { (thousands(urls)) }
                        }
                    }
                }
            }
        }
    }

    fn yields(&self) -> Markup {
        html! {
            section {
                h2 { "Yield and learning" }
                p.lead {
                    "A domain learns once " (thousands(self.learning_pages))
                    " article-like pages are there; until then its pages wait in the archive. "
                    b { "yield" } ": bytes of clean text for each byte received."
                }
                div.scroll {
                    table.sortable.cards {
                        (heads(&DOMAIN_HEADS, ("pages", "descending")))
                        tbody { @for domain in self.domains.iter().take(MAX_LINES) { (self.domain(domain)) } }
                    }
                }
                (more(self.domains.len(), MAX_LINES))
                @if !self.prefixes.is_empty() {
                    h3 { "By path" }
                    div.scroll.tall tabindex="0" {
                        table.sortable.cards {
                            (heads(&PREFIX_HEADS, ("received", "descending")))
                            tbody { @for one in self.prefixes.iter().take(MAX_PREFIXES) { (prefix(one)) } }
                        }
                    }
                    (more(self.prefixes.len(), MAX_PREFIXES))
                }
            }
        }
    }

    fn domain(&self, domain: &DomainProgress) -> Markup {
        let share = match domain.standing {
            DomainPhase::Profiled => 1.0,
            _ => (domain.teachers as f64 / self.learning_pages.max(1) as f64).min(1.0),
        };
        let text_yield = domain.clean_bytes as f64 / domain.bytes.max(1) as f64;
        html! {
            tr {
                td data-label="domain" { (domain.domain) }
                td.number data-label="learned" data-value=(share) {
                    @match (domain.standing, domain.profile) {
                        (_, Some((fitness, version))) => {
                            "fitness " (format!("{fitness:.2}")) @if version > 1 { ", version " (version) }
                        }
                        (DomainPhase::Learning { .. }, None) => {
                            (thousands(domain.teachers)) " of " (thousands(self.learning_pages))
                        }
                        (_, None) => { "no profile" }
                    }
                    " " span.measure.inline { span style={ "width:" (format!("{:.0}", 100.0 * share)) "%" } {} }
                }
                td.number data-label="pages" data-value=(domain.pages) { (thousands(domain.pages)) }
                td.number data-label="read" data-value=(domain.extracted) { (thousands(domain.extracted)) }
                td.number data-label="documents" data-value=(domain.documents) { (thousands(domain.documents)) }
                td.number data-label="received" data-value=(domain.bytes) { (bytes(domain.bytes)) }
                td.number data-label="yield" data-value=(text_yield) { (percent(text_yield)) }
            }
        }
    }
}

/// Answers and bytes over time; nothing before the first answer.
pub fn over_time(course: &Timeline) -> Markup {
    if course.intervals.is_empty() {
        return html! {};
    }
    let answers: Vec<[f64; 4]> = course
        .intervals
        .iter()
        .map(|interval| [interval.good, interval.moved, interval.refused, interval.failed].map(|n| n as f64))
        .collect();
    let received: Vec<[f64; 4]> = course.intervals.iter().map(|i| [i.bytes as f64, 0.0, 0.0, 0.0]).collect();
    let below = |place: f64| clock(course.start_of(place as usize), course.interval_seconds);
    let each = span(course.interval_seconds);
    html! {
        section {
            h2 { "Over time" }
            div.timelines {
                figure {
                    figcaption {
                        "Answers in " (each) " each: "
                        span.key.good { "2xx, 304" } " " span.key.neutral { "redirects" } " "
                        span.key.warning { "4xx" } " " span.key.bad { "5xx" }
                    }
                    (Bars {
                        says: "answers over time, by status",
                        bars: &answers,
                        below: &below,
                        labels: 5,
                        beside: &|height| thousands(height as u64),
                    }.draw())
                }
                figure {
                    figcaption { "Bytes archived in " (each) " each, compressed" }
                    (Bars {
                        says: "bytes archived over time",
                        bars: &received,
                        below: &below,
                        labels: 5,
                        beside: &|height| bytes(height as u64),
                    }.draw())
                }
            }
        }
    }
}

const DOMAIN_HEADS: [(&str, &str); 7] = [
    ("domain", ""),
    ("learned", "number"),
    ("pages", "number"),
    ("read", "number"),
    ("documents", "number"),
    ("received", "number"),
    ("yield", "number"),
];
const PREFIX_HEADS: [(&str, &str); 4] =
    [("prefix", ""), ("pages", "number"), ("received", "number"), ("yield", "number")];

fn prefix(prefix: &PrefixProgress) -> Markup {
    let text_yield = prefix.clean_bytes as f64 / prefix.bytes.max(1) as f64;
    html! {
        tr {
            td.wide data-label="prefix" {
                (shortened(&prefix.prefix, URL_CHARS))
                @if prefix.is_closed { " " span.standing { "closed: hardly any text" } }
            }
            td.number data-label="pages" data-value=(prefix.pages) { (thousands(prefix.pages)) }
            td.number data-label="received" data-value=(prefix.bytes) { (bytes(prefix.bytes)) }
            td.number data-label="yield" data-value=(text_yield) { (percent(text_yield)) }
        }
    }
}

fn troubles(title: &str, lead: &str, troubles: &[ReportProblem], none: &str) -> Markup {
    html! {
        section {
            h2 { (title) }
            @if troubles.is_empty() { p { (none) } } @else { p.lead { (lead) } }
            @for (number, trouble) in troubles.iter().enumerate() {
                details.trouble open[number == 0] {
                    summary {
                        b { (thousands(trouble.urls)) } " " span.title { (shortened(&trouble.what, URL_CHARS)) } " "
                        span.source { (trouble.account) }
                    }
                    ul {
                        @for (url, note) in &trouble.examples {
                            li {
                                (shortened(url, URL_CHARS))
                                @if let Some(note) = note { br; span.source { (shortened(note, URL_CHARS)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::crawl::Accounts;
    use crate::report::crawl::TimelineBuilder;
    use crate::report::politeness::GapMeter;
    use jiff::Timestamp;

    fn report() -> CrawlReport {
        let at = |second: i64| Timestamp::from_second(1_800_000_000 + second).unwrap();
        let (mut course, mut meter) = (TimelineBuilder::default(), GapMeter::default());
        for second in [0, 5, 10, 12] {
            course.note(at(second), if second == 5 { 404 } else { 200 }, 1_000);
            meter.note("https://portal.example", at(second), at(second));
        }
        CrawlReport {
            source: "crawls/<script>alert(1)</script>".to_owned(),
            is_running: true,
            made: at(60),
            accounts: Accounts {
                discovered: 7,
                queued: 2,
                done: vec![("fetched".to_owned(), 4), ("gone".to_owned(), 1)],
                hosts: 1,
                pages: 4,
                bytes: 4_000,
                documents: 3,
                ..Accounts::default()
            },
            course: course.finish(),
            has_index: true,
            portals: Vec::new(),
            domains: vec![DomainProgress {
                domain: "portal.example".to_owned(),
                standing: DomainPhase::Learning { teachers: 40 },
                teachers: 40,
                profile: None,
                pages: 4,
                extracted: 0,
                documents: 3,
                bytes: 4_000,
                clean_bytes: 1_000,
            }],
            learning_pages: 100,
            prefixes: Vec::new(),
            politeness: meter.politeness(|_| Some((5.0, None))),
            measured_all: true,
            refusals: Vec::new(),
            troubles: vec![ReportProblem {
                account: "gone".to_owned(),
                what: "status 404".to_owned(),
                urls: 1,
                examples: vec![("https://portal.example/<script>".to_owned(), Some("<img src=x>".to_owned()))],
            }],
            counted_all: true,
        }
    }

    #[test]
    fn the_page_says_how_it_stands_and_shows_the_gap_that_was_too_short() {
        let html = report().to_html();
        for expected in
            ["It runs. 7 URLs discovered on 1 host", "40 of 100", "25\u{a0}%", "status 404", "No rule of a robots.txt"]
        {
            assert!(html.contains(expected), "{expected} is missing:\n{html}");
        }
        assert!(html.contains("fill=\"#0D0000\""), "the bar of gaps that are too short");
    }

    #[test]
    fn a_crawl_that_gave_nothing_says_so_first_and_why() {
        let mut failed = report();
        (failed.is_running, failed.accounts.documents) = (false, 0);
        let harvest = |portal: &str, documents: u64, why: Option<&str>| PortalHarvest {
            portal: portal.to_owned(),
            documents,
            why_none: why.map(str::to_owned),
        };
        failed.portals = vec![harvest("closed.example", 0, Some("robots.txt forbids it (Disallow: /)"))];
        let html = failed.to_html();
        assert!(html.contains("It has given no document. closed.example: robots.txt forbids it"), "{html}");
        let mut partly = failed;
        partly.accounts.documents = 3;
        partly.portals.insert(0, harvest("good.example", 3, None));
        let html = partly.to_html();
        assert!(html.contains("1 of 2 portals gave no document"), "{html}");
        let place = |text: &str| html.rfind(&format!("data-label=\"portal\">{text}")).unwrap();
        assert!(place("closed.example") < place("good.example"), "the worst first: {html}");
    }

    #[test]
    fn a_page_links_to_the_index_only_where_there_is_one() {
        let mut alone = report();
        alone.has_index = false;
        assert!(report().to_html().contains("href=\"index.html\"") && !alone.to_html().contains("href=\"index.html\""));
    }

    #[test]
    fn what_comes_from_the_web_stays_text() {
        let html = report().to_html();
        assert_eq!(html.matches("<script").count(), 1, "only our own:\n{html}");
        assert!(!html.contains("<img"), "{html}");
    }
}
