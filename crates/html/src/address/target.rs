//! Resolves the targets of links and pictures for corpora: the URLs are absolute, with fragments, and not canonical.

use url::Url;

use super::{CrawlUrl, MAX_URL_BYTES};
use crate::{Page, Tag};

/// Resolves the references (such as `href` and `src` values) of one page.
///
/// ```
/// use goldminer_html::Page;
/// use goldminer_html::address::{CrawlUrl, Targets};
///
/// let address = CrawlUrl::parse("http://portal.example/news/rain")?;
/// let targets = Targets::of(&Page::parse("<base href=/old/>".to_owned()), Some(&address));
/// assert_eq!(targets.resolve("a?b#c").as_deref(), Some("http://portal.example/old/a?b#c"));
/// assert_eq!(targets.resolve("javascript:alert(1)"), None);
/// # Ok::<(), goldminer_html::address::AddressError>(())
/// ```
#[derive(Debug, Default)]
pub struct Targets {
    base: Option<Url>,
    /// The page's own URL without fragment.
    own: Option<String>,
}

impl Targets {
    /// Creates a resolver for a page. `address` is the page's URL if it is known.
    pub fn of(page: &Page, address: Option<&CrawlUrl>) -> Self {
        let own = address.map(CrawlUrl::to_url);
        let href = page.elements_of(Tag::Base).find_map(|id| page.attribute(id, "href"));
        let declared = href.and_then(|href| Url::options().base_url(own.as_ref()).parse(href.trim()).ok());
        Self { base: declared.or_else(|| own.clone()), own: own.map(String::from) }
    }

    /// The absolute URL of a reference. None for scripts, `data:` URLs, URLs above [`MAX_URL_BYTES`], and references
    /// that cannot be resolved.
    pub fn resolve(&self, reference: &str) -> Option<String> {
        let reference = reference.trim();
        if reference.is_empty() || reference.len() > MAX_URL_BYTES {
            return None;
        }
        let url = Url::options().base_url(self.base.as_ref()).parse(reference);
        let url = url.ok().filter(|url| matches!(url.scheme(), "http" | "https" | "mailto" | "tel" | "ftp"))?;
        (url.as_str().len() <= MAX_URL_BYTES).then(|| url.into())
    }

    /// The reference as written, if it is relative and the page's URL is not known. Otherwise None.
    pub fn relative(&self, reference: &str) -> Option<String> {
        let reference = reference.trim();
        let is_relative = Url::parse(reference) == Err(url::ParseError::RelativeUrlWithoutBase);
        let may_be = self.base.is_none() && is_relative && reference.len() <= MAX_URL_BYTES;
        (may_be && !reference.is_empty() && !reference.contains(char::is_control))
            .then(|| reference.replace(' ', "%20"))
    }

    /// Whether an absolute URL is the page's own, with or without `index.html` or `index.php` at the end.
    pub fn is_own(&self, address: &str) -> bool {
        fn bare(address: &str) -> &str {
            let address = address.split('#').next().unwrap_or_default();
            let address =
                address.strip_suffix("index.html").or_else(|| address.strip_suffix("index.php")).unwrap_or(address);
            address.trim_end_matches('/')
        }
        self.own.as_deref().is_some_and(|own| bare(own) == bare(address))
    }

    /// The fragment of a reference to a place on the page itself; empty for the top of the page. None if the reference
    /// leads to another page.
    pub fn place<'r>(&self, reference: &'r str) -> Option<&'r str> {
        let (before, place) = reference.trim().split_once('#')?;
        let is_own = before.is_empty() || self.own.as_deref() == self.resolve(before).as_deref();
        is_own.then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_data_and_places_on_the_page_are_no_targets() {
        let page = Page::parse("<p>It rained.".to_owned());
        let address = CrawlUrl::parse("http://p.example/a/b").unwrap();
        let targets = Targets::of(&page, Some(&address));
        for reference in
            ["javascript:void(0)", " JaVaScript:x", "data:image/png;base64,AA", "", "http://", "vbscript:x"]
        {
            assert_eq!(targets.resolve(reference), None, "{reference}");
        }
        assert_eq!(targets.resolve("../c d").as_deref(), Some("http://p.example/c%20d"));
        assert_eq!(targets.resolve("mailto:a@p.example").as_deref(), Some("mailto:a@p.example"));
        assert_eq!(targets.resolve(&format!("/{}", "a".repeat(1 << 20))), None);
        assert_eq!(targets.place("#fn1"), Some("fn1"));
        assert_eq!(targets.place("http://p.example/a/b#fn1"), Some("fn1"));
        assert_eq!(targets.place("/c#fn1"), None);
        assert!(targets.is_own("http://p.example/a/b/") && !targets.is_own("http://p.example/a"));
        assert_eq!(Targets::of(&page, None).resolve("/c"), None);
    }
}
