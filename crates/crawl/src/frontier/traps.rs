//! Recognises crawler traps by the text of a URL: a pure function. `walks` and `prefix_yield` recognise the traps that
//! only their pages reveal.
//!
//! The limits are those of other crawlers: 2,048 characters (BUbiNG's `URLShorterThan`), 20 segments (Heritrix's
//! `TooManyPathSegments`), a segment more than three times (StormCrawler's `maxPathRepetition`).

pub(crate) mod dates;
pub(crate) mod kinds;
pub(crate) mod patterns;
pub(crate) mod prefix_yield;
pub(crate) mod probes;
pub(crate) mod walks;

use goldminer_html::CrawlUrl;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::store::frontier::Rejection;

/// The most characters of a URL.
pub const MAX_LENGTH: usize = 2048;
/// The most segments of a path.
pub const MAX_SEGMENTS: usize = 20;
/// The most occurrences of one segment in a path.
pub const MAX_REPEATS: usize = 3;
/// The most parameters of a query.
pub const MAX_PARAMETERS: usize = 12;
/// The most occurrences of one parameter in a query (`tag[]=a&tag[]=b` is a combined filter).
pub const MAX_SAME_PARAMETER: usize = 3;
/// The earliest year of a page: the oldest newspaper is from 1605.
const FIRST_YEAR: i16 = 1600;

/// Why a URL looks like a trap; None if it does not. `now` limits the years that pages can have.
pub fn check(url: &CrawlUrl, now: Timestamp) -> Option<Rejection> {
    if url.as_str().len() > MAX_LENGTH {
        return Some(Rejection::TooLong);
    }
    let segments: Vec<&str> = segments(url).collect();
    if segments.len() > MAX_SEGMENTS {
        return Some(Rejection::TooManySegments);
    }
    if most_frequent(segments.iter().copied()) > MAX_REPEATS || goes_in_a_circle(&segments) {
        return Some(Rejection::RepeatedSegment);
    }
    if segments.iter().any(|segment| is_host_like(segment, url.host_name())) {
        return Some(Rejection::HostLikeSegment);
    }
    let names = pairs(url).map(patterns::parameter_name);
    if pairs(url).count() > MAX_PARAMETERS || most_frequent(names) > MAX_SAME_PARAMETER {
        return Some(Rejection::ExplodingParameters);
    }
    let query = url.query().unwrap_or_default();
    is_endless_calendar(&segments, query, now).then_some(Rejection::EndlessCalendar)
}

/// Whether a URL keeps the limits on its length, segments and parameters. The links of a page are compared part by part
/// only if they do: the time grows with the square of the parts.
pub(crate) fn has_few_parts(url: &CrawlUrl) -> bool {
    url.as_str().len() <= MAX_LENGTH && segments(url).count() <= MAX_SEGMENTS && pairs(url).count() <= MAX_PARAMETERS
}

fn segments(url: &CrawlUrl) -> impl Iterator<Item = &str> {
    url.path().split('/').filter(|segment| !segment.is_empty())
}

/// Each `name=value` of a URL's query.
pub(crate) fn pairs(url: &CrawlUrl) -> impl Iterator<Item = &str> {
    url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty())
}

/// How often the most frequent word occurs. The lists are short.
fn most_frequent<'a>(words: impl Iterator<Item = &'a str>) -> usize {
    let mut words: Vec<&str> = words.collect();
    words.sort_unstable();
    words.chunk_by(|a, b| a == b).map(<[&str]>::len).max().unwrap_or(0)
}

/// Whether a path repeats its segments: `/a/b/a/b` comes from a relative link that each page repeats
/// (Heritrix's `PathologicalPath`, which allows one more repetition). Repeated numbers may be a coincidence.
fn goes_in_a_circle(segments: &[&str]) -> bool {
    let has_word = |round: &[&str]| round.iter().any(|segment| segment.bytes().any(|b| b.is_ascii_alphabetic()));
    let thrice = segments.windows(3).any(|three| three[0] == three[1] && three[1] == three[2] && has_word(three));
    let rounds = |length: usize| {
        segments.windows(2 * length).any(|window| window[..length] == window[length..] && has_word(&window[..length]))
    };
    thrice || (2..=segments.len() / 2).any(rounds)
}

/// Whether a segment looks like a host: `/a/www.portal.example/b` comes from a link without a scheme, and each page
/// makes the path longer.
fn is_host_like(segment: &str, own: &str) -> bool {
    let segment = segment.to_ascii_lowercase();
    let bare = own.strip_prefix("www.").unwrap_or(own);
    (segment == own || segment == bare) && bare.contains('.')
        || segment.starts_with("www.") && segment.matches('.').count() >= 2
        || matches!(segment.as_str(), "http:" | "https:")
}

