//! Malformed lists, tested for feeds and sitemaps alike.

use super::*;

fn at(location: &str) -> CrawlUrl {
    CrawlUrl::parse(location).unwrap()
}

/// The last path segments of the listed URLs, and what was cut.
fn found(bytes: &[u8]) -> (String, Option<Cut>) {
    found_as(bytes, None)
}

fn found_as(bytes: &[u8], content_type: Option<&str>) -> (String, Option<Cut>) {
    let list = read(bytes, content_type, &at("http://p.example/lists/all.xml"));
    let list = list.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)));
    let urls: Vec<&str> = list.entries.iter().map(|entry| entry.url.as_str()).collect();
    let short = urls.iter().map(|url| url.strip_prefix("http://p.example/").unwrap_or(url)).collect::<Vec<_>>();
    (short.join(" "), list.cut)
}

fn rss(items: &str) -> String {
    format!("<?xml version='1.0'?><rss version='2.0'><channel><title>P</title><link>/</link>{items}</channel></rss>")
}

fn map(urls: &str) -> String {
    format!("<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{urls}</urlset>")
}

fn item(inside: &str) -> String {
    format!("<item>{inside}</item>")
}

const B: &str = "<item><title>B</title><link>/b</link></item>";

#[track_caller]
fn assert_urls(list: &str, expected: &str) {
    assert_eq!(found(list.as_bytes()), (expected.to_owned(), None), "{list}");
}

#[test]
fn a_bare_ampersand_does_not_end_a_list() {
    for title in
        ["AT&T", "A & B", "D&D; or not", "&", "a &#x; b", "&#0;&#xD800;&#99999999;", "&amp", "&nosuch;", "x=1&y=2"]
    {
        assert_urls(&rss(&format!("{}{B}", item(&format!("<title>{title}</title><link>/a</link>")))), "a b");
    }
    assert_urls(
        &map("<url><loc>/a?x=1&y=2</loc></url><url><loc>/b?x=1&amp;y=2&copy=3</loc></url>"),
        "a?x=1&y=2 b?x=1&y=2&copy=3",
    );
    assert_urls(
        "<feed><entry><link href='/a?x=1&y=2'/></entry><entry><link href=\"/b?x&amp;y\"/></entry></feed>",
        "a?x=1&y=2 b?x&y",
    );
}

#[test]
fn html_references_are_resolved_and_doctypes_are_skipped() {
    assert_urls(
        &rss(&format!("{}{B}", item("<title>Caf&eacute;&nbsp;&hellip;</title><link>/caf&eacute;</link>"))),
        "caf%C3%A9 b",
    );
    let declared = "<!DOCTYPE rss [<!ENTITY eacute '&#xE9;'> <!ENTITY nbsp \"&#160;\">]>";
    assert_urls(&format!("{declared}{}", rss(&item("<link>/caf&eacute;</link>"))), "caf%C3%A9");
    let many =
        format!("<!DOCTYPE rss [{}]>", (0..99).map(|n| format!("<!ENTITY e{n} '&e{n};&e{n};'>")).collect::<String>());
    assert_urls(&format!("{many}{}", rss(&item("<title>&e1;</title><link>/a</link>"))), "a");
}

#[test]
fn text_before_and_after_a_list_is_skipped() {
    let notice = "<br />\n<b>Notice</b>: Undefined variable $x in <b>/map.php</b> on line <b>12</b><br />\n";
    for list in
        [rss(&format!("{}{B}", item("<link>/a</link>"))), map("<url><loc>/a</loc></url><url><loc>/b</loc></url>")]
    {
        for before in [
            "",
            "\n\n",
            notice,
            "Warning: a & b <c\n",
            "\u{feff}\u{feff}",
            "\0\u{1}",
            "<!-- a <rss> -->",
            "<!-->",
            "<?php a ?>",
            "ï»¿",
        ] {
            for behind in
                ["", "\n<!-- 0.2 s -->", "<!-- never closed", "<script>a<b</script>", "\0", "<?xml version='1.0'?>"]
            {
                assert_urls(&format!("{before}{list}{behind}"), "a b");
            }
        }
    }
}

