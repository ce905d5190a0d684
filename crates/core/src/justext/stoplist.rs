//! Stoplists: the most frequent words of a language. The hundred lists of jusText come from the crate `justext`
//! (Pomikálek 2011, Belica 2013; made from Wikipedias). The lists for languages without spaces are our own.
//!
//! Each list is read on first use.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};

use super::spaced_words::SpacedWords;

/// A stoplist: the function words of one language.
///
/// ```
/// use goldminer_core::justext::Stoplist;
///
/// let german = Stoplist::of_language("de").unwrap();
/// assert_eq!(german.name(), "German");
/// assert!(german.share("das ist nicht das, was wir uns von ihm").unwrap() > 0.5);
/// ```
#[derive(Debug)]
pub struct Stoplist {
    name: &'static str,
    words: Words,
}

#[derive(Debug)]
enum Words {
    /// Words separated by white space, in lower case.
    Spaced(SpacedWords),
    /// Words of a language without spaces. They may be anywhere in the text.
    Spaceless(AhoCorasick),
    /// No list, because the language is unknown or has no list.
    None,
}

impl Stoplist {
    /// The list for a BCP 47 tag (`hu`, `zh-TW`, `nb`); None if there is no list for its language.
    pub fn of_language(tag: &str) -> Option<&'static Self> {
        let subtag = tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        Self::named(pairs(LANGUAGES).find(|(code, _)| *code == subtag)?.1)
    }

    /// Returns a list by its name: that of jusText (`Hungarian`, `Norwegian_Bokmal`) or, for our own lists, `Chinese`
    /// and others. Case does not matter.
    pub fn named(name: &str) -> Option<&'static Self> {
        type Lists = Vec<(&'static str, OnceLock<Option<Stoplist>>)>;
        static LISTS: LazyLock<Lists> =
            LazyLock::new(|| Stoplist::names().map(|name| (name, OnceLock::new())).collect());
        let (name, list) = LISTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        list.get_or_init(|| Self::read(name)).as_ref()
    }

    /// Returns an empty list. With it, every paragraph passes the stopword test (the language-independent mode of the
    /// Python package jusText).
    pub fn none() -> &'static Self {
        static NONE: Stoplist = Stoplist { name: "none", words: Words::None };
        &NONE
    }

    /// Makes a list of your own words, in lower case, for a language with spaces. Entries with white space never
    /// match.
    pub fn of_words<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        Self { name: "own", words: Words::Spaced(SpacedWords::of(words)) }
    }

    /// The words of the list, in arbitrary order. Empty for a language without spaces.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let words = if let Words::Spaced(words) = &self.words { Some(words.words()) } else { None };
        words.into_iter().flatten()
    }

    /// The names of all lists.
    pub fn names() -> impl Iterator<Item = &'static str> {
        pairs(SPACELESS).map(|(name, _)| name).chain(justext::available_languages())
    }

    /// The name of the list; `none` if there is no list.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether the language of the list is written without spaces.
    pub fn is_spaceless(&self) -> bool {
        matches!(self.words, Words::Spaceless(_))
    }

    /// The share of stopwords among the words of a text. For a language without spaces, it is the share of characters
    /// in function words. None if this is the empty list.
    pub fn share(&self, text: &str) -> Option<f64> {
        self.count(text).map(|(stopwords, all)| stopwords as f64 / all.max(1) as f64)
    }

    /// The numbers of stopwords and of all words in a text. For a language without spaces, characters are counted. None
    /// if this is the empty list.
    pub(super) fn count(&self, text: &str) -> Option<(usize, usize)> {
        match &self.words {
            Words::Spaced(words) => Some(words.count(text)),
            Words::Spaceless(function_words) => {
                let covered = function_words.find_iter(text).map(|found| text[found.range()].chars().count());
                Some((covered.sum(), text.chars().count()))
            }
            Words::None => None,
        }
    }

    fn read(name: &'static str) -> Option<Self> {
        if let Some((_, function_words)) = pairs(SPACELESS).find(|(spaceless, _)| *spaceless == name) {
            let automaton = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(function_words.split_ascii_whitespace())
                .ok()?;
            return Some(Self { name, words: Words::Spaceless(automaton) });
        }
        Some(Self { name, words: Words::Spaced(SpacedWords::of(justext::get_stoplist(name).ok()?)) })
    }
}

/// Function words of languages without spaces: particles, pronouns, conjunctions, auxiliaries.
const SPACELESS: &str = include_str!("function_words.tsv");

/// The stoplist for each BCP 47 primary subtag, and for other codes that the web uses instead.
const LANGUAGES: &str = include_str!("languages.tsv");

/// The first two columns of each row of a table.
fn pairs(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().filter_map(|line| line.split_once('\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_list_with_words() {
        for (code, name) in pairs(LANGUAGES) {
            let list = Stoplist::of_language(code).unwrap_or_else(|| panic!("{code}: no list {name}"));
            assert_eq!(list.name(), name);
        }
    }

    #[test]
    fn words_of_any_length_are_counted_between_spaces_and_lines() {
        let list = Stoplist::of_words(["a", "the", "somewhat", "nevertheless", "ő"]);
        let words = [
            "a",
            "the",
            "THE",
            "somewhat",
            "somewhats",
            "nevertheless",
            "Nevertheless,",
            "ő",
            "Ő",
            "x",
            "",
            "ab\u{a0}c",
        ];
        for first in words {
            for second in words {
                for between in [" ", "\n", "  ", " \n"] {
                    let text = [first, second, "the", first].join(between);
                    let all: Vec<&str> = text.split([' ', '\n']).filter(|word| !word.is_empty()).collect();
                    let known = ["a", "the", "somewhat", "nevertheless", "ő"];
                    let stopwords = all.iter().filter(|word| known.contains(&&*word.to_lowercase())).count();
                    let count = list.count(&text).unwrap();
                    assert_eq!(count, (stopwords, all.len()), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn stopwords_are_counted_in_any_case_and_at_both_ends() {
        let english = Stoplist::named("English").unwrap();
        let count = |text: &str| english.count(text);
        assert_eq!(count("The cat  sat BETWEEN the\nThemselves throughout"), Some((4, 7)));
        assert_eq!((count(""), count(" "), count("the")), (Some((0, 0)), Some((0, 0)), Some((1, 1))));
        let russian = Stoplist::named("Russian").unwrap();
        assert_eq!(russian.count("И кот"), Some((1, 2)));
    }

    #[test]
    fn every_list_is_found_by_its_name() {
        assert!(Stoplist::names().count() >= 100);
        for name in Stoplist::names() {
            assert!(Stoplist::named(&name.to_lowercase()).is_some(), "{name}");
        }
        assert!(Stoplist::named("Klingon").is_none());
    }

    #[test]
    fn a_list_of_your_own_words_counts_only_these() {
        let own = Stoplist::of_words(["the", "Ő"]);
        assert_eq!(own.share("The cat and the dog"), Some(0.4));
        let mut words: Vec<&str> = own.words().collect();
        words.sort_unstable();
        assert_eq!((words, Stoplist::none().words().count()), (vec!["the", "ő"], 0));
    }

    #[test]
    fn tags_may_have_regions_and_any_case() {
        for (tag, name) in
            [("hu-HU", "Hungarian"), ("pt_BR", "Portuguese"), ("ZH-Hant-TW", "Chinese"), ("EN", "English")]
        {
            assert_eq!(Stoplist::of_language(tag).map(Stoplist::name), Some(name), "{tag}");
        }
        assert!(Stoplist::of_language("").is_none());
    }
}
