//! TEI P5: one `teiCorpus` with a `TEI` for each document, by the elements that TEI Lite knows.
//!
//! A heading opens a `div`, as the guidelines want it (a `head` may only stand at a division's beginning); neighbouring
//! list items make a `list`. Code is an `eg` with its lines, a table has its rows and cells. Every document has the whole header it needs to be taken out on its own, and an `xml:id`
//! of its own even when it is written twice.

use std::collections::hash_map::Entry;

use goldminer_core::document::{Document, MetadataSource, ParagraphKind};
use goldminer_core::rights::Rights;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::xml::{escape, escape_text};

/// What stands before all documents.
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
/// What stands behind them.
pub(crate) const END: &str = "</teiCorpus>\n";

/// The form of a file in which ids are given as its documents come.
pub(crate) fn tei() -> impl FnMut(&Document) -> Vec<u8> {
    let mut ids = Ids::default();
    move |document| {
        let mut tei = header(document, &ids.next(&document.id));
        body(document, &mut tei);
        tei.into_bytes()
    }
}

/// The values of `xml:id` that are taken, by their hashes: 16 bytes a document, whatever its id is.
#[derive(Default)]
struct Ids(FxHashMap<u64, u32>);

impl Ids {
    /// A name (XML 1.0, section 2.3) for a document's id that no document has yet; `-2` behind it the second time.
    fn next(&mut self, id: &str) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        // A name may not begin with a digit.
        let name = format!("d{}", id.replace(|c| !is_plain(c), "_"));
        let hash = xxh3_64(name.as_bytes());
        let mut times = self.0.get(&hash).map_or(1, |times| times + 1);
        let mut own = name.clone();
        // What ends in a number may be somebody's id as it is.
        while times > 1 {
            own = format!("{name}-{times}");
            if let Entry::Vacant(free) = self.0.entry(xxh3_64(own.as_bytes())) {
                free.insert(1);
                break;
            }
            times += 1;
        }
        self.0.insert(hash, times);
        own
    }
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

/// What the page allows, where it says so: `restricted` where anything is, `free` where its licence is an open one.
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

/// `when` takes dates of XML Schema alone; what a page says may be anything. `subtype` is the source that said it.
fn date(kind: &str, text: &str, said_by: Option<MetadataSource>) -> String {
    let is_date =
        text.parse::<jiff::civil::Date>().is_ok_and(|_| text.len() == 10) || text.parse::<jiff::Timestamp>().is_ok();
    let when = if is_date { format!(" when=\"{}\"", escape(text)) } else { String::new() };
    let said_by = said_by.map(|source| format!(" subtype=\"{}\"", source.as_str())).unwrap_or_default();
    format!("<date type=\"{kind}\"{said_by}{when}>{}</date>", escape_text(text))
}

fn body(document: &Document, out: &mut String) {
    out.push_str("<text><body>\n<div>");
    let (mut in_list, mut has_content) = (false, false);
    for paragraph in &document.paragraphs {
        if in_list && paragraph.kind != ParagraphKind::ListItem {
            out.push_str("</list>\n");
            in_list = false;
        }
        let text = escape_text(&paragraph.text);
        match paragraph.kind {
            ParagraphKind::Heading => {
                if has_content {
                    out.push_str("</div>\n<div>");
                    has_content = false;
                }
                out.push_str(&format!("<head>{text}</head>\n"));
                continue;
            }
            ParagraphKind::Paragraph | ParagraphKind::Formula | ParagraphKind::Caption => {
                out.push_str(&format!("<p>{text}</p>\n"))
            }
            ParagraphKind::ListItem => {
                if !in_list {
                    out.push_str("<list>");
                    in_list = true;
                }
                out.push_str(&format!("<item>{text}</item>\n"));
            }
            ParagraphKind::Code => out.push_str(&format!("<eg xml:space=\"preserve\">{text}</eg>\n")),
            ParagraphKind::Table => table(&paragraph.text, out),
            ParagraphKind::Quote => out.push_str(&format!("<quote><p>{text}</p></quote>\n")),
        }
        has_content = true;
    }
    if in_list {
        out.push_str("</list>\n");
    }
    if !has_content {
        out.push_str("<p/>\n");
    }
    out.push_str("</div>\n</body></text></TEI>\n");
}

/// A line a row, tabs between the cells.
fn table(text: &str, out: &mut String) {
    out.push_str("<table>\n");
    for row in text.lines() {
        let cells: String = row.split('\t').map(|cell| format!("<cell>{}</cell>", escape_text(cell))).collect();
        out.push_str(&format!("<row>{cells}</row>\n"));
    }
    out.push_str("</table>\n");
}
