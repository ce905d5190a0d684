//! Converts the text of a paragraph with its marks (links, emphasis and so on) into runs: pieces of text, and styles
//! that open and close in proper nesting.
//!
//! Marks outside the text, or inside another mark of the same kind, are ignored. A mark that overlaps the end of
//! another ends with it. A mark that extends beyond its table cell ends with the cell.

use std::ops::Range;

use goldminer_core::document::{DocumentParagraph, Mark, MarkKind, ParagraphKind};

/// A piece of a text, or the start or end of a style.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Run<'t> {
    Text(&'t str),
    Open(Style<'t>),
    Close(Style<'t>),
    /// A line break.
    Break,
    /// A formula in TeX.
    Math(&'t str),
    /// A footnote reference: its label, and its text.
    Note(&'t str, &'t str),
}

/// The style of a part of a text, which may contain other runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style<'t> {
    Link(&'t str),
    Emphasis,
    Strong,
    Code,
    Sub,
    Sup,
    Deleted,
    /// The credit of a picture, inside a caption.
    Credit,
}

/// A text with valid, nested marks. Their positions are in bytes.
pub(crate) struct Marked<'t> {
    text: &'t str,
    marks: Vec<(Range<usize>, Kind<'t>)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind<'t> {
    Style(Style<'t>),
    Break,
    Math,
    Note(&'t str),
}

impl<'t> Marked<'t> {
    /// The text of a paragraph with its marks. In a caption, the text `credit` is marked as the credit.
    pub(crate) fn new(paragraph: &'t DocumentParagraph, credit: Option<&str>) -> Self {
        let text = paragraph.text.as_str();
        let mut marks = by_bytes(text, &paragraph.marks);
        let credit = credit.filter(|credit| !credit.is_empty()).and_then(|credit| Some((text.rfind(credit)?, credit)));
        if let Some((at, credit)) = credit {
            marks.push((at..at + credit.len(), Kind::Style(Style::Credit)));
        }
        // Of two marks on the same text, the outer one comes first, as on the page.
        marks.sort_by_key(|(at, _)| (at.start, usize::MAX - at.end));
        Self { marks: nested(text, marks, paragraph.kind == ParagraphKind::Table), text }
    }

    /// Widens references to footnotes, for formats that leave them out: the brackets around them and the space before
    /// them belong to them. Separators between references (`1,2`) stay.
    pub(crate) fn without_notes(mut self) -> Self {
        for (range, _) in self.marks.iter_mut().filter(|(_, kind)| matches!(kind, Kind::Note(_))) {
            if self.text[..range.start].ends_with('[') && self.text[range.end..].starts_with(']') {
                *range = range.start - 1..range.end + 1;
            }
            let ends_word = !self.text[range.end..].starts_with(char::is_alphanumeric);
            range.start -= usize::from(ends_word && self.text[..range.start].ends_with(' '));
            range.end += usize::from(range.start == 0 && self.text[range.end..].starts_with(' '));
        }
        // A widened reference may begin before the superscript around it.
        self.marks.sort_by_key(|(range, _)| range.start);
        self
    }

    /// The runs of the whole text.
    pub(crate) fn runs(&self) -> Vec<Run<'t>> {
        self.runs_of(0..self.text.len())
    }

    /// The runs of a cell, given by its byte range.
    fn runs_of(&self, part: Range<usize>) -> Vec<Run<'t>> {
        let mut runs = Runs { text: self.text, at: part.start, runs: Vec::new() };
        let mut open: Vec<(usize, Style<'_>)> = Vec::new();
        let first = self.marks.partition_point(|(range, _)| range.start < part.start);
        for (range, kind) in self.marks[first..].iter().take_while(|(range, _)| range.start < part.end) {
            while let Some((end, style)) = open.pop_if(|(end, _)| *end <= range.start) {
                runs.push_at(end, Run::Close(style));
            }
            let inside = &self.text[range.clone()];
            let run = match *kind {
                Kind::Style(style) => {
                    open.push((range.end, style));
                    Run::Open(style)
                }
                Kind::Break => Run::Break,
                Kind::Math => Run::Math(inside),
                Kind::Note(label) => Run::Note(label, inside),
            };
            runs.push_at(range.start, run);
            if !matches!(kind, Kind::Style(_)) {
                runs.at = range.end;
            }
        }
        while let Some((end, style)) = open.pop() {
            runs.push_at(end, Run::Close(style));
        }
        runs.text_to(part.end);
        runs.runs
    }

    /// The cells of a table, row by row.
    pub(crate) fn rows(&self) -> Vec<Vec<Vec<Run<'t>>>> {
        let mut start = 0;
        let mut cells = |row: &str| {
            let cell = |cell: &str| {
                let from = start;
                start += cell.len() + 1;
                self.runs_of(from..from + cell.len())
            };
            row.split('\t').map(cell).collect()
        };
        self.text.split('\n').map(&mut cells).collect()
    }
}

struct Runs<'t> {
    text: &'t str,
    at: usize,
    runs: Vec<Run<'t>>,
}

impl<'t> Runs<'t> {
    fn text_to(&mut self, place: usize) {
        if self.at < place {
            self.runs.push(Run::Text(&self.text[self.at..place]));
            self.at = place;
        }
    }

    fn push_at(&mut self, place: usize, run: Run<'t>) {
        self.text_to(place);
        self.runs.push(run);
    }
}

/// Converts marks to byte positions, without those that are outside the text or have no effect.
fn by_bytes<'t>(text: &str, marks: &'t [Mark]) -> Vec<(Range<usize>, Kind<'t>)> {
    let starts: Vec<usize> = match marks {
        [] => return Vec::new(),
        _ => text.char_indices().map(|(at, _)| at).chain([text.len()]).collect(),
    };
    let place = |at: u32| starts.get(at as usize).copied().unwrap_or(text.len());
    let placed = |mark: &'t Mark| {
        let range = place(mark.start)..place(mark.end);
        let kind = kind(mark)?;
        let is_space = || text[range.clone()].chars().all(char::is_whitespace);
        let says_something = range.start < range.end && (kind != Kind::Break || range.len() <= 3 && is_space());
        says_something.then_some((range, kind))
    };
    marks.iter().filter_map(placed).collect()
}

fn kind(mark: &Mark) -> Option<Kind<'_>> {
    Some(Kind::Style(match mark.mark {
        MarkKind::Link => Style::Link(mark.target.as_deref().filter(|target| leads_somewhere(target))?),
        MarkKind::Emphasis => Style::Emphasis,
        MarkKind::Strong => Style::Strong,
        MarkKind::Code => Style::Code,
        MarkKind::Sub => Style::Sub,
        MarkKind::Sup => Style::Sup,
        MarkKind::Deleted => Style::Deleted,
        MarkKind::Math => return Some(Kind::Math),
        MarkKind::LineBreak => return Some(Kind::Break),
        MarkKind::NoteReference => return mark.target.as_deref().filter(|label| !label.is_empty()).map(Kind::Note),
        _ => return None,
    }))
}

