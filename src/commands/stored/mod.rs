//! Commands for stored pages: learn from them, and extract their documents. Also the messages that they share.

pub(crate) mod extract;
pub(crate) mod extract_page;
pub(crate) mod extract_stream;
pub(crate) mod learn;
pub(crate) mod sample;

use std::collections::BTreeMap;

use goldminer_batch::Overview;
use goldminer_batch::sources::ArchiveStats;
use goldminer_core::Tally;
use goldminer_core::extract::domain::PageOutcome;
use goldminer_corpus::Filter;
use serde::Serialize;
use serde_json::{Value, json};

use super::{counted, thousands};
use crate::cli::FilterArgs;
use crate::commands::Exit;

/// Returns the counts of archives as text: `3 files, 120 records, 100 pages`.
fn read(stats: &ArchiveStats) -> String {
    let (files, records) = (counted(stats.files, "file", "files"), counted(stats.records, "record", "records"));
    format!("{files}, {records}, {}", counted(stats.pages, "page", "pages"))
}

/// Number of responses that are not pages, by reason, in one line.
fn others(others: &BTreeMap<String, u64>) -> String {
    let reasons: Vec<String> = others.iter().map(|(why, answers)| format!("{} {why}", thousands(*answers))).collect();
    if reasons.is_empty() { String::new() } else { format!("not pages: {}\n", reasons.join(", ")) }
}

/// Number of pages of which only a part was read, in a line; empty for none.
pub(crate) fn cut_pages(truncated: u64) -> String {
    if truncated == 0 {
        return String::new();
    }
    let pages = counted(truncated, "page was", "pages were");
    format!("{pages} read only in part: too long, or truncated in the archive\n")
}

/// The message that archives have no page, with the first reasons.
fn no_page(stats: &ArchiveStats) -> String {
    let few = &stats.faults[..stats.faults.len().min(3)];
    let why = if few.is_empty() { String::new() } else { format!(": {}", few.join("; ")) };
    format!("no page in {}{why}", counted(stats.files, "file", "files"))
}

/// Whether an output is complete, in a line; empty if this run has completed it. `one` and `many` name its units.
fn state<S>(overview: &Overview<S>, one: &str, many: &str) -> String {
    match overview {
        Overview { complete, planned, .. } if complete < planned => {
            let planned = counted(*planned as u64, one, many);
            format!("complete: {complete} of {planned}; the rest belongs to other shards (run killed shards again)\n")
        }
        Overview { was_complete: true, .. } => "everything was already done\n".to_owned(),
        _ => String::new(),
    }
}

/// Why pages have no document, in words: `79 no text, 17 stub`, or `none`.
fn reasons(tally: &Tally) -> String {
    let why =
        |(outcome, pages): (PageOutcome, _)| format!("{} {}", thousands(pages), outcome.as_str().replace('-', " "));
    let counts: Vec<String> = tally.without_document().map(why).collect();
    if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
}

/// Lines about documents that were cut off by a paywall or left out by the filters.
fn left_out(tally: &Tally, filter: &FilterArgs) -> String {
    let filters = format!("left out by the filters ({})", given(filter));
    let mut text = String::new();
    for (outcome, what) in [
        (PageOutcome::Partial, "cut off by a paywall (access = \"partial\")"),
        (PageOutcome::Filtered, &filters),
        (PageOutcome::Undated, "left out because of a missing publication date (--since, --until)"),
        (PageOutcome::Uncertain, "left out because of a low or missing confidence (--min-confidence)"),
    ] {
        let documents = tally.of(outcome);
        if documents > 0 {
            text += &format!("{} {what}\n", counted(documents, "document was", "documents were"));
        }
    }
    text
}

/// The filters that were given, as on the command line.
fn given(filter: &FilterArgs) -> String {
    let options = Filter::from(filter).options().into_iter();
    options.map(|(option, value)| format!("{option} {value}")).collect::<Vec<_>>().join(", ")
}

/// Fails if an extraction gave no document; the message says why.
fn refuse_nothing(pages: u64, documents: u64, tally: &Tally, filter: &FilterArgs) -> anyhow::Result<Exit> {
    if documents > 0 {
        return Ok(Exit::Done);
    }
    let filters = [PageOutcome::Filtered, PageOutcome::Undated, PageOutcome::Uncertain];
    let filtered: u64 = filters.into_iter().map(|outcome| tally.of(outcome)).sum();
    let advice = match filtered {
        0 => "`goldminer profile test FILE` shows how a page is read".to_owned(),
        _ => format!("the filters exclude all documents ({})", given(filter)),
    };
    anyhow::bail!("no document from {} ({}); {advice}", counted(pages, "page", "pages"), reasons(tally))
}

/// The fields of a summary as JSON, with the numbers of planned and complete units.
fn with_counts<S: Serialize>(overview: &Overview<S>) -> Value {
    let mut all = json!(overview.summary);
    (all["planned"], all["complete"]) = (json!(overview.planned), json!(overview.complete));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_without_documents_are_counted() {
        let message =
            |pages| refuse_nothing(pages, 0, &Tally::default(), &FilterArgs::default()).unwrap_err().to_string();
        for (pages, count) in [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (11, "11 pages"), (1_200, "1,200 pages")]
        {
            assert!(message(pages).starts_with(&format!("no document from {count} (none); ")), "{}", message(pages));
        }
    }

    #[test]
    fn reasons_are_counted_in_words() {
        let mut tally = Tally::default();
        tally.add(PageOutcome::Document, 3);
        assert_eq!(reasons(&tally), "none");
        tally.add(PageOutcome::NoText, 1_200);
        tally.add(PageOutcome::Stub, 17);
        assert_eq!(reasons(&tally), "1,200 no text, 17 stub");
    }
}
