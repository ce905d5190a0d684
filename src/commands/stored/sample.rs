//! `goldminer sample`: takes a sample of archives of any size, a few pages of each domain and month, to learn from.

use anyhow::bail;
use goldminer_batch::Overview;
use goldminer_batch::samples::Sampling;

use super::{no_page, others, read, state, with_counts};
use crate::cli::SampleArgs;
use crate::commands::{Bar, Exit, bytes, formats, named_sources, output, shard, thousands, use_threads};

/// Runs `goldminer sample`.
///
/// # Errors
/// When a source cannot be read, or the sample cannot be written.
pub(crate) fn run(args: &SampleArgs) -> anyhow::Result<Exit> {
    use_threads(args.threads)?;
    let shard = shard(args.shard.as_deref())?;
    let paths = named_sources::named(&args.sources, args.list.as_deref())?;
    formats::refuse_among_sources(&args.out, &paths)?;
    let (bar, progress) = Bar::of_batch("sampling", None);
    let sampling = Sampling { pages: args.pages as usize, buckets: args.buckets };
    let settings = named_sources::settings(&paths);
    let overview = sampling.take(&args.out, settings, shard, &progress, &paths)?;
    drop(bar);
    let Overview { summary, complete, planned, .. } = &overview;
    output::answer(args.json, &with_counts(&overview), || {
        format!(
            "{} → {} of them sampled, {} in {}\n{}{}",
            read(&summary.archive_stats),
            thousands(summary.sampled),
            bytes(summary.sampled_bytes),
            args.out.display(),
            others(&summary.archive_stats.others),
            state(&overview, "shard", "shards"),
        )
    })?;
    if complete == planned && summary.archive_stats.pages == 0 {
        bail!(no_page(&summary.archive_stats));
    }
    Ok(Exit::Done)
}
