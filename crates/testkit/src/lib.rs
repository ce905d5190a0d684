//! The built-in test web: news portals generated from a seed, a server on this machine, and an access log to check a
//! crawler's behaviour.
//!
//! `goldminer demo`, the integration tests and the stress tests crawl this web with the real program. This crate does
//! not depend on the crawler: tests only see the crawler's requests and output.
//!
//! ```text
//! rng ─► prose (three languages) ─► newsroom (articles by number) ─► portals (pages, gold) ─► web ─► access_log
//! ```
//!
//! [`Portals::demo`] makes the demo's five portals. The feature `test-webs`, for tests and benches, adds other portals
//! and faults of servers: see the table in `tests/kit/mod.rs`.

pub mod access_log;
#[cfg(feature = "test-webs")]
#[path = "../tests/kit/mod.rs"]
mod kit;
pub mod newsroom;
pub mod portals;
pub mod prose;
mod rng;
pub mod web;

use std::time::Duration;

use access_log::{Entry, Violation};
#[cfg(feature = "test-webs")]
pub use kit::{attacks, barriers, traps};
use portals::Portals;
use portals::place::{Kind, PageSpec};

/// The content of a seeds file with all portals of a test web. Their host names do not exist, so the crawler needs
/// [`web::Web::resolve_rule`] to find the server.
pub fn seeds(portals: &Portals) -> String {
    let mut seeds =
        "# The built-in portals. Their host names work only on this machine: to crawl them, use the command with\n\
         # --allow-private and --resolve that `goldminer demo --serve` prints.\n[crawl]\n\
         user_agent = \"goldminer-demo/1.0 (+https://demo.example/crawler; crawler@demo.example)\"\n"
            .to_owned();
    for portal in portals.iter() {
        seeds += &format!("\n# {}\n[[portal]]\nstart = [\"{}\"]\nscope = \"host\"\n", portal.name, portal.start());
    }
    seeds
}

/// Finds the requests in a log that break the rules of these portals, with [`access_log::violations`]. The rules are
/// each portal's robots.txt and the time between requests: at least `delay` and the portal's Crawl-delay. Only front
/// pages, feeds and sitemaps may be fetched again.
pub fn violations(entries: &[Entry], portals: &Portals, delay: Duration) -> Vec<Violation> {
    let known: std::collections::HashMap<String, _> =
        portals.iter().map(|portal| (portal.host.clone(), portal)).collect();
    let revisited = [Kind::Front, Kind::Feed, Kind::SitemapIndex, Kind::NewsSitemap].map(|kind| PageSpec::new(kind, 0));
    let rules = access_log::Rules {
        delay: &|host| known.get(host).and_then(|p| p.robots().crawl_delay).map_or(delay, |own| own.max(delay)),
        forbidden: &|host, path| known.get(host).is_some_and(|portal| !portal.robots().allows(path)),
        repeatable: &|host, path| {
            known.get(host).is_some_and(|portal| {
                revisited.iter().any(|place| portal.path(*place).as_deref() == Some(path)) || portal.is_sitemap(path)
            })
        },
    };
    access_log::violations(entries, &rules)
}
