//! Who asks the web and how: from options, seeds file and environment to the configuration of a crawl or of single
//! requests. What is wrong is told with its place.

use std::path::Path;

use goldminer_crawl::config::{Config, ConfigError, Overrides};
use goldminer_crawl::seeds;
use goldminer_crawl::seeds::{Portal, Seeds};
use goldminer_html::address::CrawlUrl;

use crate::cli::NetworkArgs;
use crate::commands::UsageError;

/// Who asks, where neither the command line nor a seeds file says so.
const USER_AGENT: &str = "GOLDMINER_USER_AGENT";

/// What the options set over a seeds file.
#[must_use]
pub(crate) fn overrides(args: &NetworkArgs) -> Overrides {
    Overrides {
        user_agent: args.user_agent.clone(),
        delay: args.delay,
        allow_private: args.allow_private.clone(),
        resolve: args.resolve.clone(),
        ..Overrides::default()
    }
}

/// Takes the user agent from the environment where the seeds have none.
pub(crate) fn ask_environment(seeds: &mut Seeds) {
    if seeds.crawl.user_agent.as_ref().is_none_or(|text| text.trim().is_empty()) {
        seeds.crawl.user_agent = std::env::var(USER_AGENT).ok().filter(|text| !text.trim().is_empty());
    }
}

/// The configuration for some requests without a seeds file.
///
/// # Errors
/// When an option makes no sense, or nobody says who asks.
pub(crate) fn without_seeds(urls: &[CrawlUrl], args: &NetworkArgs) -> Result<Config, UsageError> {
    let mut seeds = Seeds::default();
    seeds.portals.extend(urls.iter().map(|url| Portal::around(url.host_name().to_owned(), url.clone())));
    ask_environment(&mut seeds);
    Config::effective(seeds, &overrides(args)).map_err(|error| match error {
        ConfigError::NoUserAgent => UsageError::of(format_args!(
            "no user agent: whoever is asked must see by whom, and have somebody to write to; give a name, and a page or an \
             address of your own:\n    --user-agent \"my-corpus/1.0 (+https://example.org/my-crawl; me@example.org)\"\n  (or \
             the same in the environment as {USER_AGENT})"
        )),
        error => usage_error(&error, args, Path::new("")),
    })
}

/// A wrong setting with its place: the option, the variable, or file, line and key.
#[must_use]
pub(crate) fn usage_error(error: &ConfigError, args: &NetworkArgs, seeds: &Path) -> UsageError {
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
