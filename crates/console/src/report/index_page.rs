//! The page over all domains: a line each, sortable by any column.

use jiff::Timestamp;
use maud::{Markup, html};

use super::domain::{DomainPhase, DomainReport};
use super::figure::{counted, percent, thousands};
use super::findings::{Bucket, Shares};
use super::frame;
use super::frame::heads;
use super::page_view::bar;
use super::sparkline::sparkline;

/// All domains.
#[derive(Debug, Clone, PartialEq)]
pub struct DomainIndex {
    /// What the domains were looked at in: a job directory, a directory of profiles.
    pub source: String,
    /// The report of the crawl beside it, if there is one.
    pub crawl: Option<String>,
    /// In any order.
    pub lines: Vec<IndexLine>,
    /// When the report was made.
    pub made: Timestamp,
}

/// A domain in the index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexLine {
    domain: String,
    file: String,
    standing: DomainPhase,
    language: Option<String>,
    stored: u64,
    documents: Option<u64>,
    templates: usize,
    version: u32,
    fitness: Option<f64>,
    coverage: Option<f64>,
    text_yield: f64,
    course: Vec<Bucket>,
    shares: Shares,
}

impl IndexLine {
    /// The line of a domain.
    #[must_use]
    pub fn of(report: &DomainReport) -> Self {
        let profile = report.profile();
        Self {
            domain: report.domain.clone(),
            file: report.file_name(),
            standing: report.standing,
            language: profile.and_then(|profile| profile.language.clone()),
            stored: report.stored,
            documents: report.totals.as_ref().map(|totals| totals.documents),
            templates: profile.map_or(0, |profile| profile.templates.len()),
            version: profile.map_or(0, |profile| profile.version),
            fitness: profile.map(|profile| profile.evidence.fitness),
            coverage: report.findings.coverage(),
            text_yield: report.totals.as_ref().map_or_else(|| report.findings.text_yield(), |totals| totals.text_yield),
            course: report.findings.course.clone(),
            shares: report.findings.shares,
        }
    }
}

impl DomainIndex {
    /// The page, whole.
    #[must_use]
    pub fn to_html(&self) -> String {
        let top = self.lines.iter().flat_map(|line| &line.course).map(Bucket::text_yield).fold(0.0, f64::max);
        let mut lines: Vec<&IndexLine> = self.lines.iter().collect();
        // The worst first: those are what one looks for.
        let order = |line: &IndexLine| (line.coverage.unwrap_or(-1.0), line.shares.share(line.shares.kept));
        lines.sort_by(|a, b| {
            let ((a_cut, a_kept), (b_cut, b_kept)) = (order(a), order(b));
            a_cut.total_cmp(&b_cut).then(a_kept.total_cmp(&b_kept)).then_with(|| a.domain.cmp(&b.domain))
        });
        let body = html! {
            header {
                p.kind { "What GoldMiner learned" }
                h1 { (counted(self.lines.len() as u64, "domain", "domains")) }
                p.lead {
                    "Where each domain's articles begin and end, what is kept and what is cut, and how sure that is: "
                    "one page a domain. From " code { (self.source) } "."
                }
                @if let Some(crawl) = &self.crawl {
                    p {
                        a href=(crawl) { "The crawl itself" }
                        ": pages and bytes over time, outcomes, politeness, errors."
                    }
                }
            }
            @if lines.is_empty() {
                p { "Nothing was learned yet: domains learn once they have enough article-like pages." }
            } @else {
                div.scroll {
                    table.sortable.index.cards {
                        (heads(&HEADS, ("coverage", "ascending")))
                        tbody { @for line in lines { (row(line, top)) } }
                        tfoot { (self.totals()) }
                    }
                }
                p.note {
                    b { "coverage" } ": the share of articles that a template cuts, from the first page to the last. "
                    b { "yield" } ": bytes of text in the corpus for each byte received"
                    @if self.crawl.is_none() { "; here, without a crawl, for each byte of HTML" }
                    ". Its line is of the text and the HTML of pages over time. "
                    b { "fitness" } ": how well the cuts agree with each page's own good text, from 0 to 1. "
                    b { "text kept" } ": " span.kept { "kept" } ", " span.repeated { "on other pages too" } ", "
                    span.boilerplate { "boilerplate by jusText" } ", " span.other { "comments" } ", "
                    span.doubtful { "in doubt" } "."
                }
            }
        };
        frame::page("What GoldMiner learned", None, self.made, &body)
    }
}

impl DomainIndex {
    /// The sums over all domains.
    fn totals(&self) -> Markup {
        let pages: u64 = self.lines.iter().map(|line| line.stored).sum();
        let documents = self.lines.iter().filter_map(|line| line.documents).reduce(|sum, more| sum + more);
        let without = self.lines.iter().filter(|line| line.documents == Some(0)).count() as u64;
        html! {
            tr {
                td data-label="domain" { "all " (counted(self.lines.len() as u64, "domain", "domains")) }
                td.number data-label="pages" { (thousands(pages)) }
                td.number data-label="documents" { (documents.map_or_else(|| "–".to_owned(), thousands)) }
                td colspan="6" { @if without > 0 { (counted(without, "domain", "domains")) " without a document" } }
            }
        }
    }
}

