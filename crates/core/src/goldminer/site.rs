//! Guesses from URLs alone whether a link leads to another page of the same site. This helps to find announcements of
//! other pages. It does not decide what is fetched; the crawl's frontier does.

use goldminer_html::address::CrawlUrl;
use goldminer_html::{Page, Tag};
use xxhash_rust::xxh3::xxh3_64;

/// The host name and the path of a page. Links are compared with them.
#[derive(Default)]
pub(crate) struct Site {
    /// The host name without `www.`; None if it is unknown.
    host: Option<String>,
    path: String,
}

impl Site {
    /// Reads host and path from the page's URL. If `url` is None, the URL that the page declares is used.
    pub(crate) fn of(page: &Page, url: Option<&CrawlUrl>) -> Self {
        let named = if url.is_none() { named_url(page) } else { None };
        let Some(url) = url.or(named.as_ref()) else { return Self::default() };
        Self { host: Some(bare(url.host_name()).to_owned()), path: url.path_and_query().to_owned() }
    }

    /// Returns a hash of a link's target if it is another page of the same host, else None. If the page's own host is
    /// unknown, pages of any host count.
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

/// The URL that the page declares: that of `rel=canonical`, else of `og:url`.
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
