//! Several names in one text: "Anna Nagy and Béla Kis", "Anna Nagy, Béla Kis", "王小明和李华".
//!
//! Some of the words between names stand within names, too: "Ortega y Gasset" is one man. There both sides must be whole
//! names, of two words at least. Others are other words elsewhere ("in" joins names in Slovenian): they count where the page
//! says that it is in their language.

use std::sync::LazyLock;

use goldminer_html::Page;
use goldminer_html::script::is_han_or_kana;
use rustc_hash::FxHashMap;

use super::vocabulary::PARTICLES;

/// What joins the last two of a list, by languages (CLDR's list patterns, and variants of them). A `?` is behind what stands
/// within names as well, a `!` behind what is another word in other languages.
const JOINTS: &str = "en: and with; de lb: und; fr: et; es: y? e?; pt gl oc: e?; it: e? ed?; ca: i?; pl hr bs sr uk: i; eu: eta; \
    ro: și şi; nl af: en!; lb: an!; da nb nn no fo is: og; sv: och; fi et: ja; hu: és; cs sk cy: a!; cy: ac!; sl: in!; \
    lt: ir; lv: un!; sq: dhe; mt: u!; ga gd: agus; br: ha! hag; la: et; eo: kaj; ru bg mk sr be: и; uk: й і та; be: і ды; \
    el: και κι; hy: և եւ ու; ka: და; tr: ve; az: və; kk: және; ky: жана; uz: va!; tg: ва; tt: һәм; mn: ба; tk: we!; ku: û; \
    fa ar ps ug: و; ur: اور; ps: او; hi: और एवं तथा व; mr: आणि व; ne: र तथा; bn: ও এবং; as: আৰু; gu: અને; pa: ਅਤੇ ਤੇ; or: ଓ; \
    ta: மற்றும்; te: మరియు; kn: ಮತ್ತು; ml: ഒപ്പം; si: සහ හා; th: และ; lo: ແລະ; km: និង; my: နှင့်; vi: và; id ms: dan; jv: lan!; \
    su: jeung; tl: at!; sw: na!; zu: no!; so: iyo; ha: da!; ht: ak!; yo: àti; am: እና; ko: 및; zh: 和 与 與 及; ja: と 及び";
/// Signs that do the same in all languages.
const SIGNS: [&str; 3] = ["&", "+", "/"];
/// What ends one name and begins the next in any case.
pub(super) const HARD: [char; 7] = [';', '|', '、', '，', '،', '؛', '؍'];
/// What ends a block: what stands behind is something else than the names before.
pub(super) const BLOCK: char = '¦';
/// Letters that say *and* at the beginning of the next name; and first names that begin with them all the same.
const PREFIXES: [char; 2] = ['و', 'ו'];
const OWN_PREFIXES: [&str; 14] = [
    "وليد",
    "وائل",
    "وسام",
    "وفاء",
    "وجدي",
    "وحيد",
    "وداد",
    "وديع",
    "وردة",
    "وهيب",
    "وسيم",
    "ורד",
    "ולדימיר",
    "ויקטוריה",
];
/// Stands in the place of a space between words of one name.
pub(super) const TIE: char = '\u{2060}';
/// A name in Han has so many characters.
const HAN_CHARS: std::ops::RangeInclusive<usize> = 2..=4;

#[derive(Debug, Default)]
struct Joint {
    languages: Vec<&'static str>,
    is_in_names: bool,
    is_other_word: bool,
}

static WORDS: LazyLock<FxHashMap<&str, Joint>> = LazyLock::new(|| {
    let mut table: FxHashMap<&str, Joint> = FxHashMap::default();
    for (languages, words) in JOINTS.split(';').filter_map(|entry| entry.split_once(':')) {
        for word in words.split_whitespace() {
            let joint = table.entry(word.trim_end_matches(['?', '!'])).or_default();
            joint.languages.extend(languages.split_whitespace());
            joint.is_in_names |= word.ends_with('?');
            joint.is_other_word |= word.ends_with('!');
        }
    }
    table
});

/// What stands between two parts of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    /// The names are two in any case.
    Names,
    /// They are, where both are whole.
    WholeNames,
    /// What follows is no name.
    OtherThings,
}

/// The parts of a text between words, signs and letters that join names; commas stay.
pub(super) fn split<'t>(page: &Page, text: &'t str) -> Vec<&'t str> {
    if text.chars().all(|c| is_han_or_kana(c) || matches!(c, '・' | '·')) {
        return split_han(page, text);
    }
    let mut parts: Vec<&str> = Vec::new();
    let mut start = 0;
    let mut whole_only = false;
    for (between, end, next) in joints(page, text) {
        let part = text[start..end].trim();
        push(&mut parts, text, part, whole_only);
        if between == Between::OtherThings {
            return parts;
        }
        (start, whole_only) = (next, between == Between::WholeNames);
    }
    push(&mut parts, text, text[start..].trim(), whole_only);
    parts
}

/// Adds a part; one that must be a whole name and is none belongs to the part before.
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

