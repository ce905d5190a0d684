//! Reads the text of preformatted elements with its lines and white space. Listings need these, but paragraphs do not
//! keep them.
//!
//! The text is read from the source again, when it is requested. Line numbers of syntax highlighters are left out.

use super::hidden::declarations;
use crate::Page;
use crate::element::ElementId;
use crate::tag::Tag;
use crate::tokens::{Token, TokenKind, Tokens};

/// A text is code if more than this many thousandths of its characters are symbols that are rare in prose.
const MANY_SYMBOLS: usize = 60;

impl Page {
    /// The lines of a preformatted element as a browser shows them, without line numbers.
    pub fn preformatted(&self, id: ElementId) -> String {
        let source = self.inner_source(id);
        let mut text = String::with_capacity(source.len());
        let mut passed_over: Option<(Tag, usize)> = None;
        let mut before = None;
        let mut rows = TableRows { tables: usize::from(self.element(id).tag == Tag::Table), ..TableRows::default() };
        for token in Tokens::new(source) {
            let is_line = matches!(token.kind, TokenKind::StartTag { tag: Tag::Code, .. }) && before == Some(Tag::Code);
            before = if let TokenKind::EndTag { tag, .. } = token.kind { Some(tag) } else { None };
            if is_line && passed_over.is_none() {
                text.push('\n');
            }
            if passed_over.is_none() {
                rows.read(token.kind, &mut text);
            }
            match (token.kind, &mut passed_over) {
                (TokenKind::StartTag { tag, .. }, Some((hidden, depth))) => *depth += usize::from(tag == *hidden),
                (TokenKind::EndTag { tag, .. }, Some((hidden, depth))) => {
                    *depth -= usize::from(tag == *hidden);
                    if *depth == 0 {
                        passed_over = None;
                    }
                }
                (_, Some(_)) => {}
                (TokenKind::StartTag { tag, self_closing: false, .. }, None) if tag.has_no_text() && !tag.is_void() => {
                    passed_over = Some((tag, 1));
                }
                (TokenKind::StartTag { tag, self_closing: false, .. }, None)
                    if matches!(tag, Tag::Span | Tag::Td | Tag::Div | Tag::A | Tag::I) && numbers(&token, source) =>
                {
                    rows.cell = rows.cell.filter(|_| tag != Tag::Td);
                    passed_over = Some((tag, 1));
                }
                (TokenKind::StartTag { tag: Tag::Br, .. } | TokenKind::EndTag { tag: Tag::Tr, .. }, None) => {
                    text.push('\n')
                }
                (TokenKind::StartTag { tag, .. } | TokenKind::EndTag { tag, .. }, None)
                    if tag.is_block()
                        && !matches!(tag, Tag::Td | Tag::Th)
                        && !text.is_empty()
                        && !text.ends_with('\n') =>
                {
                    text.push('\n');
                }
                (TokenKind::Text, None) if rows.is_between_cells() && token.source(source).trim_ascii().is_empty() => {}
                (TokenKind::Text | TokenKind::RawText, None) => text.push_str(&token.text(source)),
                _ => {}
            }
        }
        let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        without_numbers(&mut lines);
        let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
        let end = lines.iter().rposition(|line| !line.is_empty()).map_or(first, |last| last + 1);
        let mut clean = String::with_capacity(text.len());
        for (at, line) in lines[first..end].iter().enumerate() {
            if at > 0 {
                clean.push('\n');
            }
            add_clean(line, &mut clean);
        }
        clean
    }

    /// Whether a preformatted element contains code or the output of a program: it has a `code`, `samp` or `kbd`
    /// element, a prompt (`$ make`), or many symbols that are rare in prose.
    pub fn holds_code(&self, id: ElementId) -> bool {
        let inside = id.index() + 1..self.element(id).subtree_end as usize;
        if self.elements()[inside].iter().any(|element| matches!(element.tag, Tag::Code | Tag::Samp | Tag::Kbd)) {
            return true;
        }
        let text = htmlize::unescape(self.inner_source(id));
        let is_command = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/'));
        if text.lines().any(|line| line.strip_prefix("$ ").is_some_and(is_command)) {
            return true;
        }
        let (mut symbols, mut all) = (0, 0);
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            all += 1;
            symbols += usize::from(matches!(c, '{' | '}' | '=' | '_' | '\\' | '$' | '#' | '|' | '[' | ']' | ';' | '('));
        }
        symbols * 1_000 > all * MANY_SYMBOLS
    }
}

