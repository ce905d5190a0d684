//! `goldminer stats --compare`: the same pages by jusText alone and by GoldMiner, as in the paper's Tables I and IV.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use goldminer_batch::sources::Sources;
use goldminer_batch::{BatchExtractor, BatchProgress};
use goldminer_core::baseline::Baseline;
use goldminer_core::extract::Algorithm;
use goldminer_core::extract::domain::{ProfileSet, ServingProfile};
use goldminer_core::stats::CorpusStats;
use goldminer_crawl::limits::clock::Clock;
use goldminer_html::address::Domain;
use serde_json::json;

use super::{as_json, table};
use crate::cli::StatsArgs;
use crate::commands::bar::{Bar, BarState};
use crate::commands::{Exit, output, profile_files, thousands};

pub(super) fn run(args: &StatsArgs) -> anyhow::Result<Exit> {
    let sources = Sources::find(&args.corpora)?;
    let profiles = match &args.profiles {
        Some(path) => ProfileSet::of(profile_files::read(path)?.into_iter().map(ServingProfile::everywhere)),
        None => ProfileSet::of(sources.learned.profiles.iter().cloned()),
    };
    let unprofiled = sources.learned.unprofiled.iter().map(|name| Domain::named(name)).collect();
    let justext = Algorithm::Baseline(Baseline::Justext(Box::default()));
    let justext = measure(&sources, BatchExtractor::by(justext), "jusText")?;
    let goldminer = measure(
        &sources,
        BatchExtractor {
            profiles,
            unprofiled,
            walls: sources.learned.walls.clone(),
            ..BatchExtractor::by(Algorithm::Goldminer)
        },
        "GoldMiner",
    )?;
    if args.json {
        let both = json!({ "justext": as_json(&justext, args.top), "goldminer": as_json(&goldminer, args.top) });
        output::json(&both)?;
        return Ok(Exit::Done);
    }
    let both = [("jusText", &justext), ("GoldMiner", &goldminer)];
    output::text(format_args!("{}{}", table::counts(&both), table::repeated(&both, args.top)))?;
    Ok(Exit::Done)
}

fn measure(sources: &Sources, extractor: BatchExtractor, name: &str) -> anyhow::Result<CorpusStats> {
    let mut stats = CorpusStats::default();
    let progress = Arc::new(BatchProgress::default());
    let watched = progress.clone();
    let _bar = Bar::watch(name, "pages", Some(sources.pages() as u64), move || BarState {
        done: watched.pages.load(Ordering::Relaxed),
        bytes: watched.page_bytes.load(Ordering::Relaxed),
        note: format!("{} documents", thousands(watched.documents.load(Ordering::Relaxed))),
    });
    let summary = extractor.extract(sources, &Clock::start(), &progress, |_, document| {
        document.into_iter().for_each(|document| stats.add(document));
        Ok(())
    })?;
    summary.faults.iter().for_each(|fault| tracing::warn!("{fault}"));
    Ok(stats)
}
