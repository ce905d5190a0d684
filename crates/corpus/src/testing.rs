//! A document for the unit tests of this crate.

use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};

/// A document of one paragraph.
pub(crate) fn document(id: &str, text: &str) -> Document {
    let mut document = Document::default();
    document.id = id.to_owned();
    document.url = format!("https://portal.example/{id}");
    document.text = text.to_owned();
    document.paragraphs = vec![DocumentParagraph::new(ParagraphKind::Paragraph, text)];
    document.metadata.domain = "portal.example".to_owned();
    let provenance = &mut document.provenance;
    provenance.stoplist = "none".to_owned();
    provenance.thresholds = "inside".to_owned();
    provenance.program = "goldminer/0.1.0".to_owned();
    for digest in [&mut provenance.page_digest, &mut provenance.text_digest, &mut provenance.simhash] {
        *digest = "00".to_owned();
    }
    document
}
