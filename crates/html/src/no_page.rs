//! Detects content that is not a page, whatever its header says: by its first bytes, or by all of them if it begins
//! like data.

use serde::de::IgnoredAny;

/// Whether bytes can be a page: there is markup in them, and they are no other format.
///
/// ```
/// use goldminer_html::can_be_page;
///
/// assert!(can_be_page(b"<p>It rained."));
/// assert!(!can_be_page(b"<?xml version='1.0'?><rss></rss>") && !can_be_page(b"{\"html\": \"<p>It rained.\"}"));
/// ```
pub fn can_be_page(bytes: &[u8]) -> bool {
    memchr::memchr(b'<', bytes).is_some() && !is_feed(bytes) && !is_json(bytes)
}

/// Whether a feed, a sitemap or other XML that is no page.
fn is_feed(bytes: &[u8]) -> bool {
    // `<!doctype` and `<html`, as nearly all pages.
    if matches!(bytes.trim_ascii_start(), [b'<', b'!' | b'h' | b'H', ..]) {
        return false;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1_024)]).to_ascii_lowercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let begins = |name: &&str| head.starts_with(*name);
    let names = ["<rss", "<feed", "<rdf:rdf", "<urlset", "<sitemapindex"];
    names.iter().any(begins) || (head.starts_with("<?xml") && names.iter().any(|name| head.contains(name)))
}

/// Whether nothing but JSON: one object or list, or several (JSON lines), the last of them perhaps cut off. Markup in its
/// strings is some page's, which it holds together with its own words.
fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if !matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]) {
        return false;
    }
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    values.all(|value| value.err().is_none_or(|error| error.is_eof()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_s_answer_with_a_page_in_it_is_no_page() {
        let page = r"<html><body><p>It rained all day in \u0052ome.</p></body></html>";
        for json in [
            format!(r#"{{"status": "ok", "html": "{page}"}}"#),
            format!("\u{feff}\n [\"{page}\", 1]\n"),
            format!("{{\"html\": \"{page}\"}}\n{{\"html\": \"{page}\"}}\n"),
            format!(r#"{{"html": "{page}", "more": [1, 2"#),
        ] {
            assert!(!can_be_page(json.as_bytes()), "{json}");
        }
    }

    #[test]
    fn a_page_that_begins_in_braces_or_brackets_is_one() {
        for page in [
            "[Advertisement] <p>It rained.",
            "{{ header }}<html><p>It rained.",
            "{\"error\": null}\n<html><p>It rained.",
            "[1, 2]<p>It rained.",
            "{<p>It rained.",
            "<html><p>It rained.",
        ] {
            assert!(can_be_page(page.as_bytes()), "{page}");
        }
    }

    #[test]
    fn feeds_and_sitemaps_are_no_pages() {
        for feed in ["<rss><item>", "\u{feff}<?xml version='1.0'?>\n<urlset>", " <FEED xmlns=''>"] {
            assert!(!can_be_page(feed.as_bytes()), "{feed}");
        }
        assert!(!can_be_page(b"It rained."), "nothing in it is markup");
    }
}
