//! Documents of real pages are the same after they are written as HTML or Markdown and read again.

use std::path::Path;

use goldminer_core::address::Domain;
use goldminer_core::document::{Document, DocumentParagraph, Mark, MarkKind};
use goldminer_core::extract::{Extractor, SourcePage};
use goldminer_corpus::{html, markdown_body};

use crate::lab;
use crate::laws::{lines, read_again};
use crate::read_back::markdown_to_html;

/// A document's lines without what a format cannot express: the numbers of lists (an interrupted list is read as
/// two), posts without an address, and how an address is escaped.
fn comparable(lines: &str) -> String {
    let mut out = Vec::with_capacity(lines.len());
    let is_written = |line: &&str| !line.starts_with("{\"kind\":\"embed\"") || line.contains("\"source\":");
    for line in lines.lines().filter(is_written) {
        for (number, part) in line.split("\"list\":").enumerate() {
            out.extend((if number > 0 { part.trim_start_matches(|c: char| c.is_ascii_digit()) } else { part }).bytes());
        }
        out.push(b'\n');
    }
    let mut at = 0;
    while let Some(next) = out[at..].iter().position(|byte| *byte == b'%') {
        at += next;
        let code =
            out.get(at + 1..at + 3).and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        out.splice(at..at + code.map_or(0, |_| 3), code);
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether a document can be restored completely: it has structure, and its note references have no brackets, because
/// Markdown adds its own.
fn is_whole(document: &Document) -> bool {
    let says_more = |paragraph: &DocumentParagraph| {
        let notes = paragraph.marks.iter().filter(|mark| mark.mark == MarkKind::NoteReference);
        let length = |mark: &Mark| (mark.end - mark.start) as usize;
        { notes }.any(|mark| mark.target.as_deref().map(|label| label.chars().count()) != Some(length(mark)))
    };
    document.structure.is_some() && !document.paragraphs.iter().any(says_more)
}

/// The first paragraph or object that a format does not restore, if any.
fn difference(document: &Document) -> Option<String> {
    let was = comparable(&lines(document));
    let markdown = markdown_body(document);
    for (form, html) in [("html", html(document)), ("markdown", markdown_to_html(&markdown))] {
        let is = comparable(&read_again(&html));
        if is != was {
            let at = was.lines().zip(is.lines()).take_while(|(was, is)| was == is).count();
            let line = |all: &str| all.lines().nth(at).unwrap_or("the end").chars().take(600).collect::<String>();
            return Some(format!("{form}\nwas {}\nis  {}", line(&was), line(&is)));
        }
    }
    None
}

#[test]
fn documents_of_the_core_s_pages_are_read_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/pages");
    let domain = Domain::named("pages");
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(path.join("source.html")).unwrap();
        let Ok(document) = Extractor::default().extract(&SourcePage::new(&bytes, &domain), None) else { continue };
        if !is_whole(&document) {
            continue;
        }
        assert_eq!(difference(&document), None, "{}", path.display());
        read += 1;
    }
    assert!(read > 20, "{read}");
}

#[test]
#[ignore = "needs sets of pages: GOLDMINER_LAB"]
fn documents_of_the_sets_are_read_back() {
    let (mut read, mut wrong) = (0_usize, Vec::new());
    let mut sets: Vec<_> = std::fs::read_dir(lab::folder()).unwrap().map(|set| set.unwrap().path()).collect();
    sets.sort();
    for set in sets.iter().filter(|set| set.join("pages").is_dir()) {
        for page in lab::pages(set).iter().step_by(lab::every()) {
            let Ok(document) = page.with_source(|source| Extractor::default().extract(source, None)) else { continue };
            if !is_whole(&document) {
                continue;
            }
            read += 1;
            wrong.extend(difference(&document).map(|difference| format!("{} {difference}", page.path)));
        }
    }
    println!("{} of {read} documents differ from what was written", wrong.len());
    let allowed = 1 + read / 500;
    assert!(wrong.len() <= allowed, "{}", wrong.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n"));
}
