//! The patterns that a URL falls into with others that differ in a date, in the value of a parameter, in the combination
//! of several, or in how often they go in a circle: what a trap looks like from outside. Pure: from the text of a URL.
//! Whether a pattern is a trap is decided by what its pages give (`walks`).
//!
//! A pattern is written as a URL's path with `<date>` or `<any>` in the place of what varies; these characters are never
//! found in a canonical URL, so that a pattern cannot be mistaken for a path.

use std::fmt;

use goldminer_html::address::CrawlUrl;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::dates;
use crate::store::frontier::Rejection;

/// A word behind a date that names a view of it, as in `/2026/05/list`.
const MAX_VIEW: usize = 12;
/// A word of letters and digits that is as long as this names a visit, or nothing.
const MIN_TOKEN: usize = 8;
/// Parameters of a URL that are looked at.
const MAX_LOOKED_AT: usize = 8;
/// Names of parameters that hold a year or a date.
const DATE_NAMES: &[&str] =
    &["year", "date", "month", "day", "week", "calendar", "cal", "yr", "ev", "rok", "jahr", "anno", "ano", "ym"];
/// Names that do so as often as not: `y` may be a place on a map.
const SHORT_DATE_NAMES: &[&str] = &["y", "m", "d"];

/// The pattern that all paths with a segment that comes again fall into.
const LOOP: &str = "/<loop>";

/// A pattern or prefix that is to be closed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closing {
    pub(crate) pattern: String,
    pub(crate) useless: u32,
    pub(crate) window: u8,
}

/// Which rule closes a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrapRule {
    /// A path prefix that gives hardly any text and leads nowhere.
    UselessPrefix,
    /// Dates, one after another, that lead to nothing but more dates.
    DateWalk,
    /// A parameter whose values change while the page stays the same.
    SessionParameter,
    /// Combinations of several parameters that lead to nothing but more of them.
    Facets,
    /// Paths in which the same segments come again.
    RelativeLoop,
    /// Ever other addresses of pages that are there already.
    SamePage,
}

impl TrapRule {
    /// The rule behind a closed prefix or pattern.
    #[must_use]
    pub fn of(pattern: &str) -> Self {
        if pattern == LOOP {
            Self::RelativeLoop
        } else if pattern.contains("<date>") {
            Self::DateWalk
        } else if pattern.contains("=<any>") {
            Self::SessionParameter
        } else if pattern.ends_with("?<any>") {
            Self::Facets
        } else if is_pattern(pattern) {
            Self::SamePage
        } else {
            Self::UselessPrefix
        }
    }

    /// The account of URLs that it closes.
    pub(crate) fn rejection(self) -> Rejection {
        match self {
            Self::UselessPrefix => Rejection::ClosedPrefix,
            Self::DateWalk => Rejection::DateWalk,
            Self::SessionParameter => Rejection::SessionParameter,
            Self::Facets => Rejection::Facets,
            Self::RelativeLoop => Rejection::RelativeLoop,
            Self::SamePage => Rejection::SamePage,
        }
    }
}

impl fmt::Display for TrapRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UselessPrefix => "useless prefix",
            Self::DateWalk => "date walk",
            Self::SessionParameter => "session parameter",
            Self::Facets => "facets",
            Self::RelativeLoop => "relative loop",
            Self::SamePage => "same page",
        })
    }
}

/// A pattern of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    /// The URL without the parameter that varies.
    pub(crate) without: Option<String>,
}

impl Pattern {
    fn plain(text: String) -> Self {
        Self { text, without: None }
    }
}

/// The patterns of a URL's path and query; none of nearly all articles.
pub(crate) fn patterns(path_and_query: &str) -> Vec<Pattern> {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let mut patterns = Vec::new();
    let walk = date_walk(path, query);
    // What varies by its date is judged by that alone: the months of an archive have the same words but for numbers.
    let has_date = walk.is_some();
    patterns.extend(walk.map(Pattern::plain));
    if has_repeated_segment(path) {
        patterns.push(Pattern::plain(LOOP.to_owned()));
    }
    let pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    if pairs.len() >= 2 && !has_date {
        patterns.push(Pattern::plain(format!("{path}?<any>")));
    }
    for (at, pair) in pairs.iter().enumerate().take(MAX_LOOKED_AT) {
        let name = name_of(pair);
        if has_date && (is_date(pair) || is_date_part(pair)) {
            continue;
        }
        let without = without(path, &pairs, at);
        patterns.push(Pattern { text: format!("?{name}=<any>"), without: Some(without.clone()) });
        if pairs.len() == 1 {
            patterns.push(Pattern { text: format!("{path}?{name}=<any>"), without: Some(without) });
        }
    }
    patterns
}

