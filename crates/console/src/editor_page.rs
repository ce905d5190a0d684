//! The profile editor's page: the blocks of a page, each with what may be wished of it; the patterns that would do it, with
//! what they change elsewhere.

use goldminer_core::document::Document;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_corpus::figures::thousands;
use maud::{Markup, html};

use crate::edit_action::EditAction;
use crate::editor::{Proposal, percent};
use crate::editor_parts::{Edited, fixed, said_of, save, told};
use crate::frame::{address, page};
use crate::guard::{CHECK, Guard};
use crate::portal_page::Said;
use crate::report::{reason_alone, shortened};
use crate::texts;

/// Characters of a block.
const CHARS: usize = 300;

/// What was chosen so far.
pub(super) struct Pointed<'a> {
    pub block: usize,
    pub action: EditAction,
    pub proposals: &'a [Proposal],
}

/// The page.
pub(super) fn editor(guard: &Guard, edited: &Edited<'_>, pointed: Option<&Pointed<'_>>, said: Option<&Said>) -> Markup {
    let profile = edited.profile;
    let body = html! {
        (said_of(said))
        header {
            p.kind { (texts::EDITOR) }
            h1.url { (shortened(edited.url, CHARS)) }
            p.lead { (texts::EDITOR_LEAD) }
            p.note { (texts::edited_profile(&profile.key, profile.version, edited.template)) }
            (manual(profile))
            div.orders {
                a href=(address(edited.job, "teach", &[("domain", edited.domain)])) { (texts::TEACH) }
                @if profile.version > 0 {
                    a href=(address(edited.job, "profile.toml", &[("key", &profile.key)])) { (texts::EXPORT) }
                }
                @if profile.version > 1 { (undo(guard, edited)) }
                (extract_again(guard, edited.job))
            }
        }
        @if let Some(pointed) = pointed { (proposals(guard, edited, pointed)) }
        section {
            h2 { (texts::ITS_BLOCKS) }
            (about(edited.document))
            @for at in 0..edited.dissection.blocks.len() { (block(edited, at, pointed)) }
        }
    };
    let trail = [
        (address(edited.job, "", &[]), edited.job.to_owned()),
        (address(edited.job, "url", &[("url", edited.url)]), texts::A_URL.to_owned()),
    ];
    page(texts::EDITOR, &trail, false, &body)
}

/// What a person has said so far.
fn manual(profile: &DomainProfile) -> Markup {
    let said = profile.manual.in_words();
    html! { @if !said.is_empty() { p.note { (texts::MANUAL) ": " @for said in &said { code { (said) } " " } } } }
}

/// What the document says of headline, authors and day.
fn about(document: Option<&Document>) -> Markup {
    let values = document.map(|document| {
        let about = &document.metadata;
        let day = about.published.as_deref().map(|day| day.chars().take(10).collect());
        [about.title.clone(), Some(about.authors.join(", ")).filter(|names| !names.is_empty()), day]
    });
    html! {
        @if let Some(values) = values {
            dl.life.about {
                @for (name, value) in texts::TOLD.iter().zip(values) {
                    dt { (name) } dd { (shortened(value.as_deref().unwrap_or(texts::NOTHING_SAID), CHARS)) }
                }
            }
        }
    }
}

fn block(edited: &Edited<'_>, at: usize, pointed: Option<&Pointed<'_>>) -> Markup {
    let block = &edited.dissection.blocks[at];
    let is_kept = block.fate.is_kept();
    let first: &[EditAction] = match (is_kept, edited.template) {
        (true, Some(_)) => &[EditAction::Cut, EditAction::Article],
        (true, None) => &[EditAction::Article],
        (false, _) => &[EditAction::Keep, EditAction::Article],
    };
    let others: &[EditAction] = match block.is_headline {
        true => &[EditAction::Authors, EditAction::Published, EditAction::Comments, EditAction::Teasers],
        false => &[
            EditAction::Headline,
            EditAction::Authors,
            EditAction::Published,
            EditAction::Comments,
            EditAction::Teasers,
        ],
    };
    let is_pointed = pointed.is_some_and(|pointed| pointed.block == at);
    html! {
        div.block.kept[is_kept].boilerplate[!is_kept].pointed[is_pointed] {
            p { (shortened(&block.text, CHARS)) }
            p.numbers {
                (reason_alone(block))
                @for action in first { " · " (self::action(edited, at, *action)) }
            }
            details.actions {
                summary { (texts::IT_IS) }
                p { @for (place, action) in others.iter().enumerate() { @if place > 0 { " · " } (self::action(edited, at, *action)) } }
            }
        }
    }
}

