//! What is written and read again is what was written.

use goldminer_corpus::{html, markdown_body};
use proptest::prelude::*;

use crate::documents::document;
use crate::read_back::{markdown_to_html, read_html};

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn html_read_back_is_the_document(document in document()) {
        let html = html(&document);
        let (paragraphs, objects) = read_html(&html);
        prop_assert_eq!(&paragraphs, &document.paragraphs, "{}", &html);
        prop_assert_eq!(&objects, &document.objects, "{}", &html);
    }

    #[test]
    fn markdown_read_back_is_the_document(document in document()) {
        let markdown = markdown_body(&document);
        let html = markdown_to_html(&markdown);
        let (paragraphs, objects) = read_html(&html);
        prop_assert_eq!(&paragraphs, &document.paragraphs, "{}\n{}", &markdown, &html);
        prop_assert_eq!(&objects, &document.objects, "{}\n{}", &markdown, &html);
    }
}
