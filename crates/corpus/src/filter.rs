//! Which documents of a corpus somebody wants. Asked after duplicates are gone, so that extracting with a filter and
//! filtering what was extracted without one give the same documents.

use goldminer_core::document::Document;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::rights_condition::RightsCondition;

/// Conditions that a document must all meet; an empty one asks for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Its language is one of these (primary subtags of BCP 47).
    pub languages: Vec<String>,
    /// Its domain, or its host or a parent of its host, is one of these.
    pub domains: Vec<String>,
    /// It was published on this day or later. When it was fetched says nothing about that.
    pub since: Option<Date>,
    /// It was published on this day or earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
    /// Its page meets all of these in what it says of its rights.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rights: Vec<RightsCondition>,
    /// Its text has at least so many characters.
    pub min_chars: usize,
}

/// Why a document is not wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwanted {
    /// A condition is not met that is none of the following.
    Other,
    /// This condition on the rights of its page is not met.
    Rights(RightsCondition),
    /// All are met but those on the date, of which the page says nothing.
    Undated,
}

impl Filter {
    /// Whether the document is wanted.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check(&self, document: &Document) -> Result<(), Unwanted> {
        let is_long_enough = || self.min_chars == 0 || document.text.chars().nth(self.min_chars - 1).is_some();
        if !(self.wants_language(document) && self.wants_domain(document) && is_long_enough()) {
            return Err(Unwanted::Other);
        }
        if let Some(condition) = self.rights.iter().find(|condition| !condition.is_met(&document.rights)) {
            return Err(Unwanted::Rights(*condition));
        }
        if self.since.is_none() && self.until.is_none() {
            return Ok(());
        }
        let day = day(document).ok_or(Unwanted::Undated)?;
        let is_within = self.since.is_none_or(|since| day >= since) && self.until.is_none_or(|until| day <= until);
        if is_within { Ok(()) } else { Err(Unwanted::Other) }
    }

    fn wants_language(&self, document: &Document) -> bool {
        let is_language = |wanted: &String| document.metadata.language.as_deref() == Some(wanted);
        self.languages.is_empty() || self.languages.iter().any(is_language)
    }

    fn wants_domain(&self, document: &Document) -> bool {
        let names =
            || [Some(document.metadata.domain.as_str()), document.metadata.host.as_deref()].into_iter().flatten();
        let is_below = |name: &str, wanted: &str| {
            name.strip_suffix(wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        self.domains.is_empty() || self.domains.iter().any(|wanted| names().any(|name| is_below(name, wanted)))
    }
}

/// The day on which a document was published, if its page says so. One that names only a month or a year means its
/// beginning.
fn day(document: &Document) -> Option<Date> {
    let published = document.metadata.published.as_deref()?;
    match published.len() {
        4 => format!("{published}-01-01").parse().ok(),
        7 => format!("{published}-01").parse().ok(),
        _ => published.get(..10)?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::document;

    fn filter(change: impl FnOnce(&mut Filter)) -> Filter {
        let mut filter = Filter::default();
        change(&mut filter);
        filter
    }

    #[test]
    fn a_domain_is_wanted_with_its_hosts_but_not_with_its_namesakes() {
        let mut portal = document("a", "Text.");
        portal.metadata.domain = "portal.example".to_owned();
        portal.metadata.host = Some("news.portal.example".to_owned());
        let wants = |domain: &str| filter(|f| f.domains = vec![domain.to_owned()]).check(&portal).is_ok();
        assert!(wants("portal.example") && wants("news.portal.example") && wants("example"));
        assert!(!wants("sports.portal.example") && !wants("tal.example"));
    }

    #[test]
    fn a_document_is_of_the_days_between_since_and_until_by_what_its_page_says() {
        let between = |since: &str, until: &str| {
            filter(|f| (f.since, f.until) = (Some(since.parse().unwrap()), Some(until.parse().unwrap())))
        };
        let mut told = document("a", "Text.");
        told.metadata.published = Some("2026-03-02T23:00:00+01:00".to_owned());
        assert_eq!(between("2026-03-02", "2026-03-02").check(&told), Ok(()));
        assert_eq!(between("2026-03-03", "2026-12-31").check(&told), Err(Unwanted::Other));
        assert_eq!(between("2026-01-01", "2026-03-01").check(&told), Err(Unwanted::Other));
        told.metadata.published = Some("2026-03".to_owned());
        assert_eq!(between("2026-03-01", "2026-03-01").check(&told), Ok(()));
    }

    #[test]
    fn a_page_that_does_not_tell_its_date_is_not_dated_by_its_fetching() {
        let mut silent = document("a", "Text.");
        silent.metadata.fetched = Some("2026-11-20T09:15:00Z".parse().unwrap());
        for asked in [
            filter(|f| f.since = Some("2026-11-20".parse().unwrap())),
            filter(|f| f.until = Some("2026-11-20".parse().unwrap())),
        ] {
            assert_eq!(asked.check(&silent), Err(Unwanted::Undated));
        }
        let other = filter(|f| (f.since, f.min_chars) = (Some("2026-11-20".parse().unwrap()), 100));
        assert_eq!(other.check(&silent), Err(Unwanted::Other), "it is too short in any case");
    }

    #[test]
    fn characters_are_counted_and_not_bytes() {
        let text = document("a", "árvíztűrő");
        assert!(filter(|f| f.min_chars = 9).check(&text).is_ok() && filter(|f| f.min_chars = 10).check(&text).is_err());
    }

    #[test]
    fn any_of_the_languages_will_do() {
        let mut text = document("a", "Text.");
        text.metadata.language = Some("hu".to_owned());
        let wants = |languages: &[&str]| {
            filter(|f| f.languages = languages.iter().map(|l| (*l).to_owned()).collect()).check(&text).is_ok()
        };
        assert!(wants(&["de", "hu"]) && wants(&[]) && !wants(&["de"]));
    }
}
