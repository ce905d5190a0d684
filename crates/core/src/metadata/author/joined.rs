//! Splits a text with several names: "Anna Nagy and Béla Kis", "Anna Nagy, Béla Kis", "王小明和李华".
//!
//! Some words between names also occur within names: "Ortega y Gasset" is one man. For these, both sides must be
//! whole names of at least two words. Other words mean something else in other languages ("in" joins names in
//! Slovenian); they count only if the page declares their language.

use goldminer_html::Page;
use goldminer_html::text::script::is_han_or_kana;

use super::PARTICLE;
use crate::phrases::{Categories, PHRASES, category};

/// Words between names, such as "and": first those that also occur within names, then (`ANOTHER_WORD`) those that mean
/// something else in other languages, and last (`JOINT`) all of them.
const WITHIN_NAMES: Categories = category("joint/within names");
const ANOTHER_WORD: Categories = category("joint/another word");
const JOINT: Categories = category("joint/and") | WITHIN_NAMES | ANOTHER_WORD;
/// First names that begin with one of the [`PREFIXES`].
const PREFIXED: Categories = category("person/prefixed");
/// Signs that mean "and" in all languages.
const SIGNS: [&str; 3] = ["&", "+", "/"];
/// Characters that always separate names.
pub(crate) const HARD: [char; 7] = [';', '|', '、', '，', '،', '؛', '؍'];
/// The end of a block: the text after it is not part of the names before.
pub(crate) const BLOCK: char = '¦';
/// Letters that mean "and" at the beginning of the next name.
const PREFIXES: [char; 2] = ['و', 'ו'];
/// The number of characters in a name written in Han.
pub(crate) const HAN_CHARS: std::ops::RangeInclusive<usize> = 2..=4;

/// The separator between two parts of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// The separator always divides two names.
    Names,
    /// The separator divides two names if both sides are whole names.
    WholeNames,
    /// The text after the separator is not a name.
    OtherThings,
}

/// Splits a text at words, signs and letters that join names, but not at commas.
pub(crate) fn split<'t>(page: &Page, text: &'t str) -> Vec<&'t str> {
    if text.chars().all(|c| is_han_or_kana(c) || matches!(c, '・' | '·')) {
        return split_han(page, text);
    }
    let mut parts: Vec<&str> = Vec::new();
    let mut start = 0;
    let mut whole_only = false;
    for (between, end, next) in joints(page, text) {
        let part = text[start..end].trim();
        push(&mut parts, text, part, whole_only);
        if between == Separator::OtherThings {
            return parts;
        }
        (start, whole_only) = (next, between == Separator::WholeNames);
    }
    push(&mut parts, text, text[start..].trim(), whole_only);
    parts
}

/// Adds a part of `text`, which names several persons, to the list `parts`. With `whole_only`, the part is joined to
/// the previous one unless both are whole names.
fn push<'t>(parts: &mut Vec<&'t str>, text: &'t str, part: &'t str, whole_only: bool) {
    let is_whole = |part: &str| part.rsplit(',').next().unwrap_or(part).split_whitespace().count() >= 2;
    let begins_whole = |part: &str| part.split(',').next().unwrap_or(part).split_whitespace().count() >= 2;
    match parts.last_mut() {
        Some(last) if whole_only && !(is_whole(last) && begins_whole(part)) => {
            let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
            *last = text[offset(last)..offset(part) + part.len()].trim();
        }
        _ => parts.push(part),
    }
}

