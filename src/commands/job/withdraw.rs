//! `goldminer drop`: deletes a page or a host from a job for good.

use goldminer_crawl::{Job, typed_url};
use goldminer_html::CrawlUrl;

use super::rebuild::losses;
use crate::cli::DropArgs;
use crate::commands::{Bar, Exit, UsageError, bytes, counted, output, warn_of};

/// Runs `goldminer drop`.
///
/// # Errors
/// When there is no job, or it cannot be written.
pub(crate) fn run(args: &DropArgs) -> anyhow::Result<Exit> {
    let what = url_or_host(&args.what).map_err(UsageError::of)?;
    let mut job = Job::existing(&args.dir)?;
    let bar = Bar::spin("reading the archive");
    let done = goldminer_crawl::job::withdraw(&mut job, &what, losses(args.accept_losses))?;
    drop(bar);
    if !args.json {
        warn_of(&done.faults);
    }
    output::answer(args.json, &done, || {
        format!(
            "{what} is withdrawn: {} ({}) removed from the archive, {} in the rebuilt corpus. It is not requested again.\n\
             Corpora that you made from this job earlier still contain it: make them again. This was recorded in {}.",
            counted(done.records, "record", "records"),
            bytes(done.bytes),
            counted(done.documents, "document", "documents"),
            args.dir.join("withdrawn.jsonl").display()
        )
    })
}

/// The typed text as a canonical URL, or as the name of a host.
fn url_or_host(typed: &str) -> Result<String, String> {
    if typed.contains("://") {
        return typed_url(typed).map(|url| url.as_str().to_owned());
    }
    let name = typed.trim().trim_matches('.');
    let is_name = !name.is_empty() && !name.contains(['/', '?', '#', '@', ':', ' ']);
    let host = is_name.then(|| CrawlUrl::parse(&format!("http://{name}/")).ok()).flatten();
    host.map(|url| url.host_name().to_owned()).ok_or_else(|| {
        format!("{typed:?} is neither a URL nor the name of a host; write one such as https://portal.example/a or portal.example")
    })
}
