//! What is written and read again is what was written.

use goldminer_core::document::Document;
use goldminer_corpus::{html, markdown_body};
use proptest::prelude::*;

use crate::documents::document;
use crate::read_back::{markdown_to_html, read_html};

/// A paragraph or an object a line, as JSON.
fn lines(document: &Document) -> String {
    let paragraphs = document.paragraphs.iter().map(|paragraph| serde_json::to_string(paragraph).unwrap());
    let objects = document.objects.iter().map(|object| serde_json::to_string(object).unwrap());
    paragraphs.chain(objects).collect::<Vec<_>>().join("\n")
}

fn read(html: &str) -> String {
    let mut document = Document::default();
    (document.paragraphs, document.objects) = read_html(html);
    lines(&document)
}

proptest! {
    #[test]
    fn html_read_back_is_the_document(document in document()) {
        let html = html(&document);
        let (was, is) = (lines(&document), read(&html));
        prop_assert!(was == is, "WAS\n{was}\nIS\n{is}\nHTML\n{html}\nEND");
    }

    #[test]
    fn markdown_read_back_is_the_document(document in document()) {
        let markdown = markdown_body(&document);
        let html = markdown_to_html(&markdown);
        let (was, is) = (lines(&document), read(&html));
        prop_assert!(was == is, "WAS\n{was}\nIS\n{is}\nMARKDOWN\n{markdown}\nHTML\n{html}\nEND");
    }
}
