//! Hand-written rules for a domain's pages, as CSS selectors: `[manual]` of its profile.
//!
//! Learning never makes or changes them. `selector` parses one and bounds what it may cost, `page_tree` is the page as
//! `scraper` sees it, made only where there is a rule. What the elements found mean for a cut is decided in `manual`.

mod page_tree;
mod selector;

use goldminer_html::{ElementId, Page};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use page_tree::PageTree;

pub use page_tree::PageTooLarge;
pub use selector::{CssSelector, SelectorError};

/// The hand-written rules of a domain. They take precedence over what was learned and over machine-readable metadata.
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
    /// Elements whose text belongs to the article, even if everything else says that it does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<CssSelector>,
    /// Elements whose text does not belong to the article.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<CssSelector>,
    /// Elements whose first text is the headline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub title: Vec<CssSelector>,
    /// Elements that name the authors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub author: Vec<CssSelector>,
    /// Elements that name the day of publication.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<CssSelector>,
    /// Elements that hold readers' comments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CssSelector>,
    /// Whether the day is before the month in a date in numbers with slashes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day_first: Option<bool>,
}

/// What a rule says of a stretch of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
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
    /// Elements that are kept or removed, with the reason.
    pub(super) said: FxHashMap<ElementId, Said>,
}

impl ManualRules {
    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Each rule with its key, as in `comments: div.replies`.
    pub fn in_words(&self) -> Vec<String> {
        let lists = self.lists().into_iter();
        lists.flat_map(|(key, list)| list.iter().map(move |selector| format!("{key}: {selector}"))).collect()
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

    /// What the rules select on a page, in the order of the rules.
    ///
    /// # Errors
    /// When the page is too large for them.
    pub(super) fn on(&self, page: &Page) -> Result<Selected, PageTooLarge> {
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
        // If several rules are for one element, the last of these kinds applies.
        for (list, said) in [(&self.keep, Said::Keep), (&self.exclude, Said::Exclude), (&self.comments, Said::Comments)]
        {
            selected.said.extend(all(list)?.into_iter().map(|id| (id, said)));
        }
        Ok(selected)
    }
}
