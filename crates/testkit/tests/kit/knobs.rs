//! Configurable faults of the server. The configuration says how frequent each fault is, and a seed decides which
//! requests it affects.
//!
//! Most faults depend on the host, the path and the number of earlier requests for the path, not on the order of
//! requests. So a test knows which pages can never be fetched, and which ones can be fetched on a later attempt. By
//! default there are no faults.

use std::time::Duration;

use crate::rng::{mix, named, unit};

/// The faults of a server. Frequencies are fractions from 0 to 1: of all pages for faults of pages, of all requests for
/// faults of requests.
#[derive(Debug, Clone, Default)]
pub struct Knobs {
    /// The seed that determines which pages and requests are affected.
    pub seed: u64,
    /// The fraction of pages that give 404. A front page never does.
    pub not_found: f64,
    /// The fraction of pages that redirect without end. A front page never does.
    pub redirect_loop: f64,
    /// The fraction of requests that give 500.
    pub server_error: f64,
    /// The fraction of requests that give 429 with a `Retry-After`, in seconds or as a date.
    pub too_many: f64,
    /// The fraction of requests that give 503. Half of them have a `Retry-After`.
    pub unavailable: f64,
    /// The waiting time in `Retry-After`. Dates have whole seconds, so set at least two seconds.
    pub retry_after: Duration,
    /// The fraction of requests that are answered after [`Knobs::slow_by`].
    pub slow: f64,
    /// The time before the first byte of a slow response.
    pub slow_by: Duration,
    /// The fraction of requests whose response breaks off in the body.
    pub dropped: f64,
    /// The fraction of requests whose response has a `Content-Length` that is too large.
    pub wrong_length: f64,
    /// The fraction of pages with a wrong `Content-Type`.
    pub lying_type: f64,
    /// The fraction of pages with a wrong charset in `Content-Type`.
    pub lying_charset: f64,
    /// The number of requests to a host after which its portal uses another layout. None for never.
    pub redesign_after: Option<u64>,
    /// How portals publish articles during a run. None if all articles are published from the start.
    pub news: Option<News>,
    /// The requests to each host that are blocked. None if no requests are.
    pub blocked: Option<BlockPeriod>,
    /// The number of first requests for a host's robots.txt that give 503.
    pub robots_errors: u64,
    /// Whether temporary faults (500, 429, 503, drops) also hit robots.txt.
    pub robots_faults: bool,
}

/// How portals publish articles during a run.
#[derive(Debug, Clone, Copy)]
pub struct News {
    /// The number of each portal's articles that are not published at first.
    pub held_back: usize,
    /// After this many requests to a host, one more of its articles is published; 0 for never.
    pub every: u64,
}

impl News {
    /// The number of unpublished articles at a host's n-th request.
    pub fn unpublished(self, visit: u64) -> usize {
        let out = visit.checked_div(self.every).unwrap_or(0);
        self.held_back.saturating_sub(usize::try_from(out).unwrap_or(usize::MAX))
    }
}

/// A period in which a host blocks all requests.
#[derive(Debug, Clone, Copy)]
pub struct BlockPeriod {
    /// The number of requests before the period.
    pub after: u64,
    /// The number of requests in the period.
    pub length: u64,
    /// Whether blocked requests get a page that asks whether the visitor is human, with status 200. If not, they get
    /// 403.
    pub captcha: bool,
}

/// The fault of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No fault.
    None,
    /// An error page with this status.
    Status(u16),
    /// An error page with a `Retry-After`.
    RetryAfter {
        /// The status: 429 or 503.
        status: u16,
        /// Whether `Retry-After` is a date. If not, it is in seconds.
        as_date: bool,
    },
    /// A redirect without end.
    RedirectLoop,
    /// A delayed response.
    Slow,
    /// A body that breaks off.
    Dropped,
    /// A body that is shorter than its `Content-Length`.
    WrongLength,
    /// This wrong `Content-Type`.
    LyingType(&'static str),
    /// A wrong charset in `Content-Type`.
    LyingCharset,
    /// A page that asks whether the visitor is human.
    Captcha,
}

impl Knobs {
    /// The fault of a request. `attempt` is the number of earlier requests for this path, and `visit` the number of
    /// earlier requests to this host.
    pub fn fault(&self, host: &str, path: &str, attempt: u64, visit: u64) -> Fault {
        let page = named(named(self.seed, host), path);
        let robots = path == "/robots.txt";
        if robots && attempt < self.robots_errors {
            return Fault::Status(503);
        }
        if let Some(streak) = self.blocked.filter(|streak| !robots && streak.hits(visit)) {
            return if streak.captcha { Fault::Captcha } else { Fault::Status(403) };
        }
        if !robots && path != "/" {
            let draw = &mut FaultDraw(unit(mix(page, 1)));
            if draw.hits(self.not_found) {
                return Fault::Status(404);
            }
            if draw.hits(self.redirect_loop) {
                return Fault::RedirectLoop;
            }
        }
        if !robots || self.robots_faults {
            let passing = self.passing(mix(page, 2 + attempt));
            if passing != Fault::None {
                return passing;
            }
        }
        if robots { Fault::None } else { self.lie(page) }
    }

    /// Whether a page can never be fetched, because of [`Knobs::not_found`] or [`Knobs::redirect_loop`].
    pub fn is_lost(&self, host: &str, path: &str) -> bool {
        let permanent =
            Self { seed: self.seed, not_found: self.not_found, redirect_loop: self.redirect_loop, ..Self::default() };
        permanent.fault(host, path, 0, 0) != Fault::None
    }

