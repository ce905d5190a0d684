//! What a person may wish of a block.

/// What is to become of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// It is not part of the article.
    Cut,
    /// It is, though a pattern of the template drops it.
    Keep,
    /// The article is what stands around it.
    Article,
}

impl Wish {
    pub(super) const ALL: [Self; 3] = [Self::Cut, Self::Keep, Self::Article];

    /// Its name in addresses.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Keep => "keep",
            Self::Article => "article",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wish| wish.name() == name)
    }
}
