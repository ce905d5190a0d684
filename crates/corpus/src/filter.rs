//! Filters the documents of a corpus. Filters are applied after duplicates are removed. Therefore, extracting with a
//! filter gives the same documents as filtering a complete extraction.

use std::fmt;
use std::str::FromStr;

use goldminer_core::document::{Confidence, Document};
use goldminer_core::rights::{Restriction, Rights};
use jiff::civil::Date;

/// Conditions that a document must meet. Empty conditions are always met.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The document's language must be one of these (primary subtags of BCP 47).
    pub languages: Vec<String>,
    /// The document's domain, its host or a parent of its host must be one of these.
    pub domains: Vec<String>,
    /// The document must have been published on this day or later. The date of the fetch does not count.
    pub since: Option<Date>,
    /// The document must have been published on this day or earlier.
    pub until: Option<Date>,
    /// The rights of the document's page must meet all of these conditions.
    pub rights: Vec<RightsCondition>,
    /// The document's text must have at least this many characters.
    pub min_chars: usize,
    /// The probability that the document is whole and clean must be at least this.
    pub min_confidence: Option<Confidence>,
    /// Whether documents without a confidence are kept; old versions of the program wrote none.
    pub keeps_unjudged: bool,
}

/// Why a document is filtered out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwanted {
    /// The condition of this command-line option is not met.
    Option(&'static str),
    /// This condition on the rights of the document's page is not met.
    Rights(RightsCondition),
    /// The document has no publication date, which the filter needs. It meets all other conditions, except that its
    /// confidence was not checked.
    Undated,
    /// The document's confidence is too low. It meets all other conditions.
    Uncertain,
    /// The document has no confidence. It meets all other conditions.
    Unjudged,
}

impl Filter {
    /// The conditions, as command-line options and their values. An output can be continued only with the same
    /// conditions.
    pub fn options(&self) -> Vec<(String, String)> {
        let rights: Vec<String> = self.rights.iter().map(ToString::to_string).collect();
        let all = [
            ("--language", self.languages.join(",")),
            ("--since", self.since.iter().map(ToString::to_string).collect()),
            ("--until", self.until.iter().map(ToString::to_string).collect()),
            ("--domain", self.domains.join(",")),
            ("--rights", rights.join(",")),
            ("--min-chars", Some(self.min_chars).filter(|min| *min > 0).iter().map(ToString::to_string).collect()),
            ("--min-confidence", self.min_confidence.iter().map(|min| min.probability().to_string()).collect()),
            ("--keep-unjudged", if self.keeps_unjudged { "yes".to_owned() } else { String::new() }),
        ];
        all.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// A sentence for the card of a corpus that lists the conditions; None if there are none.
    pub fn limit(&self) -> Option<String> {
        let options: Vec<String> = self.options().iter().map(|(name, value)| format!("`{name} {value}`")).collect();
        (!options.is_empty())
            .then(|| format!("Only documents that pass these filters were written: {}.", options.join(", ")))
    }

    /// Whether the document passes the filter.
    ///
    /// # Errors
    /// The reason why the document does not pass.
    pub fn check(&self, document: &Document) -> Result<(), Unwanted> {
        let is_long_enough = || self.min_chars == 0 || document.text.chars().nth(self.min_chars - 1).is_some();
        let is_language = |wanted: &String| document.metadata.language.as_deref() == Some(wanted);
        // The document's domain or host must be a wanted one, or below it.
        let names =
            || [Some(document.metadata.domain.as_str()), document.metadata.host.as_deref()].into_iter().flatten();
        let is_domain = |wanted: &String| names().any(|name| is_below(name, wanted));
        if !self.languages.is_empty() && !self.languages.iter().any(is_language) {
            return Err(Unwanted::Option("--language"));
        }
        if !self.domains.is_empty() && !self.domains.iter().any(is_domain) {
            return Err(Unwanted::Option("--domain"));
        }
        if !is_long_enough() {
            return Err(Unwanted::Option("--min-chars"));
        }
        if let Some(condition) = self.rights.iter().find(|condition| !condition.is_met(&document.rights)) {
            return Err(Unwanted::Rights(*condition));
        }
        if self.since.is_some() || self.until.is_some() {
            let day = day(document).ok_or(Unwanted::Undated)?;
            if self.since.is_some_and(|since| day < since) {
                return Err(Unwanted::Option("--since"));
            }
            if self.until.is_some_and(|until| day > until) {
                return Err(Unwanted::Option("--until"));
            }
        }
        match (self.min_confidence, document.provenance.confidence) {
            (Some(least), Some(confidence)) if confidence < least => Err(Unwanted::Uncertain),
            (Some(_), None) if !self.keeps_unjudged => Err(Unwanted::Unjudged),
            _ => Ok(()),
        }
    }
}

/// Whether a host is this domain or below it.
pub fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The publication date of a document, if known. A month or a year counts as its first day.
fn day(document: &Document) -> Option<Date> {
    let published = document.metadata.published.as_deref()?;
    match published.len() {
        4 => format!("{published}-01-01").parse().ok(),
        7 => format!("{published}-01").parse().ok(),
        _ => published.get(..10)?.parse().ok(),
    }
}

/// A condition on a page's rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RightsCondition {
    /// The page names a licence.
    Licensed,
    /// The page's licence is from Creative Commons.
    CreativeCommons,
    /// The page's licence lets everybody use and change the text for any purpose.
    Open,
    /// The page has no restrictions.
    Unrestricted,
    /// The page has this restriction.
    Says(Restriction),
    /// The page does not have this restriction.
    SaysNot(Restriction),
}

