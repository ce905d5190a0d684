//! Applies the manual rules of a domain (`[manual]` in its profile) to a page. These rules select the headline, the
//! article's text, readers' comments and other elements.
//!
//! The rules apply to every page of the domain, whichever template cuts it, and also if the page is read without a
//! template. `metadata` reads dates and authors from the elements that the rules select.

use std::ops::{Deref, Range};

use goldminer_html::Page;

use super::profile::DomainProfile;
use super::rules::{ManualDecision, PageTooLarge, Selected};
use crate::metadata::KnownPlaces;

/// A profile together with the elements of one page that its manual rules select.
pub(crate) struct PageProfile<'p> {
    profile: &'p DomainProfile,
    selected: Selected,
}

impl<'p> PageProfile<'p> {
    /// Applies the manual rules of a profile to a page. This costs nothing if there are no rules.
    pub(crate) fn of(page: &Page, profile: &'p DomainProfile) -> Result<Self, PageTooLarge> {
        Ok(Self { profile, selected: profile.manual.on(page)? })
    }

    /// The places of dates and authors on a page.
    pub(crate) fn known_places(&self, page: &Page) -> KnownPlaces<'_> {
        KnownPlaces {
            published: &self.places.published,
            authors: &self.places.authors,
            day_first: self.manual.day_first.or(self.places.day_first),
            headline_by_hand: headline(page, self),
            published_by_hand: &self.selected.published,
            authors_by_hand: &self.selected.author,
        }
    }
}

impl Deref for PageProfile<'_> {
    type Target = DomainProfile;

    fn deref(&self) -> &DomainProfile {
        self.profile
    }
}

/// The index of the headline that the manual rules select: the first text in an element that matches `title`.
pub(super) fn headline(page: &Page, profile: &PageProfile<'_>) -> Option<usize> {
    let elements = profile.selected.title.iter();
    elements.map(|id| page.paragraphs_in(*id)).find(|inside| !inside.is_empty()).map(|inside| inside.start)
}

/// The manual rule for a paragraph: that of the innermost element around it that has one.
pub(super) fn decision(page: &Page, profile: &PageProfile<'_>, paragraph: usize) -> Option<ManualDecision> {
    let element = page.paragraphs()[paragraph].element.filter(|_| has_text_rules(profile))?;
    page.ancestors_and_self(element).find_map(|id| profile.selected.decisions.get(&id).copied())
}

/// Whether any manual rule on this page decides what is text.
pub(super) fn has_text_rules(profile: &PageProfile<'_>) -> bool {
    !profile.selected.decisions.is_empty()
}

/// Returns a range of paragraphs, extended to all text that the manual rules keep.
pub(super) fn widened(page: &Page, profile: &PageProfile<'_>, scope: Range<usize>) -> Range<usize> {
    let held = profile.selected.decisions.iter().filter(|(_, decision)| **decision == ManualDecision::Keep);
    let held = held.map(|(id, _)| page.paragraphs_in(*id)).filter(|held| !held.is_empty());
    held.fold(scope, |scope, held| scope.start.min(held.start)..scope.end.max(held.end))
}

#[cfg(test)]
mod tests {
    use crate::document::Document;
    use crate::extract::{Extractor, NoArticle, SourcePage};
    use crate::goldminer::profile::DomainProfile;
    use goldminer_html::address::Domain;

    const STORY: &str = "It rained all day in the town, and nobody who had an umbrella was willing to lend it to the others, \
        because it was clear to them that the rain would not end before the night. ";

    fn page() -> String {
        format!(
            "<html lang=en><title>Portal</title><body><h1>Portal</h1><div class=kicker>Weather</div>\
             <div class=top>Rain in the town</div><div class=meta><span class=who>Anna Nagy</span>\
             <span class=when>3 March 2026</span></div>\
             <div class=story><p>{0}</p><p>{0}{0}</p><div class=say><p>I was there when it rained, and I had no umbrella \
             with me, which was not clever of me.</p></div><div class=more><p>The sun came out in Rome, and they all went \
             to the sea that day</p></div></div><div class=note><p>{0}It is written here a second time.</p></div></body></html>",
            STORY
        )
    }

    fn document(manual: &str) -> Document {
        let (domain, html) = (Domain::named("portal.example"), page());
        let profile = format!("key = 'portal.example'\n[[template]]\nstart = 'div.story'\n[manual]\n{manual}");
        let profile = DomainProfile::from_toml(&profile).unwrap();
        match Extractor::default().extract(&SourcePage::new(html.as_bytes(), &domain), Some(&profile)) {
            Ok(document) => *document,
            Err(why) => panic!("{why}"),
        }
    }

