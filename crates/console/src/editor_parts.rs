//! What the pages of the editor and of teaching have in common: what they are about, what came of a form, the button that
//! saves a choice.

use goldminer_core::document::Document;
use goldminer_core::goldminer::profile::DomainProfile;
use maud::{Markup, html};

use crate::edit_action::EditAction;
use crate::frame::address;
use crate::guard::{CHECK, Guard};
use crate::portal_page::Said;
use crate::report::{Dissection, shortened};
use crate::texts;

/// Characters of a value.
const CHARS: usize = 200;

/// What a page is about.
pub(super) struct Edited<'a> {
    pub job: &'a str,
    pub url: &'a str,
    pub domain: &'a str,
    pub dissection: &'a Dissection,
    /// None if the page gives none.
    pub document: Option<&'a Document>,
    pub profile: &'a DomainProfile,
    pub template: Option<usize>,
    /// Whether the job was extracted again.
    pub has_extracted: bool,
}

/// What came of what was sent.
pub(super) fn said_of(said: Option<&Said>) -> Markup {
    html! {
        @match said {
            Some(Ok(done)) => { @for line in done { p.said role="status" { (line) } } }
            Some(Err(why)) => { p.said.bad role="alert" { (why) } }
            None => {}
        }
    }
}

/// What a document says otherwise: headline, authors, day.
pub(super) fn told(told: &[Option<(String, String)>; 3]) -> Markup {
    let nothing = |value: &str| shortened(if value.is_empty() { texts::NOTHING_SAID } else { value }, CHARS);
    html! {
        @for (name, change) in texts::TOLD.iter().zip(told) {
            @if let Some((before, after)) = change {
                p { (name) ": " span.lost { del { (nothing(before)) } } " → " span.gained { ins { (nothing(after)) } } }
            }
        }
    }
}

/// The button that saves a choice.
pub(super) fn save(
    guard: &Guard,
    edited: &Edited<'_>,
    block: Option<usize>,
    action: EditAction,
    pattern: &str,
) -> Markup {
    html! {
        form.row method="post" action=(address(edited.job, "edit", &[])) {
            (fixed(guard, edited))
            input type="hidden" name="action" value=(action.name());
            input type="hidden" name="pattern" value=(pattern);
            @if let Some(block) = block { input type="hidden" name="block" value=(block); }
            @if let Some(template) = edited.template { input type="hidden" name="template" value=(template); }
            button.main type="submit" name="act" value="save" { (texts::SAVE) }
        }
    }
}

/// What every form of the editor says: the page, and the version that was looked at.
pub(super) fn fixed(guard: &Guard, edited: &Edited<'_>) -> Markup {
    html! {
        input type="hidden" name=(CHECK) value=(guard.check());
        input type="hidden" name="url" value=(edited.url);
        input type="hidden" name="key" value=(edited.profile.key);
        input type="hidden" name="version" value=(edited.profile.version);
    }
}
