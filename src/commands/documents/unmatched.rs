//! Finds values of options that should match a document and match none, most often because of a typo.

use std::collections::BTreeSet;
use std::path::PathBuf;

use goldminer_core::Document;
use goldminer_corpus::is_below;
use goldminer_html::CrawlUrl;

use crate::cli::FilterArgs;
use crate::commands::UsageError;

/// The most names from the documents that a message lists.
const LISTED: usize = 10;

/// The values of `--robots-now`, `--domain` and `--language` that no document has matched so far.
pub(super) struct Unmatched {
    options: [Values; 3],
}

struct Values {
    option: &'static str,
    what: &'static str,
    /// The names of a document that a value may match. The first one is listed in messages.
    names: fn(&Document) -> Vec<String>,
    /// Whether a name matches a value.
    is_match: fn(&str, &str) -> bool,
    open: Vec<String>,
    /// Some of the names that documents have.
    there: BTreeSet<String>,
}

impl Unmatched {
    pub(super) fn of(filter: &FilterArgs, robots_now: &[(String, PathBuf)]) -> Self {
        let robots = Values {
            option: "--robots-now",
            what: "host",
            names: |document| CrawlUrl::parse(&document.url).iter().map(|url| url.host_name().to_owned()).collect(),
            is_match: |name, value| name == value,
            open: robots_now.iter().map(|(host, _)| host.clone()).collect(),
            there: BTreeSet::new(),
        };
        let domain = Values {
            option: "--domain",
            what: "domain",
            names: |document| {
                let metadata = &document.metadata;
                std::iter::once(metadata.domain.as_str()).chain(metadata.host.as_deref()).map(str::to_owned).collect()
            },
            is_match: is_below,
            open: filter.domain.clone(),
            there: BTreeSet::new(),
        };
        let language = Values {
            option: "--language",
            what: "language",
            names: |document| document.metadata.language.iter().cloned().collect(),
            is_match: |name, value| name == value,
            open: filter.language.clone(),
            there: BTreeSet::new(),
        };
        Self { options: [robots, domain, language] }
    }

    /// Checks a document, before any of the options is applied to it.
    pub(super) fn see(&mut self, document: &Document) {
        for values in self.options.iter_mut().filter(|values| !values.open.is_empty()) {
            let names = (values.names)(document);
            values.open.retain(|value| !names.iter().any(|name| (values.is_match)(name, value)));
            if values.there.len() < LISTED {
                values.there.extend(names.into_iter().next());
            }
        }
    }

    /// Warns of unmatched values of filters. An unmatched host of `--robots-now` is an error, because its robots.txt
    /// would not be applied.
    ///
    /// # Errors
    /// When no document is from a host of `--robots-now`.
    pub(super) fn report(&self) -> Result<(), UsageError> {
        for values in self.options.iter().filter(|values| !values.open.is_empty()) {
            let Values { option, what, open, there, .. } = values;
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
