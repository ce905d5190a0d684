//! Which profiles serve a page.

use jiff::Timestamp;

use crate::address::Domain;
use crate::engine::EngineError;
use crate::extract::domain::{ProfileSet, ServingProfile};
use crate::store::profile_book::ProfileBook;

/// The profiles that an archive is read by. Where a domain has none, each of its pages is judged alone.
pub enum StreamProfiles {
    /// Those of a book, each from its time on.
    Book(Box<ProfileBook>),
    /// A few, in memory.
    Set(ProfileSet),
}

impl StreamProfiles {
    /// Profiles in memory.
    #[must_use]
    pub fn of(profiles: Vec<ServingProfile>) -> Self {
        Self::Set(ProfileSet::of(profiles))
    }

    /// Uses the profiles of a domain's page that was fetched then.
    pub(super) fn with<T>(
        &self,
        domain: &Domain,
        fetched: Option<Timestamp>,
        read: impl FnOnce(&ProfileSet) -> T,
    ) -> Result<T, EngineError> {
        let book = match self {
            Self::Set(profiles) => return Ok(read(profiles)),
            Self::Book(book) => book,
        };
        let spans = book.spans(domain)?;
        Ok(match spans.as_deref().and_then(|spans| spans.at(fetched)) {
            Some(profiles) => read(profiles),
            None => read(&ProfileSet::default()),
        })
    }
}