#[test]
fn several_documents_in_one_answer_are_all_read() {
    let (one, other) = (rss(&item("<link>/a</link>")), rss(B));
    assert_urls(&format!("{one}{other}"), "a b");
    assert_urls(&format!("{}\n{}", map("<url><loc>/a</loc></url>"), map("<url><loc>/b</loc></url>")), "a b");
    assert_urls("<urlset><urlset><url><loc>/a</loc></url></urlset></urlset>", "a");
    assert_urls("<url><loc>/a</loc></url><url><loc>/b</loc></url>", "a b");
}

#[test]
fn unclosed_tags_lose_no_entries() {
    assert_urls(&rss("<item><title>A<link>/a<pubDate>2026</item><item><title>B</title><link>/b</link></item>"), "a b");
    assert_urls(&rss("<item><title>A <b>bold<br></title><link>/a</link><item><link>/b</link>"), "a b");
    assert_urls(&rss("<item><link>/a</link></title></em></item></item><item><link>/b</link></item>"), "a b");
    assert_urls(&map("<url><loc>/a<lastmod>2026-01-01<url><loc>/b</url>"), "a b");
    assert_urls(&map("<url><changefreq>daily<loc>/a</loc></url><url><loc>/b</lco></url>"), "a b");
    assert_urls(
        "<feed><entry><link href='/a'><title>A</title></entry><entry><link href='/b></link></entry></feed>",
        "a b",
    );
    assert_urls(
        &rss(
            "<item><title>5 <3 apples <b and</title><link>/a</link></item><item><title>a < b</title><link>/b</link></item>",
        ),
        "a b",
    );
}

#[test]
fn names_in_any_case_and_values_without_quotes_are_read() {
    assert_urls(
        "<RSS><CHANNEL><ITEM><LINK>/a</Link></item><Item><GUID ISPERMALINK=TRUE>/b</guid></ITEM></Channel></rss>",
        "a b",
    );
    assert_urls("<FEED><ENTRY><LINK HREF=/a /></entry><Entry><Link Rel=alternate Href=\"/b\"/></ENTRY></feed>", "a b");
    assert_urls("<URLSET><URL><LOC>/a</loc></url><url><Loc>/b</LOC></URL></urlset>", "a b");
}

#[test]
fn cdata_sections_are_read_closed_or_not() {
    assert_urls(
        &rss(&format!("{}{B}", item("<title><![CDATA[a < b & c]]></title><link><![CDATA[/a?x&y]]></link>"))),
        "a?x&y b",
    );
    assert_urls(&rss(&item("<link><![CDATA[<![CDATA[/a]]>]]></link>")), "a");
    assert_urls(&rss(&format!("{}{B}", item("<title><![CDATA[A</title><link><![CDATA[/a]]></link>"))), "a b");
    assert_urls(
        &rss(&format!(
            "{}<item><title><![CDATA[C]]></title><link>/c</link></item>",
            item("<title><![CDATA[A</title><link>/a</link>")
        )),
        "a c",
    );
    assert_urls(
        &rss(&format!(
            "{}{B}",
            item("<link>/a</link><description><![CDATA[<script>//<![CDATA[x//]]&gt;</script> <b>]]></description>")
        )),
        "a b",
    );
    assert_urls(
        &rss(&format!("{}{B}", item("<description><![CDATA[never closed</description><link>/a</link>"))),
        "a b",
    );
}

#[test]
fn characters_that_xml_forbids_are_dropped() {
    assert_urls(&rss(&format!("{}{B}", item("<title>A\u{8}\u{b}\u{ffff}</title><link>/a\u{1}b\u{0}</link>"))), "ab b");
    assert_urls(&map("<url><loc>\u{c}/a\u{1f}</loc></url>"), "a");
}

