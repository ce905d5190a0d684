//! Finds labels of authors' names in a line, such as "By" in "By Anna Nagy" or "Text" in "Text: Anna Nagy".

use std::sync::LazyLock;

use goldminer_html::Page;
use goldminer_html::text::script::is_han_or_kana;
use rustc_hash::FxHashSet;

use super::joined::{BLOCK, HAN_CHARS};
use super::{END, PARTICLE};
use crate::phrases::{Categories, PHRASES, category};

/// Labels before a name that are verbs and prepositions, such as "by"; then (`NOUN`) nouns, which need a colon or
/// similar sign after them.
pub(crate) const VERB: Categories = category("byline/verb");
const NOUN: Categories = category("byline/noun");
/// Labels that count only near the headline, because they may also begin a sentence.
pub(crate) const WEAK: Categories = category("byline/weak");
/// Labels that are ordinary words in other languages. They count only if the page declares their language.
const ANOTHER_WORD: Categories = category("byline/another word");
/// Labels after a name.
const BEHIND: Categories = category("byline/behind");
/// Words for another role: the person after them did not write the article.
pub(crate) const ANOTHER_ROLE: Categories = category("byline/another role");
/// All labels before a name.
pub(crate) const LABEL: Categories = VERB | NOUN;
/// Indefinite articles, such as "ein" in "ein Kommentar von"; and words that mean "by" after the kind of a text, but
/// not before a name.
const INDEFINITE_ARTICLE: Categories = category("byline/indefinite article");
const BEHIND_GENRE: Categories = category("byline/behind genre");
/// Words before the place where an author is.
const BEFORE_PLACE: Categories = category("person/before place");
/// The signs between a noun and the name.
const COLONS: &[char] = &[':', '：', '／', '/', '|', '丨', '＝', '=', '՝'];

fn words_of(labels: Categories) -> FxHashSet<&'static str> {
    PHRASES.list(labels).flat_map(|label| label.text.split_whitespace()).collect()
}

pub(crate) fn is_label_word(word: &str) -> bool {
    static WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| words_of(LABEL));
    WORDS.contains(word)
}

/// Whether a word belongs to a verb label.
pub(crate) fn is_verb_word(word: &str) -> bool {
    static WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| words_of(VERB));
    WORDS.contains(word)
}

/// Splits a line before each Han word with a colon: "来源：晚报网 作者：李明".
pub(crate) fn parts(line: &str) -> Vec<&str> {
    if line.is_ascii() || !line.contains([':', '：']) {
        return vec![line];
    }
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    for word in line.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '|' | '｜' | BLOCK)) {
        let label = word.split_once([':', '：']).map_or("", |(label, _)| label);
        if at > 0 && !label.is_empty() && label.chars().all(is_han_or_kana) {
            parts.push(&line[start..at]);
            start = at;
        }
        at += word.len();
    }
    parts.push(&line[start..]);
    parts
}

/// Returns a name in Han characters that ends at a bar: "記者王小明／台北報導".
fn han_name(text: &str) -> Option<&str> {
    let (name, _) = text.split_once(['／', '/', '｜'])?;
    (HAN_CHARS.contains(&name.chars().count()) && name.chars().all(is_han_or_kana)).then_some(name)
}

/// The label after a name, and the text before the label: "김철수 기자".
pub(crate) fn behind_name(text: &str) -> Option<(&'static str, &str)> {
    let text = bare(text);
    // A line in ASCII cannot contain a label in another script.
    PHRASES.list(BEHIND).filter(|label| !text.is_ascii() || label.text.is_ascii()).find_map(|label| {
        let (name, rest) = text.split_once(&*label.text)?;
        let goes_on = rest.trim_start().starts_with(|c: char| c.is_alphabetic() && !c.is_ascii());
        (!goes_on && name.split_whitespace().count() <= 2).then_some((&*label.text, name))
    })
}

/// Whether a text begins with the letters of a label. This is a fast test.
pub(crate) fn may_begin(text: &str) -> bool {
    PHRASES.at_start(bare(text), LABEL | ANOTHER_WORD).next().is_some()
}

/// Returns the label at the beginning of a text, if it is one that counts only in the page's language, and the rest of
/// the text: "De" and "Ana Popescu".
pub(crate) fn of_language<'t>(page: &Page, text: &'t str) -> Option<(&'static str, &'t str)> {
    let (label, rest) = PHRASES.at_start(bare(text), ANOTHER_WORD).next()?;
    let is_known = rest.starts_with(char::is_whitespace) && label.is_in(&page.declared_language()?);
    is_known.then_some((&*label.text, rest.trim_start()))
}

/// The text after the kind of an article and a word such as "by": "Ein Kommentar von Anna Nagy", "Analysis by Anna
/// Nagy". Other words than "by" are also in names, so they need "ein" or a similar word before the kind.
pub(crate) fn behind_genre(text: &str) -> Option<&str> {
    let mut words = text.splitn(4, ' ');
    let (first, second) = (words.next()?, words.next()?);
    let third = words.next()?;
    if second == "by" && !PHRASES.is(&first.to_lowercase(), END) && !PHRASES.are_in(first, ANOTHER_ROLE) {
        return Some(text[first.len() + second.len() + 2..].trim_start());
    }
    // "Una Maria de Souza" is a name: the kind must be in lower case. German nouns never are, so "von" is enough.
    let is_kind = second.starts_with(char::is_lowercase) && !PHRASES.is(second, PARTICLE) || third == "von";
    let is_by = PHRASES.is(third, VERB) || PHRASES.is(third, BEHIND_GENRE);
    words.next().filter(|_| is_kind && is_by && PHRASES.is(&first.to_lowercase(), INDEFINITE_ARTICLE))
}

/// Returns the name without the place after it: "Anna Nagy in Berlin".
pub(crate) fn without_place(name: &str) -> &str {
    let mut end = 0;
    for (place, word) in name.split(' ').enumerate() {
        if place >= 2 && PHRASES.is(word, BEFORE_PLACE) {
            return name[..end].trim_end();
        }
        end += word.len() + 1;
    }
    name
}

fn bare(text: &str) -> &str {
    text.trim_start_matches(|c: char| !c.is_alphanumeric())
}

/// The label at the beginning of a text, and the rest of the text.
pub(crate) fn at_beginning(text: &str) -> Option<(&'static str, &str)> {
    let text = bare(text);
    // "von Trier" and "di Stefano" are names.
    let may_be_particle = text.starts_with("von ") || text.starts_with("di ");
    let labels = PHRASES.at_start(text, LABEL).filter_map(|(label, rest)| {
        let name = match label.category == NOUN {
            true => Some(rest.trim_start()).filter(|rest| rest.starts_with(COLONS)),
            false => {
                // Some pages forget the space: "ByAnna Nagy". But "DiCaprio" is a name.
                let is_glued = rest.starts_with(char::is_uppercase)
                    && text[..text.len() - rest.len()].ends_with(char::is_lowercase)
                    && !PHRASES.is(&label.text, PARTICLE);
                let is_apart = rest.starts_with(COLONS) || rest.starts_with(char::is_whitespace) || is_glued;
                let is_particle = may_be_particle && rest.split_whitespace().count() < 2;
                (is_apart && !is_particle).then_some(rest).or_else(|| han_name(rest))
            }
        };
        name.map(|name| (label, name.trim_start_matches(COLONS).trim_start()))
    });
    let longest = labels.max_by_key(|(label, _)| (label.text.len(), label.category == VERB))?;
    Some((&longest.0.text, longest.1))
}
