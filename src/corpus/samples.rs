//! A document for the unit tests of this module.

use crate::document::{Document, DocumentParagraph, Metadata, Method, ParagraphKind, Provenance};

/// One paragraph.
pub(crate) fn document(id: &str, text: &str) -> Document {
    Document {
        id: id.to_owned(),
        url: format!("https://portal.example/{id}"),
        text: text.to_owned(),
        paragraphs: vec![DocumentParagraph { kind: ParagraphKind::Paragraph, text: text.to_owned() }],
        metadata: Metadata { domain: "portal.example".to_owned(), ..Metadata::default() },
        provenance: Provenance {
            method: Method::Goldminer,
            profile: None,
            stoplist: "none".to_owned(),
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
