//! The log of a server's requests, and a check whether its visitors follow the rules.
//!
//! Tests check politeness with this log, which is independent of the crawler. Times are durations since the log was
//! created, by a monotonic clock. A request starts when the head of the request has arrived. A response ends when its
//! last bytes are handed to the system. The time is taken just *before* that, because the visitor may send its next
//! request before the server reads the clock. So the time between two requests in the log is never shorter than the
//! delay that the visitor has kept.

use std::collections::HashMap;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One request and its response.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// The time at which the head of the request had arrived.
    pub start: Duration,
    /// The time at which the response ended or broke off.
    pub end: Duration,
    /// The host in the field `Host`, without port.
    pub host: String,
    /// The requested path with its query.
    pub path: String,
    /// The status code; 0 if the visitor disconnected before the response.
    pub status: u16,
    /// The number of bytes of the body that were sent.
    pub bytes: u64,
    /// The visitor's `User-Agent`.
    pub user_agent: String,
    /// The visitor's IP address and port.
    pub peer: Option<SocketAddr>,
    /// Whether the whole response was sent. False if the server broke it off on purpose (as a fault), or if the visitor
    /// disconnected.
    pub complete: bool,
    /// The end of the time for which `Retry-After` asked the visitor to wait.
    pub retry_until: Option<Duration>,
}

/// A log to which the server adds each request.
#[derive(Debug)]
pub struct AccessLog {
    began: Instant,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    entries: Vec<Entry>,
    file: Option<std::fs::File>,
}

/// The rules that visitors must follow.
pub struct Rules<'r> {
    /// The least time between the end of a response and the next request to a host.
    pub delay: &'r dyn Fn(&str) -> Duration,
    /// Whether robots.txt forbids a path of a host.
    pub forbidden: &'r dyn Fn(&str, &str) -> bool,
    /// Whether a path of a host may be fetched more than once (front pages, feeds).
    pub repeatable: &'r dyn Fn(&str, &str) -> bool,
}

/// A rule that a request broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// The request came too soon after the last response. The value is the actual gap.
    TooSoon(Duration),
    /// The request came while another response of the host was still being sent.
    TwoInFlight,
    /// A page was requested before robots.txt was answered.
    BeforeRobots,
    /// The path is forbidden by robots.txt.
    Forbidden,
    /// The request came before the end of the time in a `Retry-After`.
    DuringRetryAfter,
    /// The page was requested again after it had been received completely.
    FetchedTwice,
}

/// A request that broke a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule that it broke.
    pub kind: ViolationKind,
    /// The time at which the request started.
    pub at: Duration,
    /// The requested host.
    pub host: String,
    /// The requested path with its query.
    pub path: String,
}

impl AccessLog {
    /// Creates an empty log. If `file` is given, each entry is also written to this file, as a tab-separated line:
    /// start and end in seconds, host, path, status, bytes, user agent.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn new(file: Option<&Path>) -> std::io::Result<Self> {
        let file = file.map(std::fs::File::create).transpose()?;
        #[allow(clippy::disallowed_methods)] // the log of a server needs a clock
        let began = Instant::now();
        Ok(Self { began, inner: Mutex::new(Inner { entries: Vec::new(), file }) })
    }

    /// The time since the log was created.
    pub fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Adds an entry.
    pub fn add(&self, entry: Entry) {
        let mut inner = self.lock();
        if let Some(file) = &mut inner.file {
            // Errors are ignored: the log in memory has all entries, and a full disk must not stop the server.
            let _ = file.write_all(entry.to_tsv().as_bytes());
        }
        inner.entries.push(entry);
    }

    /// A copy of all entries so far, in the order in which their responses ended.
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().entries.clone()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.lock().entries.len()
    }

    /// Whether there are no entries yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// The entry as a line of the log file.
    pub fn to_tsv(&self) -> String {
        format!(
            "{:.6}\t{:.6}\t{}\t{}\t{}\t{}\t{}\n",
            self.start.as_secs_f64(),
            self.end.as_secs_f64(),
            self.host,
            self.path,
            self.status,
            self.bytes,
            self.user_agent
        )
    }
}

