//! `goldminer rebuild`: rebuilds lost or damaged databases from the archive.

use goldminer_crawl::Job;
use goldminer_crawl::job::rebuild;
use goldminer_crawl::job::renewal::{Losses, Rebuilt};
use serde_json::{Value, json};

use super::crawl::accounts;
use crate::cli::RebuildArgs;
use crate::commands::{Bar, Exit, counted, output, profile_files, warn_of};

/// The most unreadable records that are listed.
const FAULTS_SHOWN: usize = 10;

/// Runs `goldminer rebuild`.
///
/// # Errors
/// When there is no job, or the archive cannot be read.
pub(crate) fn run(args: &RebuildArgs) -> anyhow::Result<Exit> {
    let mut job = Job::existing(&args.dir)?;
    job.manual_profiles = profile_files::hand_made(&job, &args.hand_made);
    let bar = Bar::spin("reading the archive");
    let rebuilt = rebuild(&job, losses(args.accept_losses))?;
    drop(bar);
    warn_of(rebuilt.faults.iter().take(FAULTS_SHOWN));
    if rebuilt.faults.len() > FAULTS_SHOWN {
        tracing::warn!("… and {} more records that cannot be read", rebuilt.faults.len() - FAULTS_SHOWN);
    }
    output::answer(args.json, &as_json(&rebuilt), || describe(&rebuilt))
}

/// How documents without a record are treated, by `--accept-losses`.
pub(crate) fn losses(are_accepted: bool) -> Losses {
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

fn describe(rebuilt: &Rebuilt) -> String {
    let (answers, documents) = (rebuilt.answers, counted(rebuilt.documents, "document", "documents"));
    let (answers, accounts) = (counted(answers, "archived response", "archived responses"), accounts(&rebuilt.counts));
    let mut text = format!(
        "Rebuilt the database from {answers}.\n{accounts}{documents} written again. Domains that are still learning get \
         their documents when the crawl continues.\n"
    );
    for path in &rebuilt.aside {
        text += &format!("The old data are in {}; delete them when everything works.\n", path.display());
    }
    text + "To continue, run the same crawl command again. Archived pages are not fetched again."
}
