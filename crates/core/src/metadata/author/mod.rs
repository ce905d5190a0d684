//! Finds the names of authors in texts: "By ANNA NAGY and Béla Kis" names two persons; an e-mail address is not a
//! person.

pub(crate) mod byline;
pub(crate) mod credits;
pub(crate) mod joined;
pub(crate) mod label;
pub(crate) mod marked;
pub(crate) mod pieces;

use goldminer_html::Page;
use goldminer_html::text::script::is_han_or_kana;
use rustc_hash::FxHashSet;

use super::date::label::{OF_ARTICLE, is_neutral};
use super::date::style::DateStyle;
use super::date::{DateText, month};
use crate::phrases::{Categories, PHRASES, category};

use label::{ANOTHER_ROLE, is_label_word};

/// Placeholders of publishing systems for a missing author.
const NOBODY: Categories = category("person/nobody");
/// Words after a name that do not belong to it.
const END: Categories = category("person/end");
/// Words for the role of a person, and for organisations.
const ROLE: Categories = category("person/role");
const ORGANISATION: Categories = category("person/organisation");
/// Lower-case words within names.
pub(crate) const PARTICLE: Categories = category("person/particle");
/// Words that cannot begin a name; and words that are written like names, but are in none.
const NO_FIRST_NAME: Categories = category("person/no first name");
const NO_NAME: Categories = category("person/no name");

/// The most characters in a name.
const MAX_NAME_CHARS: usize = 80;
/// The most authors; a longer list contains something else.
pub(crate) const MAX_AUTHORS: usize = 20;
/// The most different texts that are read; a page may have any number.
const MAX_TEXTS: usize = 4 * MAX_AUTHORS;

/// The names in texts about one or more authors, each once. `page` is needed for its declared language.
pub(crate) fn cleaned(page: &Page, texts: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut known = FxHashSet::default();
    for text in texts.iter().filter(|text| known.insert(text.as_str())).take(MAX_TEXTS) {
        // A text may have several blocks. The first block with a name counts.
        let first = text.split(joined::BLOCK).map(|block| of_block(page, block)).find(|names| !names.is_empty());
        for name in first.unwrap_or_default() {
            let is_known = |known: &String| known.to_lowercase() == name.to_lowercase();
            if !names.iter().any(is_known) && names.len() < MAX_AUTHORS {
                names.push(name);
            }
        }
    }
    names
}

fn of_block(page: &Page, text: &str) -> Vec<String> {
    let is_organised = is_organisation(text);
    let mut names: Vec<String> = Vec::new();
    // Photographers are mostly named after the writers.
    let is_credit = |part: &str| {
        let label = part.split_once(':').map_or("", |(label, _)| label).to_lowercase();
        PHRASES.find(&label, ANOTHER_ROLE).any(|(.., at)| at.start == 0)
    };
    for part in text.split(joined::HARD).map(joined::unjoined) {
        if is_credit(part) {
            if names.is_empty() {
                continue;
            }
            break;
        }
        let single = single(page, part, is_organised);
        // After the first names, the text behind a bar may be anything. It must look like a whole name.
        let is_sure = names.is_empty() || !text.contains('|');
        names.extend(
            single.into_iter().filter(|name| is_name(name) && (is_sure || is_whole_person(name))).map(str::to_owned),
        );
    }
    names
}

/// The names in a part of a text between separators such as `|`.
fn single<'t>(page: &Page, text: &'t str, is_organised: bool) -> Vec<&'t str> {
    let text = head(without_prefix(text.trim()));
    if text.is_empty() || is_organised && is_organisation(text) {
        return vec![bare(text)];
    }
    let mut names = Vec::new();
    for part in joined::split(page, text) {
        // "Nagy, Anna" is one name; "Anna Nagy, Budapest" and "Anna Nagy, de Lisboa" have a place, "Anna Nagy, MD" a
        // title.
        let mut commas = part.split(',').map(str::trim);
        let first = commas.next().unwrap_or_default();
        if first.split_whitespace().count() < 2 {
            names.push(part);
            continue;
        }
        names.push(first);
        let is_capital = first.starts_with(char::is_uppercase);
        let is_small = |name: &str| is_capital && name.starts_with(char::is_lowercase);
        names.extend(commas.filter(|name| name.split_whitespace().count() >= 2 && !has_role(name) && !is_small(name)));
    }
    let of_person = |name| match bare(name) {
        name if is_organisation(name) => name,
        name => label::without_place(without_role(head(without_prefix(name)))),
    };
    let named = names.into_iter().map(of_person).enumerate();
    // In "Anna Nagy, Reporter & Editor" there is one person with two roles.
    named.filter(|(at, name)| *at == 0 || !has_role(name)).map(|(_, name)| name).collect()
}

/// Whether a text looks like the name of a person with at least two parts.
pub(crate) fn is_whole_person(name: &str) -> bool {
    let is_whole = name.contains(' ') || name.chars().any(is_han_or_kana);
    let has_letter = |word: &str| word.chars().any(char::is_alphabetic);
    is_whole && name.split(' ').all(has_letter) && is_like_a_person(name)
}