#[test]
fn prefixes_are_recognised_by_their_namespaces() {
    assert_urls("<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:link href='/a'/></a:entry></a:feed>", "a");
    assert_urls(
        "<rss xmlns:x='http://www.w3.org/2005/Atom' xmlns:m='http://search.yahoo.com/mrss/'><item><m:link>/m</m:link><x:link href='/a'/></item></rss>",
        "a",
    );
    assert_urls(
        "<rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='r'><item rdf:about='http://p.example/a'/><item rdf:about='/x'><link>/b</link></item></rdf:RDF>",
        "a b",
    );
    for image in [
        "<i:image><i:loc>/i.jpg</i:loc></i:image>",
        "<image xmlns='http://www.google.com/schemas/sitemap-image/1.1'><loc>/i.jpg</loc></image>",
        "<v:video><v:content_loc>/v</v:content_loc><v:url><v:loc>/w</v:loc></v:url></v:video>",
        "<xhtml:link rel='alternate' hreflang='de' href='/de'/>",
    ] {
        assert_urls(&map(&format!("<url>{image}<loc>/a</loc></url><url><loc>/b</loc>{image}</url>")), "a b");
    }
    assert_urls("<s:urlset xmlns:s='x'><s:url><s:loc>/a</s:loc><s:lastmod>2026</s:lastmod></s:url></s:urlset>", "a");
}

#[test]
fn the_link_to_the_page_itself_is_taken() {
    let entry = |links: &str| format!("<feed><entry><id>urn:x</id>{links}</entry></feed>");
    let json = "<link rel='alternate' type='application/json' href='/a.json'/>";
    assert_urls(&entry(&format!("{json}<link rel='alternate' type='text/html' href='/a'/>")), "a");
    assert_urls(&entry(&format!("<link rel='self' href='/a.atom'/>{json}")), "a.json");
    assert_urls(&entry("<link rel='self' href='/a'/><link rel='enclosure' href='/a.mp3'/>"), "a");
    assert_urls(&entry("<link rel='http://www.iana.org/assignments/relation/alternate' href='/a'/>"), "a");
    assert_urls(&entry("<link type='application/xhtml+xml' href='/a'/><link href='/b'/>"), "a");
    assert_urls(&entry("<link rel='' href='/a'/>"), "a");
    let counted = |origin: &str| rss(&item(&format!("<link>http://proxy.example/~r/1</link>{origin}")));
    for prefix in ["feedburner", "pheedo", "fb"] {
        assert_urls(&counted(&format!("<{prefix}:origLink>http://p.example/a</{prefix}:origLink>")), "a");
    }
    assert_urls(&counted("<feedburner:origLink></feedburner:origLink>"), "http://proxy.example/~r/1");
}

#[test]
fn the_first_of_repeated_elements_counts() {
    assert_urls(&rss(&item("<link> </link><link>/a</link><link>/b</link>")), "a");
    let dated = map("<url><loc>/a</loc><lastmod>2026-11-20</lastmod><lastmod>2026-11-21</lastmod></url>");
    let list = read(dated.as_bytes(), None, &at("http://p.example/")).unwrap();
    assert_eq!(list.entries[0].changed, Some("2026-11-20T00:00:00Z".parse().unwrap()));
}

#[test]
fn an_identifier_is_a_url_unless_is_perma_link_is_false() {
    assert_urls(&rss(&item("<guid>http://p.example/a</guid>")), "a");
    assert_urls(&rss(&item("<guid isPermaLink='true'>/a</guid>")), "a");
    assert_urls(&rss(&item("<guid isPermaLink='false'>http://p.example/?p=1</guid>")), "");
    assert_urls(&rss(&item("<guid isPermaLink='false'>http://p.example/?p=1</guid><link>/a</link>")), "a");
    assert_urls("<feed><entry><id>http://p.example/a</id></entry></feed>", "a");
}

