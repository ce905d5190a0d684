//! Parts of names, of which one tells what an element is for: `post-date`, `imageCaption`, `dateline2`. Asked of many
//! elements of every page, therefore in one look, in any case of ASCII.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Some parts, of which a name may have one.
pub(super) struct NameParts(AhoCorasick);

impl NameParts {
    pub(super) fn new(parts: &[&str]) -> Self {
        let automaton =
            AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(parts);
        Self(automaton.expect("some short parts make an automaton"))
    }

    /// Whether one of the parts stands anywhere in a name.
    pub(super) fn are_in(&self, name: &str) -> bool {
        self.0.is_match(name)
    }
}
