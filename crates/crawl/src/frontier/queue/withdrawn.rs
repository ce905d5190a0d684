//! What somebody had taken out of a job: it is not asked for again, whatever leads to it.

use goldminer_html::CrawlUrl;
use rustc_hash::FxHashSet;

/// URLs and hosts that were withdrawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Withdrawals {
    urls: FxHashSet<String>,
    hosts: Vec<String>,
}

impl Withdrawals {
    /// Of a list as people write it: what has a scheme is a URL, all else a host, which means those below it, too.
    pub fn of(list: &[String]) -> Self {
        let mut withdrawals = Self::default();
        for item in list {
            match CrawlUrl::parse(item) {
                Ok(url) if item.contains("://") => drop(withdrawals.urls.insert(url.as_str().to_owned())),
                _ => withdrawals.hosts.push(item.trim().trim_matches('.').to_ascii_lowercase()),
            }
        }
        withdrawals
    }

    /// The single URLs.
    pub fn urls(&self) -> impl Iterator<Item = CrawlUrl> {
        self.urls.iter().filter_map(|url| CrawlUrl::parse(url).ok())
    }

    /// Whether a URL was withdrawn, by itself or with its host.
    pub fn hold(&self, url: &CrawlUrl) -> bool {
        self.urls.contains(url.as_str()) || self.hold_host(url.host_name())
    }

    /// Whether a whole host was withdrawn.
    pub fn hold_host(&self, host: &str) -> bool {
        let is_below =
            |name: &String| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        self.hosts.iter().any(is_below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_withdrawn_alone_and_a_host_with_those_below_it() {
        let list = ["https://portal.example/a?b=1".to_owned(), "Other.example".to_owned()];
        let withdrawals = Withdrawals::of(&list);
        for (url, is_held) in [
            ("https://portal.example/a?b=1", true),
            ("https://portal.example/a?b=1#c", true),
            ("https://portal.example/a", false),
            ("http://other.example/", true),
            ("https://www.other.example/x", true),
            ("https://another.example/", false),
        ] {
            assert_eq!(withdrawals.hold(&CrawlUrl::parse(url).unwrap()), is_held, "{url}");
        }
    }
}
