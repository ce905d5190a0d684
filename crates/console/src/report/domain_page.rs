//! The page of a domain: what it says in a minute first, then templates, versions, sample pages, and what was cut away.

use goldminer_core::extract::domain::PageOutcome;
use maud::{Markup, html};

use super::dissection::Outcome;
use super::domain::{DomainPhase, DomainReport, UncutPage};
use super::figure::{counted, percent, thousands};
use super::findings::{Bucket, Findings};
use super::frame;
use super::frame::shortened;
use super::page_view::{bar, legend, sample};
use super::profile_view::{bounds, templates, versions};
use super::sparkline::sparkline;

/// A repeated text is shortened, in characters.
const REPEATED_CHARS: usize = 160;
/// Pages without a cut that are listed at once.
const UNCUT_SHOWN: usize = 12;
/// Fitness from which a profile is trusted, and below which it is not. The learner refuses templates below 0.5.
const SURE: f64 = 0.9;
const UNSURE: f64 = 0.75;

impl DomainReport {
    /// The page, whole; `has_index`: the page over all domains lies beside it.
    #[must_use]
    pub fn to_html(&self, has_index: bool) -> String {
        let body = html! {
            header {
                p.kind { "What GoldMiner learned" }
                h1 { (self.domain) }
                p.lead { (in_a_sentence(self)) }
            }
            (self.in_a_minute())
            @if let Some(totals) = self.totals.as_ref().filter(|totals| !totals.tally.is_empty()) {
                section.tally {
                    h2 { "All pages of the crawl" }
                    p {
                        (counted(self.stored, "page", "pages")) " stored, " (thousands(totals.extracted)) " read, "
                        (counted(totals.documents, "document", "documents")) " in the corpus."
                    }
                    ul.figures {
                        @for (outcome, pages) in totals.tally.iter() { li { b { (thousands(pages)) } " " (tally_word(outcome)) } }
                    }
                }
            }
            (self.over_time())
            (templates(self))
            @if !self.versions.is_empty() { (versions(self)) }
            (self.sample_pages())
            (self.without_article())
            (self.cut_away())
        };
        let back = has_index.then_some(("index.html", "all domains"));
        frame::page(&format!("{} – GoldMiner", self.domain), back, self.made, &body)
    }

    fn in_a_minute(&self) -> Markup {
        let findings = &self.findings;
        let shares = &findings.shares;
        html! {
            section.minute {
                div.card.kept {
                    h2 { "What is kept" }
                    p.big { (percent(shares.share(shares.kept))) }
                    p { "of the text on article pages: headline, lead, body." }
                }
                div.card.repeated {
                    h2 { "What is cut" }
                    p.big { (percent(shares.share(shares.all() - shares.kept))) }
                    p {
                        (percent(shares.share(shares.repeated))) " is on other pages too (menus, teasers, boxes), "
                        (percent(shares.share(shares.boilerplate))) " is boilerplate to jusText"
                        @if shares.other_text > 0 {
                            ", " (percent(shares.share(shares.other_text))) " are comments"
                        }
                        "."
                    }
                }
                div.card.edges {
                    h2 { "Where" }
                    (self.places())
                }
                div.card.sure {
                    h2 { "How sure" }
                    (self.certainty())
                }
                @if shares.all() > 0 { div.whole { (bar(shares)) (legend()) } }
            }
        }
    }

    fn places(&self) -> Markup {
        let Some(first) = self.profile().and_then(|profile| profile.templates.first().map(|first| (profile, first)))
        else {
            return html! { p { "Nowhere: there is no template. Each page is judged by itself." } };
        };
        let (profile, template) = first;
        html! {
            (bounds(template))
            p { "It cuts " (percent(template.share)) " of the sample." }
            @if profile.templates.len() > 1 {
                p { (counted(profile.templates.len() as u64 - 1, "other template", "other templates")) " below." }
            }
        }
    }

    fn certainty(&self) -> Markup {
        let shares = &self.findings.shares;
        let Some(profile) = self.profile() else {
            return html! {
                p.big { "no profile" }
                p {
                    @match self.standing {
                        DomainPhase::Learning { teachers } => {
                            "Still learning: " (counted(teachers, "article-like page", "article-like pages"))
                            " so far; the domain's pages wait."
                        }
                        _ => {
                            "Too few article-like pages, or they did not speak clearly. jusText and each page's own "
                            "structure decide."
                        }
                    }
                }
            };
        };
        let fitness = profile.evidence.fitness;
        let word = match fitness {
            sure if sure >= SURE => "sure",
            fair if fair >= UNSURE => "fairly sure",
            _ => "unsure",
        };
        html! {
            p.big { (word) }
            p {
                "Fitness " b { (format!("{fitness:.2}")) } " of 1: how well the cuts agree with each page's own good text. "
                @if let Some(coverage) = self.findings.coverage() {
                    (percent(coverage)) " of the articles match a template. "
                }
                @if shares.doubtful == 0 { "No text was cut away without a reason." }
                @else { (percent(shares.share(shares.doubtful))) " of the text is cut away though it may be good." }
            }
        }
    }

    fn over_time(&self) -> Markup {
        let course = &self.findings.course;
        if course.len() < 2 {
            return html! {};
        }
        let coverage: Vec<Option<f64>> = course.iter().map(Bucket::coverage).collect();
        let yields: Vec<Option<f64>> = course.iter().map(|bucket| Some(bucket.text_yield())).collect();
        let top = course.iter().map(Bucket::text_yield).fold(0.0, f64::max);
        html! {
            section {
                h2 { "Over time" }
                p.lead {
                    "From the first page fetched to the last, "
                    (counted(self.findings.looked_at as u64, "page", "pages")) " looked at."
                }
                div.timelines {
                    figure {
                        figcaption { "Articles that a template matches (0 to 100 %)" }
                        (sparkline(&coverage, 1.0, "share of articles that a template matches, over time"))
                    }
                    figure {
                        figcaption { "Text from HTML, bytes (0 to " (percent(top)) ")" }
                        (sparkline(&yields, top, "bytes of text for each byte of HTML, over time"))
                    }
                }
            }
        }
    }

