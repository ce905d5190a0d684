//! Documents for tests.

use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
use proptest::prelude::*;

/// An article with these paragraphs, and unknown metadata.
pub(crate) fn document(id: &str, domain: &str, paragraphs: Vec<DocumentParagraph>) -> Document {
    let mut document = Document::default();
    document.id = id.to_owned();
    document.url = format!("https://{domain}/{id}");
    document.text = Document::join(&paragraphs);
    document.paragraphs = paragraphs;
    document.metadata.domain = domain.to_owned();
    let provenance = &mut document.provenance;
    provenance.stoplist = "Hungarian".to_owned();
    provenance.thresholds = "inside".to_owned();
    provenance.program = "goldminer/0.1.0".to_owned();
    for digest in [&mut provenance.page_digest, &mut provenance.text_digest, &mut provenance.simhash] {
        *digest = "00".to_owned();
    }
    document
}

/// Generates paragraphs with any text that a page may contain: markup, quotes, entities, marks, scripts of all kinds.
/// White space is folded.
pub(crate) fn paragraph() -> impl Strategy<Value = DocumentParagraph> {
    let kind = prop_oneof![
        Just(ParagraphKind::Heading),
        Just(ParagraphKind::Paragraph),
        Just(ParagraphKind::ListItem),
        Just(ParagraphKind::Code),
        Just(ParagraphKind::Table),
        Just(ParagraphKind::Quote),
    ];
    let text = prop_oneof!["[a-zé<>&\"';. ]{1,40}", "\\PC{1,30}", "<g/>|</p>|&amp;|\\]\\]>|<!--"];
    (kind, text).prop_filter_map("has text", |(kind, text)| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(DocumentParagraph::new(kind, text))
    })
}