/// The tables inside a listing. Some have a row for each line; the white space between their rows is not code.
#[derive(Debug, Default)]
struct TableRows {
    /// The numbers of open tables and `pre` elements.
    tables: usize,
    pres: usize,
    /// The length of the text at the start of the open cell.
    cell: Option<usize>,
}

impl TableRows {
    fn read(&mut self, token: TokenKind, text: &mut String) {
        match token {
            TokenKind::StartTag { tag: Tag::Table, .. } => (self.tables, self.cell) = (self.tables + 1, None),
            TokenKind::EndTag { tag: Tag::Table, .. } => {
                (self.tables, self.cell) = (self.tables.saturating_sub(1), None);
            }
            TokenKind::StartTag { tag: Tag::Pre, .. } => self.pres += 1,
            TokenKind::EndTag { tag: Tag::Pre, .. } => self.pres = self.pres.saturating_sub(1),
            TokenKind::StartTag { tag: Tag::Td | Tag::Th, .. } => self.cell = Some(text.len()),
            TokenKind::EndTag { tag: Tag::Td | Tag::Th, .. } => {
                let start = self.cell.take();
                // The row ends the line. A line end inside the cell is only there to give an empty line its height.
                let ends_line = start.is_some_and(|start| start < text.len()) && text.ends_with('\n');
                text.truncate(text.len() - usize::from(ends_line));
            }
            _ => {}
        }
    }

    /// Whether the text at hand is between the cells of a table.
    fn is_between_cells(&self) -> bool {
        self.tables > 0 && self.pres == 0 && self.cell.is_none()
    }
}

/// Class names of elements with line numbers from Pygments, Chroma, highlight.js, Prism, Shiki, GitHub.
const GUTTERS: [&str; 17] = [
    "lineno",
    "linenos",
    "ln",
    "lnt",
    "lnlinks",
    "line-number",
    "line-numbers-rows",
    "linenumber",
    "lineNumber",
    "gutter",
    "line-num",
    "hljs-ln-numbers",
    "hljs-ln-n",
    "rouge-gutter",
    "blob-num",
    "code-line-number",
    "codeline-num",
];

/// Whether an element contains line numbers, or a text that readers cannot select, such as a command prompt.
fn numbers(token: &Token, source: &str) -> bool {
    let names_gutter = |class: &str| class.split_ascii_whitespace().any(|name| GUTTERS.contains(&name));
    let is_unselectable = |(property, value): (&str, &str)| property.ends_with("user-select") && value == "none";
    token.attributes(source).any(|attribute| {
        attribute.is("class") && names_gutter(attribute.raw_value)
            || attribute.is("style") && declarations(attribute.raw_value).any(is_unselectable)
    })
}

/// Adds a line to `clean`, without its control characters (except tabs) and byte order marks. No-break spaces are written
/// as spaces: pages use them for indentation.
fn add_clean(line: &str, clean: &mut String) {
    // In UTF-8, no-break spaces and control characters beyond ASCII begin with 0xc2, and byte order marks with 0xef.
    if line.bytes().any(|byte| byte < b' ' && byte != b'\t' || byte == 0x7f || byte == 0xc2 || byte == 0xef) {
        let kept = line.chars().filter(|c| *c == '\t' || !c.is_control() && *c != '\u{feff}');
        clean.extend(kept.map(|c| if c == '\u{a0}' { ' ' } else { c }));
    } else {
        clean.push_str(line);
    }
}

/// Whether a text consists of consecutive line numbers.
pub fn numbers_lines(text: &str) -> bool {
    let mut numbers = text.split_whitespace().map(|word| word.trim_end_matches('.').parse::<u32>().ok());
    let Some(Some(first)) = numbers.next() else { return false };
    (first + 1..).zip(numbers.by_ref()).all(|(expected, found)| found == Some(expected))
}

