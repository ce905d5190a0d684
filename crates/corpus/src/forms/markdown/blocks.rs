//! Writes the blocks of a document in Markdown, with line prefixes for lists, quotes and footnotes.

use goldminer_core::document::{Document, DocumentParagraph, ItemPart, MarkKind, Object, ObjectKind, ParagraphKind};
use rustc_hash::FxHashSet;

use super::escape::{Escaping, destination};
use super::inline::{Inline, fence, is_math};
use crate::forms::blocks::{Block, Container, ListKind, behind_container, blocks, has_terms, is_text};
use crate::forms::html::{self, Levels, language, own_caption};
use crate::forms::runs::{Marked, Run, Style, may_be_shown};
use crate::forms::table::{Grid, grid};

pub(super) fn body(document: &Document) -> String {
    let blocks = blocks(document);
    let mut writer = Writer { levels: Levels::of(document), notes: notes(document, &blocks), ..Writer::default() };
    writer.blocks(&blocks);
    writer.out
}

/// The labels of the footnotes that Markdown can express: they have a reference, and their text is in one place.
fn notes<'d>(document: &'d Document, blocks: &[Block<'d>]) -> FxHashSet<&'d str> {
    let marks = document.paragraphs.iter().flat_map(|paragraph| &paragraph.marks);
    let notes = marks.filter(|mark| mark.mark == MarkKind::NoteReference).filter_map(|mark| mark.target.as_deref());
    let is_label =
        |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let mut referred: FxHashSet<&str> = notes.filter(is_label).collect();
    let (mut once, mut again) = (FxHashSet::default(), FxHashSet::default());
    for block in blocks {
        if let Block::Open(Container::Note(label)) = block
            && !once.insert(*label)
        {
            again.insert(*label);
        }
    }
    referred.retain(|label| once.contains(label) && !again.contains(label));
    referred
}

/// The indentation of continuation lines in a footnote or definition.
const INDENT: &str = "    ";

#[derive(Default)]
struct Writer<'w> {
    levels: Levels<'w>,
    notes: FxHashSet<&'w str>,
    out: String,
    /// The prefix of each further line.
    prefix: String,
    /// The text before the first line of the next block: the prefix, and the marks of containers that open with the
    /// block.
    lead: String,
    /// The length of the prefix for containers that already have lines.
    settled: usize,
    /// The open containers (lists, quotes, footnotes). Each has the length of the line prefix that was in use before it
    /// opened, and its list if it is one.
    open: Vec<(usize, Option<List>)>,
    /// The list that has just ended, and the length of its prefix.
    ended: Option<(usize, List)>,
    /// The kind of the last block.
    before: Before,
    /// Whether the next block needs no empty line before it.
    joins: bool,
}