/// The separators between names in a text, each with the byte positions of its beginning and of the text after it.
fn joints(page: &Page, text: &str) -> Vec<(Separator, usize, usize)> {
    let words: Vec<(usize, &str)> = words(text).collect();
    let has_small = text.chars().any(char::is_lowercase);
    let has_capital = text.chars().any(char::is_uppercase);
    let mut declared: Option<Option<String>> = None;
    let mut joints = Vec::new();
    let mut first = 0;
    for (at, (start, word)) in words.iter().enumerate() {
        let (before, behind) = (&words[first..at], &words[at + 1..]);
        if let Some(prefix) = prefixed(word).filter(|_| before.len() >= 2 && !behind.is_empty()) {
            joints.push((Separator::Names, *start, start + prefix.len_utf8()));
            first = at;
            continue;
        }
        let end = start + word.len();
        let is_capital = has_small && word.starts_with(char::is_uppercase);
        let lower = word.to_lowercase();
        let joint = if is_capital { 0 } else { PHRASES.of_word(&lower) & JOINT };
        // A company such as "Marks & Spencer Group" has one word before the sign and more after it.
        let are_alike = match (before, behind) {
            ([(_, one)], [(_, other)]) => one != other,
            _ => before.len() >= 2 && behind.len() >= 2,
        };
        let is_sign = SIGNS.contains(word) && (*word == "/" || are_alike);
        if joint == 0 && !is_sign {
            continue;
        }
        let mut is_of_page = || {
            let language = declared.get_or_insert_with(|| page.declared_language()).as_deref().unwrap_or_default();
            PHRASES.list(JOINT).any(|joint| joint.text == lower && joint.is_in(language))
        };
        if joint & ANOTHER_WORD != 0 && !is_of_page() {
            continue;
        }
        let (Some((_, last)), Some((_, next))) = (before.last(), behind.first()) else { continue };
        let is_name = !next.starts_with(char::is_lowercase) || !has_capital;
        let is_small_part = is_particle(next) && !matches!(*next, "the" | "of" | "and");
        let between = match () {
            () if is_particle(last) => continue,
            () if joint & WITHIN_NAMES != 0 && (is_name || is_small_part) => Separator::WholeNames,
            () if joint & WITHIN_NAMES != 0 => continue,
            () if is_name || is_small_part => Separator::Names,
            // In "Anna Nagy and the team", the team is not a name. "Bridges and roads" is one thing.
            () if before.len() >= 2 => Separator::OtherThings,
            () => continue,
        };
        joints.push((between, *start, end));
        first = at + 1;
    }
    joints
}

fn is_particle(word: &str) -> bool {
    let categories = PHRASES.of_word(word);
    categories & PARTICLE != 0 && (categories & JOINT == 0 || categories & ANOTHER_WORD != 0)
}

/// The letter that means "and" at the beginning of a word; None if the word is a name with this letter.
fn prefixed(word: &str) -> Option<char> {
    let letter = word.chars().next().filter(|c| PREFIXES.contains(c))?;
    (word.chars().count() >= 4 && !PHRASES.is(word, PREFIXED)).then_some(letter)
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = text.split(' ').scan(0, |at, word| {
        let start = *at;
        *at += word.len() + 1;
        Some((start, word))
    });
    words.filter(|(_, word)| !word.is_empty())
}

/// Splits names written in Han characters, which have no spaces between them.
fn split_han<'t>(page: &Page, text: &'t str) -> Vec<&'t str> {
    let is_han = |c: char| is_han_or_kana(c) && !('\u{3040}'..='\u{30ff}').contains(&c);
    let are_names =
        |parts: &[&str]| parts.iter().all(|part| HAN_CHARS.contains(&part.chars().count()) && part.chars().all(is_han));
    // The character that joins names in Chinese occurs within names in Japanese.
    let is_chinese = || page.declared_language().is_some_and(|language| language == "zh");
    let signs = ["・", "·"].into_iter().map(|sign| (sign, false));
    let japanese = PHRASES.list(JOINT).filter(|joint| joint.is_in("ja")).map(|joint| (&*joint.text, false));
    let chinese = PHRASES.list(JOINT).filter(|joint| joint.is_in("zh")).map(|joint| (&*joint.text, true));
    for (joint, is_chinese_word) in signs.chain(japanese).chain(chinese) {
        let parts: Vec<&str> = text.split(joint).collect();
        if parts.len() > 1 && are_names(&parts) && (!is_chinese_word || is_chinese()) {
            return parts;
        }
    }
    vec![text]
}

fn is_joint(word: &str) -> bool {
    let joint = PHRASES.of_word(word) & JOINT;
    SIGNS.contains(&word) || joint != 0 && joint & ANOTHER_WORD == 0
}

