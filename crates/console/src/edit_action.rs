//! What a person may ask for a block.

/// What is to become of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// It stands in a list of teasers.
    Teasers,
}

impl EditAction {
    pub(super) const ALL: [Self; 8] = [
        Self::Cut,
        Self::Keep,
        Self::Article,
        Self::Headline,
        Self::Authors,
        Self::Published,
        Self::Comments,
        Self::Teasers,
    ];

    /// Its name in addresses.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Keep => "keep",
            Self::Article => "article",
            Self::Headline => "headline",
            Self::Authors => "authors",
            Self::Published => "published",
            Self::Comments => "comments",
            Self::Teasers => "teasers",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }

    /// Whether a page's document has more text afterwards, or less; neither where it is about something else.
    pub(super) fn keeps(self) -> Option<bool> {
        match self {
            Self::Keep | Self::Article => Some(true),
            Self::Cut | Self::Comments | Self::Teasers => Some(false),
            Self::Headline | Self::Authors | Self::Published => None,
        }
    }
}
