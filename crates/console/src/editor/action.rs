//! What a person may ask for a block.

use goldminer_crawl::name_of;
use serde::Serialize;

/// What is to become of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EditAction {
    /// It is not part of the article.
    Cut,
    /// It is, though the profile drops it.
    Keep,
    /// The article is what stands around it.
    Article,
    /// It is the headline.
    Headline,
    /// It names the authors.
    Authors,
    /// It names the day of publication.
    Published,
    /// It stands among readers' comments.
    Comments,
}

impl EditAction {
    /// What a block may be said to be.
    pub(super) const IT_IS: [Self; 4] = [Self::Headline, Self::Authors, Self::Published, Self::Comments];

    /// Its name in addresses.
    pub(super) fn name(self) -> String {
        name_of(&self)
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        let all = [Self::Cut, Self::Keep, Self::Article].into_iter().chain(Self::IT_IS);
        all.into_iter().find(|action| action.name() == name)
    }

    /// Its name for people.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Cut => "Cut it",
            Self::Keep => "Keep it",
            Self::Article => "The article is here",
            Self::Headline => "The headline",
            Self::Authors => "The byline",
            Self::Published => "The date",
            Self::Comments => "Readers' comments",
        }
    }

    /// Whether a page's document has more text afterwards, or less; neither where it is about something else.
    pub(super) fn keeps(self) -> Option<bool> {
        match self {
            Self::Keep | Self::Article => Some(true),
            Self::Cut | Self::Comments => Some(false),
            Self::Headline | Self::Authors | Self::Published => None,
        }
    }
}