/// Finds all requests that broke a rule, in order of time. All entries must be of one visitor. Requests for robots.txt
/// must also keep the delay, but they may be repeated and are never forbidden.
pub fn violations(entries: &[Entry], rules: &Rules<'_>) -> Vec<Violation> {
    let mut by_start: Vec<&Entry> = entries.iter().collect();
    by_start.sort_by_key(|entry| (entry.start, entry.end));
    let mut hosts: HashMap<&str, HostHistory<'_>> = HashMap::new();
    let mut violations = Vec::new();
    for entry in by_start {
        let history = hosts.entry(&entry.host).or_default();
        for kind in history.kinds(entry, rules) {
            let Entry { start, host, path, .. } = entry.clone();
            violations.push(Violation { kind, at: start, host, path });
        }
        history.remember(entry);
    }
    violations
}

/// What has happened on a host before a request.
#[derive(Default)]
struct HostHistory<'e> {
    last_end: Option<Duration>,
    robots_answered: Option<Duration>,
    retry_after: Vec<(Duration, Duration)>,
    received: HashMap<&'e str, Duration>,
}

impl<'e> HostHistory<'e> {
    fn kinds(&self, entry: &Entry, rules: &Rules<'_>) -> Vec<ViolationKind> {
        let mut kinds = Vec::new();
        if let Some(last_end) = self.last_end {
            match entry.start.checked_sub(last_end) {
                None => kinds.push(ViolationKind::TwoInFlight),
                Some(gap) if gap < (rules.delay)(&entry.host) => kinds.push(ViolationKind::TooSoon(gap)),
                Some(_) => {}
            }
        }
        // A request that was sent before the response with Retry-After had ended is only reported as `TwoInFlight`,
        // because the visitor could not know about it yet.
        if self.retry_after.iter().any(|&(from, until)| entry.start >= from && entry.start < until) {
            kinds.push(ViolationKind::DuringRetryAfter);
        }
        if entry.path != "/robots.txt" {
            if self.robots_answered.is_none_or(|at| at > entry.start) {
                kinds.push(ViolationKind::BeforeRobots);
            }
            if (rules.forbidden)(&entry.host, &entry.path) {
                kinds.push(ViolationKind::Forbidden);
            }
            let received = self.received.get(entry.path.as_str()).is_some_and(|&at| at <= entry.start);
            if received && !(rules.repeatable)(&entry.host, &entry.path) {
                kinds.push(ViolationKind::FetchedTwice);
            }
        }
        kinds
    }

