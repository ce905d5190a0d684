//! The seeds file: which portals to crawl, and how the crawler identifies itself.
//!
//! [`Seeds::parse`] converts what was typed to validated values: canonical URLs, durations, compiled patterns. An
//! error names the file, the line and the key, and says what to write (`mistake`). The defaults are in
//! `crawl_settings`. Nothing here uses the network.

mod crawl_settings;
mod mistake;
mod pattern;
mod read;
mod typed;
mod units;

use goldminer_html::CrawlUrl;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use mistake::{explained, line_of_portal, malformed};

pub use crawl_settings::CrawlSettings;
pub use mistake::SeedsError;
pub(crate) use mistake::{explain, nearest};
pub use pattern::Pattern;
pub use read::{has_settings, place_of};
pub use typed::{of_host_name, seed_url, typed_url};
pub use units::{ByteSize, HumanDuration};

/// A validated seeds file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Seeds {
    /// Settings of the whole crawl.
    pub crawl: CrawlSettings,
    /// The portals, at least one.
    #[serde(rename = "portal")]
    pub portals: Vec<Portal>,
}

/// One table `[[portal]]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Portal {
    /// A short name for logs; by default the host of the first start page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The start pages; the first one also defines the scope.
    #[serde(deserialize_with = "typed::start_pages")]
    pub start: Vec<CrawlUrl>,
    /// RSS, Atom or JSON feeds, besides those that the portal announces.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "typed::urls")]
    pub feeds: Vec<CrawlUrl>,
    /// Sitemaps, besides those that robots.txt announces.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "typed::urls")]
    pub sitemaps: Vec<CrawlUrl>,
    /// Which links are followed.
    #[serde(default)]
    pub scope: ScopeKind,
    /// If given, only URLs that match one of these are followed (except start pages).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<Pattern>,
    /// URLs that match one of these are not followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<Pattern>,
    /// The most fetched pages of this portal, counted as in `[crawl]`.
    pub max_pages: Option<u64>,
    /// The greatest depth: a page must be reachable from a start page by at most this many links.
    pub max_depth: Option<u32>,
    /// The most bytes received from this portal.
    pub max_bytes: Option<ByteSize>,
    /// A delay for this portal's hosts, if longer than the one in `[crawl]`.
    pub delay: Option<HumanDuration>,
    /// The languages in which pages are requested, for a portal that serves several at one URL.
    #[serde(default, deserialize_with = "languages")]
    pub accept_language: Option<String>,
}

/// The scope of a portal around its start pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// The host names of the start pages, over http and https, with and without `www.`.
    #[default]
    Host,
    /// The registrable domains of the start pages, with all subdomains.
    Domain,
    /// The host names of the start pages, as in `Host`, but only URLs whose path begins with the folder of a start page
    /// (its path up to the last `/`).
    Prefix,
}

impl Portal {
    /// A portal for the host of one start page, without further rules.
    pub fn around(name: String, start: CrawlUrl) -> Self {
        Self { name, start: vec![start], ..Self::default() }
    }
}

impl Seeds {
    /// Parses and validates a seeds file; `name` is the file's name in messages.
    ///
    /// # Errors
    /// When there is a mistake in the file.
    pub fn parse(text: &str, name: &str) -> Result<Self, SeedsError> {
        let toml = toml::Deserializer::parse(text).map_err(|error| malformed(text, name, &error))?;
        let mut seeds: Self =
            serde_path_to_error::deserialize(toml).map_err(|refused| explained::<Self>(text, name, &refused))?;
        if seeds.portals.is_empty() {
            let message = "no [[portal]]; add one with start = [\"https://portal.example/\"]";
            return Err(SeedsError::at(name, None, None, message));
        }
        for portal in seeds.portals.iter_mut().filter(|portal| portal.name.is_empty()) {
            portal.name = portal.start.first().map(|first| first.host_name().to_owned()).unwrap_or_default();
        }
        for (i, portal) in seeds.portals.iter().enumerate() {
            if let Some(earlier) = seeds.portals[..i].iter().position(|p| p.name == portal.name) {
                let other = line_of_portal(text, earlier).map_or_else(String::new, |line| format!(" (line {line})"));
                let message = format!(
                    "two portals are named {:?}; join its start pages with those of the earlier [[portal]]{other}, or give \
                     each a name of its own",
                    portal.name
                );
                return Err(SeedsError::at(name, line_of_portal(text, i), None, &message));
            }
        }
        Ok(seeds)
    }
}

