//! Malformed documents: every format is still well-formed and keeps their contents.

use std::fs;

use goldminer_core::document::{
    CellSpan, Document, DocumentParagraph, Item, Mark, MarkKind, Object, ObjectKind, ParagraphKind, Table,
};
use goldminer_corpus::{Format, Sink, html, markdown_body};

use crate::read_back::{markdown_to_html, read_html};

fn document(paragraphs: Vec<DocumentParagraph>) -> Document {
    let mut document = Document::default();
    document.id = "a".to_owned();
    document.metadata.domain = "portal.example".to_owned();
    (document.structure, document.text) = (Some(1), Document::join(&paragraphs));
    document.paragraphs = paragraphs;
    document
}

fn marked(text: &str, marks: &[(u32, u32, MarkKind, Option<&str>)]) -> DocumentParagraph {
    let mut paragraph = DocumentParagraph::new(ParagraphKind::Paragraph, text);
    let mark = |&(start, end, mark, target): &(u32, u32, MarkKind, Option<&str>)| Mark {
        start,
        end,
        mark,
        target: target.map(str::to_owned),
    };
    paragraph.marks = marks.iter().map(mark).collect();
    paragraph
}

/// The document in every format, as one file each.
fn forms(document: &Document) -> Vec<(Format, String)> {
    let text = |format| {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = Sink::create(&dir.path().join("out"), format).unwrap();
        sink.write(document).unwrap();
        sink.close().unwrap();
        let mut files = vec![dir.path().join("out")];
        let mut text = String::new();
        while let Some(path) = files.pop() {
            if path.is_dir() {
                files.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            } else if !path.ends_with("README.md") && !path.ends_with("croissant.json") {
                text.push_str(&String::from_utf8_lossy(&fs::read(path).unwrap()));
            }
        }
        (format, text)
    };
    Format::ALL.iter().copied().map(text).collect()
}

fn assert_well_formed(document: &Document) {
    for (format, text) in forms(document) {
        if format == Format::Tei {
            let mut reader = quick_xml::Reader::from_str(&text);
            while reader.read_event().unwrap() != quick_xml::events::Event::Eof {}
        }
        if format == Format::Vertical {
            let mut open = Vec::new();
            for line in text.lines().filter(|line| line.starts_with('<') && *line != "<g/>") {
                match line.strip_prefix("</") {
                    Some(name) => assert_eq!(open.pop(), Some(name.trim_end_matches('>'))),
                    None => open.push(line[1..].split([' ', '>']).next().unwrap()),
                }
            }
            assert!(open.is_empty(), "{open:?}");
        }
    }
}

fn texts(html: &str) -> Vec<String> {
    read_html(html).0.into_iter().map(|paragraph| paragraph.text).collect()
}

#[test]
fn marks_with_wrong_positions_lose_no_text() {
    let paragraph = marked(
        "one two three",
        &[
            (0, 7, MarkKind::Emphasis, None),
            (4, 13, MarkKind::Strong, None),
            (4, 2, MarkKind::Code, None),
            (12, 900, MarkKind::Link, Some("https://portal.example/")),
            (u32::MAX, u32::MAX, MarkKind::LineBreak, None),
            (2, 3, MarkKind::LineBreak, None),
            (5, 6, MarkKind::NoteReference, None),
        ],
    );
    let document = document(vec![paragraph]);
    assert_eq!(texts(&html(&document)), ["one two three"]);
    assert_eq!(texts(&markdown_to_html(&markdown_body(&document))), ["one two three"]);
    assert_well_formed(&document);
}

#[test]
fn urls_of_scripts_and_invalid_urls_are_not_links() {
    let targets = [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "JavaScript:x",
        "data:text/html,x",
        "/relative",
        "",
        "a b:c",
        "x:\u{1}",
    ];
    let links = targets.map(|target| marked("here", &[(0, 4, MarkKind::Link, Some(target))]));
    let mut document = document(links.into());
    for source in ["javascript:alert(1)", "data:image/png;base64,AAAA", "a.jpg"] {
        let mut figure = Object::new(ObjectKind::Figure, 0);
        (figure.source, figure.alt) = (Some(source.to_owned()), Some("](javascript:alert(1)) \"><script>".to_owned()));
        document.objects.push(figure);
        let mut embed = Object::new(ObjectKind::Embed, 1);
        embed.source = Some(source.to_owned());
        document.objects.push(embed);
    }
    for html in [html(&document), markdown_to_html(&markdown_body(&document))] {
        assert!(!html.contains("href") && !html.contains("src=\"j") && !html.contains("src=\"d"), "{html}");
        assert!(!html.contains("<script"), "{html}");
    }
    assert_well_formed(&document);
}

