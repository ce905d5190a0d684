//! Makes paragraphs from a JSON value: a text with or without HTML, or a list of blocks that contain texts.

use goldminer_html::text::script;
use goldminer_html::{Page, is_long};
use serde_json::Value;

use crate::document::{DocumentParagraph, ParagraphKind};

/// The most blocks in an article. A list with more is not an article.
const MAX_BLOCKS: usize = 2_000;
/// The number of levels below a block in which its texts are searched.
const MAX_DEPTH: usize = 8;
/// The fewest characters of running text in an article (Han and kana characters count for three).
pub(super) const MIN_CHARS: usize = 400;
/// The fewest sentences in an article.
const MIN_SENTENCES: usize = 3;
/// A text with a larger percentage of braces and similar signs is a program or a style sheet.
const MAX_SIGNS_PERCENT: usize = 2;
/// A text with more than one of these per [`CHARS_A_QUOTED`] characters is a program or data: sentences seldom have
/// them.
const QUOTED: [&str; 8] = ["\":", "\",\"", "[\"", "\"]", "{\"", "\"}", "(\"", "\")"];
const CHARS_A_QUOTED: usize = 300;

pub(super) fn of_text(text: &str) -> Vec<DocumentParagraph> {
    if is_html(text) {
        let page = Page::parse(text.to_owned());
        let own = own(&page).into_iter().map(|at| &page.paragraphs()[at]);
        return own.map(|paragraph| DocumentParagraph::new(page.kind(paragraph), &*paragraph.text)).collect();
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let divider = if text.contains("\n\n") { "\n\n" } else { "\n" };
    text.split(divider).flat_map(of_line).collect()
}

/// Whether a text contains tags.
pub(super) fn is_html(text: &str) -> bool {
    ["</p", "<p", "<br", "</div", "</h", "</li", "</span", "</a"].iter().any(|tag| text.contains(tag))
}

/// The indexes of the paragraphs of an article in HTML, without those that are only links.
pub(super) fn own(page: &Page) -> Vec<usize> {
    (0..page.paragraphs().len()).filter(|at| page.paragraphs()[*at].link_density() < 0.9).collect()
}

/// A paragraph from a text without tags; character references are decoded.
fn of_line(line: &str) -> Option<DocumentParagraph> {
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = if line.contains('&') { htmlize::unescape(&line).into_owned() } else { line };
    (!line.is_empty()).then(|| DocumentParagraph::new(ParagraphKind::Paragraph, line))
}

/// The paragraphs of an article that is a JSON list of blocks, each with texts. Empty if the list is not an article.
pub(super) fn of_blocks(blocks: &[Value]) -> Vec<DocumentParagraph> {
    if blocks.len() < 2 || blocks.len() > MAX_BLOCKS {
        return Vec::new();
    }
    let pieces: Vec<Vec<(&str, &str)>> = blocks.iter().map(pieces).collect();
    let Some(key) = text_key(&pieces) else { return Vec::new() };
    let is_titled = |pieces: &&Vec<(&str, &str)>| pieces.iter().any(|(of, text)| *of != key && is_title(text));
    if 2 * pieces.iter().filter(is_titled).count() >= blocks.len() {
        // Items with their own titles are separate stories.
        return Vec::new();
    }
    let paragraphs = blocks.iter().zip(&pieces).flat_map(|(block, pieces)| {
        let kind = kind(block);
        let own = pieces.iter().filter(|(of, _)| *of == key).map(|(_, text)| *text);
        of_text(&joined(own)).into_iter().map(move |paragraph| match (kind, paragraph.kind) {
            (ParagraphKind::Paragraph, _) | (_, ParagraphKind::Heading) => paragraph,
            (kind, _) => DocumentParagraph { kind, ..paragraph },
        })
    });
    paragraphs.collect()
}

/// The texts in a block, each after its key, in order.
fn pieces(block: &Value) -> Vec<(&str, &str)> {
    let mut pieces = Vec::new();
    gather(block, "", 0, &mut pieces);
    pieces
}

fn gather<'v>(value: &'v Value, key: &'v str, depth: usize, pieces: &mut Vec<(&'v str, &'v str)>) {
    match value {
        Value::String(text) => pieces.push((key, text)),
        _ if depth > MAX_DEPTH => {}
        Value::Array(values) => values.iter().for_each(|value| gather(value, key, depth + 1, pieces)),
        Value::Object(object) => object.iter().for_each(|(key, value)| gather(value, key, depth + 1, pieces)),
        _ => {}
    }
}

