//! The seeds file: which portals to crawl, and how to present oneself.
//!
//! [`Seeds::parse`] reads what was typed and gives what is meant: every URL canonical, every duration a duration, every
//! pattern compiled once. A wrong key, value or URL is an error that names the file, the line, the key, and the nearest
//! known key. Nothing here decides about defaults (`config` does) or looks at the network.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::address::CrawlUrl;

/// A seeds file, read and checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seeds {
    /// How the whole crawl behaves.
    #[serde(default)]
    pub crawl: CrawlSettings,
    /// The portals, at least one.
    #[serde(default, rename = "portal")]
    pub portals: Vec<Portal>,
}

/// The table `[crawl]`: what is not given has the default of `config::Config`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrawlSettings {
    /// Product token, version and contact, as sent in `User-Agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// Least time between the end of a response and the next request to the same host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
    /// Least time between two requests to the same address, over all its hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_spacing: Option<Span>,
    /// Stop after so many pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pages: Option<u64>,
    /// Stop after so long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time: Option<Span>,
    /// Requests in flight over all hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_in_flight: Option<usize>,
    /// Requests a second over all hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_requests_per_second: Option<u32>,
    /// Article-like pages that a domain's learning phase waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning_pages: Option<usize>,
    /// With a limit of time: the first and shortest interval between visits of start pages, feeds and sitemaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest_revisit: Option<Span>,
    /// The longest one, for what never changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_revisit: Option<Span>,
    /// Say so when nothing new was found for so long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alarm_after: Option<Span>,
    /// Pause while fewer bytes are free on the job's disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_free: Option<Bytes>,
    /// After so long with too little room the crawl ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_patience: Option<Span>,
    /// First wait of a host after a 429 or 503 without Retry-After; doubles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff: Option<Span>,
    /// First wait of a URL after an error of its own; four times as long each time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_wait: Option<Span>,
    /// The proxy for all requests, as in `http://proxy.example:3128`, or `none`; by default what the environment says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
}

/// One table `[[portal]]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Portal {
    /// A short name for logs; by default the host of the first start page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Where the crawl begins; the first one also says what the scope is.
    pub start: Vec<CrawlUrl>,
    /// RSS, Atom or JSON feeds, besides those that the portal announces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<CrawlUrl>,
    /// Sitemaps, besides those that robots.txt announces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sitemaps: Vec<CrawlUrl>,
    /// How far links are followed.
    #[serde(default)]
    pub scope: ScopeKind,
    /// When given, only URLs that match one of these are followed (start pages are exempt).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<Pattern>,
    /// URLs that match one of these are not followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<Pattern>,
    /// Stop following this portal after so many pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pages: Option<u64>,
    /// Follow links only so far from a start page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
    /// Stop following this portal after so many bytes received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<Bytes>,
    /// A longer delay for this portal's hosts than `[crawl]` has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
}

/// How far links are followed from a portal's start pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// The hosts of the start pages.
    #[default]
    Host,
    /// All hosts of the start pages' registrable domains.
    Domain,
    /// URLs that begin with a start page's URL (up to its last slash).
    Prefix,
}

/// A regular expression over whole URLs (unanchored).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern(pub Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;
    fn try_from(pattern: String) -> Result<Self, String> {
        Regex::new(&pattern).map(Self).map_err(|e| format!("{pattern:?} is not a regular expression: {e}"))
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.as_str().to_owned()
    }
}

/// A duration as people write it: `5s`, `1m 30s`, `250ms`, `2h`, `3d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Span(pub Duration);

impl std::str::FromStr for Span {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let complaint =
            || format!("{text:?} is not a duration; write it with a unit, as in \"5s\", \"250ms\" or \"2h\"");
        // jiff's durations know no days, because a civil day has no fixed length; a crawl's day has 24 hours.
        if let Some(days) = text.trim().strip_suffix('d').and_then(|n| n.trim().parse::<u64>().ok()) {
            return days.checked_mul(86_400).map(|s| Self(Duration::from_secs(s))).ok_or_else(complaint);
        }
        let duration: jiff::SignedDuration = text.trim().parse().map_err(|_| complaint())?;
        Duration::try_from(duration).map(Self).map_err(|_| complaint())
    }
}

impl TryFrom<String> for Span {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::SignedDuration::try_from(self.0) {
            Ok(duration) => write!(f, "{duration:#}"),
            Err(_) => write!(f, "{}s", self.0.as_secs()),
        }
    }
}

impl From<Span> for String {
    fn from(span: Span) -> Self {
        span.to_string()
    }
}

/// A number of bytes as people write it: `500MB`, `2GiB`, or a plain number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BytesTyped", into = "u64")]
pub struct Bytes(pub u64);

#[derive(Deserialize)]
#[serde(untagged)]
enum BytesTyped {
    Number(u64),
    Text(String),
}

impl TryFrom<BytesTyped> for Bytes {
    type Error = String;
    fn try_from(typed: BytesTyped) -> Result<Self, String> {
        match typed {
            BytesTyped::Number(bytes) => Ok(Self(bytes)),
            BytesTyped::Text(text) => text.parse(),
        }
    }
}

