//! Writes random documents with any structure as HTML and Markdown, and checks that nothing panics and no paragraph is
//! lost.
#![no_main]

use goldminer_core::document::{Document, DocumentParagraph, Item, Mark, MarkKind, Object, ObjectKind, ParagraphKind};
use goldminer_corpus::{html, markdown, markdown_body};
use libfuzzer_sys::fuzz_target;

const KINDS: [ParagraphKind; 8] = [
    ParagraphKind::Heading,
    ParagraphKind::Paragraph,
    ParagraphKind::ListItem,
    ParagraphKind::Code,
    ParagraphKind::Table,
    ParagraphKind::Quote,
    ParagraphKind::Formula,
    ParagraphKind::Caption,
];
const MARKS: [MarkKind; 10] = [
    MarkKind::Link,
    MarkKind::Emphasis,
    MarkKind::Strong,
    MarkKind::Code,
    MarkKind::Sub,
    MarkKind::Sup,
    MarkKind::Deleted,
    MarkKind::Math,
    MarkKind::LineBreak,
    MarkKind::NoteReference,
];

type Paragraph =
    (u8, String, Option<(u8, bool, Option<i32>, u8, bool)>, Option<u8>, Vec<(u16, u16, u8, Option<String>)>);

fuzz_target!(|input: (Vec<Paragraph>, Vec<(u8, u32, Option<String>, Option<String>, Vec<u32>)>)| {
    let mut document = Document::default();
    document.structure = Some(1);
    for (kind, text, item, quote, marks) in input.0 {
        let mut paragraph = DocumentParagraph::new(KINDS[usize::from(kind) % KINDS.len()], format!("word{text}"));
        paragraph.quote = quote;
        paragraph.item = item.map(|(depth, ordered, number, list, continues)| {
            let mut item = Item::default();
            (item.depth, item.ordered, item.number, item.list, item.continues) =
                (depth, ordered, number, list.into(), continues);
            item
        });
        let mark = |(start, end, mark, target): (u16, u16, u8, Option<String>)| Mark {
            start: start.into(),
            end: end.into(),
            mark: MARKS[usize::from(mark) % MARKS.len()],
            target,
        };
        paragraph.marks = marks.into_iter().map(mark).collect();
        document.paragraphs.push(paragraph);
    }
    for (kind, before, source, caption, quoted) in input.1 {
        let kinds = [ObjectKind::Figure, ObjectKind::Embed, ObjectKind::Rule];
        let mut object = Object::new(kinds[usize::from(kind) % kinds.len()], before);
        (object.source, object.caption, object.quoted) = (source, caption, quoted);
        document.objects.push(object);
    }
    let html = html(&document);
    assert_eq!(html.matches("<ul>").count(), html.matches("</ul>").count());
    let text: String = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, behind)| behind)).collect();
    assert!(text.matches("word").count() >= document.paragraphs.len());
    assert!(markdown(&document).ends_with(&markdown_body(&document)));
});
