//! Sitemaps as portals write them, broken sitemaps, and hostile sitemaps.

use std::io::Write;

use proptest::prelude::*;

use super::*;
use crate::list;

fn at(location: &str) -> CrawlUrl {
    CrawlUrl::parse(location).unwrap()
}

fn read(bytes: &[u8]) -> List {
    match list::read(bytes, None, &at("http://portal.example/sitemaps/all.xml")) {
        Ok(list) if list.kind == ListKind::Sitemap => list,
        other => panic!("no sitemap: {other:?}"),
    }
}

fn urls(sitemap: &List) -> Vec<&str> {
    sitemap.entries.iter().map(|entry| entry.url.as_str()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

const PAGES: &str = "<?xml version='1.0' encoding='UTF-8'?>
<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>
 <url><loc> http://portal.example/a?x=1&amp;y=2 </loc><lastmod>2026-11-20</lastmod>
  <image:image><image:loc>http://portal.example/a.jpg</image:loc></image:image></url>
 <url><loc><![CDATA[http://portal.example/b?x&y]]></loc></url>
 <url><loc>http://portal.example/&#xE9;</loc></url>
</urlset>";

#[test]
fn pages_have_their_dates_and_images_are_not_pages() {
    let sitemap = read(PAGES.as_bytes());
    let expected = ["http://portal.example/a?x=1&y=2", "http://portal.example/b?x&y", "http://portal.example/%C3%A9"];
    assert_eq!(urls(&sitemap), expected);
    assert_eq!(sitemap.entries[0].changed, Some("2026-11-20T00:00:00Z".parse().unwrap()));
    assert_eq!((sitemap.entries[1].changed, sitemap.entries[1].kind), (None, EntryKind::Page));
    assert!(sitemap.cut.is_none() && sitemap.without_address == 0);
}

#[test]
fn an_index_names_other_sitemaps() {
    let sitemap = read(
        b"<sitemapindex><sitemap><loc>http://portal.example/1.xml.gz</loc><lastmod>2026-11-20T10:00:00+01:00</lastmod>
          </sitemap><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>",
    );
    assert_eq!(urls(&sitemap), ["http://portal.example/1.xml.gz", "http://portal.example/2.xml"]);
    assert_eq!(sitemap.entries[0].changed, Some("2026-11-20T09:00:00Z".parse().unwrap()));
    assert!(sitemap.entries.iter().all(|entry| entry.kind == EntryKind::Sitemap));
}

#[test]
fn the_pages_of_a_news_sitemap_are_news() {
    let sitemap = read(
        b"<urlset xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'><url><loc>http://portal.example/a</loc>
          <news:news><news:publication><news:name>P</news:name></news:publication>
          <news:publication_date>2026-11-20T10:30+00:00</news:publication_date></news:news></url></urlset>",
    );
    assert_eq!((urls(&sitemap), sitemap.entries[0].kind), (vec!["http://portal.example/a"], EntryKind::News));
}

#[test]
fn a_gzip_file_a_byte_order_mark_and_prefixed_elements_are_read() {
    assert_eq!(urls(&read(&gzip(PAGES.as_bytes()))).len(), 3);
    assert_eq!(urls(&read(format!("\u{feff}{PAGES}").as_bytes())).len(), 3);
    let prefixed = b"<sm:urlset xmlns:sm='x'><sm:url><sm:loc>http://portal.example/a</sm:loc></sm:url></sm:urlset>";
    assert_eq!(urls(&read(prefixed)), ["http://portal.example/a"]);
}

#[test]
fn a_text_sitemap_has_one_url_a_line_and_prose_is_skipped() {
    let sitemap = read(b"http://portal.example/a\r\n\r\nhttp://portal.example/b\nNot found\n");
    assert_eq!(urls(&sitemap), ["http://portal.example/a", "http://portal.example/b"]);
    assert_eq!(sitemap.without_address, 1);
}

#[test]
fn a_feed_may_serve_as_a_sitemap() {
    let feed = b"<rss version='2.0'><channel><item><link>http://portal.example/a</link></item></channel></rss>";
    let read = list::read(&gzip(feed), None, &at("http://portal.example/sitemap.xml.gz"));
    assert!(matches!(read, Ok(list) if list.kind == ListKind::Feed && list.entries.len() == 1));
}

#[test]
fn a_cut_off_sitemap_keeps_its_entries_and_says_why() {
    let whole = "<urlset><url><loc>http://portal.example/a</loc></url><url><loc>http://portal.example/b</loc></url>";
    let half_gzip = gzip(whole.repeat(50).as_bytes());
    let cut = read(&half_gzip[..half_gzip.len() - 12]);
    assert!(cut.cut.is_some() && !cut.entries.is_empty(), "{} of a broken gzip file", cut.entries.len());
    let broken = read(format!("{whole}<url><loc>http://portal.example/c</lo").as_bytes());
    assert!(broken.cut.is_some());
    assert_eq!(urls(&broken).len(), 2);
}

#[test]
fn entries_beyond_the_limit_are_skipped() {
    let mut list = String::from("<urlset>");
    for i in 0..50_000 + 10 {
        list.push_str(&format!("<url><loc>http://portal.example/{i}</loc></url>"));
    }
    let sitemap = read(list.as_bytes());
    assert_eq!(sitemap.entries.len(), 50_000);
    assert!(sitemap.cut.is_some());
}

#[test]
fn a_gzip_bomb_is_decompressed_only_up_to_the_limit() {
    let mut bomb = String::from("<urlset><url><loc>http://portal.example/a</loc></url>");
    bomb.push_str(&" ".repeat(MAX_BYTES + (1 << 20)));
    let sitemap = read(&gzip(bomb.as_bytes()));
    assert_eq!(urls(&sitemap), ["http://portal.example/a"]);
    assert!(sitemap.cut.is_some());
}

#[test]
fn entries_that_are_no_url_are_counted() {
    let long = "x".repeat(3_000);
    let list = format!(
        "<urlset><url><loc></loc></url><url><loc>ftp://portal.example/</loc></url><url/><url></url>
         <url><loc>http://portal.example/{long}</loc></url><url><loc>http://portal.example/a</loc></url></urlset>"
    );
    let sitemap = read(list.as_bytes());
    assert_eq!(urls(&sitemap), ["http://portal.example/a"]);
    assert_eq!(sitemap.without_address, 5);
}

#[test]
fn a_sitemap_may_list_its_own_domain_and_hosts_that_name_it() {
    let sitemap = at("http://www.portal.example/sitemap.xml");
    let stranger = at("http://other.example/a");
    assert!(may_list(&sitemap, &[], &at("https://portal.example/a")));
    assert!(!may_list(&sitemap, &[], &stranger));
    assert!(may_list(&sitemap, &[stranger.host()], &stranger));
    assert!(!may_list(&at("http://a.github.io/s.xml"), &[], &at("http://b.github.io/")), "a suffix is not a domain");
}

#[test]
fn hostile_sitemaps_take_time_and_memory_linear_in_length() {
    let url = "<url><loc>http://portal.example/a</loc></url>";
    let long = at(&format!("http://portal.example/{}/map.xml", "b".repeat(2_000)));
    for (name, text) in [
        ("nested entries", format!("<urlset>{}", "<url><loc>".repeat(150_000))),
        ("nested names", format!("<urlset>{url}{}", "<a>".repeat(500_000))),
        ("comments that never end", format!("<urlset>{url}{}", "<!-- ".repeat(250_000))),
        ("CDATA that never ends", format!("<urlset>{url}<url><loc>{}", "<![CDATA[".repeat(150_000))),
        ("instructions", format!("<?xml version='1.0'?>{}<urlset>{url}", "<?a?>".repeat(250_000))),
        ("references", format!("<urlset>{url}<url><loc>{}", "&amp;".repeat(250_000))),
        ("attributes", format!("<urlset {}>{url}", (0..100_000).map(|i| format!("a{i}='x' ")).collect::<String>())),
        ("short entries of a long list", format!("<urlset>{}", "<url><loc>a</loc></url>".repeat(60_000))),
        ("lines", "http://portal.example/a\n".repeat(100_000)),
        ("one line", "http://portal.example/a".repeat(100_000)),
    ] {
        let started = std::time::Instant::now();
        let Ok(read) = list::read(text.as_bytes(), None, &long) else {
            assert_eq!(name, "one line");
            continue;
        };
        let kept: usize = read.entries.iter().map(|entry| entry.url.as_str().len()).sum();
        assert!(kept < 17 << 20, "{name}: {kept} bytes of URLs");
        // Alone and in a release build, each takes a tenth of this.
        assert!(started.elapsed().as_secs() < 15, "{name}: {:?}", started.elapsed());
    }
}

#[test]
fn a_sitemap_behind_a_comment_or_in_utf16_is_read() {
    let utf16: Vec<u8> = PAGES.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for list in [format!("<!-- by a plug-in -->\n{}", &PAGES[PAGES.find("<urlset").unwrap()..]).into_bytes(), utf16] {
        assert_eq!(urls(&read(&list)).len(), 3);
    }
}

proptest! {
    #[test]
    fn entries_before_any_breakage_are_kept(noise in prop::collection::vec(any::<u8>(), 0..300)) {
        let list = [&b"<urlset><url><loc>http://portal.example/a</loc></url>"[..], &noise].concat();
        let sitemap = read(&list);
        let found = urls(&sitemap);
        prop_assert_eq!(found.first(), Some(&"http://portal.example/a"));
    }
}