/// The key whose texts have the most prose. None if no text reads like prose.
fn text_key<'v>(blocks: &[Vec<(&'v str, &str)>]) -> Option<&'v str> {
    let mut prose: Vec<(&str, usize)> = Vec::new();
    for (key, text) in blocks.iter().flatten().filter(|(_, text)| reads_like_prose(text)) {
        match prose.iter().position(|(known, _)| known == key) {
            Some(known) => prose[known].1 += text.len(),
            None if prose.len() < 64 => prose.push((key, text.len())),
            None => {}
        }
    }
    prose.into_iter().max_by_key(|(_, chars)| *chars).map(|(key, _)| key)
}

fn reads_like_prose(text: &str) -> bool {
    text.len() >= 20 && is_long(text, text.split_whitespace().take(8).count()) && !text.starts_with("http")
}

/// Whether a text is a title: three words or more, and no sentence.
fn is_title(text: &str) -> bool {
    let words = text.split_whitespace().take(3).count();
    (words == 3 || text.len() >= 24 && !text.is_ascii()) && text.len() < 300 && !text.trim_end().ends_with('.')
}

/// Joins the texts in one block of the page's JSON. After the end of a sentence, a text with a capital letter begins a
/// paragraph.
fn joined<'v>(pieces: impl Iterator<Item = &'v str>) -> String {
    let mut text = String::new();
    for piece in pieces {
        let ends = text.trim_end().ends_with(is_stop);
        if ends && !text.ends_with(char::is_whitespace) && piece.starts_with(char::is_uppercase) {
            text.push_str("\n\n");
        }
        text.push_str(piece);
    }
    text
}

fn kind(block: &Value) -> ParagraphKind {
    let Value::Object(object) = block else { return ParagraphKind::Paragraph };
    let mut named = object.values().filter_map(Value::as_str).filter(|text| text.len() <= 24 && !text.contains(' '));
    let kind = named.find_map(|name| {
        let name = name.to_ascii_lowercase();
        let is_level = name.len() == 2 && name.starts_with('h') && name.ends_with(|c: char| c.is_ascii_digit());
        match () {
            () if is_level || name.contains("heading") || name.contains("headline") => Some(ParagraphKind::Heading),
            () if name.contains("quote") => Some(ParagraphKind::Quote),
            () if name.contains("list") => Some(ParagraphKind::ListItem),
            () => None,
        }
    });
    kind.unwrap_or(ParagraphKind::Paragraph)
}

/// The number of characters of running text (text in sentences) in these paragraphs. None if this is too little for an
/// article, or if the text is a program.
pub(super) fn weight(paragraphs: &[DocumentParagraph]) -> Option<usize> {
    let running = || {
        let texts = paragraphs.iter().filter(|part| part.kind != ParagraphKind::Heading).map(|part| part.text.as_str());
        texts.filter(|text| is_long(text, text.split_whitespace().take(8).count()))
    };
    let chars: usize = running().map(script::weight).sum();
    let stops: usize = running().map(|text| text.matches(is_stop).count()).sum();
    let signs: usize = running().map(|text| text.matches(['{', '}', ';', '=', '<', '>']).count()).sum();
    let quoted: usize =
        running().map(|text| QUOTED.map(|marks| text.matches(marks).count()).iter().sum::<usize>()).sum();
    let is_program = 100 * signs > MAX_SIGNS_PERCENT * chars || CHARS_A_QUOTED * quoted > chars;
    (chars >= MIN_CHARS && stops >= MIN_SENTENCES && !is_program).then_some(chars)
}

/// Whether the character ends a sentence in some script.
fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '۔' | '؟' | '։' | '።')
}
