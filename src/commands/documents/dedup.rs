//! `goldminer dedup`: removes repeated articles across the files of `extract --stream`.

use goldminer_batch::stream;

use crate::cli::DedupArgs;
use crate::commands::{Bar, Exit, counted, formats, named_sources, output, thousands, use_threads};

/// Runs `goldminer dedup`.
///
/// # Errors
/// When the corpus is incomplete, or the output cannot be written.
pub(crate) fn run(args: &DedupArgs) -> anyhow::Result<Exit> {
    formats::refuse_file_name(&args.out, "dedup")?;
    use_threads(args.threads)?;
    formats::refuse_among_sources(&args.out, std::slice::from_ref(&args.corpus))?;
    let (bar, progress) = Bar::of_batch("comparing", None);
    let done = stream::dedup(&named_sources::whole(&args.corpus), &args.out, args.no_near_duplicates, &progress)?;
    drop(bar);
    output::answer(args.json, &done, || {
        format!(
            "{} → {} in {}\nleft out: {} with the text of an earlier one\n{}: {} near-duplicates of an earlier one",
            counted(done.read, "document", "documents"),
            thousands(done.written),
            args.out.display(),
            thousands(done.duplicates),
            if args.no_near_duplicates { "left out" } else { "kept, but flagged" },
            thousands(done.near_duplicates),
        )
    })
}
