//! Executes the commands of the forms on a portal's page. They are the same as those of `goldminer ctl`, and are saved
//! to disk before they are confirmed.

use std::path::Path;

use goldminer_crawl::api::client as job_client;
use goldminer_crawl::{Command, HumanDuration};

use super::pages::parts::FormResult;
use super::texts;

/// Executes the command in the fields of a form. Returns what was done, or why nothing was.
pub(super) fn execute<'f>(dir: &Path, field: impl Fn(&str) -> &'f str) -> FormResult {
    job_client::execute(dir, &commands(field)?).map_err(|error| format!("{error:#}"))
}

fn commands<'f>(field: impl Fn(&str) -> &'f str) -> Result<Vec<Command>, String> {
    let action = field("command");
    if action == "add" {
        return Ok(vec![Command::Add { urls: vec![field("url").to_owned()] }]);
    }
    let delay: Option<HumanDuration> = match action {
        "delay" => Some(field("delay").parse().map_err(|_| texts::NO_DELAY.to_owned())?),
        _ => None,
    };
    let command = |host: &str| {
        let host = host.to_owned();
        match action {
            "pause" => Ok(Command::Pause { host }),
            "resume" => Ok(Command::Resume { host }),
            "block" => Ok(Command::Block { host }),
            "delay" | "default-delay" => Ok(Command::Delay { host, delay }),
            _ => Err(texts::NO_COMMAND.to_owned()),
        }
    };
    let commands: Vec<Command> = field("host").split_whitespace().map(command).collect::<Result<_, _>>()?;
    if commands.is_empty() { Err(texts::NO_COMMAND.to_owned()) } else { Ok(commands) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands_of(command: &str, host: &str, delay: &str) -> Result<Vec<Command>, String> {
        commands(|name| match name {
            "command" => command,
            "delay" => delay,
            _ => host,
        })
    }

    #[test]
    fn a_form_executes_only_the_command_of_its_button() {
        let host = || "https://a.example".to_owned();
        assert_eq!(commands_of("pause", &host(), ""), Ok(vec![Command::Pause { host: host() }]));
        let delay = commands_of("delay", &host(), "20s");
        assert_eq!(delay, Ok(vec![Command::Delay { host: host(), delay: Some("20s".parse().unwrap()) }]));
        let default = Ok(vec![Command::Delay { host: host(), delay: None }]);
        assert_eq!(commands_of("default-delay", &host(), "20s"), default);
        assert_eq!(commands_of("delay", &host(), "soon"), Err(texts::NO_DELAY.to_owned()));
        assert_eq!(commands_of("", &host(), ""), Err(texts::NO_COMMAND.to_owned()));
        assert_eq!(commands_of("pause", " ", ""), Err(texts::NO_COMMAND.to_owned()));
        assert_eq!(commands_of("block", "https://a.example http://b.example", "").unwrap().len(), 2);
    }
}