/// Removes line numbers from the beginning of the lines, if there are at least three lines and all are numbered.
fn without_numbers(lines: &mut [&str]) {
    let number = |line: &str| {
        let line = line.trim_start();
        let end = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
        line[..end].parse::<u32>().ok()
    };
    let mut expected = None;
    let follow = |line: &&str| {
        let found = number(line);
        let follows = found.is_some() && expected.is_none_or(|expected| found == Some(expected));
        expected = found.map(|found| found.saturating_add(1));
        follows
    };
    if lines.len() < 3 || !lines.iter().all(follow) {
        return;
    }
    for line in lines {
        let behind = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        *line = behind.strip_prefix([' ', '\t', '|', ':', '.']).unwrap_or(behind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(html: &str) -> String {
        let page = Page::parse(html.to_owned());
        page.preformatted(page.elements_of(Tag::Pre).next().unwrap())
    }

    #[test]
    fn lines_keep_their_indentation_and_references_are_decoded() {
        assert_eq!(
            lines("<pre><code>\nfn a() {\n\tif x &lt; 1 {  }\n}\n\n</code></pre>"),
            "fn a() {\n\tif x < 1 {  }\n}"
        );
        assert_eq!(lines("<pre>a\tb\u{1}c\u{7f}d\u{9f}e©\u{feff}f\u{ad}\u{200b}g</pre>"), "a\tbcde©f\u{ad}\u{200b}g");
        assert_eq!(lines("<pre><code><i>one</i></code><code> two</code><code></code></pre>"), "one\n two");
        assert_eq!(lines("<pre>one<br>two<div>three</div>four<button>Copy</button></pre>"), "one\ntwo\nthree\nfour");
    }

    #[test]
    fn a_row_of_a_table_is_a_line() {
        let row = |cell: &str| format!("\n    <tr>\n  <td class=blob-num></td>\n  <td class=line>{cell}</td>\n</tr>");
        let rows: String = ["if x:", "\n", "    <b>y</b>()", "&nbsp; z()", ""].map(row).concat() + &row("end");
        let code = "if x:\n\n    y()\n  z()\n\nend";
        assert_eq!(lines(&format!("<pre><table>\n<tbody>{rows}\n</tbody>\n</table></pre>")), code);
        let page = Page::parse(format!("<table>{rows}</table>"));
        assert_eq!(page.preformatted(page.elements_of(Tag::Table).next().unwrap()), code);
        let boxes = "<pre><table><tr> <td><div> <div>a</div><div> b</div> </div></td></tr></table></pre>";
        assert_eq!(lines(boxes), "a\n b");
        let whole = "<pre><table> <tr> <td class=gutter><pre>1\n2</pre></td> <td><pre>\n  a\n\n  b\n</pre></td></tr></table></pre>";
        assert_eq!(lines(whole), "  a\n\n  b");
    }

    #[test]
    fn highlighting_elements_do_not_change_the_text() {
        let highlighted = "<pre><span class=line><span style='color: red'>let</span> a<span></span></span>\n\
            <!-- <span> --><span>b<span>c<br></span></span><button><span>Copy</span></button></span>d<span>";
        assert_eq!(lines(highlighted), "let a\nbc\nd");
    }

    #[test]
    fn line_numbers_are_not_code() {
        let numbered =
            "<pre><span>1</span> let a = 1;\n<span>2</span> let b = 2;\n<span>3</span>\n<span>4</span> a + b</pre>";
        assert_eq!(lines(numbered), "let a = 1;\nlet b = 2;\n\na + b");
        let unselectable = "<pre><span style='margin:0;-webkit-user-select:none;user-select: none'>1</span>a\n<span style='user-select:none'>2</span>b</pre>";
        assert_eq!(lines(unselectable), "a\nb");
        assert_eq!(lines("<pre>7 eggs\n2 spoons of oil\n3 onions</pre>"), "7 eggs\n2 spoons of oil\n3 onions");
        assert!(
            numbers_lines("1 2 3 4") && numbers_lines("12.\n13.") && !numbers_lines("1 3") && !numbers_lines("1 a")
        );
    }

    #[test]
    fn a_poem_is_not_code() {
        let holds_code = |html: &str| {
            let page = Page::parse(html.to_owned());
            page.holds_code(page.elements_of(Tag::Pre).next().unwrap())
        };
        assert!(!holds_code("<pre>It rained in Rome,\n  and nobody came home;\nthe sun was out (in Oslo).</pre>"));
        assert!(holds_code("<pre>SELECT name FROM users WHERE id = 7 AND last_seen = $1;</pre>"));
        assert!(holds_code("<pre><code>make install</code></pre>"));
        assert!(holds_code("<pre>$ ls -l\ntotal 8\n-rw-r--r-- 1 root root 12 May  1 notes.txt</pre>"));
        assert!(!holds_code("<pre>Fares:\n$ 7 for a child,\n$ 9 for all the others who go by boat</pre>"));
    }
}