    fn remember(&mut self, entry: &'e Entry) {
        self.last_end = self.last_end.max(Some(entry.end));
        if let Some(until) = entry.retry_until {
            self.retry_after.push((entry.end, until));
        }
        // An unreachable robots.txt permits nothing: status 5xx (RFC 9309, section 2.3.1), and by our policy also 429.
        let answers = entry.complete && entry.status > 0 && entry.status < 500 && entry.status != 429;
        if entry.path == "/robots.txt" && answers && self.robots_answered.is_none() {
            self.robots_answered = Some(entry.end);
        }
        if entry.complete && entry.status == 200 {
            self.received.insert(&entry.path, entry.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(start: u64, end: u64, path: &str, status: u16) -> Entry {
        Entry {
            start: Duration::from_millis(start),
            end: Duration::from_millis(end),
            host: "a.example".to_owned(),
            path: path.to_owned(),
            status,
            bytes: 10,
            user_agent: "bot".to_owned(),
            peer: None,
            complete: true,
            retry_until: None,
        }
    }

    fn broken_rules(entries: &[Entry]) -> Vec<(ViolationKind, String)> {
        let rules = Rules {
            delay: &|_| Duration::from_millis(1000),
            forbidden: &|_, path| path.starts_with("/private/"),
            repeatable: &|_, path| path == "/",
        };
        violations(entries, &rules).into_iter().map(|v| (v.kind, v.path)).collect()
    }

    #[test]
    fn a_polite_visitor_has_no_violations() {
        let mut refused = entry(5000, 5010, "/c", 429);
        refused.retry_until = Some(Duration::from_millis(15_010));
        let mut broken = entry(20_000, 20_010, "/c", 200);
        broken.complete = false;
        let mut other = entry(0, 5, "/robots.txt", 404);
        other.host = "b.example".to_owned();
        let log = [
            entry(0, 10, "/robots.txt", 200),
            entry(1010, 1500, "/", 200),
            entry(2500, 2600, "/a", 200),
            entry(3600, 3700, "/", 200),
            refused,
            broken,
            entry(30_000, 30_010, "/c", 200),
            entry(90_000, 90_010, "/robots.txt", 200),
            other,
        ];
        assert_eq!(broken_rules(&log), []);
    }

    #[test]
    fn every_kind_of_violation_is_found() {
        let robots = entry(0, 10, "/robots.txt", 200);
        let one = |second: Entry| broken_rules(&[robots.clone(), second]);
        let soon = Duration::from_millis(990);
        assert_eq!(one(entry(1000, 1010, "/a", 200)), [(ViolationKind::TooSoon(soon), "/a".to_owned())]);
        assert_eq!(one(entry(5, 1010, "/robots.txt", 200)), [(ViolationKind::TwoInFlight, "/robots.txt".to_owned())]);
        assert_eq!(one(entry(5000, 5010, "/private/x", 200)), [(ViolationKind::Forbidden, "/private/x".to_owned())]);
        assert_eq!(broken_rules(&[entry(0, 10, "/a", 200)]), [(ViolationKind::BeforeRobots, "/a".to_owned())]);
        let twice = [robots.clone(), entry(2000, 2010, "/a", 200), entry(4000, 4010, "/a", 200)];
        assert_eq!(broken_rules(&twice), [(ViolationKind::FetchedTwice, "/a".to_owned())]);
        let mut refused = entry(2000, 2010, "/a", 503);
        refused.retry_until = Some(Duration::from_millis(9000));
        let early = [robots, refused, entry(8999, 9001, "/b", 200), entry(11_000, 11_010, "/a", 200)];
        assert_eq!(broken_rules(&early), [(ViolationKind::DuringRetryAfter, "/b".to_owned())]);
    }

    #[test]
    fn a_robots_txt_that_fails_permits_nothing() {
        for (status, complete) in [(503, true), (429, true), (200, false)] {
            let robots = Entry { complete, ..entry(0, 10, "/robots.txt", status) };
            assert_eq!(
                broken_rules(&[robots, entry(5000, 5010, "/", 200)]),
                [(ViolationKind::BeforeRobots, "/".to_owned())]
            );
        }
    }

    #[test]
    fn a_long_response_counts_after_a_short_one_has_ended() {
        let log = [entry(0, 10, "/robots.txt", 200), entry(2000, 9000, "/a", 200), entry(3000, 3010, "/b", 200)];
        assert_eq!(broken_rules(&log), [(ViolationKind::TwoInFlight, "/b".to_owned())]);
        let log = [log.as_slice(), &[entry(5000, 5010, "/c", 200)]].concat();
        assert_eq!(broken_rules(&log).len(), 2, "also two in flight with /a");
    }

    #[test]
    fn a_line_of_the_file_reads_back() {
        let entry = entry(1234, 5678, "/a?b=c", 404);
        assert_eq!(Entry::from_tsv(entry.to_tsv().trim_end_matches('\n')), Some(entry));
        assert_eq!(Entry::from_tsv("nonsense"), None);
    }
}