impl std::str::FromStr for Bytes {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let trimmed = text.trim();
        let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
        let unit = match trimmed[digits..].trim().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kb" => 1_000,
            "kib" => 1 << 10,
            "m" | "mb" => 1_000_000,
            "mib" => 1 << 20,
            "g" | "gb" => 1_000_000_000,
            "gib" => 1 << 30,
            "t" | "tb" => 1_000_000_000_000,
            "tib" => 1 << 40,
            _ => 0,
        };
        trimmed[..digits]
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(unit))
            .filter(|_| unit > 0)
            .map(Self)
            .ok_or_else(|| format!("{text:?} is not a size; write for example \"500MB\" or \"2GiB\""))
    }
}

impl From<Bytes> for u64 {
    fn from(bytes: Bytes) -> Self {
        bytes.0
    }
}

/// What is wrong with a seeds file, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum SeedsError {
    /// It can't be read.
    #[error("cannot read the seeds file {}: {cause}; give the path of a seeds file, such as seeds/english.toml", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// It isn't what a seeds file is.
    #[error("{name}{}: {message}{hint}", line.map(|l| format!(", line {l}")).unwrap_or_default())]
    Wrong {
        /// The file's name, as given.
        name: String,
        /// The line, from 1.
        line: Option<usize>,
        /// What is wrong.
        message: String,
        /// What may have been meant; empty or beginning with `; `.
        hint: String,
    },
}

impl Portal {
    /// The host of one start page, without further rules.
    #[must_use]
    pub fn around(name: String, start: CrawlUrl) -> Self {
        Self {
            name,
            start: vec![start],
            feeds: Vec::new(),
            sitemaps: Vec::new(),
            scope: ScopeKind::Host,
            include: Vec::new(),
            exclude: Vec::new(),
            max_pages: None,
            max_depth: None,
            max_bytes: None,
            delay: None,
        }
    }
}

impl Seeds {
    /// Reads and checks a seeds file.
    ///
    /// # Errors
    /// When it can't be read, or is wrong; the message names file, line and key.
    pub fn read(path: &Path) -> Result<Self, SeedsError> {
        let text =
            std::fs::read_to_string(path).map_err(|cause| SeedsError::Unreadable { path: path.to_owned(), cause })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Checks the text of a seeds file; `name` is for messages.
    ///
    /// # Errors
    /// When it is wrong.
    pub fn parse(text: &str, name: &str) -> Result<Self, SeedsError> {
        let mut seeds: Self = toml::from_str(text).map_err(|e| {
            let line = e.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let (message, hint) = explain(e.message());
            SeedsError::Wrong { name: name.to_owned(), line, message, hint }
        })?;
        let wrong =
            |message: String| SeedsError::Wrong { name: name.to_owned(), line: None, message, hint: String::new() };
        if seeds.portals.is_empty() {
            return Err(wrong("no [[portal]]; add one with start = [\"https://portal.example/\"]".to_owned()));
        }
        for (i, portal) in seeds.portals.iter_mut().enumerate() {
            let Some(first) = portal.start.first() else {
                let number = i + 1;
                return Err(wrong(format!(
                    "portal {number} has no start page; add start = [\"https://portal.example/\"]"
                )));
            };
            if portal.name.is_empty() {
                portal.name = first.host_name().to_owned();
            }
        }
        for (i, portal) in seeds.portals.iter().enumerate() {
            if seeds.portals[..i].iter().any(|p| p.name == portal.name) {
                let name = &portal.name;
                return Err(wrong(format!(
                    "two portals are named {name:?}; join their start pages in one [[portal]], or give each a name of its own"
                )));
            }
        }
        Ok(seeds)
    }
}

/// A parser's message in our words, and the nearest known key where an unknown one was met.
pub(crate) fn explain(message: &str) -> (String, String) {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match quoted.split_first() {
        Some((unknown, known)) if message.starts_with("unknown field") => {
            let nearest = known
                .iter()
                .map(|k| (strsim::damerau_levenshtein(unknown, k), *k))
                .min()
                .filter(|(distance, k)| *distance <= 1 + k.len() / 3);
            let hint = match nearest {
                Some((_, key)) => format!("; did you mean `{key}`?"),
                None => format!("; known here: {}", known.join(", ")),
            };
            (format!("unknown key `{unknown}`"), hint)
        }
        _ => (message.replace('\n', " "), String::new()),
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(seeds.portals[0].max_bytes, Some(Bytes(2 << 30)));
        assert_eq!(seeds.crawl.delay, Some(Span(Duration::from_secs(2))));
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_the_nearest_known_one() {
        let said = complaint("[[portal]]\nstart = [\"https://p.example/\"]\nmaxpages = 3\n");
        assert_eq!(said, "seeds/mine.toml, line 3: unknown key `maxpages`; did you mean `max_pages`?");
        let said = complaint("[[portal]]\nstart = [\"https://p.example/\"]\nzebra = 3\n");
        assert!(said.contains("unknown key `zebra`; known here: name, start, feeds"), "{said}");
    }

    #[test]
    fn a_wrong_url_pattern_or_duration_says_what_to_write() {
        assert!(complaint("[[portal]]\nstart = [\"portal.example\"]\n").contains("line 2"), "line of the URL");
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

    #[test]
    fn durations_are_written_as_they_are_read() {
        for (text, seconds) in
            [("5s", 5.0), ("250ms", 0.25), ("2h", 7200.0), ("3d", 259_200.0), ("1m 30s", 90.0), ("0s", 0.0)]
        {
            let span: Span = text.parse().unwrap();
            assert!((span.0.as_secs_f64() - seconds).abs() < 1e-9, "{text}");
            assert_eq!(span.to_string().parse::<Span>().unwrap(), span, "{text}");
        }
    }
}
