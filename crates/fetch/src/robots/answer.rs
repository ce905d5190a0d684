//! The meaning of a response to a request for robots.txt (RFC 9309, section 2.3.1). The frontier decides what follows
//! over time: expiry after a day, retries, use of the last good copy.
//!
//! Nearly every crawler treats an error as permission. Here only the host itself can give permission: with a file, or
//! by answering that there is none.

use std::time::Duration;

use goldminer_html::capture::Truncation;
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::{Capture, CrawlUrl};
use jiff::Timestamp;

use super::MAX_BYTES;
use super::text::whole_lines;
use crate::failure::{Cause, Failure};
use crate::response::location::has_location;
use crate::{Fetched, location, retry_after};

/// Redirects that are followed (RFC 9309, section 2.3.1.2).
pub const MAX_REDIRECTS: u8 = 5;

/// The meaning of a response for robots.txt, or of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// 2xx: the text to parse, decoded, and cut to whole lines within [`MAX_BYTES`].
    Rules(Vec<u8>),
    /// 4xx except 429: there is no such file, so everything is allowed. The same applies after more than five
    /// redirects.
    AllowAll,
    /// A redirect: the rules of this host are at another URL.
    MovedTo(CrawlUrl),
    /// 429, 5xx, network errors, invalid responses: nothing is allowed until the host answers.
    Unavailable {
        /// The pause that the server asked for in `Retry-After`.
        retry_after: Option<Duration>,
        /// Why there is no usable answer.
        failure: Failure,
    },
}

impl Answer {
    /// Interprets a response that came after `redirects` redirects.
    pub fn of(fetched: &Fetched, redirects: u8, now: Timestamp) -> Self {
        let capture = match fetched {
            Fetched::Response(capture) | Fetched::Unwanted(capture, _) => capture,
            Fetched::Failed(failure) => return Self::Unavailable { retry_after: None, failure: failure.clone() },
        };
        match capture.status {
            200..=299 => rules(capture),
            300..=399 if has_location(capture) => moved(capture, redirects),
            429 | 500..=599 => Self::Unavailable {
                retry_after: retry_after(capture, now),
                failure: Failure::new(
                    if matches!(capture.status, 429 | 503) { Cause::Busy } else { Cause::ServerError },
                    format!("robots.txt answers {}", capture.status),
                ),
            },
            400..=499 => Self::AllowAll,
            status => unavailable(Cause::ServerError, format!("robots.txt answers with the unusable status {status}")),
        }
    }
}

fn unavailable(cause: Cause, detail: impl Into<String>) -> Answer {
    Answer::Unavailable { retry_after: None, failure: Failure::new(cause, detail) }
}

/// The file in a successful response. If the size limit has cut the file, its beginning is used. If the file is
/// incomplete for another reason, it is not used, because the rule that matters may be in the missing part.
fn rules(capture: &Capture) -> Answer {
    if let Some(Truncation::Time | Truncation::Disconnect | Truncation::Unspecified) = capture.truncated {
        return unavailable(Cause::BrokeOff, "robots.txt is not whole");
    }
    // One byte more than the limit shows whether the last line is complete.
    let limits = CodingLimits::default().with_decoded_bytes(MAX_BYTES + 1);
    match capture.decoded_body(limits) {
        Ok(body) => Answer::Rules(whole_lines(&body, capture.truncated.is_none()).to_vec()),
        Err(error) if error.decoded.len() >= MAX_BYTES || capture.truncated.is_some() && !error.decoded.is_empty() => {
            Answer::Rules(whole_lines(&error.decoded, false).to_vec())
        }
        Err(error) => unavailable(Cause::BrokenCoding, format!("robots.txt can't be read: {error}")),
    }
}

fn moved(capture: &Capture, redirects: u8) -> Answer {
    if redirects >= MAX_REDIRECTS {
        return Answer::AllowAll;
    }
    match location(capture) {
        Some(target) => Answer::MovedTo(target),
        None => unavailable(Cause::ServerError, "robots.txt redirects to an unusable URL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::capture;

    fn of(capture: Capture, redirects: u8) -> Answer {
        Answer::of(&Fetched::Response(Box::new(capture)), redirects, Timestamp::UNIX_EPOCH)
    }

    fn answer(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        of(capture(status, headers, body), 0)
    }

    fn is_shut(answer: &Answer) -> bool {
        matches!(answer, Answer::Unavailable { .. })
    }

    #[test]
    fn only_a_file_or_a_4xx_except_429_allows_requests() {
        assert_eq!(answer(200, &[], b"User-agent: *\n"), Answer::Rules(b"User-agent: *\n".to_vec()));
        for status in [400, 401, 403, 404, 410, 418] {
            assert_eq!(answer(status, &[], b""), Answer::AllowAll, "{status}");
        }
        for status in [429, 500, 502, 503, 504, 599, 304, 102] {
            assert!(is_shut(&answer(status, &[], b"User-agent: *\nAllow: /\n")), "{status}");
        }
        for cause in [Cause::UnknownName, Cause::ConnectionRefused, Cause::Tls, Cause::Timeout] {
            let failed = Fetched::Failed(Failure::new(cause, ""));
            assert!(is_shut(&Answer::of(&failed, 0, Timestamp::UNIX_EPOCH)), "{cause}");
        }
    }

    #[test]
    fn the_retry_after_of_a_busy_server_is_returned() {
        let Answer::Unavailable { retry_after, .. } = answer(503, &[("Retry-After", "90")], b"") else {
            panic!("503 is unavailable")
        };
        assert_eq!(retry_after, Some(Duration::from_secs(90)));
    }

    #[test]
    fn the_sixth_redirect_means_that_there_is_no_file() {
        let to = |location: &str, redirects| of(capture(301, &[("Location", location)], b""), redirects);
        let target = CrawlUrl::parse("https://www.portal.example/robots.txt").unwrap();
        assert_eq!(to("https://www.portal.example/robots.txt", 4), Answer::MovedTo(target));
        assert_eq!(to("/r.txt", 0), Answer::MovedTo(CrawlUrl::parse("http://portal.example/r.txt").unwrap()));
        assert_eq!(to("/r.txt", 5), Answer::AllowAll);
        assert!(is_shut(&to("mailto:x@portal.example", 0)) && is_shut(&answer(302, &[], b"")));
    }

    #[test]
    fn an_incomplete_file_is_unusable_and_a_long_one_is_cut() {
        let cut = |truncated| {
            let mut capture = capture(200, &[], b"Disallow: /a\nDisal");
            capture.truncated = Some(truncated);
            of(capture, 0)
        };
        assert!(is_shut(&cut(Truncation::Disconnect)) && is_shut(&cut(Truncation::Time)));
        assert_eq!(cut(Truncation::Length), Answer::Rules(b"Disallow: /a\n".to_vec()));
    }

    #[test]
    fn long_and_coded_files_are_read_up_to_the_limit() {
        let line = b"Disallow: /private\n";
        let long = line.repeat(MAX_BYTES / line.len() + 10);
        let Answer::Rules(kept) = answer(200, &[], &long) else { panic!("it has rules") };
        assert!(kept.len() <= MAX_BYTES && kept.ends_with(line));
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut gzip, &line.repeat(3)).unwrap();
        let coded = gzip.finish().unwrap();
        assert_eq!(answer(200, &[("Content-Encoding", "gzip")], &coded), Answer::Rules(line.repeat(3)));
        assert!(is_shut(&answer(200, &[("Content-Encoding", "gzip")], &coded[..20])));
    }
}
