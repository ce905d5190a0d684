//! Which profiles serve a page.

use goldminer_core::extract::domain::{ProfileSet, ServingProfile};
use goldminer_crawl::run::CrawlError;
use goldminer_crawl::store::profile_book::ProfileBook;
use goldminer_html::address::Domain;
use jiff::Timestamp;

/// The profiles that an archive is read by. Where a domain has none, each of its pages is judged alone.
pub enum StreamProfiles {
    /// Those of a book, each from its time on.
    Book(Box<ProfileBook>),
    /// A few, in memory.
    Set(ProfileSet),
}

impl StreamProfiles {
    /// Profiles in memory.
    pub fn of(profiles: Vec<ServingProfile>) -> Self {
        Self::Set(ProfileSet::of(profiles))
    }

    /// Uses the profiles of a site's page that was fetched then; `read` is told the unit that the page belongs to, which
    /// sites that are one have in common.
    pub(super) fn with<T>(
        &self,
        site: &Domain,
        fetched: Option<Timestamp>,
        read: impl FnOnce(&ProfileSet, &Domain) -> T,
    ) -> Result<T, CrawlError> {
        let book = match self {
            Self::Set(profiles) => return Ok(read(profiles, site)),
            Self::Book(book) => book,
        };
        if let Some(spans) = book.spans(site)?
            && let Some(profiles) = spans.at(fetched)
        {
            return Ok(read(profiles, spans.unit().unwrap_or(site)));
        }
        // What somebody has put into a book by hand stands under the registrable domain.
        let spans = book.spans(&site.registrable())?;
        Ok(match spans.as_deref().and_then(|spans| spans.at(fetched)) {
            Some(profiles) => read(profiles, site),
            None => read(&ProfileSet::default(), site),
        })
    }
}
