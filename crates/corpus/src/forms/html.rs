//! HTML: a clean fragment per document, which is also well-formed XML. Structure is expressed by elements. Classes
//! are used only for the language of code and for footnotes, for which HTML has no elements. A formula is a `<math>`
//! element with its TeX.

use std::ops::Range;

use goldminer_core::document::{Document, DocumentParagraph, ItemPart, Object, ObjectKind, ParagraphKind};

use super::blocks::{Block, Caption, Container, ListKind, blocks, is_text};
use super::runs::{Marked, Run, Style, may_be_shown};
use super::table::{Cell, grid};
use super::xml::{escape, escape_lines, escape_text};

/// A document as an HTML fragment: headings, paragraphs, lists, tables, figures and footnotes.
///
/// ```
/// use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
///
/// let mut document = Document::default();
/// document.paragraphs = vec![DocumentParagraph::new(ParagraphKind::Heading, "Rain & sun")];
/// assert_eq!(goldminer_corpus::html(&document), "<h1>Rain &amp; sun</h1>\n");
/// ```
pub fn html(document: &Document) -> String {
    let mut out = String::with_capacity(document.text.len() * 2);
    write(&blocks(document), &Levels::of(document), &mut out);
    out
}

/// The HTML file of a document: its metadata, and the fragment.
pub(crate) fn page(document: &Document) -> String {
    let metadata = &document.metadata;
    let mut out = "<!doctype html>\n<meta charset=\"utf-8\">\n".to_owned();
    if let Some(title) = &metadata.title {
        out.push_str(&format!("<title>{}</title>\n", escape_text(title)));
    }
    out.push_str(&format!("<link rel=\"canonical\" href=\"{}\">\n", escape(&document.url)));
    for author in &metadata.authors {
        out.push_str(&format!("<meta name=\"author\" content=\"{}\">\n", escape(author)));
    }
    if let Some(published) = &metadata.published {
        out.push_str(&format!("<meta property=\"article:published_time\" content=\"{}\">\n", escape(published)));
    }
    let language = metadata.language.as_ref().map(|language| format!(" lang=\"{}\"", escape(language)));
    out.push_str(&format!("<article{}>\n{}</article>\n", language.unwrap_or_default(), html(document)));
    out
}

/// The levels of headings: as on the page. If a heading has no level, it is 1 for the first heading of the document and
/// 2 for others.
#[derive(Default)]
pub(super) struct Levels<'d>(Option<&'d DocumentParagraph>);

impl<'d> Levels<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        Self(document.paragraphs.iter().find(|paragraph| paragraph.kind == ParagraphKind::Heading))
    }

    pub(super) fn level(&self, heading: &DocumentParagraph) -> u8 {
        let is_first = self.0.is_some_and(|first| std::ptr::eq(first, heading));
        heading.level.unwrap_or(if is_first { 1 } else { 2 }).clamp(1, 6)
    }
}