impl RightsCondition {
    /// Whether a page with these rights meets the condition.
    pub fn is_met(self, rights: &Rights) -> bool {
        match self {
            Self::Licensed => rights.license.is_some(),
            Self::CreativeCommons => rights.is_creative_commons(),
            Self::Open => rights.is_open(),
            Self::Unrestricted => rights.restrictions.is_empty(),
            Self::Says(what) => rights.restricts(what),
            Self::SaysNot(what) => !rights.restricts(what),
        }
    }
}

impl FromStr for RightsCondition {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let name = typed.trim().to_ascii_lowercase();
        let restriction = |name: &str| {
            Restriction::named(name).ok_or_else(|| {
                let known: Vec<&str> = Restriction::ALL.iter().map(|known| known.as_str()).collect();
                format!(
                    "{typed:?} is not a rights condition; use licensed, cc, open, unrestricted, {}, or one of these \
                     after not:",
                    known.join(", ")
                )
            })
        };
        match name.as_str() {
            "licensed" => Ok(Self::Licensed),
            "cc" => Ok(Self::CreativeCommons),
            "open" => Ok(Self::Open),
            "unrestricted" => Ok(Self::Unrestricted),
            name => match name.strip_prefix("not:") {
                Some(name) => restriction(name).map(Self::SaysNot),
                None => restriction(name).map(Self::Says),
            },
        }
    }
}

