//! Words and phrases for reading pages, in all languages: titles of comment sections, bylines, words beside dates,
//! paywalls, element names. The table is `phrases.tsv`; a new language needs only rows there, no code.
//!
//! No row names a site. All phrases are compiled once: into a scanner for phrases anywhere in a text, an index for
//! beginnings of texts, and a map of whole words.

mod comment_names;
mod element_names;
mod scanner;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use goldminer_html::text::script::is_han_or_kana;
use rustc_hash::FxHashMap;

pub(crate) use comment_names::{SIGNS, names_comments};
pub(crate) use element_names::for_each_word;
use scanner::Scanner;

/// Categories of phrases as bits.
pub(crate) type Categories = u128;

/// All categories in the order of their bits. Those that begin with `element/` and `title/` are features of the
/// classifier, in this order.
const CATEGORIES: &str = "element/content,element/article body,element/comments,element/related,element/navigation,\
    element/share,element/footer,element/sidebar,element/caption,element/byline,element/author box,element/advertisement,\
    element/form,element/cookie notice,element/header,element/title,element/hidden,element/tags,element/card,element/list,\
    element/shop,element/lead,element/quote,element/questions,element/table of contents,element/code,element/media,\
    element/date line,element/account,element/more of the site,element/subscription,element/who posted,\
    title/comments,title/other articles,title/a subscription,title/cookies,title/rights,title/sharing,title/a reply,\
    name/comments,name/discussion,name/comment,name/part of comments,name/state of comments,name/boilerplate,\
    name/listing,name/of others,name/column,name/date,name/picture,name/foot,name/author,\
    name/beside author,name/wall,comments/title,comments/closed,comments/counted,comments/counted on,comments/one,\
    comments/one comment,comments/one comment on,comments/reply,wall/subscribe,wall/read on,wall/letter,wall/line,\
    wall/consent,date/published,date/any,date/modified,date/other,date/beside,date/between,date/forenoon,\
    date/afternoon,date/hour,date/place,byline/verb,byline/noun,byline/weak,byline/another word,byline/behind,\
    byline/within,byline/another role,byline/writer label,byline/indefinite article,byline/behind genre,person/nobody,\
    person/end,person/role,person/organisation,person/particle,person/no first name,person/no name,\
    person/before place,person/prefixed,joint/and,joint/another word,joint/within names,";

/// The names of all categories, in the order of their bits.
pub(crate) fn categories() -> impl Iterator<Item = &'static str> {
    CATEGORIES.split_terminator(',')
}

/// The bit of a category, for constants. A name that is not in `CATEGORIES` does not compile.
pub(crate) const fn category(name: &str) -> Categories {
    let (all, name) = (CATEGORIES.as_bytes(), name.as_bytes());
    let (mut bit, mut at, mut same) = (0, 0, 0);
    while at < all.len() {
        if all[at] == b',' {
            if same == name.len() {
                return 1 << bit;
            }
            (bit, same) = (bit + 1, 0);
        } else {
            same = if same < name.len() && all[at] == name[same] { same + 1 } else { usize::MAX };
        }
        at += 1;
    }
    panic!("no such category")
}

/// A phrase in one category.
#[derive(Debug)]
pub(crate) struct Phrase {
    pub(crate) text: Cow<'static, str>,
    pub(crate) category: Categories,
    languages: &'static str,
}

impl Phrase {
    pub(crate) fn is_in(&self, language: &str) -> bool {
        self.languages.split(' ').any(|known| known == language)
    }

    /// Whether two phrases have a language in common.
    pub(crate) fn shares_language(&self, other: &Self) -> bool {
        self.languages.split(' ').any(|language| other.is_in(language))
    }
}

/// The categories of a phrase that is searched in texts, by the places where it counts.
#[derive(Debug, Default)]
struct Pattern {
    anywhere: Categories,
    /// Categories that count only at the beginning of a word.
    word_start: Categories,
    /// Categories that count only in the exact spelling.
    exact: Categories,
}

#[derive(Debug)]
pub(crate) struct PhraseTable {
    lists: Vec<Vec<Phrase>>,
    words: FxHashMap<Cow<'static, str>, Categories>,
    /// Positions in the lists, by the first two letters of a phrase, in lower case.
    starts: FxHashMap<[char; 2], Vec<(usize, usize)>>,
    scanner: Scanner,
    /// The patterns, in the order of the scanner's numbers.
    patterns: Vec<Pattern>,
}

/// The compiled table of all phrases.
pub(crate) static PHRASES: LazyLock<PhraseTable> = LazyLock::new(|| {
    PhraseTable::of(&[
        include_str!("phrases.tsv"),
        #[cfg(test)]
        include_str!("made_up_language.tsv"),
    ])
});

