//! Names of months in the larger languages of Europe, by their beginnings: whole names, their cases and what they are
//! shortened to.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Anchored, Input, MatchKind, StartKind};

/// Beginnings of names and their months. Longer ones stand first.
const BEGINNINGS: &[(&str, i8)] = &[
    ("marras", 11),
    ("červenc", 7),
    ("červen", 6),
    ("červn", 6),
    ("touko", 5),
    ("tammi", 1),
    ("helmi", 2),
    ("huhti", 4),
    ("joulu", 12),
    ("heinä", 7),
    ("szept", 9),
    ("kesä", 6),
    ("syys", 9),
    ("loka", 10),
    ("juil", 7),
    ("juin", 6),
    ("août", 8),
    ("jan", 1),
    ("jän", 1),
    ("ene", 1),
    ("oca", 1),
    ("gen", 1),
    ("led", 1),
    ("sty", 1),
    ("янв", 1),
    ("січ", 1),
    ("ιαν", 1),
    ("feb", 2),
    ("fév", 2),
    ("şub", 2),
    ("fev", 2),
    ("úno", 2),
    ("lut", 2),
    ("фев", 2),
    ("лют", 2),
    ("φεβ", 2),
    ("mar", 3),
    ("mär", 3),
    ("már", 3),
    ("maa", 3),
    ("bře", 3),
    ("мар", 3),
    ("бер", 3),
    ("μαρ", 3),
    ("μάρ", 3),
    ("apr", 4),
    ("avr", 4),
    ("abr", 4),
    ("ápr", 4),
    ("dub", 4),
    ("kwi", 4),
    ("nis", 4),
    ("апр", 4),
    ("кві", 4),
    ("απρ", 4),
    ("may", 5),
    ("mai", 5),
    ("maj", 5),
    ("máj", 5),
    ("mayı", 5),
    ("mag", 5),
    ("mei", 5),
    ("kvě", 5),
    ("май", 5),
    ("мая", 5),
    ("тра", 5),
    ("μαΐ", 5),
    ("μαϊ", 5),
    ("μάι", 5),
    ("jun", 6),
    ("haz", 6),
    ("jún", 6),
    ("giu", 6),
    ("cze", 6),
    ("июн", 6),
    ("чер", 6),
    ("ιουν", 6),
    ("jul", 7),
    ("tem", 7),
    ("júl", 7),
    ("lug", 7),
    ("lip", 7),
    ("июл", 7),
    ("лип", 7),
    ("ιουλ", 7),
    ("aug", 8),
    ("aou", 8),
    ("ago", 8),
    ("ağu", 8),
    ("srp", 8),
    ("sie", 8),
    ("elo", 8),
    ("авг", 8),
    ("сер", 8),
    ("αυγ", 8),
    ("αύγ", 8),
    ("sep", 9),
    ("set", 9),
    ("zář", 9),
    ("eyl", 9),
    ("wrz", 9),
    ("сен", 9),
    ("вер", 9),
    ("σεπ", 9),
    ("oct", 10),
    ("okt", 10),
    ("eki", 10),
    ("ott", 10),
    ("out", 10),
    ("říj", 10),
    ("paź", 10),
    ("окт", 10),
    ("жов", 10),
    ("οκτ", 10),
    ("nov", 11),
    ("lis", 11),
    ("kas", 11),
    ("ноя", 11),
    ("νοε", 11),
    ("dec", 12),
    ("dez", 12),
    ("dic", 12),
    ("déc", 12),
    ("ara", 12),
    ("pro", 12),
    ("gru", 12),
    ("дек", 12),
    ("гру", 12),
    ("δεκ", 12),
];

static AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .start_kind(StartKind::Anchored)
        .kind(Some(AhoCorasickKind::DFA))
        .build(BEGINNINGS.iter().map(|(beginning, _)| beginning))
        .expect("some short names make an automaton")
});

/// The month whose name begins so.
pub(super) fn beginning(word: &str) -> Option<i8> {
    let found = AUTOMATON.find(Input::new(word).anchored(Anchored::Yes))?;
    Some(BEGINNINGS[found.pattern().as_usize()].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_known_in_its_cases_and_shortened() {
        for (name, expected) in [
            ("sept", Some(9)),
            ("szeptember", Some(9)),
            ("июня", Some(6)),
            ("июля", Some(7)),
            ("července", Some(7)),
            ("června", Some(6)),
            ("października", Some(10)),
            ("νοεμβρίου", Some(11)),
            ("août", Some(8)),
            ("jänner", Some(1)),
            ("bridge", None),
        ] {
            assert_eq!(beginning(name), expected, "{name}");
        }
    }
}
