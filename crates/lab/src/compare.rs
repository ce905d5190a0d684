//! Makes the table of a comparison of methods, as text, Markdown or JSON. It has the speed and the precision, recall
//! and F of words, in total and by domain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::eval::{Board, Measures, Summary};

/// A comparison of methods on the same pages.
///
/// ```
/// use goldminer_lab::compare::{Row, Table};
/// use goldminer_lab::eval::{Board, Scorer};
///
/// let mut board = Board::default();
/// board.add("portal.example/1", Scorer::fair().score(b"It rained.", b"It rained."));
/// let rows = vec![Row::new("bte", &board, None)];
/// let table = Table { pages_of: "one page".to_owned(), pages: 1, verbatim: false, least: None, rows };
/// assert!(table.to_markdown().contains("| bte | 100.00 | 100.00 | 100.00 |  |"));
/// ```
#[derive(Debug)]
pub struct Table {
    /// A description of the pages, for the table's title.
    pub pages_of: String,
    /// The number of pages with gold texts.
    pub pages: usize,
    /// Whether the scores are by the scale of the papers ([`Scorer::verbatim`](crate::eval::Scorer::verbatim)).
    pub verbatim: bool,
    /// Domains with at least this many pages are also shown separately; with None, no domain is.
    pub least: Option<usize>,
    /// The rows, in the order in which they are shown.
    pub rows: Vec<Row>,
}

/// A row of the table: the scores of one method or tool.
#[derive(Debug)]
pub struct Row {
    name: String,
    all: Summary,
    /// The speed in megabytes of HTML per second of CPU time; None if it was not measured.
    speed: Option<f64>,
    domains: BTreeMap<String, Summary>,
}

impl Row {
    /// Creates a row. `speed` is in megabytes of HTML per second of CPU time.
    pub fn new(name: &str, board: &Board, speed: Option<f64>) -> Self {
        let domains = board.by_domain().into_iter().map(|(domain, sum)| (domain.to_owned(), sum)).collect();
        Self { name: name.to_owned(), all: board.summary(), speed, domains }
    }

    fn speed(&self) -> String {
        self.speed.map_or_else(String::new, |speed| format!("{speed:.1}"))
    }
}

impl Table {
    /// The table as text for terminals.
    pub fn to_text(&self) -> String {
        let width = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(8);
        let mut text = format!("{}\n\n{:<width$} {:>7} {:>7} {:>7} {:>8}\n", self.title(), "", "P", "R", "F", "MB/s");
        for row in &self.rows {
            let [p, r, f] = percents(&row.all.micro);
            let _ = writeln!(text, "{:<width$} {p:>7} {r:>7} {f:>7} {:>8}", row.name, row.speed());
        }
        for (domain, pages) in self.domains() {
            let _ = writeln!(text, "\n{domain} ({pages} pages)");
            for (row, summary) in self.rows.iter().filter_map(|row| Some((row, row.domains.get(&domain)?))) {
                let [p, r, f] = percents(&summary.micro);
                let _ = writeln!(text, "{:<width$} {p:>7} {r:>7} {f:>7}", row.name);
            }
        }
        text
    }

    /// The table in Markdown.
    pub fn to_markdown(&self) -> String {
        let domains = self.domains();
        let mut text = format!("{}\n\n| | P | R | F | MB/s |", self.title());
        domains.iter().for_each(|(domain, pages)| text.push_str(&format!(" {domain} ({pages}) |")));
        text.push_str("\n|---|---|---|---|---|");
        text.push_str(&"---|".repeat(domains.len()));
        for row in &self.rows {
            let [p, r, f] = percents(&row.all.micro);
            let _ = write!(text, "\n| {} | {p} | {r} | {f} | {} |", row.name, row.speed());
            for (domain, _) in &domains {
                let f = row.domains.get(domain).map_or_else(String::new, |sum| percents(&sum.micro)[2].clone());
                let _ = write!(text, " {f} |");
            }
        }
        text.push('\n');
        text
    }

    /// The table in JSON. Scores are from 0 to 1, not in percent.
    pub fn to_json(&self) -> Value {
        let summary = |sum: &Summary| json!({ "pages": sum.pages, "micro": sum.micro, "macro": sum.macro_mean });
        let row = |row: &Row| {
            let domains: BTreeMap<&String, Value> = row.domains.iter().map(|(d, sum)| (d, summary(sum))).collect();
            json!({ "method": row.name, "all": summary(&row.all), "domains": domains, "mb_per_cpu_second": row.speed })
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({ "field": self.pages_of, "pages": self.pages, "verbatim": self.verbatim, "rows": rows })
    }

    fn title(&self) -> String {
        let scale = if self.verbatim { "as the papers score" } else { "words, entities decoded, typography folded" };
        format!(
            "{}: {} pages, {scale}; precision, recall and F in percent over all words, MB of HTML per CPU second",
            self.pages_of, self.pages
        )
    }

    /// The domains that are shown separately, with their numbers of pages.
    fn domains(&self) -> Vec<(String, usize)> {
        let Some(least) = self.least else { return Vec::new() };
        let domains = self.rows.iter().flat_map(|row| &row.domains);
        let shown: BTreeSet<_> = domains.map(|(domain, sum)| (domain.clone(), sum.pages)).collect();
        let mut shown: Vec<_> = shown.into_iter().filter(|(_, pages)| *pages >= least).collect();
        shown.dedup_by(|(next, _), (before, _)| next == before);
        shown
    }
}

fn percents(measures: &Measures) -> [String; 3] {
    [measures.precision, measures.recall, measures.f].map(|share| format!("{:.2}", 100.0 * share))
}
