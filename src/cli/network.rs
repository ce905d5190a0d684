//! Network options, shared by all commands that send requests.

use clap::{Arg, Args};
use goldminer_crawl::HumanDuration;

const HEADING: &str = "Network options";

/// Moves a network option under `heading` and hides it from the short help, for commands that rarely use the network.
/// Other arguments are returned unchanged.
pub(super) fn rare_network(arg: Arg, heading: &'static str) -> Arg {
    if arg.get_help_heading() == Some(HEADING) { arg.help_heading(heading).hide_short_help(true) } else { arg }
}

/// Puts an option that only the long help shows under a separate heading there, unless it has a heading.
pub(super) fn less_common(arg: Arg) -> Arg {
    if arg.is_hide_short_help_set() && arg.get_help_heading().is_none() {
        arg.help_heading("Less common options")
    } else {
        arg
    }
}

/// The network options: `--user-agent`, `--delay`, `--allow-private` and `--resolve`.
#[derive(Debug, Clone, Default, Args)]
pub struct NetworkArgs {
    /// Your crawler's name, with a web page or an e-mail address for complaints [default: from the seeds file or job, if
    /// there is one, else GOLDMINER_USER_AGENT]
    #[arg(long, value_name = "TEXT", help_heading = HEADING)]
    pub user_agent: Option<String>,
    /// Wait this long between two requests to a host [default: from the seeds file, else 5s]
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    pub delay: Option<HumanDuration>,
    /// Allow requests to this private network, for example 10.0.0.0/8, or without a value to this machine; may be repeated
    #[arg(long, value_name = "CIDR", num_args = 0..=1, default_missing_value = "loopback")]
    #[arg(value_parser = private_network, help_heading = HEADING)]
    pub allow_private: Vec<String>,
    /// Connect to this IP address for a host and port, as curl's --resolve (`*` for any host)
    #[arg(long, value_name = "HOST:PORT:ADDR[:PORT]", help_heading = HEADING)]
    pub resolve: Vec<String>,
}

/// Parses the value of `--allow-private`, and refuses another argument that follows the option without a value.
fn private_network(typed: &str) -> Result<String, String> {
    let is_network = typed
        .split_once('/')
        .is_some_and(|(address, bits)| address.parse::<std::net::IpAddr>().is_ok() && bits.parse::<u8>().is_ok());
    if is_network || typed == "loopback" {
        return Ok(typed.to_owned());
    }
    Err("not a network; write one such as 10.0.0.0/8, or, to allow this machine, write the option last, without a value"
        .to_owned())
}
