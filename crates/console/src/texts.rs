//! Texts of the console about states of portals, ends of crawls and errors, and texts that several pages share. The
//! texts of a single page are in its HTML template. Texts that the terminal shows too are in `crate::words`.

use std::net::SocketAddr;

use goldminer_crawl::frontier::RobotsStatus;

use super::job_summary::State;

/// The error for a `--behind` that is not the public URL of a proxy.
pub(super) fn not_an_origin(typed: &str) -> String {
    format!(
        "--behind {typed}: write the public URL of the proxy, with https:// and without a path: \
         --behind https://console.uni.hu. Without TLS, others on the network can read the console's secret token"
    )
}

/// The error for a `--listen` that would open the console to a network without TLS.
pub(super) fn open_without_tls(address: SocketAddr) -> String {
    format!(
        "--listen {address}: other machines could reach the console at this address without TLS. Put a TLS proxy in \
         front of it and give the URL of the proxy: --listen {address} --behind https://console.uni.hu. Or leave out \
         --listen, use --port 8080, and run on your own machine: ssh -L 8080:127.0.0.1:8080 {}",
        address.ip()
    )
}

pub(super) const NOT_THERE: &str = "Page not found.";
pub(super) const NO_PROGRAM: &str = "the crawl could not be started";
pub(super) const WENT_WRONG: &str = "The request failed";

pub(super) const LOADING: &str = "Loading…";
pub(super) const NO_DELAY: &str = "write a delay as a number with a unit, as in 20s or 500ms";
pub(super) const NO_COMMAND: &str = "unknown command, or no host was given: reload the page and try again";
pub(super) const NO_PAGE: &str =
    "No page is stored: this URL has no response yet, or its last response contains no page.";
pub(super) const NO_CHANGE: &str = "this choice does not change the current profile: reload the page";

/// The label of a portal's state, and its explanation in a sentence.
pub(super) fn state(state: State) -> (&'static str, &'static str) {
    match state {
        State::Refused => ("access refused", "One of its hosts refused several requests in a row (403 or CAPTCHA)."),
        State::HostErrors => ("no answer", "A host with queued URLs cannot be reached or returns errors."),
        State::NoYield => ("no documents", "None of its pages gave an article for the corpus."),
        State::Moved => ("moved", "A start page redirects to a URL outside the portal's scope in the seeds file."),
        State::Unsure => (
            "weak profile",
            "Its profile matches too few pages, or the text that it keeps differs too much from the text that jusText calls good.",
        ),
        State::Dry => ("nothing new", "No new URL was found for much longer than usual."),
        State::Blocked => ("blocked", "Blocked by a command: no requests are sent, unless it is resumed."),
        State::Paused => ("paused", "Paused by a command: no requests are sent until it is resumed."),
        State::Spent => (
            "page or byte limit reached",
            "It has reached the limit of pages or bytes that the seeds file sets for it.",
        ),
        State::Learning => ("learning", "It does not have enough article-like pages yet to learn its profile from."),
        State::Crawling => ("crawling", "It has queued URLs."),
        State::Stopped => ("stopped", "It has queued URLs, but the crawl is not running."),
        State::Idle => ("done", "It has no queued URLs."),
    }
}

/// The label of the state of a host's robots.txt, and its explanation in a sentence.
pub(super) fn robots(status: RobotsStatus) -> (&'static str, &'static str) {
    match status {
        RobotsStatus::Unknown => ("not requested yet", "robots.txt is requested before any page of the host."),
        RobotsStatus::Rules => ("has rules", "The crawl obeys the rules of this file."),
        RobotsStatus::AllowAll => ("none", "A host without a robots.txt allows everything (RFC 9309)."),
        RobotsStatus::Unavailable => (
            "unreachable",
            "Server or network error; it is requested again. Until then, its last copy applies, or no page is requested.",
        ),
    }
}

/// How a process ended, by its exit code (listed in `docs/src/reference/exit-codes.md`).
pub(super) fn ended(code: Option<i32>) -> String {
    match code {
        Some(0) => "done".to_owned(),
        Some(3) => "stopped by a limit".to_owned(),
        Some(4) => "finished, but a portal gave no document".to_owned(),
        Some(130) => "stopped by the user".to_owned(),
        Some(code) => format!("failed (exit code {code})"),
        None => "killed by the system or a user".to_owned(),
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
        "portals" => "stopped: all URLs left belong to portals that have reached their page or byte limit",
        "patience" => "stopped: all URLs left are on hosts that fail, refuse requests, or ask for too long a delay",
        _ => "ended",
    }
}

/// The note on a page that shows an earlier state while the current one is being read.
pub(super) fn as_of(time: &str) -> String {
    format!("As of {time} UTC; updating.")
}
