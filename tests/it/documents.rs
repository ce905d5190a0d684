//! Documents that tests make up.

use goldminer::document::{Document, DocumentParagraph, Metadata, Method, ParagraphKind, Provenance};
use proptest::prelude::*;

/// An article with these paragraphs, and all metadata that its maker does not change unknown.
pub fn document(id: &str, domain: &str, paragraphs: Vec<DocumentParagraph>) -> Document {
    Document {
        id: id.to_owned(),
        url: format!("https://{domain}/{id}"),
        text: Document::join(&paragraphs),
        paragraphs,
        metadata: Metadata { domain: domain.to_owned(), ..Metadata::default() },
        provenance: Provenance {
            method: Method::Goldminer,
            profile: None,
            stoplist: "Hungarian".to_owned(),
            thresholds: "inside".to_owned(),
            score: None,
            program: "goldminer/0.1.0".to_owned(),
            warc: None,
            page_digest: "00".to_owned(),
            text_digest: "00".to_owned(),
            simhash: "00".to_owned(),
            dropped_duplicates: 0,
            near_duplicate_of: None,
        },
    }
}

/// What a page may say: markup, quotes, entities, marks, scripts of all kinds; white space is folded.
pub fn paragraph() -> impl Strategy<Value = DocumentParagraph> {
    let kind = prop_oneof![Just(ParagraphKind::Heading), Just(ParagraphKind::Paragraph), Just(ParagraphKind::ListItem)];
    let text = prop_oneof!["[a-zé<>&\"';. ]{1,40}", "\\PC{1,30}", "<g/>|</p>|&amp;|\\]\\]>|<!--"];
    (kind, text).prop_filter_map("has text", |(kind, text)| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(DocumentParagraph { kind, text })
    })
}
