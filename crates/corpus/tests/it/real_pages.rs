//! Documents of real pages, written as HTML and as Markdown and read again, are what they were.

use std::path::Path;

use goldminer_core::address::Domain;
use goldminer_core::document::Document;
use goldminer_core::extract::{Extractor, SourcePage};
use goldminer_corpus::{html, markdown_body};

use crate::lab;
use crate::laws::{lines, read_again};
use crate::read_back::markdown_to_html;

/// A document's lines, but for the numbers of lists, as one that something interrupts is two when it is read, and for signs
/// that Markdown's reader escapes in addresses.
fn comparable(lines: &str) -> String {
    let mut out = String::with_capacity(lines.len());
    for (number, part) in lines.split("\"list\":").enumerate() {
        out.push_str(if number > 0 { part.trim_start_matches(|c: char| c.is_ascii_digit()) } else { part });
    }
    [("%7C", "|"), ("%5B", "["), ("%5D", "]")].iter().fold(out, |out, (escaped, sign)| out.replace(escaped, sign))
}

/// The first paragraph or object that a form does not give back, if there is one.
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
        assert_eq!(difference(&document), None, "{}", path.display());
        read += 1;
    }
    assert!(read > 20, "{read}");
}

#[test]
#[ignore = "needs the lab's pages"]
fn documents_of_the_sets_are_read_back() {
    let (mut read, mut wrong) = (0_usize, Vec::new());
    let mut sets: Vec<_> = std::fs::read_dir(lab::folder()).unwrap().map(|set| set.unwrap().path()).collect();
    sets.sort();
    for set in sets.iter().filter(|set| set.join("pages").is_dir()) {
        for page in lab::pages(set).iter().step_by(lab::every()) {
            let Ok(document) = page.with_source(|source| Extractor::default().extract(source, None)) else { continue };
            read += 1;
            wrong.extend(difference(&document).map(|difference| format!("{} {difference}", page.path)));
        }
    }
    println!("{} of {read} documents are not what was written", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n"));
}