    fn sample_pages(&self) -> Markup {
        if self.samples.is_empty() {
            return html! {
                section {
                    h2 { "Sample pages" }
                    p { "None: the pages are not at hand. With " code { "--pages SOURCE" } " they are shown." }
                }
            };
        }
        html! {
            section.samples {
                h2 { "Sample pages" }
                p.lead { "Their text blocks in page order. Point at a block, or tap it, for its numbers." }
                p { button.unfold type="button" hidden { "Unfold all pages" } }
                (legend())
                @for (number, one) in self.samples.iter().enumerate() { (sample(one, &self.findings, number == 0)) }
            }
        }
    }

    fn without_article(&self) -> Markup {
        if self.uncut.is_empty() {
            return html! {};
        }
        let (shown, folded) = self.uncut.split_at(self.uncut.len().min(UNCUT_SHOWN));
        let all = self.findings.pages(|outcome| !matches!(outcome, Outcome::Cut { .. }));
        html! {
            section {
                h2 { "Where it abstained or found no article" }
                ul.others { @for page in shown { (uncut(page)) } }
                @if !folded.is_empty() {
                    details.more {
                        summary { (folded.len()) " more" }
                        ul.others { @for page in folded { (uncut(page)) } }
                    }
                }
                @if all > self.uncut.len() as u64 {
                    p.note {
                        "… and " (thousands(all - self.uncut.len() as u64))
                        " more of those looked at, which are not listed."
                    }
                }
            }
        }
    }

    fn cut_away(&self) -> Markup {
        let findings = &self.findings;
        if findings.repeated.is_empty() {
            return html! {};
        }
        html! {
            section {
                h2 { "Most repeated, and cut away" }
                p.lead {
                    "What would be over-represented in a corpus of this domain. "
                    "Marked " span.fooled { "jusText keeps it" }
                    ": what jusText alone would have taken for good text on some page."
                }
                div.scroll {
                    table.sortable.cards {
                        thead { tr {
                            th.number aria-sort="descending" { button type="button" { "pages" } }
                            th.number { button type="button" { "characters" } }
                            th { button type="button" { "text" } }
                        } }
                        tbody {
                            @for text in &findings.repeated {
                                tr {
                                    td.number data-label="pages" data-value=(text.pages) { (text.pages) " of " (findings.distinct) }
                                    td.number data-label="characters" data-value=(text.chars) { (thousands(u64::from(text.chars))) }
                                    td.wide.text data-label="" {
                                        (shortened(&text.text, REPEATED_CHARS))
                                        @if text.fooled_justext { " " span.fooled { "jusText keeps it" } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn uncut(page: &UncutPage) -> Markup {
    html! {
        li {
            span.title { (shortened(page.title.as_deref().unwrap_or(&page.name), 100)) }
            span.why { (why_uncut(&page.outcome)) }
            span.source { (shortened(&page.name, 120)) }
        }
    }
}

/// Why no template cut a page.
fn why_uncut(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Cut { .. } => "cut by a template",
        Outcome::Abstained => "abstained: no template matches; judged by itself",
        Outcome::NoTemplate => "no article: no template matches",
        Outcome::NothingLeft => "no article: only announces other pages",
        Outcome::NoDate => "no article: no date of publication",
        Outcome::NoText => "no article: no good text",
    }
}

fn in_a_sentence(report: &DomainReport) -> Markup {
    let findings: &Findings = &report.findings;
    let cut = findings.pages(|outcome| matches!(outcome, Outcome::Cut { .. }));
    let abstained = findings.pages(|outcome| *outcome == Outcome::Abstained);
    let without = findings.looked_at as u64 - cut - abstained;
    if findings.looked_at == 0 {
        return html! { "No pages at hand: only the profile is shown." };
    }
    html! {
        "Of " (counted(findings.looked_at as u64, "page", "pages")) " looked at"
        @if report.stored > findings.looked_at as u64 {
            " (of " (thousands(report.stored)) " stored, evenly over the crawl)"
        }
        ", " b { (thousands(cut)) " are articles cut by a template" } ", "
        (thousands(abstained)) " are articles that no template matches, and "
        (thousands(without)) " give no article, as front pages and lists should."
    }
}

/// The words of the tally for people.
fn tally_word(outcome: PageOutcome) -> &'static str {
    match outcome {
        PageOutcome::Document => "became documents",
        PageOutcome::Partial => "became documents that a wall cuts off",
        PageOutcome::Wall => "walls: nothing of an article is there",
        PageOutcome::Duplicate => "repeat another page's article",
        PageOutcome::Filtered => "not among those asked for",
        PageOutcome::Gallery => "galleries: pictures with captions",
        PageOutcome::List => "lists: they announce other pages",
        PageOutcome::Stub => "stubs: a title and a video",
        PageOutcome::NoPattern => "no template matches: no article",
        PageOutcome::NoProse => "no prose: one thing over and over, or a dump of bytes",
        PageOutcome::NoText => "no good text",
        PageOutcome::NotHtml => "no HTML",
        PageOutcome::Seen => "all of it seen before",
        PageOutcome::Undated => "do not say when they were published",
        PageOutcome::Unreadable => "could not be read",
        other => other.as_str(),
    }
}
