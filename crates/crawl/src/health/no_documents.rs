//! The reasons why a portal gave no document, with their evidence, as data and in words. `portal_outcomes` finds them
//! at the end of a crawl, `portal_watch` while it runs.

use std::collections::BTreeMap;
use std::fmt;

use goldminer_corpus::figures::counted;
use serde::{Deserialize, Serialize};

use super::obstacle::Obstructed;
use crate::store::frontier::name_of;

/// Why a portal gave no document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "why")]
pub enum NoDocuments {
    /// The portal never answered.
    NeverAnswered {
        /// The failure, if known.
        cause: String,
    },
    /// The portal's robots.txt is unreachable, so nothing may be requested.
    NoRobots {
        /// The failure, if known.
        cause: String,
    },
    /// robots.txt forbids the portal's start pages.
    Disallowed {
        /// The rule.
        rule: String,
    },
    /// The portal refuses requests.
    Refused {
        /// Number of refused URLs by status. The keys are strings, because serde cannot read a tagged variant
        /// with numeric keys.
        statuses: BTreeMap<String, u64>,
        /// Number of refused URLs whose response was a CAPTCHA.
        captchas: u64,
    },
    /// Pages arrived, but an obstacle hides their text.
    Obstructed(Obstructed),
    /// Pages arrived, but ask not to be used in this way.
    Withheld {
        /// Number of pages with such a restriction.
        pages: u64,
        /// Number of all pages that arrived.
        of: u64,
        /// The restriction.
        says: String,
    },
    /// The start pages do not exist.
    Gone {
        /// The HTTP status.
        status: u16,
    },
    /// The start pages lead to another site, which is out of the portal's scope.
    LeadsElsewhere {
        /// The target of the redirect, or the host that most links lead to.
        to: String,
        /// Number of links in the portal's pages, all out of scope; 0 for a redirect.
        links: u64,
    },
    /// The start page redirects to itself.
    RedirectsToItself {
        /// Its URL.
        to: String,
    },
    /// The requests failed.
    Failed {
        /// The last failure.
        reason: String,
    },
    /// The portal answered, but no page arrived: there are no links to pages within its scope.
    NoPages,
    /// The portal's URLs were removed from the job.
    Withdrawn,
    /// Pages arrived, but none gave text.
    NoArticles {
        /// Number of extracted pages.
        pages: u64,
        /// Number of other URLs whose requests failed.
        #[serde(default)]
        failed: u64,
        /// The commonest failure; empty if there was none.
        #[serde(default)]
        cause: String,
    },
    /// Pages arrived, but all articles are duplicates.
    AllDuplicates {
        /// Number of extracted pages.
        pages: u64,
    },
    /// The portal's URLs were not requested yet, or its pages not extracted.
    NotYet {
        /// Number of queued URLs.
        queued: u64,
        /// Number of fetched pages, if none of them was extracted.
        unextracted: u64,
    },
}

