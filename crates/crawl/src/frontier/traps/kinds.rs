//! Groups the pages under a prefix or pattern by kind (the URL without numbers and slugs), before the prefix or pattern
//! is closed. The folder of the articles may also have pages of other kinds, such as the photos, the print version or a
//! form for letters of each article. Such pages say nothing about the articles.

use goldminer_html::HostKey;
use rustc_hash::FxHashMap;

use super::patterns::{self, Closing, kind};
use crate::StoreError;
use crate::frontier::Frontier;
use crate::store::frontier::NO_PREFIX;

/// Number of the host's latest pages that are considered.
const PAGES: u64 = 600;
/// The fewest articles of a kind that is kept open.
const MIN_ARTICLES: u32 = 3;
/// The fewest pages of a kind that is closed.
const MIN_USELESS: u32 = 10;

/// The kinds of URLs under a prefix or pattern.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    /// Most of their pages were articles.
    pub(crate) articles: Vec<String>,
    /// None of their pages was an article, and hardly any had a new link.
    pub(crate) useless: Vec<Closing>,
}

/// The latest pages of a kind.
#[derive(Default)]
struct LatestPages {
    articles: u32,
    others: u32,
    leading: u32,
}

impl Frontier {
    /// The kinds of the latest pages under a prefix or pattern of a host. Pages about which nothing is known yet are
    /// left out.
    pub(crate) fn kinds_under(&self, host: HostKey, pattern: &str) -> Result<Kinds, StoreError> {
        let Some(site) = self.hosts.get(&host).map(|state| state.row.host.site()) else { return Ok(Kinds::default()) };
        let pages = match self.domains.get(&site) {
            Some(row) => row.pages,
            None => self.tables.domains.get(&site.key())?.map_or(0, |row| row.pages),
        };
        let from = pages.saturating_sub(PAGES);
        let mut kinds: FxHashMap<String, LatestPages> = FxHashMap::default();
        for page in self.tables.pages_from(&site, from) {
            let page = page?;
            let path = page.url.path_and_query();
            if page.url.host().key() != host || !patterns::falls_under(path, pattern) {
                continue;
            }
            let was_article = self.walks.was_article(host, &page.url).or(page.is_article_like.then_some(true));
            let Some(is_article) = was_article else { continue };
            let pages = kinds.entry(kind(path)).or_default();
            pages.articles += u32::from(is_article);
            pages.others += u32::from(!is_article);
            pages.leading += u32::from(page.leads_from != NO_PREFIX);
        }
        let mut of = Kinds::default();
        for (kind, LatestPages { articles, others, leading }) in kinds {
            if articles >= MIN_ARTICLES && articles > others {
                of.articles.push(kind);
            } else if articles == 0 && others >= MIN_USELESS && 5 * leading < others && patterns::is_pattern(&kind) {
                let window = u8::try_from(others).unwrap_or(u8::MAX);
                of.useless.push(Closing { pattern: kind, useless: u32::from(window).saturating_sub(leading), window });
            }
        }
        Ok(of)
    }
}
