//! The outcomes of pages. Each has the same name in code, databases, JSON, logs and reports.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::extract::NoArticle;
use crate::variant;

/// The outcome of extracting a page.
///
/// ```
/// use goldminer_core::extract::domain::PageOutcome;
///
/// assert_eq!(PageOutcome::NoTemplate.as_str(), "no-template");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PageOutcome {
    /// The page gave a document, complete as far as can be determined.
    Document,
    /// The page's article is already in the corpus.
    Duplicate,
    /// The page's document does not match the filter.
    Filtered,
    /// The page is a gallery: pictures with captions.
    Gallery,
    /// The page is a list of other pages.
    List,
    /// No template of the domain's profile matches.
    NoTemplate,
    /// The page's text is not prose in any language.
    NoProse,
    /// No paragraph of the page is classified as the text of an article.
    NoText,
    /// The page is not HTML.
    NotHtml,
    /// The page gave a document with the text before a paywall.
    Partial,
    /// Earlier documents contain all of the page's paragraphs.
    Seen,
    /// The page has only a title and a video or a recording.
    Stub,
    /// The page is too large for the manual rules in the profile.
    TooLarge,
    /// The confidence of the page's document is below the required minimum.
    Uncertain,
    /// The page declares no publication date, and the filter requires one.
    Undated,
    /// The page's bytes could not be read.
    Unreadable,
    /// A wall replaces the article: a call to subscribe, a request for consent, or a text that many pages share.
    Wall,
}

impl PageOutcome {
    /// The outcome's name in tallies, JSON and logs.
    pub fn as_str(self) -> &'static str {
        variant::name(&self)
    }
}

impl From<NoArticle> for PageOutcome {
    fn from(reason: NoArticle) -> Self {
        match reason {
            NoArticle::Gallery => Self::Gallery,
            NoArticle::List => Self::List,
            NoArticle::NoTemplate => Self::NoTemplate,
            NoArticle::NoProse => Self::NoProse,
            NoArticle::NoText => Self::NoText,
            NoArticle::NotHtml => Self::NotHtml,
            NoArticle::Seen => Self::Seen,
            NoArticle::Stub => Self::Stub,
            NoArticle::TooLarge => Self::TooLarge,
            NoArticle::Wall => Self::Wall,
        }
    }
}

/// The number of pages with each outcome.
///
/// ```
/// use goldminer_core::extract::domain::{PageOutcome, Tally};
///
/// let mut tally = Tally::default();
/// tally.add(PageOutcome::Document, 3);
/// tally.add(PageOutcome::NoText, 1);
/// assert_eq!(tally.without_document().collect::<Vec<_>>(), [(PageOutcome::NoText, 1)]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tally(BTreeMap<PageOutcome, u64>);

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        other.iter().for_each(|(outcome, pages)| self.add(outcome, pages));
    }
}

impl Tally {
    /// Adds pages to an outcome.
    pub fn add(&mut self, outcome: PageOutcome, pages: u64) {
        if pages > 0 {
            *self.0.entry(outcome).or_default() += pages;
        }
    }

    /// Moves a page from one outcome to another.
    pub fn change(&mut self, from: PageOutcome, to: PageOutcome) {
        if let Some(before) = self.0.get_mut(&from).filter(|pages| **pages > 0) {
            *before -= 1;
            self.add(to, 1);
        }
    }

    /// The number of pages with an outcome.
    pub fn of(&self, outcome: PageOutcome) -> u64 {
        self.0.get(&outcome).copied().unwrap_or_default()
    }

    /// All outcomes that occurred, in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (PageOutcome, u64)> {
        self.0.iter().map(|(outcome, pages)| (*outcome, *pages))
    }

    /// The outcomes of pages without a document, with their numbers.
    pub fn without_document(&self) -> impl Iterator<Item = (PageOutcome, u64)> {
        let gave = |outcome| matches!(outcome, PageOutcome::Document | PageOutcome::Partial);
        self.iter().filter(move |(outcome, pages)| !gave(*outcome) && *pages > 0)
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_has_the_same_name_in_text_and_in_json() {
        let json = serde_json::to_string(&PageOutcome::NoText).unwrap();
        assert_eq!(json, format!("\"{}\"", PageOutcome::NoText.as_str()));
        assert!(serde_json::from_str::<PageOutcome>("\"eaten\"").is_err());
    }
}