/// Whether it is worth it to ask for the patterns of a URL: this is asked of every link of every page.
fn may_fall_into(path_and_query: &str, pattern: &str, rule: TrapRule) -> bool {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    // What stands in the pattern as it stands in the URL.
    let given = &pattern[..pattern.find(['<', '?']).unwrap_or(pattern.len())];
    match rule {
        TrapRule::SessionParameter => {
            (given.is_empty() || given == path)
                && parameter(pattern).is_none_or(|name| query.split('&').any(|pair| name_of(pair) == name))
        }
        TrapRule::Facets => given == path && query.contains('&'),
        TrapRule::DateWalk => {
            let ends_like_a_date = || {
                let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().as_bytes();
                last.iter().any(u8::is_ascii_digit) || last.len() <= MAX_VIEW && last.iter().all(u8::is_ascii_lowercase)
            };
            (path.starts_with(given) || path.contains("//")) && (!query.is_empty() || ends_like_a_date())
        }
        TrapRule::UselessPrefix | TrapRule::RelativeLoop | TrapRule::SamePage => true,
    }
}

/// The patterns under which only copies are watched: numbers and names of visits in a path, and the end of a path behind
/// whatever folders.
pub(crate) fn addresses(path_and_query: &str) -> Vec<Pattern> {
    let path = path_and_query.split('?').next().unwrap_or(path_and_query);
    let shape = shape(path);
    let last = path.trim_end_matches('/').rfind('/').filter(|slash| *slash > 0);
    let shape = (is_pattern(&shape) && date_walk(path, "").is_none()).then_some(shape);
    let behind = last.map(|slash| format!("<any>{}", &path[slash..]));
    shape.into_iter().chain(behind).map(Pattern::plain).collect()
}

/// A path without its numbers and names of visits, and of a query the names alone: what pages of one kind share.
pub(crate) fn shape(path_and_query: &str) -> String {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let mut shape = String::with_capacity(path.len());
    for (at, segment) in path.split('/').enumerate() {
        if at > 0 {
            shape.push('/');
        }
        push_shape(&mut shape, segment);
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        shape.push('?');
        shape.push_str(name_of(pair));
    }
    shape
}

fn push_shape(shape: &mut String, segment: &str) {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let mut rest = segment;
    while !rest.is_empty() {
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let (word, others) = rest.split_at(word);
        let has_digit = word.bytes().any(|b| b.is_ascii_digit());
        if has_digit && (word.len() >= MIN_TOKEN || word.bytes().all(|b| b.is_ascii_digit())) {
            shape.push_str("<any>");
        } else if has_digit {
            let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
            shape.push_str(if letters.len() < word.len() { letters } else { word });
            shape.push_str(if letters.len() < word.len() { "<any>" } else { "" });
        } else {
            shape.push_str(word);
        }
        let between = others.find(is_word).unwrap_or(others.len());
        shape.push_str(&others[..between]);
        rest = &others[between..];
    }
}

/// Whether a URL falls into a pattern; for a parameter, the URL without it.
pub(crate) fn falls_into(path_and_query: &str, pattern: &str) -> Option<Pattern> {
    let rule = TrapRule::of(pattern);
    let own = match rule {
        TrapRule::SamePage => addresses(path_and_query),
        _ if may_fall_into(path_and_query, pattern, rule) => patterns(path_and_query),
        _ => return None,
    };
    own.into_iter().find(|own| own.text == pattern)
}

/// Whether a closed prefix or pattern is a pattern.
pub(crate) fn is_pattern(closed: &str) -> bool {
    closed.contains('<')
}

/// A URL's text without those parameters that look like names of a visit: for telling whether a link is new.
pub(crate) fn normal(url: &CrawlUrl, parameter: Option<&str>) -> u64 {
    let whole = url.path_and_query();
    let Some((path, query)) = parameter.and_then(|_| whole.split_once('?')) else {
        return xxh3_64(url.as_str().as_bytes());
    };
    let kept: Vec<&str> = query.split('&').filter(|pair| Some(name_of(pair)) != parameter).collect();
    xxh3_64(format!("{}{path}?{}", url.authority(), kept.join("&")).as_bytes())
}