/// Where parts end and the next begin.
fn joints(page: &Page, text: &str) -> Vec<(Between, usize, usize)> {
    let words: Vec<(usize, &str)> = words(text).collect();
    let has_small = text.chars().any(char::is_lowercase);
    let has_capital = text.chars().any(char::is_uppercase);
    let mut declared: Option<Option<String>> = None;
    let mut joints = Vec::new();
    let mut first = 0;
    for (at, (start, word)) in words.iter().enumerate() {
        let (before, behind) = (&words[first..at], &words[at + 1..]);
        if let Some(prefix) = prefixed(word).filter(|_| before.len() >= 2 && !behind.is_empty()) {
            joints.push((Between::Names, *start, start + prefix.len_utf8()));
            first = at;
            continue;
        }
        let end = start + word.len();
        let is_capital = has_small && word.starts_with(char::is_uppercase);
        let joint = WORDS.get(word.to_lowercase().as_str()).filter(|_| !is_capital);
        // "Marks & Spencer Group" is a house.
        let are_alike = match (before, behind) {
            ([(_, one)], [(_, other)]) => one != other,
            _ => before.len() >= 2 && behind.len() >= 2,
        };
        let is_sign = SIGNS.contains(word) && (*word == "/" || are_alike);
        if joint.is_none() && !is_sign {
            continue;
        }
        let is_of_page = |joint: &Joint, declared: &mut Option<Option<String>>| {
            let language = declared.get_or_insert_with(|| page.declared_language());
            language.as_deref().is_some_and(|language| joint.languages.contains(&language))
        };
        if joint.is_some_and(|joint| joint.is_other_word && !is_of_page(joint, &mut declared)) {
            continue;
        }
        let (Some((_, last)), Some((_, next))) = (before.last(), behind.first()) else { continue };
        let is_name = !next.starts_with(char::is_lowercase) || !has_capital;
        let is_small_part = is_particle(next) && !matches!(*next, "the" | "of" | "and");
        let between = match joint {
            _ if is_particle(last) => continue,
            Some(joint) if joint.is_in_names && (is_name || is_small_part) => Between::WholeNames,
            Some(joint) if joint.is_in_names => continue,
            _ if is_name || is_small_part => Between::Names,
            // "Anna Nagy and the team": but "Bridges and roads" are not.
            _ if before.len() >= 2 => Between::OtherThings,
            _ => continue,
        };
        joints.push((between, *start, end));
        first = at + 1;
    }
    joints
}

fn is_particle(word: &str) -> bool {
    PARTICLES.contains(word) && WORDS.get(word).is_none_or(|joint| joint.is_other_word)
}

/// The letter that says *and* at the beginning of a word.
fn prefixed(word: &str) -> Option<char> {
    let letter = word.chars().next().filter(|c| PREFIXES.contains(c))?;
    (word.chars().count() >= 4 && !OWN_PREFIXES.contains(&word)).then_some(letter)
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = text.split(' ').scan(0, |at, word| {
        let start = *at;
        *at += word.len() + 1;
        Some((start, word))
    });
    words.filter(|(_, word)| !word.is_empty())
}

/// Names in Han stand without spaces.
fn split_han<'t>(page: &Page, text: &'t str) -> Vec<&'t str> {
    let is_han = |c: char| is_han_or_kana(c) && !('\u{3040}'..='\u{30ff}').contains(&c);
    let are_names =
        |parts: &[&str]| parts.iter().all(|part| HAN_CHARS.contains(&part.chars().count()) && part.chars().all(is_han));
    let is_chinese = || page.declared_language().is_some_and(|language| language == "zh");
    for joint in ["・", "·", "と", "及び", "和", "与", "與", "及"] {
        let parts: Vec<&str> = text.split(joint).collect();
        // These stand within Japanese names.
        let counts = !matches!(joint, "和" | "与" | "與" | "及") || is_chinese();
        if parts.len() > 1 && counts && are_names(&parts) {
            return parts;
        }
    }
    vec![text]
}

/// The text with those joints that stand within names tied to their neighbours: all of it names one person.
pub(super) fn tied(text: &str) -> String {
    let mut tied = text.to_owned();
    for (word, _) in WORDS.iter().filter(|(_, joint)| joint.is_in_names) {
        let (loose, fast) = (format!(" {word} "), format!("{TIE}{word}{TIE}"));
        if tied.contains(&loose) {
            tied = tied.replace(&loose, &fast);
        }
    }
    tied
}

fn is_joint(word: &str) -> bool {
    SIGNS.contains(&word) || WORDS.get(word).is_some_and(|joint| !joint.is_other_word)
}

/// Whether a text begins with a word that joins it to what stands before.
pub(super) fn begins(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(is_joint)
}

/// The text without words at its beginning and end that join it to another.
pub(super) fn unjoined(text: &str) -> &str {
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
    fn words_within_a_name_do_not_part_it() {
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
        let one = tied("Juan Gil y Ruiz Luna");
        assert_eq!(parts("es", &one), [&*one], "a link names one");
    }

    #[test]
    fn a_joint_at_the_edge_is_cut_off() {
        for (text, expected) in
            [("and Béla Kis", "Béla Kis"), (", Béla Kis y", "Béla Kis"), ("Anna Nagy, and", "Anna Nagy")]
        {
            assert_eq!(unjoined(text), expected);
        }
    }
}
