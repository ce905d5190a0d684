//! Finds the article among the values in a page's JSON: it reads like one, and a headline beside it agrees with the
//! page's headline. In JSON-LD, only `articleBody` counts.

use goldminer_html::scripts::Datum;
use goldminer_html::text::case_fold::letters_of;
use serde_json::Value;

use super::{Article, text};
use crate::document::DocumentParagraph;

/// The deepest level of the data that is searched.
const MAX_DEPTH: usize = 64;
/// The number of JSON objects around a text in which its headline is searched for, from the innermost on.
const MAX_ABOVE: usize = 4;
/// The fewest bytes in the text of an article.
const MIN_BYTES: usize = 300;
/// The length of a headline in bytes, counting only letters and digits.
const HEADLINE_BYTES: std::ops::Range<usize> = 8..400;
/// Two headlines agree only if the shorter one has at least this percentage of the longer one's length.
const AGREES_PERCENT: usize = 60;
/// The search stops after this many texts. Only lists have more.
const MAX_FOUND: usize = 64;

/// The longest article with this title among some values. None if there is none.
pub(super) fn article(data: &[Datum], title: &str) -> Option<Article> {
    let mut search = Search { title: comparable(title), ..Search::default() };
    let mut around = Vec::new();
    for Datum { value, is_json_ld } in data {
        search.is_json_ld = *is_json_ld;
        search.walk(value, 0, &mut around);
    }
    search.best
}

#[derive(Default)]
struct Search {
    title: String,
    is_json_ld: bool,
    /// The number of texts that read like an article.
    texts: usize,
    best: Option<Article>,
}

impl Search {
    /// Searches a value and everything in it. `around` has the objects that contain the value, the innermost last. It
    /// is empty for an item of a list with several items, because objects around a list describe none of its items.
    fn walk<'d>(&mut self, value: &'d Value, depth: usize, around: &mut Vec<&'d Value>) {
        if depth > MAX_DEPTH || self.texts >= MAX_FOUND {
            return;
        }
        match value {
            Value::String(string) if string.len() >= MIN_BYTES => {
                self.consider(text::of_text(string), Some(string.as_str()).filter(|text| text::is_html(text)), around);
            }
            Value::Array(values) => {
                if !self.is_json_ld {
                    self.consider(text::of_blocks(values), None, around);
                }
                match values.as_slice() {
                    [one] => self.walk(one, depth + 1, around),
                    values => values.iter().for_each(|value| self.walk(value, depth + 1, &mut Vec::new())),
                }
            }
            Value::Object(object) => {
                around.push(value);
                for (key, inner) in object {
                    if !self.is_json_ld || !inner.is_string() || key == "articleBody" {
                        self.walk(inner, depth + 1, around);
                    }
                }
                around.pop();
            }
            _ => {}
        }
    }

    fn consider(&mut self, paragraphs: Vec<DocumentParagraph>, html: Option<&str>, around: &[&Value]) {
        let Some(weight) = text::weight(&paragraphs) else { return };
        self.texts += 1;
        let mut headlines = around.iter().rev().take(MAX_ABOVE).flat_map(|object| headlines(object));
        if self.best.as_ref().is_none_or(|best| best.weight <= weight)
            && let Some(headline) = headlines.find(|own| agree(&comparable(own), &self.title))
        {
            let (headline, html) = (headline.to_owned(), html.map(str::to_owned));
            self.best = Some(Article { headline, paragraphs, html, weight });
        }
    }
}

/// Texts in a JSON object, or one level below, that could be a headline: short, and at least two words if they are
/// ASCII.
fn headlines(object: &Value) -> impl Iterator<Item = &str> {
    let direct = members(object);
    let below: Vec<&Value> = direct.iter().filter(|value| value.is_object()).flat_map(|value| members(value)).collect();
    let texts = direct.into_iter().chain(below).filter_map(Value::as_str);
    let is_short = |text: &&str| text.len() < HEADLINE_BYTES.end;
    texts.filter(is_short).filter(|text| text.split_whitespace().nth(1).is_some() || !text.is_ascii())
}

fn members(value: &Value) -> Vec<&Value> {
    value.as_object().into_iter().flat_map(|object| object.values()).collect()
}

/// Reduces a text to its letters and digits, in lower case.
fn comparable(text: &str) -> String {
    if text.contains('&') { letters_of(&htmlize::unescape(text)) } else { letters_of(text) }
}

/// Whether two headlines are the same, apart from a kicker or the name of the site.
fn agree(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    HEADLINE_BYTES.contains(&short.len()) && 100 * short.len() >= AGREES_PERCENT * long.len() && long.contains(short)
}
