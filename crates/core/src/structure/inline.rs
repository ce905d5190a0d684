//! Makes the text of a paragraph with its marks, such as links, emphasis and formulas. Marks come from the elements
//! around and inside the paragraph. Raw formulas in the text lose their delimiters.

use std::ops::Range;

use goldminer_html::{ElementId, Page, Paragraph, Run, Tag, Tokens, raw_tex};

use super::reader::Reader;
use crate::document::{Mark, MarkKind};

/// The most marks in a paragraph, so that the time for a page stays proportional to its text.
const MAX_MARKS: usize = 1 << 14;
/// The most raw formulas in a text.
const MAX_FORMULAS: usize = 1 << 12;
/// How many earlier marks a mark is compared with, to find duplicates.
const MAX_AROUND: usize = 16;

/// A text with its marks. Positions are in bytes of the text.
#[derive(Debug, Default, Clone)]
pub(super) struct Inline {
    pub(super) text: String,
    pub(super) marks: Vec<ByteMark>,
    /// The ranges of formulas that are on lines of their own.
    pub(super) displays: Vec<Range<usize>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ByteMark {
    pub(super) range: Range<usize>,
    pub(super) kind: MarkKind,
    pub(super) target: Option<String>,
}

impl Inline {
    /// Makes the text of a paragraph, with marks if these are wanted.
    pub(super) fn of(reader: &Reader<'_>, paragraph: &Paragraph) -> Self {
        let page = reader.page;
        let mut inline = Self { text: paragraph.text.to_string(), ..Self::default() };
        let runs = page.runs(paragraph);
        if reader.wants_marks {
            inline.add_marks(reader, paragraph, runs);
        }
        let formula = |run: &Run| Some((run.start as usize..run.end as usize, page.formula_at(run.at)?.display));
        inline.mark_formulas(runs.iter().filter_map(formula).take(MAX_MARKS).collect());
        if raw_tex::may_hold(&inline.text) {
            inline.take_raw_formulas(|| reader.draws_formulas());
        }
        if reader.wants_marks && inline.marks.len() > 1 {
            inline.order();
        }
        inline
    }

    fn add_marks(&mut self, reader: &Reader<'_>, paragraph: &Paragraph, runs: &[Run]) {
        let page = reader.page;
        let first_inside = page.elements().partition_point(|element| element.start <= paragraph.span.start);
        let around = first_inside.checked_sub(1).and_then(|at| page.ids_from(at).next());
        let around = around.into_iter().flat_map(|id| page.ancestors_and_self(id));
        let around = around.filter(|id| page.element(*id).close > paragraph.span.start);
        for id in around {
            self.mark(reader, paragraph, id, runs);
        }
        if paragraph.tags == 0 && runs.len() <= 1 {
            return;
        }
        let inside = page.ids_from(first_inside).take_while(|id| page.element(*id).start < paragraph.span.end);
        for id in inside {
            if self.marks.len() >= MAX_MARKS {
                break;
            }
            self.mark(reader, paragraph, id, runs);
        }
    }

    fn mark(&mut self, reader: &Reader<'_>, paragraph: &Paragraph, id: ElementId, runs: &[Run]) {
        let element = reader.page.element(id);
        let kind = match element.tag {
            Tag::A => MarkKind::Link,
            Tag::Em | Tag::I | Tag::Cite | Tag::Dfn | Tag::Var => MarkKind::Emphasis,
            Tag::Strong | Tag::B => MarkKind::Strong,
            Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => MarkKind::Code,
            Tag::Sub => MarkKind::Sub,
            Tag::Sup => MarkKind::Sup,
            Tag::Del | Tag::S | Tag::Strike => MarkKind::Deleted,
            Tag::Br => return self.line_break(element.start, runs),
            Tag::Pre => return self.lines(reader.page, runs),
            _ => return,
        };
        let Some(range) = text_between(runs, element.content, element.close) else { return };
        let is_whole = range == (0..self.text.len());
        let is_of_heading = is_whole && paragraph.heading.is_some() && kind != MarkKind::Link && kind != MarkKind::Code;
        // Emphasis of a whole heading has no meaning. A mark inside another one of the same kind only repeats it. This
        // happens if a link has no end tag.
        if is_of_heading
            || self.marks.iter().rev().take(MAX_AROUND).any(|mark| mark.kind == kind && contains(&mark.range, &range))
        {
            return;
        }
        let (kind, target) = match kind {
            MarkKind::Link => match reader.link(id) {
                Some(Ok(label)) => (MarkKind::NoteReference, Some(label.to_owned())),
                Some(Err(target)) => (MarkKind::Link, Some(target)),
                None => return,
            },
            kind => (kind, None),
        };
        self.marks.push(ByteMark { range, kind, target });
    }

