//! What a form of a portal's page orders: the same orders as `goldminer ctl`, durable before they are confirmed; and what would
//! take each back.

use std::path::Path;

use goldminer_crawl::api::Command;
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::api::guard::Fields;
use goldminer_crawl::frontier::{HostStatus, WaitsFor};
use goldminer_crawl::seeds::HumanDuration;

use super::job_summary::JobSummary;
use super::pages::parts::Said;
use super::texts;

/// An order for some hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    /// Its name in forms.
    pub name: &'static str,
    /// Their names, with blanks between them.
    pub hosts: String,
    /// Of a delay.
    pub delay: String,
}

/// Carries out what the form says of hosts that stand as given: what was done, or why nothing was; and what would take it
/// back, where something can.
pub(super) fn carry_out(dir: &Path, fields: &Fields, standing: &JobSummary) -> (Said, Option<Order>) {
    let commands = match commands(|name| fields.get(name).to_owned()) {
        Ok(commands) => commands,
        Err(why) => return (Err(why), None),
    };
    let undo = undo(&commands, |host| standing.hosts.iter().find(|status| status.host.as_str() == host));
    let said = job_client::execute(dir, &commands).map_err(|error| format!("{error:#}"));
    let undo = undo.filter(|_| said.is_ok());
    (said, undo)
}

fn commands(field: impl Fn(&str) -> String) -> Result<Vec<Command>, String> {
    let (order, delay) = (field("order"), field("delay"));
    if order == "add" {
        return Ok(vec![Command::Add { urls: vec![field("url")] }]);
    }
    let delay: Option<HumanDuration> = match order.as_str() {
        "delay" => Some(delay.parse().map_err(|_| texts::NO_DELAY.to_owned())?),
        _ => None,
    };
    let hosts = field("host");
    let command = |host: &str| {
        let host = host.to_owned();
        match order.as_str() {
            "pause" => Ok(Command::Pause { host }),
            "resume" => Ok(Command::Resume { host }),
            "block" => Ok(Command::Block { host }),
            "delay" | "default-delay" => Ok(Command::Delay { host, delay }),
            _ => Err(texts::NO_ORDER.to_owned()),
        }
    };
    let commands: Vec<Command> = hosts.split_whitespace().map(command).collect::<Result<_, _>>()?;
    if commands.is_empty() { Err(texts::NO_ORDER.to_owned()) } else { Ok(commands) }
}

/// What makes the hosts stand again as they do; none where they stand in different ways, or nothing can.
fn undo<'s>(commands: &[Command], status: impl Fn(&str) -> Option<&'s HostStatus>) -> Option<Order> {
    let orders: Vec<(&'static str, &str, String)> = commands
        .iter()
        .map(|command| {
            let held = |host: &'s HostStatus| match host.waits_for {
                WaitsFor::Paused => Some("pause"),
                WaitsFor::Blocked => Some("block"),
                // These come back by themselves, if they are due again.
                WaitsFor::Refusals | WaitsFor::GivenUp => None,
                _ => Some("resume"),
            };
            match command {
                Command::Pause { host } | Command::Block { host } | Command::Resume { host } => {
                    Some((held(status(host)?)?, host.as_str(), String::new()))
                }
                Command::Delay { host, .. } => Some(match status(host)?.own_delay {
                    Some(delay) => ("delay", host.as_str(), HumanDuration(delay).to_string()),
                    None => ("default-delay", host.as_str(), String::new()),
                }),
                Command::Add { .. } | Command::Stop => None,
            }
        })
        .collect::<Option<_>>()?;
    let (name, _, delay) = orders.first()?.clone();
    let is_same = |(other, _, of): &(&str, &str, String)| *other == name && *of == delay;
    let hosts: Vec<&str> = orders.iter().map(|(_, host, _)| *host).collect();
    orders.iter().all(is_same).then(|| Order { name, hosts: hosts.join(" "), delay })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{host, standing};

    fn ordered(order: &str, host: &str, delay: &str) -> Result<Vec<Command>, String> {
        commands(|name| match name {
            "order" => order.to_owned(),
            "delay" => delay.to_owned(),
            _ => host.to_owned(),
        })
    }

    #[test]
    fn a_form_orders_what_its_button_says_and_nothing_else() {
        let host = || "https://a.example".to_owned();
        assert_eq!(ordered("pause", &host(), ""), Ok(vec![Command::Pause { host: host() }]));
        let delay = ordered("delay", &host(), "20s");
        assert_eq!(delay, Ok(vec![Command::Delay { host: host(), delay: Some("20s".parse().unwrap()) }]));
        let default = Ok(vec![Command::Delay { host: host(), delay: None }]);
        assert_eq!(ordered("default-delay", &host(), "20s"), default);
        assert_eq!(ordered("delay", &host(), "soon"), Err(texts::NO_DELAY.to_owned()));
        assert_eq!(ordered("", &host(), ""), Err(texts::NO_ORDER.to_owned()));
        assert_eq!(ordered("pause", " ", ""), Err(texts::NO_ORDER.to_owned()));
        assert_eq!(ordered("block", "https://a.example http://b.example", "").unwrap().len(), 2);
    }

    #[test]
    fn what_takes_an_order_back_is_how_the_host_stood_before() {
        let mut slow = host("https://slow.example", 1, "delay");
        slow["own_delay"] = serde_json::json!({ "secs": 20, "nanos": 0 });
        let hosts = [
            host("https://open.example", 1, "delay"),
            host("https://paused.example", 1, "paused"),
            host("https://refuses.example", 1, "refusals"),
            slow,
        ];
        let standing = standing(&hosts);
        let back = |order: &str, host: &str, delay: &str| {
            let commands = ordered(order, host, delay).unwrap();
            let undo = undo(&commands, |host| standing.hosts.iter().find(|status| status.host.as_str() == host));
            undo.map(|order| format!("{} {}", order.name, order.delay).trim().to_owned())
        };
        assert_eq!(back("pause", "https://open.example", ""), Some("resume".to_owned()));
        assert_eq!(back("block", "https://paused.example", ""), Some("pause".to_owned()));
        assert_eq!(back("resume", "https://paused.example", ""), Some("pause".to_owned()));
        assert_eq!(back("resume", "https://refuses.example", ""), None);
        assert_eq!(back("delay", "https://open.example", "1m"), Some("default-delay".to_owned()));
        assert_eq!(back("default-delay", "https://slow.example", ""), Some("delay 20s".to_owned()));
        assert_eq!(back("pause", "https://open.example https://paused.example", ""), None, "they stood otherwise");
        assert_eq!(back("add", "https://open.example", ""), None);
    }
}
