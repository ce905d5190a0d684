//! Network options, shared by all commands that send requests.

use clap::Args;
use goldminer_crawl::HumanDuration;

/// `--user-agent`, `--delay`, `--allow-private`, `--resolve`
#[derive(Debug, Clone, Default, Args)]
pub struct NetworkArgs {
    /// Your crawler's name, with a web page or an e-mail address for complaints [default: from the seeds file, else
    /// GOLDMINER_USER_AGENT]
    #[arg(long, value_name = "TEXT", help_heading = "Network options")]
    pub user_agent: Option<String>,
    /// Wait this long between two requests to a host
    #[arg(long, value_name = "TIME", help_heading = "Network options")]
    pub delay: Option<HumanDuration>,
    /// Allow loopback addresses, or this private network; may be repeated
    #[arg(long, value_name = "CIDR", num_args = 0..=1, default_missing_value = "loopback")]
    #[arg(value_parser = private_network, help_heading = "Network options")]
    pub allow_private: Vec<String>,
    /// Connect to this address for a host and port, as in curl (`*` for any host)
    #[arg(long, value_name = "HOST:PORT:ADDR", help_heading = "Network options")]
    pub resolve: Vec<String>,
}

/// A network as typed; other values of `--allow-private` are distinguished from it.
fn private_network(typed: &str) -> Result<String, String> {
    let is_network = typed
        .split_once('/')
        .is_some_and(|(address, bits)| address.parse::<std::net::IpAddr>().is_ok() && bits.parse::<u8>().is_ok());
    if is_network || typed == "loopback" {
        return Ok(typed.to_owned());
    }
    Err("not a network; write one such as 10.0.0.0/8, or for this machine put the option alone at the end of the line"
        .to_owned())
}
