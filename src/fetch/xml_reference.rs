//! References in the text of feeds and sitemaps: `&amp;`, `&#233;`.

use quick_xml::events::BytesRef;

/// The text of a reference; nothing of one that only a document type could explain.
pub(super) fn resolved(reference: &BytesRef<'_>) -> Option<String> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Some(character.to_string());
    }
    quick_xml::escape::resolve_predefined_entity(reference).map(str::to_owned)
}
