//! Recognises challenge pages, which ask whether the visitor is human (CAPTCHAs). They are not articles and must not
//! be learned from. They show that a host wants fewer requests: the frontier pauses the host after a few in a row.
//!
//! Only header fields and words that are common on challenge pages count; no rule names a site. A page with status 200
//! is never a challenge, because an article about CAPTCHAs may have the same words.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use goldminer_html::Capture;
use goldminer_html::capture::coding::CodingLimits;

/// Bytes of the decoded page that are searched.
const SEARCHED_BYTES: usize = 64 * 1024;

/// Header fields that gateways put on their challenges.
const HEADER_MARKS: &[(&str, &str)] =
    &[("cf-mitigated", "challenge"), ("x-amzn-waf-action", "captcha"), ("x-amzn-waf-action", "challenge")];

/// Words and widget names that are common on challenge pages.
const BODY_MARKS: &[&str] = &[
    "captcha",
    "turnstile",
    "challenge-platform",
    "challenge-form",
    "are you a robot",
    "are you human",
    "not a robot",
    "you are human",
    "you're human",
    "you are a human",
    "checking your browser",
    "checking if the site connection is secure",
    "unusual traffic",
    "automated requests",
    "automated access",
    "bot detection",
    "ddos protection",
    "enable javascript and cookies to continue",
];

/// Whether the response is a challenge page: status 403, 429 or 503, and a mark of one.
pub fn is_challenge(capture: &Capture) -> bool {
    if !matches!(capture.status, 403 | 429 | 503) {
        return false;
    }
    if HEADER_MARKS.iter().any(|(name, mark)| capture.headers.all(name).any(|value| value.eq_ignore_ascii_case(mark))) {
        return true;
    }
    let limits = CodingLimits::default().with_decoded_bytes(SEARCHED_BYTES);
    match capture.decoded_body(limits) {
        Ok(page) => has_mark(page.as_ref()),
        Err(error) => has_mark(&error.decoded),
    }
}

/// Whether a page with status 200 has words that are common on challenge pages, such as `captcha`. This alone proves
/// little: an article about CAPTCHAs may have them, too.
pub fn shows_challenge(page: &str) -> bool {
    has_mark(&page.as_bytes()[..page.len().min(SEARCHED_BYTES)])
}

fn has_mark(page: &[u8]) -> bool {
    static MARKS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder().ascii_case_insensitive(true).build(BODY_MARKS).expect("a few short words")
    });
    MARKS.is_match(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::capture;

    #[test]
    fn a_refusal_that_asks_for_a_human_is_a_challenge() {
        for body in [
            "<div class=\"g-reCAPTCHA\">",
            "<title>Checking your browser before accessing</title>",
            "<p>Verify you are human",
        ] {
            assert!(is_challenge(&capture(403, &[], body.as_bytes())), "{body}");
            assert!(is_challenge(&capture(503, &[], body.as_bytes())), "{body}");
        }
        assert!(is_challenge(&capture(429, &[("CF-Mitigated", "challenge")], b"")));
    }

    #[test]
    fn plain_refusals_and_articles_on_captchas_are_no_challenges() {
        assert!(!is_challenge(&capture(403, &[], b"<h1>Forbidden</h1>")));
        assert!(!is_challenge(&capture(503, &[], b"Back soon")));
        assert!(!is_challenge(&capture(200, &[], b"<p>How a CAPTCHA works</p>")));
        assert!(!is_challenge(&capture(404, &[("cf-mitigated", "challenge")], b"captcha")));
    }

    #[test]
    fn a_coded_challenge_is_recognised() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut gzip, b"<div id=\"h-captcha\"></div>").unwrap();
        let body = gzip.finish().unwrap();
        assert!(is_challenge(&capture(403, &[("Content-Encoding", "gzip")], &body)));
    }
}