fn action(edited: &Edited<'_>, block: usize, action: EditAction) -> Markup {
    let block = block.to_string();
    let to = address(edited.job, "edit", &[("url", edited.url), ("block", &block), ("action", action.name())]);
    html! { a data-action=(action.name()) href={ (to) "#proposals" } { (texts::action(action)) } }
}

fn proposals(guard: &Guard, edited: &Edited<'_>, pointed: &Pointed<'_>) -> Markup {
    html! {
        section #proposals {
            h2 { (texts::action(pointed.action)) ": " (shortened(edited.dissection.blocks.get(pointed.block).map_or("", |b| &b.text), 80)) }
            @match (pointed.proposals.is_empty(), pointed.action) {
                (true, _) => p { (texts::NO_PROPOSAL) }
                (false, EditAction::Article) => p.note { (texts::PLACES) }
                (false, _) => p.note { (texts::PROPOSALS) }
            }
            @for (place, proposal) in pointed.proposals.iter().enumerate() {
                details.trouble open[pointed.proposals.len() == 1 || pointed.action == EditAction::Article && place == 0] {
                    summary { code { (proposal.pattern) } " " (effect(pointed.action, proposal)) }
                    p.orders {
                        (save(guard, edited, Some(pointed.block), pointed.action, &proposal.pattern))
                        a data-try href=(trial(edited, pointed, &proposal.pattern)) { (texts::SEE_TWELVE) }
                    }
                    (examples(proposal))
                }
            }
        }
    }
}

fn effect(action: EditAction, proposal: &Proposal) -> Markup {
    let effect = &proposal.effect;
    html! {
        (texts::effect(effect.changed, effect.tried))
        @if action == EditAction::Article { ", " (texts::agrees(percent(effect.agreement()))) }
        @if effect.gained + effect.lost > 0 {
            ": " span.gained { "+" (thousands(effect.gained)) } " " span.lost { "−" (thousands(effect.lost)) } " "
            (texts::CHARACTERS)
        }
        @for (name, pages) in texts::TOLD.iter().zip(effect.told) {
            @if pages > 0 { ", " (texts::told_otherwise(name, pages)) }
        }
    }
}

fn examples(proposal: &Proposal) -> Markup {
    let effect = &proposal.effect;
    html! {
        ul {
            @for example in &effect.examples {
                li {
                    (shortened(&example.page, CHARS))
                    (told(&example.told))
                    @for text in &example.gained { div.gained { "+ " (shortened(text, CHARS)) } }
                    @for text in &example.lost { div.lost { "− " (shortened(text, CHARS)) } }
                }
            }
        }
        @if effect.changed > effect.examples.len() {
            p.note { (texts::more(effect.changed - effect.examples.len())) }
        }
    }
}

fn trial(edited: &Edited<'_>, pointed: &Pointed<'_>, pattern: &str) -> String {
    let block = pointed.block.to_string();
    let named = [("url", edited.url), ("block", &block), ("action", pointed.action.name()), ("pattern", pattern)];
    address(edited.job, "try", &named)
}

fn undo(guard: &Guard, edited: &Edited<'_>) -> Markup {
    html! {
        form method="post" action=(address(edited.job, "edit", &[])) {
            (fixed(guard, edited))
            input type="hidden" name="act" value="undo";
            button type="submit" { (texts::UNDO) " " (edited.profile.version) }
            @if edited.has_extracted {
                button type="submit" name="again" value="1" { (texts::UNDO_EXTRACTED) }
            }
        }
    }
}

/// The button that extracts a job again.
pub(super) fn extract_again(guard: &Guard, job: &str) -> Markup {
    html! {
        form method="post" action=(address(job, "again", &[])) {
            input type="hidden" name=(CHECK) value=(guard.check());
            button type="submit" title=(texts::EXTRACT_AGAIN.1) { (texts::EXTRACT_AGAIN.0) }
        }
    }
}
