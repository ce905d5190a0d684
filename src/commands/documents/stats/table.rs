//! The tables that `stats` prints: counts by domain, and the most repeated sentences.

use goldminer_corpus::stats::{CorpusStats, SentenceCounts};

use crate::commands::{shortened, thousands};
use goldminer_console::words::table::row;

/// The most characters of a sentence in a table.
const SHOWN: usize = 90;

/// Returns a line for each domain and method, totals, and the most repeated sentences of each domain. Methods have
/// empty names if there is only one.
pub(super) fn sentences(methods: &[(&str, &CorpusStats)], top: usize) -> String {
    let mut domains: Vec<&str> = methods.iter().flat_map(|(_, stats)| stats.by_domain()).map(|(d, _)| d).collect();
    domains.sort_unstable();
    domains.dedup();
    let width = domains.iter().map(|domain| domain.chars().count()).max().unwrap_or(0).clamp(11, 40) as i8;
    let method_width = if methods.iter().all(|(name, _)| name.is_empty()) { 0 } else { -10 };
    let widths = [-width, method_width, 9, 11, 10, 13, 7, 12, 13, 7];
    let names = ["documents", "words", "sentences", "unique sent.", "share", "characters", "unique chars", "share"];
    let [documents, words, all, unique, share, characters, in_unique, their_share] = &names;
    let mut text = row(widths, [&"", &"", documents, words, all, unique, share, characters, in_unique, their_share]);
    let mut line = |name: &str, method: &str, counts: &SentenceCounts| {
        let percent = |part: u64, whole: u64| format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64);
        let about = |number| format!("{}{}", if counts.sampled_one_in > 1 { "~" } else { "" }, thousands(number));
        text += &row(
            widths,
            [
                &name,
                &format!(" {method}"),
                &thousands(counts.documents),
                &thousands(counts.words),
                &thousands(counts.sentences),
                &about(counts.unique_sentences),
                &percent(counts.unique_sentences, counts.sentences),
                &thousands(counts.characters),
                &about(counts.characters_in_unique_sentences),
                &percent(counts.characters_in_unique_sentences, counts.characters),
            ],
        );
    };
    for domain in &domains {
        for (n, (method, stats)) in methods.iter().enumerate() {
            let counts = stats.by_domain().find(|(name, _)| name == domain).map(|(_, counts)| counts);
            line(if n == 0 { domain } else { "" }, method, &counts.unwrap_or_default());
        }
    }
    for (n, (method, stats)) in methods.iter().enumerate() {
        line(if n == 0 { "all domains" } else { "" }, method, &stats.all());
    }
    text += "words: separated by white space, without captions\nunique sent., unique chars: distinct sentences, \
        each counted once, and their characters; share: of all\n";
    if methods.iter().any(|(_, stats)| stats.all().sampled_one_in > 1) {
        text.push_str("~ estimated from a sample of the distinct sentences, to about 0.1 %\n");
    }
    for domain in domains {
        for (method, stats) in methods {
            let repeated = stats.repeated(domain, top);
            if !repeated.is_empty() {
                let by = if method.is_empty() { String::new() } else { format!(", {method}") };
                text += &format!("\nmost repeated in {domain}{by}:\n");
            }
            for sentence in repeated {
                text +=
                    &format!("{:>7} × {}\n", thousands(u64::from(sentence.times)), shortened(&sentence.text, SHOWN));
            }
        }
    }
    text
}
