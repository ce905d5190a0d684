//! `goldminer dedup`: repeated articles across the files of `extract --stream`.

use std::sync::Arc;

use anyhow::Context;
use goldminer_batch::{BatchProgress, stream};

use super::sample::watch;
use super::{Exit, counted, output, thousands};
use crate::cli::DedupArgs;

/// Runs the command.
///
/// # Errors
/// When the corpus is not complete, or the output can't be written.
pub(super) fn run(args: &DedupArgs) -> anyhow::Result<Exit> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("cannot start the threads")?;
    }
    let progress = Arc::new(BatchProgress::default());
    let bar = watch("comparing", &progress);
    let done = stream::dedup(&args.corpus, &args.out, args.no_near_duplicates, &progress)?;
    drop(bar);
    if args.json {
        output::json(&done)?;
    } else {
        output::line(format_args!(
            "{} → {} in {}\nleft out: {} with the text of an earlier one\n{}: {} with nearly that",
            counted(done.read, "document", "documents"),
            thousands(done.written),
            args.out.display(),
            thousands(done.duplicates),
            if args.no_near_duplicates { "left out" } else { "flagged" },
            thousands(done.near_duplicates),
        ))?;
    }
    Ok(Exit::Done)
}
