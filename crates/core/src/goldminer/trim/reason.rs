//! The decisions about the paragraphs of a page that is cut. `trim` makes them, and reports name them.

/// Whether a paragraph is kept when a page is cut, and why.
///
/// ```
/// use goldminer_core::goldminer::{profile::DomainProfile, trim::{ParagraphReason, trim}};
/// use goldminer_core::page::Page;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// let page = Page::parse(
///     "<div class=story><p>It rained in Rome for a week, and then the sun came out.</p>\
///      <div class=related><p>The sun in Oslo</p></div></div>".to_owned(),
/// );
/// assert_eq!(trim(&page, None, None, &profile).unwrap().reasons, [ParagraphReason::Kept, ParagraphReason::Named]);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums, reason = "code that shows a cut must name each of them")]
pub enum ParagraphReason {
    /// The paragraph is outside of the cut.
    Outside,
    /// The paragraph is text of the article.
    Kept,
    /// The paragraph is between headline and cut, and belongs to the article.
    Lead,
    /// Dropped: a manual rule of the profile excludes it.
    Excluded,
    /// Dropped: it is among readers' comments.
    Comment,
    /// Dropped: it is in an element whose name means boilerplate.
    Named,
    /// Dropped: it is in an element that was mostly boilerplate in the sample.
    Learned,
    /// Dropped: it is repeated on many of the domain's pages.
    Repeated,
    /// Dropped: it announces another page.
    Teaser,
    /// Dropped: it is mostly links outside of the article's core, or a link that announces another page.
    Links,
    /// Dropped: it is a second copy on the page, for example for small screens.
    Copy,
    /// Dropped: it belongs to another article below the page's own.
    OtherArticle,
    /// Dropped: it only names author and date, between headline and text.
    Credit,
    /// Dropped: it asks readers to pay, or to read on elsewhere.
    Wall,
}

impl ParagraphReason {
    /// Whether the paragraph is text of the article.
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Kept | Self::Lead)
    }
}
