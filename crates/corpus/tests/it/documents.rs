//! Generates documents of any structure, with texts full of characters that are marks in some format.

use std::cell::Cell;

use goldminer_core::document::{
    CellSpan, Document, DocumentParagraph, Item, ItemPart, Mark, MarkKind, Object, ObjectKind, ParagraphKind, Table,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// A block with its contents.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Heading(u8, Vec<Inline>),
    Text(Vec<Inline>),
    Code(Option<&'static str>, String),
    Formula(String),
    Table(Grid),
    Quote(Vec<Part>),
    List(Option<i32>, Vec<Vec<Part>>),
    Definitions(Vec<(bool, Vec<Part>)>),
    Figure(String, Option<Vec<Inline>>, Option<String>),
    Embed(Vec<Part>),
    Rule,
    Note(u8, Vec<Part>),
    Caption(Vec<Inline>),
}

#[derive(Debug, Clone)]
pub(crate) struct Grid {
    cells: Vec<Vec<Vec<Inline>>>,
    head_rows: u32,
    head_columns: u32,
    span: Option<(u32, u32)>,
    caption: Option<(Vec<Inline>, bool)>,
}

#[derive(Debug, Clone)]
pub(crate) enum Inline {
    Text(String),
    Marked(MarkKind, Vec<Inline>),
    Link(&'static str, Vec<Inline>),
    Math(String),
    Break,
    Note(u8),
}

const SCRAPS: &[&str] = &[
    " ",
    " ",
    " ",
    "word",
    "Wort",
    "é",
    "中文",
    "。",
    "a",
    "1",
    "12",
    ".",
    ",",
    ":",
    "!",
    "?",
    "-",
    "+",
    "*",
    "**",
    "_",
    "__",
    "`",
    "``",
    "~",
    "~~",
    "$",
    "$$",
    "\\",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "&",
    "#",
    "##",
    "|",
    "=",
    "^",
    "{",
    "}",
    "\"",
    "'",
    "/",
    "@",
    "\u{a0}",
    "€",
    "“",
    "1. ",
    "2) ",
    "- ",
    "+ ",
    "* ",
    "# ",
    "> ",
    ": ",
    "---",
    "===",
    "```",
    "~~~",
    "[^1]",
    "[^1]: ",
    "[x] ",
    "[a]: /b",
    "![",
    "](",
    "](b)",
    "<b>",
    "</p>",
    "<!--",
    "-->",
    "<div>",
    "<https://a.example>",
    "a@b.example",
    "&amp;",
    "&copy;",
    "&#35;",
    "| a | b |",
    "|---|",
    ":--",
    "$x$",
    "\\(x\\)",
    "\\\\",
    "snake_case",
    "2 * 3",
    "C:\\dir",
    "https://portal.example/a_b_c",
    "***",
    "___",
    "$5",
    "<x",
    "\\|",
];

const TARGETS: &[&str] = &[
    "https://portal.example/",
    "https://portal.example/a_(b)",
    "https://portal.example/a)b(",
    "https://portal.example/?a=1&copy;=2&amp;b=%7C",
    "https://portal.example/*a*_b_~c~$d$",
    "mailto:a@portal.example",
];

const TEX: &[&str] = &[
    "x",
    "x^2",
    "\\frac{a}{b}",
    "a<b",
    "a < b",
    "|x|",
    "\\{",
    "{",
    "}",
    "$",
    "\\",
    " ",
    "_",
    "*",
    "\\|",
    "1",
    "\\\\",
    "`",
    "&",
    "\\text{if } ",
];

fn scraps() -> impl Strategy<Value = String> {
    vec(prop::sample::select(SCRAPS), 1..6).prop_map(|scraps| scraps.concat())
}

fn tex() -> impl Strategy<Value = String> {
    vec(prop::sample::select(TEX), 1..5).prop_map(|parts| {
        let tex = parts.concat();
        let words: Vec<&str> = tex.split_whitespace().collect();
        if words.is_empty() { "x".to_owned() } else { words.join(" ") }
    })
}

fn inline(in_cell: bool) -> impl Strategy<Value = Vec<Inline>> {
    let leaf = prop_oneof![
        8 => scraps().prop_map(Inline::Text),
        1 => tex().prop_map(Inline::Math),
        1 => Just(Inline::Break),
        u32::from(!in_cell) => (1..4_u8).prop_map(Inline::Note),
    ];
    let run = leaf.prop_recursive(3, 12, 3, |inner| {
        let kinds = prop::sample::select(vec![
            MarkKind::Emphasis,
            MarkKind::Strong,
            MarkKind::Code,
            MarkKind::Sub,
            MarkKind::Sup,
            MarkKind::Deleted,
        ]);
        prop_oneof![
            (kinds, vec(inner.clone(), 1..3)).prop_map(|(kind, inside)| Inline::Marked(kind, inside)),
            (prop::sample::select(TARGETS), vec(inner, 1..3)).prop_map(|(target, inside)| Inline::Link(target, inside)),
        ]
    });
    vec(run, 1..4)
}

fn grid() -> impl Strategy<Value = Grid> {
    let cell = prop_oneof![1 => Just(Vec::new()), 4 => inline(true)];
    let cells = (1..4_usize, 2..4_usize).prop_flat_map(move |(columns, rows)| vec(vec(cell.clone(), columns), rows));
    let span = option::weighted(0.3, (1..3_u32, 1..4_u32));
    let caption = option::weighted(0.3, (inline(false), any::<bool>()));
    (cells, 0..3_u32, 0..2_u32, span, caption).prop_map(|(cells, head_rows, head_columns, span, caption)| Grid {
        head_rows: head_rows.min(cells.len() as u32 - 1),
        cells,
        head_columns,
        span,
        caption,
    })
}

fn code() -> impl Strategy<Value = String> {
    let line = vec(prop::sample::select(SCRAPS), 0..4).prop_map(|scraps| scraps.concat());
    let line =
        (prop::sample::select(vec!["", "  ", "    ", "\t"]), line).prop_map(|(indent, line)| format!("{indent}{line}"));
    vec(line, 0..4).prop_map(|lines| format!("x\n{}\ny", lines.join("\n")))
}

fn part() -> impl Strategy<Value = Part> {
    let leaf = prop_oneof![
        1 => (1..7_u8, inline(false)).prop_map(|(level, text)| Part::Heading(level, text)),
        6 => inline(false).prop_map(Part::Text),
        1 => (prop::sample::select(vec![None, Some("rust"), Some("c++")]), code()).prop_map(|(language, code)| Part::Code(language, code)),
        1 => tex().prop_map(Part::Formula),
        1 => grid().prop_map(Part::Table),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let item = (inline(false), vec(inner.clone(), 0..3)).prop_map(|(text, mut rest)| {
            rest.insert(0, Part::Text(text));
            rest
        });
        let definition = (any::<bool>(), inline(false), vec(inner.clone(), 0..2)).prop_map(|(is_term, text, mut rest)| {
            rest.truncate(if is_term { 0 } else { 2 });
            rest.insert(0, Part::Text(text));
            (is_term, rest)
        });
        prop_oneof![
            2 => vec(inner.clone(), 1..3).prop_map(Part::Quote),
            4 => (option::of(0..12_i32), vec(prop_oneof![3 => item, 1 => vec(inner, 1..3)], 1..4)).prop_map(|(start, items)| Part::List(start, items)),
            1 => vec(definition, 1..4).prop_map(Part::Definitions),
        ]
    })
}

/// A document, as a tree and in flat form.
pub(crate) fn document() -> impl Strategy<Value = Document> {
    let figure = (scraps(), option::of(inline(false)), option::weighted(0.3, Just("Photo: A. B.".to_owned())));
    let top = prop_oneof![
        12 => part(),
        1 => figure.prop_map(|(alt, caption, credit)| Part::Figure(alt, caption, credit)),
        1 => vec(inline(false).prop_map(Part::Text), 0..3).prop_map(Part::Embed),
        1 => Just(Part::Rule),
        1 => inline(false).prop_map(Part::Caption),
    ];
    let note = vec(part(), 0..2);
    (vec(top, 1..7), vec((1..4_u8, inline(false), note), 0..3)).prop_map(|(mut parts, notes)| {
        let taken = Cell::new(0_u8);
        parts.extend(notes.into_iter().filter_map(|(label, text, mut rest)| {
            let is_new = taken.get() & 1 << label == 0;
            taken.set(taken.get() | 1 << label);
            rest.insert(0, Part::Text(text));
            is_new.then_some(Part::Note(label, rest))
        }));
        let mut flat = FlatDocument::default();
        parts.iter().for_each(|part| flat.part(part));
        let mut document = Document::default();
        document.structure = Some(1);
        (document.paragraphs, document.objects) = (flat.paragraphs, flat.objects);
        document
    })
}

/// Builds the flat form of a tree.
#[derive(Default)]
struct FlatDocument {
    paragraphs: Vec<DocumentParagraph>,
    objects: Vec<Object>,
    quotes: u8,
    /// The open lists: the number of each once it has a paragraph, its kind, and the number of the item.
    lists: Vec<(Option<u32>, Item)>,
    list_count: u32,
    note: Option<String>,
    is_in_quote: bool,
}

impl FlatDocument {
    fn part(&mut self, part: &Part) {
        match part {
            Part::Heading(level, text) => {
                if let Some(mut paragraph) = text_of(ParagraphKind::Heading, text) {
                    paragraph.level = Some(*level);
                    self.add(paragraph);
                }
            }
            Part::Text(text) => {
                let kind = match (self.is_in_quote, self.lists.is_empty()) {
                    (true, _) => ParagraphKind::Quote,
                    (false, false) => ParagraphKind::ListItem,
                    (false, true) => ParagraphKind::Paragraph,
                };
                text_of(kind, text).into_iter().for_each(|paragraph| self.add(paragraph));
            }
            Part::Code(language, text) => {
                let mut paragraph = DocumentParagraph::new(ParagraphKind::Code, text.as_str());
                paragraph.language = language.map(str::to_owned);
                self.add(paragraph);
            }
            Part::Formula(tex) => self.add(DocumentParagraph::new(ParagraphKind::Formula, tex.as_str())),
            Part::Table(grid) => self.table(grid),
            Part::Quote(parts) => {
                // Two consecutive quotes would be one.
                let around = std::mem::replace(&mut self.is_in_quote, true);
                self.quotes += 1;
                parts.iter().for_each(|part| self.part(part));
                self.quotes -= 1;
                self.is_in_quote = around;
            }
            Part::List(start, items) => {
                let numbers = (start.unwrap_or(0)..).map(|number| start.is_some().then_some(number));
                // An item that begins with a list has no text of its own.
                let items = items.iter().filter(|parts| begins_with_text(parts));
                self.list(items.zip(numbers).map(|(parts, number)| (None, number, parts.as_slice())));
            }
            Part::Definitions(items) => {
                self.list(items.iter().filter(|(_, parts)| begins_with_text(parts)).map(|(is_term, parts)| {
                    let part = if *is_term { ItemPart::Term } else { ItemPart::Definition };
                    (Some(part), None, parts.as_slice())
                }))
            }
            Part::Figure(alt, caption, credit) => {
                let mut figure = Object::new(ObjectKind::Figure, self.paragraphs.len() as u32);
                figure.source = Some("https://portal.example/a.jpg?b=(c)&d".to_owned());
                figure.alt = Some(folded(alt)).filter(|alt| !alt.is_empty());
                let caption = caption.as_deref().and_then(|caption| text_of(ParagraphKind::Caption, caption));
                if let Some(mut caption) = caption {
                    if let Some(credit) = credit {
                        caption.text.push_str(&format!(" {credit}"));
                        figure.credit = Some(credit.clone());
                    }
                    figure.caption = Some(caption.text.clone());
                    self.paragraphs.push(caption);
                }
                self.objects.push(figure);
            }
            Part::Embed(texts) => {
                let first = self.paragraphs.len() as u32;
                self.part(&Part::Quote(texts.clone()));
                let mut embed = Object::new(ObjectKind::Embed, first);
                embed.source = Some("https://video.example/1".to_owned());
                embed.provider = Some("video".to_owned());
                embed.quoted = (first..self.paragraphs.len() as u32).collect();
                self.objects.push(embed);
            }
            Part::Rule => self.objects.push(Object::new(ObjectKind::Rule, self.paragraphs.len() as u32)),
            Part::Note(label, parts) => {
                self.note = Some(label.to_string());
                parts.iter().for_each(|part| self.part(part));
                self.note = None;
            }
            Part::Caption(text) => {
                // After a table or a picture, it would be their caption.
                self.part(&Part::Rule);
                self.paragraphs.extend(text_of(ParagraphKind::Caption, text));
                self.part(&Part::Rule);
            }
        }
    }

    fn list<'p>(&mut self, items: impl Iterator<Item = (Option<ItemPart>, Option<i32>, &'p [Part])>) {
        self.lists.push((None, Item::default()));
        let around = std::mem::take(&mut self.is_in_quote);
        for (part, number, parts) in items {
            let (_, item) = self.lists.last_mut().unwrap();
            (item.part, item.number, item.ordered, item.continues) = (part, number, number.is_some(), false);
            parts.iter().for_each(|part| self.part(part));
        }
        self.is_in_quote = around;
        self.lists.pop();
    }

    fn add(&mut self, mut paragraph: DocumentParagraph) {
        paragraph.quote = (self.quotes > 0).then_some(self.quotes);
        paragraph.note = self.note.clone();
        let depth = self.lists.len() as u8;
        if let Some((number, item)) = self.lists.last_mut() {
            item.list = *number.get_or_insert_with(|| {
                self.list_count += 1;
                self.list_count - 1
            });
            item.depth = depth;
            paragraph.item = Some(*item);
        }
        self.lists.iter_mut().for_each(|(_, item)| item.continues = true);
        self.paragraphs.push(paragraph);
    }

    fn table(&mut self, grid: &Grid) {
        let mut cells = grid.cells.clone();
        let mut table = Table::default();
        (table.head_rows, table.head_columns) = (grid.head_rows, grid.head_columns.min(cells[0].len() as u32));
        if table.head_columns as usize == cells[0].len() && grid.head_rows == 0 {
            table.head_columns = 0;
        }
        if let Some((rows, columns)) = grid.span {
            let (rows, columns) = (rows.min(cells.len() as u32), columns.min(cells[0].len() as u32));
            // HTML cannot express a header cell that reaches into the body, or beyond the header columns.
            let is_apart = grid.head_rows == 0 && grid.head_columns == 0;
            if rows * columns > 1 && is_apart {
                table.spans.push(CellSpan { row: 0, column: 0, rows, columns });
                for (row, cells) in cells[..rows as usize].iter_mut().enumerate() {
                    cells[..columns as usize]
                        .iter_mut()
                        .enumerate()
                        .filter(|(column, _)| row + column > 0)
                        .for_each(|(_, cell)| cell.clear());
                }
            }
        }
        let (mut text, mut marks) = (String::new(), Vec::new());
        let mut is_first_empty = true;
        for (at, row) in cells.iter().enumerate() {
            text.push_str(if at > 0 { "\n" } else { "" });
            for (column, cell) in row.iter().enumerate() {
                text.push_str(if column > 0 { "\t" } else { "" });
                let start = text.chars().count() as u32;
                let cell = text_of(ParagraphKind::Paragraph, cell).unwrap_or_default();
                is_first_empty &= at > 0 || cell.text.is_empty();
                marks.extend(cell.marks.into_iter().map(|mark| Mark {
                    start: mark.start + start,
                    end: mark.end + start,
                    ..mark
                }));
                text.push_str(&cell.text);
            }
        }
        // A header cell without text does not count.
        if text.trim_ascii().is_empty() || is_first_empty {
            return;
        }
        let caption = grid
            .caption
            .as_ref()
            .and_then(|(caption, is_above)| Some((text_of(ParagraphKind::Caption, caption)?, *is_above)));
        table.caption = caption.as_ref().map(|(caption, _)| caption.text.clone());
        let mut paragraph = DocumentParagraph::new(ParagraphKind::Table, text);
        (paragraph.marks, paragraph.table) = (marks, Some(table));
        // A rule separates the captions of consecutive tables.
        if caption.is_some() {
            self.part(&Part::Rule);
        }
        match caption {
            Some((caption, true)) => {
                self.paragraphs.push(caption);
                self.add(paragraph);
            }
            Some((caption, false)) => {
                self.add(paragraph);
                self.paragraphs.push(caption);
            }
            None => self.add(paragraph),
        }
    }
}

