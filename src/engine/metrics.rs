//! Figures of a running crawl for Prometheus (text format 0.0.4), on a loopback port: `goldminer crawl --metrics PORT`.
//!
//! | metric | type | meaning |
//! |---|---|---|
//! | `goldminer_urls{account}` | gauge | URLs by account: `queued`, `in_flight`, `done_<how>`, `rejected_<rule>`; they sum to |
//! | `goldminer_urls_discovered` | gauge | all URLs found |
//! | `goldminer_hosts{waits_for}` | gauge | hosts by what they wait for |
//! | `goldminer_hosts_due` | gauge | hosts that could be asked now |
//! | `goldminer_received_bytes` | counter | bytes received, over the whole job |
//! | `goldminer_retries`, `goldminer_revisits`, `goldminer_robots` | counter | attempts without outcome, later visits, robots.txt |
//! | `goldminer_fetched_total`, `goldminer_unfetched_total` | counter | answers kept, and others, of this process |
//! | `goldminer_documents_total`, `goldminer_text_bytes_total`, `goldminer_read_bytes_total` | counter | documents, their text, the pages they are of |
//! | `goldminer_pages_without_article_total`, `goldminer_duplicates_total` | counter | pages that gave no document |
//! | `goldminer_domains{phase}` | gauge | domains `learning` and `learned` |
//! | `goldminer_pages_withheld{says}` | counter | pages that are not used, by what they say of their rights |
//! | `goldminer_portals_without_documents{why}` | gauge | portals of which it is clear why they give nothing |
//! | `goldminer_seconds_without_news` | gauge | since something new was discovered |
//! | `goldminer_descriptors`, `goldminer_descriptors_limit` | gauge | file descriptors that are open, and may be |
//! | `goldminer_uptime_seconds` | gauge | of this process |

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::query::JobService;
use super::status::StatusReport;
use crate::frontier::name_of;

/// The figures of a job; none when it is ending.
pub(super) fn of(service: &JobService) -> Option<String> {
    // The accounts are the scheduler's, and hosts are walked over.
    service.status().ok().map(|report| render(&report))
}

fn render(report: &StatusReport) -> String {
    let counts = &report.counts;
    let mut text = String::new();
    let mut accounts =
        BTreeMap::from([("queued".to_owned(), counts.queued), ("in_flight".to_owned(), counts.in_flight)]);
    accounts.extend(counts.done.iter().map(|(done, n)| (format!("done_{}", word(done)), *n)));
    accounts.extend(counts.rejected.iter().map(|(reason, n)| (format!("rejected_{}", word(reason)), *n)));
    family(&mut text, "goldminer_urls", "gauge", "account", &accounts);
    let withheld: BTreeMap<String, u64> = counts.withheld.iter().map(|(says, n)| (word(says), *n)).collect();
    if !withheld.is_empty() {
        family(&mut text, "goldminer_pages_withheld", "counter", "says", &withheld);
    }
    let mut barren: BTreeMap<String, u64> = BTreeMap::new();
    for nothing in report.barren.iter().filter_map(|portal| portal.nothing.as_ref()) {
        *barren.entry(nothing.kind().replace('-', "_")).or_default() += 1;
    }
    if !barren.is_empty() {
        family(&mut text, "goldminer_portals_without_documents", "gauge", "why", &barren);
    }
    let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
    for host in &report.hosts {
        *hosts.entry(word(&host.waits_for)).or_default() += 1;
    }
    family(&mut text, "goldminer_hosts", "gauge", "waits_for", &hosts);
    let mut one = |name: &str, kind: &str, value: u64| {
        let _ = writeln!(text, "# TYPE {name} {kind}\n{name} {value}");
    };
    one("goldminer_urls_discovered", "gauge", counts.discovered);
    one("goldminer_received_bytes", "counter", counts.bytes);
    one("goldminer_retries", "counter", counts.retries);
    one("goldminer_revisits", "counter", counts.revisits);
    one("goldminer_robots", "counter", counts.robots);
    one("goldminer_uptime_seconds", "gauge", report.uptime_seconds.unwrap_or(0));
    if let Some(live) = &report.live {
        one("goldminer_descriptors", "gauge", live.descriptors as u64);
        one("goldminer_descriptors_limit", "gauge", live.descriptors_limit as u64);
        one("goldminer_hosts_due", "gauge", live.hosts_due as u64);
        one("goldminer_seconds_without_news", "gauge", live.seconds_without_news);
        one("goldminer_fetched_total", "counter", live.fetched);
        one("goldminer_unfetched_total", "counter", live.other);
        one("goldminer_documents_total", "counter", live.documents);
        one("goldminer_text_bytes_total", "counter", live.text_bytes);
        one("goldminer_read_bytes_total", "counter", live.read_bytes);
        one("goldminer_pages_without_article_total", "counter", live.without_article);
        one("goldminer_duplicates_total", "counter", live.duplicates);
        let phases = [("learning".to_owned(), live.learning as u64), ("learned".to_owned(), live.learned as u64)];
        family(&mut text, "goldminer_domains", "gauge", "phase", &BTreeMap::from(phases));
    }
    text
}

fn family(text: &mut String, name: &str, kind: &str, label: &str, values: &BTreeMap<String, u64>) {
    let _ = writeln!(text, "# TYPE {name} {kind}");
    for (of, value) in values {
        let _ = writeln!(text, "{name}{{{label}=\"{of}\"}} {value}");
    }
}

/// The name that a value has in JSON, as a label's value.
fn word(value: &impl serde::Serialize) -> String {
    name_of(value).replace('-', "_")
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::engine::{NoDocuments, PortalOutcome};
    use crate::frontier::{Counts, Done};

    #[test]
    fn a_scrape_has_a_line_for_each_account_and_they_sum_to_what_was_discovered() {
        let counts = Counts {
            discovered: 10,
            queued: 7,
            in_flight: 1,
            done: BTreeMap::from([(Done::NotModified, 2)]),
            ..Counts::default()
        };
        let report = StatusReport {
            running: true,
            identity_holds: true,
            counts,
            live: None,
            uptime_seconds: Some(5),
            domains: Vec::new(),
            suspects: Vec::new(),
            hosts: Vec::new(),
            portals: Vec::new(),
            barren: vec![PortalOutcome {
                portal: "closed.example".to_owned(),
                documents: 0,
                nothing: Some(NoDocuments::Disallowed { rule: "Disallow: /".to_owned() }),
            }],
            at: Timestamp::UNIX_EPOCH,
        };
        let text = render(&report);
        let value = |line: &str| line.rsplit(' ').next().and_then(|value| value.parse::<u64>().ok());
        let sum: u64 = text.lines().filter(|line| line.starts_with("goldminer_urls{")).filter_map(value).sum();
        assert_eq!(sum, 10, "{text}");
        for line in [
            "goldminer_urls{account=\"done_not_modified\"} 2",
            "goldminer_portals_without_documents{why=\"disallowed\"} 1",
            "# TYPE goldminer_urls gauge",
            "goldminer_uptime_seconds 5",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} is missing in\n{text}");
        }
    }
}
