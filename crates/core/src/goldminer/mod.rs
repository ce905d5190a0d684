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
/// and rows of similar elements show this. Sidebars in an unclosed element for comments do not count.
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
    Surroundings::of(page, url, is_repeated).comments_without_sidebars()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sidebars_behind_comments_are_none() {
        let story =
            "<p>It rained on that day in the town, and nobody lent an umbrella to those who had none.</p>".repeat(7);
        let linked = |tag: &str| {
            let titles = ["The council met again today", "Rain is expected in the north", "A bridge is closed"];
            titles.map(|title| format!("<{tag}><a href=/{title}>{title}</a></{tag}>")).concat()
        };
        let comment = |n: usize| {
            format!(
                "<li><b>ann{n}</b> <i>0{n}.05.2026</i><p>I was there that night, and it was cold.</p><a href=#r>Reply</a></li>"
            )
        };
        let rows = format!("<ol>{}{}</ol>", comment(1), comment(2));
        for (comments, sidebars) in [
            (
                "<section class=comments><h2>Comments</h2>",
                format!("<aside><h3>Most read</h3><ul>{}</ul></aside>", linked("li")),
            ),
            (
                "<h3>Comments (0)</h3><p>Be the first!</p>",
                format!("<h3>Newsletter</h3><p>All news by mail.</p><h3>Most read</h3>{}", linked("p")),
            ),
            (
                "<div id=comments><p>Log in to comment</p>",
                format!("<div class=box><div class=t>Latest</div>{}</div>", linked("div")),
            ),
            (
                &format!("<div id=comments><h4>Comments</h4>{rows}"),
                format!("<h4>Most read</h4>{}<h4>Weather</h4><p>Sun</p>", linked("h5")),
            ),
            (
                "<table><tr><td><b>Comments</b></td></tr>",
                format!("<tr><td><b>More news</b><br>{}</td></tr></table>", linked("p")),
            ),
        ] {
            let page = Page::parse(format!("<h1>Rain</h1><div>{story}{comments}{sidebars}"));
            let (all, own) = (page.paragraphs().len(), Page::parse(sidebars.clone()).paragraphs().len());
            let found = super::comments(&page, None, None);
            assert!(!found[all - own..].contains(&true), "{comments} {sidebars} {found:?}");
            assert!(found.contains(&true), "{comments}");
            assert_eq!(
                found.iter().filter(|is_comment| **is_comment).count() >= 6,
                comments.contains("ann1"),
                "{comments}"
            );
        }
    }

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
