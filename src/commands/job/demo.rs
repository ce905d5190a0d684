//! `goldminer demo`: crawls the built-in portals on this machine, and reports the results.

use std::time::{Duration, Instant};

use anyhow::Context;
use goldminer_crawl::{Config, Ended, Job, Overrides, Seeds};
use goldminer_testkit::access_log::ViolationKind;
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::{Web, WebConfig};

use super::crawl;
use super::demo_report::DemoReport;
use crate::cli::DemoArgs;
use crate::commands::look::report;
use crate::commands::{Exit, logging, misuse, output};

/// Runs `goldminer demo`.
///
/// # Errors
/// When the server cannot start, or an error ends the crawl.
pub(crate) fn run(args: &DemoArgs, verbose: u8, quiet: bool) -> anyhow::Result<Exit> {
    let portals = Portals::demo(&Size::default());
    let server = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    let config = WebConfig { port: args.port, log_file: args.access_log.clone(), ..WebConfig::new(portals.clone()) };
    let web = server.block_on(Web::start(config)).context("cannot open a loopback port for the demo's portals")?;
    if args.serve {
        return serve(&server, &web, &portals);
    }
    let seeds = Seeds::parse(&goldminer_testkit::seeds(&portals), "the demo's seeds")?;
    let overrides = Overrides {
        delay: Some(args.delay),
        allow_private: vec!["loopback".to_owned()],
        resolve: vec![web.resolve_rule()],
        ..Overrides::default()
    };
    let config = Config::effective(seeds, &overrides)?;
    let names = |config: &Config| config.portals.iter().map(|portal| portal.name.clone()).collect::<Vec<_>>();
    let before = Config::of_job(&args.dir)?;
    if before.as_ref().is_some_and(|there| names(there) != names(&config)) {
        return misuse(format_args!(
            "{} is the job directory of another crawl; name another --dir",
            args.dir.display()
        ));
    }
    let job = Job::open(&args.dir, config)?;
    let _log = logging::init(verbose, quiet, Some(&job.dir.log()))?;
    let names: Vec<String> = portals.iter().map(|portal| format!("{} ({})", portal.name, portal.host)).collect();
    let (number, names, dir) = (names.len(), names.join(", "), args.dir.display());
    output::line(format_args!(
        "Crawling {number} built-in portals on this machine (no network): {names}.\nEverything goes to {dir}/."
    ))?;
    #[allow(clippy::disallowed_methods)] // the duration is printed
    let began = Instant::now();
    let outcome = crawl::crawl(&job, quiet)?;
    if outcome.ended == Ended::Interrupted {
        output::line(crawl::ended(&outcome.ended, outcome.counts.queued))?;
        return Ok(Exit::Interrupted);
    }
    let requests = web.log().entries();
    let mut violations = goldminer_testkit::violations(&requests, &portals, args.delay.0);
    if before.is_some() {
        // An earlier run, which was interrupted, has requested robots.txt.
        violations.retain(|violation| violation.kind != ViolationKind::BeforeRobots);
    }
    let demo = DemoReport::gather(&job.dir, &portals, &outcome, &violations)?;
    output::line(demo.in_words(&args.dir, (!requests.is_empty()).then(|| began.elapsed())))?;
    let exit = crawl::exit(&outcome);
    // The reports read the job like any other command, so no process may be working on it.
    drop(job);
    output::line(format_args!("\nReport: {}", report::of_job(&args.dir)?.display()))?;
    server.shutdown_timeout(Duration::from_millis(200));
    Ok(exit)
}

/// Serves the portals until Ctrl-C or a termination signal. Their seeds file exists only during this time.
fn serve(server: &tokio::runtime::Runtime, web: &Web, portals: &Portals) -> anyhow::Result<Exit> {
    let file = std::env::temp_dir().join(format!("goldminer-demo-{}.toml", std::process::id()));
    let options = format!("--allow-private --resolve '{}' --delay 1s", web.resolve_rule());
    let serving = async {
        std::fs::write(&file, goldminer_testkit::seeds(portals))
            .with_context(|| format!("cannot write {}", file.display()))?;
        output::line(format_args!(
            "Serving {} at http://{}; Ctrl-C ends it. In another terminal:\n\n  goldminer check {file} {options}\n  \
             goldminer crawl {file} --dir practice {options}\n",
            portals.hosts().join(", "),
            web.address(),
            file = file.display(),
        ))?;
        std::future::pending().await
    };
    let ended = server.block_on(async {
        tokio::select! {
            // Signals are caught before the file is written, so no signal leaves the file behind.
            biased;
            () = crawl::interrupted() => Ok(Exit::Done),
            failed = serving => failed,
        }
    });
    // The file may never have been written, so an error does not matter.
    let _ = std::fs::remove_file(&file);
    ended
}
