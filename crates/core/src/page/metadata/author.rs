//! Names of authors: "By ANNA NAGY and Béla Kis" is two persons, an address is none.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::month;
use super::vocabulary::{ENDS, NO_FIRST_NAMES, NO_NAMES, NOBODY, ORGANISATIONS, PARTICLES, PREFIXES, ROLES};
use crate::page::script::is_han_or_kana;

/// What stands between two names.
const CONJUNCTIONS: &[&str] =
    &[" and ", " & ", " és ", " und ", " et ", " y ", " och ", " og ", " en ", " и ", " i ", " with "];

/// What single names are cut out by, for one look.
static BETWEEN_NAMES: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(CONJUNCTIONS.iter().chain(&[SLASH])).ok());
/// Stands between two names, too, behind all conjunctions.
const SLASH: &str = " / ";

/// Words that stand behind names, sometimes without a space.
const GLUED: &[&str] =
    &["Published", "Updated", "Posted", "January", "February", "November", "December", "Korrespondent"];

/// Words of organisations, for one look.
static ORGANISATION_WORDS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(ORGANISATIONS.iter()).ok());

/// A longer text is no name.
const MAX_NAME_CHARS: usize = 80;
/// More authors are a list of something else.
pub(super) const MAX_AUTHORS: usize = 20;

