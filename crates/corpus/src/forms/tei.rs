//! TEI P5: one `teiCorpus` with a `TEI` element per document. It only uses elements of TEI Lite.
//!
//! A heading opens a `div`, as the guidelines require. Lists, quotes and notes nest, code is an `eg` with its lines,
//! a table has rows and cells, a formula has its TeX. Every document has a complete header, so that it can be used
//! separately, and a unique `xml:id` even if it is written twice.

use goldminer_core::document::{
    Document, DocumentParagraph, ItemPart, MetadataSource, Object, ObjectKind, ParagraphKind,
};
use goldminer_core::rights::Rights;

use super::blocks::{Block, Container, ListKind, behind_container, blocks, has_terms, is_text};
use super::html::{element, language, own_caption};
use super::runs::{Marked, Run, Style, may_be_shown};
use super::table::grid;
use super::xml::{escape, escape_lines, escape_text};
use crate::files::names::UsedNames;

/// The text before all documents.
pub(crate) const START: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader>
<fileDesc>
<titleStmt><title>Web corpus</title></titleStmt>
<publicationStmt>
<p>Collected from the web; the rights in the texts remain with their owners.</p>
</publicationStmt>
<sourceDesc><p>Web pages, named in the header of each text.</p></sourceDesc>
</fileDesc>
</teiHeader>
"#;
/// The text after all documents.
pub(crate) const END: &str = "</teiCorpus>\n";

/// Returns a function that renders the documents of one file in order, each with a unique id.
pub(crate) fn tei() -> impl FnMut(&Document) -> Vec<u8> {
    let mut used = UsedNames::default();
    move |document| {
        let name = xml_name(&document.id);
        let id = used.next(|number| if number == 1 { name.clone() } else { format!("{name}-{number}") });
        let mut tei = header(document, &id);
        body(document, &mut tei);
        tei.into_bytes()
    }
}

/// The start of the `xml:id` for a document's id (XML 1.0, section 2.3: a name may not begin with a digit).
fn xml_name(id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    format!("d{}", id.replace(|c| !is_plain(c), "_"))
}

fn header(document: &Document, id: &str) -> String {
    let metadata = &document.metadata;
    let title = escape_text(metadata.title.as_deref().unwrap_or(&document.url));
    let authors: String =
        metadata.authors.iter().map(|author| format!("<author>{}</author>", escape_text(author))).collect();
    let mut bibl = format!("<title>{title}</title>{authors}");
    if let Some(site) = metadata.site_name.as_deref().or(metadata.host.as_deref()) {
        bibl.push_str(&format!("<publisher>{}</publisher>", escape_text(site)));
    }
    if let Some(published) = &metadata.published {
        bibl.push_str(&date("published", published, metadata.sources.published));
    }
    if let Some(fetched) = metadata.fetched {
        bibl.push_str(&date("fetched", &fetched.to_string(), None));
    }
    bibl.push_str(&format!("<ref target=\"{}\"/>", escape(&document.url)));
    if let Some(access) = metadata.access {
        bibl.push_str(&format!("<note type=\"access\">{}</note>", access.as_str()));
    }
    if let Some(confidence) = document.provenance.confidence {
        bibl.push_str(&format!("<note type=\"confidence\">{confidence}</note>"));
    }
    let language = metadata.language.as_deref().unwrap_or("und");
    format!(
        "<TEI xml:id=\"{id}\" xml:lang=\"{language}\"><teiHeader><fileDesc>\
         <titleStmt><title>{title}</title>{authors}</titleStmt>\
         <publicationStmt>{publication}</publicationStmt>\
         <sourceDesc><bibl>{bibl}</bibl></sourceDesc></fileDesc>\
         <profileDesc><langUsage><language ident=\"{language}\"/></langUsage></profileDesc></teiHeader>\n",
        language = escape(language),
        publication = publication(&document.rights),
    )
}

/// The availability according to the page: `restricted` if it has a restriction, `free` if its licence is open, or
/// `unknown`.
fn publication(rights: &Rights) -> String {
    if rights.is_empty() {
        return "<p>Part of a web corpus.</p>".to_owned();
    }
    let status = match () {
        () if !rights.restrictions.is_empty() => "restricted",
        () if rights.is_open() => "free",
        () => "unknown",
    };
    let mut parts = String::new();
    if let Some(license) = &rights.license {
        let is_address = license.starts_with("http://") || license.starts_with("https://");
        let target = if is_address { format!(" target=\"{}\"", escape(license)) } else { String::new() };
        parts.push_str(&format!("<licence{target}>{}</licence>", escape_text(license)));
    }
    let names: Vec<&str> = rights.restrictions.iter().map(|restriction| restriction.as_str()).collect();
    if !names.is_empty() {
        parts.push_str(&format!("<p>Restrictions: {}.</p>", names.join(", ")));
    }
    for signal in &rights.signals {
        let (name, value) = (escape_text(&signal.name), escape_text(&signal.value));
        parts.push_str(&format!("<p>{name}: {value} ({})</p>", signal.source.as_str()));
    }
    format!("<distributor>A web corpus.</distributor><availability status=\"{status}\">{parts}</availability>")
}