#[test]
fn a_list_that_is_very_deep_keeps_its_items() {
    let items = (0..500_u32).map(|depth| {
        let mut paragraph = DocumentParagraph::new(ParagraphKind::ListItem, format!("item {depth}"));
        let mut item = Item::default();
        (item.depth, item.list) = (depth.min(255) as u8, depth);
        paragraph.item = Some(item);
        paragraph
    });
    let document = document(items.collect());
    let html = html(&document);
    assert_eq!(html.matches("item ").count(), 500);
    assert_eq!(html.matches("<ul>").count(), html.matches("</ul>").count());
    let markdown = markdown_body(&document);
    assert_eq!(markdown.matches("item ").count(), 500);
    assert!(markdown.len() < 500 * 100, "each line repeats little: {}", markdown.len());
    assert_well_formed(&document);
}

#[test]
fn a_table_of_many_cells_is_written_in_bounded_time_and_space() {
    let row = ["cell"; 100].join("\t");
    let mut table = DocumentParagraph::new(ParagraphKind::Table, [row.as_str(); 1_000].join("\n"));
    let span = |at: u32| CellSpan { row: at % 1_000, column: at % 100, rows: 65_534, columns: 65_534 };
    let mut table_data = Table::default();
    table_data.spans = (0..100_000).map(span).collect();
    table.table = Some(table_data);
    // A wide row above many short ones.
    let ragged = format!("{}\n{}", vec!["a"; 50_000].join("\t"), vec!["b"; 50_000].join("\n"));
    let document = document(vec![table, DocumentParagraph::new(ParagraphKind::Table, ragged)]);
    let (html, markdown) = (html(&document), markdown_body(&document));
    assert_eq!((html.matches("cell").count(), markdown.matches("cell").count()), (100_000, 100_000));
    assert!(html.len() < 10 << 20 && markdown.len() < 10 << 20, "{} {}", html.len(), markdown.len());
    assert_well_formed(&document);
}

#[test]
fn spans_never_swallow_text() {
    let mut table = DocumentParagraph::new(ParagraphKind::Table, "a\tb\nc\td");
    let mut table_data = Table::default();
    table_data.spans =
        vec![CellSpan { row: 0, column: 0, rows: 2, columns: 2 }, CellSpan { row: 7, column: 7, rows: 2, columns: 0 }];
    table.table = Some(table_data);
    assert_eq!(texts(&html(&document(vec![table]))), ["a\tb\nc\td"]);
}

#[test]
fn control_characters_and_markup_stay_text() {
    let nasty = "\u{0}]\n\n# x\r- y ``` | ) <!-- \u{1b}[31m $$ \u{fffe} &#0; </p></td>\u{7f}";
    let mut paragraphs = vec![DocumentParagraph::new(ParagraphKind::Paragraph, "before")];
    for kind in [
        ParagraphKind::Heading,
        ParagraphKind::ListItem,
        ParagraphKind::Quote,
        ParagraphKind::Formula,
        ParagraphKind::Caption,
        ParagraphKind::Code,
        ParagraphKind::Table,
    ] {
        paragraphs.push(DocumentParagraph::new(kind, nasty));
    }
    paragraphs.push(DocumentParagraph::new(ParagraphKind::Paragraph, "after"));
    let document = document(paragraphs);
    for html in [html(&document), markdown_to_html(&markdown_body(&document))] {
        let read = texts(&html);
        assert_eq!((read.first().unwrap().as_str(), read.last().unwrap().as_str()), ("before", "after"));
        assert_eq!(read.len(), 9, "{html}");
    }
    assert_well_formed(&document);
}

#[test]
fn objects_in_any_order_and_beyond_the_end_are_all_written() {
    let mut document = document(vec![DocumentParagraph::new(ParagraphKind::Paragraph, "text")]);
    document.objects = [900, 0, 1].map(|before| Object::new(ObjectKind::Rule, before)).into();
    let mut embed = Object::new(ObjectKind::Embed, 0);
    embed.source = Some("https://video.example/1".to_owned());
    embed.quoted = vec![0, 7, u32::MAX];
    document.objects.push(embed);
    for html in [html(&document), markdown_to_html(&markdown_body(&document))] {
        assert_eq!((html.matches("<hr").count(), html.matches("<iframe").count()), (3, 1), "{html}");
    }
}