    fn line_break(&mut self, at: u32, runs: &[Run]) {
        let behind = runs.partition_point(|run| run.at < at);
        let Some(next) = runs.get(behind).filter(|_| behind > 0) else { return };
        let start = next.start as usize;
        if start > 0 && self.text.as_bytes()[start - 1] == b' ' {
            self.marks.push(ByteMark { range: start - 1..start, kind: MarkKind::LineBreak, target: None });
        }
    }

    /// Marks the line ends of preformatted text that is not a listing, such as a poem.
    fn lines(&mut self, page: &Page, runs: &[Run]) {
        for run in runs.iter().take(MAX_MARKS) {
            let source = page.text()[run.at as usize..].split('<').next().unwrap_or_default().trim_ascii_end();
            let source: String = Tokens::new(source).map(|token| token.text(source).into_owned()).collect();
            let written = source.split(|c: char| !c.is_whitespace()).filter(|space| !space.is_empty());
            let read = self.text[run.start as usize..run.end as usize].match_indices(' ');
            if written.clone().count() != read.clone().count() {
                continue;
            }
            let ends = written.zip(read).filter(|(space, _)| space.contains('\n'));
            self.marks.extend(ends.map(|(_, (at, _))| {
                let at = run.start as usize + at;
                ByteMark { range: at..at + 1, kind: MarkKind::LineBreak, target: None }
            }));
        }
    }

    /// Marks formulas, given in order. `true` means that a formula is on a line of its own.
    fn mark_formulas(&mut self, formulas: Vec<(Range<usize>, bool)>) {
        if formulas.is_empty() {
            return;
        }
        let is_formula = |range: &Range<usize>| {
            let ends = |(formula, _): &(Range<usize>, bool)| (formula.start, formula.end);
            formulas.binary_search_by_key(&(range.start, range.end), ends).is_ok()
        };
        // Other marks with the same range only render the formula, unless they are links.
        self.marks.retain(|mark| mark.kind == MarkKind::Link || !is_formula(&mark.range));
        for (range, display) in formulas {
            if display {
                self.displays.push(range.clone());
            }
            self.marks.push(ByteMark { range, kind: MarkKind::Math, target: None });
        }
    }

    /// Removes the delimiters of raw formulas from the text.
    fn take_raw_formulas(&mut self, is_drawn: impl Fn() -> bool) {
        let is_taken = |range: &Range<usize>, marks: &[ByteMark]| {
            let holds = |mark: &ByteMark| matches!(mark.kind, MarkKind::Code | MarkKind::Math);
            marks.iter().any(|mark| holds(mark) && mark.range.start < range.end && range.start < mark.range.end)
        };
        let mut found = raw_tex::find(&self.text, is_drawn);
        found.truncate(MAX_FORMULAS);
        found.retain(|formula| !is_taken(&formula.whole, &self.marks));
        if found.is_empty() {
            return;
        }
        let mut cuts: Vec<Range<usize>> = Vec::with_capacity(2 * found.len());
        for formula in &found {
            cuts.push(formula.whole.start..formula.tex.start);
            cuts.push(formula.tex.end..formula.whole.end);
        }
        // Marks inside a formula are from a Markdown program that misread its signs.
        self.marks.retain(|mark| !found.iter().any(|formula| contains(&formula.whole, &mark.range)));
        self.cut(&cuts);
        let mut removed = 0;
        let bare = found.into_iter().map(|formula| {
            removed += formula.tex.start - formula.whole.start;
            let range = formula.tex.start - removed..formula.tex.end - removed;
            removed += formula.whole.end - formula.tex.end;
            (range, formula.display)
        });
        self.mark_formulas(bare.collect());
    }

    /// Removes ranges from the text and adjusts the marks. The ranges must be in order.
    pub(super) fn cut(&mut self, cuts: &[Range<usize>]) {
        let mut text = String::with_capacity(self.text.len());
        let mut from = 0;
        for cut in cuts {
            text.push_str(&self.text[from..cut.start.max(from)]);
            from = cut.end.max(from);
        }
        text.push_str(&self.text[from..]);
        self.text = text;
        // A position inside a removed range moves to its beginning.
        // A hostile paragraph may have hundreds of thousands of cuts, so the lengths before each are added up once.
        let add_up = |lost: &mut usize, cut: &Range<usize>| Some(std::mem::replace(lost, *lost + cut.len()));
        let lost: Vec<usize> = cuts.iter().scan(0, add_up).collect();
        let moved = |at: usize| match cuts.partition_point(|cut| cut.start < at).checked_sub(1) {
            Some(last) => at - lost[last] - (cuts[last].end.min(at) - cuts[last].start),
            None => at,
        };
        let move_range = |range: &Range<usize>| moved(range.start)..moved(range.end);
        self.marks.iter_mut().for_each(|mark| mark.range = move_range(&mark.range));
        self.marks.retain(|mark| !mark.range.is_empty());
        self.displays.iter_mut().for_each(|range| *range = move_range(range));
    }

