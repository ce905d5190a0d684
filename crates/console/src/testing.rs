//! Jobs for the tests of pages.

use goldminer_crawl::{Config, Counts, Overrides, Seeds};
use serde_json::json;

use crate::job_summary::JobSummary;

/// A host with this many queued URLs that waits for something.
pub(super) fn host(address: &str, queued: u64, waits_for: &str) -> serde_json::Value {
    let none = json!({ "secs": 0, "nanos": 0 });
    json!({ "host": address, "queued": queued, "in_flight": false, "next_due": null, "waits_for": waits_for,
        "delay": none, "least_delay": none, "crawl_delay": null, "robots": "rules", "requests": 1,
        "refusals": 0, "bytes": 1000, "clean_bytes": 100, "closed": [] })
}

/// The status of a running crawl with these hosts.
pub(super) fn report(hosts: &[serde_json::Value]) -> serde_json::Value {
    json!({ "running": true, "counts": Counts::default(), "identity_holds": true, "domains": [],
        "hosts": hosts, "portals": [], "at": "2026-11-20T12:00:00Z" })
}

/// The summary of a job with these hosts, each of its own portal.
pub(super) fn summary(hosts: &[serde_json::Value]) -> JobSummary {
    summary_of(&report(hosts), hosts)
}

/// The summary of a job with this status and these hosts.
pub(super) fn summary_of(report: &serde_json::Value, hosts: &[serde_json::Value]) -> JobSummary {
    let mut seeds = String::from("[crawl]\nuser_agent = \"t/1.0 (+https://uni.hu/t)\"\n");
    for host in hosts {
        seeds += &format!("[[portal]]\nstart = [\"{}/\"]\n", host["host"].as_str().unwrap());
    }
    let seeds = Seeds::parse(&seeds, "seeds").unwrap();
    let config = Config::effective(seeds, &Overrides::default()).unwrap();
    JobSummary::of(serde_json::from_value(report.clone()).unwrap(), &[], &config, None, Some(1 << 40))
}
