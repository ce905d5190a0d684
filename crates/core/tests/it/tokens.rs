//! Compares the tokenizer with html5gum, an independent implementation of the same standard: on random tag soup, and
//! on the pages of a lab folder if the environment variable `GOLDMINER_LAB` names one.

use std::collections::BTreeMap;
use std::path::Path;

use goldminer_core::page::{TokenKind, Tokens};
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Span, State, Token, Tokenizer};
use proptest::prelude::*;

use crate::lab;

/// A token in a form that both tokenizers can give. Adjacent texts are one piece.
#[derive(Debug, PartialEq)]
enum Piece {
    Start { name: String, attributes: BTreeMap<String, String>, self_closing: bool, span: (usize, usize) },
    End { name: String, span: (usize, usize) },
    Text(String),
    Comment(String),
    Doctype,
}

fn ours(page: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for token in Tokens::new(page) {
        let span = (token.span.start as usize, token.span.end as usize);
        let name = lower(token.name(page));
        pieces.push(match token.kind {
            TokenKind::StartTag { self_closing, .. } => {
                let mut attributes = BTreeMap::new();
                for attribute in token.attributes(page) {
                    attributes.entry(lower(attribute.name)).or_insert_with(|| attribute.value().into_owned());
                }
                Piece::Start { name, attributes, self_closing, span }
            }
            TokenKind::EndTag { .. } => Piece::End { name, span },
            TokenKind::Comment { data } => Piece::Comment(page[data.range()].to_owned()),
            TokenKind::Doctype => Piece::Doctype,
            TokenKind::Text | TokenKind::RawText => Piece::Text(token.text(page).into_owned()),
        });
    }
    folded(pieces)
}

fn theirs(page: &str) -> Vec<Piece> {
    let mut tokenizer = Tokenizer::new_with_emitter(page, DefaultEmitter::<usize>::new_with_span());
    let mut pieces = Vec::new();
    while let Some(token) = tokenizer.next() {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let range = |span: Span<usize>| (span.start, span.end);
        match token.unwrap_or_else(|never| match never {}) {
            Token::StartTag(tag) => {
                if let Some(state) = state_after(&tag.name) {
                    tokenizer.set_state(state);
                }
                pieces.push(Piece::Start {
                    name: text(&tag.name),
                    attributes: tag.attributes.iter().map(|(name, value)| (text(name), text(value))).collect(),
                    self_closing: tag.self_closing,
                    span: range(tag.span),
                });
            }
            Token::EndTag(tag) => pieces.push(Piece::End { name: text(&tag.name), span: range(tag.span) }),
            Token::String(string) => pieces.push(Piece::Text(text(&string))),
            Token::Comment(comment) => pieces.push(Piece::Comment(text(&comment))),
            Token::Doctype(_) => pieces.push(Piece::Doctype),
            Token::Error(_) => {}
        }
    }
    folded(pieces)
}

/// The state by the standard's "Parsing elements that contain only text", for a browser without scripting.
fn state_after(name: &[u8]) -> Option<State> {
    match name {
        b"textarea" | b"title" => Some(State::RcData),
        b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => Some(State::RawText),
        b"script" => Some(State::ScriptData),
        b"plaintext" => Some(State::PlainText),
        _ => None,
    }
}

fn folded(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut folded: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (folded.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&replaced(&text)),
            (_, Piece::Text(text)) => folded.push(Piece::Text(replaced(&text))),
            (_, Piece::Comment(data)) => folded.push(Piece::Comment(replaced(&data))),
            (_, other) => folded.push(other),
        }
    }
    folded
}

/// Replaces NUL and CR as the standard does. GoldMiner keeps them in text until white space is folded.
fn replaced(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}")
}

fn lower(name: &str) -> String {
    replaced(name).to_ascii_lowercase()
}

const SOUP: &[&str] = &[
    "<",
    ">",
    "/",
    "</",
    "<!",
    "<?",
    "=",
    "\"",
    "'",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "-",
    "--",
    "!",
    "?",
    "a",
    "B",
    "x1",
    "é",
    "漢",
    "\0",
    "&",
    "&amp;",
    "&amp",
    "&ampx",
    "&lt",
    "&notit;",
    "&#65;",
    "&#x80;",
    "&#xD800;",
    "&#0;",
    "&#99999999;",
    "&#x",
    "&copy=",
    "&nosuch;",
    "<!--",
    "-->",
    "--!>",
    "<!-->",
    "<!--->",
    "]]>",
    "<![CDATA[",
    "<!DOCTYPE html>",
    "<!doctype",
    "<div>",
    "</div>",
    "<p class=a>",
    "<p class='a b' ID=\"x\" id=y>",
    "<br/>",
    "<a href=x/>",
    "<script>",
    "</script>",
    "<SCRIPT ",
    "</Script ",
    "<script",
    "</script",
    "<style>",
    "</style>",
    "<title>",
    "</title>",
    "</titles>",
    "<textarea>",
    "</textarea>",
    "<xmp>",
    "</xmp>",
    "<iframe>",
    "</iframe>",
    "<noframes>",
    "</noframes>",
    "<plaintext>",
    "<noscript>",
];

fn soup() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(SOUP), 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn tag_soup_is_split_into_tokens_as_the_standard_says(page in soup()) {
        prop_assert_eq!(ours(&page), theirs(&page));
    }

    #[test]
    fn the_spans_cover_the_page_in_order(page in soup()) {
        let mut at = 0;
        for token in Tokens::new(&page) {
            prop_assert!(token.span.start >= at && token.span.end > token.span.start);
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            prop_assert!(page.is_char_boundary(start) && page.is_char_boundary(end));
            at = token.span.end;
        }
        prop_assert!(at as usize <= page.len());
    }
}

#[test]
#[ignore = "needs sets of pages: GOLDMINER_LAB"]
fn real_pages_are_split_into_tokens_as_the_standard_says() {
    let folder = lab::folder();
    let (mut met, mut compared) = (0, 0);
    walk(&folder, &mut |path, page| {
        met += 1;
        if met % lab::every() != 0 {
            return;
        }
        let (ours, theirs) = (ours(page), theirs(page));
        if let Some(i) = ours.iter().zip(&theirs).position(|(a, b)| a != b) {
            panic!("{}: token {i}: {:?} should be {:?}", path.display(), ours[i], theirs[i]);
        }
        assert_eq!(ours.len(), theirs.len(), "{}", path.display());
        compared += 1;
    });
    eprintln!("{compared} pages are equal");
    assert!(compared > 0, "no page in {}", folder.display());
}

fn walk(folder: &Path, visit: &mut impl FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).expect("the lab can be read") {
        let path = entry.expect("the lab can be read").path();
        if path.is_dir() {
            walk(&path, visit);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            let bytes = std::fs::read(&path).expect("the lab can be read");
            visit(&path, &String::from_utf8_lossy(&bytes));
        }
    }
}
