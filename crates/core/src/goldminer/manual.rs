//! What a person has said of a domain's elements (`[manual]` of its profile): which paragraph of a page is the headline,
//! which text is the article's, and which is readers' comments or a list of teasers.
//!
//! It holds on every page of the domain, whatever template cuts it, and where the page is judged alone. Learning never
//! makes or changes it. Day and authors are read by `page`, which is told here where they stand.

use std::ops::Range;

use goldminer_html::{ElementId, Page};

use super::pattern::ElementPattern;
use super::profile::DomainProfile;
use crate::metadata::KnownPlaces;

/// What a person has said of a stretch of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Text,
    Comments,
    Teasers,
}

/// The headline by hand: the first text in the first of the elements that hold one.
pub(super) fn headline(page: &Page, profile: &DomainProfile) -> Option<usize> {
    let elements = outermost(&profile.manual.headline, page);
    elements.into_iter().map(|id| page.paragraphs_in(id)).find(|inside| !inside.is_empty()).map(|inside| inside.start)
}

/// What was said of a paragraph, if anything was: by the innermost element around it of which something was said.
pub(super) fn said(page: &Page, profile: &DomainProfile, paragraph: usize) -> Option<Said> {
    let manual = &profile.manual;
    let sorts = [(&manual.comments, Said::Comments), (&manual.teasers, Said::Teasers), (&manual.text, Said::Text)];
    let element = page.paragraphs()[paragraph].element?;
    page.ancestors_and_self(element).find_map(|id| {
        let is_one = |patterns: &[ElementPattern]| patterns.iter().any(|pattern| pattern.matches(page, id));
        sorts.iter().find(|(patterns, _)| is_one(patterns)).map(|(_, said)| *said)
    })
}

/// Whether anything was said of what is text.
pub(super) fn speaks_of_text(profile: &DomainProfile) -> bool {
    let manual = &profile.manual;
    !(manual.comments.is_empty() && manual.teasers.is_empty() && manual.text.is_empty())
}

/// A stretch of paragraphs, made so long that it has all text that is the article's by hand.
pub(super) fn widened(page: &Page, profile: &DomainProfile, scope: Range<usize>) -> Range<usize> {
    let held = outermost(&profile.manual.text, page).into_iter().map(|id| page.paragraphs_in(id));
    held.filter(|held| !held.is_empty()).fold(scope, |scope, held| scope.start.min(held.start)..scope.end.max(held.end))
}

fn outermost(patterns: &[ElementPattern], page: &Page) -> Vec<ElementId> {
    patterns.iter().flat_map(|pattern| pattern.outermost(page)).collect()
}

impl KnownPlaces for DomainProfile {
    fn published(&self, page: &Page) -> Vec<ElementId> {
        outermost(&self.places.published, page)
    }

    fn authors(&self, page: &Page) -> Vec<ElementId> {
        outermost(&self.places.authors, page)
    }

    fn day_first(&self) -> Option<bool> {
        self.manual.day_first.or(self.places.day_first)
    }

    fn headline_by_hand(&self, page: &Page) -> Option<usize> {
        headline(page, self)
    }

    fn published_by_hand(&self, page: &Page) -> Vec<ElementId> {
        outermost(&self.manual.published, page)
    }

    fn authors_by_hand(&self, page: &Page) -> Vec<ElementId> {
        outermost(&self.manual.authors, page)
    }
}

#[cfg(test)]
mod tests {
    use crate::document::Document;
    use crate::extract::{Extractor, SourcePage};
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
    fn comments_and_teasers_that_a_person_points_at_are_no_text() {
        let before = document("").text;
        assert!(before.contains("I was there") && before.contains("The sun came out"), "{before}");
        let after = document("comments = ['div.say']\nteasers = ['div.more']\n").text;
        assert!(!after.contains("I was there") && !after.contains("The sun came out"), "{after}");
        assert!(after.contains("It rained all day"), "{after}");
    }

    #[test]
    fn text_outside_of_the_template_that_a_person_points_at_is_kept() {
        assert!(!document("").text.contains("a second time"));
        assert!(document("text = ['div.note > p']\n").text.ends_with("It is written here a second time."));
    }

    #[test]
    fn the_innermost_word_counts() {
        let text = document("comments = ['div.story']\ntext = ['div.say > p']\n").text;
        assert!(text.contains("I was there") && !text.contains("It rained all day"), "{text}");
    }

    #[test]
    fn the_headline_that_a_person_points_at_is_the_title_and_begins_the_text() {
        assert!(document("").text.starts_with("Portal"));
        let after = document("headline = ['div.top']\n");
        assert!(after.text.starts_with("Rain in the town\n\nIt rained"), "{}", after.text);
        assert_eq!(after.metadata.title.as_deref(), Some("Rain in the town"));
    }

    #[test]
    fn day_and_authors_are_read_where_a_person_points() {
        let after = document("published = ['span.when']\nauthors = ['span.who']\n").metadata;
        assert_eq!(after.published.as_deref(), Some("2026-03-03"));
        assert_eq!(after.authors, ["Anna Nagy"]);
    }

    #[test]
    fn it_holds_on_pages_that_are_judged_alone() {
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
        let after = text("headline = ['div.top']\ncomments = ['div.note', 'div.say']\n");
        assert!(after.starts_with("Rain in the town\n\n") && !after.contains("a second time"), "{after}");
    }
}
