//! Feeds (RSS, Atom, JSON Feed): the quickest and most polite way to learn of a portal's news.
//!
//! `feed-rs` reads them; what is kept is what a crawler needs, links and dates. Feeds are small, and untrusted: bytes and
//! items are capped.

use jiff::Timestamp;

use crate::address::CrawlUrl;

/// Bytes of a decoded feed that are read; the greatest real ones, with full texts, have some megabytes.
const MAX_BYTES: usize = 10 << 20;

/// Items of a feed that are kept.
const MAX_ITEMS: usize = 10_000;

/// What a feed announces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feed {
    /// In the order of the feed.
    pub items: Vec<FeedItem>,
    /// Items without a link that could be followed.
    pub without_link: usize,
}

/// One announced page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedItem {
    /// Where it is.
    pub url: CrawlUrl,
    /// When it appeared, or was changed last where only that is told.
    pub published: Option<Timestamp>,
}

/// Bytes that are no feed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no feed: {0}")]
pub struct FeedError(String);

/// Reads a decoded feed that was found at `location`, against which relative links are resolved.
///
/// # Errors
/// When the bytes are no feed of any kind.
pub fn parse(bytes: &[u8], location: &CrawlUrl) -> Result<Feed, FeedError> {
    let bytes = &bytes[..bytes.len().min(MAX_BYTES)];
    let parser = feed_rs::parser::Builder::new().base_uri(Some(location.as_str())).build();
    let parsed = parser.parse(bytes).map_err(|error| FeedError(error.to_string()))?;
    let mut feed = Feed::default();
    for entry in parsed.entries.into_iter().take(MAX_ITEMS) {
        match link(&entry, location) {
            Some(url) => feed.items.push(FeedItem { url, published: date(&entry) }),
            None => feed.without_link += 1,
        }
    }
    Ok(feed)
}

/// The alternate link if there is one, else any link to a page; at last an RSS `guid` that is an address.
fn link(entry: &feed_rs::model::Entry, location: &CrawlUrl) -> Option<CrawlUrl> {
    let is_page = |link: &&feed_rs::model::Link| matches!(link.rel.as_deref(), None | Some("alternate"));
    let linked = entry.links.iter().find(is_page).map(|link| link.href.as_str());
    let guid = Some(entry.id.as_str()).filter(|id| id.starts_with("http://") || id.starts_with("https://"));
    linked.or(guid).and_then(|href| location.join(href).ok())
}

fn date(entry: &feed_rs::model::Entry) -> Option<Timestamp> {
    let moment = entry.published.or(entry.updated)?;
    Timestamp::new(moment.timestamp(), 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(location: &str) -> CrawlUrl {
        CrawlUrl::parse(location).unwrap()
    }

    fn items(feed: &str) -> Vec<(String, Option<String>)> {
        let feed = parse(feed.as_bytes(), &at("http://portal.example/feeds/all")).unwrap();
        feed.items.into_iter().map(|item| (item.url.to_string(), item.published.map(|date| date.to_string()))).collect()
    }

    #[test]
    fn rss_gives_links_and_dates() {
        let found = items(
            "<?xml version='1.0'?><rss version='2.0'><channel><title>News</title><link>http://portal.example/</link>
             <item><title>A</title><link>http://portal.example/a?utm_source=rss</link>
             <pubDate>Fri, 20 Nov 2026 10:30:00 +0100</pubDate></item>
             <item><title>B</title><guid isPermaLink='true'>http://portal.example/b</guid></item>
             </channel></rss>",
        );
        assert_eq!(
            found,
            [
                ("http://portal.example/a".into(), Some("2026-11-20T09:30:00Z".into())),
                ("http://portal.example/b".into(), None),
            ]
        );
    }

    #[test]
    fn atom_gives_the_page_and_not_the_comments() {
        let found = items(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>News</title><id>urn:1</id><updated>2026-11-20T10:00:00Z</updated>
             <entry><id>urn:2</id><title>A</title><link rel='replies' href='/a/comments'/><link href='/a'/>
             <updated>2026-11-19T10:00:00Z</updated></entry></feed>",
        );
        assert_eq!(found, [("http://portal.example/a".into(), Some("2026-11-19T10:00:00Z".into()))]);
    }

    #[test]
    fn json_feed_gives_links_and_dates() {
        let found = items(
            r#"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": [
                {"id": "1", "url": "http://portal.example/a", "content_text": "x", "date_published": "2026-11-20T10:00:00Z"}]}"#,
        );
        assert_eq!(found, [("http://portal.example/a".into(), Some("2026-11-20T10:00:00Z".into()))]);
    }

    #[test]
    fn what_is_no_feed_is_an_error_and_what_has_no_link_is_counted() {
        for bytes in ["", "<html><body>404</body></html>", "{\"items\": 3}", "\0\0\0"] {
            assert!(parse(bytes.as_bytes(), &at("http://portal.example/feed")).is_err(), "{bytes}");
        }
        let feed = "<rss version='2.0'><channel><item><title>A</title></item></channel></rss>";
        assert_eq!(parse(feed.as_bytes(), &at("http://portal.example/feed")).unwrap().without_link, 1);
    }

    proptest! {
        #[test]
        fn a_broken_feed_is_an_error_or_a_feed_and_never_a_panic(at_byte in 0usize..260, byte in any::<u8>()) {
            let mut feed = b"<feed xmlns='http://www.w3.org/2005/Atom'><title>N</title><id>u</id><updated>2026-11-20T10:00:00Z\
                </updated><entry><id>u:2</id><title>A &amp; B</title><link href='/a'/><updated>2026-11-19T10:00:00Z</updated>\
                </entry></feed>".to_vec();
            let at_byte = at_byte.min(feed.len() - 1);
            feed[at_byte] = byte;
            if let Ok(read) = parse(&feed, &at("http://portal.example/feed")) {
                prop_assert!(read.items.len() + read.without_link <= 1);
            }
        }
    }
}
