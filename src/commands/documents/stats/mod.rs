//! `goldminer stats`: how much of a corpus is its own, for each domain (the paper's Table IV), and what repeats (Table
//! I).

mod compare;
mod duplicates;
mod table;

use std::sync::atomic::Ordering;

use goldminer_corpus::stats::{CorpusStats, sentences};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::cli::StatsArgs;
use crate::commands::Exit;
use crate::commands::inputs::corpora;
use crate::commands::terminal::bar::Bar;
use crate::commands::terminal::output;

/// Runs the command.
///
/// # Errors
/// When a corpus or source can't be read.
pub(crate) fn run(args: &StatsArgs) -> anyhow::Result<Exit> {
    if args.compare {
        return compare::run(args);
    }
    if args.duplicates {
        return duplicates::run(args);
    }
    let mut stats = CorpusStats::default();
    let (bar, seen) = Bar::counting("reading", "documents", None);
    corpora::open(&args.corpora)?.read(|documents| {
        let found: Vec<_> = documents.par_iter().map(sentences).collect();
        for (document, sentences) in documents.iter().zip(&found) {
            stats.add_sentences(&document.metadata.domain, sentences);
        }
        seen.fetch_add(documents.len() as u64, Ordering::Relaxed);
        Ok(())
    })?;
    drop(bar);
    output::answer(args.json, &as_json(&stats, args.top), || {
        format!("{}{}", table::counts(&[("", &stats)]), table::repeated(&[("", &stats)], args.top))
    })
}

fn as_json(stats: &CorpusStats, top: usize) -> Value {
    let domains: serde_json::Map<String, Value> = stats
        .by_domain()
        .map(|(domain, counts)| {
            let line = json!({ "counts": counts, "unique_share": counts.unique_share(),
                "repeated": stats.repeated(domain, top) });
            (domain.to_owned(), line)
        })
        .collect();
    json!({ "all": stats.all(), "unique_share": stats.all().unique_share(), "domains": domains })
}
