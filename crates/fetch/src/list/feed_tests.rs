//! Feeds as portals write them, broken feeds, and hostile feeds.

use proptest::prelude::*;

use super::*;

fn at(location: &str) -> CrawlUrl {
    CrawlUrl::parse(location).unwrap()
}

fn parse(bytes: &[u8], location: &CrawlUrl) -> Result<List, ListError> {
    match read(bytes, None, location)? {
        list if list.kind == ListKind::Feed => Ok(list),
        _ => Err(ListError("a sitemap".to_owned())),
    }
}

fn items(feed: &str) -> Vec<String> {
    let feed = parse(feed.as_bytes(), &at("http://portal.example/feeds/all")).unwrap();
    feed.entries.into_iter().map(|item| item.url.to_string()).collect()
}

#[test]
fn rss_gives_links() {
    let found = items(
        "<?xml version='1.0'?><rss version='2.0'><channel><title>News</title><link>http://portal.example/</link>
         <item><title>A</title><link>http://portal.example/a?utm_source=rss</link>
         <pubDate>Fri, 20 Nov 2026 10:30:00 +0100</pubDate></item>
         <item><title>B</title><guid isPermaLink='true'>http://portal.example/b</guid></item>
         </channel></rss>",
    );
    assert_eq!(found, ["http://portal.example/a", "http://portal.example/b"]);
}

#[test]
fn atom_gives_the_page_and_not_the_comments() {
    let found = items(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>News</title><id>urn:1</id><updated>2026-11-20T10:00:00Z</updated>
         <entry><id>urn:2</id><title>A</title><link rel='replies' href='/a/comments'/><link href='/a'/>
         <updated>2026-11-19T10:00:00Z</updated></entry></feed>",
    );
    assert_eq!(found, ["http://portal.example/a"]);
}

#[test]
fn json_feed_gives_links() {
    let found = items(
        r#"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": [
            {"id": "1", "url": "http://portal.example/a", "content_text": "x", "date_published": "2026-11-20T10:00:00Z"}]}"#,
    );
    assert_eq!(found, ["http://portal.example/a"]);
}

#[test]
fn a_text_that_is_no_feed_fails_and_items_without_link_count() {
    for bytes in ["", "<html><body>404</body></html>", "{\"items\": 3}", "\0\0\0"] {
        assert!(parse(bytes.as_bytes(), &at("http://portal.example/feed")).is_err(), "{bytes}");
    }
    let feed = "<rss version='2.0'><channel><item><title>A</title></item></channel></rss>";
    assert_eq!(parse(feed.as_bytes(), &at("http://portal.example/feed")).unwrap().without_address, 1);
}

#[test]
fn links_to_sources_and_media_are_not_the_page_of_an_item() {
    let found = items(
        "<rss version='2.0' xmlns:media='m' xmlns:atom='a'><channel><atom:link rel='self' href='/feed'/><link>/</link>
         <item><source url='http://other.example/'><link>/source</link></source><media:group><link>/film</link></media:group>
         <media:content url='/film.mp4'/><enclosure url='/a.mp3'/><comments>/a#comments</comments>
         <description><p>An <b>unescaped<br>text <link>/in-text</link></p></description><link>/a</link></item>
         <item><link/><atom:link href='/b'/></item></channel></rss>",
    );
    assert_eq!(found, ["http://portal.example/a", "http://portal.example/b"]);
}

#[test]
fn a_bad_item_or_a_missing_end_loses_no_other_items() {
    let good = "<entry><title>A</title><link href='/a'/></entry>";
    for bad in [
        "<entry><title/><content type='no media type'>x</content><link href='/b'/></entry>",
        "<entry><title>B &nbsp; &unknown; </title><link href='/b'/></entry>",
        "<entry><link href='/b'></entry>",
    ] {
        let feed = format!("<feed xmlns='http://www.w3.org/2005/Atom'>{good}{bad}{good}</feed>");
        assert_eq!(items(&feed), ["a", "b", "a"].map(|path| format!("http://portal.example/{path}")), "{bad}");
    }
    let torn = parse(format!("<feed>{good}<entry><link href='/b'/><title").as_bytes(), &at("http://portal.example/f"))
        .unwrap();
    assert_eq!((torn.entries.len(), torn.cut.is_some()), (2, true));
}

#[test]
fn feeds_are_read_after_other_text_and_in_any_encoding() {
    let feed = "<rss version='0.91'><channel><item><title>Ő</title><link>http://portal.example/a</link></item></channel></rss>";
    let utf16: Vec<u8> = feed.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let latin2 = [b"<?xml version='1.0' encoding='iso-8859-2'?>", feed.replace('Ő', "").as_bytes(), b"\xd5"].concat();
    let before = [
        "<!-- made by hand -->",
        "\u{feff}",
        " \n",
        "<!DOCTYPE rss [<!ENTITY nbsp '&#160;'>]>",
        "<?xml-stylesheet href='x'?>",
    ];
    let feeds = before.iter().map(|before| format!("{before}{feed}").into_bytes()).chain([utf16, latin2]);
    for feed in feeds {
        let read = parse(&feed, &at("http://portal.example/f")).unwrap_or_else(|e| panic!("{e}: {feed:?}"));
        assert_eq!(read.entries.len(), 1, "{feed:?}");
    }
}