/// A `date` element. Its text may be anything, but the attribute `when` only accepts XML Schema dates. `subtype` is the
/// source of the date.
fn date(kind: &str, text: &str, said_by: Option<MetadataSource>) -> String {
    let is_date =
        text.parse::<jiff::civil::Date>().is_ok_and(|_| text.len() == 10) || text.parse::<jiff::Timestamp>().is_ok();
    let when = if is_date { format!(" when=\"{}\"", escape(text)) } else { String::new() };
    let said_by = said_by.map(|source| format!(" subtype=\"{}\"", source.as_str())).unwrap_or_default();
    format!("<date type=\"{kind}\"{said_by}{when}>{}</date>", escape_text(text))
}

fn body(document: &Document, out: &mut String) {
    out.push_str("<text><body>\n<div>");
    // A head is allowed only at the beginning of a division, and a division must have other content.
    let (mut depth, mut has_content) = (0_usize, false);
    let blocks = blocks(document);
    let mut lists = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        match *block {
            Block::Open(container) => {
                depth += 1;
                if let Container::List(..) = container {
                    lists.push(has_terms(&blocks[at..behind_container(&blocks, at)], true));
                }
                out.push_str(&start(container, lists.last().is_some_and(|is_gloss| *is_gloss)));
            }
            Block::Close(container) => {
                depth -= 1;
                out.push_str(end(container, lists.last().is_some_and(|is_gloss| *is_gloss)));
                if let Container::List(..) = container {
                    lists.pop();
                }
                has_content |= !matches!(container, Container::Note(_));
            }
            Block::Paragraph(heading, _) if heading.kind == ParagraphKind::Heading && depth == 0 => {
                if std::mem::take(&mut has_content) {
                    out.push_str("</div>\n<div>");
                }
                let level = heading.level.map(|level| format!(" n=\"{level}\"")).unwrap_or_default();
                out.push_str(&format!("<head{level}>{}</head>\n", inline(&Marked::new(heading, None).runs())));
            }
            Block::Paragraph(paragraph, caption) => {
                let begins = matches!(at.checked_sub(1).map(|at| blocks[at]), Some(Block::Open(Container::Item(..))));
                out.push_str(&content(paragraph, caption.map(|(caption, _)| caption), begins));
                has_content |= depth == 0;
            }
            Block::Object(object, caption) => out.push_str(&figure(object, caption)),
        }
    }
    if !has_content {
        out.push_str("<p/>\n");
    }
    out.push_str("</div>\n</body></text></TEI>\n");
}

fn start(container: Container<'_>, is_gloss: bool) -> String {
    match container {
        Container::Note(label) => format!("<note place=\"foot\" n=\"{}\">", escape(label)),
        Container::Quote(_) => "<quote>".to_owned(),
        Container::List(..) if is_gloss => "<list type=\"gloss\">".to_owned(),
        Container::List(ListKind::Numbers, _) => "<list rend=\"numbered\">".to_owned(),
        Container::List(..) => "<list>".to_owned(),
        Container::Item(Some(ItemPart::Term), _) if is_gloss => "<label>".to_owned(),
        Container::Item(_, Some(number)) => format!("<item n=\"{number}\">"),
        Container::Item(..) => "<item>".to_owned(),
    }
}