const HEADS: [(&str, &str); 9] = [
    ("domain", ""),
    ("pages", "number"),
    ("documents", "number"),
    ("text kept", "number"),
    ("coverage", "number"),
    ("yield", "number"),
    ("fitness", "number"),
    ("templates", "number"),
    ("language", ""),
];

fn row(line: &IndexLine, top: f64) -> Markup {
    let coverage: Vec<Option<f64>> = line.course.iter().map(Bucket::coverage).collect();
    let yields: Vec<Option<f64>> = line.course.iter().map(|bucket| Some(bucket.text_yield())).collect();
    let number = |number: Option<f64>| number.map_or_else(|| "-1".to_owned(), |number| format!("{number:.6}"));
    html! {
        tr {
            td data-label="domain" data-value=(line.domain) {
                a href=(line.file) { (line.domain) }
                @if let Some(words) = standing(line.standing) { " " span.standing { (words) } }
            }
            td.number data-label="pages" data-value=(line.stored) { (thousands(line.stored)) }
            td.number data-label="documents" data-value=(number(line.documents.map(|documents| documents as f64))) {
                (line.documents.map_or_else(|| "–".to_owned(), thousands))
            }
            td.number data-label="text kept" data-value=(line.shares.share(line.shares.kept)) {
                (bar(&line.shares)) " " span.figure { (percent(line.shares.share(line.shares.kept))) }
            }
            td.number data-label="coverage" data-value=(number(line.coverage)) {
                (sparkline(&coverage, 1.0, "coverage over time")) " "
                span.figure { (line.coverage.map_or_else(|| "–".to_owned(), percent)) }
            }
            td.number data-label="yield" data-value=(line.text_yield) {
                (sparkline(&yields, top, "yield over time")) " " span.figure { (percent(line.text_yield)) }
            }
            td.number data-label="fitness" data-value=(number(line.fitness)) {
                (line.fitness.map_or_else(|| "–".to_owned(), |fitness| format!("{fitness:.2}")))
            }
            td.number data-label="templates" data-value=(line.templates) {
                (line.templates) @if line.version > 1 { " (version " (line.version) ")" }
            }
            td data-label="language" { (line.language.as_deref().unwrap_or("–")) }
        }
    }
}

fn standing(standing: DomainPhase) -> Option<String> {
    match standing {
        DomainPhase::Profiled => None,
        DomainPhase::Learning { teachers } => Some(format!("learning, {teachers} so far")),
        DomainPhase::Unprofiled => Some("no profile".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_links_to_its_report_and_hostile_names_stay_text() {
        let mut report = DomainReport {
            domain: "portal.example".to_owned(),
            standing: DomainPhase::Unprofiled,
            versions: Vec::new(),
            stored: 1_234,
            totals: None,
            findings: crate::report::survey::Survey::default().findings(),
            samples: Vec::new(),
            uncut: Vec::new(),
            made: Timestamp::UNIX_EPOCH,
        };
        let plain = IndexLine::of(&report);
        report.domain = "<script>alert(1)</script>".to_owned();
        let index = DomainIndex {
            source: "crawls/\"mine\"".to_owned(),
            crawl: Some("crawl.html".to_owned()),
            lines: vec![IndexLine::of(&report), plain],
            made: Timestamp::UNIX_EPOCH,
        };
        let html = index.to_html();
        for expected in ["<a href=\"portal.example.html\">", "1,234", "no profile", "href=\"crawl.html\"", "2 domains"]
        {
            assert!(html.contains(expected), "{expected} is missing:\n{html}");
        }
        assert_eq!(html.matches("<script").count(), 1, "only our own:\n{html}");
        assert!(html.contains("all 2 domains") && html.contains("2,468"), "the totals:\n{html}");
    }

    #[test]
    fn the_worst_domain_comes_first() {
        let line = |domain: &str, coverage: Option<f64>| {
            let report = DomainReport {
                domain: domain.to_owned(),
                standing: DomainPhase::Profiled,
                versions: Vec::new(),
                stored: 1,
                totals: None,
                findings: crate::report::survey::Survey::default().findings(),
                samples: Vec::new(),
                uncut: Vec::new(),
                made: Timestamp::UNIX_EPOCH,
            };
            IndexLine { coverage, ..IndexLine::of(&report) }
        };
        let lines = vec![line("a.example", Some(1.0)), line("b.example", Some(0.5)), line("c.example", None)];
        let html = DomainIndex { source: String::new(), crawl: None, lines, made: Timestamp::UNIX_EPOCH }.to_html();
        let place = |domain: &str| html.find(&format!("href=\"{domain}.html\"")).unwrap();
        assert!(place("c.example") < place("b.example") && place("b.example") < place("a.example"), "{html}");
    }
}
