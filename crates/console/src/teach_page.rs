//! How teaching looks: the pages that are worth marking, those that were marked, what would be learned with them; and a page
//! to mark.

use goldminer_core::extract::domain::StoredPage;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_corpus::figures::thousands;
use goldminer_html::Page;
use maud::{Markup, html};

use crate::editor_parts::said_of;
use crate::effects::Effect;
use crate::frame::{address, page, word};
use crate::guard::{CHECK, Guard};
use crate::portal_page::Said;
use crate::report::shortened;
use crate::teach::{Pick, Taught};
use crate::texts;

/// Characters of a block, and of an address.
const CHARS: usize = 400;
const URL_CHARS: usize = 140;

/// What the page of teaching is about.
pub(super) struct Teaching<'a> {
    pub job: &'a str,
    pub domain: &'a str,
    pub profile: &'a DomainProfile,
    pub picks: &'a [Pick],
    pub marked: &'a [(StoredPage, String)],
    /// F of the profile on the marked pages, of a hundred.
    pub f: f64,
    /// What would be learned, if that was asked.
    pub taught: Option<&'a anyhow::Result<Taught>>,
    /// What it would do to other pages.
    pub effect: Option<&'a Effect>,
}

/// A page that is being marked.
pub(super) struct Marking<'a> {
    pub job: &'a str,
    pub url: &'a str,
    pub domain: &'a str,
    pub page: &'a Page,
    pub is_text: &'a [bool],
    pub is_marked: bool,
}

/// The page of teaching.
pub(super) fn teaching(guard: &Guard, teaching: &Teaching<'_>, said: Option<&Said>) -> Markup {
    let (job, domain) = (teaching.job, teaching.domain);
    let mark = |url: &str| address(job, "mark", &[("url", url)]);
    let body = html! {
        (said_of(said))
        header {
            p.kind { (texts::TEACHING) }
            h1 { (domain) }
            p.lead { (texts::TEACHING_LEAD) }
            p.note { (texts::profile_now(teaching.profile.version, teaching.profile.evidence.taught)) }
        }
        section {
            h2 { (texts::PICKED) }
            @if teaching.picks.is_empty() { p { (texts::NOTHING_PICKED) } } @else { p.note { (texts::PICKED_NOTE) } }
            ol {
                @for pick in teaching.picks {
                    li { a data-pick href=(mark(&pick.url)) { (shortened(&pick.url, URL_CHARS)) } " " (texts::settles(pick.settles)) }
                }
            }
        }
        section {
            h2 { (texts::MARKED_PAGES) }
            @if teaching.marked.is_empty() { p { (texts::NONE_MARKED) } } @else {
                ul {
                    @for (page, _) in teaching.marked {
                        @if let Some(url) = &page.url { li { a href=(mark(url.as_str())) { (shortened(url.as_str(), URL_CHARS)) } } }
                    }
                }
                p { (word(("F", texts::F_MEANS))) " " b { (format!("{:.1}", teaching.f)) } " " (texts::F_NOW) }
                div.orders {
                    a.main href={ (address(job, "teach", &[("domain", domain), ("learn", "1")])) "#taught" } { (texts::LEARN) }
                    a href=(address(job, "gold.zip", &[("domain", domain)])) { (texts::GOLD_FILE) }
                }
            }
        }
        @if let Some(taught) = teaching.taught { (self::taught(guard, teaching, taught)) }
    };
    let trail = [(address(job, "", &[]), job.to_owned())];
    page(texts::TEACHING, &trail, false, &body)
}

fn taught(guard: &Guard, teaching: &Teaching<'_>, taught: &anyhow::Result<Taught>) -> Markup {
    let taught = match taught {
        Ok(taught) => taught,
        Err(why) => return html! { section #taught { p.said.bad { (format!("{why:#}")) } } },
    };
    let (before, after) = (teaching.profile.evidence.fitness, taught.profile.evidence.fitness);
    html! {
        section #taught {
            h2 { (texts::WOULD_LEARN) }
            table {
                thead { tr { th {} th { (texts::BEFORE) } th { (texts::AFTER) } } }
                tbody {
                    tr {
                        th scope="row" { (texts::F_ON_MARKED) }
                        td { (format!("{:.1}", taught.f.0)) } td { b { (format!("{:.1}", taught.f.1)) } }
                    }
                    @if let Some(left_out) = taught.left_out {
                        tr {
                            th scope="row" { (texts::F_LEFT_OUT) }
                            td { (format!("{:.1}", taught.f.0)) } td { b { (format!("{left_out:.1}")) } }
                        }
                    }
                    tr {
                        th scope="row" { (word(texts::FITNESS)) }
                        td { (format!("{before:.3}")) } td { (format!("{after:.3}")) }
                    }
                }
            }
            @if let Some(effect) = teaching.effect {
                p {
                    (texts::effect(effect.changed, effect.tried)) ": " span.gained { "+" (thousands(effect.gained)) } " "
                    span.lost { "−" (thousands(effect.lost)) } " " (texts::CHARACTERS)
                }
            }
            ul { @for template in &taught.profile.templates { li { code { (template.bounds()) } } } }
            p.note { (texts::TAUGHT_NOTE) }
            form.row method="post" action=(address(teaching.job, "teach", &[])) {
                input type="hidden" name=(CHECK) value=(guard.check());
                input type="hidden" name="domain" value=(teaching.domain);
                input type="hidden" name="version" value=(teaching.profile.version);
                button.main type="submit" { (texts::SAVE) }
            }
        }
    }
}

/// A page to mark.
pub(super) fn marking(guard: &Guard, marking: &Marking<'_>) -> Markup {
    let job = marking.job;
    let body = html! {
        header {
            p.kind { (texts::TEACHING) }
            h1.url { (shortened(marking.url, URL_CHARS)) }
            p.lead { (texts::MARKING_LEAD) }
        }
        form method="post" action=(address(job, "mark", &[])) {
            input type="hidden" name=(CHECK) value=(guard.check());
            input type="hidden" name="url" value=(marking.url);
            input type="hidden" name="blocks" value=(marking.page.paragraphs().len());
            div.orders {
                button.main type="submit" name="act" value="keep" { (texts::KEEP_MARKS) }
                button type="submit" name="act" value="none" { (texts::NO_ARTICLE) }
                @if marking.is_marked { button type="submit" name="act" value="forget" { (texts::FORGET_MARKS) } }
            }
            @for (at, (paragraph, is_text)) in marking.page.paragraphs().iter().zip(marking.is_text).enumerate() {
                label.block.mark {
                    input type="checkbox" name={ "b" (at) } value="1" checked[*is_text];
                    span.heading[paragraph.heading.is_some()] { (shortened(&paragraph.text, CHARS)) }
                }
            }
        }
    };
    let trail = [
        (address(job, "", &[]), job.to_owned()),
        (address(job, "teach", &[("domain", marking.domain)]), texts::TEACHING.to_owned()),
    ];
    page(texts::TEACHING, &trail, false, &body)
}
