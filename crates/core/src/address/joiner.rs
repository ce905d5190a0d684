//! Where the references of one page lead.

use rustc_hash::FxHashMap;
use url::Url;

use super::{AddressError, CrawlUrl, MAX_URL_BYTES, plain};

/// Resolves the references of a page, as [`CrawlUrl::join`] does. It knows the sites again that the page's links lead to:
/// most links lead to few.
#[derive(Debug)]
pub(crate) struct Joiner {
    base: CrawlUrl,
    /// The same as the parser has it, once it was asked.
    parsed: Option<Url>,
    /// Beginnings of references (`https://www.portal.example`), and whether they are canonical.
    origins: FxHashMap<String, bool>,
}

impl Joiner {
    /// For references on a page with this address or `<base href>`.
    #[must_use]
    pub(crate) fn new(base: CrawlUrl) -> Self {
        Self { base, parsed: None, origins: FxHashMap::default() }
    }

    /// Resolves a reference.
    ///
    /// # Errors
    /// As [`CrawlUrl::parse`].
    pub(crate) fn join(&mut self, reference: &str) -> Result<CrawlUrl, AddressError> {
        let reference = reference.trim();
        if reference.len() <= MAX_URL_BYTES
            && let Some((origin, path)) = split(reference)
            && self.is_canonical(origin)
            && let Some(text) = plain::join(origin, "/", path)
        {
            return Ok(CrawlUrl::from_parts(text, origin.len()));
        }
        let parsed = &mut self.parsed;
        self.base.join_with(reference, |base| parsed.get_or_insert_with(|| base.to_url()).join(reference))
    }

    fn is_canonical(&mut self, origin: &str) -> bool {
        if let Some(known) = self.origins.get(origin) {
            return *known;
        }
        let is_canonical = CrawlUrl::parse(origin).is_ok_and(|url| url.host().as_str() == origin);
        self.origins.insert(origin.to_owned(), is_canonical);
        is_canonical
    }
}

/// What stands before the path of an absolute reference, and the path with all behind it.
fn split(reference: &str) -> Option<(&str, &str)> {
    let scheme = ["https://", "http://"].into_iter().find(|scheme| reference.starts_with(scheme))?;
    let path = scheme.len() + memchr::memchr(b'/', &reference.as_bytes()[scheme.len()..])?;
    Some(reference.split_at(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_page_s_references_lead_where_each_alone_leads(
            references in prop::collection::vec(
                "(https?://(www[.]|user@)?(other|P|p|[.]|127[.]1)([.]example|[.])?(:443|:8080|:80|:)?)?/{0,2}[a-z./?#%]{0,8}", 1..6,
            ),
        ) {
            let base = CrawlUrl::parse("https://p.example/news/?page=1").expect("a URL");
            let mut joiner = Joiner::new(base.clone());
            for reference in references {
                prop_assert_eq!(joiner.join(&reference), base.join_any(reference.trim()), "{}", reference);
            }
        }
    }
}
