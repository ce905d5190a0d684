//! More of what a perfect crawl would find on a portal, for tests of single features.

use crate::portals::Portal;
use crate::portals::place::{Kind, PageSpec};

/// A page that declares a wrong encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongCharset {
    /// The path of the page.
    pub path: String,
    /// The encoding that the page declares.
    pub declared: &'static str,
    /// The encoding of its bytes.
    pub actual: &'static str,
}

impl Portal {
    /// Pairs of paths whose articles differ only in headline, author and date: the path of the original, and of the
    /// repetition.
    pub fn near_duplicates(&self) -> Vec<(String, String)> {
        let revised = (0..self.newsroom.articles).filter_map(|n| Some((n, self.newsroom.revised(n)?)));
        revised.map(|(n, original)| (self.article_path(original), self.article_path(n))).collect()
    }

    /// The pages that declare a wrong encoding.
    pub fn wrong_charsets(&self) -> Vec<WrongCharset> {
        let wrong_charset = self.charset.wrong_charset.filter(|(n, _)| *n < self.newsroom.articles);
        wrong_charset
            .into_iter()
            .map(|(n, actual)| WrongCharset {
                path: self.article_path(n),
                declared: if self.charset.meta.is_empty() { self.charset.header } else { self.charset.meta },
                actual: actual.name(),
            })
            .collect()
    }

    /// The paths of pages that exist and are linked, but that robots.txt forbids.
    pub fn forbidden(&self) -> Vec<String> {
        let linked = (1..=3).map(|n| PageSpec::new(Kind::Private, n)).chain([PageSpec::new(Kind::Search, 0)]);
        let second_urls = self.second_urls().into_iter().map(|(_, second_url)| second_url);
        let paths = linked.filter_map(|place| self.path(place)).chain(second_urls);
        paths.filter(|path| !self.robots.allows(path)).collect()
    }

    /// The paths of pages to which all links have `rel="nofollow"`.
    pub fn nofollow(&self) -> Vec<String> {
        self.path(PageSpec::new(Kind::Sponsored, 0)).into_iter().collect()
    }
}