#[test]
fn malformed_json_feeds_are_read() {
    let item = r#"{"id":"1","url":"/a","tags":["x",],"title":"a	b"},"#;
    let feed = |items: &str| format!("{{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{items}]}}");
    assert_urls(&feed(&format!("{item}{{\"id\":7,\"url\":\"/b\"}},")), "a b");
    assert_urls(&format!("\u{feff}Notice: x in y\n{}<!-- 0.2 s -->", feed(item)), "a");
    assert_urls(&feed(&format!("null,3,\"x\",[],{item}{{\"url\":{{}},\"external_url\":\"/b\"}}")), "a b");
    let (urls, cut) = found(feed(&format!("{item}{{\"url\":\"/b")).strip_suffix("]}").unwrap().as_bytes());
    assert!(urls == "a" && matches!(cut, Some(Cut::Json(_))), "{urls} {cut:?}");
    let (urls, cut) = found(feed(&format!("{item}{item}{{\"url\" \"/b\"}},{item}")).as_bytes());
    assert!(urls == "a a" && matches!(cut, Some(Cut::Json(_))), "{urls} {cut:?}");
}

#[test]
fn a_json_feed_of_too_many_items_is_cut() {
    let items = vec!["{\"url\":\"/a\"}"; MAX_ITEMS + 1].join(",");
    let feed = format!("{{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{items}]}}");
    let (urls, cut) = found(feed.as_bytes());
    assert_eq!((urls.split(' ').count(), cut), (MAX_ITEMS, Some(Cut::Entries(MAX_ITEMS))));
}

#[test]
fn a_wrong_xml_encoding_declaration_does_not_matter() {
    let list = rss("<item><link>/é</link></item>");
    for declaration in ["", " encoding='iso-8859-1'", " encoding='utf-16'", " encoding='nonsense'"] {
        assert_urls(&list.replace("version='1.0'", &format!("version='1.0'{declaration}")), "%C3%A9");
    }
    let utf16: Vec<u8> = list.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, header) in [
        (utf16.clone(), None),
        ([b"\xff\xfe".to_vec(), utf16].concat(), Some("text/xml; charset=utf-8")),
        (
            list.replace('é', "\u{1}").into_bytes().iter().map(|b| if *b == 1 { 0xE9 } else { *b }).collect(),
            Some("text/xml; charset=iso-8859-1"),
        ),
    ] {
        assert_eq!(found_as(&bytes, header), ("%C3%A9".to_owned(), None), "{header:?}");
    }
}

#[test]
fn a_cut_list_says_what_is_missing() {
    let list = rss(&format!("{B}{B}"));
    let torn = |bytes: &[u8]| {
        found(bytes).1.unwrap_or_else(|| panic!("nothing cut of {}", String::from_utf8_lossy(bytes))).to_string()
    };
    let end = list.find("</item>").unwrap();
    assert_eq!(torn(&list.as_bytes()[..end]), "the XML ends inside <item>");
    assert_eq!(torn(&list.as_bytes()[..end + 7]), "the XML ends inside <rss>");
    assert_eq!(torn(&list.as_bytes()[..end + 3]), format!("the XML breaks off at byte {end}"));
    let inside_link = list.find("/b</link>").unwrap() + 1;
    assert_eq!(found(&list.as_bytes()[..inside_link]).0, "", "half a URL is dropped");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut gzip, list.as_bytes()).unwrap();
    let packed = gzip.finish().unwrap();
    assert_eq!(found(&packed), ("b b".to_owned(), None));
    assert_eq!(found(&[&packed[..], b"<!-- 0.2 s -->"].concat()), ("b b".to_owned(), None));
    let half = found(&packed[..packed.len() - 60]);
    assert_eq!(half, ("b".to_owned(), Some(Cut::Packed)));
    let shown = read(&list.as_bytes()[..end], None, &at("http://p.example/")).unwrap().to_string();
    assert_eq!(shown, "a feed of 1 item; the XML ends inside <item>");
}

#[test]
fn an_html_page_is_not_a_list() {
    for page in
        ["<html><body><rss><item><link>/a</link></item></rss>", "<!DOCTYPE html><title>x</title><p>a", "Not found", ""]
    {
        assert!(read(page.as_bytes(), None, &at("http://p.example/")).is_err(), "{page}");
    }
}
