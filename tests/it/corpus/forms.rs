//! The requirements of the formats' readers: TEI's content models, and the Corpus Workbench's lines and regions.
//! Whatever a page contains, the files must load.

use std::fs;

use goldminer_core::document::{Document, DocumentParagraph};
use goldminer_core::rights::{Rights, RightsSource, Signal};
use goldminer_corpus::{Format, Sink};
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::documents::{self, paragraph};

/// The part of the TEI P5 schema (4.9.0) that the writer uses: each element with the elements that are allowed in it,
/// in this order, and their number; `#` is text. Attributes are those of `att.global` and of the element.
const TEI: &[ElementRule] = &[
    ("teiCorpus", &[("teiHeader", Times::Once), ("TEI", Times::Any)], &["xmlns"]),
    ("TEI", &[("teiHeader", Times::Once), ("text", Times::Once)], &["xml:id", "xml:lang"]),
    ("teiHeader", &[("fileDesc", Times::Once), ("profileDesc", Times::Maybe)], &[]),
    ("fileDesc", &[("titleStmt", Times::Once), ("publicationStmt", Times::Once), ("sourceDesc", Times::Once)], &[]),
    ("titleStmt", &[("title", Times::Once), ("author", Times::Any)], &[]),
    ("publicationStmt", &[("p", Times::Maybe), ("distributor", Times::Maybe), ("availability", Times::Maybe)], &[]),
    ("distributor", &[("#", Times::Any)], &[]),
    ("availability", &[("licence", Times::Maybe), ("p", Times::Any)], &["status"]),
    ("licence", &[("#", Times::Any)], &["target"]),
    ("sourceDesc", &[("p", Times::Maybe), ("bibl", Times::Maybe)], &[]),
    (
        "bibl",
        &[
            ("title", Times::Once),
            ("author", Times::Any),
            ("publisher", Times::Maybe),
            ("date", Times::Any),
            ("ref", Times::Maybe),
        ],
        &[],
    ),
    ("profileDesc", &[("langUsage", Times::Maybe)], &[]),
    ("langUsage", &[("language", Times::Any)], &[]),
    ("language", &[("#", Times::Any)], &["ident"]),
    ("text", &[("body", Times::Once)], &[]),
    ("body", &[("div", Times::Any)], &[]),
    // Heads come first in a division, then blocks in any order (model.divTop, model.common).
    ("div", &[("head", Times::Any), ("p|list|eg|table|quote|note|figure|milestone", Times::Any)], &[]),
    ("list", &[("label|item", Times::Some)], &["type", "rend"]),
    ("head", &[(PHRASES, Times::Any)], &["n"]),
    ("p", &[(PHRASES, Times::Any)], &["rend"]),
    ("ab", &[(PHRASES, Times::Any)], &["type"]),
    ("label", &[(PHRASES, Times::Any)], &[]),
    ("hi", &[(PHRASES, Times::Any)], &["rend"]),
    ("formula", &[("#", Times::Any)], &["notation"]),
    ("lb", &[], &[]),
    ("milestone", &[], &["unit", "rend"]),
    ("eg", &[("#", Times::Any)], &["xml:space", "rend"]),
    ("quote", &[(PARTS, Times::Some)], &[]),
    ("note", &[(PARTS, Times::Some)], &["place", "n"]),
    ("table", &[("head", Times::Maybe), ("row", Times::Some)], &[]),
    ("row", &[("cell", Times::Some)], &[]),
    ("cell", &[(PHRASES, Times::Any)], &["role", "rows", "cols"]),
    ("item", &[(PARTS, Times::Any)], &["n"]),
    (
        "figure",
        &[("head", Times::Maybe), ("figDesc", Times::Maybe), ("graphic", Times::Maybe), ("p", Times::Maybe)],
        &["type"],
    ),
    ("figDesc", &[("#", Times::Any)], &[]),
    ("graphic", &[], &["url"]),
    ("title", &[("#", Times::Any)], &[]),
    ("author", &[("#", Times::Any)], &[]),
    ("publisher", &[("#", Times::Any)], &[]),
    ("date", &[("#", Times::Any)], &["type", "when"]),
    ("ref", &[(PHRASES, Times::Any)], &["target", "type", "n"]),
];

