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
    NoPattern,
    /// It has no good text.
    #[error("the page has no running text: it is a front page, a list, or a page that scripts fill in a browser")]
    NoText,
    /// It is a list of other pages.
    #[error("it lists other pages: a front page, a page of a list, or a tag index")]
    List,
    /// It is a gallery: pictures with captions.
    #[error("it shows pictures with captions, and hardly any running text")]
    Gallery,
    /// It has only a title and a video or a recording.
    #[error("it has only a title and a video or a recording")]
    Stub,
    /// It is not HTML.
    #[error("it is not HTML; give the body of a page, without content coding")]
    NotHtml,
    /// Earlier documents contain all of its text.
    #[error("all of its text is in earlier documents")]
    Seen,
    /// Its text is not prose in any language: one character over and over, or a dump of bytes.
    #[error("its text is not prose in any language")]
    NoProse,
    /// It is too large for the rules in the profile.
    #[error("it is too large or too deep for the rules in [manual] of its domain's profile; write simpler selectors")]
    TooLarge,
    /// A wall replaces its text: there is a call to subscribe and no text before it.
    #[error("a paywall replaces its text: there is a call to subscribe, but no article text")]
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