/// The parameter that a pattern is about.
pub(crate) fn parameter(pattern: &str) -> Option<&str> {
    pattern.strip_suffix("=<any>").and_then(|pattern| pattern.rsplit_once('?')).map(|(_, name)| name)
}

/// The name of a `name=value`.
pub(crate) fn name_of(pair: &str) -> &str {
    pair.split('=').next().unwrap_or(pair)
}

fn without(path: &str, pairs: &[&str], left_out: usize) -> String {
    let others: Vec<&str> = pairs.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, pair)| *pair).collect();
    if others.is_empty() { path.to_owned() } else { format!("{path}?{}", others.join("&")) }
}

/// A URL whose date varies: the date ends the path (a view of it may follow), or stands in the query.
fn date_walk(path: &str, query: &str) -> Option<String> {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let in_path = dates::in_path(&segments).filter(|date| match segments[date.end..] {
        [] => true,
        [view] => view.len() <= MAX_VIEW && view.bytes().all(|b| b.is_ascii_lowercase()),
        _ => false,
    });
    // Months and days of one calendar are one walk, whatever their parameters are called.
    let mut named = false;
    let mut pairs: Vec<String> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let is_date = is_date(pair);
        named |= is_date;
        if !is_date && !is_date_part(pair) {
            pairs.push(format!("{}=<any>", name_of(pair)));
        }
    }
    if named {
        pairs.push("<date>".to_owned());
    }
    if in_path.is_none() && !named {
        return None;
    }
    let mut walk = String::new();
    match in_path {
        None => walk.push_str(path),
        Some(date) => {
            let before = segments[..date.first].iter().copied();
            for segment in before.chain(["<date>"]).chain(segments[date.end..].iter().copied()) {
                walk.push('/');
                walk.push_str(segment);
            }
        }
    }
    if !pairs.is_empty() {
        pairs.sort_unstable();
        walk.push('?');
        walk.push_str(&pairs.join("&"));
    }
    Some(walk)
}

/// Whether a `name=value` is a date with its year.
fn is_date(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let names_date = names_date(name) || SHORT_DATE_NAMES.contains(&name);
    dates::in_word(value).is_some_and(|(_, is_compact)| !is_compact || names_date)
        || names_date && (dates::four_digits(value).is_some() || is_year_and_month(value))
}

/// Whether a `name=value` is a month, week or day.
fn is_date_part(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    (names_date(name) || SHORT_DATE_NAMES.contains(&name)) && dates::is_part(value)
}

/// `202605`
fn is_year_and_month(value: &str) -> bool {
    value.len() == 6
        && value.bytes().all(|b| b.is_ascii_digit())
        && value[4..].parse::<u8>().is_ok_and(|month| (1..=12).contains(&month))
}

/// Whether a parameter's name says that its value is a date.
pub(crate) fn names_date(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    DATE_NAMES.iter().any(|date| name == *date)
        || ["year", "date", "month", "day"].iter().any(|ending| name.ends_with(ending))
}

