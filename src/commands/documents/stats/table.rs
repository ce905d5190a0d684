//! The tables of `stats` for people: counts by domain, and the sentences that come most often.

use std::fmt::Write as _;

use goldminer_corpus::stats::{CorpusStats, SentenceCounts};

use crate::commands::thousands;

/// How long a sentence may be in a table, in characters.
const SHOWN: usize = 90;

/// A line for each domain and method, and for all; methods have names where there are several.
pub(crate) fn counts(methods: &[(&str, &CorpusStats)]) -> String {
    let width = methods.iter().flat_map(|(_, stats)| stats.by_domain()).map(|(domain, _)| domain.chars().count());
    let width = width.max().unwrap_or(0).clamp(11, 40);
    let mut text = format!(
        "{:<width$}  {:<9} {:>9} {:>11} {:>11} {:>7} {:>13} {:>13} {:>7}\n",
        "", "", "documents", "sentences", "unique", "share", "characters", "in unique", "share"
    );
    let mut line = |name: &str, method: &str, counts: &SentenceCounts| {
        let percent = |part: u64, whole: u64| format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64);
        let about = if counts.sampled_one_in > 1 { "~" } else { "" };
        let _ = writeln!(
            text,
            "{name:<width$}  {method:<9} {:>9} {:>11} {:>11} {:>7} {:>13} {:>13} {:>7}",
            thousands(counts.documents),
            thousands(counts.sentences),
            format!("{about}{}", thousands(counts.unique_sentences)),
            percent(counts.unique_sentences, counts.sentences),
            thousands(counts.characters),
            format!("{about}{}", thousands(counts.characters_in_unique_sentences)),
            percent(counts.characters_in_unique_sentences, counts.characters),
        );
    };
    for domain in domains(methods) {
        for (n, (method, stats)) in methods.iter().enumerate() {
            let counts = stats.by_domain().find(|(name, _)| *name == domain).map(|(_, counts)| counts);
            line(if n == 0 { domain } else { "" }, method, &counts.unwrap_or_default());
        }
    }
    for (n, (method, stats)) in methods.iter().enumerate() {
        line(if n == 0 { "all domains" } else { "" }, method, &stats.all());
    }
    if methods.iter().any(|(_, stats)| stats.all().sampled_one_in > 1) {
        text.push_str("~ estimated from a sample of the different sentences, to about 0.1 %\n");
    }
    text
}

/// The sentences of each domain that come most often.
pub(crate) fn repeated(methods: &[(&str, &CorpusStats)], top: usize) -> String {
    let mut text = String::new();
    for domain in domains(methods) {
        for (method, stats) in methods {
            let repeated = stats.repeated(domain, top);
            if repeated.is_empty() {
                continue;
            }
            let by = if method.is_empty() { String::new() } else { format!(", {method}") };
            let _ = writeln!(text, "\nmost repeated in {domain}{by}:");
            for sentence in repeated {
                let _ = writeln!(text, "{:>7} × {}", thousands(u64::from(sentence.times)), shortened(&sentence.text));
            }
        }
    }
    text
}

fn domains<'a>(methods: &[(&str, &'a CorpusStats)]) -> Vec<&'a str> {
    let mut domains: Vec<&str> = methods.iter().flat_map(|(_, stats)| stats.by_domain()).map(|(d, _)| d).collect();
    domains.sort_unstable();
    domains.dedup();
    domains
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
