//! Makes the configuration of a crawl or of single requests from options, seeds file and environment. An error names
//! the option, the variable, or the file and line with the wrong setting.

use std::path::Path;
use std::sync::Arc;

use goldminer_crawl::config::NO_USER_AGENT;
use goldminer_crawl::health::probe::{Probe, Probed};
use goldminer_crawl::seeds;
use goldminer_crawl::{Config, ConfigError, Overrides, Portal, Seeds};
use goldminer_fetch::Accept;
use goldminer_html::CrawlUrl;
use tokio::sync::Semaphore;

use crate::cli::NetworkArgs;
use crate::commands::{UsageError, runtime};

/// The environment variable for the user agent, if neither the command line nor a seeds file has one.
const USER_AGENT: &str = "GOLDMINER_USER_AGENT";
/// The most hosts that get requests at the same time.
const AT_ONCE: usize = 32;

/// The options that override a seeds file.
pub(crate) fn overrides(args: &NetworkArgs) -> Overrides {
    Overrides {
        user_agent: args.user_agent.clone(),
        delay: args.delay,
        allow_private: args.allow_private.clone(),
        resolve: args.resolve.clone(),
        ..Overrides::default()
    }
}

/// Takes the user agent from the environment if the seeds have none.
fn ask_environment(seeds: &mut Seeds) {
    if seeds.crawl.user_agent.trim().is_empty() {
        seeds.crawl.user_agent = std::env::var(USER_AGENT).unwrap_or_default();
    }
}

/// The configuration of a crawl of a seeds file.
///
/// # Errors
/// When a setting is wrong. The message names its place.
pub(crate) fn config(
    mut seeds: Seeds,
    overrides: &Overrides,
    args: &NetworkArgs,
    file: &Path,
) -> Result<Config, UsageError> {
    ask_environment(&mut seeds);
    Config::effective(seeds, overrides).map_err(|error| match error {
        ConfigError::NoUserAgent if !seeds::has_settings(file) => no_user_agent(),
        error => usage_error(&error, args, file),
    })
}

/// The configuration for some requests without a seeds file.
///
/// # Errors
/// When an option is invalid, or no user agent is given.
pub(crate) fn without_seeds(urls: &[CrawlUrl], args: &NetworkArgs) -> Result<Config, UsageError> {
    let mut seeds = Seeds::default();
    seeds.portals.extend(urls.iter().map(|url| Portal::around(url.host_name().to_owned(), url.clone())));
    ask_environment(&mut seeds);
    Config::effective(seeds, &overrides(args)).map_err(|error| match error {
        ConfigError::NoUserAgent => no_user_agent(),
        error => usage_error(&error, args, Path::new("")),
    })
}

/// Requests one page, as politely as a crawl.
///
/// # Errors
/// As [`without_seeds`].
pub(crate) fn page(url: &CrawlUrl, args: &NetworkArgs) -> anyhow::Result<Probed> {
    let probe = Probe::new(&without_seeds(std::slice::from_ref(url), args)?)?;
    Ok(runtime()?.block_on(probe.get(url, Accept::Page)))
}

/// Calls an asynchronous function for each item, for several at the same time. The results are in the order of the
/// items.
///
/// # Errors
/// When the system cannot start a thread, or a request panicked.
pub(crate) fn ask_each<T, A: Send + 'static, F: Future<Output = A> + Send + 'static>(
    probe: Probe,
    things: impl IntoIterator<Item = T>,
    ask: impl Fn(Arc<Probe>, T) -> F,
) -> anyhow::Result<Vec<A>> {
    let (probe, turns) = (Arc::new(probe), Arc::new(Semaphore::new(AT_ONCE)));
    runtime()?.block_on(async {
        let spawned = things.into_iter().map(|thing| {
            let (answer, turns) = (ask(Arc::clone(&probe), thing), Arc::clone(&turns));
            tokio::spawn(async move {
                let _turn = turns.acquire().await;
                answer.await
            })
        });
        let mut answers = Vec::new();
        for task in spawned.collect::<Vec<_>>() {
            answers.push(task.await?);
        }
        Ok(answers)
    })
}

/// The error for a missing user agent where there is no seeds file to write it in.
fn no_user_agent() -> UsageError {
    UsageError::of(format_args!(
        "{NO_USER_AGENT}; give a name, and a web page or an e-mail address of your own:\n    --user-agent \
         \"my-corpus/1.0 (+https://example.org/my-crawl; me@example.org)\"\n  (or set the environment variable \
         {USER_AGENT})"
    ))
}

/// The error for a wrong setting, with its place: the option, the variable, or file, line and key.
fn usage_error(error: &ConfigError, args: &NetworkArgs, seeds: &Path) -> UsageError {
    let place = match error.key() {
        Some("delay") if args.delay.is_some() => Some("--delay".to_owned()),
        Some("user_agent") if args.user_agent.is_some() => Some("--user-agent".to_owned()),
        Some(key) => seeds::place_of(seeds, key).or_else(|| {
            let is_variable = key == "user_agent" && !matches!(error, ConfigError::NoUserAgent);
            is_variable.then(|| USER_AGENT.to_owned())
        }),
        None => None,
    };
    match place.or_else(|| Some(seeds.display().to_string()).filter(|name| !name.is_empty())) {
        Some(place) => UsageError::of(format_args!("{place}: {error}")),
        None => UsageError::of(error),
    }
}