fn bare(name: &str) -> &str {
    name.trim_matches(|c: char| c.is_whitespace() || ",;|/-–—•·:&*".contains(c))
}

/// The text after words that announce authors, such as "By" or "Ein Kommentar von".
fn without_prefix(text: &str) -> &str {
    let text = text.trim_start_matches(['–', '—', '-', '|', ' ', '@']);
    label::at_beginning(text).map(|(_, rest)| rest).or_else(|| label::behind_genre(text)).unwrap_or(text)
}

/// The part of a text before the first date, time, e-mail address, sign such as `•`, or word that does not belong to a
/// name.
fn head(text: &str) -> &str {
    if is_organisation(text) {
        return bare(text);
    }
    let text = before_day(text);
    let mut end = text.len();
    let mut at = 0;
    for word in text.split_inclusive(|c: char| c.is_whitespace() || "•·⋅∙●|(".contains(c)) {
        let start = at;
        at += word.len();
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_other = word.starts_with(|c: char| c.is_ascii_digit()) || word.contains('@');
        if start > 0 && (is_other || PHRASES.is(&plain.to_lowercase(), END)) {
            end = start;
            break;
        }
        if start + plain.len() > 0 && word.ends_with(['•', '⋅', '∙', '●', '(']) {
            end = at - word.chars().next_back().map_or(0, char::len_utf8);
            break;
        }
    }
    let name = bare(&text[..end]);
    // "Anna Nagy. Photo: Béla Kis": a short word may be "Jr.".
    match name.rsplit_once(' ') {
        Some((_, last)) if end < text.len() && last.chars().count() > 4 => name.trim_end_matches('.'),
        _ => name,
    }
}

/// The text before a date, without the words that are usual beside a date.
fn before_day(text: &str) -> &str {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) && text.is_ascii() {
        return text;
    }
    let reading = DateText::of(text, &DateStyle::default());
    let day = reading.dates.first().map(|day| reading.place_in(text, day.span.start));
    // A date may lack the year: "Nov 20", "20 November".
    let month = text.find(|c: char| c.is_ascii_digit()).and_then(|at| {
        let before = text[..at].trim_end();
        let word = before.rsplit(' ').next().unwrap_or_default();
        (word.len() >= 3 && month::is_name(word.trim_end_matches('.'))).then(|| before.len() - word.len())
    });
    let Some(end) = day.into_iter().chain(month).min() else { return text };
    let mut before = text[..end].trim_end_matches(|c: char| !c.is_alphabetic());
    while let Some((rest, last)) = before.rsplit_once(' ')
        && is_neutral(&last.to_lowercase())
    {
        before = rest.trim_end_matches(|c: char| !c.is_alphabetic());
    }
    if is_neutral(&before.to_lowercase()) { "" } else { before }
}

/// Returns the name without the role after it: "Anna Nagy Senior Editor", "Anna Nagy - Staff Writer".
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
            // In "Senior Food Editor", the role begins before the word for it.
            return bare(&name[..at]);
        }
        at += word.len() + 1;
    }
    name
}

/// Whether a text is one name of an organisation: "Center for Drugs and Research".
fn is_organisation(text: &str) -> bool {
    let name = text.split(',').next().unwrap_or_default();
    PHRASES.find(name, ORGANISATION).next().is_some()
}

fn has_role(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|word| PHRASES.is(&word.to_lowercase(), ROLE))
}

fn is_name(name: &str) -> bool {
    let chars = name.chars().count();
    (2..=MAX_NAME_CHARS).contains(&chars)
        && name.chars().any(char::is_alphabetic)
        && !name.contains("://")
        && !name.contains(['@', '{', '}', '<', '>', '=', '_'])
        && !name.starts_with("www.")
        && !name.starts_with('/')
        && !PHRASES.is(&name.to_lowercase(), NOBODY)
        && !are_labels(name)
}

/// Whether a text consists of labels without a name: "Written By", "Last Modified", "Staff Writer".
fn are_labels(name: &str) -> bool {
    let is_label = |word: &str| {
        let word = &*word.to_lowercase();
        is_label_word(word)
            || PHRASES.is(word, END | ROLE | NO_FIRST_NAME)
            || PHRASES.at_start(word, OF_ARTICLE).any(|(label, _)| label.text.len() >= 4)
    };
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).all(is_label)
}

/// Whether there are names, and all of them are spelled like names.
pub(crate) fn are_like_names(names: &[String]) -> bool {
    !names.is_empty() && names.iter().all(|name| is_like_a_name(name))
}

