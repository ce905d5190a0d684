//! Generates the texts of the demo's portals, with a grammar for each of three languages.
//!
//! The texts read like news: real words in real sentences, with the frequent words that jusText looks for, and hardly
//! any repetition. They depend only on a seed. [`grammar`] describes the notation.

mod compile;
pub mod grammar;
pub mod story;

use std::sync::LazyLock;

use super::rng::Rng;
use grammar::{Grammar, StorySeed};

/// A language in which the demo can generate texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    English,
    /// Hungarian.
    Hungarian,
    /// German.
    German,
}

impl Language {
    /// The BCP 47 primary subtag, such as `en`.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Hungarian => "hu",
            Self::German => "de",
        }
    }

    /// The sections and tags of portals in this language.
    pub fn sections(self) -> &'static NewsSections {
        &WRITTEN[self as usize].1
    }

    /// The language's grammar.
    pub fn grammar(self) -> &'static Grammar {
        &WRITTEN[self as usize].0
    }
}

/// The sections and tags of portals in one language.
#[derive(Debug)]
pub struct NewsSections {
    /// The names of the sections.
    pub sections: Vec<String>,
    /// For each topic of the grammar, the index of its section in `sections`.
    pub section_of_topic: Vec<usize>,
    /// The names of the tags: two for each topic, in the order of the topics.
    pub tags: Vec<String>,
}

impl NewsSections {
    fn of(grammar: &Grammar) -> Self {
        let mut all = Self { sections: Vec::new(), section_of_topic: Vec::new(), tags: Vec::new() };
        for topic in 0..grammar.topics().len() {
            let section = grammar.fixed(topic, "section");
            let known = all.sections.iter().position(|s| *s == section);
            all.section_of_topic.push(known.unwrap_or(all.sections.len()));
            if known.is_none() {
                all.sections.push(section);
            }
            let story_seed = StorySeed { topic, seed: 0 };
            all.tags.extend(grammar.expand_all(story_seed, "tags", &mut Rng::new(0)).into_iter().take(2));
        }
        all
    }
}

static WRITTEN: [LazyLock<(Grammar, NewsSections)>; 3] = [
    LazyLock::new(|| {
        written([include_str!("english/people.txt"), include_str!("english/topics.txt")], ',', english_article)
    }),
    LazyLock::new(|| {
        written([include_str!("hungarian/people.txt"), include_str!("hungarian/topics.txt")], ' ', hungarian_article)
    }),
    LazyLock::new(|| written([include_str!("german/people.txt"), include_str!("german/topics.txt")], '.', |_| "ein")),
];

fn written(files: [&str; 2], thousands: char, article: fn(&str) -> &'static str) -> (Grammar, NewsSections) {
    let grammar = Grammar::new(&files, thousands, article);
    let sections = NewsSections::of(&grammar);
    (grammar, sections)
}

fn english_article(next: &str) -> &'static str {
    if next.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O', '8']) { "an" } else { "a" }
}

/// The Hungarian article before a word or number. Before a number, the spoken word decides: 1 is *egy*, 5 and 50 begin
/// with *ö*, 1,000 is *ezer*.
fn hungarian_article(next: &str) -> &'static str {
    let digits = next.bytes().take_while(u8::is_ascii_digit).count();
    let vowel = if digits > 0 {
        next.starts_with('5') || next.starts_with('1') && matches!(digits, 1 | 4)
    } else {
        next.to_lowercase().starts_with(['a', 'á', 'e', 'é', 'i', 'í', 'o', 'ó', 'ö', 'ő', 'u', 'ú', 'ü', 'ű'])
    };
    if vowel { "az" } else { "a" }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Language; 3] = [Language::English, Language::Hungarian, Language::German];

    /// The words of the interface that a portal needs in every language.
    const INTERFACE: &str = "search home latest most_read related comments write_comment reply tags next previous by \
         published print share gallery about calendar opinion live more archive login hits updated photo subscribe \
         support cookies rules footer about.text gallery.caption";

    #[test]
    fn no_grammar_uses_undefined_names() {
        for language in ALL {
            assert_eq!(language.grammar().dangling(), Vec::<String>::new(), "{language:?}");
            assert!(language.grammar().topics().len() >= 6, "{language:?}");
        }
    }

    #[test]
    fn every_language_has_all_words_and_rules() {
        for language in ALL {
            for name in INTERFACE.split_whitespace() {
                assert!(!language.grammar().fixed(0, &format!("ui.{name}")).is_empty(), "{language:?}: ui.{name}");
            }
            for topic in 0..language.grammar().topics().len() {
                for rule in "section tags thing role role2 headline lead body item".split(' ') {
                    let text = language.grammar().fixed(topic, rule);
                    assert!(!text.is_empty(), "{language:?}: {}.{rule}", language.grammar().topics()[topic]);
                }
            }
        }
    }

    #[test]
    fn hungarian_articles_follow_the_spoken_number() {
        let az = ["alma", "Óbuda", "1 óra", "5 nap", "52 ház", "1200 ember", "10"];
        assert_eq!(az.map(hungarian_article), ["az", "az", "az", "az", "az", "az", "a"]);
    }
}
