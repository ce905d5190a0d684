//! Executes the commands of the forms on a portal's page. They are the same as those of `goldminer ctl`, and are saved
//! to disk before they are confirmed.

use std::path::Path;

use goldminer_crawl::api::client as job_client;
use goldminer_crawl::{Command, HumanDuration};

use super::pages::parts::Said;
use super::texts;

/// Executes the command in the fields of a form. Returns what was done, or why nothing was.
pub(super) fn carry_out<'f>(dir: &Path, field: impl Fn(&str) -> &'f str) -> Said {
    job_client::execute(dir, &commands(field)?).map_err(|error| format!("{error:#}"))
}

fn commands<'f>(field: impl Fn(&str) -> &'f str) -> Result<Vec<Command>, String> {
    let order = field("order");
    if order == "add" {
        return Ok(vec![Command::Add { urls: vec![field("url").to_owned()] }]);
    }
    let delay: Option<HumanDuration> = match order {
        "delay" => Some(field("delay").parse().map_err(|_| texts::NO_DELAY.to_owned())?),
        _ => None,
    };
    let command = |host: &str| {
        let host = host.to_owned();
        match order {
            "pause" => Ok(Command::Pause { host }),
            "resume" => Ok(Command::Resume { host }),
            "block" => Ok(Command::Block { host }),
            "delay" | "default-delay" => Ok(Command::Delay { host, delay }),
            _ => Err(texts::NO_ORDER.to_owned()),
        }
    };
    let commands: Vec<Command> = field("host").split_whitespace().map(command).collect::<Result<_, _>>()?;
    if commands.is_empty() { Err(texts::NO_ORDER.to_owned()) } else { Ok(commands) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(order: &str, host: &str, delay: &str) -> Result<Vec<Command>, String> {
        commands(|name| match name {
            "order" => order,
            "delay" => delay,
            _ => host,
        })
    }

    #[test]
    fn a_form_executes_only_the_command_of_its_button() {
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
}
