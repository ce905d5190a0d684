//! Crawls the portals of the test web on this machine with the library, until no URL is left.
//!
//! ```text
//! cargo run --release --example crawl -- my-crawl
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use goldminer_crawl::config::{Config, Overrides};
use goldminer_crawl::run::crawl::Job;
use goldminer_crawl::run::live::Live;
use goldminer_crawl::run::{self, Stop};
use goldminer_crawl::seeds::Seeds;
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::{Web, WebConfig};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).context("name a folder for the crawl")?);
    let portals = Portals::demo(&Size { scale: 0.2, ..Size::default() });
    let web = Web::start(WebConfig::new(portals.clone())).await?;

    let seeds = Seeds::parse(&goldminer_testkit::seeds(&portals), "seeds.toml")?;
    let overrides = Overrides {
        delay: Some("50ms".parse().map_err(anyhow::Error::msg)?),
        // The names of the portals do not exist. `resolve` maps them to the server on loopback.
        allow_private: vec!["loopback".to_owned()],
        resolve: vec![web.resolve_rule()],
        ..Overrides::default()
    };
    let job = Job::open(&folder, Config::effective(seeds, &overrides)?)?;
    let (stopper, _) = tokio::sync::watch::channel(Stop::No);
    let report = run::crawl(&job, Arc::new(Live::default()), stopper).await?;
    println!("{:?}: {} pages; the corpus is in {}", report.ended, report.counts.pages, job.dir.corpus().display());
    Ok(())
}
