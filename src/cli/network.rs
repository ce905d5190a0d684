//! How the web is asked: the options that all commands share which ask it.

use clap::Args;
use goldminer_crawl::HumanDuration;

/// `--user-agent`, `--delay`, `--allow-private`, `--resolve`
#[derive(Debug, Clone, Default, Args)]
pub struct NetworkArgs {
    /// Who asks: a name, and a web page or an address where you can be reached [default: as the seeds file says, else
    /// GOLDMINER_USER_AGENT]
    #[arg(long, value_name = "TEXT", help_heading = "Asking the web")]
    pub user_agent: Option<String>,
    /// Wait so long between two requests to a host
    #[arg(long, value_name = "TIME", help_heading = "Asking the web")]
    pub delay: Option<HumanDuration>,
    /// Let loopback addresses through, or one network more
    #[arg(long, value_name = "CIDR", num_args = 0..=1, default_missing_value = "loopback")]
    #[arg(value_parser = private_network, help_heading = "Asking the web")]
    pub allow_private: Vec<String>,
    /// Use this address for a host and port, as in curl (`*` for any host)
    #[arg(long, value_name = "HOST:PORT:ADDR", help_heading = "Asking the web")]
    pub resolve: Vec<String>,
}

/// A network as typed; what else may stand behind `--allow-private` is told apart.
fn private_network(typed: &str) -> Result<String, String> {
    let is_network = typed
        .split_once('/')
        .is_some_and(|(address, bits)| address.parse::<std::net::IpAddr>().is_ok() && bits.parse::<u8>().is_ok());
    if is_network || typed == "loopback" {
        return Ok(typed.to_owned());
    }
    Err("no network; write one such as 10.0.0.0/8, or the option alone, behind everything else, for this machine"
        .to_owned())
}
