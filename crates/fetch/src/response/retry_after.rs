//! Reads `Retry-After`: how long a server asks to get no requests (RFC 9110, section 10.2.3).

use std::time::Duration;

use goldminer_html::Capture;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The longest pause that is respected: a day.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// The pause that the header `Retry-After` asks for, from the end of the response; None if the header is absent or
/// unreadable. A date is compared with the response's `Date`, or else with `now`. `now` must be the end of the
/// response, because a later time would make the pause too short.
pub fn retry_after(capture: &Capture, now: Timestamp) -> Option<Duration> {
    let value = capture.headers.get("retry-after")?;
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
        // A number with too many digits counts as the maximum.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)).min(MAX_RETRY_AFTER));
    }
    let until = http_date(value)?;
    let since = capture.headers.get("date").and_then(http_date).unwrap_or(now);
    // The pause is not rounded to whole seconds: cutting off a fraction would end it too early.
    let pause = Duration::try_from(until.duration_since(since)).unwrap_or_default();
    Some(pause.min(MAX_RETRY_AFTER))
}

/// A date in one of HTTP's three forms (RFC 9110, section 5.6.7).
pub fn http_date(text: &str) -> Option<Timestamp> {
    if let Ok(zoned) = jiff::fmt::rfc2822::parse(text) {
        return Some(zoned.timestamp());
    }
    ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
        .iter()
        .find_map(|form| DateTime::strptime(form, text).ok())
        .and_then(|civil| civil.to_zoned(TimeZone::UTC).ok())
        .map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::capture;

    fn pause(headers: &[(&str, &str)]) -> Option<u64> {
        let now = "1994-11-06T08:49:30Z".parse().unwrap();
        retry_after(&capture(503, headers, b""), now).map(|pause| pause.as_secs())
    }

    #[test]
    fn seconds_and_all_three_forms_of_a_date_are_read() {
        assert_eq!(pause(&[("Retry-After", "120")]), Some(120));
        assert_eq!(pause(&[("Retry-After", " 0 ")]), Some(0));
        for date in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(pause(&[("Retry-After", date)]), Some(7), "{date}");
        }
    }

    #[test]
    fn a_wrong_clock_of_the_server_does_not_matter() {
        let headers = [("Date", "Sun, 07 Nov 2004 08:49:00 GMT"), ("Retry-After", "Sun, 07 Nov 2004 08:50:00 GMT")];
        assert_eq!(pause(&headers), Some(60));
    }

    #[test]
    fn a_past_date_is_no_pause_and_a_far_one_is_a_day() {
        assert_eq!(pause(&[("Retry-After", "Sat, 05 Nov 1994 08:49:37 GMT")]), Some(0));
        assert_eq!(pause(&[("Retry-After", "Fri, 06 Jan 1995 08:49:37 GMT")]), Some(24 * 3600));
        assert_eq!(pause(&[("Retry-After", "99999999999999999999999")]), Some(24 * 3600));
    }

    #[test]
    fn an_unreadable_value_is_ignored() {
        for value in ["", "soon", "-5", "1.5", "12 s"] {
            assert_eq!(pause(&[("Retry-After", value)]), None, "{value}");
        }
        assert_eq!(pause(&[]), None);
    }
}
