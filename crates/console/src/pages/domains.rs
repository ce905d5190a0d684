//! The report on all domains: a table with a line for each domain, sortable by any column.

use goldminer_corpus::figures::{counted, percent, thousands};
use jiff::Timestamp;
use maud::{Markup, html};

use super::blocks::bar;
use super::domain::DomainReport;
use super::frame;
use super::parts::{Cell, sortable, table};
use crate::survey::BlockReason;

/// The data of the report on all domains.
#[derive(Debug)]
pub struct DomainIndex<'a> {
    /// Where the domains come from: a job directory, or a folder of profiles.
    pub source: String,
    /// The file with the report on the crawl, if there is one.
    pub crawl: Option<&'static str>,
    /// The domains, in any order.
    pub domains: Vec<DomainReport<'a>>,
}

impl DomainIndex<'_> {
    /// The complete page.
    pub fn to_html(&self, made: Timestamp) -> String {
        let mut domains: Vec<&DomainReport<'_>> = self.domains.iter().collect();
        // The domains with the worst results come first, because readers look for problems.
        let order = |domain: &DomainReport<'_>| {
            (domain.findings.all().coverage().unwrap_or(-1.0), domain.findings.shares.share(BlockReason::Kept))
        };
        domains.sort_by(|a, b| {
            let ((a_cut, a_kept), (b_cut, b_kept)) = (order(a), order(b));
            a_cut.total_cmp(&b_cut).then(a_kept.total_cmp(&b_kept)).then_with(|| a.domain.cmp(&b.domain))
        });
        let names =
            ["domain", "pages", "documents", "text kept", "coverage", "yield", "fitness", "templates", "language"];
        let columns = sortable(&names, &["domain", "language"], ("coverage", "ascending"));
        let body = html! {
            header {
                p.kind { "What GoldMiner learned" }
                h1 { (counted(domains.len() as u64, "domain", "domains")) }
                p.lead {
                    "For each domain: where its articles begin and end, which text is kept or cut, and how well this agrees with jusText. "
                    "Click on a domain for its report. All data are from " code { (self.source) } "."
                }
                @if let Some(crawl) = self.crawl {
                    p { a href=(crawl) { "The crawl" } ": pages and bytes over time, outcomes, politeness, errors." }
                }
            }
            @if domains.is_empty() {
                p { "No profile was learned yet: that needs enough article-like pages of a domain." }
            } @else {
                (table("sortable index", &columns, usize::MAX, domains.iter().map(|domain| line(domain))))
                p.note { (self.totals()) }
                p.note {
                    b { "coverage" } ": the share of articles that match a template. "
                    b { "yield" } ": bytes of text in the corpus, in per cent of the bytes received"
                    @if self.crawl.is_none() { " (these pages are from no crawl, so it is per cent of the bytes of HTML)" }
                    ". " b { "fitness" } ": how well the kept text agrees with what jusText calls good, from 0 to 1. "
                    b { "text kept" } ": "
                    @for (at, reason) in BlockReason::ALL.iter().enumerate() {
                        @if at > 0 { ", " } span class=(reason.name()) { (reason.in_words()) }
                    }
                    "."
                }
            }
        };
        frame::saved("Learned profiles", None, made, &body)
    }

    fn totals(&self) -> Markup {
        let pages: u64 = self.domains.iter().map(|domain| domain.stored).sum();
        let documents: Vec<u64> = self.domains.iter().filter_map(|domain| Some(domain.line?.documents)).collect();
        let without = documents.iter().filter(|documents| **documents == 0).count() as u64;
        html! {
            "all " (counted(self.domains.len() as u64, "domain", "domains")) ": " (counted(pages, "page", "pages"))
            @if !documents.is_empty() { ", " (counted(documents.iter().sum(), "document", "documents")) }
            @if without > 0 { "; " (counted(without, "domain", "domains")) " without a document" }
        }
    }
}

fn line(domain: &DomainReport<'_>) -> Vec<Cell> {
    let (profile, findings) = (domain.profile(), &domain.findings);
    let all = findings.all();
    let (kept, coverage) = (findings.shares.share(BlockReason::Kept), all.coverage());
    let text_yield = domain.line.map_or_else(|| all.text_yield(), |line| line.text_yield());
    let templates = profile.map_or(0, |profile| profile.templates.len());
    let note = match (profile, domain.learning_pages()) {
        (Some(_), _) => None,
        (None, Some(pages)) => Some(format!("learning: {pages} pages so far")),
        (None, None) => Some("no profile".to_owned()),
    };
    vec![
        Cell::text(html! {
            a href=(domain.file_name()) { (domain.domain) }
            @if let Some(note) = note { " " span.note-chip { (note) } }
        }),
        Cell::count(domain.stored),
        Cell::perhaps(domain.line.map(|line| line.documents as f64), |documents| thousands(documents as u64)),
        Cell::number(kept, html! { (bar(&findings.shares)) " " span.figure { (percent(kept)) } }),
        Cell::perhaps(coverage, percent),
        Cell::share(text_yield),
        Cell::fitness(profile.map(|profile| profile.evidence.fitness)),
        Cell::number(
            templates as f64,
            html! {
                (thousands(templates as u64))
                @if let Some(profile) = profile.filter(|profile| profile.version > 1) { " (version " (profile.version) ")" }
            },
        ),
        Cell::text(profile.and_then(|profile| profile.language.as_deref()).unwrap_or("–")),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::named;
    use super::*;
    use crate::survey::{Bucket, Findings};

    fn index(domains: Vec<DomainReport<'_>>) -> String {
        let index = DomainIndex { source: "crawls/\"mine\"".to_owned(), crawl: Some("crawl.html"), domains };
        index.to_html(Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_line_links_to_its_report_and_hostile_names_stay_text() {
        let stored = |domain: &str| DomainReport { stored: 1_234, ..named(domain) };
        let html = index(vec![stored("<script>alert(1)</script>"), stored("portal.example")]);
        for expected in ["<a href=\"portal.example.html\">", "1,234", "no profile", "href=\"crawl.html\"", "2 domains"]
        {
            assert!(html.contains(expected), "{expected} is missing:\n{html}");
        }
        assert_eq!(html.matches("<script").count(), 1, "only our own:\n{html}");
        assert!(html.contains("all 2 domains") && html.contains("2,468"), "the totals:\n{html}");
    }

    #[test]
    fn the_worst_domain_comes_first() {
        let line = |domain: &str, (cut, abstained): (u64, u64)| {
            let over_time = vec![Bucket { cut, abstained, ..Bucket::default() }];
            DomainReport { findings: Findings { over_time, ..Findings::default() }, ..named(domain) }
        };
        let html = index(vec![line("a.example", (2, 0)), line("b.example", (1, 1)), line("c.example", (0, 0))]);
        let place = |domain: &str| html.find(&format!("href=\"{domain}.html\"")).unwrap();
        assert!(place("c.example") < place("b.example") && place("b.example") < place("a.example"), "{html}");
    }
}
