//! Generates a portal's RSS feed and sitemaps: an index, gzipped sitemaps, and a news sitemap.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::html::{attribute, each, text};
use super::place::{Kind, PageSpec};
use super::{Portal, Reply};

/// The number of articles in a sitemap.
pub(super) const SITEMAP_SHEET: usize = 50;
const FEED_ITEMS: usize = 30;
const NEWS_ITEMS: usize = 8;
const XML: &str = "application/xml";

/// The `<link>` element that refers to the feed on every page. Empty if the portal has no feed.
pub(super) fn discovery(portal: &Portal) -> String {
    portal.path(PageSpec::new(Kind::Feed, 0)).map_or_else(String::new, |path| {
        format!(
            "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"RSS\" href=\"{}\">\n",
            attribute(portal.absolute(&path))
        )
    })
}

/// The RSS feed of the newest articles.
pub(super) fn rss(portal: &Portal) -> Reply {
    let items = each(portal.newsroom.published_articles().take(FEED_ITEMS), |n| {
        let teaser = portal.teaser(n);
        let url = portal.absolute(&teaser.path);
        format!(
            "<item><title>{}</title><link>{url}</link><guid>{url}</guid><pubDate>{}</pubDate>\
                 <description>{}</description></item>",
            text(&teaser.headline),
            portal.newsroom.published(n).strftime("%a, %d %b %Y %H:%M:00 +0200"),
            text(&teaser.lead),
            url = text(&url)
        )
    });
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\"><channel>\n<title>{}</title><link>{}</link>\
         <description>{}</description>\n{items}</channel></rss>\n",
        text(&portal.name),
        portal.start(),
        text(portal.word("latest")),
    );
    Reply::new(200, "application/rss+xml; charset=utf-8", xml)
}

/// The index of the portal's sitemaps.
pub(super) fn sitemap_index(portal: &Portal) -> Reply {
    let sheets = 1..=portal.newsroom.articles.div_ceil(SITEMAP_SHEET);
    let paths = sheets.filter_map(|sheet| portal.path(PageSpec::new(Kind::Sitemap, 0).sheet(sheet)));
    let maps = each(paths, |path| format!("<sitemap><loc>{}</loc></sitemap>", text(portal.absolute(&path))));
    Reply::new(200, XML, sheet_of("sitemapindex", "", &maps))
}

/// The XML of a sitemap or an index of sitemaps. `names` are further XML namespaces.
fn sheet_of(root: &str, names: &str, entries: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{root} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"{names}>\n\
         {entries}</{root}>\n"
    )
}

/// The gzipped sitemap with this number, from 1. None if there are not so many.
pub(super) fn sitemap(portal: &Portal, sheet: usize) -> Option<Reply> {
    let articles = portal.newsroom.articles;
    let from = sheet.checked_sub(1)? * SITEMAP_SHEET;
    if from >= articles {
        return None;
    }
    let urls = each(
        (from..articles.min(from + SITEMAP_SHEET)).filter(|n| portal.newsroom.published_articles().contains(n)),
        |n| {
            let teaser = portal.teaser(n);
            format!("<url><loc>{}</loc><lastmod>{}</lastmod></url>", text(portal.absolute(&teaser.path)), teaser.day)
        },
    );
    Some(Reply::new(200, "application/gzip", gzip(sheet_of("urlset", "", &urls).as_bytes())))
}

/// Compresses bytes with gzip.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    // Writing to memory cannot fail.
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    let _ = packed.write_all(bytes);
    packed.finish().unwrap_or_default()
}

/// The news sitemap: the newest articles (of about two days) with their titles.
pub(super) fn news_sitemap(portal: &Portal) -> Reply {
    let urls = each(portal.newsroom.published_articles().take(NEWS_ITEMS), |n| {
        let teaser = portal.teaser(n);
        format!(
            "<url><loc>{}</loc><news:news><news:publication><news:name>{}</news:name>\
                 <news:language>{}</news:language>\
                 </news:publication><news:publication_date>{}+02:00</news:publication_date><news:title>{}</news:title>\
                 </news:news></url>",
            text(portal.absolute(&teaser.path)),
            text(&portal.name),
            portal.newsroom.language.code(),
            portal.newsroom.published(n),
            text(&teaser.headline),
        )
    });
    let names = " xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\"";
    Reply::new(200, XML, sheet_of("urlset", names, &urls))
}
