//! How teaching looks: the pages that are worth marking, those that were marked, what would be learned with them; and a page
//! to mark.

use goldminer_core::extract::domain::StoredPage;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_corpus::figures::counted;
use goldminer_html::Page;
use maud::{Markup, html};

use super::effects::Effect;
use super::page::{changes, gains};
use super::teach::{Pick, Taught};
use crate::pages::frame::JobLinks;
use crate::pages::parts::CHARS as URL_CHARS;
use crate::pages::parts::{Cell, Column, FITNESS, Said, said_of, shortened, table, word};
use crate::texts;

/// Characters of a block.
const CHARS: usize = 400;
const TITLE: &str = "Teach by marking pages";
const F: (&str, &str) = (
    "F",
    "How near the extracted words come to the marked ones, from 0 to 100: the harmonic mean of how many of them are right and how \
     many of the right ones are there.",
);

/// What the page of teaching is about.
pub(super) struct Teaching<'a> {
    pub links: JobLinks<'a>,
    pub domain: &'a str,
    pub profile: &'a DomainProfile,
    pub picks: &'a [Pick],
    pub marked: &'a [(StoredPage, String)],
    /// F of the profile on the marked pages, of a hundred.
    pub f: f64,
    /// What would be learned, if that was asked, and what it would do to other pages.
    pub taught: Option<&'a anyhow::Result<(Taught, Effect)>>,
}

/// A page that is being marked.
pub(super) struct Marking<'a> {
    pub links: JobLinks<'a>,
    pub url: &'a str,
    pub domain: &'a str,
    pub page: &'a Page,
    pub is_text: &'a [bool],
    pub is_marked: bool,
}

impl Teaching<'_> {
    pub(super) fn page(&self, said: Option<&Said>) -> Markup {
        let (links, domain, version) = (self.links, self.domain, self.profile.version);
        let mark = |url: &str| links.to("mark", &[("url", url)]);
        let body = html! {
            (said_of(said))
            header {
                p.kind { (TITLE) }
                h1 { (domain) }
                p.lead {
                    "Mark on a few pages what is text. The domain learns again with them, and you see how much better it does before \
                     anything is saved."
                }
                p.note {
                    @if version == 0 { "There is no profile yet." }
                    @else {
                        "Its profile is version " (version) ", learned from "
                        (counted(u64::from(self.profile.evidence.taught), "page", "pages")) "."
                    }
                }
            }
            section {
                h2 { "Pages that tell most" }
                @if self.picks.is_empty() {
                    p {
                        "Nothing is in dispute between the profile and the classifier of single pages that the marked pages do not \
                         settle."
                    }
                } @else {
                    p.note {
                        "Here the profile and the classifier of single pages disagree about elements that stand on many pages."
                    }
                }
                ol {
                    @for pick in self.picks {
                        li {
                            a data-pick href=(mark(&pick.url)) { (shortened(&pick.url, URL_CHARS)) }
                            " settles " (counted(pick.settles, "character", "characters")) " that are in dispute"
                        }
                    }
                }
            }
            section {
                h2 { "Marked pages" }
                @if self.marked.is_empty() { p { "None yet." } } @else {
                    ul {
                        @for url in self.marked.iter().filter_map(|(page, _)| page.url.as_ref()) {
                            li { a href=(mark(url.as_str())) { (shortened(url.as_str(), URL_CHARS)) } }
                        }
                    }
                    p { (word(F)) " " b { (format!("{:.1}", self.f)) } " on them by the profile as it is." }
                    div.orders {
                        a.main href={ (links.to("teach", &[("domain", domain), ("learn", "1")])) "#taught" } {
                            "Learn with these marks"
                        }
                        a href=(links.to("gold.zip", &[("domain", domain)])) { "The marked pages as an evaluation set" }
                    }
                }
            }
            @match self.taught {
                None => {}
                Some(Ok((taught, effect))) => { (self.taught(taught, effect)) }
                Some(Err(why)) => { section #taught { p.said.bad { (format!("{why:#}")) } } }
            }
        };
        links.page(TITLE, &[], &body)
    }

    fn taught(&self, taught: &Taught, effect: &Effect) -> Markup {
        let (before, after) = (self.profile.evidence.fitness, taught.profile.evidence.fitness);
        let f = |f: f64| format!("{f:.1}");
        let mut lines = vec![(html! { "F on the marked pages" }, f(taught.f.0), f(taught.f.1))];
        if let Some(left_out) = taught.left_out {
            lines.push((html! { "F on each marked page, learned without its own marks" }, f(taught.f.0), f(left_out)));
        }
        lines.push((word(FITNESS), format!("{before:.3}"), format!("{after:.3}")));
        let lines = lines.into_iter();
        let lines =
            lines.map(|(what, now, then)| vec![Cell::text(what), Cell::text(now), Cell::text(html! { b { (then) } })]);
        let columns = ["measure", "now", "with the marks"].map(|name| Column::of(name, name != "measure"));
        html! {
            section #taught {
                h2 { "What would be learned" }
                (table("", &columns, usize::MAX, lines))
                p { (changes(effect)) (gains(effect)) }
                ul { @for template in &taught.profile.templates { li { code { (template.bounds()) } } } }
                p.note {
                    "Its templates take the place of the others and stay when the domain learns again. What was said by hand stays as \
                     well."
                }
                (self.links.form(
                    "teach",
                    "row",
                    &[("domain", self.domain), ("version", &self.profile.version.to_string())],
                    &html! { button.main type="submit" { (texts::SAVE) } },
                ))
            }
        }
    }
}

impl Marking<'_> {
    pub(super) fn page(&self) -> Markup {
        let paragraphs = self.page.paragraphs();
        let form = html! {
            div.orders {
                button.main type="submit" name="act" value="keep" { "Keep these marks" }
                button type="submit" name="act" value="none" { "This page is no article" }
                @if self.is_marked { button type="submit" name="act" value="forget" { "Forget the marks" } }
            }
            @for (at, (paragraph, is_text)) in paragraphs.iter().zip(self.is_text).enumerate() {
                label.block.mark {
                    input type="checkbox" name={ "b" (at) } value="1" checked[*is_text];
                    span.heading[paragraph.heading.is_some()] { (shortened(&paragraph.text, CHARS)) }
                }
            }
        };
        let body = html! {
            header {
                p.kind { (TITLE) }
                h1.url { (shortened(self.url, URL_CHARS)) }
                p.lead {
                    "What is checked belongs to the article: headline, lead, text. Comments, teasers, bylines and advertising do not."
                }
            }
            (self.links.form("mark", "", &[("url", self.url), ("blocks", &paragraphs.len().to_string())], &form))
        };
        self.links.page(TITLE, &[(self.links.to("teach", &[("domain", self.domain)]), TITLE)], &body)
    }
}