fn languages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let list = String::deserialize(deserializer)?;
    match is_list_of_languages(&list) {
        true => Ok(Some(list)),
        false => Err(D::Error::custom("no list of languages; write accept_language = \"hu\" or \"hu, en;q=0.5\"")),
    }
}

/// Whether a text is a list of language ranges with weights, as in `Accept-Language` (RFC 9110, section 12.5.4).
fn is_list_of_languages(list: &str) -> bool {
    let is_range = |range: &str| {
        let mut subtags = range.split('-');
        range == "*" || subtags.all(|tag| matches!(tag.len(), 1..=8) && tag.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    let is_weight = |weight: &str| {
        let number = weight.trim().strip_prefix("q=");
        number.is_some_and(|number| number.parse::<f32>().is_ok_and(|weight| (0.0..=1.0).contains(&weight)))
    };
    list.split(',').all(|language| match language.split_once(';') {
        Some((range, weight)) => is_range(range.trim()) && is_weight(weight),
        None => is_range(language.trim()),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn complaint(text: &str) -> String {
        Seeds::parse(text, "seeds/mine.toml").expect_err("wrong seeds were taken").to_string()
    }

    #[test]
    fn a_portal_is_named_after_its_host() {
        let seeds = Seeds::parse(
            "[crawl]\nuser_agent = \"x/1 (+https://x.example)\"\ndelay = \"2s\"\n[[portal]]\nstart = [\"https://Portal.example\"]\nmax_bytes = \"2GiB\"\n",
            "s",
        )
        .unwrap();
        assert_eq!(seeds.portals[0].name, "portal.example");
        assert_eq!(seeds.portals[0].start[0].as_str(), "https://portal.example/");
        assert_eq!(seeds.portals[0].max_bytes, Some(ByteSize(2 << 30)));
        assert_eq!(seeds.crawl.delay, HumanDuration(Duration::from_secs(2)));
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_the_nearest_key() {
        let said = complaint("[[portal]]\nstart = [\"https://p.example/\"]\nmaxpages = 3\n");
        assert_eq!(said, "seeds/mine.toml, line 3: unknown key `maxpages`; did you mean `max_pages`?");
        let said = complaint("[[portal]]\nstart = [\"https://p.example/\"]\nzebra = 3\n");
        assert!(said.contains("unknown key `zebra`; known here: name, start, feeds"), "{said}");
    }

    #[test]
    fn a_wrong_url_pattern_or_duration_says_what_to_write() {
        assert!(complaint("[[portal]]\nstart = [\"portal.example\"]\n").contains("line 2"), "line of the URL");
        let list = "[[portal]]\nstart = [\n    \"https://p.example/\",\n    \"portal.example\",\n]\n";
        assert!(complaint(list).contains("line 4"), "line of the URL in its list");
        assert!(
            complaint("[[portal]]\nstart = [\"https://p.example/\"]\ninclude = [\"(\"]\n")
                .contains("regular expression")
        );
        assert!(complaint("[crawl]\ndelay = \"5\"\n").contains("write it with a unit"));
        assert!(complaint("[crawl]\n").contains("no [[portal]]"));
        assert!(complaint("[[portal]]\nstart = []\n").contains("no start page"));
    }

    #[test]
    fn two_portals_of_one_name_are_refused() {
        let portal = "[[portal]]\nstart = [\"https://p.example/\"]\n";
        assert!(complaint(&portal.repeat(2)).contains("two portals are named \"p.example\""));
    }
}
