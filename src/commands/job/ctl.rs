//! `goldminer ctl`: sends an operator's commands to a running or stopped crawl.

use goldminer_crawl::api::client as job_client;
use serde_json::json;

use crate::cli::CtlArgs;
use crate::commands::{Exit, output};

/// Runs `goldminer ctl`.
///
/// # Errors
/// When the job cannot be reached, or the command is invalid.
pub(crate) fn run(args: &CtlArgs) -> anyhow::Result<Exit> {
    let done = job_client::execute(&args.dir, std::slice::from_ref(&args.command))?;
    output::answer(args.json, &json!({ "order": args.command, "done": done }), || done.join("\n"))
}
