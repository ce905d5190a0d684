//! Values of options that should match a document and match none: most often they are typing errors.

use std::collections::BTreeSet;
use std::path::PathBuf;

use goldminer_core::Document;
use goldminer_corpus::is_of_domain;
use goldminer_html::CrawlUrl;

use crate::cli::FilterArgs;
use crate::commands::UsageError;

/// The most names in the documents that are listed.
const LISTED: usize = 10;

/// The values that no document has matched so far.
pub(super) struct Unmatched {
    options: [Values; 3],
}

struct Values {
    option: &'static str,
    what: &'static str,
    open: Vec<String>,
    /// Names that documents have, some of them.
    there: BTreeSet<String>,
}

impl Unmatched {
    pub(super) fn of(filter: &FilterArgs, robots_now: &[(String, PathBuf)]) -> Self {
        let values = |option, what, open| Values { option, what, open, there: BTreeSet::new() };
        let hosts = robots_now.iter().map(|(host, _)| host.clone()).collect();
        Self {
            options: [
                values("--robots-now", "host", hosts),
                values("--domain", "domain", filter.domain.clone()),
                values("--language", "language", filter.language.clone()),
            ],
        }
    }

    /// Looks at a document, before any of the options is applied to it.
    pub(super) fn see(&mut self, document: &Document) {
        for values in self.options.iter_mut().filter(|values| !values.open.is_empty()) {
            let name = match values.what {
                "host" => CrawlUrl::parse(&document.url).ok().map(|url| url.host_name().to_owned()),
                "domain" => Some(document.metadata.domain.clone()),
                _ => document.metadata.language.clone(),
            };
            let is_domain = values.what == "domain";
            values.open.retain(|value| match is_domain {
                true => !is_of_domain(document, value),
                false => name.as_ref() != Some(value),
            });
            if values.there.len() < LISTED {
                values.there.extend(name);
            }
        }
    }

    /// Warns of values of filters; a host whose robots.txt would not be applied is an error.
    ///
    /// # Errors
    /// When no document is from a host of `--robots-now`.
    pub(super) fn report(&self) -> Result<(), UsageError> {
        for values in self.options.iter().filter(|values| !values.open.is_empty()) {
            let Values { option, what, open, there } = values;
            let there = there.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let message = format!("{option} {}: no document has this {what} ({what}s: {there})", open.join(", "));
            if *option == "--robots-now" {
                return Err(UsageError::of(message));
            }
            tracing::warn!("{message}");
        }
        Ok(())
    }
}
