//! Whether the links of a page lead to another page of its site or elsewhere. This is a guess from the addresses
//! alone, to find announcements of other pages. The frontier decides what is fetched.

use goldminer_html::address::CrawlUrl;
use goldminer_html::{Page, Tag};
use xxhash_rust::xxh3::xxh3_64;

/// The site and the path of the page.
#[derive(Default)]
pub(crate) struct Site {
    /// Without `www.`.
    host: Option<String>,
    path: String,
}

impl Site {
    /// The site of a page, from its address or the one that it declares.
    pub(crate) fn of(page: &Page, url: Option<&CrawlUrl>) -> Self {
        let named = if url.is_none() { named_url(page) } else { None };
        let Some(url) = url.or(named.as_ref()) else { return Self::default() };
        Self { host: Some(bare(url.host_name()).to_owned()), path: url.path_and_query().to_owned() }
    }

    /// The hash of a link's target, if it is another page of the same host (of any host, if the page's own is
    /// unknown).
    pub(crate) fn target(&self, href: &str) -> Option<u64> {
        let href = href.trim();
        if href.is_empty() || href.contains('#') {
            return None;
        }
        let path = match href.split_once("//") {
            Some(("" | "http:" | "https:", rest)) => {
                let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                if self.host.as_ref().is_some_and(|own| !own.eq_ignore_ascii_case(bare(host))) {
                    return None;
                }
                path
            }
            _ if href.split(['/', '?']).next().is_some_and(|first| first.contains(':')) => return None,
            _ => href,
        };
        (path != self.path).then(|| xxh3_64(path.as_bytes()))
    }
}

fn bare(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// The address that the page declares.
fn named_url(page: &Page) -> Option<CrawlUrl> {
    let is =
        |id, name: &str, value: &str| page.attribute(id, name).is_some_and(|found| found.eq_ignore_ascii_case(value));
    let canonical = page.elements_of(Tag::Link).find(|id| is(*id, "rel", "canonical"));
    let open_graph = || page.elements_of(Tag::Meta).find(|id| is(*id, "property", "og:url"));
    let url = canonical
        .and_then(|id| page.attribute(id, "href"))
        .or_else(|| open_graph().and_then(|id| page.attribute(id, "content")))?;
    CrawlUrl::parse(&url).ok()
}
