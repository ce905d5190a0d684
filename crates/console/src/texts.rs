//! Words for what states, endings and failures are called, and those that several pages share. What one page alone says stands
//! in its template; what the frontier knows is said as on a terminal (`crate::words`).

use std::net::SocketAddr;

use goldminer_crawl::frontier::RobotsStatus;

use super::job_summary::State;

/// What is wrong with `--behind`.
pub(super) fn not_an_origin(typed: &str) -> String {
    format!(
        "--behind {typed}: write the address of the proxy as people open it, with its scheme and without a path: \
         --behind https://console.uni.hu. The proxy does the TLS; without TLS everybody on the way reads the token"
    )
}

/// Why a console does not answer a whole network.
pub(super) fn open_door(address: SocketAddr) -> String {
    format!(
        "--listen {address}: other machines would reach the console there, without TLS. Put a proxy that does TLS before it \
         and name that: --listen {address} --behind https://console.uni.hu. Or leave --listen out and let ssh do it, on the \
         machine where you sit: ssh -L 8080:127.0.0.1:8080 {}, with --port 8080 here",
        address.ip()
    )
}

pub(super) const NOT_THERE: &str = "There is nothing at this address.";
pub(super) const NO_PROGRAM: &str = "the crawl could not be started";
pub(super) const WENT_WRONG: &str = "That did not work";

pub(super) const LOOKING: &str = "Loading…";
pub(super) const NO_DELAY: &str = "a delay is a number and a unit, as in 20s or 500ms";
pub(super) const NO_ORDER: &str = "there is no such order";
pub(super) const NO_PAGE: &str = "No page is stored of this URL.";
pub(super) const NO_CHANGE: &str = "this changes nothing in the profile as it is now: load the page again";

/// A state's word, and what it means.
pub(super) fn state(state: State) -> (&'static str, &'static str) {
    match state {
        State::Refused => ("refuses", "It refused several times in a row (403, or a CAPTCHA)."),
        State::HostErrors => {
            ("does not answer", "A host of it cannot be reached, or answers with errors, and URLs wait there.")
        }
        State::NoYield => ("no documents", "Its pages gave no article."),
        State::Moved => ("moved", "A start page has moved out of what belongs to the portal."),
        State::Unsure => ("unsure", "Its profile cuts too few pages, or agrees too little with their good text."),
        State::Dry => ("dry", "Nothing new has come for much longer than usual."),
        State::Blocked => ("blocked", "By an order: nothing is asked of it any more."),
        State::Paused => ("paused", "By an order: nothing is asked of it until it is resumed."),
        State::Spent => ("budget spent", "The seeds file allows no more pages or bytes."),
        State::Learning => ("learning", "It waits for enough article-like pages to learn from."),
        State::Crawling => ("crawling", "URLs of it wait for their turn."),
        State::Stopped => ("stopped", "URLs of it wait, and the crawl is not running."),
        State::Idle => ("done", "Nothing of it waits."),
    }
}

/// What is known of a host's robots.txt, and what that means.
pub(super) fn robots(standing: RobotsStatus) -> (&'static str, &'static str) {
    match standing {
        RobotsStatus::Unknown => ("not asked for yet", "Nothing else is asked for before it."),
        RobotsStatus::Rules => {
            ("obeyed", "The file in which a host says what crawlers may ask for: its rules are kept.")
        }
        RobotsStatus::AllowAll => ("there is none", "A host without that file allows everything (RFC 9309)."),
        RobotsStatus::Unavailable => {
            ("could not be had", "Until it can be had nothing is asked of the host (RFC 9309); it is tried again.")
        }
    }
}

/// How a process ended, by its exit code (docs: exit codes).
pub(super) fn ended(code: Option<i32>) -> String {
    match code {
        Some(0) => "done".to_owned(),
        Some(3) => "stopped by a limit".to_owned(),
        Some(4) => "finished, but a portal gave no document".to_owned(),
        Some(130) => "stopped".to_owned(),
        Some(code) => format!("failed (exit code {code})"),
        None => "ended by a signal".to_owned(),
    }
}

/// How the last run ended, by the word in `outcome.json`.
pub(super) fn last_run(ended: &str) -> &'static str {
    match ended {
        "finished" => "finished: nothing was left to ask for",
        "unreached" => "finished, except for hosts that never answered",
        "interrupted" => "stopped by a person",
        "pages" => "stopped at the limit of pages",
        "time" => "stopped at the limit of time",
        "disk" => "stopped: the disk was full",
        "patience" => "stopped: all that was left waited for hosts in trouble",
        _ => "ended",
    }
}

/// A look that is not the latest.
pub(super) fn as_of(time: &str) -> String {
    format!("As of {time} UTC; it is being looked at again.")
}
