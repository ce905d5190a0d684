//! What a form of a portal's page orders: the same orders as `goldminer ctl`, durable before they are confirmed.

use std::path::Path;

use super::guard::Fields;
use super::texts;
use crate::engine::Command;
use crate::job_client;
use crate::seeds::HumanDuration;

/// Carries out what the form says; what was done, a line each.
///
/// # Errors
/// Why nothing was done.
pub(super) fn carry_out(dir: &Path, fields: &Fields) -> Result<Vec<String>, String> {
    let command = command(|name| fields.get(name).to_owned())?;
    job_client::execute(dir, &command).map_err(|error| format!("{error:#}"))
}

fn command(field: impl Fn(&str) -> String) -> Result<Command, String> {
    let host = field("host");
    Ok(match field("order").as_str() {
        "pause" => Command::Pause { host },
        "resume" => Command::Resume { host },
        "block" => Command::Block { host },
        "delay" => {
            let delay: HumanDuration = field("delay").parse().map_err(|_| texts::NO_DELAY.to_owned())?;
            Command::Delay { host, delay: Some(delay) }
        }
        "default-delay" => Command::Delay { host, delay: None },
        "add" => Command::Add { urls: vec![field("url")] },
        _ => return Err(texts::NO_ORDER.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(order: &str, delay: &str) -> Result<Command, String> {
        command(|name| match name {
            "order" => order.to_owned(),
            "delay" => delay.to_owned(),
            _ => "https://a.example".to_owned(),
        })
    }

    #[test]
    fn a_form_orders_what_its_button_says_and_nothing_else() {
        let host = || "https://a.example".to_owned();
        assert_eq!(ordered("pause", ""), Ok(Command::Pause { host: host() }));
        let delay = ordered("delay", "20s");
        assert_eq!(delay, Ok(Command::Delay { host: host(), delay: Some("20s".parse().unwrap()) }));
        assert_eq!(ordered("default-delay", "20s"), Ok(Command::Delay { host: host(), delay: None }));
        assert_eq!(ordered("delay", "soon"), Err(texts::NO_DELAY.to_owned()));
        assert_eq!(ordered("", ""), Err(texts::NO_ORDER.to_owned()));
    }
}
