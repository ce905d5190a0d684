//! What a page says about its rights: licence, reservation of text and data mining, `noindex` and similar rules,
//! paywall.
//!
//! A [`Signal`] is one statement with its source and its form. [`Rights`] are all signals of one page, with the
//! restrictions and the licence that follow from them. [`RobotsRules`] are a page's rules for crawlers.
//!
//! ```
//! use goldminer_html::capture::Headers;
//! use goldminer_rights::{Restriction, Rights, Signal};
//!
//! let headers = Headers::from_iter([("TDM-Reservation", "1"), ("X-Robots-Tag", "noarchive")]);
//! let rights = Rights::of(Signal::of_headers(&headers));
//! assert_eq!(rights.restrictions, [Restriction::Noarchive, Restriction::Tdm]);
//! ```
//!
//! This crate enforces nothing: the operator chooses which restrictions to respect. If signals contradict each other,
//! the stricter one counts, and the contradiction is reported. `header` reads header fields, `preferences` the lists
//! that several rights vocabularies share, and `license` Creative Commons licences. `goldminer-core` finds the
//! statements in a page's elements, and `goldminer-fetch` those in robots.txt.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod header;
mod license;
mod preferences;
mod restriction;
mod robots_rules;
mod unavailable;

use goldminer_html::capture::{ArchivePosition, to_the_nanosecond};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use restriction::Restriction;
pub use robots_rules::RobotsRules;

/// The most bytes of a value, such as a licence's URL or a short notice; longer ones are cut off.
const MAX_VALUE_BYTES: usize = 1_000;
/// The most signals of one page; no page needs more.
const MAX_SIGNALS: usize = 64;
/// The beginning of the value of a robots rule that means `noindex` from some time on. The time follows.
const UNAVAILABLE_AFTER: &str = "unavailable_after: ";

/// The place where a rights statement was found.
///
/// ```
/// use goldminer_rights::RightsSource;
///
/// assert_eq!(RightsSource::RobotsTxt.as_str(), "robots-txt");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RightsSource {
    /// A header field of the HTTP response.
    Header,
    /// A `<meta>` element.
    Meta,
    /// A link with `rel=license`.
    Link,
    /// A mention: a link to a Creative Commons licence in the footer that lacks `rel=license`, or the badge (picture)
    /// of such a licence. It may be the licence of pictures or of the site's design. It is reported, but does not
    /// count for the text.
    Mention,
    /// JSON-LD with schema.org names.
    JsonLd,
    /// Microdata with schema.org names.
    Microdata,
    /// RDFa with names of Creative Commons or Dublin Core.
    Rdfa,
    /// A line of robots.txt.
    RobotsTxt,
    /// `/.well-known/tdmrep.json`.
    Tdmrep,
}

impl RightsSource {
    /// The name of the source in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        serde_variant::to_variant_name(&self).expect("no variant has fields")
    }
}

/// One statement about a page's rights, unchanged. In JSON, all keys are always present.
///
/// ```
/// use goldminer_rights::{Restriction, RightsSource, Signal};
///
/// let signal = Signal::new(RightsSource::Header, "tdm-reservation", "1");
/// assert_eq!(signal.meaning(), Some((&[Restriction::Tdm][..], true)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Signal {
    /// Where the statement was found.
    pub source: RightsSource,
    /// The name of the statement at its source, in lower case if case does not matter: `x-robots-tag`,
    /// `tdm-reservation`, `license`.
    pub name: String,
    /// The statement's value; for a list, one item.
    pub value: String,
    /// The name of the crawler that the statement addresses; None if it addresses all.
    #[serde(default)]
    pub agent: Option<String>,
    /// The time when the source of the statement was fetched, if it is not the page.
    #[serde(default, serialize_with = "to_the_nanosecond")]
    pub fetched: Option<Timestamp>,
    /// The WARC record of the source of the statement, if it is not the page.
    #[serde(default)]
    pub warc: Option<ArchivePosition>,
}

impl Signal {
    /// Makes a statement to all crawlers. White space around the value is removed, and a long value is cut off.
    #[must_use]
    pub fn new(source: RightsSource, name: impl Into<String>, value: impl AsRef<str>) -> Self {
        let value = value.as_ref().trim();
        let value = value[..value.floor_char_boundary(MAX_VALUE_BYTES)].to_owned();
        Self { source, name: name.into(), value, agent: None, fetched: None, warc: None }
    }

    /// Returns the restrictions that the statement is about, and whether it makes them (true) or lifts them (false).
    /// None if it addresses one crawler, names a licence, or has a value that is not in its specification.
    #[must_use]
    pub fn meaning(&self) -> Option<(&'static [Restriction], bool)> {
        if self.agent.is_some() { None } else { restriction::meaning(&self.name, &self.value) }
    }

