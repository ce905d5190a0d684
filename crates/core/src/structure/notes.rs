//! Finds footnotes. A reference in the text links to a note, and the note links back or is named as a note.

use goldminer_html::address::Targets;
use goldminer_html::{ElementId, Page, Tag};
use rustc_hash::FxHashMap;

/// The most characters in the label of a reference, such as a number or a symbol.
const MAX_LABEL: usize = 6;
/// How many references are followed.
const MAX_REFERENCES: usize = 4_096;
/// The most elements in a note that are searched for a link back.
const MAX_INSIDE: usize = 1_000;
/// Names of notes from Markdown programs, MediaWiki, WordPress, Word and similar programs.
const NAMES: [&str; 9] = ["fn", "_fn", "ftn", "_ftn", "_edn", "footnote", "endnote", "cite_note", "sdfootnote"];
/// Names of references to notes.
const REFERENCES: [&str; 5] = ["footnote", "noteref", "fn-", "fnref", "reference"];

/// The footnotes of a page.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// The label of each link that refers to a note.
    references: FxHashMap<ElementId, String>,
    /// The label of each element that is a note.
    notes: FxHashMap<ElementId, String>,
    back: Vec<ElementId>,
}

impl Notes {
    /// Finds the footnotes of a page. `is_kept` says whether a link is in the kept text.
    pub(super) fn of(page: &Page, targets: &Targets, is_kept: impl Fn(ElementId) -> bool) -> Self {
        let mut notes = Self::default();
        let mut ids: Option<FxHashMap<String, ElementId>> = None;
        let links = page.elements_of(Tag::A).filter(|link| is_kept(*link));
        for link in links.take(MAX_REFERENCES) {
            let Some(href) = page.attribute(link, "href").filter(|href| href.contains('#')) else { continue };
            let Some(place) = targets.place(&href).filter(|place| !place.is_empty()) else { continue };
            let Some(label) = label(page, link) else { continue };
            let ids = ids.get_or_insert_with(|| ids_of(page));
            let Some(target) = ids.get(place).copied() else { continue };
            if let Some(back) = notes.note(page, targets, (link, target, place), ids) {
                notes.back.extend(back);
                notes.references.insert(link, label.clone());
                notes.notes.entry(holder(page, target)).or_insert(label);
            }
        }
        notes.back.sort_unstable();
        notes
    }

    /// Returns the back link of an element that is a footnote. None if the element is not a footnote; an inner None if
    /// it is named as a footnote, but has no back link.
    fn note(
        &self,
        page: &Page,
        targets: &Targets,
        (link, target, place): (ElementId, ElementId, &str),
        ids: &FxHashMap<String, ElementId>,
    ) -> Option<Option<ElementId>> {
        let held = holder(page, target);
        // If the link is inside its own target or after it, it is the link of a heading or the note's own number.
        if page.is_within(link, held) || page.element(held).start <= page.element(link).start {
            return None;
        }
        let leads_back = |other: &ElementId| {
            let href = page.attribute(*other, "href");
            let back = href.as_deref().and_then(|href| targets.place(href)).and_then(|place| ids.get(place));
            back.is_some_and(|back| page.is_within(link, *back) && page.element(*back).parent.is_some())
        };
        let links = page.ids_in(held).take(MAX_INSIDE).filter(|id| page.element(*id).tag == Tag::A);
        let back = { links }.find(|other| leads_back(other));
        let is_named = NAMES.iter().any(|name| {
            place.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
        });
        (back.is_some() || is_named).then_some(back)
    }

    /// The label of the note that a link refers to; None for other links.
    pub(super) fn reference(&self, link: ElementId) -> Option<&str> {
        self.references.get(&link).map(String::as_str)
    }

    /// Whether a link leads from a note back to its reference.
    pub(super) fn leads_back(&self, link: ElementId) -> bool {
        self.back.binary_search(&link).is_ok()
    }

    pub(super) fn label(&self, id: ElementId) -> Option<&str> {
        self.notes.get(&id).map(String::as_str)
    }

    pub(super) fn holders(&self) -> impl Iterator<Item = ElementId> {
        self.notes.keys().copied()
    }
}

/// The label of a link that may refer to a note: a number, letter or sign, without brackets. None for other links.
fn label(page: &Page, link: ElementId) -> Option<String> {
    let source = page.inner_source(link);
    if source.len() > 200 {
        return None;
    }
    let text: String = goldminer_html::Tokens::new(source).map(|token| token.text(source).into_owned()).collect();
    let label = text.trim().trim_matches(['[', ']', '(', ')', ' ', '.', '※', '\u{a0}']);
    let is_short = !label.is_empty() && label.chars().count() <= MAX_LABEL && !label.contains(char::is_whitespace);
    let is_number = label.chars().all(|c| c.is_numeric() || matches!(c, '*' | '†' | '‡' | '§'));
    let is_marked = || {
        let near = page.ancestors_and_self(link).take(2);
        let has_name = |value: &str| REFERENCES.iter().any(|name| value.contains(name));
        { near }.any(|id| page.element(id).tag == Tag::Sup || page.marks_values(id).any(&has_name))
    };
    (is_short && (is_number || is_marked())).then(|| label.to_owned())
}

/// The element with the whole note, given the element that has the note's name.
fn holder(page: &Page, target: ElementId) -> ElementId {
    let is_whole = |id: &ElementId| {
        matches!(page.element(*id).tag, Tag::Li | Tag::P | Tag::Div | Tag::Dd | Tag::Aside | Tag::Tr | Tag::Section)
    };
    let whole = page.ancestors_and_self(target).take(3).find(is_whole).unwrap_or(target);
    // In notes from Word and Substack, the number is in a separate paragraph or box.
    if page.paragraphs_in(whole).is_empty() { page.element(whole).parent.unwrap_or(whole) } else { whole }
}

fn ids_of(page: &Page) -> FxHashMap<String, ElementId> {
    let mut ids = FxHashMap::default();
    for id in page.ids() {
        let element = page.element(id);
        let own = if element.is_marked { page.attribute(id, "id") } else { None };
        let name = own.or_else(|| (element.tag == Tag::A).then(|| page.attribute(id, "name")).flatten());
        if let Some(name) = name.filter(|name| name.len() <= 200) {
            ids.entry(name.into_owned()).or_insert(id);
        }
    }
    ids
}