/// The text without joining words at its beginning and end.
pub(crate) fn unjoined(text: &str) -> &str {
    let mut text = text.trim_matches(|c: char| c.is_whitespace() || c == ',');
    while let Some(first) = text.split(' ').next().filter(|first| is_joint(first)) {
        text = text[first.len()..].trim_start();
    }
    while let Some(last) = text.rsplit(' ').next().filter(|last| is_joint(last)) {
        text = text[..text.len() - last.len()].trim_end_matches(|c: char| c.is_whitespace() || c == ',');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(language: &str, text: &str) -> Vec<String> {
        let page = Page::parse(format!("<html lang={language}><p>It rained."));
        split(&page, text).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn and_words_of_many_languages_join_two_names() {
        for (language, joint) in [
            ("en", "and"),
            ("de", "und"),
            ("fr", "et"),
            ("es", "y"),
            ("es", "e"),
            ("it", "ed"),
            ("pt-BR", "e"),
            ("ca", "i"),
            ("pl", "i"),
            ("nl", "en"),
            ("cs", "a"),
            ("sl", "in"),
            ("sv", "och"),
            ("nb", "og"),
            ("fi", "ja"),
            ("hu", "és"),
            ("tr", "ve"),
            ("ro", "și"),
            ("lt", "ir"),
            ("lv", "un"),
            ("vi", "và"),
            ("id", "dan"),
            ("uk", "та"),
            ("ru", "и"),
            ("el", "και"),
            ("fa", "و"),
            ("ur", "اور"),
            ("hi", "और"),
            ("ko", "및"),
            ("xx", "&"),
            ("xx", "/"),
        ] {
            let text = format!("Anna Nagy {joint} Béla Kis");
            assert_eq!(parts(language, &text), ["Anna Nagy", "Béla Kis"], "{text}");
        }
        assert_eq!(parts("en", "ANNA NAGY AND BÉLA KIS"), ["ANNA NAGY", "BÉLA KIS"]);
        assert_eq!(parts("en", "anna nagy and béla kis"), ["anna nagy", "béla kis"]);
        assert_eq!(parts("ar", "أحمد علي ومحمد حسن"), ["أحمد علي", "محمد حسن"]);
        assert_eq!(parts("he", "דנה כהן ויוסי לוי"), ["דנה כהן", "יוסי לוי"]);
        assert_eq!(parts("zh", "王小明和李华"), ["王小明", "李华"]);
        assert_eq!(parts("ja", "山田太郎と鈴木花子"), ["山田太郎", "鈴木花子"]);
        assert_eq!(parts("ja", "山田太郎・鈴木花子"), ["山田太郎", "鈴木花子"]);
    }

    #[test]
    fn words_within_a_name_do_not_split_it() {
        for (language, name) in [
            ("es", "José Ortega y Gasset"),
            ("es", "Ortega y Gasset"),
            ("es", "Santiago Ramón y Cajal"),
            ("pt", "Maria Costa e Silva"),
            ("ca", "Francesc Pi i Margall"),
            ("de", "Karl von und zu Guttenberg"),
            ("en", "Morgan & Morgan"),
            ("en", "Marks & Spencer Group"),
            ("en", "Anna Nagy in New York"),
            ("es", "Ana Ruiz en Buenos Aires"),
            ("ar", "أحمد علي وليد حسن"),
            ("ja", "山田和子"),
            ("zh", "李和平"),
            ("ja", "ジョン・スミス"),
        ] {
            assert_eq!(parts(language, name), [name]);
        }
        let text = "María Zambrano y José Ortega y Gasset, Ana Ruiz y Eva Gil";
        assert_eq!(parts("es", text), ["María Zambrano", "José Ortega y Gasset, Ana Ruiz", "Eva Gil"]);
        assert_eq!(parts("en", "Anna Nagy and the team"), ["Anna Nagy"]);
        assert_eq!(parts("en", "Anna Nagy and van der Berg"), ["Anna Nagy", "van der Berg"]);
    }

    #[test]
    fn joining_words_at_the_ends_are_removed() {
        for (text, expected) in
            [("and Béla Kis", "Béla Kis"), (", Béla Kis y", "Béla Kis"), ("Anna Nagy, and", "Anna Nagy")]
        {
            assert_eq!(unjoined(text), expected);
        }
    }
}