#[test]
fn xml_base_applies_to_the_links_inside_its_element() {
    let found = items(
        "<feed xml:base='http://portal.example/news/'><entry xml:base='2026/'><link xml:base='11/' href='a'/></entry>
         <entry><link href='b'/></entry><entry xml:base='mailto:x@y.example'><link href='c'/></entry></feed>",
    );
    let expected = ["2026/11/a", "b", "c"].map(|path| format!("http://portal.example/news/{path}"));
    assert_eq!(found, expected);
}

/// Each of these feeds exhausted time or memory in a parser that builds a tree.
#[test]
fn hostile_feeds_take_time_and_memory_linear_in_their_length() {
    let item = "<item><link>/a</link></item>";
    let entry = "<entry><link href='/a'/></entry>";
    let nested = |open: &str, close: &str, times: usize| {
        format!(
            "<rss version='2.0'><channel><item>{}{}<link>/a</link></item></channel></rss>",
            open.repeat(times),
            close.repeat(times)
        )
    };
    let base = "b".repeat(1_000_000);
    let long_base = "b".repeat(8_000);
    let feeds = [
        ("nested groups", nested("<media:group>", "</media:group>", 100_000)),
        (
            "nested groups that never end",
            format!("<rss version='2.0'><channel>{item}<item>{}", "<media:group>".repeat(250_000)),
        ),
        ("nested feeds", "<feed>".repeat(250_000)),
        ("nested items", "<rss><item>".repeat(150_000)),
        ("nested bases", format!("<feed>{}{entry}", "<entry xml:base='a/'>".repeat(100_000))),
        ("a base of a megabyte", format!("<feed xml:base='/{base}/'>{}</feed>", entry.repeat(10_000))),
        (
            "a long base",
            format!("<feed xml:base='/{long_base}/'>{}</feed>", "<entry><link href='a'/></entry>".repeat(10_000)),
        ),
        (
            "bases everywhere",
            format!(
                "<feed xml:base='/{long_base}/'>{}</feed>",
                "<entry xml:base='c/'><link xml:base='d/' href='a'/></entry>".repeat(10_000)
            ),
        ),
        ("attributes", format!("<rss {}>{item}</rss>", (0..100_000).map(|i| format!("a{i}='x' ")).collect::<String>())),
        (
            "name spaces",
            format!("<rss>{}{item}</rss>", (0..50_000).map(|i| format!("<a xmlns:n{i}='u'>")).collect::<String>()),
        ),
        ("references", format!("<rss><item><link>{}</link></item></rss>", "&#97;".repeat(250_000))),
        ("JSON arrays", format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"x\":{}", "[".repeat(1_000_000))),
        (
            "JSON items",
            format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{}{{}}]}}", "{},".repeat(1_000_000)),
        ),
    ];
    for (name, feed) in feeds {
        let started = std::time::Instant::now();
        let read = parse(feed.as_bytes(), &at("http://portal.example/feed"));
        let links: usize = read.iter().flat_map(|feed| &feed.entries).map(|item| item.url.as_str().len()).sum();
        assert!(links < 5 << 20, "{name}: {links} bytes of links");
        // Alone and in a release build, each takes a tenth of this.
        assert!(started.elapsed().as_secs() < 10, "{name}: {:?}", started.elapsed());
    }
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
            // `</entry>` may become `<:entry>`, which begins a second one.
            prop_assert!(read.entries.len() + read.without_address <= 2);
        }
    }

    /// The results are compared with those of feed-rs, if it accepts the feed.
    #[test]
    fn links_are_those_that_feed_rs_finds(
        items in prop::collection::vec((0..4_u8, 0..3_u8, "[a-z]{1,8}", 0..28_u8), 0..6),
    ) {
        let rss: String = items.iter().map(|(link, date, path, day)| {
            let link = match link {
                0 => format!("<link>http://p.example/{path}</link>"),
                1 => format!("<guid>http://p.example/{path}</guid>"),
                2 => format!("<guid isPermaLink='false'>{path}</guid><link><![CDATA[ http://p.example/{path}?a=1&b=2 ]]></link>"),
                _ => format!("<link>http://p.example/{path}?a=1&amp;b=2</link><media:content url='x'><media:title>{path}</media:title></media:content>"),
            };
            let day = day + 1;
            let date = match date {
                0 => format!("<pubDate>{day} Nov 2026 10:30:00 +0100</pubDate>"),
                1 => format!("<dc:date>2026-11-{day:02}T10:30:00Z</dc:date>"),
                _ => String::new(),
            };
            format!("<item><title>{path} &amp; more</title><description>&lt;p&gt;{path}</description>{link}{date}</item>")
        }).collect();
        let rss = format!("<?xml version='1.0'?><rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/' \
            xmlns:media='http://search.yahoo.com/mrss/'><channel><title>News</title>{rss}</channel></rss>");
        let ours = parse(rss.as_bytes(), &at("http://p.example/feed")).unwrap();
        let theirs = feed_rs::parser::parse(rss.as_bytes()).unwrap();
        let theirs: Vec<String> = theirs.entries.into_iter().map(|entry| {
            entry.links.first().map_or(entry.id, |link| link.href.trim().to_owned())
        }).collect();
        let ours: Vec<String> = ours.entries.into_iter().map(|item| item.url.to_string()).collect();
        prop_assert_eq!(ours, theirs);
    }
}