#[derive(Clone, Copy)]
struct List {
    kind: ListKind,
    /// Whether the list directly follows another one of the same kind. It then uses another bullet, or Markdown would
    /// join the two.
    uses_other_mark: bool,
    /// The number of the next item, if items are numbered.
    next: Option<i64>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Before {
    /// The text of an item; the next item may follow on the next line.
    ItemText,
    /// A term; its definition follows on the next line.
    Term,
    #[default]
    Other,
}

impl<'w> Writer<'w> {
    fn blocks(&mut self, blocks: &[Block<'w>]) {
        let mut at = 0;
        while let Some(block) = blocks.get(at) {
            let end = self.html_end(blocks, at);
            if end > at {
                self.html(&blocks[at..end]);
                at = end;
                continue;
            }
            match *block {
                Block::Open(container) => self.open(container),
                Block::Close(container) => self.close(container),
                Block::Paragraph(paragraph, _) => {
                    let is_item = at > 0 && matches!(blocks[at - 1], Block::Open(Container::Item(..)));
                    if let Some(checked) =
                        paragraph.item.and_then(|item| item.checked).filter(|_| is_item && is_text(paragraph))
                    {
                        self.lead.push_str(if checked { "[x] " } else { "[ ] " });
                    }
                    self.paragraph(paragraph);
                    self.before = match blocks[..at].last() {
                        Some(Block::Open(Container::Item(Some(ItemPart::Term), _))) => Before::Term,
                        _ if is_item && is_text(paragraph) => Before::ItemText,
                        _ => Before::Other,
                    };
                }
                Block::Object(object, caption) => self.object(object, caption),
            }
            at += 1;
        }
    }

    /// The end of the blocks from `at` on that must be written as HTML; `at` itself if Markdown can express this block.
    fn html_end(&self, blocks: &[Block<'w>], at: usize) -> usize {
        match blocks[at] {
            Block::Open(Container::Note(_)) => {
                let mut end = at;
                while let Some(Block::Open(Container::Note(label))) = blocks.get(end)
                    && !self.notes.contains(label)
                {
                    end = behind_container(blocks, end);
                }
                end
            }
            Block::Open(Container::List(ListKind::Definitions, _)) => {
                let end = behind_container(blocks, at);
                if has_terms(&blocks[at..end], false) { at } else { end }
            }
            Block::Object(object, _) if object.kind == ObjectKind::Embed => at + 1,
            Block::Paragraph(paragraph, caption) => match paragraph.kind {
                ParagraphKind::Caption => at + 1,
                ParagraphKind::Table => {
                    let has_caption = paragraph.table.as_ref().is_some_and(|table| table.caption.is_some());
                    if has_caption || caption.is_some() || !is_plain(&grid(paragraph)) { at + 1 } else { at }
                }
                _ => at,
            },
            _ => at,
        }
    }

    /// Writes blocks as HTML, without empty lines, because an empty line would end the HTML.
    fn html(&mut self, blocks: &[Block<'_>]) {
        let mut html = String::new();
        html::write(blocks, &self.levels, &mut html);
        self.begin();
        for (number, line) in html.trim_end().split('\n').enumerate() {
            let is_blank = line.trim().is_empty();
            match number {
                0 => {}
                _ if is_blank => self.out.push_str("&#10;"),
                _ => self.out.push_str(&format!("\n{}", self.prefix)),
            }
            self.out.push_str(line);
        }
        self.out.push('\n');
        self.before = Before::Other;
    }

    fn open(&mut self, container: Container<'_>) {
        let length = self.prefix.len();
        let is_first = self.lead.is_empty();
        if is_first {
            self.lead.push_str(&self.prefix);
            self.joins = false;
        }
        let mut list = None;
        match container {
            Container::Note(label) => self.indent(&format!("[^{label}]: "), INDENT.len()),
            Container::Quote(_) => {
                self.lead.push_str("> ");
                self.prefix.push_str("> ");
            }
            Container::List(kind, _) => {
                let same = self.ended.filter(|(prefix, list)| *prefix == length && list.kind == kind);
                if same.is_some() && kind == ListKind::Definitions {
                    // Nothing else can separate two such lists.
                    self.lead.clear();
                    self.line("<!-- -->");
                    self.lead.push_str(&self.prefix);
                }
                list = Some(List {
                    kind,
                    uses_other_mark: same.is_some_and(|(_, list)| !list.uses_other_mark),
                    next: None,
                });
            }
            Container::Item(part, number) => self.open_item(part, number, is_first),
        }
        if let Container::List(..) = container
            && is_first
        {
            // The first item of the list writes the mark.
            self.lead.clear();
        }
        self.open.push((length, list));
    }

    fn open_item(&mut self, part: Option<ItemPart>, number: Option<i32>, is_first: bool) {
        let Some((_, Some(list))) = self.open.last_mut() else { return };
        match (list.kind, part) {
            (ListKind::Definitions, Some(ItemPart::Term)) => {}
            (ListKind::Definitions, _) => {
                self.joins = is_first && self.before == Before::Term;
                self.indent(":   ", INDENT.len());
            }
            (ListKind::Bullets, _) => {
                self.joins =
                    is_first && self.before == Before::ItemText && !(list.uses_other_mark && list.next.is_none());
                list.next = Some(0);
                let mark = if list.uses_other_mark { "* " } else { "- " };
                self.indent(mark, mark.len());
            }
            (ListKind::Numbers, _) => {
                let number = number.map(i64::from).filter(|number| (0..=999_999_999).contains(number));
                let number = number.or(list.next).unwrap_or(1);
                // Parsers number items from the first one on. A number out of order needs a new list with another
                // mark.
                let is_begin = list.next != Some(number);
                list.uses_other_mark ^= is_begin && list.next.is_some();
                list.next = Some(number + 1);
                self.joins =
                    is_first && self.before == Before::ItemText && (!is_begin || number == 1 && !list.uses_other_mark);
                let mark = format!("{number}{} ", if list.uses_other_mark { ')' } else { '.' });
                self.indent(&mark, mark.len());
            }
        }
    }

    fn indent(&mut self, mark: &str, width: usize) {
        self.lead.push_str(mark);
        self.prefix.extend(std::iter::repeat_n(' ', width));
    }

    fn close(&mut self, container: Container<'_>) {
        let Some((length, list)) = self.open.pop() else { return };
        self.prefix.truncate(length);
        self.settled = self.settled.min(length);
        self.lead.clear();
        if let (Container::List(..), Some(list)) = (container, list) {
            self.ended = Some((length, list));
        }
    }

    /// Begins a block: writes an empty line if needed, and the text before its first line.
    fn begin(&mut self) {
        if !self.out.is_empty() && !std::mem::take(&mut self.joins) {
            self.out.push_str(self.prefix[..self.settled].trim_end());
            self.out.push('\n');
        }
        self.joins = false;
        let lead = std::mem::take(&mut self.lead);
        self.out.push_str(if lead.is_empty() { &self.prefix } else { &lead });
        self.settled = self.prefix.len();
        self.ended = None;
    }

    /// Writes a block of one line.
    fn line(&mut self, text: &str) {
        self.begin();
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn paragraph(&mut self, paragraph: &DocumentParagraph) {
        match paragraph.kind {
            ParagraphKind::Code => return self.code(paragraph),
            ParagraphKind::Table => return self.table(&grid(paragraph), &paragraph.text),
            ParagraphKind::Formula => return self.formula(&paragraph.text),
            _ => {}
        }
        self.begin();
        let runs = Marked::new(paragraph, None).runs();
        if paragraph.kind == ParagraphKind::Heading {
            self.out.push_str(&"#".repeat(usize::from(self.levels.level(paragraph))));
            self.out.push(' ');
            let mut text = self.inline(&paragraph.text, &runs, false).block(&runs, false);
            // Number signs at the end would be read as part of the heading mark.
            let marks = text.bytes().rev().take_while(|byte| *byte == b'#').count();
            if marks > 0 && text[..text.len() - marks].chars().next_back().is_none_or(char::is_whitespace) {
                text.insert(text.len() - 1, '\\');
            }
            self.out.push_str(&text);
        } else {
            let text = self.inline(&paragraph.text, &runs, true).block(&runs, true);
            // Escape text that looks like the checkbox of a task.
            let is_box = ["[ ] ", "[x] ", "[X] "].iter().any(|begin| text.starts_with(begin));
            self.out.push_str(if is_box { "\\" } else { "" });
            self.out.push_str(&text);
        }
        self.out.push('\n');
    }

    fn inline<'a>(&'a self, text: &str, runs: &[Run<'_>], has_lines: bool) -> Inline<'a> {
        let has_math = runs.iter().any(|run| matches!(run, Run::Math(_)));
        let has_deleted = runs.contains(&Run::Open(Style::Deleted));
        Inline {
            escaping: Escaping::of(text, has_math, has_deleted),
            next_line: has_lines.then_some(self.prefix.as_str()),
            notes: &self.notes,
        }
    }

    fn code(&mut self, paragraph: &DocumentParagraph) {
        let fence = "`".repeat(fence(&paragraph.text, 3));
        self.begin();
        self.out.push_str(&format!("{fence}{}\n", language(paragraph).unwrap_or_default()));
        let is_kept = |c: &char| !c.is_control() || *c == '\t';
        for line in paragraph.text.replace("\r\n", "\n").split(['\n', '\r']) {
            let line: String = line.chars().filter(is_kept).collect();
            let line = format!("{}{line}", self.prefix);
            // An empty line needs no indentation, only the marks of its quotes.
            self.out.push_str(if line.len() == self.prefix.len() { line.trim_end() } else { &line });
            self.out.push('\n');
        }
        self.out.push_str(&format!("{}{fence}\n", self.prefix));
    }

    /// Writes a table whose first row is its header; Markdown requires one.
    fn table(&mut self, grid: &Grid<'_>, text: &str) {
        self.begin();
        let columns = grid.rows.iter().map(Vec::len).max().unwrap_or(0);
        let runs: Vec<Run<'_>> = grid.rows.iter().flatten().flat_map(|cell| cell.runs.iter().copied()).collect();
        let inline = self.inline(text, &runs, false);
        let inline = Inline { escaping: Escaping { in_cell: true, ..inline.escaping }, ..inline };
        let rows = grid.rows.iter();
        let rows = rows.map(|row| row.iter().map(|cell| inline.block(&cell.runs, false)).collect::<Vec<_>>());
        let empty = (grid.head_rows == 0).then(Vec::new);
        let mut lines = String::new();
        for (number, row) in empty.into_iter().chain(rows).enumerate() {
            let missing = if number == 0 { columns.saturating_sub(row.len()) } else { 0 };
            let start = if number == 0 { "" } else { self.prefix.as_str() };
            lines.push_str(&format!("{start}| {} |\n", [row, vec![String::new(); missing]].concat().join(" | ")));
            if number == 0 {
                lines.push_str(&format!("{}{}|\n", self.prefix, "| --- ".repeat(columns)));
            }
        }
        self.out.push_str(&lines);
    }

    fn formula(&mut self, text: &str) {
        let tex = text.replace(char::is_control, " ");
        let tex = tex.trim();
        if is_math(tex) {
            return self.line(&format!("$${tex}$$"));
        }
        let element = self.inline(tex, &[], false).math_element(tex, " display=\"block\"");
        self.line(&element);
    }

    fn object(&mut self, object: &Object, caption: Option<&DocumentParagraph>) {
        self.before = Before::Other;
        if object.kind == ObjectKind::Rule {
            // At the beginning of the file, three dashes would begin the metadata.
            return self.line(if self.out.is_empty() { "***" } else { "---" });
        }
        self.begin();
        let source = object.source.as_deref().filter(|source| may_be_shown(source));
        let alt = object.alt.as_deref().unwrap_or_default();
        let mut text = String::new();
        Escaping { in_link: true, ..Escaping::of(alt, true, true) }.push(alt, '[', ']', &mut text);
        self.out
            .push_str(&format!("![{text}]({})", source.map_or_else(String::new, |source| destination(source, false))));
        let own = own_caption(object);
        if let Some(caption) = caption.or(own.as_ref()) {
            let runs = Marked::new(caption, object.credit.as_deref()).runs();
            let text = self.inline(&caption.text, &runs, true).block(&runs, true);
            self.out.push_str(&format!("\\\n{}{text}", self.prefix));
        }
        self.out.push('\n');
    }
}

/// Whether a table has one header row and only ordinary rows below.
fn is_plain(grid: &Grid<'_>) -> bool {
    let mut cells = grid.rows.iter().flatten();
    grid.head_rows <= 1 && grid.head_columns == 0 && cells.all(|cell| !cell.is_covered)
}