impl fmt::Display for RightsCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Licensed => f.write_str("licensed"),
            Self::CreativeCommons => f.write_str("cc"),
            Self::Open => f.write_str("open"),
            Self::Unrestricted => f.write_str("unrestricted"),
            Self::Says(what) => f.write_str(what.as_str()),
            Self::SaysNot(what) => write!(f, "not:{}", what.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use goldminer_core::rights::RightsSource;
    use goldminer_core::rights::Signal;

    use super::*;
    use crate::testing::document;

    fn filter(change: impl FnOnce(&mut Filter)) -> Filter {
        let mut filter = Filter::default();
        change(&mut filter);
        filter
    }

    #[test]
    fn a_domain_includes_its_hosts_but_not_similar_names() {
        let mut portal = document("a", "Text.");
        portal.metadata.domain = "portal.example".to_owned();
        portal.metadata.host = Some("news.portal.example".to_owned());
        let keeps = |domain: &str| filter(|f| f.domains = vec![domain.to_owned()]).check(&portal).is_ok();
        assert!(keeps("portal.example") && keeps("news.portal.example") && keeps("example"));
        assert!(!keeps("sports.portal.example") && !keeps("tal.example"));
    }

    #[test]
    fn since_and_until_compare_the_date_that_the_page_gives() {
        let between = |since: &str, until: &str| {
            filter(|f| (f.since, f.until) = (Some(since.parse().unwrap()), Some(until.parse().unwrap())))
        };
        let mut dated = document("a", "Text.");
        dated.metadata.published = Some("2026-03-02T23:00:00+01:00".to_owned());
        assert_eq!(between("2026-03-02", "2026-03-02").check(&dated), Ok(()));
        assert_eq!(between("2026-03-03", "2026-12-31").check(&dated), Err(Unwanted::Option("--since")));
        assert_eq!(between("2026-01-01", "2026-03-01").check(&dated), Err(Unwanted::Option("--until")));
        dated.metadata.published = Some("2026-03".to_owned());
        assert_eq!(between("2026-03-01", "2026-03-01").check(&dated), Ok(()));
    }

    #[test]
    fn the_time_of_the_fetch_is_no_publication_date() {
        let mut silent = document("a", "Text.");
        silent.metadata.fetched = Some("2026-11-20T09:15:00Z".parse().unwrap());
        for condition in [
            filter(|f| f.since = Some("2026-11-20".parse().unwrap())),
            filter(|f| f.until = Some("2026-11-20".parse().unwrap())),
        ] {
            assert_eq!(condition.check(&silent), Err(Unwanted::Undated));
        }
        let other = filter(|f| (f.since, f.min_chars) = (Some("2026-11-20".parse().unwrap()), 100));
        assert_eq!(other.check(&silent), Err(Unwanted::Option("--min-chars")), "it is too short in any case");
    }

    #[test]
    fn low_and_missing_confidence_are_different_reasons() {
        let mut scored = document("a", "Text.");
        let mut condition = filter(|f| f.min_confidence = Some(Confidence::of(0.9)));
        assert_eq!(condition.check(&scored), Err(Unwanted::Unjudged));
        condition.keeps_unjudged = true;
        assert_eq!(condition.check(&scored), Ok(()));
        for (confidence, expected) in [(0.89, Err(Unwanted::Uncertain)), (0.9, Ok(())), (0.91, Ok(()))] {
            scored.provenance.confidence = Some(Confidence::of(confidence));
            assert_eq!(condition.check(&scored), expected, "{confidence}");
        }
    }

    #[test]
    fn characters_are_counted_and_not_bytes() {
        let text = document("a", "árvíztűrő");
        assert!(filter(|f| f.min_chars = 9).check(&text).is_ok() && filter(|f| f.min_chars = 10).check(&text).is_err());
    }

    #[test]
    fn one_of_the_languages_is_enough() {
        let mut text = document("a", "Text.");
        text.metadata.language = Some("hu".to_owned());
        let keeps = |languages: &[&str]| {
            filter(|f| f.languages = languages.iter().map(|l| (*l).to_owned()).collect()).check(&text).is_ok()
        };
        assert!(keeps(&["de", "hu"]) && keeps(&[]) && !keeps(&["de"]));
    }

    #[test]
    fn rights_conditions_are_parsed_and_checked() {
        let with_signal = |name, value| Rights::of(vec![Signal::new(RightsSource::Meta, name, value)]);
        let (free, reserved) = (
            with_signal("license", "https://creativecommons.org/licenses/by/4.0/"),
            with_signal("tdm-reservation", "1"),
        );
        for (typed, of_free, of_reserved, of_silent) in [
            ("licensed", true, false, false),
            ("cc", true, false, false),
            ("open", true, false, false),
            ("unrestricted", true, false, true),
            ("tdm", false, true, false),
            ("not:tdm", true, false, true),
            ("NOT:noai", true, true, true),
        ] {
            let condition: RightsCondition = typed.parse().unwrap();
            let met = [&free, &reserved, &Rights::default()].map(|rights| condition.is_met(rights));
            assert_eq!(met, [of_free, of_reserved, of_silent], "{typed}");
            assert_eq!(condition.to_string(), typed.to_ascii_lowercase());
        }
        let error = "not:tmd".parse::<RightsCondition>().unwrap_err();
        assert!(error.contains("\"not:tmd\" is not a rights condition") && error.contains("noindex"), "{error}");
    }
}
