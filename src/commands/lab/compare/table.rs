//! The table of a comparison: precision, recall and F of words, in all and by domain, and speed; as text, as Markdown,
//! as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use goldminer_core::eval::{Board, Measures, Scorer, Summary};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::contestant::Outcome;
use super::field::Field;

/// All rows over one field.
pub(crate) struct Table {
    /// What the field is called.
    pub field: String,
    /// Pages with gold.
    pub pages: usize,
    /// The papers' scale.
    pub verbatim: bool,
    /// Domains with at least so many pages have tables of their own.
    pub least: Option<usize>,
    /// In the order of the arguments.
    pub rows: Vec<ScoreRow>,
}

/// What one contestant came to.
pub(crate) struct ScoreRow {
    /// The method's or tool's name.
    pub name: String,
    /// Over all pages.
    pub all: Summary,
    /// Millions of bytes of HTML in a second of processor time; none for other tools.
    pub speed: Option<f64>,
    domains: BTreeMap<String, Summary>,
}

impl ScoreRow {
    /// Scores an outcome. On the papers' scale pages that a tool passed over do not count.
    pub(crate) fn of(name: &str, outcome: &Outcome, field: &Field, scorer: Scorer, verbatim: bool) -> Self {
        let golds: Vec<(&String, &Vec<u8>)> =
            field.golds.iter().filter(|(key, _)| !verbatim || outcome.texts.contains_key(*key)).collect();
        let counts: Vec<_> = golds
            .par_iter()
            .map(|(key, gold)| scorer.score(outcome.texts.get(*key).map_or(&[][..], Vec::as_slice), gold))
            .collect();
        let mut board = Board::default();
        for ((key, _), counts) in golds.into_iter().zip(counts) {
            board.add(key.as_str(), counts);
        }
        Self {
            name: name.to_owned(),
            all: board.summary(),
            speed: (outcome.cpu_seconds > 0.0).then(|| outcome.page_bytes as f64 / 1e6 / outcome.cpu_seconds),
            domains: board.by_domain().into_iter().map(|(domain, sum)| (domain.to_owned(), sum)).collect(),
        }
    }
}

impl Table {
    /// To be read in a terminal.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{}\n\n", self.title());
        let width = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(8);
        let _ = writeln!(text, "{:<width$} {:>7} {:>7} {:>7} {:>8}", "", "P", "R", "F", "MB/s");
        for row in &self.rows {
            let [p, r, f] = percents(&row.all.micro);
            let speed = row.speed.map_or_else(String::new, |speed| format!("{speed:.1}"));
            let _ = writeln!(text, "{:<width$} {p:>7} {r:>7} {f:>7} {speed:>8}", row.name);
        }
        for (domain, pages) in self.domains() {
            let _ = writeln!(text, "\n{domain} ({pages} pages)");
            for row in &self.rows {
                let Some(summary) = row.domains.get(&domain) else { continue };
                let [p, r, f] = percents(&summary.micro);
                let _ = writeln!(text, "{:<width$} {p:>7} {r:>7} {f:>7}", row.name);
            }
        }
        text
    }

    /// For a README.
    pub(crate) fn to_markdown(&self) -> String {
        let domains = self.domains();
        let mut text = format!("{}\n\n| | P | R | F | MB/s |", self.title());
        domains.iter().for_each(|(domain, pages)| text.push_str(&format!(" {domain} ({pages}) |")));
        text.push_str("\n|---|---|---|---|---|");
        text.push_str(&"---|".repeat(domains.len()));
        for row in &self.rows {
            let [p, r, f] = percents(&row.all.micro);
            let speed = row.speed.map_or_else(String::new, |speed| format!("{speed:.1}"));
            let _ = write!(text, "\n| {} | {p} | {r} | {f} | {speed} |", row.name);
            for (domain, _) in &domains {
                let f = row.domains.get(domain).map_or_else(String::new, |sum| percents(&sum.micro)[2].clone());
                let _ = write!(text, " {f} |");
            }
        }
        text.push('\n');
        text
    }

    /// For programs; shares, not percents.
    pub(crate) fn to_json(&self) -> Value {
        let summary = |sum: &Summary| json!({ "pages": sum.pages, "micro": sum.micro, "macro": sum.macro_mean });
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let domains: BTreeMap<&String, Value> = row.domains.iter().map(|(d, sum)| (d, summary(sum))).collect();
                json!({ "method": row.name, "all": summary(&row.all), "domains": domains, "mb_per_cpu_second": row.speed })
            })
            .collect();
        json!({ "field": self.field, "pages": self.pages, "verbatim": self.verbatim, "rows": rows })
    }

    fn title(&self) -> String {
        let scale = if self.verbatim { "as the papers score" } else { "words, entities decoded, typography folded" };
        format!(
            "{}: {} pages, {scale}; P, R and F in percent over all words together, speed in MB of HTML a CPU second",
            self.field, self.pages
        )
    }

    /// The domains that are shown, with their pages.
    fn domains(&self) -> Vec<(String, usize)> {
        let Some(least) = self.least else { return Vec::new() };
        let domains = self.rows.iter().flat_map(|row| row.domains.iter());
        let shown: BTreeSet<_> = domains.map(|(domain, sum)| (domain.clone(), sum.pages)).collect();
        let mut shown: Vec<_> = shown.into_iter().filter(|(_, pages)| *pages >= least).collect();
        shown.dedup_by(|(next, _), (before, _)| next == before);
        shown
    }
}

fn percents(measures: &Measures) -> [String; 3] {
    [measures.precision, measures.recall, measures.f].map(|share| format!("{:.2}", 100.0 * share))
}