    /// Sorts the marks and removes repeated ones. A mark that begins inside another one ends with it at the latest, and
    /// is removed if both are of the same kind.
    pub(super) fn order(&mut self) {
        if self.marks.iter().any(|mark| mark.kind == MarkKind::NoteReference) {
            let references = self.marks.iter().filter(|mark| mark.kind == MarkKind::NoteReference);
            let notes: Vec<Range<usize>> = references.map(|mark| mark.range.clone()).collect();
            self.marks.retain(|mark| mark.kind == MarkKind::NoteReference || !notes.contains(&mark.range));
        }
        self.marks.sort_by(|a, b| (a.range.start, b.range.end).cmp(&(b.range.start, a.range.end)));
        self.marks.dedup();
        let mut open: Vec<(usize, MarkKind)> = Vec::new();
        self.marks.retain_mut(|mark| {
            while open.pop_if(|(end, _)| *end <= mark.range.start).is_some() {}
            if open.iter().any(|(_, kind)| *kind == mark.kind) {
                return false;
            }
            mark.range.end = open.last().map_or(mark.range.end, |(end, _)| mark.range.end.min(*end));
            open.push((mark.range.end, mark.kind));
            !mark.range.is_empty()
        });
    }

    /// The marks, with positions in characters instead of bytes.
    pub(super) fn marks_by_chars(&self) -> Vec<Mark> {
        let is_ascii = self.text.is_ascii();
        let mut known = (0, 0);
        let mut chars = |at: usize| {
            if is_ascii {
                return at as u32;
            }
            // Marks are in the order of their beginnings, so counting can go on from the last position.
            let (from, count) = if known.0 <= at { known } else { (0, 0) };
            known = (at, count + self.text[from..at].chars().count());
            known.1 as u32
        };
        let marks = self.marks.iter().map(|mark| {
            let start = chars(mark.range.start);
            let length = if is_ascii { mark.range.len() } else { self.text[mark.range.clone()].chars().count() };
            Mark { start, end: start + length as u32, mark: mark.kind, target: mark.target.clone() }
        });
        marks.collect()
    }

    /// Returns a range of the text with its marks, without white space at its ends.
    fn slice(&self, range: Range<usize>) -> Self {
        let text = &self.text[range.clone()];
        let trimmed = text.trim();
        let start = range.start + text.len() - text.trim_start().len();
        let end = start + trimmed.len();
        let marks = self.marks.iter().filter_map(|mark| {
            let range = mark.range.start.max(start)..mark.range.end.min(end);
            let range = (range.start < range.end).then(|| range.start - start..range.end - start)?;
            Some(ByteMark { range, ..mark.clone() })
        });
        let marks = marks.collect();
        Self { text: trimmed.to_owned(), marks, displays: Vec::new() }
    }

    /// Splits the text into formulas on lines of their own (true) and the text between them (false).
    pub(super) fn parts(self) -> Vec<(Self, bool)> {
        if self.displays.is_empty() {
            return vec![(self, false)];
        }
        let mut parts = Vec::new();
        let mut from = 0;
        for display in &self.displays {
            // Text between formulas without letters or digits, such as a full stop, is dropped below.
            parts.push((self.slice(from..display.start.max(from)), false));
            parts.push((self.slice(display.clone()), true));
            from = display.end.max(from);
        }
        parts.push((self.slice(from..self.text.len()), false));
        parts.retain(|(part, is_formula)| *is_formula || part.text.chars().any(char::is_alphanumeric));
        parts
    }

    /// Whether the whole text is one formula.
    pub(super) fn is_formula(&self) -> bool {
        self.marks.iter().any(|mark| mark.kind == MarkKind::Math && mark.range == (0..self.text.len()))
    }

    /// Appends another text.
    pub(super) fn append(&mut self, other: &Self) {
        let by = self.text.len();
        self.text.push_str(&other.text);
        let moved = |mark: &ByteMark| ByteMark { range: mark.range.start + by..mark.range.end + by, ..mark.clone() };
        self.marks.extend(other.marks.iter().map(moved));
    }
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The range of the text that comes from the source between two byte positions of the page.
pub(super) fn text_between(runs: &[Run], from: u32, to: u32) -> Option<Range<usize>> {
    let first = runs.partition_point(|run| run.at < from);
    let behind = runs.partition_point(|run| run.at < to);
    let inside = runs.get(first..behind)?;
    Some(inside.first()?.start as usize..inside.last()?.end as usize)
}