/// Whether a URL has a year that no page can have: in a dated path (`/2187/05/`, `/2187-05`), in a parameter that
/// names a year (`year=7749`), or in one with a whole date.
fn is_endless_calendar(segments: &[&str], query: &str, now: Timestamp) -> bool {
    let next_year = now.to_zoned(TimeZone::UTC).year() + 1;
    let impossible = |year: i16| !(FIRST_YEAR..=next_year).contains(&year);
    let in_path = segments.windows(2).any(|pair| {
        let month = pair[1].parse::<u8>().ok().filter(|month| (1..=12).contains(month) && pair[1].len() <= 2);
        month.is_some() && dates::four_digits(pair[0]).is_some_and(impossible)
    });
    let in_path = in_path || dates::in_path(segments).is_some_and(|date| !date.is_compact && impossible(date.year));
    let in_query = query.split('&').filter_map(|pair| pair.split_once('=')).any(|(name, value)| {
        let names_date = patterns::names_date(name);
        let year = value.split(['-', '/', '.']).find_map(dates::four_digits);
        let whole = dates::in_word(value).filter(|(_, is_compact)| !is_compact).map(|(year, _)| year);
        names_date && year.is_some_and(impossible) || whole.is_some_and(impossible)
    });
    in_path || in_query
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_at_2026(url: &str) -> Option<Rejection> {
        check(&CrawlUrl::parse(url).unwrap(), "2026-11-20T00:00:00Z".parse().unwrap())
    }

    #[test]
    fn urls_of_real_portals_are_no_traps() {
        for url in [
            "https://p.example/",
            "https://p.example/2026/11/20/a-story-of-1848",
            "https://p.example/2027/01/",
            "https://p.example/archive/1956/10/23/",
            "https://p.example/a?id=7749&page=3000",
            "https://p.example/a?year=2025&month=12",
            "https://p.example/news/news/world/news",
            "https://p.example/article.php?a=1&b=2&c=3&d=4&e=5&f=6",
            "https://p.example/story-about-www.other.example.html",
            "https://p.example/3000/1500/pixels.html",
            "https://p.example/story/20401105",
            "https://p.example/?start=3000",
            "https://p.example/1/2/1/2",
            "https://p.example/news/news",
            "http://localhost/localhost/a",
        ] {
            assert_eq!(check_at_2026(url), None, "{url}");
        }
    }

    #[test]
    fn a_link_of_thousands_of_parts_exceeds_the_limits() {
        let has_few = |rest: &str| has_few_parts(&CrawlUrl::parse(&format!("https://p.example/{rest}")).unwrap());
        assert!(has_few("news/world/a-story?a=1&b=2&c=3&d=4&e=5&f=6"));
        assert!(has_few("news//a-story?&&&a=1&&&&&&&&&&&&"), "empty parts are no parts");
        assert!(!has_few(&format!("?{}", "n&".repeat(4_000))));
        assert!(!has_few(&format!("?{}", "&".repeat(4_000))));
        assert!(!has_few(&"a/".repeat(21)));
    }

    #[test]
    fn each_trap_is_reported_by_its_name() {
        let long = format!("https://p.example/{}", "a".repeat(2048));
        let deep = format!("https://p.example/{}", (0..21).map(|n| format!("{n}/")).collect::<String>());
        let many = format!("https://p.example/?{}", (0..13).map(|n| format!("p{n}=1&")).collect::<String>());
        for (url, reason) in [
            (long.as_str(), Rejection::TooLong),
            (deep.as_str(), Rejection::TooManySegments),
            ("https://p.example/a/b/a/b/a/b/a", Rejection::RepeatedSegment),
            ("https://p.example/a/b/a/b", Rejection::RepeatedSegment),
            ("https://p.example/x/a/b/c/a/b/c", Rejection::RepeatedSegment),
            ("https://p.example/a/a/a", Rejection::RepeatedSegment),
            ("https://p.example/a/www.google.com/b", Rejection::HostLikeSegment),
            ("https://www.p.example/a/p.example/b", Rejection::HostLikeSegment),
            ("https://p.example/a/http:/b", Rejection::HostLikeSegment),
            (many.as_str(), Rejection::ExplodingParameters),
            ("https://p.example/?t[]=1&t[]=2&t[]=3&t[]=4", Rejection::ExplodingParameters),
            ("https://p.example/calendar/2187/05/", Rejection::EndlessCalendar),
            ("https://p.example/?statisticsYear=7749", Rejection::EndlessCalendar),
            ("https://p.example/?date=2031-05-01", Rejection::EndlessCalendar),
            ("https://p.example/?date=01.05.1502", Rejection::EndlessCalendar),
            ("https://p.example/calendar/2040-09", Rejection::EndlessCalendar),
            ("https://p.example/calendar/2040-09-01/list", Rejection::EndlessCalendar),
            ("https://p.example/events/01/09/2040", Rejection::EndlessCalendar),
            ("https://p.example/events/september-2040", Rejection::EndlessCalendar),
            ("https://p.example/?show=2040-09-01", Rejection::EndlessCalendar),
        ] {
            assert_eq!(check_at_2026(url), Some(reason), "{url}");
        }
    }
}
