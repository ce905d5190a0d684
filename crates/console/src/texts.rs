//! Texts of the console for states, endings and failures, and texts that several pages share. The texts of a single
//! page are in its template. Texts on the frontier, which the terminal shows too, are in `crate::words`.

use std::net::SocketAddr;

use goldminer_crawl::frontier::RobotsStatus;

use super::job_summary::State;

/// The error for a `--behind` that is not a proxy's public address.
pub(super) fn not_an_origin(typed: &str) -> String {
    format!(
        "--behind {typed}: write the public address of the proxy, with its scheme and without a path: \
         --behind https://console.uni.hu. The proxy must use TLS; without TLS others on the network can read the token"
    )
}

/// The error for a `--listen` that would open the console to a network without TLS.
pub(super) fn open_door(address: SocketAddr) -> String {
    format!(
        "--listen {address}: other machines could reach the console there without TLS. Put a TLS proxy in front of it \
         and name the proxy: --listen {address} --behind https://console.uni.hu. Or leave out --listen, use --port 8080, and \
         run on your own machine: ssh -L 8080:127.0.0.1:8080 {}",
        address.ip()
    )
}

pub(super) const NOT_THERE: &str = "Page not found.";
pub(super) const NO_PROGRAM: &str = "the crawl could not be started";
pub(super) const WENT_WRONG: &str = "The request failed";

pub(super) const LOOKING: &str = "Loading…";
pub(super) const NO_DELAY: &str = "write a delay as a number with a unit, as in 20s or 500ms";
pub(super) const NO_ORDER: &str = "unknown command";
pub(super) const NO_PAGE: &str = "No page is stored for this URL.";
pub(super) const NO_CHANGE: &str = "this does not change the current profile: reload the page";

/// The name of a portal's state, and its explanation.
pub(super) fn state(state: State) -> (&'static str, &'static str) {
    match state {
        State::Refused => ("refuses access", "It refused several times in a row (403, or a CAPTCHA)."),
        State::HostErrors => {
            ("does not answer", "One of its hosts cannot be reached or returns errors, and has queued URLs.")
        }
        State::NoYield => ("no documents", "Its pages gave no article."),
        State::Moved => ("moved", "A start page redirects out of the portal's scope."),
        State::Unsure => {
            ("weak profile", "Its profile matches too few pages, or keeps too little of their running text.")
        }
        State::Dry => ("nothing new", "No new URL was found for much longer than usual."),
        State::Blocked => ("blocked", "Blocked by a command: no requests are sent any more."),
        State::Paused => ("paused", "Paused by a command: no requests are sent until it is resumed."),
        State::Spent => ("page or byte limit reached", "It has reached a limit in the seeds file."),
        State::Learning => ("learning", "It does not have enough article-like pages to learn from yet."),
        State::Crawling => ("crawling", "It has queued URLs."),
        State::Stopped => ("stopped", "It has queued URLs, but the crawl is not running."),
        State::Idle => ("done", "It has no queued URLs."),
    }
}

/// The state of a host's robots.txt, and its explanation.
pub(super) fn robots(standing: RobotsStatus) -> (&'static str, &'static str) {
    match standing {
        RobotsStatus::Unknown => ("not requested yet", "It is requested before anything else."),
        RobotsStatus::Rules => ("has rules", "They are obeyed."),
        RobotsStatus::AllowAll => ("none", "A host without that file allows everything (RFC 9309)."),
        RobotsStatus::Unavailable => {
            ("unavailable", "Nothing else is requested until it can be fetched (RFC 9309). It is retried.")
        }
    }
}

/// How a process ended, by its exit code (see the book).
pub(super) fn ended(code: Option<i32>) -> String {
    match code {
        Some(0) => "done".to_owned(),
        Some(3) => "stopped by a limit".to_owned(),
        Some(4) => "finished, but a portal gave no document".to_owned(),
        Some(130) => "stopped by the user".to_owned(),
        Some(code) => format!("failed (exit code {code})"),
        None => "ended by a signal".to_owned(),
    }
}

/// How the last run ended, by the word in `outcome.json`.
pub(super) fn last_run(ended: &str) -> &'static str {
    match ended {
        "finished" => "finished: no URLs left",
        "unreached" => "finished, except for hosts that never answered",
        "interrupted" => "stopped by the user",
        "pages" => "stopped at the page limit",
        "time" => "stopped at the time limit",
        "disk" => "stopped: the disk was full",
        "portals" => "stopped: only URLs of portals at their own limit were left",
        "patience" => "stopped: only URLs of failing hosts were left",
        _ => "ended",
    }
}

/// The note on a page that is being updated.
pub(super) fn as_of(time: &str) -> String {
    format!("As of {time} UTC; updating.")
}
