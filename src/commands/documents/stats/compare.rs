//! `goldminer stats --compare`: the same pages by jusText alone and by GoldMiner, as in the paper's Tables I and IV.

use std::sync::Arc;

use goldminer_batch::sources::Sources;
use goldminer_batch::{BatchExtractor, BatchProgress};
use goldminer_core::extract::Algorithm;
use goldminer_core::extract::domain::ProfileSet;
use goldminer_corpus::stats::CorpusStats;
use goldminer_crawl::limits::clock::Clock;
use goldminer_html::address::Domain;
use serde_json::json;

use super::{as_json, table};
use crate::cli::StatsArgs;
use crate::commands::inputs::profile_files;
use crate::commands::terminal::bar::Bar;
use crate::commands::terminal::output;
use crate::commands::{Exit, warn_of};

pub(crate) fn run(args: &StatsArgs) -> anyhow::Result<Exit> {
    let sources = Sources::find(&args.corpora)?;
    let profiles = match &args.profiles {
        path @ Some(_) => profile_files::set(path.as_deref())?,
        None => ProfileSet::of(sources.learned.profiles.iter().cloned()),
    };
    let unprofiled = sources.learned.unprofiled.iter().map(|name| Domain::named(name)).collect();
    let justext = Algorithm::Justext(Box::default());
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
    let _bar = Bar::of_batch(name, Some(sources.pages() as u64), &progress);
    let summary = extractor.extract(sources, &Clock::start(), &progress, |_, document| {
        document.into_iter().for_each(|document| stats.add(document));
        Ok(())
    })?;
    warn_of(&summary.faults);
    Ok(stats)
}
