//! Which documents of a corpus somebody wants. Asked after duplicates are gone, so that extracting with a filter and
//! filtering what was extracted without one give the same documents.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::document::Document;

/// Conditions that a document must all meet; an empty one asks for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Its language is one of these (primary subtags of BCP 47).
    pub languages: Vec<String>,
    /// Its domain, or its host or a parent of its host, is one of these.
    pub domains: Vec<String>,
    /// It was published on this day or later; where the page does not tell, it was fetched then.
    pub since: Option<Date>,
    /// Its text has at least so many characters.
    pub min_chars: usize,
}

impl Filter {
    /// Whether the document is wanted.
    #[must_use]
    pub fn wants(&self, document: &Document) -> bool {
        self.wants_language(document)
            && self.wants_domain(document)
            && self.since.is_none_or(|since| day(document).is_some_and(|day| day >= since))
            && (self.min_chars == 0 || document.text.chars().nth(self.min_chars - 1).is_some())
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

/// The day of a document. A page that names only a month or a year means its beginning.
fn day(document: &Document) -> Option<Date> {
    let published = document.metadata.published.as_deref().and_then(|published| match published.len() {
        4 => format!("{published}-01-01").parse().ok(),
        7 => format!("{published}-01").parse().ok(),
        _ => published.get(..10)?.parse().ok(),
    });
    published.or_else(|| Some(document.metadata.fetched?.to_zoned(jiff::tz::TimeZone::UTC).date()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::samples::document;

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
        let wants = |domain: &str| filter(|f| f.domains = vec![domain.to_owned()]).wants(&portal);
        assert!(wants("portal.example") && wants("news.portal.example") && wants("example"));
        assert!(!wants("sports.portal.example") && !wants("tal.example"));
    }

    #[test]
    fn a_page_that_does_not_tell_its_date_has_that_of_its_fetching() {
        let since = |day: &str| filter(|f| f.since = Some(day.parse().unwrap()));
        let mut told = document("a", "Text.");
        told.metadata.published = Some("2026-03-02T23:00:00+01:00".to_owned());
        told.metadata.fetched = Some("2026-11-20T09:15:00Z".parse().unwrap());
        assert!(since("2026-03-02").wants(&told) && !since("2026-03-03").wants(&told));
        told.metadata.published = Some("2026-03".to_owned());
        assert!(since("2026-03-01").wants(&told) && !since("2026-03-02").wants(&told));
        told.metadata.published = None;
        assert!(since("2026-11-20").wants(&told) && !since("2026-11-21").wants(&told));
        told.metadata.fetched = None;
        assert!(!since("2000-01-01").wants(&told), "nobody knows");
    }

    #[test]
    fn characters_are_counted_and_not_bytes() {
        let text = document("a", "árvíztűrő");
        assert!(filter(|f| f.min_chars = 9).wants(&text) && !filter(|f| f.min_chars = 10).wants(&text));
    }

    #[test]
    fn any_of_the_languages_will_do() {
        let mut text = document("a", "Text.");
        text.metadata.language = Some("hu".to_owned());
        let wants = |languages: &[&str]| {
            filter(|f| f.languages = languages.iter().map(|l| (*l).to_owned()).collect()).wants(&text)
        };
        assert!(wants(&["de", "hu"]) && wants(&[]) && !wants(&["de"]));
    }
}