/// The elements that are allowed in a line (macro.paraContent). `PARTS` lists those that are allowed in an item, a
/// quote or a note (macro.specialPara).
const PHRASES: &str = "#|hi|ref|formula|lb";
const PARTS: &str = "#|hi|ref|formula|lb|p|ab|list|eg|table|quote|note|figure|milestone";

/// An element, its content, and its attributes.
type ElementRule = (&'static str, &'static [(&'static str, Times)], &'static [&'static str]);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Times {
    Once,
    Maybe,
    Some,
    Any,
}

/// An element with the names of its children.
#[derive(Debug)]
struct OpenElement {
    name: String,
    children: Vec<String>,
}

/// Checks a file by the table; returns what is wrong with it, if anything.
fn check_tei(xml: &str) -> Result<usize, String> {
    let mut reader = Reader::from_str(xml);
    let mut open: Vec<OpenElement> = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    loop {
        match reader.read_event().map_err(|e| format!("not well-formed: {e}"))? {
            Event::Start(tag) => begin(&tag, &mut open, &mut ids)?,
            Event::Empty(tag) => {
                begin(&tag, &mut open, &mut ids)?;
                end(open.pop().unwrap())?;
            }
            Event::End(_) => end(open.pop().ok_or("an end tag too many")?)?,
            Event::Text(text) => {
                let is_text = !text.trim().is_empty();
                if let (true, Some(parent)) = (is_text, open.last_mut()) {
                    parent.children.push("#".to_owned());
                }
            }
            Event::GeneralRef(_) => open.last_mut().ok_or("a reference outside of all")?.children.push("#".to_owned()),
            Event::Eof => return if open.is_empty() { Ok(ids.len()) } else { Err("not closed".to_owned()) },
            _ => {}
        }
    }
}

fn begin(
    tag: &BytesStart<'_>,
    open: &mut Vec<OpenElement>,
    ids: &mut std::collections::BTreeSet<String>,
) -> Result<(), String> {
    let name = tag.name().as_ref().to_owned();
    let (_, _, attributes) = TEI.iter().find(|(n, ..)| *n == name).ok_or(format!("<{name}> is not in the table"))?;
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|e| e.to_string())?;
        let key = attribute.key.as_ref().to_owned();
        if !attributes.contains(&key.as_str()) {
            return Err(format!("<{name}> has no attribute {key}"));
        }
        let value = attribute.value.to_string();
        // XML 1.0, section 3.3.1: an ID is a name, and unique.
        let is_name = value.starts_with(|c: char| c.is_ascii_alphabetic())
            && value.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
        if key == "xml:id" && !(is_name && ids.insert(value.clone())) {
            return Err(format!("{value:?} is no xml:id, or comes twice"));
        }
        if key == "when" && value.parse::<jiff::civil::Date>().is_err() && value.parse::<jiff::Timestamp>().is_err() {
            return Err(format!("{value:?} is no date of XML Schema"));
        }
    }
    if let Some(parent) = open.last_mut() {
        parent.children.push(name.clone());
    }
    open.push(OpenElement { name, children: Vec::new() });
    Ok(())
}

/// Checks the children of an element by its content model.
fn end(element: OpenElement) -> Result<(), String> {
    let (_, model, _) = TEI.iter().find(|(name, ..)| *name == element.name).unwrap();
    let mut rest = element.children.as_slice();
    for (names, times) in *model {
        let count = rest.iter().take_while(|child| names.split('|').any(|name| name == **child)).count();
        let fits = match times {
            Times::Once => count == 1,
            Times::Maybe => count <= 1,
            Times::Some => count >= 1,
            Times::Any => true,
        };
        if !fits {
            return Err(format!(
                "<{}> has {count} of {names}, {times:?} is right: {:?}",
                element.name, element.children
            ));
        }
        rest = &rest[count..];
    }
    match rest.first() {
        Some(child) => Err(format!("{child} may not stand there in <{}>: {:?}", element.name, element.children)),
        None => Ok(()),
    }
}

/// Checks that `cwb-encode -xsB -S doc:0+… -S p:0+type` can read a vertical file: one token or tag a line, no empty or
/// other lines, and regions that nest and do not cross. Returns the words, with the spaces between them by `<g/>`.
fn check_vertical(text: &str) -> Result<Vec<String>, String> {
    let mut regions: Vec<&str> = Vec::new();
    let (mut texts, mut line_of_text) = (Vec::new(), String::new());
    let mut is_glued = true;
    for (at, line) in text.lines().enumerate() {
        let wrong = |what: &str| Err(format!("line {}: {what}: {line:?}", at + 1));
        if line.is_empty() || line.contains(['\t', '\r']) || line != line.trim() {
            return wrong("neither a token nor a tag");
        }
        match line {
            "<g/>" => is_glued = true,
            "</p>" | "</doc>" => {
                if regions.pop() != Some(&line[2..line.len() - 1]) {
                    return wrong("ends what is not open");
                }
                if line == "</p>" {
                    texts.push(std::mem::take(&mut line_of_text));
                    is_glued = true;
                }
            }
            tag if tag.starts_with("<doc ") || tag.starts_with("<p ") => {
                let name = if tag.starts_with("<p ") { "p" } else { "doc" };
                let right = if name == "p" { ["doc"].as_slice() } else { &[] };
                if regions != right {
                    return wrong("begins inside of another region");
                }
                if !has_attributes(&tag[1 + name.len()..]) {
                    return wrong("attributes that cannot be read");
                }
                regions.push(name);
            }
            token => {
                if token.starts_with('<') || regions != ["doc", "p"] || token.contains(char::is_whitespace) {
                    return wrong("a token outside of a paragraph, or none");
                }
                if !is_glued {
                    line_of_text.push(' ');
                }
                let plain =
                    token.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
                line_of_text.push_str(&plain);
                is_glued = false;
            }
        }
    }
    if regions.is_empty() { Ok(texts) } else { Err("a region is not closed".to_owned()) }
}

/// Whether `rest`, the part of a tag after its name, consists of attributes such as ` name="value"` and of the end `>`.
fn has_attributes(rest: &str) -> bool {
    if rest == ">" {
        return true;
    }
    let Some((name, rest)) = rest.strip_prefix(' ').and_then(|rest| rest.split_once("=\"")) else { return false };
    let Some((value, rest)) = rest.split_once('"') else { return false };
    name.chars().all(|c| c.is_ascii_alphanumeric()) && !value.contains(['<', '>']) && has_attributes(rest)
}

fn document(id: usize, paragraphs: Vec<DocumentParagraph>, title: &str) -> Document {
    let mut document = documents::document(&format!("{id:032x}"), "portal.example", paragraphs);
    document.url = "https://portal.example/?a=1&b=\"2\"".to_owned();
    document.metadata.title = Some(title.to_owned());
    document.metadata.authors = vec![title.to_owned()];
    document.metadata.published = Some(title.to_owned());
    document.metadata.fetched = "2026-11-20T09:15:00Z".parse().ok();
    document.metadata.language = Some("hu".to_owned());
    if id % 2 == 1 {
        let license = Signal::new(RightsSource::Link, "license", format!("https://portal.example/?l=1&m={title}"));
        document.rights = Rights::of(vec![Signal::new(RightsSource::Header, "tdm-reservation", "1"), license]);
    }
    document
}

fn written(documents: &[Document], format: Format, file: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let mut sink = Sink::create(dir.path(), format).unwrap();
    documents.iter().for_each(|document| sink.write(document).unwrap());
    sink.close().unwrap();
    fs::read_to_string(dir.path().join(file)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn tei_is_valid_for_any_document(
        texts in proptest::collection::vec(proptest::collection::vec(paragraph(), 1..8), 0..4), title in "\\PC{0,20}",
    ) {
        let documents: Vec<Document> =
            texts.into_iter().enumerate().map(|(id, paragraphs)| document(id, paragraphs, &title)).collect();
        prop_assert_eq!(check_tei(&written(&documents, Format::Tei, "corpus.xml")), Ok(documents.len()));
    }

    #[test]
    fn vertical_loads_and_keeps_the_text_of_any_document(
        texts in proptest::collection::vec(proptest::collection::vec(paragraph(), 1..8), 0..4), title in "\\PC{0,20}",
    ) {
        let documents: Vec<Document> =
            texts.into_iter().enumerate().map(|(id, paragraphs)| document(id, paragraphs, &title)).collect();
        let found = check_vertical(&written(&documents, Format::Vertical, "corpus.vert"));
        let expected: Vec<String> =
            documents.iter().flat_map(|document| &document.paragraphs).map(|paragraph| paragraph.text.clone()).collect();
        prop_assert_eq!(found, Ok(expected));
    }
}

#[test]
fn documents_in_two_corpora_have_unique_ids() {
    let documents = ["7f", "7f", "7f-2", "7f", "7f-2", "", "a b\"<é", "a b\"<é"].map(|id| {
        let mut document = document(0, vec![], "T");
        document.id = id.to_owned();
        document
    });
    let tei = written(&documents, Format::Tei, "corpus.xml");
    assert_eq!(check_tei(&tei), Ok(documents.len()), "{tei}");
    let ids: Vec<&str> = tei.split("xml:id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(ids, ["d7f", "d7f-2", "d7f-2-2", "d7f-3", "d7f-2-3", "d", "da_b___", "da_b___-2"]);
}

#[test]
fn the_checks_find_errors() {
    let tei = written(&[document(1, vec![], "T")], Format::Tei, "corpus.xml");
    assert_eq!(check_tei(&tei), Ok(1));
    for (right, wrong) in [
        ("<body>", "<body><p>loose</p>"),
        ("xml:id=\"d", "xml:id=\"1"),
        ("<list>", "<ul>"),
        ("<text>", "<text><title/>"),
    ] {
        let broken = tei.replace(right, wrong);
        assert!(broken == tei || check_tei(&broken).is_err(), "{wrong}");
    }
    for wrong in
        ["token\n", "<doc id=\"1\">\n<p type=\"p\">\n<b>\n</p>\n</doc>\n", "<doc id=\"1\">\n</p>\n", "<doc id=\"1\">\n"]
    {
        assert!(check_vertical(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn tei_has_the_structure_of_a_document() {
    let line = r#"[{"kind":"h","text":"Rain","level":2},
        {"kind":"p","text":"See CO2 x^2 1","marks":[{"start":0,"end":3,"mark":"a","target":"https://portal.example/a b"},
            {"start":6,"end":7,"mark":"sub"},{"start":8,"end":11,"mark":"math"},{"start":12,"end":13,"mark":"note","target":"1"}]},
        {"kind":"l","text":"one","item":{"depth":1,"ordered":true,"number":3,"list":0}},
        {"kind":"h","text":"In an item","level":3,"item":{"depth":1,"ordered":true,"number":3,"list":0,"continues":true}},
        {"kind":"code","text":"a\n\tb","language":"c++","item":{"depth":2,"ordered":false,"list":1}},
        {"kind":"l","text":"Term","item":{"depth":1,"ordered":false,"list":2,"part":"term"}},
        {"kind":"l","text":"Meaning","item":{"depth":1,"ordered":false,"list":2,"part":"definition"}},
        {"kind":"caption","text":"Days"},
        {"kind":"table","text":"a\t\nb\tc","table":{"caption":"Days","head_rows":1,"head_columns":0,"spans":[{"row":0,"column":0,"rows":1,
            "columns":2}]}},
        {"kind":"quote","text":"Nobody came.","quote":1},
        {"kind":"formula","text":"a<b"},
        {"kind":"p","text":"A note.","note":"1"}]"#;
    let mut document = document(0, serde_json::from_str(line).unwrap(), "T");
    document.structure = Some(1);
    let objects = r#"[{"kind":"figure","before":2,"source":"https://portal.example/a.jpg","alt":"A bridge","caption":"In May"},
        {"kind":"embed","before":9,"provider":"x","source":"https://x.com/1","quoted":[9]},{"kind":"rule","before":11}]"#;
    document.objects = serde_json::from_str(objects).unwrap();
    let tei = written(&[document], Format::Tei, "corpus.xml");
    assert_eq!(check_tei(&tei), Ok(1), "{tei}");
    for part in [
        "<head n=\"2\">Rain</head>",
        "<ref target=\"https://portal.example/a%20b\">See</ref> CO<hi rend=\"sub\">2</hi> <formula notation=\"TeX\">x^2</formula>",
        "<list rend=\"numbered\"><item n=\"3\">one<ab type=\"head\">In an item</ab>",
        "<eg xml:space=\"preserve\" rend=\"language-c++\">a\n\tb</eg>",
        "<list type=\"gloss\"><label>Term</label>\n<item>Meaning</item>",
        "<table>\n<head>Days</head>\n<row><cell role=\"label\" cols=\"2\">a</cell></row>",
        "<figure><head>In May</head><figDesc>A bridge</figDesc><graphic url=\"https://portal.example/a.jpg\"/></figure>",
        "<note place=\"foot\" n=\"1\"><p>A note.</p>",
    ] {
        assert!(tei.contains(part), "{part}\n{tei}");
    }
}
