//! `goldminer stats --duplicates`: documents that say the same, or nearly the same.

use std::sync::atomic::Ordering;

use goldminer_corpus::stats::{DuplicateCounts, Duplicates};
use serde_json::json;

use crate::cli::StatsArgs;
use crate::commands::inputs::corpora;
use crate::commands::terminal::bar::Bar;
use crate::commands::terminal::output;
use crate::commands::{Exit, thousands};

pub(crate) fn run(args: &StatsArgs) -> anyhow::Result<Exit> {
    let mut duplicates = Duplicates::default();
    let (bar, seen) = Bar::counting("reading", "documents", None);
    corpora::open(&args.corpora)?.read(|documents| {
        documents.iter().for_each(|document| duplicates.add(document));
        seen.fetch_add(documents.len() as u64, Ordering::Relaxed);
        Ok(())
    })?;
    drop(bar);
    if args.json {
        let all =
            json!({ "all": duplicates.all(), "domains": duplicates.by_domain(), "examples": duplicates.examples() });
        output::json(&all)?;
    } else {
        print(&duplicates)?;
    }
    Ok(Exit::Done)
}

fn print(duplicates: &Duplicates) -> anyhow::Result<()> {
    output::line(format_args!(
        "{:<32} {:>9} {:>10} {:>10} {:>10} {:>11}",
        "", "documents", "same text", "elsewhere", "near", "paragraphs"
    ))?;
    let line = |name: &str, counts: &DuplicateCounts| {
        output::line(format_args!(
            "{name:<32} {:>9} {:>10} {:>10} {:>10} {:>11}",
            thousands(counts.documents),
            thousands(counts.exact),
            thousands(counts.exact_elsewhere),
            thousands(counts.near),
            thousands(counts.dropped_paragraphs)
        ))
    };
    duplicates.by_domain().iter().try_for_each(|(domain, counts)| line(domain, counts))?;
    line("all domains", &duplicates.all())?;
    output::line(format_args!(
        "same text: as an earlier document of the domain; elsewhere: as one of another domain; near: flagged, \
         simhashes differ in at most 3 bits; paragraphs: left out because earlier documents have them (--onion)\n\
         `goldminer convert --unique --no-near-duplicates` leaves them out"
    ))?;
    if !duplicates.examples().is_empty() {
        output::line("\nnearly the same:")?;
    }
    for pair in duplicates.examples() {
        output::line(format_args!("  {}\n    as {}", pair.url, pair.earlier))?;
    }
    Ok(())
}
