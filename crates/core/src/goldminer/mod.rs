//! GoldMiner: learns from a sample of a domain's pages where its articles begin and end, and cuts pages there.
//!
//! [`learner`] makes a [`profile`] from a sample, and [`trim`] applies it. Cut points are written as [`pattern`]s.
//! All modules work on [`Page`]s and know neither files nor time. `extract` turns the text that is left into a
//! document.

pub mod explain;
pub mod learner;
pub mod page_classes;
pub mod pattern;
pub mod places;
pub mod profile;
pub mod published;
pub mod rules;
pub mod sequence;
pub mod trim;

mod declared_text;
mod headline;
mod manual;
mod page_model;
mod publication_date;
mod site;
pub(crate) mod sums;
mod surroundings;
mod tags;
mod thresholds;
mod vocabulary;

use goldminer_html::address::CrawlUrl;
use goldminer_html::{ElementId, Page};

use crate::justext::{Class, Thresholds};

use page_model::PageModel;
use page_model::build::may_hold_article;
use pattern::shape::Shapes;
use profile::DomainProfile;
use vocabulary::Meaning;

pub(crate) use manual::PageProfile;
pub(crate) use page_model::build::leads_to_editing;
pub use page_model::text_key::text_key;
pub(crate) use surroundings::{LONG_TEXT, Surroundings};
pub(crate) use thresholds::MIN_ARTICLE;

/// Name, version and commit, as documents, profiles and archives record them: `goldminer/0.2.0 (3f2a9c1b7d)`.
///
/// ```
/// assert!(goldminer_core::goldminer::PROGRAM.starts_with("goldminer/"));
/// ```
pub const PROGRAM: &str = concat!("goldminer/", env!("GOLDMINER_VERSION"));

/// Version and commit, as `goldminer --version` prints them: `0.2.0 (3f2a9c1b7d)`.
///
/// ```
/// assert!(goldminer_core::goldminer::PROGRAM.ends_with(goldminer_core::goldminer::VERSION));
/// ```
pub const VERSION: &str = env!("GOLDMINER_VERSION");

/// Whether a page looks like an article, so that the learner can use it: it has enough text that is good for jusText
/// and does not announce other pages. (Only a sample of pages can show whether this text is unique.)
///
/// ```
/// use goldminer_core::goldminer;
/// use goldminer_core::page::Page;
///
/// let prose = "It was in the middle of the week that the council met and asked the citizens what they thought of it. ";
/// assert!(goldminer::is_article_like(&Page::parse(format!("<p>{}", prose.repeat(8))), None));
/// assert!(!goldminer::is_article_like(&Page::parse("<a href=/>Home</a>".to_owned()), None));
/// ```
pub fn is_article_like(page: &Page, url: Option<&CrawlUrl>) -> bool {
    has_article_text(page, url, None, |_| false)
}

/// Whether a page looks like an article, given its domain's profile. Text that the domain often repeats does not
/// count.
pub(crate) fn looks_like_article(page: &Page, url: Option<&CrawlUrl>, profile: &DomainProfile) -> bool {
    has_article_text(page, url, profile.language.as_deref(), |text| profile.is_repeated(text))
}

/// Whether a page has enough text that is good for jusText and not repeated on other pages. The amount of any text is
/// checked first: this is fast, and most pages that are not articles have too little.
fn has_article_text(
    page: &Page,
    url: Option<&CrawlUrl>,
    language: Option<&str>,
    is_repeated: impl Fn(u64) -> bool,
) -> bool {
    // A paragraph that is mostly links is never good.
    let most_links = Thresholds::default().max_link_density;
    if !may_hold_article(page.paragraphs().iter().filter(|paragraph| paragraph.link_density() <= most_links)) {
        return false;
    }
    let classes = page_classes::classify_for_learner(page, language).classes;
    let classified = page.paragraphs().iter().zip(&classes);
    may_hold_article(classified.filter(|(_, class)| **class == Class::Good).map(|(paragraph, _)| paragraph))
        && PageModel::of_page(page, url, &classes, &mut Shapes::of_a_page()).is_article_like(is_repeated)
}

/// Whether a preformatted element is a program listing or program output, by the names of the element and of its
/// nearest ancestors, or by its content. Poems and letters are also preformatted.
pub(crate) fn is_listing(page: &Page, pre: ElementId) -> bool {
    let names_code = |id| Meaning::of(page.element(id).tag, &page.marks(id)).code;
    page.ancestors_and_self(pre).take(3).any(names_code) || page.holds_code(pre)
}

/// Returns, for each paragraph of a page, whether it is in readers' comments. Names of elements, titles above comments
/// and rows of similar elements show this.
///
/// ```
/// use goldminer_core::goldminer;
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<p>It rained.</p><div id=comments><p>I was there.</p></div>".to_owned());
/// assert_eq!(goldminer::comments(&page, None, None), [false, true]);
/// ```
pub fn comments(page: &Page, url: Option<&CrawlUrl>, profile: Option<&DomainProfile>) -> Vec<bool> {
    let is_repeated = |text| profile.is_some_and(|profile| profile.is_repeated(text));
    Surroundings::of(page, url, is_repeated).comments
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_fast_checks_never_contradict_the_model(
            paragraphs in proptest::collection::vec((0..60_usize, any::<bool>(), any::<bool>()), 0..12),
        ) {
            let mut html = "<title>A page</title><h1>A page</h1>".to_owned();
            for (words, is_linked, is_prose) in paragraphs {
                let text = if is_prose { "it was in the house of " } else { "harbour courier larkhill " }.repeat(words / 4);
                let text = if is_linked { format!("<a href=/x>{text}</a>") } else { text };
                html += &format!("<p>{text}</p>");
            }
            let page = Page::parse(html);
            let classes = page_classes::classify_for_learner(&page, None).classes;
            let model = PageModel::of_page(&page, None, &classes, &mut Shapes::default());
            prop_assert_eq!(is_article_like(&page, None), model.is_article_like(|_| false));
        }
    }
}