/// Whether a text has the form of a name: a few capitalised words, perhaps with small ones such as "von" between, or a
/// few Han characters.
pub(crate) fn is_like_a_name(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let chars = name.chars().count();
    if name.chars().any(is_han_or_kana) {
        return chars <= 12;
    }
    // Most scripts have no capitals.
    let is_capital = |word: &&str| word.chars().find(|c| c.is_alphabetic()).is_some_and(|c| !c.is_lowercase());
    let is_particle = |word: &&str| PHRASES.is(word, PARTICLE) || word.len() == 1;
    let has_strange =
        |word: &&str| word.contains([':', '!', '?', '"', '“', '…', '$', '%', '+', '#', '/', '→', '›', '»']);
    (1..=6).contains(&words.len())
        && chars <= 50
        && !words.iter().any(has_strange)
        && words.iter().all(|word| is_capital(word) || is_particle(word))
        && !words.first().is_some_and(|word| PHRASES.is(&word.to_lowercase(), NO_FIRST_NAME))
}

/// Whether a text is probably a person: it has the form of a name, capitals or Han characters, and no word for a
/// section, button or label. In other scripts, any short line has the form of a name.
pub(crate) fn is_like_a_person(name: &str) -> bool {
    is_like_a_name(name)
        && name.chars().any(|c| c.is_uppercase() || is_han_or_kana(c))
        && !name.split(|c: char| !c.is_alphanumeric()).any(|word| PHRASES.is(&word.to_lowercase(), NO_NAME | ROLE))
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
            ("Center for Drugs and Research", vec!["Center for Drugs and Research"]),
            ("Von Lars von Trier", vec!["Lars von Trier"]),
            ("Kurt Vonnegut", vec!["Kurt Vonnegut"]),
            ("Bymarie Smith", vec!["Bymarie Smith"]),
            ("作者：王小明", vec!["王小明"]),
            ("https://social.example/anna", vec![]),
            ("anna@portal.example", vec![]),
            ("admin", vec![]),
            ("Anna Nagy Anna Nagy", vec!["Anna Nagy Anna Nagy"]),
        ] {
            assert_eq!(named(given), expected, "{given}");
        }
    }

    #[test]
    fn words_after_a_name_are_not_part_of_it() {
        for given in [
            "Anna Nagy 20 novembre 2026",
            "Anna Nagy, Montag, 20. November 2026",
            "Anna Nagy (anna@portal.example)",
            "Anna Nagy anna@portal.example",
            "Anna Nagy | anna@portal.example | Email the author",
            "Anna Nagy | Senior Writer | 5 min read",
            "Anna Nagy and the team",
            "Nov 20 | Written by | Anna Nagy",
        ] {
            assert_eq!(named(given), ["Anna Nagy"], "{given}");
        }
        assert_eq!(named("Ⱥnna Nagy ٢0 May 2024"), ["Ⱥnna Nagy"], "positions in the lower-case text differ");
        assert_eq!(named("Anna McNagy, Béla DeKis"), ["Anna McNagy", "Béla DeKis"]);
    }

    #[test]
    fn roles_and_places_are_not_part_of_names() {
        for given in [
            "Anna Nagy in Brussels",
            "Anna Nagy, de Lisboa",
            "Anna Nagy, à Bruxelles",
            "Anna Nagy en Bruselas",
            "Anna Nagy, fotó: Kis Béla",
            "Anna Nagy; fotó: Kis Béla",
            "Anna Nagy, fot. Jan Kowal",
            "Anna Nagy, фото автора",
            "Anna Nagy. Фото: Иван Иванов",
            "Ein Kommentar von Anna Nagy",
            "Eine Analyse von Anna Nagy",
            "Analysis by Anna Nagy",
            "Un reportage de Anna Nagy",
            "Una crónica de Anna Nagy",
            "Reportagem de Anna Nagy",
            "Interview: Anna Nagy",
            "Haber: Anna Nagy",
            "Rozmawiała Anna Nagy",
            "Подготовила Anna Nagy",
        ] {
            assert_eq!(named(given), ["Anna Nagy"], "{given}");
        }
        for name in
            ["Lars von Trier", "Ana Maria de Souza", "Una Maria de Souza", "Sophie in 't Veld", "Jan van der Berg"]
        {
            assert_eq!(named(name), [name]);
        }
        assert_eq!(named("Anna Nagy in London and Béla Kis in New York"), ["Anna Nagy", "Béla Kis"]);
    }

    #[test]
    fn labels_are_not_names() {
        for given in [
            "By",
            "Written By",
            "Last Modified",
            "Last Updated",
            "Staff",
            "Staff Writer",
            "Published on",
            "Autor",
            "Escrito por",
            "Share",
            "20 May 2026",
            "Monday, 20 May 2026",
            "May 20",
            "3 min read",
            "Lesezeit: 3 Minuten",
            "Redacción",
            "La rédaction",
            "Da Redação",
            "Редакция",
            "Haber Merkezi",
        ] {
            assert!(named(given).is_empty(), "{given}");
        }
    }

    fn named(text: &str) -> Vec<String> {
        cleaned(&Page::parse(String::new()), &[text.to_owned()])
    }

    #[test]
    fn each_author_is_named_once() {
        let page = Page::parse(String::new());
        assert_eq!(cleaned(&page, &["Anna Nagy".to_owned(), "ANNA NAGY".to_owned()]), ["Anna Nagy"]);
    }
}
