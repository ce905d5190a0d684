//! Manual rules for a domain's pages, as CSS selectors: the table `[manual]` in its profile.
//!
//! People write these rules; learning never makes or changes them. `selector` parses a selector and limits its cost.
//! `page_tree` turns a page into the form that `scraper` needs, only if there is a rule. `manual` applies the rules to
//! a cut.

mod page_tree;
mod selector;

use goldminer_html::{ElementId, Page};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use page_tree::PageTree;

pub use page_tree::PageTooLarge;
pub use selector::{CssSelector, SelectorError};

/// The manual rules of a domain. They take precedence over learned rules and machine-readable metadata.
///
/// ```
/// use goldminer_core::goldminer::profile::DomainProfile;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\ntemplate = []\n[manual]\nexclude = ['aside, p:not([class])']\n",
/// )?;
/// assert_eq!(profile.manual.in_words(), ["exclude: aside, p:not([class])"]);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ManualRules {
    /// Elements whose text belongs to the article, whatever the templates and the classifier decide.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<CssSelector>,
    /// Elements whose text does not belong to the article.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<CssSelector>,
    /// Elements whose first text is the headline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub title: Vec<CssSelector>,
    /// Elements that contain the names of the authors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub author: Vec<CssSelector>,
    /// Elements that contain the publication date.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<CssSelector>,
    /// Elements that hold readers' comments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CssSelector>,
    /// Whether dates written with slashes have the day before the month; None if there is no such rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day_first: Option<bool>,
}

/// What a manual rule decides about the text of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ManualDecision {
    Keep,
    Exclude,
    Comments,
}

/// The elements that the rules select on a page.
#[derive(Debug, Default)]
pub(super) struct Selected {
    pub(super) title: Vec<ElementId>,
    pub(super) author: Vec<ElementId>,
    pub(super) published: Vec<ElementId>,
    /// Elements whose text is kept or removed, each with what the rule decides.
    pub(super) decisions: FxHashMap<ElementId, ManualDecision>,
}

impl ManualRules {
    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns each rule as a text with its key, such as `comments: div.replies`.
    pub fn in_words(&self) -> Vec<String> {
        let lists = self.lists().into_iter();
        let rules = lists.flat_map(|(key, list)| list.iter().map(move |selector| format!("{key}: {selector}")));
        rules.chain(self.day_first.map(|day_first| format!("day_first: {day_first}"))).collect()
    }

    fn lists(&self) -> [(&'static str, &[CssSelector]); 6] {
        [
            ("title", &self.title),
            ("published", &self.published),
            ("author", &self.author),
            ("keep", &self.keep),
            ("exclude", &self.exclude),
            ("comments", &self.comments),
        ]
    }

    /// Finds the elements that the rules select on a page, in the order of the rules.
    ///
    /// # Errors
    /// Fails if the page is too large for the rules.
    pub(super) fn on(&self, page: &Page) -> Result<Selected, PageTooLarge> {
        use ManualDecision::{Comments, Exclude, Keep};
        let mut selected = Selected::default();
        if self.lists().iter().all(|(_, list)| list.is_empty()) {
            return Ok(selected);
        }
        let mut tree = PageTree::of(page)?;
        let mut all = |list: &[CssSelector]| -> Result<Vec<ElementId>, PageTooLarge> {
            let found: Result<Vec<_>, _> = list.iter().map(|selector| tree.select(selector)).collect();
            found.map(|found| found.concat())
        };
        selected.title = all(&self.title)?;
        selected.author = all(&self.author)?;
        selected.published = all(&self.published)?;
        // If an element matches rules of several kinds, the last kind in this list applies.
        for (list, decision) in [(&self.keep, Keep), (&self.exclude, Exclude), (&self.comments, Comments)] {
            selected.decisions.extend(all(list)?.into_iter().map(|id| (id, decision)));
        }
        Ok(selected)
    }
}