/// Whether a link target is an absolute URL that neither runs a script nor contains its content (`data:`).
pub(crate) fn leads_somewhere(target: &str) -> bool {
    let Some((scheme, _)) = target.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    let is_harmless = !["javascript", "vbscript", "data"].iter().any(|bad| scheme.eq_ignore_ascii_case(bad));
    is_scheme && is_harmless && !target.contains(char::is_control)
}

/// Whether the URL of an image may be written. Relative URLs are allowed too, because the page's URL may be unknown.
pub(crate) fn may_be_shown(source: &str) -> bool {
    let is_relative = !source.split(['/', '?', '#']).next().is_some_and(|begin| begin.contains(':'));
    leads_somewhere(source) || is_relative && !source.is_empty() && !source.contains(char::is_control)
}

/// Nests marks that are sorted by their starts. A mark ends with the mark around it at the latest. It is dropped inside
/// one of the same kind, a formula, a line break or a note reference.
fn nested<'t>(text: &str, marks: Vec<(Range<usize>, Kind<'t>)>, is_table: bool) -> Vec<(Range<usize>, Kind<'t>)> {
    let (mut clean, mut open) = (Vec::with_capacity(marks.len()), Vec::<(usize, Kind<'_>)>::new());
    for (mut range, kind) in marks {
        while open.pop_if(|(end, _)| *end <= range.start).is_some() {}
        if is_table && let Some(cell) = text[range.clone()].find(['\t', '\n']) {
            range.end = range.start + cell;
        }
        let is_inside = |(_, around): &(usize, Kind<'_>)| !matches!(around, Kind::Style(_)) || is_same(around, &kind);
        range.end = open.last().map_or(range.end, |(end, _)| range.end.min(*end));
        if range.is_empty() || open.iter().any(is_inside) {
            continue;
        }
        open.push((range.end, kind));
        clean.push((range, kind));
    }
    clean
}

fn is_same(around: &Kind<'_>, kind: &Kind<'_>) -> bool {
    match (around, kind) {
        (Kind::Style(around), Kind::Style(kind)) => std::mem::discriminant(around) == std::mem::discriminant(kind),
        _ => false,
    }
}