    fn passing(&self, bits: u64) -> Fault {
        let draw = &mut FaultDraw(unit(bits));
        let odd = mix(bits, 0) % 2 == 1;
        match () {
            () if draw.hits(self.server_error) => Fault::Status(500),
            () if draw.hits(self.too_many) => Fault::RetryAfter { status: 429, as_date: odd },
            () if draw.hits(self.unavailable / 2.0) => Fault::Status(503),
            () if draw.hits(self.unavailable / 2.0) => Fault::RetryAfter { status: 503, as_date: odd },
            () if draw.hits(self.dropped) => Fault::Dropped,
            () if draw.hits(self.wrong_length) => Fault::WrongLength,
            () if draw.hits(self.slow) => Fault::Slow,
            () => Fault::None,
        }
    }

    fn lie(&self, page: u64) -> Fault {
        let bits = mix(page, 0);
        let draw = &mut FaultDraw(unit(bits));
        match () {
            () if draw.hits(self.lying_type) => Fault::LyingType(
                ["text/plain", "application/octet-stream", "image/jpeg", ""][(mix(bits, 0) % 4) as usize],
            ),
            () if draw.hits(self.lying_charset) => Fault::LyingCharset,
            () => Fault::None,
        }
    }
}

impl BlockPeriod {
    fn hits(self, visit: u64) -> bool {
        (self.after..self.after.saturating_add(self.length)).contains(&visit)
    }
}

/// A random number from 0 to 1, with which at most one of several faults is chosen. [`FaultDraw::hits`] is called with the
/// fraction of each fault in turn.
struct FaultDraw(f64);

impl FaultDraw {
    fn hits(&mut self, share: f64) -> bool {
        let hits = (0.0..share).contains(&self.0);
        self.0 -= share;
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(knobs: &Knobs, wanted: impl Fn(Fault) -> bool) -> usize {
        (0..10_000).filter(|i| wanted(knobs.fault("a.example", &format!("/page/{i}"), 0, 0))).count()
    }

    #[test]
    fn nothing_goes_wrong_by_default() {
        assert_eq!(count(&Knobs::default(), |fault| fault != Fault::None), 0);
    }

    #[test]
    fn several_faults_keep_their_shares() {
        let knobs = Knobs {
            not_found: 0.1,
            redirect_loop: 0.05,
            server_error: 0.05,
            too_many: 0.1,
            unavailable: 0.1,
            dropped: 0.05,
            wrong_length: 0.05,
            slow: 0.05,
            ..Knobs::default()
        };
        let near = |n: usize, share: f64| (n as f64 / 10_000.0 - share).abs() < 0.015;
        assert!(near(count(&knobs, |f| f == Fault::Status(404)), 0.1));
        assert!(near(count(&knobs, |f| f == Fault::RedirectLoop), 0.05));
        let rest = 0.85;
        assert!(near(count(&knobs, |f| f == Fault::Status(500)), 0.05 * rest));
        assert!(near(count(&knobs, |f| matches!(f, Fault::RetryAfter { status: 429, .. })), 0.1 * rest));
        assert!(near(count(&knobs, |f| matches!(f, Fault::RetryAfter { status: 429, as_date: true })), 0.05 * rest));
        assert!(near(count(&knobs, |f| f == Fault::Status(503)), 0.05 * rest));
        assert!(near(count(&knobs, |f| f == Fault::Dropped), 0.05 * rest));
        assert!(near(count(&knobs, |f| f == Fault::WrongLength), 0.05 * rest));
        assert!(near(count(&knobs, |f| f == Fault::Slow), 0.05 * rest));
    }

    #[test]
    fn lost_pages_stay_lost_and_temporary_faults_end() {
        let knobs = Knobs { not_found: 0.2, server_error: 0.5, ..Knobs::default() };
        for i in 0..200 {
            let path = format!("/page/{i}");
            let faults: Vec<Fault> = (0..40).map(|attempt| knobs.fault("a.example", &path, attempt, attempt)).collect();
            let gone = knobs.is_lost("a.example", &path);
            assert_eq!(faults.iter().all(|f| *f == Fault::Status(404)), gone);
            assert_eq!(faults.contains(&Fault::None), !gone, "{path}: {faults:?}");
        }
    }

    #[test]
    fn front_page_and_robots_txt_are_spared_by_default() {
        let knobs = Knobs { not_found: 1.0, server_error: 1.0, robots_errors: 2, ..Knobs::default() };
        assert_eq!(knobs.fault("a.example", "/", 0, 0), Fault::Status(500));
        let robots: Vec<Fault> = (0..4).map(|attempt| knobs.fault("a.example", "/robots.txt", attempt, 0)).collect();
        assert_eq!(robots, [Fault::Status(503), Fault::Status(503), Fault::None, Fault::None]);
        let knobs = Knobs { robots_faults: true, ..knobs };
        assert_eq!(knobs.fault("a.example", "/robots.txt", 5, 0), Fault::Status(500));
    }

    #[test]
    fn news_comes_out_one_by_one() {
        let news = News { held_back: 3, every: 10 };
        assert_eq!([0, 9, 10, 25, 30, 999].map(|visit| news.unpublished(visit)), [3, 3, 2, 1, 0, 0]);
        assert_eq!(News { every: 0, ..news }.unpublished(1_000_000), 3);
    }

    #[test]
    fn a_streak_hits_consecutive_visits() {
        let knobs = Knobs { blocked: Some(BlockPeriod { after: 3, length: 2, captcha: false }), ..Knobs::default() };
        let hit: Vec<u64> = (0..9).filter(|&visit| knobs.fault("a.example", "/x", 0, visit) != Fault::None).collect();
        assert_eq!(hit, [3, 4]);
    }
}
