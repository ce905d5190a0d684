//! Computes the key of a URL in indexes of archives: its Sort-friendly URI Reordering Transform (SURT).
//!
//! `http://www.portal.example/Cikk/7/?b=2&a=1` becomes `example,portal)/cikk/7?a=1&b=2`. The labels of the host are in
//! reverse order, and parts that rarely distinguish pages are left out. The rules are those of the Internet Archive's
//! `surt` package (its `GoogleURLCanonicalizer` and `IAURLCanonicalizer`), so indexes can be merged with those of other
//! tools.

use goldminer_html::CrawlUrl;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode, percent_encode};

/// Computes the SURT key of a URL.
pub fn surt(url: &CrawlUrl) -> String {
    let host = without_www(url.host_name().trim_matches(['[', ']']));
    let mut labels: Vec<&str> = host.split('.').collect();
    labels.reverse();
    let mut key = labels.join(",");
    if let Some(port) = url.given_port() {
        key.push_str(&format!(":{port}"));
    }
    key.push(')');
    let path = escape(&without_dots(&unescape(url.path()))).to_ascii_lowercase();
    key.push_str(path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(&path));
    if let Some(query) = url.query().map(sorted_query).filter(|query| !query.is_empty()) {
        key.push('?');
        key.push_str(&query);
    }
    key
}

/// Removes `www.`, `www2.` and so on from the beginning of a host name.
fn without_www(host: &str) -> &str {
    host.strip_prefix("www")
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(host)
}

/// Simplifies a path: `//a///b/./c/../` becomes `/a/b/`. The URL parser removes dot segments, too, but neither empty
/// segments nor those that appear only when the path is unescaped.
fn without_dots(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|b| *b == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => drop(kept.pop()),
            _ => kept.push(segment),
        }
    }
    let last = kept.pop().unwrap_or_default();
    let mut out = vec![b'/'];
    for segment in kept.into_iter().filter(|segment| !segment.is_empty()) {
        out.extend_from_slice(segment);
        out.push(b'/');
    }
    out.extend_from_slice(last);
    out
}

/// Returns a query with its parameters in lower case and sorted.
fn sorted_query(query: &str) -> String {
    let lower = escape(&unescape(query)).to_ascii_lowercase();
    let mut pairs: Vec<&str> = lower.split('&').collect();
    pairs.sort_unstable_by_key(|pair| pair.split_once('=').map_or((*pair, None), |(name, value)| (name, Some(value))));
    pairs.join("&")
}

/// Decodes percent-escapes repeatedly, until none is left.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    loop {
        let once: Vec<u8> = percent_decode(&bytes).collect();
        if once.len() == bytes.len() {
            return bytes;
        }
        bytes = once;
    }
}

/// Percent-encodes all bytes except printable ASCII; `#` and `%` are encoded, too.
fn escape(bytes: &[u8]) -> String {
    const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'#').add(b'%');
    percent_encode(bytes, ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The expected keys are those of PyPI's `surt` 0.3.1.
    #[test]
    fn keys_are_those_of_other_tools() {
        for (url, key) in [
            ("http://www.portal.example/", "example,portal)/"),
            ("https://www2.portal.example:8443/A/b/", "example,portal:8443)/a/b"),
            ("http://wwwportal.example/x//y", "example,wwwportal)/x/y"),
            ("http://portal.example/?b=2&a=1&A=0", "example,portal)/?a=0&a=1&b=2"),
            ("http://portal.example/?a&a=", "example,portal)/?a&a="),
            ("http://portal.example/%C3%A9%2520x", "example,portal)/%c3%a9%20x"),
            ("http://portal.example/a?q=%26b", "example,portal)/a?b&q="),
            ("http://p.example/a%2F..%2Fb", "example,p)/b"),
            ("http://127.0.0.1:8080/a", "1,0,0,127:8080)/a"),
            ("http://[::1]/a", "::1)/a"),
        ] {
            assert_eq!(surt(&CrawlUrl::parse(url).unwrap()), key, "{url}");
        }
    }

    proptest! {
        #[test]
        fn any_url_has_a_key_of_printable_ascii(path in "\\PC{0,40}") {
            if let Ok(url) = CrawlUrl::parse(&format!("http://p.example/{path}")) {
                prop_assert!(surt(&url).bytes().all(|b| b.is_ascii_graphic()));
            }
        }
    }
}