impl fmt::Display for NoDocuments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverAnswered { cause } => write!(f, "it never answered ({cause})"),
            Self::NoRobots { cause } => {
                write!(f, "its robots.txt is unreachable ({cause}), so nothing else may be requested")
            }
            Self::Disallowed { rule } => write!(f, "robots.txt forbids it ({rule})"),
            Self::Refused { statuses, captchas } => {
                let urls = |count: u64| if count == 1 { "one URL".to_owned() } else { format!("{count} URLs") };
                let mut answers: Vec<String> =
                    statuses.iter().map(|(status, count)| format!("status {status} for {}", urls(*count))).collect();
                answers.extend((*captchas > 0).then(|| format!("a CAPTCHA for {}", urls(*captchas))));
                write!(f, "it refuses ({})", answers.join(", "))
            }
            Self::Obstructed(obstructed) => obstructed.fmt(f),
            Self::Withheld { pages, of, says } => {
                write!(f, "{pages} of its {of} pages are not used, because they say {says}")
            }
            Self::Gone { status } => write!(f, "its start page does not exist (status {status})"),
            Self::LeadsElsewhere { to, links: 0 } => {
                write!(f, "its start page redirects to {to}, which is out of its scope")
            }
            Self::LeadsElsewhere { to, links: 1 } => {
                write!(f, "its only link leads to {to}, which is out of its scope")
            }
            Self::LeadsElsewhere { to, links } => {
                write!(f, "all {links} links of its pages are out of its scope, most of them to {to}")
            }
            Self::RedirectsToItself { to } => {
                write!(f, "its start page {to} redirects to itself, probably because it wants a cookie")
            }
            Self::Failed { reason } => write!(f, "its requests failed ({reason})"),
            Self::NoPages => write!(f, "no pages: there are no links within its scope"),
            Self::Withdrawn => write!(f, "it was removed from the job (goldminer drop)"),
            Self::NoArticles { pages, failed, cause } => {
                match pages {
                    1 => write!(f, "1 page, which is not an article")?,
                    _ => write!(f, "{pages} pages, none of them an article")?,
                }
                match failed {
                    0 => Ok(()),
                    1 => write!(f, "; the request for another URL failed ({cause})"),
                    _ => write!(f, "; the requests for {failed} other URLs failed (most often: {cause})"),
                }
            }
            Self::AllDuplicates { pages: 1 } => write!(f, "1 page, which repeats another article"),
            Self::AllDuplicates { pages } => write!(f, "all articles on its {pages} pages repeat other articles"),
            Self::NotYet { queued, unextracted } => {
                let urls = (*queued > 0).then(|| counted(*queued, "URL is queued", "URLs are queued"));
                let pages = (*unextracted > 0)
                    .then(|| counted(*unextracted, "fetched page is not extracted", "fetched pages are not extracted"));
                write!(f, "not yet: {}", urls.into_iter().chain(pages).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl NoDocuments {
    /// The reason if a start page redirects to `to`, which may be the page itself.
    pub(crate) fn redirected(to_itself: bool, to: String) -> Self {
        if to_itself { Self::RedirectsToItself { to } } else { Self::LeadsElsewhere { to, links: 0 } }
    }

    /// The reason in one word: its name in JSON or, for an obstacle, the name of the obstacle.
    pub fn kind(&self) -> String {
        match self {
            Self::Obstructed(obstructed) => name_of(&obstructed.by),
            other => {
                let json = serde_json::to_value(other).unwrap_or_default();
                json["why"].as_str().unwrap_or_default().to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_reason_has_one_name_in_json_logs_and_metrics() {
        let all = [
            NoDocuments::NeverAnswered { cause: String::new() },
            NoDocuments::NoRobots { cause: String::new() },
            NoDocuments::Disallowed { rule: String::new() },
            NoDocuments::Refused { statuses: BTreeMap::new(), captchas: 1 },
            NoDocuments::Withheld { pages: 1, of: 1, says: String::new() },
            NoDocuments::Gone { status: 404 },
            NoDocuments::LeadsElsewhere { to: String::new(), links: 0 },
            NoDocuments::Failed { reason: String::new() },
            NoDocuments::NoPages,
            NoDocuments::Withdrawn,
            NoDocuments::RedirectsToItself { to: String::new() },
            NoDocuments::NoArticles { pages: 1, failed: 0, cause: String::new() },
            NoDocuments::AllDuplicates { pages: 1 },
            NoDocuments::NotYet { queued: 1, unextracted: 0 },
        ];
        for reason in all {
            assert_eq!(serde_json::to_value(&reason).unwrap()["why"], Value::from(reason.kind()));
        }
    }

    #[test]
    fn queued_urls_and_unextracted_pages_are_counted_separately() {
        for (queued, unextracted, words) in [
            (50, 7, "not yet: 50 URLs are queued, 7 fetched pages are not extracted"),
            (1, 0, "not yet: 1 URL is queued"),
            (0, 1, "not yet: 1 fetched page is not extracted"),
        ] {
            assert_eq!(NoDocuments::NotYet { queued, unextracted }.to_string(), words);
        }
    }
}
