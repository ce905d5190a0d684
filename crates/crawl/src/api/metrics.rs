//! Metrics of a running crawl for Prometheus (text format 0.0.4): `goldminer crawl --metrics PORT`.
//!
//! Each metric has a help text, which is its documentation. Names of counters end with `_total`, as Prometheus
//! recommends (<https://prometheus.io/docs/practices/naming/>). No library is used: it would need as many lines,
//! because the values are counted elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::loopback_server::{self, STRANGER_TIME, Trust};
use super::status::StatusReport;
use crate::{Counters, name_of};

/// The path of the metrics.
pub(crate) const PATH: &str = "/metrics";

/// The address for Prometheus: `9100` for this machine only, `crawler.uni.hu:9100` also for other machines, which must
/// use this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricsAddress {
    pub(super) name: Option<String>,
    pub(super) port: u16,
}

impl FromStr for MetricsAddress {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let (name, port) = typed.rsplit_once(':').map_or((None, typed), |(name, port)| (Some(name.to_owned()), port));
        match port.parse() {
            Ok(port) if name.as_ref().is_none_or(|name| !name.is_empty()) => Ok(Self { name, port }),
            _ => {
                Err("write a port, as in 9100, or this machine's name before it, as in crawler.uni.hu:9100".to_owned())
            }
        }
    }
}

/// Returns the route of the metrics. `render` returns their text, or None when the crawl is stopping; it may block.
pub(crate) fn router<S, R>(render: R) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    R: Fn() -> Option<String> + Send + Sync + 'static,
{
    // One text is rendered at a time, also for closed connections, so that a flood of requests uses only one thread.
    let render = Arc::new(Mutex::new(render));
    let figures = move || {
        let locked = Arc::clone(&render).lock_owned();
        async {
            let render = locked.await;
            match tokio::task::spawn_blocking(move || (*render)()).await {
                Ok(Some(text)) => ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response(),
                _ => (StatusCode::SERVICE_UNAVAILABLE, "the crawl is stopping\n").into_response(),
            }
        }
    };
    Router::new().route(PATH, get(figures))
}

/// Serves metrics for Prometheus at their own address until the returned value is dropped.
///
/// # Errors
/// When the port is taken, or the address does not belong to this machine.
pub async fn serve(
    address: SocketAddr,
    render: impl Fn() -> Option<String> + Send + Sync + 'static,
) -> io::Result<JoinSet<()>> {
    let listener = TcpListener::bind(address).await?;
    tracing::info!("metrics at http://{}{PATH}", listener.local_addr()?);
    let router = router(render).fallback((StatusCode::NOT_FOUND, "metrics are at /metrics\n"));
    let router = router.layer(middleware::from_fn(trusted));
    Ok(loopback_server::serve(listener, Some(STRANGER_TIME), router))
}

/// Trusts a connection that has sent a whole request head: metrics at their own address need no token.
async fn trusted(Extension(trust): Extension<Trust>, request: Request, next: Next) -> Response {
    trust.set();
    next.run(request).await
}

/// The metrics of a job.
pub(crate) fn render(report: &StatusReport) -> String {
    let counts = &report.counts;
    let mut out = Exposition::default();
    let mut accounts =
        BTreeMap::from([("queued".to_owned(), counts.queued), ("in_flight".to_owned(), counts.in_flight)]);
    accounts.extend(counts.done.iter().map(|(done, n)| (format!("done_{}", word(done)), *n)));
    accounts.extend(counts.rejected.iter().map(|(reason, n)| (format!("rejected_{}", word(reason)), *n)));
    out.family("urls", "URLs by state; the sum is goldminer_urls_discovered.", "gauge", "account", &accounts);
    let withheld: BTreeMap<String, u64> = counts.withheld.iter().map(|(says, n)| (word(says), *n)).collect();
    let help = "Pages that are not used because of rights statements, by statement.";
    out.family("pages_withheld_total", help, "counter", "says", &withheld);
    let mut without: BTreeMap<String, u64> = BTreeMap::new();
    for nothing in report.no_yield.iter().filter_map(|portal| portal.nothing.as_ref()) {
        *without.entry(nothing.kind().replace('-', "_")).or_default() += 1;
    }
    let help = "Portals that give no document, by the reason.";
    out.family("portals_without_documents", help, "gauge", "why", &without);
    let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
    for host in &report.hosts {
        *hosts.entry(word(&host.waits_for)).or_default() += 1;
    }
    out.family("hosts", "Hosts by what they wait for.", "gauge", "waits_for", &hosts);
    out.gauge("urls_discovered", "URLs found so far.", counts.discovered);
    out.counter("received_bytes", "Bytes received, over the whole job.", counts.bytes);
    out.counter("retries", "Requests that failed and are retried.", counts.retries);
    out.counter("revisits", "Later visits to start pages, feeds and sitemaps.", counts.revisits);
    out.counter("robots", "Requests for robots.txt.", counts.robots);
    out.gauge("uptime_seconds", "Seconds since this process began.", report.uptime_seconds.unwrap_or(0));
    if let Some(live) = &report.live {
        out.gauge("descriptors", "Open file descriptors.", live.descriptors as u64);
        out.gauge("descriptors_limit", "File descriptors that may be open.", live.descriptors_limit as u64);
        out.gauge("hosts_due", "Hosts that are due now.", live.hosts_due as u64);
        out.gauge("seconds_without_news", "Seconds since a new URL was found.", live.seconds_without_news);
        out.process(live);
        let phases = [("learning".to_owned(), live.learning as u64), ("learned".to_owned(), live.learned as u64)];
        out.family("domains", "Domains by whether they have learned.", "gauge", "phase", &BTreeMap::from(phases));
    }
    out.text
}

