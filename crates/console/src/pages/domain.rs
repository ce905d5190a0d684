//! The report on a domain: a short summary, then the templates and versions of the profile, sample pages, and the texts
//! that were cut most often.

use goldminer_core::{DomainProfile, Phase, ServingProfile};
use goldminer_corpus::figures::{counted, percent, thousands};
use goldminer_crawl::DomainLine;
use jiff::Timestamp;
use maud::{Markup, html};

pub use super::blocks::Sample;
use super::blocks::{bar, legend, sample};
use super::frame;
use super::parts::{Cell, shortened, sortable, table};
use super::plots::Bars;
use super::profile::{bounds, templates, versions};
use crate::job_summary::{FAIR_FITNESS, GOOD_FITNESS};
use crate::survey::{BlockReason, Bucket, Dissection, Findings};
use crate::words::url::became;

/// The most characters of a repeated text that are shown.
const REPEATED_CHARS: usize = 160;

/// The data of a domain's page.
#[derive(Debug)]
pub struct DomainReport<'a> {
    /// The domain, or the key of its profile.
    pub domain: String,
    /// The versions of its profile, oldest first.
    pub versions: Vec<&'a ServingProfile>,
    /// Number of stored pages.
    pub stored: u64,
    /// The crawl's counts for the domain, if a crawl fetched the pages.
    pub line: Option<&'a DomainLine>,
    /// The findings on the examined pages.
    pub findings: Findings,
    /// The pages that are shown block by block.
    pub samples: Vec<Sample>,
    /// Examined pages from which no template extracted an article. Their blocks are left out.
    pub uncut: Vec<Dissection>,
}