impl PhraseTable {
    fn of(tables: &[&'static str]) -> Self {
        let bits: FxHashMap<&str, usize> = categories().zip(0..).collect();
        let mut lists: Vec<Vec<Phrase>> = bits.iter().map(|_| Vec::new()).collect();
        let mut words: FxHashMap<_, Categories> = FxHashMap::default();
        let mut starts: FxHashMap<_, Vec<_>> = FxHashMap::default();
        let mut patterns: FxHashMap<_, Pattern> = FxHashMap::default();
        for row in tables.iter().flat_map(|table| table.lines()).filter(|row| !row.is_empty() && !row.starts_with('#'))
        {
            let fields: Vec<&'static str> = row.split('\t').collect();
            let [category, matches, languages, phrases] = fields[..] else { panic!("a row has four fields: {row}") };
            let at = bits[category];
            for text in phrases.split(", ").map(spaced) {
                *words.entry(text.clone()).or_default() |= 1 << at;
                if matches.ends_with("start") {
                    starts.entry(first_two(&text)).or_default().push((at, lists[at].len()));
                }
                let (anywhere, word_start, exact) = match matches {
                    "word" | "start" => (SIGNS & 1 << at, 0, 0),
                    "anywhere" => (1 << at, 0, 0),
                    "word start" => (0, 1 << at, 0),
                    "exact" => (0, 0, 1 << at),
                    _ => panic!("{row}"),
                };
                if anywhere | word_start | exact != 0 {
                    let pattern = patterns.entry(text.clone()).or_default();
                    pattern.anywhere |= anywhere;
                    pattern.word_start |= word_start;
                    pattern.exact |= exact;
                }
                lists[at].push(Phrase { text, category: 1 << at, languages });
            }
        }
        let (texts, patterns) = patterns.into_iter().unzip();
        Self { lists, words, starts, scanner: Scanner::of(texts), patterns }
    }

    /// The categories of a word, or of a text that is a single phrase, in lower case.
    pub(crate) fn of_word(&self, word: &str) -> Categories {
        self.words.get(word).copied().unwrap_or_default()
    }

    /// Whether a word in lower case belongs to one of these categories.
    pub(crate) fn is(&self, word: &str, wanted: Categories) -> bool {
        self.of_word(word) & wanted != 0
    }

    /// The categories of all phrases anywhere in a text. Case does not matter for ASCII.
    pub(crate) fn of_text(&self, text: &str) -> Categories {
        let mut found = 0;
        self.scanner.for_each(text, |phrase, _| found |= self.patterns[phrase].anywhere);
        found
    }

    /// Whether a text contains a phrase of these categories.
    pub(crate) fn are_in(&self, text: &str, wanted: Categories) -> bool {
        self.of_text(text) & wanted != 0
    }

    /// Finds the phrases of these categories in a text. Gives for each its categories, its text and its position in
    /// bytes.
    pub(crate) fn find<'t>(
        &'t self,
        text: &'t str,
        wanted: Categories,
    ) -> impl Iterator<Item = (Categories, &'t str, Range<usize>)> {
        let begins_word =
            |at: usize| text[..at].chars().next_back().is_none_or(|c| !c.is_alphabetic() || is_han_or_kana(c));
        let mut all = Vec::new();
        self.scanner.for_each(text, |phrase, at| {
            let (phrase, pattern) = (&*self.scanner.phrases[phrase], &self.patterns[phrase]);
            let (words, exact) = (pattern.word_start & wanted, pattern.exact & wanted);
            let mut categories = pattern.anywhere & wanted;
            categories |= if words != 0 && begins_word(at.start) { words } else { 0 };
            categories |= if exact != 0 && text[at.clone()] == *phrase { exact } else { 0 };
            if categories != 0 {
                all.push((categories, phrase, at));
            }
        });
        all.into_iter()
    }

    /// The phrases of these categories with which a text begins, in any letter case, each with the rest of the text.
    pub(crate) fn at_start<'p, 't>(
        &'p self,
        text: &'t str,
        wanted: Categories,
    ) -> impl Iterator<Item = (&'p Phrase, &'t str)> {
        let [first, second] = first_two(text);
        let places = [[first, second], [first, '\0']].into_iter().take(if second == '\0' { 1 } else { 2 });
        let begin = places.filter_map(|letters| self.starts.get(&letters)).flatten();
        let known = begin.filter(move |(at, _)| wanted >> at & 1 == 1).map(|(at, place)| &self.lists[*at][*place]);
        known.filter_map(move |phrase| Some((phrase, behind(text, &phrase.text)?)))
    }

    /// The phrases of these categories, in the order of the table within each category.
    pub(crate) fn list(&self, wanted: Categories) -> impl Iterator<Item = &Phrase> {
        let lists = self.lists.iter().enumerate();
        lists.filter(move |(at, _)| wanted >> at & 1 == 1).flat_map(|(_, list)| list)
    }
}

/// Returns a phrase as it occurs in texts: `_` at its beginning or end stands for a space.
fn spaced(phrase: &'static str) -> Cow<'static, str> {
    let bare = phrase.trim_matches('_');
    match bare.len() == phrase.len() {
        true => Cow::Borrowed(phrase),
        false => Cow::Owned(phrase.replace('_', " ")),
    }
}

/// The first two characters in lower case, or NUL for missing ones.
fn first_two(text: &str) -> [char; 2] {
    let mut lower = text.chars().flat_map(char::to_lowercase);
    [lower.next().unwrap_or_default(), lower.next().unwrap_or_default()]
}

/// The text after a phrase at its beginning; None if the text does not begin with the phrase.
fn behind<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    let (mut letters, mut rest) = (phrase.chars(), text.chars());
    while !letters.as_str().is_empty() {
        let is_same = rest.next()?.to_lowercase().all(|lower| letters.next() == Some(lower));
        is_same.then_some(())?;
    }
    Some(rest.as_str())
}

#[cfg(test)]
mod tests;