    #[test]
    fn comments_and_excluded_elements_are_not_text() {
        let before = document("").text;
        assert!(before.contains("I was there") && before.contains("The sun came out"), "{before}");
        let after = document("comments = ['div.say']\nexclude = ['div.more']\n").text;
        assert!(!after.contains("I was there") && !after.contains("The sun came out"), "{after}");
        assert!(after.contains("It rained all day"), "{after}");
    }

    #[test]
    fn a_manual_rule_keeps_text_outside_the_template() {
        assert!(!document("").text.contains("a second time"));
        assert!(document("keep = ['div.note > p:last-child']\n").text.ends_with("It is written here a second time."));
    }

    #[test]
    fn the_innermost_manual_rule_counts() {
        let text = document("comments = ['div.story']\nkeep = ['div.say > p']\n").text;
        assert!(text.contains("I was there") && !text.contains("It rained all day"), "{text}");
    }

    #[test]
    fn a_manual_headline_is_the_title_and_begins_the_text() {
        assert!(document("").text.starts_with("Portal"));
        let after = document("title = ['div[class^=to], h6']\n");
        assert!(after.text.starts_with("Rain in the town\n\nIt rained"), "{}", after.text);
        assert_eq!(after.metadata.title.as_deref(), Some("Rain in the town"));
    }

    #[test]
    fn manual_rules_select_date_and_authors() {
        let after = document("published = ['.meta > span:nth-child(2)']\nauthor = ['.meta .who']\n").metadata;
        assert_eq!(after.published.as_deref(), Some("2026-03-03"));
        assert_eq!(after.authors, ["Anna Nagy"]);
    }

    #[test]
    fn a_manual_date_has_the_time_of_its_element() {
        let stated = "<time datetime=2026-03-03T14:20:00Z>3 March 2026</time>";
        let (domain, html) = (Domain::named("portal.example"), page().replace("3 March 2026", stated));
        let profile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n[manual]\npublished = ['time']\n";
        let profile = DomainProfile::from_toml(profile).unwrap();
        let document =
            Extractor::default().extract(&SourcePage::new(html.as_bytes(), &domain), Some(&profile)).unwrap();
        assert_eq!(document.metadata.published.as_deref(), Some("2026-03-03T14:20:00Z"));
    }

    #[test]
    fn manual_rules_apply_to_pages_without_a_template() {
        let (domain, html) = (Domain::named("portal.example"), page());
        let source = SourcePage::new(html.as_bytes(), &domain);
        let text = |manual: &str| {
            let profile = format!("key = 'portal.example'\ntemplate = []\n[manual]\n{manual}");
            match Extractor::default().extract(&source, Some(&DomainProfile::from_toml(&profile).unwrap())) {
                Ok(document) => document.text,
                Err(why) => panic!("{why}"),
            }
        };
        assert!(text("").contains("It rained"), "a profile without templates leaves the page to the classifier");
        let after = text("title = ['div.top']\ncomments = ['div.note, div.say']\n");
        assert!(after.starts_with("Rain in the town\n\n") && !after.contains("a second time"), "{after}");
    }

    #[test]
    fn rules_correct_what_a_learned_template_drops_and_keeps() {
        let text = |template: &str, manual: &str| {
            let profile =
                format!("key = 'a.example'\n[[template]]\nstart = 'div.story'\n{template}\n[manual]\n{manual}");
            let (html, domain) = (page(), Domain::named("a.example"));
            let profile = DomainProfile::from_toml(&profile).unwrap();
            Extractor::default().extract(&SourcePage::new(html.as_bytes(), &domain), Some(&profile)).unwrap().text
        };
        let drops = "drops = ['div.say']";
        assert!(!text(drops, "").contains("I was there"));
        assert!(text(drops, "keep = ['.story :is(.say, .no)']").contains("I was there"));
        let both = text(drops, "exclude = ['div.more:has(> p)']");
        assert!(!both.contains("I was there") && !both.contains("The sun came out"), "{both}");
    }

    #[test]
    fn a_page_too_large_for_manual_rules_gives_an_error() {
        let html = page() + &"<i></i>".repeat(110_000);
        let domain = Domain::named("portal.example");
        let source = SourcePage::new(html.as_bytes(), &domain);
        let extract = |manual: &str| {
            let profile = format!("key = 'portal.example'\n[[template]]\nstart = 'div.story'\n[manual]\n{manual}");
            Extractor::default().extract(&source, Some(&DomainProfile::from_toml(&profile).unwrap()))
        };
        assert!(extract("").is_ok());
        assert_eq!(extract("comments = ['div.say']").unwrap_err(), NoArticle::TooLarge);
    }
}