impl<'a> DomainReport<'a> {
    /// The profile in use: the latest version.
    pub fn profile(&self) -> Option<&'a DomainProfile> {
        self.versions.last().map(|serving| &serving.profile)
    }

    /// Number of article-like pages so far, while the profile is being learned; None after that.
    pub(super) fn learning_pages(&self) -> Option<u64> {
        let learns = |line: &&&DomainLine| line.phase == Phase::Learning && self.versions.is_empty();
        self.line.as_ref().filter(learns).map(|line| line.article_pages)
    }

    /// The file name of the report. Characters of the domain other than letters, digits, dots and hyphens become `_`,
    /// so the name needs no escaping in a link.
    pub fn file_name(&self) -> String {
        let is_safe = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
        let safe: String = self.domain.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
        let safe = safe.trim_start_matches('.');
        // The report on all domains and the report on the crawl have these names.
        if matches!(safe, "index" | "crawl" | "") { format!("_{safe}.html") } else { format!("{safe}.html") }
    }

    /// The report without the data that the report on all domains does not need.
    pub fn for_index(self) -> Self {
        Self { samples: Vec::new(), uncut: Vec::new(), findings: self.findings.without_texts(), ..self }
    }

    /// The complete page. With `has_index`, it links to the report on all domains in the same folder.
    pub fn to_html(&self, has_index: bool, made: Timestamp) -> String {
        let body = html! {
            header {
                p.kind { "What GoldMiner learned" }
                h1 { (self.domain) }
                p.lead { (self.in_a_sentence()) }
            }
            (self.in_a_minute())
            @if let Some(line) = self.line.filter(|line| !line.tally.is_empty()) {
                section.tally {
                    h2 { "All pages of the crawl" }
                    p {
                        (counted(self.stored, "page", "pages")) " stored, " (thousands(line.extracted)) " extracted, "
                        (counted(line.documents, "document", "documents")) " in the corpus."
                    }
                    ul.figures {
                        @for (outcome, pages) in line.tally.iter() { li { b { (thousands(pages)) } " " (became(outcome)) } }
                    }
                }
            }
            (self.timeline_charts())
            @if let Some(profile) = self.profile() { (templates(profile)) (versions(&self.versions)) }
            (self.sample_pages())
            (self.without_article())
            (self.cut_away())
        };
        frame::saved(&self.domain, has_index.then_some(("index.html", "all domains")), made, &body)
    }

    fn in_a_sentence(&self) -> Markup {
        let (all, looked_at) = (self.findings.all(), self.findings.looked_at);
        html! {
            @if looked_at == 0 { "No stored pages were found: only the profile is shown." }
            @else {
                "Of " (counted(looked_at, "page", "pages")) " examined"
                @if self.stored > looked_at { " (of " (thousands(self.stored)) " stored, spread evenly over the crawl)" }
                ", " b { (thousands(all.cut)) " are articles that match a template" } ", "
                (thousands(all.abstained)) " are articles without a matching template, and "
                (thousands(all.without)) " are not articles (front pages, lists)."
            }
        }
    }

    fn in_a_minute(&self) -> Markup {
        let shares = &self.findings.shares;
        let share = |reason| percent(shares.share(reason));
        html! {
            section.minute {
                div.card.kept {
                    h2 { "What is kept" }
                    p.big { (share(BlockReason::Kept)) }
                    p { "of the text on article pages: headline, lead, body." }
                }
                div.card.repeated {
                    h2 { "What is cut" }
                    p.big { @if shares.all() > 0 { (percent(1.0 - shares.share(BlockReason::Kept))) } @else { (percent(0.0)) } }
                    p {
                        (share(BlockReason::Repeated)) " also occurs on other pages (menus, teasers, boxes), "
                        (share(BlockReason::Boilerplate)) " is other boilerplate"
                        @if shares.chars(BlockReason::OtherText) > 0 { ", " (share(BlockReason::OtherText)) " are comments" }
                        "."
                    }
                }
                div.card.edges {
                    h2 { "Where the article is" }
                    @match self.profile().and_then(|profile| Some((profile, profile.templates.first()?))) {
                        None => p { "There is no template: the page classifier extracts each page." }
                        Some((profile, template)) => {
                            (bounds(template))
                            p {
                                "The first template matches " (percent(template.share))
                                " of the pages that the profile was learned from."
                            }
                            @if profile.templates.len() > 1 {
                                p { (counted(profile.templates.len() as u64 - 1, "more template", "more templates")) " below." }
                            }
                        }
                    }
                }
                div.card.sure {
                    h2 { "Confidence" }
                    (self.certainty())
                }
                @if shares.all() > 0 { div.whole { (bar(shares)) (legend()) } }
            }
        }
    }

    fn certainty(&self) -> Markup {
        let doubtful = self.findings.shares.share(BlockReason::Doubtful);
        let fitness = self.profile().map(|profile| profile.evidence.fitness);
        let word = match fitness {
            None => "no profile",
            Some(fitness) if fitness >= GOOD_FITNESS => "good profile",
            Some(fitness) if fitness >= FAIR_FITNESS => "fair profile",
            Some(_) => "weak profile",
        };
        html! {
            p.big { (word) }
            p {
                @if let Some(fitness) = fitness {
                    "Fitness " b { (format!("{fitness:.2}")) } " of 1: "
                    "how well the kept text agrees with what jusText classifies as good. "
                    @if let Some(coverage) = self.findings.all().coverage() {
                        (percent(coverage)) " of the articles match a template. "
                    }
                    @if doubtful <= 0.0 { "No text was cut that may belong to an article." }
                    @else { (percent(doubtful)) " of the text was cut although it may belong to an article." }
                } @else if let Some(pages) = self.learning_pages() {
                    "Still learning: " (counted(pages, "article-like page", "article-like pages"))
                    " so far; the domain's pages wait until its profile is learned."
                } @else {
                    "There are too few article-like pages, or they have no common layout. Each page is classified by itself."
                }
            }
        }
    }

    fn timeline_charts(&self) -> Markup {
        let buckets = &self.findings.over_time;
        let bar = |some: &Bucket| [some.cut, some.without, some.abstained, 0].map(|pages| pages as f64);
        let bars: Vec<[f64; 4]> = buckets.iter().map(bar).collect();
        let each = self.findings.looked_at as f64 / buckets.len().max(1) as f64;
        html! {
            @if buckets.len() > 1 {
                section {
                    h2 { "Over time" }
                    figure.narrow {
                        figcaption {
                            "Examined pages, from the first fetched to the last: "
                            span.key.good { "articles that match a template" } " " span.key.warning { "articles without a template" } " "
                            span.key.neutral { "not articles" }
                        }
                        (Bars {
                            says: "pages over time, by result",
                            bars: &bars,
                            below: &|place| thousands((place * each) as u64),
                            labels: 5,
                            beside: &|pages| thousands(pages as u64),
                        }.draw())
                    }
                }
            }
        }
    }

    fn sample_pages(&self) -> Markup {
        html! {
            section.samples {
                h2 { "Sample pages" }
                @if self.samples.is_empty() {
                    p { "No stored pages were found. Run " code { "goldminer profile report" } " with " code { "--pages SOURCE" } "." }
                } @else {
                    p.lead { "Text blocks in page order. Point at a block, or tap it, to see its numbers." }
                    p { button.unfold type="button" hidden { "Unfold all pages" } }
                    (legend())
                    @for (number, one) in self.samples.iter().enumerate() { (sample(one, &self.findings, number == 0)) }
                }
            }
        }
    }

    fn without_article(&self) -> Markup {
        let all = self.findings.all();
        let unlisted = (all.abstained + all.without).saturating_sub(self.uncut.len() as u64);
        html! {
            @if !self.uncut.is_empty() {
                section {
                    h2 { "Pages from which no template extracted an article" }
                    ul.others {
                        @for page in &self.uncut {
                            li {
                                span.title { (shortened(page.title.as_deref().unwrap_or(&page.name), 100)) }
                                span.why { (page.outcome.in_words()) }
                                span.source { (shortened(&page.name, 120)) }
                            }
                        }
                    }
                    @if unlisted > 0 {
                        p.note { "… and " (thousands(unlisted)) " more examined pages, not listed." }
                    }
                }
            }
        }
    }

    fn cut_away(&self) -> Markup {
        let findings = &self.findings;
        let lines = findings.repeated.iter().map(|text| {
            let fooled = html! { @if text.fooled_justext { " " span.fooled { "jusText keeps it" } } };
            vec![
                Cell::wide(html! { (shortened(&text.text, REPEATED_CHARS)) (fooled) }),
                Cell::number(f64::from(text.pages), format!("{} of {}", text.pages, findings.distinct)),
                Cell::count(u64::from(text.chars)),
            ]
        });
        let columns = sortable(&["text", "pages", "characters"], &["text"], ("pages", "descending"));
        html! {
            @if !findings.repeated.is_empty() {
                section {
                    h2 { "Most repeated texts that were cut" }
                    p.lead {
                        "If they were kept, these texts would be over-represented in a corpus of this domain. "
                        span.fooled { "jusText keeps it" }
                        " marks texts that jusText alone would keep on at least one page."
                    }
                    (table("sortable", &columns, usize::MAX, lines))
                }
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A domain of which only the name is known.
    pub(crate) fn named(domain: &str) -> DomainReport<'static> {
        DomainReport {
            domain: domain.to_owned(),
            versions: Vec::new(),
            stored: 1,
            line: None,
            findings: Findings::default(),
            samples: Vec::new(),
            uncut: Vec::new(),
        }
    }

    #[test]
    fn a_file_name_stays_in_its_folder() {
        assert_eq!(named("portal.example").file_name(), "portal.example.html");
        assert_eq!(named("portal.example/blog").file_name(), "portal.example_blog.html");
        assert_eq!(named("../../etc/passwd").file_name(), "_.._etc_passwd.html");
        assert_eq!(named("index").file_name(), "_index.html");
    }
}