    /// Like [`meaning`](Self::meaning), for a page that was fetched at this time: `unavailable_after` with a date
    /// before it restricts.
    fn meaning_at(&self, fetched: Option<Timestamp>) -> Option<(&'static [Restriction], bool)> {
        let has_ended = || {
            let end = self.value.strip_prefix(UNAVAILABLE_AFTER).filter(|_| self.agent.is_none())?;
            end.parse().ok().filter(|end: &Timestamp| fetched.is_some_and(|fetched| fetched >= *end))
        };
        self.meaning().or_else(|| has_ended().map(|_| (&[Restriction::Noindex][..], true)))
    }

    fn names_license(&self) -> bool {
        self.name.ends_with("license") && !matches!(self.source, RightsSource::RobotsTxt | RightsSource::Mention)
    }
}

/// The rights of a page: its statements, and what follows from them.
///
/// ```
/// use goldminer_rights::{Restriction, Rights, RightsSource, Signal};
///
/// let rights = Rights::of(vec![
///     Signal::new(RightsSource::Header, "tdm-reservation", "0"),
///     Signal::new(RightsSource::Meta, "tdm-reservation", "1"),
/// ]);
/// assert_eq!(rights.restrictions, [Restriction::Tdm], "the stricter one counts");
/// assert_eq!(rights.contradictions, ["tdm"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rights {
    /// What is forbidden or reserved, without repetition, in a fixed order.
    #[serde(default)]
    pub restrictions: Vec<Restriction>,
    /// Names of restrictions that one signal makes and another lifts; `license` if the page names different licences.
    #[serde(default)]
    pub contradictions: Vec<String>,
    /// The licence as the page names it; the strictest of several.
    #[serde(default)]
    pub license: Option<String>,
    /// All statements, except robots rules that only repeat the default.
    #[serde(default)]
    pub signals: Vec<Signal>,
}

impl Rights {
    /// The rights that follow from these statements. Dates (`unavailable_after`) have no effect.
    #[must_use]
    pub fn of(signals: Vec<Signal>) -> Self {
        Self::at(signals, None)
    }

    /// The rights of a page that was fetched at this time.
    #[must_use]
    pub fn at(signals: Vec<Signal>, fetched: Option<Timestamp>) -> Self {
        let mut rights = Self::default();
        let says = |restricts: bool| {
            let signals = signals.iter().filter_map(|signal| signal.meaning_at(fetched));
            signals.filter(move |(_, is)| *is == restricts).flat_map(|(of, _)| of.iter().copied())
        };
        let allowed: Vec<Restriction> = says(false).collect();
        let mut restrictions: Vec<Restriction> = says(true).collect();
        restrictions.sort_unstable();
        restrictions.dedup();
        let both = restrictions.iter().filter(|restriction| allowed.contains(restriction));
        rights.contradictions = both.map(|restriction| restriction.as_str().to_owned()).collect();
        rights.restrictions = restrictions;
        rights.name_license(&signals);
        for signal in signals.into_iter().filter(|signal| !is_default(signal, &rights.contradictions)) {
            if rights.signals.len() < MAX_SIGNALS && !rights.signals.contains(&signal) {
                rights.signals.push(signal);
            }
        }
        rights
    }

    fn name_license(&mut self, signals: &[Signal]) {
        let named = || signals.iter().filter(|signal| signal.names_license()).map(|signal| signal.value.as_str());
        // Of equally strict licences, the first counts: statements closer to the text are read first.
        let strictest = named().rev().max_by_key(|license| license::strictness(license)).map(str::to_owned);
        if let Some(strictest) = &strictest
            && named().any(|license| license::canonical(license) != license::canonical(strictest))
        {
            self.contradictions.push("license".to_owned());
        }
        self.license = strictest;
    }

    /// Whether there are no statements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.signals.is_empty()
    }

    /// Whether this restriction applies.
    #[must_use]
    pub fn restricts(&self, what: Restriction) -> bool {
        self.restrictions.contains(&what)
    }

    /// Whether the licence is from Creative Commons, including their dedications to the public domain.
    #[must_use]
    pub fn is_creative_commons(&self) -> bool {
        self.license.as_deref().is_some_and(license::is_creative_commons)
    }

    /// Whether the licence lets everybody use and change the text for any purpose: CC0, the public domain mark, CC BY
    /// and CC BY-SA.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.license.as_deref().is_some_and(license::is_open)
    }
}

/// Whether a signal is a default such as `index, follow`, which is on most pages.
fn is_default(signal: &Signal, contradictions: &[String]) -> bool {
    let is_robots = matches!(signal.name.as_str(), "robots" | "x-robots-tag");
    is_robots
        && signal.meaning().is_some_and(|(of, restricts)| {
            !restricts && !of.iter().any(|what| contradictions.iter().any(|name| name == what.as_str()))
        })
}
