//! Standing phrases and parts of names, each of some kinds, that may stand anywhere in a text: `post-date`, "read more".
//! Asked of every short text and of most names of every page, therefore in one look, in any case of ASCII.

use aho_corasick::automaton::Automaton;
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, Input};

/// Some phrases, of which a text may have several.
pub struct Phrases {
    automaton: DFA,
    /// Of each phrase, as bits.
    kinds: Vec<u32>,
}

impl Phrases {
    /// Each phrase with its kinds as bits.
    pub fn new(phrases: impl IntoIterator<Item = (&'static str, u32)>) -> Self {
        let (phrases, kinds): (Vec<&str>, Vec<u32>) = phrases.into_iter().unzip();
        // Without a search for where to begin, which pays in longer texts.
        let automaton = DFA::builder().ascii_case_insensitive(true).prefilter(false).build(phrases);
        Self { automaton: automaton.expect("some short phrases make an automaton"), kinds }
    }

    /// Phrases of one kind.
    pub fn of_one_kind(phrases: &[&'static str]) -> Self {
        Self::new(phrases.iter().map(|phrase| (*phrase, 1)))
    }

    /// The kinds of all phrases in a text, as bits.
    pub fn kinds_in(&self, text: &str) -> u32 {
        let (automaton, mut kinds) = (&self.automaton, 0);
        let mut state = automaton.start_state(Anchored::No).expect("a match may begin anywhere");
        for byte in text.bytes() {
            state = automaton.next_state(Anchored::No, state, byte);
            // One state stands for all phrases that end here: the search for overlapping ones calls once for each.
            if automaton.is_match(state) {
                let ending = (0..automaton.match_len(state)).map(|at| automaton.match_pattern(state, at));
                kinds |= ending.fold(0, |all, phrase| all | self.kinds[phrase]);
            }
        }
        kinds
    }

    /// Whether one of them stands anywhere in a text.
    pub fn are_in(&self, text: &str) -> bool {
        self.automaton.try_find(&Input::new(text).earliest(true)).is_ok_and(|found| found.is_some())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn phrases() -> Phrases {
        Phrases::new([("share", 1), ("Read more", 2), ("more from", 4), ("комм", 8), ("评论", 16)])
    }

    #[test]
    fn phrases_are_found_anywhere_also_where_they_overlap() {
        for (text, kinds) in
            [("read MORE from us", 6), ("12 комментариев", 8), ("查看评论", 16), ("Shar", 0), ("", 0), ("no", 0)]
        {
            assert_eq!(phrases().kinds_in(text), kinds, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_phrase_is_lost(before in ".{0,9}", which in 0..5_usize, behind in ".{0,9}") {
            let (phrase, kind) = [("SHARE", 1), ("read more", 2), ("More From", 4), ("комм", 8), ("评论", 16)][which];
            let text = format!("{before}{phrase}{behind}");
            prop_assert!(phrases().kinds_in(&text) & kind != 0, "{}", text);
        }
    }
}
