//! `goldminer rebuild`: a lost or damaged database made anew from the archive.

use goldminer_crawl::job::rebuild;
use goldminer_crawl::job::renewal::{Losses, Rebuilt};
use goldminer_crawl::run::crawl::Job;
use serde_json::{Value, json};

use super::bar::Bar;
use super::crawl::accounts;
use super::{Exit, counted, output, profile_files};
use crate::cli::RebuildArgs;

/// Faults that are told one by one.
const FAULTS_SHOWN: usize = 10;

/// Runs the command.
///
/// # Errors
/// When it is no job, or the archive can't be read.
pub(super) fn run(args: &RebuildArgs) -> anyhow::Result<Exit> {
    let mut job = Job::existing(&args.dir)?;
    job.hand_made = profile_files::hand_made(&job, &args.profiles);
    let bar = Bar::spin("reading the archive");
    let rebuilt = rebuild(&job, losses(args.accept_losses))?;
    drop(bar);
    for fault in rebuilt.faults.iter().take(FAULTS_SHOWN) {
        tracing::warn!("{fault}");
    }
    if rebuilt.faults.len() > FAULTS_SHOWN {
        tracing::warn!("… and {} more records that could not be read", rebuilt.faults.len() - FAULTS_SHOWN);
    }
    if args.json {
        output::json(&as_json(&rebuilt))?;
    } else {
        tell(&rebuilt)?;
    }
    Ok(Exit::Done)
}

/// What `--accept-losses` says.
pub(super) fn losses(are_accepted: bool) -> Losses {
    if are_accepted { Losses::Accepted } else { Losses::Refused }
}

fn as_json(rebuilt: &Rebuilt) -> Value {
    let aside: Vec<String> = rebuilt.aside.iter().map(|path| path.display().to_string()).collect();
    json!({
        "answers": rebuilt.answers,
        "counts": rebuilt.counts,
        "documents": rebuilt.documents,
        "faults": rebuilt.faults,
        "aside": aside,
    })
}

fn tell(rebuilt: &Rebuilt) -> anyhow::Result<()> {
    output::line(format_args!(
        "Made the database anew from {}.",
        counted(rebuilt.answers, "archived answer", "archived answers")
    ))?;
    output::text(accounts(&rebuilt.counts))?;
    output::line(format_args!(
        "{} written anew; domains that are still learning give theirs when the crawl goes on.",
        counted(rebuilt.documents, "document", "documents")
    ))?;
    for path in &rebuilt.aside {
        output::line(format_args!("The old one is in {}; delete it when all is well.", path.display()))?;
    }
    output::line("To go on, run the same crawl command again: nothing that is archived is fetched twice.")
}
