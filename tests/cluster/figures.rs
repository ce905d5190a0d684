//! Tests the metrics of a worker, requested as by Prometheus.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use crate::crawl_world::{LONG, run, start};
use crate::takeovers::Cluster;

#[test]
fn prometheus_gets_figures_and_a_used_port_is_reported() {
    let Some(cluster) = Cluster::new(&["courier.example", "naplo.example"], 0.3) else { return };
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = run(cluster.verb("work").args(["--metrics", &address, "--dir"]).arg(cluster.world.path("none")), LONG);
    assert!(ran.code() == Some(1) && ran.stderr.contains(&format!("--metrics {address}")), "{ran:?}");
    drop(taken);

    let port = address.rsplit(':').next().unwrap();
    let mut worker = start(cluster.verb("work").args(["--metrics", port, "--dir"]).arg(cluster.world.path("first")));
    let scrape = || {
        let mut stream = TcpStream::connect(&address).ok()?;
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        Some(text)
    };
    let value = |name: &str| -> Option<u64> {
        scrape()?.lines().find_map(|line| line.strip_prefix(&format!("goldminer_{name} "))?.trim().parse().ok())
    };
    cluster.until("it has committed documents", || {
        value("worker_commits_total") > Some(0) && value("documents_total") > Some(0)
    });
    assert_eq!(value("cluster_workers"), Some(1));
    assert_eq!(value("worker_database_away"), Some(0));
    assert!(value("worker_lease_seconds") <= Some(2) && value("cluster_partitions_open") <= Some(2));
    worker.signal("INT");
    let ran = worker.end(LONG);
    assert!(matches!(ran.code(), Some(0 | 130)), "{ran:?}");
}