fn begins_with_text(parts: &[Part]) -> bool {
    match parts.first() {
        Some(Part::Text(text) | Part::Heading(_, text)) => text_of(ParagraphKind::Paragraph, text).is_some(),
        Some(Part::Code(..) | Part::Formula(_)) => true,
        // Otherwise it would be ambiguous whether the quote is in the item or around it.
        Some(Part::Quote(parts)) => matches!(parts[0], Part::Text(_)) && begins_with_text(parts),
        _ => false,
    }
}

fn folded(text: &str) -> String {
    text.split([' ', '\n']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A paragraph with marks; None if it has no text.
fn text_of(kind: ParagraphKind, inline: &[Inline]) -> Option<DocumentParagraph> {
    let mut paragraph = DocumentParagraph::new(kind, "");
    push(inline, &mut Vec::new(), &mut paragraph);
    let text = paragraph.text.trim_end_matches(' ').to_owned();
    let length = text.chars().count() as u32;
    paragraph.marks.iter_mut().for_each(|mark| mark.end = mark.end.min(length));
    paragraph.marks.retain(|mark| mark.start < mark.end);
    paragraph.text = text;
    (!paragraph.text.is_empty()).then_some(paragraph)
}

fn push(inline: &[Inline], around: &mut Vec<MarkKind>, paragraph: &mut DocumentParagraph) {
    for part in inline {
        let start = paragraph.text.chars().count() as u32;
        let at = paragraph.marks.len();
        let is_marked = match part {
            Inline::Marked(kind, _) => !around.contains(kind),
            Inline::Link(..) => !around.contains(&MarkKind::Link),
            _ => true,
        };
        let mut add = |mark, target: Option<String>| paragraph.marks.push(Mark { start, end: start, mark, target });
        match part {
            Inline::Text(text) => {
                for c in text.chars() {
                    if c != ' ' || !paragraph.text.is_empty() && !paragraph.text.ends_with(' ') {
                        paragraph.text.push(c);
                    }
                }
            }
            Inline::Marked(kind, inside) if !around.contains(kind) => {
                add(*kind, None);
                around.push(*kind);
                push(inside, around, paragraph);
                around.pop();
            }
            Inline::Link(target, inside) if !around.contains(&MarkKind::Link) => {
                add(MarkKind::Link, Some((*target).to_owned()));
                around.push(MarkKind::Link);
                push(inside, around, paragraph);
                around.pop();
            }
            Inline::Marked(_, inside) | Inline::Link(_, inside) => push(inside, around, paragraph),
            Inline::Math(tex) => {
                add(MarkKind::Math, None);
                paragraph.text.push_str(tex);
            }
            Inline::Break if !paragraph.text.is_empty() && !paragraph.text.ends_with(' ') => {
                add(MarkKind::LineBreak, None);
                paragraph.text.push(' ');
            }
            Inline::Break => {}
            Inline::Note(_) if around.contains(&MarkKind::Link) => {}
            Inline::Note(label) => {
                add(MarkKind::NoteReference, Some(label.to_string()));
                paragraph.text.push_str(&label.to_string());
            }
        }
        let end = paragraph.text.chars().count() as u32;
        if let Some(mark) = paragraph.marks.get_mut(at).filter(|mark| mark.end == start && is_marked) {
            mark.end = end;
        }
    }
}
