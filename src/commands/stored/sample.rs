//! `goldminer sample`: of each domain and month of an archive of any size a few pages, to learn from.

use std::collections::BTreeMap;
use std::sync::Arc;

use goldminer_batch::samples::{Sampled, Sampling};
use goldminer_batch::sources::{ArchiveStats, Archives};
use goldminer_batch::{BatchProgress, Overview, Shard};
use serde::Serialize;

use crate::cli::SampleArgs;
use crate::commands::inputs::named_sources;
use crate::commands::terminal::bar::Bar;
use crate::commands::terminal::output;
use crate::commands::{Exit, counted, shard, thousands, use_threads, warn_of};

/// How a sample stands, as `--json` says it.
#[derive(Serialize)]
struct SampleLine<'a> {
    #[serde(flatten)]
    sampled: &'a Sampled,
    complete: usize,
    shards: usize,
}

/// Runs the command.
///
/// # Errors
/// When a source can't be read, or the sample can't be written.
pub(crate) fn run(args: &SampleArgs) -> anyhow::Result<Exit> {
    use_threads(args.threads)?;
    let shard: Shard = shard(args.shard.as_deref())?;
    let sources = named_sources::named(&args.sources, args.list.as_deref())?;
    let settings = named_sources::settings(&sources)?;
    let paths: Vec<_> =
        sources.iter().map(|path| named_sources::whole(path).unwrap_or_else(|_| path.clone())).collect();
    let progress = Arc::new(BatchProgress::default());
    let bar = Bar::of_batch("sampling", None, &progress);
    let sampling = Sampling { pages: args.pages as usize, buckets: args.buckets };
    let standing = sampling.take(&args.out, settings, shard, &progress, || Ok(Archives::find(&paths)?))?;
    drop(bar);
    warn_of(standing.aside.iter().chain(&standing.summary.archive_stats.faults));
    let Overview { summary, complete, planned, .. } = &standing;
    let line = SampleLine { sampled: summary, complete: *complete, shards: *planned };
    output::answer(args.json, &line, || describe(&standing, args))
}

fn describe(standing: &Overview<Sampled>, args: &SampleArgs) -> String {
    let sampled = &standing.summary;
    let mut text = format!(
        "{} → {} of them sampled, {} MB in {}\n{}",
        read(&sampled.archive_stats),
        thousands(sampled.sampled),
        thousands(sampled.sampled_bytes / 1_000_000),
        args.out.display(),
        others(&sampled.archive_stats.others),
    );
    if standing.complete < standing.planned {
        text.push_str(&format!("{} of {} shards are done\n", standing.complete, standing.planned));
    } else if standing.was_there {
        text.push_str("all of it was there already\n");
    }
    text
}

/// `3 files, 120 records, 100 pages`
pub(crate) fn read(archive_stats: &ArchiveStats) -> String {
    format!(
        "{}, {}, {}",
        counted(archive_stats.files, "file", "files"),
        counted(archive_stats.records, "record", "records"),
        counted(archive_stats.pages, "page", "pages")
    )
}

/// Answers that are no pages, in a line.
pub(crate) fn others(others: &BTreeMap<String, u64>) -> String {
    let told: Vec<String> = others.iter().map(|(why, answers)| format!("{} {why}", thousands(*answers))).collect();
    if told.is_empty() { String::new() } else { format!("no pages: {}\n", told.join(", ")) }
}
