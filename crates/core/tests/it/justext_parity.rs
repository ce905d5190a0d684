//! Compares jusText with its reference implementation, paragraph by paragraph, in text and class.
//!
//! It needs a lab folder with sets of pages (see `lab`) and a Python with the reference
//! (`pip install jusText==3.0.2 lxml_html_clean`):
//!
//! ```text
//! GOLDMINER_LAB=lab/eval GOLDMINER_PYTHON=venv/bin/python cargo test --profile fast --test it justext_parity --
//! --ignored --nocapture
//! ```
//!
//! With GOLDMINER_EVERY=25 one page in 25 is compared.
//!
//! All differences are in the trees, none in the algorithm: the reference reads pages with libxml2, GoldMiner by the
//! HTML standard. The kinds of differences, most frequent first:
//! - libxml2 repairs misnested tags in its own way: an unclosed `<a>` or heading may end at different places (then
//!   classes of paragraphs differ), and `<b><p>…</b>` ends the paragraph in libxml2.
//! - In libxml2, `<title>` outside `<head>` is text, joined to the text after it, unless a `<body>` follows.
//! - `<select/>` and other XML-like tags are empty elements in libxml2, open ones in HTML.
//! - For a page without `<html>` and `<body>`, lxml may keep only the first element.
//! - Custom elements whose names contain `select` are boilerplate in the reference (a substring test on the path).
//! - Paragraphs with only `<br>` are empty in the reference and do not exist here (they are not compared).
//!
//! Both get the same decoded pages. `GOLDMINER_PARITY_DIFF=FILE` writes every difference to a file.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, Stdio};

use goldminer_core::justext::{Class, Stoplist, Thresholds, classify};
use goldminer_core::page::encoding::decode;
use goldminer_core::page::{Page, Reading};

use crate::lab;

/// The script that runs the reference: JSON lines of `[stoplist, html]` in, JSON lines of `[[class, text], …]` out.
const REFERENCE: &str = r#"
import json, sys, justext
from justext.utils import get_stoplist
for line in sys.stdin:
    language, html = json.loads(line)
    try:
        paragraphs = justext.justext(html, get_stoplist(language))
        answer = [[p.class_type, " ".join(p.text.split())] for p in paragraphs]
    except Exception as e:
        answer = None
    print(json.dumps(answer), flush=True)
"#;

/// The sets to compare, if the lab has them.
const SETS: [&str; 6] = ["cleanportaleval", "big9-2009", "cleaneval-final", "l3s-gn1", "hu-portals", "daniel-zh-ru-el"];
/// The share of paragraphs that must be equal.
const BAR: f64 = 0.995;

/// Class and text of each paragraph.
type Classes = Vec<(String, String)>;
/// Some of the paragraphs of a page.
type Picked<'a> = Vec<&'a (String, String)>;

#[test]
#[ignore = "needs sets of pages and jusText: GOLDMINER_LAB, GOLDMINER_PYTHON"]
fn paragraphs_and_classes_are_those_of_the_reference() {
    let folder = lab::folder();
    let python = std::env::var_os("GOLDMINER_PYTHON").expect("GOLDMINER_PYTHON names a Python with jusText");
    let mut differences = std::env::var_os("GOLDMINER_PARITY_DIFF")
        .map(|path| BufWriter::new(std::fs::File::create(path).expect("the file for differences can be written")));
    let mut reference = Command::new(python)
        .args(["-c", REFERENCE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut questions = reference.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(reference.stdout.take().expect("a pipe")).lines();

    let mut below = Vec::new();
    let (mut equal_in_all, mut of_all) = (0, 0);
    for set in SETS {
        let (mut equal, mut all, mut pages, mut pages_equal) = (0, 0, 0, 0);
        for lab::LabPage { path, bytes, columns } in lab::pages(&folder.join(set)).into_iter().step_by(lab::every()) {
            let html = decode(&bytes, None).text.into_owned();
            // The reference has no list for languages without spaces; any list will do for comparison.
            let stoplist = Stoplist::of_language(&columns["language"]).filter(|list| !list.is_spaceless());
            let stoplist = stoplist.or_else(|| Stoplist::of_language("en")).expect("an English list");
            let question = serde_json::to_string(&(stoplist.name(), &html)).expect("a line of JSON");
            writeln!(questions, "{question}").expect("Python reads");
            let answer = answers.next().expect("Python answers").expect("Python answers");
            let Some(theirs) = serde_json::from_str::<Option<Classes>>(&answer).expect("a line of JSON") else {
                eprintln!("{path}: the reference fails");
                continue;
            };
            let theirs: Classes = theirs.into_iter().filter(|(_, text)| !text.is_empty()).collect();
            let ours = ours(html, stoplist);
            let (common, only_ours, only_theirs) = compared(&ours, &theirs);
            pages += 1;
            pages_equal += usize::from(only_ours.is_empty() && only_theirs.is_empty());
            equal += common;
            all += common + only_ours.len().max(only_theirs.len());
            if let Some(file) = &mut differences
                && !(only_ours.is_empty() && only_theirs.is_empty())
            {
                writeln!(file, "== {path}").expect("the file for differences can be written");
                for (sign, list) in [('-', only_theirs), ('+', only_ours)] {
                    for (class, text) in list {
                        writeln!(file, "{sign} {class}: {text}").expect("the file for differences can be written");
                    }
                }
            }
        }
        let share = equal as f64 / f64::from(all.max(1) as u32);
        eprintln!("{set}: {equal} of {all} paragraphs equal ({:.3} %), {pages_equal} of {pages} pages", 100.0 * share);
        (equal_in_all, of_all) = (equal_in_all + equal, of_all + all);
        // In a small set, one broken page weighs too much: small sets must reach the bar together.
        if share < BAR && lab::every() == 1 {
            below.push(set);
        }
    }
    if (equal_in_all as f64) < BAR * f64::from(of_all as u32) {
        below.push("all sets");
    }
    drop(questions);
    reference.wait().expect("Python ends");
    assert!(below.is_empty(), "less than {BAR} of the paragraphs are equal in {below:?}");
}

fn ours(html: String, stoplist: &Stoplist) -> Classes {
    let page = Page::parse_as(html, Reading::Justext);
    let classes = classify(page.paragraphs(), stoplist, &Thresholds::default());
    page.paragraphs()
        .iter()
        .zip(classes)
        .map(|(paragraph, class)| {
            let class = match class {
                Class::Good => "good",
                Class::NearGood => "neargood",
                Class::Short => "short",
                Class::Bad => "bad",
            };
            (class.to_owned(), paragraph.text.to_string())
        })
        .collect()
}

/// The length of a longest common subsequence of paragraphs, and the remaining paragraphs of both sides.
fn compared<'a>(ours: &'a Classes, theirs: &'a Classes) -> (usize, Picked<'a>, Picked<'a>) {
    let (n, m) = (ours.len(), theirs.len());
    let mut lengths = vec![vec![0u32; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            lengths[i][j] = match ours[i] == theirs[j] {
                true => lengths[i + 1][j + 1] + 1,
                false => lengths[i + 1][j].max(lengths[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut only_ours, mut only_theirs) = (Vec::new(), Vec::new());
    while i < n || j < m {
        if i < n && j < m && ours[i] == theirs[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == m || (i < n && lengths[i + 1][j] >= lengths[i][j + 1]) {
            only_ours.push(&ours[i]);
            i += 1;
        } else {
            only_theirs.push(&theirs[j]);
            j += 1;
        }
    }
    (lengths[0][0] as usize, only_ours, only_theirs)
}
