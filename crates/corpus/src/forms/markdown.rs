//! Markdown: one file a page with its metadata in front, for people and for whatever reads Markdown (notebooks, static
//! sites, language models). The article's headline is its title, tables are GitHub's, code is fenced.

use goldminer_core::document::{Access, Document, DocumentParagraph, ParagraphKind};

/// A document in Markdown.
pub fn markdown(document: &Document) -> String {
    let mut out = String::with_capacity(document.text.len() + 500);
    front_matter(document, &mut out);
    let (mut before, mut has_title) = (None, false);
    for paragraph in &document.paragraphs {
        // Items follow each other line by line, all else has an empty line between.
        let is_next_item = before == Some(ParagraphKind::ListItem) && paragraph.kind == ParagraphKind::ListItem;
        out.push_str(if is_next_item { "" } else { "\n" });
        push(paragraph, has_title, &mut out);
        has_title |= paragraph.kind == ParagraphKind::Heading;
        before = Some(paragraph.kind);
    }
    out
}

/// What is known of the article, as YAML: a string of JSON is one of YAML, too.
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

fn push(paragraph: &DocumentParagraph, has_title: bool, out: &mut String) {
    let text = paragraph.text.as_str();
    match paragraph.kind {
        ParagraphKind::Heading => {
            out.push_str(if has_title { "## " } else { "# " });
            inline(&text.replace('\n', " "), out);
        }
        ParagraphKind::Paragraph | ParagraphKind::Formula | ParagraphKind::Caption => block(text, out),
        kind @ (ParagraphKind::ListItem | ParagraphKind::Quote) => {
            out.push_str(if kind == ParagraphKind::Quote { "> " } else { "- " });
            block(text, out);
        }
        ParagraphKind::Code => {
            let fence = "`".repeat(longest_run(text).max(2) + 1);
            out.push_str(&format!("{fence}\n{text}\n{fence}"));
        }
        ParagraphKind::Table => return table(text, out),
    }
    out.push('\n');
}

/// The first row is the head: Markdown has no table without one.
fn table(text: &str, out: &mut String) {
    let columns = text.lines().map(|row| row.split('\t').count()).max().unwrap_or(0);
    for (number, row) in text.lines().enumerate() {
        let mut cells = row.split('\t');
        for _ in 0..columns {
            out.push_str("| ");
            inline(&cells.next().unwrap_or_default().replace('|', "\\|"), out);
            out.push(' ');
        }
        out.push_str("|\n");
        if number == 0 {
            out.push_str(&"| --- ".repeat(columns));
            out.push_str("|\n");
        }
    }
}

/// Text that must not begin like a heading, an item, a quote or a rule.
fn block(text: &str, out: &mut String) {
    let text = text.replace('\n', " ");
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_number = digits > 0 && text[digits..].starts_with(['.', ')']);
    if is_number {
        out.push_str(&text[..digits]);
        out.push('\\');
        return inline(&text[digits..], out);
    }
    if text.starts_with(['#', '-', '+', '=', '~', '|']) {
        out.push('\\');
    }
    inline(&text, out);
}

/// From `&` to `;`, as in `&CounterClockwiseContourIntegral;`: no name is longer.
const LONGEST_REFERENCE: usize = 33;

/// Whether what stands between `&` and `;` is the name or the number of a character (CommonMark 0.31, section 2.5).
fn is_reference(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match name.strip_prefix('#') {
        Some(number) => digits(number.strip_prefix(['x', 'X']).unwrap_or(number)),
        None => !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()),
    }
}

/// Text whose marks stay marks.
fn inline(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '`', '*', '_', '[', ']', '<', '>', '&']) {
        out.push_str(&rest[..at]);
        let is_reference = || {
            let end = rest.as_bytes()[at..].iter().take(LONGEST_REFERENCE).position(|byte| *byte == b';');
            end.is_some_and(|end| is_reference(&rest[at + 1..at + end]))
        };
        // A backslash that was written before a bar of a table stays one, and so does a `&` that begins no reference.
        if !rest[at..].starts_with("\\|") && (!rest[at..].starts_with('&') || is_reference()) {
            out.push('\\');
        }
        out.push_str(&rest[at..=at]);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_article_holds_reads_as_markdown() {
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

    #[test]
    fn references_that_are_text_stay_text() {
        let escaped = |text: &str| {
            let mut out = String::new();
            inline(text, &mut out);
            out
        };
        for text in ["&copy;", "&#169;", "&#xA9;", "&frac12;"] {
            assert_eq!(escaped(text), format!("\\{text}"));
        }
        for text in ["AT&T; and more", "a & b;", "&;", "&#;", "x=1&y=2"] {
            let is_escaped = escaped(text).contains("\\&");
            assert_eq!(is_escaped, text.starts_with("AT&T;"), "{text}: what has the form of a reference is escaped");
        }
    }
}
