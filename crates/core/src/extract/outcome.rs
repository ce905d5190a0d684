//! Why a page gives no document.

use goldminer_html::address::AddressError;

/// Why a page gave no text. The [`PageOutcome`](super::domain::PageOutcome) of the same name is used in tallies.
///
/// ```
/// use goldminer_core::{ExtractError, NoArticle, ProfileSet};
///
/// let error = ProfileSet::default().extract("<a href=/>Home</a>", "http://portal.example/").unwrap_err();
/// assert_eq!(error, ExtractError::NoArticle(NoArticle::NoText));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NoArticle {
    /// No template of the profile matches.
    #[error(
        "no template of the domain's profile matches the page, and it does not look like an article; if it is one, learn \
         the profile again from pages like it"
    )]
    NoTemplate,
    /// No paragraph of the page is classified as the text of an article.
    #[error(
        "no paragraph looks like the text of an article; the page may be a front page, a list, or filled by scripts in \
         a browser"
    )]
    NoText,
    /// The page is a list of other pages.
    #[error("the page lists other pages: a front page, a page of a list, or a tag index")]
    List,
    /// The page is a gallery: pictures with captions.
    #[error("the page shows pictures with captions, and hardly any running text")]
    Gallery,
    /// The page has only a title and a video or a recording.
    #[error("the page has only a title and a video or a recording")]
    Stub,
    /// The page is not HTML.
    #[error("the page is not HTML; give the decompressed body of an HTML page")]
    NotHtml,
    /// Earlier documents contain all of the page's text.
    #[error("all of the page's text is in earlier documents")]
    Seen,
    /// The page's text is not prose in any language: one character over and over, or a dump of bytes.
    #[error("the page's text is not prose in any language")]
    NoProse,
    /// The page is too large for the manual rules in the profile.
    #[error("the page is too large or too deep for the rules in [manual] of its profile; write simpler selectors")]
    TooLarge,
    /// A wall replaces the article: a call to subscribe or a request for consent, with no text before it.
    #[error("the page has a call to subscribe or a request for consent, but no article text")]
    Wall,
}

/// Why [`ProfileSet::extract`](super::domain::ProfileSet::extract) gave no document.
///
/// ```
/// use goldminer_core::{ExtractError, ProfileSet};
///
/// let error = ProfileSet::default().extract("<p>It rained.", "portal.example").unwrap_err();
/// assert!(matches!(error, ExtractError::Address(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The given URL is not valid.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The page gives no text.
    #[error(transparent)]
    NoArticle(#[from] NoArticle),
}
