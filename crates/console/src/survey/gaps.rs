//! Measures politeness: the gaps between the requests to a host, from the end of a response to the next request,
//! compared with the delay that applies.

use std::collections::BTreeMap;

use jiff::Timestamp;

/// The most gaps of a host that are remembered, for the median and for the number of gaps that were too short.
const MAX_GAPS: usize = 20_000;
/// By how many seconds clocks and rounded archive times may shorten a gap.
const TOLERANCE_SECONDS: f64 = 0.002;

/// Collects requests, and measures the gaps between those to the same host.
#[derive(Debug, Clone, Default)]
pub struct GapMeter {
    hosts: BTreeMap<String, HostGaps>,
}

#[derive(Debug, Clone, Default)]
struct HostGaps {
    last_end: Option<Timestamp>,
    requests: u64,
    gaps_seconds: Vec<f64>,
    least_seconds: Option<f64>,
}

/// The gaps between the requests to a host, and the delay that applies.
#[derive(Debug, Clone, PartialEq)]
pub struct HostPoliteness {
    /// The host.
    pub host: String,
    /// The least configured delay, in seconds.
    pub delay_seconds: f64,
    /// The Crawl-delay in robots.txt, in seconds.
    pub crawl_delay_seconds: Option<f64>,
    /// Number of measured requests.
    pub requests: u64,
    /// The shortest gap, in seconds; None with fewer than two requests.
    pub least_seconds: Option<f64>,
    /// The median gap, in seconds.
    pub median_seconds: Option<f64>,
    /// Number of gaps that were shorter than the delay, among the first 20,000.
    pub too_short: u64,
}

impl GapMeter {
    /// Adds a request: when it was sent, and when its response ended. Requests to a host must be added in time order.
    pub fn note(&mut self, host: &str, departed: Timestamp, ended: Timestamp) {
        let known = self.hosts.entry(host.to_owned()).or_default();
        known.requests += 1;
        if let Some(last) = known.last_end {
            let gap = departed.duration_since(last).as_secs_f64().max(0.0);
            known.least_seconds = Some(known.least_seconds.map_or(gap, |least| least.min(gap)));
            if known.gaps_seconds.len() < MAX_GAPS {
                known.gaps_seconds.push(gap);
            }
        }
        known.last_end = Some(known.last_end.map_or(ended, |last| last.max(ended)));
    }

    /// The measures of all hosts, those with the most requests first. `asked` returns the least delay of a host and its
    /// Crawl-delay, in seconds. Hosts for which it returns `None` are left out.
    pub fn politeness(self, asked: impl Fn(&str) -> Option<(f64, Option<f64>)>) -> Vec<HostPoliteness> {
        let of = |(name, gaps): (String, HostGaps)| asked(&name).map(|asked| gaps.politeness(name, asked));
        let mut hosts: Vec<HostPoliteness> = self.hosts.into_iter().filter_map(of).collect();
        hosts.sort_by_key(|host| std::cmp::Reverse(host.requests));
        hosts
    }
}

impl HostGaps {
    fn politeness(mut self, host: String, (delay_seconds, crawl_delay_seconds): (f64, Option<f64>)) -> HostPoliteness {
        self.gaps_seconds.sort_by(f64::total_cmp);
        // The random part (jitter) only makes a delay longer.
        let least_allowed = delay_seconds - TOLERANCE_SECONDS;
        HostPoliteness {
            host,
            delay_seconds,
            crawl_delay_seconds,
            requests: self.requests,
            least_seconds: self.least_seconds,
            median_seconds: self.gaps_seconds.get(self.gaps_seconds.len() / 2).copied(),
            too_short: self.gaps_seconds.iter().filter(|gap| **gap < least_allowed).count() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Timestamp {
        Timestamp::from_millisecond((1000.0 * seconds) as i64).unwrap()
    }

    #[test]
    fn a_gap_begins_at_the_end_of_a_response() {
        let mut meter = GapMeter::default();
        for (departed, ended) in [(0.0, 3.0), (8.0, 8.5), (13.1, 13.2), (15.0, 16.0)] {
            meter.note("https://portal.example", at(departed), at(ended));
        }
        let politeness = &meter.politeness(|_| Some((5.0, None)))[0];
        assert_eq!((politeness.requests, politeness.too_short), (4, 2), "{politeness:?}");
        assert!((politeness.least_seconds.unwrap() - 1.8).abs() < 1e-9);
        assert!((politeness.median_seconds.unwrap() - 4.6).abs() < 1e-9);
    }

    #[test]
    fn hosts_without_a_known_delay_are_left_out() {
        let mut meter = GapMeter::default();
        meter.note("https://portal.example", at(0.0), at(1.0));
        assert!(meter.politeness(|_| None).is_empty());
    }
}
