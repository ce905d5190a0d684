//! `goldminer ctl`: an operator's orders to a crawl, running or still.

use serde_json::json;

use crate::cli::{CtlArgs, CtlCommand, DelayArg};
use crate::engine::Order;

use super::{Exit, look, say};

/// Runs the command.
///
/// # Errors
/// When the job can't be reached, or the order makes no sense.
pub fn run(args: &CtlArgs) -> anyhow::Result<Exit> {
    let order = match args.command.clone() {
        CtlCommand::Pause { host } => Order::Pause { host },
        CtlCommand::Resume { host } => Order::Resume { host },
        CtlCommand::Block { host } => Order::Block { host },
        CtlCommand::Delay { host, delay } => {
            let delay = match delay {
                DelayArg::Own(delay) => Some(delay),
                DelayArg::Configured => None,
            };
            Order::Delay { host, delay }
        }
        CtlCommand::Add { urls } => Order::Add { urls },
        CtlCommand::Stop => Order::Stop,
    };
    let done = look::order(&args.dir, &order)?;
    if args.json {
        say::json(&json!({ "order": order, "done": done }))?;
    } else {
        done.iter().try_for_each(say::line)?;
    }
    Ok(Exit::Done)
}
