//! Tests many hosts with one IP address that are crawled by several workers.

use std::time::Duration;

use crate::crawl_world::LONG;
use crate::takeovers::{Cluster, HOSTS};

const PAUSE: Duration = Duration::from_millis(250);

#[test]
fn workers_share_the_request_rate_of_a_common_address() {
    let Some(cluster) = Cluster::spaced(&HOSTS, 0.1, "250ms") else { return };
    let mut workers = [cluster.worker("first"), cluster.worker("second")];
    cluster.until("both have registered the address", || cluster.number("SELECT count(*) FROM address") == 2);
    let from = cluster.world.web.log().now() + Duration::from_secs(1);
    cluster.until("some time has passed, or one has ended", || {
        cluster.world.web.log().now() > from + Duration::from_secs(8)
            || cluster.number("SELECT count(DISTINCT owner) FROM partition WHERE done IS NULL AND owner IS NOT NULL")
                < 2
    });
    let to = cluster.world.web.log().now();
    let requests = cluster.world.log().into_iter().filter(|entry| entry.start > from && entry.start < to).count();
    let most = (to - from).as_secs_f64() / PAUSE.as_secs_f64();
    assert!(to - from > Duration::from_secs(3), "too short for a test: {:?}", to - from);
    assert!(
        requests as f64 <= most * 1.1 + 1.0,
        "{requests} requests in {:?}, of {most:.0} that one may make",
        to - from
    );
    assert!(
        requests as f64 > most * 0.4,
        "{requests} requests in {:?}: too few for two workers that share it",
        to - from
    );
    for worker in &mut workers {
        worker.signal("INT");
        let ran = worker.end(LONG);
        assert!(matches!(ran.code(), Some(0 | 130)), "{ran:?}");
    }
}