/// Writes blocks as HTML, mostly one per line.
pub(super) fn write(blocks: &[Block<'_>], levels: &Levels<'_>, out: &mut String) {
    let mut before = None;
    for block in blocks {
        match block {
            Block::Open(container) => open(*container, out),
            Block::Close(container) => close(*container, out),
            // The text of an item needs no paragraph element.
            Block::Paragraph(paragraph, caption) => {
                let begins_item = matches!(before, Some(Block::Open(Container::Item(..))));
                push_paragraph(paragraph, *caption, begins_item, levels, out);
            }
            Block::Object(object, caption) => push_object(object, *caption, out),
        }
        before = Some(*block);
    }
}

fn open(container: Container<'_>, out: &mut String) {
    match container {
        Container::Note(label) => {
            // Consecutive notes form one list.
            match out.strip_suffix(NOTES_END) {
                Some(notes) => out.truncate(notes.len()),
                None => out.push_str("<section class=\"footnotes\"><ol>\n"),
            }
            out.push_str(&format!("<li id=\"fn-{}\">", escape(label)));
        }
        Container::Quote(_) => out.push_str("<blockquote>\n"),
        Container::List(kind, _) => {
            end_line(out);
            out.push_str(match kind {
                ListKind::Bullets => "<ul>\n",
                ListKind::Numbers => "<ol>\n",
                ListKind::Definitions => "<dl>\n",
            });
        }
        Container::Item(Some(ItemPart::Term), _) => out.push_str("<dt>"),
        Container::Item(Some(_), _) => out.push_str("<dd>"),
        Container::Item(None, Some(number)) => out.push_str(&format!("<li value=\"{number}\">")),
        Container::Item(None, None) => out.push_str("<li>"),
    }
}

const NOTES_END: &str = "</ol></section>\n";

fn close(container: Container<'_>, out: &mut String) {
    out.push_str(match container {
        Container::Note(_) => "</li>\n",
        Container::Quote(_) => "</blockquote>\n",
        Container::List(ListKind::Bullets, _) => "</ul>\n",
        Container::List(ListKind::Numbers, _) => "</ol>\n",
        Container::List(ListKind::Definitions, _) => "</dl>\n",
        Container::Item(Some(ItemPart::Term), _) => "</dt>\n",
        Container::Item(Some(_), _) => "</dd>\n",
        Container::Item(None, _) => "</li>\n",
    });
    if let Container::Note(_) = container {
        out.push_str(NOTES_END);
    }
}

fn push_paragraph(
    paragraph: &DocumentParagraph,
    caption: Option<Caption<'_>>,
    begins_item: bool,
    levels: &Levels<'_>,
    out: &mut String,
) {
    let runs = || Marked::new(paragraph, None).runs();
    if begins_item && is_text(paragraph) {
        if let Some(checked) = paragraph.item.and_then(|item| item.checked) {
            let checked = if checked { " checked=\"checked\"" } else { "" };
            out.push_str(&format!("<input type=\"checkbox\" disabled=\"disabled\"{checked}/> "));
        }
        return inline(&runs(), out);
    }
    end_line(out);
    match paragraph.kind {
        ParagraphKind::Heading => {
            let level = levels.level(paragraph);
            out.push_str(&format!("<h{level}>"));
            inline(&runs(), out);
            out.push_str(&format!("</h{level}>\n"));
        }
        ParagraphKind::Code => {
            let class = language(paragraph).map(|language| format!(" class=\"language-{}\"", escape(language)));
            let lines = escape_lines(&paragraph.text);
            out.push_str(&format!("<pre><code{}>{lines}</code></pre>\n", class.unwrap_or_default()));
        }
        ParagraphKind::Table => table(paragraph, caption, out),
        ParagraphKind::Formula => {
            math(&paragraph.text, " display=\"block\"", out);
            out.push('\n');
        }
        ParagraphKind::Caption => {
            out.push_str("<figure>");
            figcaption(&runs(), out);
            out.push_str("</figure>\n");
        }
        ParagraphKind::Paragraph | ParagraphKind::ListItem | ParagraphKind::Quote => {
            out.push_str("<p>");
            inline(&runs(), out);
            out.push_str("</p>\n");
        }
    }
}

/// The language of code, if it is a valid name.
pub(super) fn language(paragraph: &DocumentParagraph) -> Option<&str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '+' | '#' | '-' | '.' | '_');
    paragraph.language.as_deref().filter(|language| !language.is_empty() && language.chars().all(is_name))
}

fn table(paragraph: &DocumentParagraph, caption: Option<Caption<'_>>, out: &mut String) {
    let table_caption = || paragraph.table.as_ref().and_then(|table| table.caption.as_deref());
    let below = caption.filter(|(_, is_above)| !is_above);
    out.push_str(if below.is_some() { "<figure>\n<table>\n" } else { "<table>\n" });
    let mut above = String::new();
    match (caption, table_caption()) {
        (Some((caption, true)), _) => inline(&Marked::new(caption, None).runs(), &mut above),
        (None, Some(caption)) => above.push_str(&escape_text(caption)),
        _ => {}
    }
    if !above.is_empty() {
        out.push_str(&format!("<caption>{above}</caption>\n"));
    }
    let grid = grid(paragraph);
    let heads = grid.head_rows.min(grid.rows.len());
    push_rows(&grid.rows, 0..heads, "thead", out);
    push_rows(&grid.rows, heads..grid.rows.len(), "tbody", out);
    out.push_str("</table>\n");
    if let Some((caption, _)) = below {
        figcaption(&Marked::new(caption, None).runs(), out);
        out.push_str("\n</figure>\n");
    }
}