fn has_repeated_segment(path: &str) -> bool {
    let words = || path.split('/').filter(|word| word.bytes().any(|b| b.is_ascii_alphabetic()));
    words().enumerate().any(|(at, word)| words().take(at).any(|earlier| earlier == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path_and_query: &str) -> Vec<String> {
        patterns(path_and_query).into_iter().map(|pattern| pattern.text).collect()
    }

    #[test]
    fn articles_fall_into_no_pattern() {
        for path in ["/", "/2026/05/12/a-story-of-hope", "/news/world/a-story", "/story-123.html", "/2026/"] {
            assert!(texts(path).is_empty(), "{path}: {:?}", texts(path));
        }
    }

    #[test]
    fn months_and_days_of_one_calendar_are_one_walk_in_every_shape() {
        for path in ["/cal/2026/05/", "/cal/2026/5/12", "/cal/2026-05", "/cal/12.05.2026", "/cal/may-2026"] {
            assert_eq!(texts(path)[0], "/cal/<date>", "{path}");
        }
        assert_eq!(texts("/cal/2026/05/list")[0], "/cal/<date>/list");
        assert_eq!(texts("/cal?year=2026&month=5")[0], "/cal?<date>");
        assert_eq!(texts("/cal?month=2026-05&view=grid")[0], "/cal?<date>&view=<any>");
        assert_eq!(texts("/cal?day=2026-05-12")[0], "/cal?<date>");
        assert_eq!(texts("/?m=202605")[0], "/?<date>");
        assert!(!texts("/story?id=20260512").iter().any(|text| text.contains("<date>")), "a number without a name");
    }

    #[test]
    fn parameters_are_told_with_the_url_that_they_are_taken_from() {
        let pattern = falls_into("/forum/thread?t=5&sid=a1", "?sid=<any>").unwrap();
        assert_eq!(pattern.without.as_deref(), Some("/forum/thread?t=5"));
        assert_eq!(falls_into("/forum/?sid=a1", "/forum/?sid=<any>").unwrap().without.as_deref(), Some("/forum/"));
        assert!(falls_into("/forum/?t=1", "?sid=<any>").is_none());
        assert_eq!(texts("/shop?color=red&size=m")[0], "/shop?<any>");
        assert_eq!(parameter("?sid=<any>"), Some("sid"));
        assert_eq!(parameter("/forum/?sid=<any>"), Some("sid"));
        assert_eq!(parameter("/shop?<any>"), None);
    }

    #[test]
    fn a_quick_no_is_never_wrong() {
        let paths = ["/", "/cal", "/cal/", "/news/world", "//cal", "/a/b/a"];
        let dates = ["", "2026/05", "2026/05/a-story", "/2026-05/list", "may-2026", "2026/05/12/", "20260512"];
        let queries = [
            "",
            "?sid=a1",
            "?y=2026&m=5",
            "?day=2026-05-12&view=grid",
            "?color=red&size=m",
            "?m=202605",
            "?p=2",
            "?a=1&&b",
        ];
        let urls: Vec<String> = paths
            .iter()
            .flat_map(|path| dates.iter().map(move |date| format!("{path}{date}")))
            .flat_map(|path| queries.iter().map(move |query| format!("{path}{query}")))
            .collect();
        let known: std::collections::BTreeSet<String> = urls.iter().flat_map(|url| texts(url)).collect();
        assert!(known.len() > 100, "{known:?}");
        for url in &urls {
            let own = texts(url);
            for pattern in &known {
                assert_eq!(falls_into(url, pattern).is_some(), own.contains(pattern), "{url} {pattern}");
            }
        }
    }

    #[test]
    fn addresses_are_told_without_their_numbers_and_tokens() {
        let texts = |path| addresses(path).into_iter().map(|pattern| pattern.text).collect::<Vec<_>>();
        assert_eq!(texts("/latest/217"), ["/latest/<any>", "<any>/217"]);
        assert_eq!(texts("/chat/1f3a5b7c9d/room-3"), ["/chat/<any>/room-<any>", "<any>/room-3"]);
        assert_eq!(texts("/a/b/imprint/"), ["<any>/imprint/"]);
        assert_eq!(texts("/wochen/kw-2040_37.html"), ["/wochen/kw-<any>_<any>.html", "<any>/kw-2040_37.html"]);
        assert!(texts("/a-story").is_empty());
        assert_eq!(shape("/board?Room=3&_=17"), "/board?Room?_");
        assert_eq!(shape("/p12/mp3"), "/p<any>/mp<any>");
    }

    #[test]
    fn each_pattern_names_its_rule() {
        for (pattern, rule) in [
            ("/tag/", TrapRule::UselessPrefix),
            ("/shop?", TrapRule::UselessPrefix),
            ("/cal/<date>", TrapRule::DateWalk),
            ("/cal?<date>&view=<any>", TrapRule::DateWalk),
            ("?sid=<any>", TrapRule::SessionParameter),
            ("/shop?<any>", TrapRule::Facets),
            ("/<loop>", TrapRule::RelativeLoop),
            ("/chat/<any>/room-<any>", TrapRule::SamePage),
            ("<any>/imprint/", TrapRule::SamePage),
        ] {
            assert_eq!(TrapRule::of(pattern), rule, "{pattern}");
        }
        assert_eq!(texts("/a/b/a"), ["/<loop>"]);
        assert!(texts("/1/2/1").is_empty());
    }
}
