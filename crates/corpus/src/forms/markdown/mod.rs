//! Markdown: one file per page, with the metadata first, for people and for programs that read Markdown (notebooks,
//! static sites, language models). It is CommonMark with tables, footnotes, definition lists, strikethrough, and TeX
//! in dollar signs.
//!
//! A parser can restore the document's structure. Parts that Markdown cannot express (cells that span others,
//! captions of tables, notes without a reference) are written as HTML.

mod blocks;
mod escape;
mod inline;

use goldminer_core::document::{Access, Document};

/// A document in Markdown, with its metadata first.
pub fn markdown(document: &Document) -> String {
    let mut out = String::with_capacity(document.text.len() + 500);
    front_matter(document, &mut out);
    out.push('\n');
    out.push_str(&markdown_body(document));
    out
}

/// A document in Markdown, without its metadata.
///
/// ```
/// use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
///
/// let mut document = Document::default();
/// document.paragraphs = vec![DocumentParagraph::new(ParagraphKind::Heading, "Rain & sun")];
/// assert_eq!(goldminer_corpus::markdown_body(&document), "# Rain & sun\n");
/// ```
pub fn markdown_body(document: &Document) -> String {
    blocks::body(document)
}

/// Writes the metadata of the article as YAML; a JSON string is also a YAML string.
fn front_matter(document: &Document, out: &mut String) {
    let metadata = &document.metadata;
    let string = |text: &str| serde_json::Value::from(text).to_string();
    out.push_str("---\n");
    for (name, value) in [
        ("title", metadata.title.as_deref()),
        ("url", Some(document.url.as_str())),
        ("published", metadata.published.as_deref()),
        ("language", metadata.language.as_deref()),
        ("access", metadata.access.map(Access::as_str)),
    ] {
        if let Some(value) = value {
            out.push_str(&format!("{name}: {}\n", string(value)));
        }
    }
    if !metadata.authors.is_empty() {
        let authors: Vec<String> = metadata.authors.iter().map(|author| string(author)).collect();
        out.push_str(&format!("authors: [{}]\n", authors.join(", ")));
    }
    out.push_str("---\n");
}

#[cfg(test)]
mod tests {
    use goldminer_core::document::{DocumentParagraph, ParagraphKind};

    use super::*;

    #[test]
    fn a_document_without_structure_reads_as_markdown() {
        let parts = [
            (ParagraphKind::Heading, "Rain & sun"),
            (ParagraphKind::Paragraph, "# is no heading, *this* no stress."),
            (ParagraphKind::ListItem, "one"),
            (ParagraphKind::ListItem, "2. two"),
            (ParagraphKind::Heading, "Results"),
            (ParagraphKind::Table, "Team\tPoints\nA|B\t3"),
            (ParagraphKind::Code, "let a = `1`;\n\nlet b = 2;"),
            (ParagraphKind::Quote, "Nobody came."),
        ];
        let mut document = Document::default();
        document.url = "https://portal.example/1".to_owned();
        document.metadata.title = Some("Rain: \"sun\"".to_owned());
        document.paragraphs = parts.map(|(kind, text)| DocumentParagraph::new(kind, text)).to_vec();
        let expected = "---\ntitle: \"Rain: \\\"sun\\\"\"\nurl: \"https://portal.example/1\"\n---\n\n# Rain & sun\n\n\
            \\# is no heading, \\*this\\* no stress.\n\n- one\n- 2\\. two\n\n## Results\n\n\
            | Team | Points |\n| --- | --- |\n| A\\|B | 3 |\n\n```\nlet a = `1`;\n\nlet b = 2;\n```\n\n> Nobody came.\n";
        assert_eq!(markdown(&document), expected);
    }
}
