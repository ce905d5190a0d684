//! `goldminer stats`: the share of unique text in a corpus, for each domain (Table IV of the GoldMiner paper), and
//! the most repeated sentences (Table I). With `--compare`, the same pages by jusText alone and by GoldMiner.

mod table;

use std::sync::atomic::Ordering;

use goldminer_batch::BatchExtractor;
use goldminer_batch::sources::Sources;
use goldminer_core::Algorithm;
use goldminer_corpus::stats::{CorpusStats, sentences};
use goldminer_crawl::Clock;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::cli::StatsArgs;
use crate::commands::{Bar, Exit, corpora, output, profile_files, warn_of};

/// Runs `goldminer stats`.
///
/// # Errors
/// When a corpus or source cannot be read.
pub(crate) fn run(args: &StatsArgs) -> anyhow::Result<Exit> {
    if args.compare {
        return compare(args);
    }
    let mut stats = CorpusStats::default();
    let (bar, seen) = Bar::counting("reading", "documents", None);
    corpora::read(corpora::open(&args.corpora, args.incomplete)?, |documents| {
        seen.fetch_add(documents.len() as u64, Ordering::Relaxed);
        let found: Vec<_> = documents.par_iter().map(sentences).collect();
        for (document, sentences) in documents.iter().zip(&found) {
            stats.add_sentences(&document.metadata.domain, sentences);
        }
        Ok(())
    })?;
    drop(bar);
    output::answer(args.json, &as_json(&stats, args.top), || table::sentences(&[("", &stats)], args.top))
}

fn compare(args: &StatsArgs) -> anyhow::Result<Exit> {
    let sources = Sources::find(&args.corpora)?;
    let mut goldminer = BatchExtractor::by(Algorithm::Goldminer).knowing(&sources.learned);
    if args.profiles.is_some() {
        goldminer.profiles = profile_files::set(args.profiles.as_deref())?;
    }
    let measure = |extractor: BatchExtractor, name: &str| -> anyhow::Result<CorpusStats> {
        let mut stats = CorpusStats::default();
        let (_bar, progress) = Bar::of_batch(name, Some(sources.pages() as u64));
        let summary = extractor.extract(&sources, &Clock::start(), &progress, |_, document| {
            document.into_iter().for_each(|document| stats.add(document));
            Ok(())
        })?;
        warn_of(&summary.faults);
        Ok(stats)
    };
    let justext = BatchExtractor::by(Algorithm::Justext(Box::default()));
    let justext = measure(justext, "jusText")?;
    let goldminer = measure(goldminer, "GoldMiner")?;
    let both = json!({ "justext": as_json(&justext, args.top), "goldminer": as_json(&goldminer, args.top) });
    output::answer(args.json, &both, || table::sentences(&[("jusText", &justext), ("GoldMiner", &goldminer)], args.top))
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