/// The single names in texts that name one or more authors.
pub(super) fn cleaned(texts: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        for name in split(head(without_prefix(text.trim()))) {
            let name = bare(name);
            let name = match is_organisation(name) {
                true => name,
                false => without_role(without_initials(head(without_prefix(name)))),
            };
            let is_known = |known: &String| known.to_lowercase() == name.to_lowercase();
            if is_name(name) && !names.iter().any(is_known) && names.len() < MAX_AUTHORS {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn bare(name: &str) -> &str {
    name.trim_matches(|c: char| c.is_whitespace() || ",;|/-–—•·:&*".contains(c))
}

fn without_prefix(text: &str) -> &str {
    let text = text.trim_start_matches(['–', '—', '-', '|', ' ', '@']);
    let first = text.bytes().next().unwrap_or_default();
    // A letter of ASCII has no lower case beyond it.
    let may_begin = |prefix: &&&str| {
        let of_prefix = prefix.as_bytes()[0];
        !first.is_ascii() || !of_prefix.is_ascii() || first.eq_ignore_ascii_case(&of_prefix)
    };
    for prefix in PREFIXES.iter().filter(may_begin) {
        let Some(start) = text.get(..prefix.len()) else { continue };
        if start.eq_ignore_ascii_case(prefix)
            || !prefix.is_ascii() && !start.is_ascii() && start.to_lowercase() == *prefix
        {
            let rest = &text[prefix.len()..];
            // "Vonnegut" doesn't begin with "von", and "von Trier" keeps it: a prefix of a name is in lower case.
            let ends = prefix.ends_with([':', '：', '／', '/'])
                || rest.starts_with(char::is_whitespace)
                || prefix.starts_with('記');
            // "di Luca Monaco" stands in a byline.
            let is_particle = matches!(start, "von" | "di") && rest.split_whitespace().count() < 2;
            let is_glued = matches!(start, "By" | "by") && rest.starts_with(char::is_uppercase);
            if ends && !is_particle || is_glued {
                return rest.trim_start();
            }
        }
    }
    text
}

/// The text up to a date, a time, a mark between unlike things, or a word that begins something else.
fn head(text: &str) -> &str {
    if is_organisation(text) {
        return bare(text);
    }
    let mut end = text.len();
    let mut at = 0;
    for word in text.split_inclusive(|c: char| c.is_whitespace() || "•·⋅∙●|(".contains(c)) {
        let start = at;
        at += word.len();
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_day = word.starts_with(|c: char| c.is_ascii_digit()) || is_weekday_or_month(plain, &text[at..]);
        if start == 0
            && is_day
            && !plain.chars().any(|c| c.is_alphabetic() && word.starts_with(|c: char| c.is_ascii_digit()))
        {
            return "";
        }
        // "Anna NagyPublished": elements without a space between.
        if let Some(glued) = glued_at(word) {
            end = start + glued;
            break;
        }
        if start > 0 && (is_day || ENDS.contains(plain.to_lowercase().as_str())) {
            end = start;
            break;
        }
        if start + plain.len() > 0 && word.ends_with(['•', '⋅', '∙', '●', '(']) {
            end = at - word.chars().next_back().map_or(0, char::len_utf8);
            break;
        }
    }
    bare(&text[..end])
}

/// Where one of the glued words begins: a capital behind a small letter.
fn glued_at(word: &str) -> Option<usize> {
    let is_glued = |pair: &[u8]| !pair[0].is_ascii_uppercase() && pair[0] != b' ' && pair[1].is_ascii_uppercase();
    let may_be = word.len() > 7 && word.as_bytes().windows(2).any(is_glued);
    if may_be { GLUED.iter().find_map(|glued| word.find(glued).filter(|at| *at > 0)) } else { None }
}

/// Whether a word is a month or the like, and a number or nothing more follows.
fn is_weekday_or_month(word: &str, rest: &str) -> bool {
    let rest = rest.trim_start();
    let is_before_number = rest.starts_with(|c: char| c.is_ascii_digit());
    is_before_number && (month::is_name(word) || word.ends_with("day") || word.len() == 3)
}

/// At semicolons; else at conjunctions, slashes and those commas that stand between whole names.
fn split(text: &str) -> Vec<&str> {
    if text.contains([';', '|', '、', '，']) {
        return text.split([';', '|', '、', '，']).collect();
    }
    if is_organisation(text) {
        return vec![text];
    }
    let mut parts = vec![text];
    if BETWEEN_NAMES.as_ref().is_none_or(|between| between.is_match(text)) {
        for between in CONJUNCTIONS.iter().chain(&[SLASH]) {
            parts = parts.into_iter().flat_map(|part| part.split(between)).collect();
        }
    }
    parts
        .into_iter()
        .flat_map(|part| {
            // "Nagy, Anna" is one name; "Anna Nagy, Budapest" names a place, "Anna Nagy, MD" what she is.
            let mut names = part.split(',').map(str::trim);
            let first = names.next().unwrap_or_default();
            if first.split_whitespace().count() < 2 {
                return vec![part];
            }
            let others = names.filter(|name| name.split_whitespace().count() >= 2 && !has_role(name));
            std::iter::once(first).chain(others).collect()
        })
        .collect()
}

/// "Anna Nagy Senior Editor", "Anna Nagy - Staff Writer": without what she is.
fn without_role(name: &str) -> &str {
    for separator in [" - ", " – ", " — ", ", "] {
        if let Some((person, role)) = name.split_once(separator)
            && person.split_whitespace().count() >= 2
            && (separator != ", " || has_role(role))
        {
            return bare(person);
        }
    }
    let mut at = 0;
    for (place, word) in name.split(' ').enumerate() {
        if place >= 2 && has_role(word) {
            // "Senior Food Editor" begins before the word that tells.
            return bare(&name[..at]);
        }
        at += word.len() + 1;
    }
    name
}

/// "Center for Drugs and Research" is one name.
fn is_organisation(text: &str) -> bool {
    let name = text.split(',').next().unwrap_or_default();
    ORGANISATION_WORDS.as_ref().is_some_and(|words| words.is_match(name))
}

fn has_role(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|word| ROLES.contains(word.to_lowercase().as_str()))
}

/// "AN Anna Nagy": without the letters of a picture that is missing.
fn without_initials(name: &str) -> &str {
    let Some((first, rest)) = name.split_once(' ') else { return name };
    let initials: String = rest.split(' ').filter_map(|word| word.chars().next()).take(first.chars().count()).collect();
    if first.chars().count() >= 2 && rest.contains(' ') && first == initials { rest } else { name }
}

fn is_name(name: &str) -> bool {
    let chars = name.chars().count();
    (2..=MAX_NAME_CHARS).contains(&chars)
        && name.chars().any(char::is_alphabetic)
        && !name.contains("://")
        && !name.contains(['@', '{', '}', '<', '>', '=', '_'])
        && !name.starts_with("www.")
        && !name.starts_with('/')
        && !NOBODY.contains(name.to_lowercase().as_str())
        && !is_path(name)
}

/// "page.head.extra.author": a variable that nobody has filled in.
fn is_path(name: &str) -> bool {
    !name.contains(' ') && name.matches('.').count() >= 3 && !name.ends_with('.')
}

/// Whether a text is in the form of a name: a few words with capitals, small ones between; or a few Han characters.
pub(super) fn is_like_a_name(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let chars = name.chars().count();
    if name.chars().any(is_han_or_kana) {
        return chars <= 12;
    }
    let is_capital = |word: &&str| word.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase);
    let is_particle = |word: &&str| PARTICLES.contains(word) || word.len() == 1;
    let has_strange =
        |word: &&str| word.contains([':', '!', '?', '"', '“', '…', '$', '%', '+', '#', '/', '→', '›', '»']);
    (1..=6).contains(&words.len())
        && chars <= 50
        && !words.iter().any(has_strange)
        && words.iter().all(|word| is_capital(word) || is_particle(word))
        && words.first().is_some_and(|word| is_capital(word) || is_particle(word))
        && !words.first().is_some_and(|word| NO_FIRST_NAMES.contains(word.to_lowercase().as_str()))
}

/// Whether a text in the form of a name has no word that stands in sections, buttons and labels.
pub(super) fn is_like_a_person(name: &str) -> bool {
    !name
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| NO_NAMES.contains(word.to_lowercase().as_str()) || ROLES.contains(word.to_lowercase().as_str()))
        && !name.chars().any(|c| c.is_ascii_digit())
        && !name.split_whitespace().all(|word| word.chars().count() > 2 && !word.chars().any(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_and_bare() {
        for (given, expected) in [
            ("By ANNA NAGY and Béla Kis", vec!["ANNA NAGY", "Béla Kis"]),
            ("Anna Nagy, Béla Kis & Cecil Day Lewis", vec!["Anna Nagy", "Béla Kis", "Cecil Day Lewis"]),
            ("Írta: Nagy Anna", vec!["Nagy Anna"]),
            ("Nagy, Anna", vec!["Nagy, Anna"]),
            ("Nagy, Anna; Kis, Béla", vec!["Nagy, Anna", "Kis, Béla"]),
            ("Anna Nagy Nov 20, 2026 7 min", vec!["Anna Nagy"]),
            ("Anna Nagy • November 20, 2026", vec!["Anna Nagy"]),
            ("Anna Nagy on Friday November 20", vec!["Anna Nagy"]),
            ("Anna Nagy Senior Food Editor", vec!["Anna Nagy"]),
            ("Anna Nagy, Founder of Bridges", vec!["Anna Nagy"]),
            ("Anna Nagy - Bridges Editorial Team", vec!["Anna Nagy"]),
            ("Anna Nagy and Béla Kis, Budapest", vec!["Anna Nagy", "Béla Kis"]),
            ("Written by: Anna Nagy Last updated: August 1", vec!["Anna Nagy"]),
            ("Anna Nagy, MD. Reviewed by Béla Kis, MD", vec!["Anna Nagy"]),
            ("AN Anna Nagy", vec!["Anna Nagy"]),
            ("Center for Drugs and Research", vec!["Center for Drugs and Research"]),
            ("page.head.extra.author", vec![]),
            ("Von Lars von Trier", vec!["Lars von Trier"]),
            ("Kurt Vonnegut", vec!["Kurt Vonnegut"]),
            ("Bymarie Smith", vec!["Bymarie Smith"]),
            ("作者：王小明", vec!["王小明"]),
            ("https://social.example/anna", vec![]),
            ("anna@portal.example", vec![]),
            ("admin", vec![]),
            ("Anna Nagy Anna Nagy", vec!["Anna Nagy Anna Nagy"]),
        ] {
            assert_eq!(cleaned(&[given.to_owned()]), expected, "{given}");
        }
    }

    #[test]
    fn nobody_is_named_twice() {
        assert_eq!(cleaned(&["Anna Nagy".to_owned(), "ANNA NAGY".to_owned()]), ["Anna Nagy"]);
    }
}