fn end(container: Container<'_>, is_gloss: bool) -> &'static str {
    match container {
        Container::Note(_) => "</note>\n",
        Container::Quote(_) => "</quote>\n",
        Container::List(..) => "</list>\n",
        Container::Item(Some(ItemPart::Term), _) if is_gloss => "</label>\n",
        Container::Item(..) => "</item>\n",
    }
}

fn content(paragraph: &DocumentParagraph, caption: Option<&DocumentParagraph>, begins_item: bool) -> String {
    let text = || inline(&Marked::new(paragraph, None).runs());
    match paragraph.kind {
        _ if begins_item && is_text(paragraph) => text(),
        ParagraphKind::Paragraph | ParagraphKind::ListItem | ParagraphKind::Quote => format!("<p>{}</p>\n", text()),
        // A head is not allowed in an item or a quote.
        ParagraphKind::Heading => format!("<ab type=\"head\">{}</ab>\n", text()),
        ParagraphKind::Caption => format!("<p rend=\"caption\">{}</p>\n", text()),
        ParagraphKind::Formula => format!("<p>{}</p>\n", formula(&paragraph.text)),
        ParagraphKind::Code => {
            let language = language(paragraph).map(|language| format!(" rend=\"language-{}\"", escape(language)));
            let lines = escape_lines(&paragraph.text);
            format!("<eg xml:space=\"preserve\"{}>{lines}</eg>\n", language.unwrap_or_default())
        }
        ParagraphKind::Table => table(paragraph, caption),
    }
}

fn table(paragraph: &DocumentParagraph, caption: Option<&DocumentParagraph>) -> String {
    let mut out = "<table>\n".to_owned();
    let table_caption = paragraph.table.as_ref().and_then(|table| table.caption.as_deref());
    let caption = caption.map(|caption| inline(&Marked::new(caption, None).runs()));
    if let Some(caption) = caption.or_else(|| table_caption.map(|caption| escape_text(caption).into_owned())) {
        out.push_str(&format!("<head>{caption}</head>\n"));
    }
    let grid = grid(paragraph);
    for row in &grid.rows {
        let mut cells = String::new();
        for cell in row.iter().filter(|cell| !cell.is_covered) {
            let role = if cell.is_head && paragraph.table.is_some() { " role=\"label\"" } else { "" };
            let span = |key, count| if count > 1 { format!(" {key}=\"{count}\"") } else { String::new() };
            let (rows, columns) = (span("rows", cell.rows), span("cols", cell.columns));
            cells.push_str(&format!("<cell{role}{rows}{columns}>{}</cell>", inline(&cell.runs)));
        }
        // A row that is completely covered by cells of other rows must still have one cell.
        let cells = if cells.is_empty() { "<cell/>".to_owned() } else { cells };
        out.push_str(&format!("<row>{cells}</row>\n"));
    }
    out.push_str("</table>\n");
    out
}

fn figure(object: &Object, caption: Option<&DocumentParagraph>) -> String {
    let source = object.source.as_deref().filter(|source| may_be_shown(source)).map(uri);
    match object.kind {
        ObjectKind::Rule => "<milestone unit=\"section\" rend=\"rule\"/>\n".to_owned(),
        ObjectKind::Embed => {
            let name = escape_text(object.provider.as_deref().unwrap_or("embed"));
            let target = source.map(|source| format!(" target=\"{source}\"")).unwrap_or_default();
            format!("<figure type=\"embed\"><p><ref{target}>{name}</ref></p></figure>\n")
        }
        _ => {
            let own = own_caption(object);
            let caption = caption.or(own.as_ref());
            let head = caption.map(|caption| inline(&Marked::new(caption, object.credit.as_deref()).runs()));
            let head = head.map(|head| format!("<head>{head}</head>")).unwrap_or_default();
            let alt = object.alt.as_deref().map(|alt| format!("<figDesc>{}</figDesc>", escape_text(alt)));
            let graphic = source.map(|source| format!("<graphic url=\"{source}\"/>")).unwrap_or_default();
            format!("<figure>{head}{}{graphic}</figure>\n", alt.unwrap_or_default())
        }
    }
}

fn inline(runs: &[Run<'_>]) -> String {
    let mut out = String::new();
    for run in runs {
        match *run {
            Run::Text(text) => out.push_str(&escape_text(text)),
            Run::Open(Style::Link(target)) => out.push_str(&format!("<ref target=\"{}\">", uri(target))),
            Run::Close(Style::Link(_)) => out.push_str("</ref>"),
            Run::Open(style) => {
                let name = if style == Style::Credit { "credit" } else { element(style) };
                out.push_str(&format!("<hi rend=\"{name}\">"));
            }
            Run::Close(_) => out.push_str("</hi>"),
            Run::Break => out.push_str("<lb/>"),
            Run::Math(tex) => out.push_str(&formula(tex)),
            Run::Note(label, text) => {
                out.push_str(&format!("<ref type=\"note\" n=\"{}\">{}</ref>", escape(label), escape_text(text)));
            }
        }
    }
    out
}

fn formula(tex: &str) -> String {
    format!("<formula notation=\"TeX\">{}</formula>", escape_text(tex))
}

/// Escapes the characters of a URL that are not allowed in one (RFC 3986, section 2).
fn uri(target: &str) -> String {
    let mut out = String::with_capacity(target.len());
    let mut has_fragment = false;
    for (at, c) in target.char_indices() {
        let is_kept = match c {
            '%' => target.as_bytes()[at + 1..].get(..2).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)),
            '#' => !std::mem::replace(&mut has_fragment, true),
            c => c.is_ascii_alphanumeric() || "-._~:/?@!$&'()*+,;=".contains(c),
        };
        if is_kept {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
        }
    }
    escape(&out).into_owned()
}