/// Metrics in Prometheus's text format: name, help, type and values.
#[derive(Default)]
pub struct Exposition {
    /// The text so far.
    pub text: String,
}

impl Exposition {
    /// Adds a value that goes up and down.
    pub fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, help, "gauge");
        let _ = writeln!(self.text, "goldminer_{name} {value}");
    }

    /// Adds a value that only grows; `_total` is added to its name.
    pub fn counter(&mut self, name: &str, help: &str, value: u64) {
        let name = format!("{name}_total");
        self.head(&name, help, "counter");
        let _ = writeln!(self.text, "goldminer_{name} {value}");
    }

    /// Adds the counters of a crawling process.
    pub fn process(&mut self, counters: &Counters) {
        self.counter("fetched", "Responses kept by this process.", counters.fetched);
        self.counter("unfetched", "Requests of this process without a response to keep.", counters.other);
        self.counter("documents", "Documents written by this process.", counters.documents);
        self.counter("text_bytes", "Bytes of text in these documents.", counters.text_bytes);
        self.counter("read_bytes", "Bytes of the pages that were read for documents.", counters.read_bytes);
        self.counter("pages_without_article", "Pages that gave no document.", counters.without_article);
        self.counter("duplicates", "Pages whose document was in the corpus before.", counters.duplicates);
    }

    /// Adds a metric with one number for each value of a label. Adds nothing if there are no values.
    fn family(&mut self, name: &str, help: &str, kind: &str, label: &str, values: &BTreeMap<String, u64>) {
        if values.is_empty() {
            return;
        }
        self.head(name, help, kind);
        for (of, value) in values {
            let _ = writeln!(self.text, "goldminer_{name}{{{label}=\"{of}\"}} {value}");
        }
    }

    fn head(&mut self, name: &str, help: &str, kind: &str) {
        let _ = writeln!(self.text, "# HELP goldminer_{name} {help}\n# TYPE goldminer_{name} {kind}");
    }
}

/// The JSON name of a value, with `_` in place of `-`, as the value of a label.
fn word(value: &impl serde::Serialize) -> String {
    name_of(value).replace('-', "_")
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::frontier::Counts;
    use crate::frontier::Done;
    use crate::health::no_documents::NoDocuments;
    use crate::health::portal_outcomes::PortalOutcome;
    use crate::run::live::Counters;

    fn report() -> StatusReport {
        let counts = Counts {
            discovered: 10,
            queued: 7,
            in_flight: 1,
            done: BTreeMap::from([(Done::NotModified, 2)]),
            ..Counts::default()
        };
        StatusReport {
            running: true,
            identity_holds: true,
            counts,
            live: None,
            uptime_seconds: Some(5),
            domains: Vec::new(),
            suspects: Vec::new(),
            hosts: Vec::new(),
            portals: Vec::new(),
            no_yield: vec![PortalOutcome {
                portal: "closed.example".to_owned(),
                documents: 0,
                nothing: Some(NoDocuments::Disallowed { rule: "Disallow: /".to_owned() }),
            }],
            at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn the_urls_of_all_states_sum_to_the_discovered_urls() {
        let report = report();
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

    /// Checks names, help and types by the rules of `promtool check metrics`.
    #[test]
    fn every_metric_has_help_and_counters_end_with_total() {
        let report = StatusReport { live: Some(Counters::default()), ..report() };
        let text = render(&report);
        let mut described = BTreeMap::new();
        let mut lines = text.lines().peekable();
        while let Some(help) = lines.next() {
            let name = help.strip_prefix("# HELP ").and_then(|help| help.split_once(' ')).expect(help).0;
            let kind = lines.next().and_then(|kind| kind.strip_prefix("# TYPE ")).expect(name);
            let kind = kind.strip_prefix(name).expect("the type follows the help").trim().to_owned();
            assert_eq!(name.ends_with("_total"), kind == "counter", "{name}");
            assert!(lines.peek().is_some_and(|value| value.starts_with(name)), "{name} has no value");
            while lines.next_if(|value| !value.starts_with('#')).is_some() {}
            assert_eq!(described.insert(name, kind), None, "{name} is described twice");
        }
        assert!(described.contains_key("goldminer_documents_total"));
    }

    #[test]
    fn a_metrics_address_is_a_port_or_a_name_and_a_port() {
        let metrics = |name: Option<&str>| Ok(MetricsAddress { name: name.map(str::to_owned), port: 9100 });
        assert_eq!("9100".parse(), metrics(None));
        assert_eq!("crawler.uni.hu:9100".parse(), metrics(Some("crawler.uni.hu")));
        for typed in ["", ":9100", "crawler.uni.hu", "crawler.uni.hu:", "9100000"] {
            assert!(typed.parse::<MetricsAddress>().is_err_and(|message| message.contains("as in 9100")), "{typed}");
        }
    }
}
