//! The profile editor's page: the blocks of a page, each with what may be wished of it; the patterns that would do it, with
//! what they change elsewhere.

use maud::{Markup, html};

use super::editor::Proposal;
use super::frame::{address, page};
use super::guard::{CHECK, Guard};
use super::portal_page::Said;
use super::texts;
use super::wish::Wish;
use crate::figures::thousands;
use crate::goldminer::profile::DomainProfile;
use crate::report::{Dissection, reason_alone, shortened};

/// Characters of a block.
const CHARS: usize = 300;

/// What was chosen so far.
pub(super) struct Pointed<'a> {
    pub block: usize,
    pub wish: Wish,
    pub proposals: &'a [Proposal],
}

/// What a page is about.
pub(super) struct Edited<'a> {
    pub job: &'a str,
    pub url: &'a str,
    pub dissection: &'a Dissection,
    pub profile: &'a DomainProfile,
    pub template: Option<usize>,
}

/// The page.
pub(super) fn editor(guard: &Guard, edited: &Edited<'_>, pointed: Option<&Pointed<'_>>, said: Option<&Said>) -> Markup {
    let profile = edited.profile;
    let body = html! {
        @match said {
            Some(Ok(done)) => { @for line in done { p.said { (line) } } }
            Some(Err(why)) => { p.said.bad { (why) } }
            None => {}
        }
        header {
            p.kind { (texts::EDITOR) }
            h1.url { (shortened(edited.url, CHARS)) }
            p.lead { (texts::EDITOR_LEAD) }
            p.note { (texts::edited_profile(&profile.key, profile.version, edited.template)) }
            div.orders {
                @if profile.version > 0 {
                    a href=(address(edited.job, "profile.toml", &[("key", &profile.key)])) { (texts::EXPORT) }
                }
                @if profile.version > 1 { (undo(guard, edited)) }
                (extract_again(guard, edited.job))
            }
        }
        @if let Some(pointed) = pointed { (proposals(guard, edited, pointed)) }
        section { h2 { (texts::ITS_BLOCKS) } @for at in 0..edited.dissection.blocks.len() { (block(edited, at, pointed)) } }
    };
    let trail = [
        (address(edited.job, "", &[]), edited.job.to_owned()),
        (address(edited.job, "url", &[("url", edited.url)]), texts::A_URL.to_owned()),
    ];
    page(texts::EDITOR, &trail, false, &body)
}

fn block(edited: &Edited<'_>, at: usize, pointed: Option<&Pointed<'_>>) -> Markup {
    let block = &edited.dissection.blocks[at];
    let is_kept = block.fate.is_kept();
    let wishes: &[Wish] = match (is_kept, edited.template) {
        (true, Some(_)) => &[Wish::Cut],
        (false, Some(_)) => &[Wish::Keep, Wish::Article],
        (_, None) => &[Wish::Article],
    };
    let number = at.to_string();
    html! {
        div.block.kept[is_kept].boilerplate[!is_kept].pointed[pointed.is_some_and(|pointed| pointed.block == at)] {
            p { (shortened(&block.text, CHARS)) }
            p.numbers {
                (reason_alone(block))
                @for wish in wishes {
                    " · "
                    a data-wish=(wish.name()) href={
                        (address(edited.job, "edit", &[("url", edited.url), ("block", &number), ("wish", wish.name())])) "#proposals"
                    } { (texts::wish(*wish)) }
                }
            }
        }
    }
}

fn proposals(guard: &Guard, edited: &Edited<'_>, pointed: &Pointed<'_>) -> Markup {
    html! {
        section #proposals {
            h2 { (texts::wish(pointed.wish)) ": " (shortened(edited.dissection.blocks.get(pointed.block).map_or("", |b| &b.text), 80)) }
            @if pointed.proposals.is_empty() { p { (texts::NO_PROPOSAL) } } @else { p.note { (texts::PROPOSALS) } }
            @for proposal in pointed.proposals {
                details.trouble open[pointed.proposals.len() == 1] {
                    summary {
                        code { (proposal.pattern) } " "
                        (texts::effect(proposal.changed, proposal.tried)) ": "
                        span.gained { "+" (thousands(proposal.gained)) } " " span.lost { "−" (thousands(proposal.lost)) } " "
                        (texts::CHARACTERS)
                    }
                    (save(guard, edited, pointed, &proposal.pattern))
                    ul {
                        @for example in &proposal.examples {
                            li {
                                (shortened(&example.page, CHARS))
                                @for text in &example.gained { div.gained { "+ " (shortened(text, CHARS)) } }
                                @for text in &example.lost { div.lost { "− " (shortened(text, CHARS)) } }
                            }
                        }
                    }
                    @if proposal.changed > proposal.examples.len() {
                        p.note { (texts::more(proposal.changed - proposal.examples.len())) }
                    }
                }
            }
        }
    }
}

fn save(guard: &Guard, edited: &Edited<'_>, pointed: &Pointed<'_>, pattern: &str) -> Markup {
    html! {
        form.row method="post" action=(address(edited.job, "edit", &[])) {
            (fixed(guard, edited))
            input type="hidden" name="wish" value=(pointed.wish.name());
            input type="hidden" name="pattern" value=(pattern);
            @if let Some(template) = edited.template { input type="hidden" name="template" value=(template); }
            button.main type="submit" name="act" value="save" { (texts::SAVE) }
        }
    }
}

fn undo(guard: &Guard, edited: &Edited<'_>) -> Markup {
    html! {
        form method="post" action=(address(edited.job, "edit", &[])) {
            (fixed(guard, edited))
            button type="submit" name="act" value="undo" { (texts::UNDO) " " (edited.profile.version) }
        }
    }
}

fn extract_again(guard: &Guard, job: &str) -> Markup {
    html! {
        form method="post" action="/start" {
            input type="hidden" name=(CHECK) value=(guard.check());
            input type="hidden" name="what" value="extract";
            input type="hidden" name="name" value=(job);
            button type="submit" title=(texts::EXTRACT_AGAIN.1) { (texts::EXTRACT_AGAIN.0) }
        }
    }
}

/// What every form of the editor says: the page, and the version that was looked at.
fn fixed(guard: &Guard, edited: &Edited<'_>) -> Markup {
    html! {
        input type="hidden" name=(CHECK) value=(guard.check());
        input type="hidden" name="url" value=(edited.url);
        input type="hidden" name="key" value=(edited.profile.key);
        input type="hidden" name="version" value=(edited.profile.version);
    }
}