fn push_rows(rows: &[Vec<Cell<'_>>], range: Range<usize>, part: &str, out: &mut String) {
    if range.is_empty() {
        return;
    }
    out.push_str(&format!("<{part}>\n"));
    for row in &rows[range] {
        out.push_str("<tr>");
        for cell in row.iter().filter(|cell| !cell.is_covered) {
            let name = if cell.is_head { "th" } else { "td" };
            out.push_str(&format!("<{name}"));
            for (key, count) in [("rowspan", cell.rows), ("colspan", cell.columns)] {
                if count > 1 {
                    out.push_str(&format!(" {key}=\"{count}\""));
                }
            }
            out.push('>');
            inline(&cell.runs, out);
            out.push_str(&format!("</{name}>"));
        }
        out.push_str("</tr>\n");
    }
    out.push_str(&format!("</{part}>\n"));
}

fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

fn push_object(object: &Object, caption: Option<&DocumentParagraph>, out: &mut String) {
    end_line(out);
    let source = object.source.as_deref().filter(|source| may_be_shown(source)).map(escape);
    match object.kind {
        ObjectKind::Rule => out.push_str("<hr/>\n"),
        ObjectKind::Embed => {
            let provider = object.provider.as_deref().unwrap_or_default();
            match source {
                Some(source) => {
                    let title =
                        if provider.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(provider)) };
                    out.push_str(&format!("<iframe src=\"{source}\"{title}></iframe>\n"));
                }
                None if provider.is_empty() => {}
                None => out.push_str(&format!("<figure><p>{}</p></figure>\n", escape_text(provider))),
            }
        }
        _ => {
            let alt = object.alt.as_deref().unwrap_or_default();
            out.push_str("<figure>");
            match source {
                Some(source) => out.push_str(&format!("<img src=\"{source}\" alt=\"{}\"/>", escape(alt))),
                // An image element needs a URL. Without one, only the description is written.
                None if alt.is_empty() => {}
                None => out.push_str(&format!("<p>{}</p>", escape_text(alt))),
            }
            let own = own_caption(object);
            if let Some(caption) = caption.or(own.as_ref()) {
                figcaption(&Marked::new(caption, object.credit.as_deref()).runs(), out);
            }
            out.push_str("</figure>\n");
        }
    }
}

/// The caption that is stored with a figure, as a paragraph.
pub(super) fn own_caption(figure: &Object) -> Option<DocumentParagraph> {
    let text = figure.caption.as_ref().or(figure.credit.as_ref())?;
    Some(DocumentParagraph::new(ParagraphKind::Caption, text.as_str()))
}

fn figcaption(runs: &[Run<'_>], out: &mut String) {
    out.push_str("<figcaption>");
    inline(runs, out);
    out.push_str("</figcaption>");
}

pub(super) fn inline(runs: &[Run<'_>], out: &mut String) {
    for run in runs {
        match *run {
            Run::Text(text) => out.push_str(&escape_text(text)),
            Run::Open(Style::Link(target)) => out.push_str(&format!("<a href=\"{}\">", escape(target))),
            Run::Open(style) => out.push_str(&format!("<{}>", element(style))),
            Run::Close(style) => out.push_str(&format!("</{}>", element(style))),
            Run::Break => out.push_str("<br/>"),
            Run::Math(tex) => math(tex, "", out),
            Run::Note(label, text) => {
                let (label, text) = (escape(label), escape_text(text));
                out.push_str(&format!("<sup class=\"footnote-ref\"><a href=\"#fn-{label}\">{text}</a></sup>"));
            }
        }
    }
}

pub(super) fn element(style: Style<'_>) -> &'static str {
    match style {
        Style::Link(_) => "a",
        Style::Emphasis => "em",
        Style::Strong => "strong",
        Style::Code => "code",
        Style::Sub => "sub",
        Style::Sup => "sup",
        Style::Deleted => "del",
        Style::Credit => "small",
    }
}

fn math(tex: &str, display: &str, out: &mut String) {
    out.push_str(&format!("<math{display} alttext=\"{}\"><mtext>{}</mtext></math>", escape(tex), escape_text(tex)));
}
