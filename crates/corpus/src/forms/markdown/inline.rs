//! Writes text with its marks (links, emphasis and so on) in Markdown. If a delimiter would not be recognised next to
//! letters, punctuation or another delimiter (CommonMark 0.31, section 6.2), an HTML element is used instead.

use rustc_hash::FxHashSet;

use super::escape::{Escaping, destination, opener};
use crate::forms::html::element;
use crate::forms::runs::{Run, Style};
use crate::forms::xml::escape;

/// Settings for the texts of a block.
#[derive(Clone, Copy)]
pub(super) struct Inline<'w> {
    pub escaping: Escaping,
    /// The prefix of a continuation line of the block; None if it must be one line.
    pub next_line: Option<&'w str>,
    /// The footnotes that are written in the document.
    pub notes: &'w FxHashSet<&'w str>,
}

/// The character that represents the beginning and the end of a block.
const EDGE: char = '\n';

impl Inline<'_> {
    /// The text of a block. If it begins a line, its first characters are escaped, so that it is not read as another
    /// kind of block.
    pub(super) fn block(self, runs: &[Run<'_>], is_line_start: bool) -> String {
        let text = self.runs(runs, if is_line_start { EDGE } else { ' ' }, EDGE);
        text.trim_matches([' ', '\t']).to_owned()
    }

    fn runs(self, runs: &[Run<'_>], before: char, after: char) -> String {
        let mut out = String::new();
        let mut at = 0;
        while let Some(run) = runs.get(at) {
            let left = out.chars().next_back().unwrap_or(before);
            let end = if let Run::Open(_) = run { closing(runs, at) } else { at };
            let right = runs.get(end + 1).map_or(after, |next| self.first_char(*next, runs.get(end + 2)));
            match *run {
                Run::Text(text) => self.text(text, left, right, &mut out),
                Run::Open(style) => out.push_str(&self.style(style, &runs[at + 1..end], left, right)),
                Run::Close(_) => {}
                Run::Break => {
                    let is_between = at > 0
                        && matches!(runs[at - 1], Run::Text(_))
                        && matches!(runs.get(at + 1), Some(Run::Text(_)));
                    match self.next_line.filter(|_| is_between && !left.is_whitespace()) {
                        Some(start) => out.push_str(&format!("\\\n{start}")),
                        None => out.push_str("<br>"),
                    }
                }
                Run::Math(tex) => out.push_str(&self.math(tex, left, right)),
                Run::Note(label, text) if !self.notes.contains(label) => {
                    out.push_str(&format!("<sup class=\"footnote-ref\"><a href=\"#fn-{}\">", self.attribute(label)));
                    self.escaping.push(text, '>', '<', &mut out);
                    out.push_str("</a></sup>");
                }
                Run::Note(label, _) => out.push_str(&format!("[^{label}]")),
            }
            at = end + 1;
        }
        out
    }

    fn text(self, text: &str, left: char, right: char, out: &mut String) {
        // A line begins at the beginning of the block and after a break.
        let is_line_start = left == EDGE || self.next_line.is_some_and(|start| out.ends_with(&format!("\\\n{start}")));
        if !is_line_start {
            return self.escaping.push(text, left, right, out);
        }
        let text = text.trim_start_matches([' ', '\t']);
        let Some(at) = opener(text) else { return self.escaping.push(text, EDGE, right, out) };
        let mark = char::from(text.as_bytes()[at]);
        out.push_str(&text[..at]);
        out.extend(['\\', mark]);
        self.escaping.push(&text[at + 1..], mark, right, out);
    }

    /// The first character that a run writes. The text before the run is escaped accordingly.
    fn first_char(self, run: Run<'_>, next: Option<&Run<'_>>) -> char {
        match run {
            Run::Text(text) => text.chars().next().unwrap_or(' '),
            Run::Open(Style::Link(_)) | Run::Note(..) => '[',
            Run::Open(Style::Emphasis | Style::Strong) => '*',
            Run::Open(Style::Code) => '`',
            Run::Open(Style::Deleted) => '~',
            Run::Math(_) => '$',
            Run::Break if self.next_line.is_some() && matches!(next, Some(Run::Text(_))) => EDGE,
            Run::Open(_) | Run::Break | Run::Close(_) => '<',
        }
    }

    fn style(self, style: Style<'_>, inside: &[Run<'_>], left: char, right: char) -> String {
        let delimiters: &[&str] = match style {
            Style::Link(target) => {
                // Two adjacent pairs of brackets would be read as one link.
                if left == ']' {
                    return format!("<a href=\"{}\">{}</a>", self.attribute(target), self.runs(inside, '>', '<'));
                }
                let escaping = Escaping { in_link: true, ..self.escaping };
                let text = Self { escaping, ..self }.runs(inside, '[', ']');
                return format!("[{text}]({})", destination(target, self.escaping.in_cell));
            }
            Style::Code => match self.code(inside, left, right) {
                Some(span) => return span,
                None => &[],
            },
            Style::Emphasis => &["*", "_"],
            Style::Strong => &["**", "__"],
            Style::Deleted => &["~~"],
            Style::Sub | Style::Sup | Style::Credit => &[],
        };
        let name = element(style);
        let Some(first) = delimiters.first().and_then(|delimiter| delimiter.chars().next()) else {
            return format!("<{name}>{}</{name}>", self.runs(inside, '>', '<'));
        };
        let text = self.runs(inside, first, first);
        match delimiters.iter().find(|delimiter| fits(delimiter, &text, left, right)) {
            Some(delimiter) => format!("{delimiter}{text}{delimiter}"),
            None => format!("<{name}>{text}</{name}>"),
        }
    }

    /// A code span, if one can contain the text.
    fn code(self, inside: &[Run<'_>], left: char, right: char) -> Option<String> {
        let [Run::Text(text)] = inside else { return None };
        let is_readable = left != '`' && right != '`' && !text.contains(char::is_control) && !text.trim().is_empty();
        // Brackets in it would end the link's text in parsers that first search for link definitions.
        let is_broken =
            self.escaping.in_cell && text.contains("\\|") || self.escaping.in_link && text.contains(['[', ']']);
        if !is_readable || is_broken {
            return None;
        }
        let ticks = "`".repeat(fence(text, 1));
        let is_padded = text.starts_with('`') || text.ends_with('`') || text.starts_with(' ') && text.ends_with(' ');
        let pad = if is_padded { " " } else { "" };
        let text = if self.escaping.in_cell { text.replace('|', "\\|") } else { (*text).to_owned() };
        Some(format!("{ticks}{pad}{text}{pad}{ticks}"))
    }

    fn math(self, tex: &str, left: char, right: char) -> String {
        let is_free = |c: char| !c.is_alphanumeric() && !matches!(c, '$' | '\\');
        if is_free(left) && is_free(right) && is_math(tex) && !(self.escaping.in_cell && tex.contains('|')) {
            return format!("${tex}$");
        }
        self.math_element(tex, "")
    }

    /// A formula that cannot be written with dollar signs, as an HTML element.
    pub(super) fn math_element(self, tex: &str, display: &str) -> String {
        let mut text = String::new();
        Escaping { dollars: true, ..self.escaping }.push(tex, '>', '<', &mut text);
        format!("<math{display} alttext=\"{}\"><mtext>{text}</mtext></math>", self.attribute(tex))
    }

    /// Escapes an attribute's value. A dollar sign in it could end a formula, and a bar could end the table cell.
    fn attribute(self, value: &str) -> String {
        let value = escape(value).replace('$', "&#36;").replace('`', "&#96;");
        if self.escaping.in_cell { value.replace('|', "&#124;") } else { value }
    }
}

/// The index at which the run that opens at `at` closes.
fn closing(runs: &[Run<'_>], at: usize) -> usize {
    let mut depth = 0;
    let ends = |run: &Run<'_>| {
        depth += match run {
            Run::Open(_) => 1,
            Run::Close(_) => -1,
            _ => 0,
        };
        depth == 0
    };
    runs[at..].iter().position(ends).map_or(runs.len() - 1, |length| at + length)
}

/// Whether parsers recognise delimiters around a text.
fn fits(delimiter: &str, text: &str, left: char, right: char) -> bool {
    let mark = delimiter.chars().next().unwrap_or('*');
    let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else { return false };
    if [left, first, last, right].contains(&mark) || first.is_whitespace() || last.is_whitespace() {
        return false;
    }
    let is_letter = char::is_alphanumeric;
    // Parsers differ in which symbols beyond ASCII are punctuation.
    let is_edge = |c: char| c.is_whitespace() || c.is_ascii_punctuation();
    let side = |inner: char, outer: char| {
        let is_side = is_letter(inner) || inner.is_ascii_punctuation() && is_edge(outer);
        is_side && (mark != '_' || is_edge(outer))
    };
    side(first, left) && side(last, right)
}

/// The number of backticks that are needed around a text.
pub(super) fn fence(text: &str, least: usize) -> usize {
    let runs: FxHashSet<usize> = text.split(|c| c != '`').map(str::len).collect();
    match least {
        1 => (1..).find(|length| !runs.contains(length)).unwrap_or(1),
        _ => runs.into_iter().max().map_or(least, |longest| least.max(longest + 1)),
    }
}

/// Whether TeX can be enclosed in dollar signs.
pub(super) fn is_math(tex: &str) -> bool {
    let mut depth = 0_i32;
    let mut is_escaped = false;
    let is_balanced = tex.chars().all(|c| {
        if !is_escaped {
            depth += i32::from(c == '{') - i32::from(c == '}');
        }
        is_escaped = c == '\\' && !is_escaped;
        depth >= 0
    });
    let is_free = !tex.contains(['$', '`']) && !tex.contains(char::is_control);
    let is_tight = !tex.is_empty() && !tex.starts_with(char::is_whitespace) && !tex.ends_with(char::is_whitespace);
    is_balanced && depth == 0 && !is_escaped && is_free && is_tight
}
