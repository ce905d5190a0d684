//! Reads the target URL of a response from `Location`, or from `Refresh`, which browsers follow without a standard.
//!
//! Field values are bytes. Bytes beyond ASCII are percent-encoded without conversion, as in browsers, because only
//! the server knows whether a path is UTF-8 or Latin-1, and it needs the same bytes back.

use goldminer_html::links::refresh_target;
use goldminer_html::{Capture, CrawlUrl};
use percent_encoding::{AsciiSet, percent_encode};

/// The target of a redirect; None if there is no `Location`, or it is not a usable URL.
pub fn location(capture: &Capture) -> Option<CrawlUrl> {
    target(capture, "location", |value| Some(value))
}

/// The page that the header `Refresh` names as a replacement for this one, like `<meta http-equiv=refresh>` in a page.
pub fn refresh(capture: &Capture) -> Option<CrawlUrl> {
    target(capture, "refresh", refresh_target)
}

/// Whether there is a `Location` field, usable or not.
pub(crate) fn has_location(capture: &Capture) -> bool {
    field(capture, "location").is_some()
}

fn field<'a>(capture: &'a Capture, name: &str) -> Option<&'a [u8]> {
    capture.headers.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn target(capture: &Capture, name: &str, address: impl Fn(&str) -> Option<&str>) -> Option<CrawlUrl> {
    let value = percent_encode(field(capture, name)?.trim_ascii(), &AsciiSet::EMPTY).to_string();
    capture.url.join(address(&value)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::capture;

    fn with(name: &str, value: &[u8]) -> Capture {
        let mut capture = capture(302, &[], b"");
        capture.headers.push(name, value);
        capture
    }

    fn leads_to(value: &[u8]) -> Option<String> {
        location(&with("Location", value)).map(|url| url.to_string())
    }

    #[test]
    fn a_location_in_latin_1_keeps_its_bytes() {
        assert_eq!(leads_to(b"/caf\xE9").as_deref(), Some("http://portal.example/caf%E9"));
        assert_eq!(leads_to("/café".as_bytes()).as_deref(), Some("http://portal.example/caf%C3%A9"));
        assert_eq!(
            leads_to("http://bücher.example/ä".as_bytes()).as_deref(),
            Some("http://xn--bcher-kva.example/%C3%A4")
        );
    }

    #[test]
    fn unusable_and_overlong_locations_have_no_target() {
        assert_eq!(leads_to(b"mailto:x@portal.example"), None);
        assert_eq!(leads_to(&[b"/", "a/".repeat(30_000).as_bytes()].concat()), None);
        assert_eq!(location(&capture(302, &[], b"")), None);
    }

    #[test]
    fn the_target_of_a_refresh_follows_the_seconds() {
        for (value, expected) in [
            ("0; url=/next", Some("http://portal.example/next")),
            ("5;URL='https://www.portal.example/a'", Some("https://www.portal.example/a")),
            ("300", None),
        ] {
            let found = refresh(&with("Refresh", value.as_bytes()));
            assert_eq!(found.as_ref().map(CrawlUrl::as_str), expected, "{value}");
        }
        assert_eq!(refresh(&with("refresh", b"0; url=/\xE9")).unwrap().as_str(), "http://portal.example/%E9");
    }
}
