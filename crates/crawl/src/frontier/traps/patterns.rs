//! Finds the patterns of a URL by its text alone. A pattern stands for URLs that differ only in a date, in the value of
//! a parameter, in the combination of several parameters, or in the number of repetitions. The URLs of a crawler trap
//! differ in one of these ways. `walks` decides by the pages of a pattern whether it is a trap.
//!
//! A pattern is written like a URL's path, with `<date>` or `<any>` in place of the varying part. A canonical URL
//! never contains `<` or `>`, so a pattern cannot be mistaken for a path.

use goldminer_html::CrawlUrl;
use xxhash_rust::xxh3::xxh3_64;

use super::dates;
use crate::store::frontier::Rejection;

/// Number of folders of a path, from the first, that are watched as prefixes.
const LEVELS: usize = 3;
/// The most characters of a word after a date that names a view, as in `/2026/05/list`.
const MAX_VIEW: usize = 12;
/// The fewest characters of a word of letters and digits that may be a session identifier.
const MIN_TOKEN: usize = 8;
/// The most parameters of a URL that are examined.
const MAX_LOOKED_AT: usize = 8;
/// Names of parameters that contain a year or a date.
const DATE_NAMES: &[&str] =
    &["year", "date", "month", "day", "week", "calendar", "cal", "yr", "ev", "rok", "jahr", "anno", "ano", "ym"];
/// Names of parameters that may also have other meanings: `y` may be a position on a map.
const SHORT_DATE_NAMES: &[&str] = &["y", "m", "d"];

/// Stands for a number or another word with digits, or for a parameter's value that is not one word, in a kind of URLs.
const NUMBER: &str = "<number>";
/// Stands for a slug: a segment of many words.
const SLUG: &str = "<slug>";
/// The fewest hyphens or underscores of a slug.
const MIN_HYPHENS: usize = 2;
/// The pattern of all paths with repeated segments.
const LOOP: &str = "/<loop>";

/// A decision to close a pattern or path prefix: its URLs are no longer requested.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closing {
    pub(crate) pattern: String,
    /// Number of useless pages among the last `window` pages.
    pub(crate) useless: u32,
    pub(crate) window: u8,
}

/// The rule that has closed a prefix or pattern, so that its URLs are no longer requested.
pub(crate) fn rule_of(pattern: &str) -> Rejection {
    if pattern.contains(NUMBER) || pattern.contains(SLUG) {
        Rejection::ClosedPrefix
    } else if pattern == LOOP {
        Rejection::RelativeLoop
    } else if pattern.contains("<date>") {
        Rejection::DateWalk
    } else if pattern.contains("=<any>") {
        Rejection::SessionParameter
    } else if pattern.ends_with("?<any>") {
        Rejection::Facets
    } else if is_pattern(pattern) {
        Rejection::SamePage
    } else {
        Rejection::ClosedPrefix
    }
}

/// A pattern of a URL.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    /// The URL without the varying parameter; None if something else varies.
    pub(crate) without: Option<String>,
}

impl Pattern {
    fn plain(text: String) -> Self {
        Self { text, without: None }
    }
}

/// The patterns of a URL's path and query. Nearly all articles have none.
pub(crate) fn patterns(path_and_query: &str) -> Vec<Pattern> {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let mut patterns = Vec::new();
    let walk = date_walk(path, query);
    // In a URL with a date, the parameters of the date are not patterns of their own. The months of an archive have the
    // same words except for numbers, and would be taken for copies of one page.
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
        let name = parameter_name(pair);
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

/// All patterns of a URL that may be closed, including its kind.
pub(crate) fn all(path_and_query: &str) -> Vec<Pattern> {
    let mut all = counted(path_and_query);
    all.push(Pattern::plain(kind(path_and_query)));
    all
}

/// The patterns of a URL whose pages `walks` counts, including those that only copies of known pages can close.
pub(crate) fn counted(path_and_query: &str) -> Vec<Pattern> {
    let mut counted = patterns(path_and_query);
    counted.extend(addresses(path_and_query));
    counted
}

/// Whether a path with its query is below a prefix or has a pattern.
pub(crate) fn falls_under(path_and_query: &str, pattern: &str) -> bool {
    match is_pattern(pattern) {
        true => patterns(path_and_query).iter().any(|own| own.text == pattern),
        false => path_and_query.starts_with(pattern),
    }
}

/// The kind of a URL: the URL without its numbers and slugs. Unlike its shape, it has the values of parameters that
/// are words, as in `/modules.php?file=print&id=<number>`.
pub(crate) fn kind(path_and_query: &str) -> String {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let mut kind = String::with_capacity(path_and_query.len());
    for segment in path.split_inclusive('/') {
        let name = &segment[..segment.find(['.', '/']).unwrap_or(segment.len())];
        let is_slug = name.bytes().filter(|b| matches!(b, b'-' | b'_')).count() >= MIN_HYPHENS;
        let (slug, rest) = if is_slug { (SLUG, &segment[name.len()..]) } else { ("", segment) };
        kind += slug;
        kind += &shape(rest).replace("<any>", NUMBER);
    }
    for (at, pair) in query.split('&').filter(|pair| !pair.is_empty()).enumerate() {
        kind.push(if at == 0 { '?' } else { '&' });
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if value.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_') {
            kind += pair;
        } else {
            kind.extend([name, "=", NUMBER]);
        }
    }
    kind
}

/// Returns the patterns that are closed (no longer requested) only if their pages are copies of known pages. One has
/// `<any>` for the numbers and session identifiers of the path, the other for all folders before its last segment.
pub(crate) fn addresses(path_and_query: &str) -> Vec<Pattern> {
    let path = path_and_query.split('?').next().unwrap_or(path_and_query);
    let shape = shape(path);
    let last = path.trim_end_matches('/').rfind('/').filter(|slash| *slash > 0);
    let shape = (is_pattern(&shape) && date_walk(path, "").is_none()).then_some(shape);
    let behind = last.map(|slash| format!("<any>{}", &path[slash..]));
    shape.into_iter().chain(behind).map(Pattern::plain).collect()
}

/// The shape of a URL: its path without numbers and session identifiers, and the names of its parameters. Pages of
/// one kind have the same shape.
pub(crate) fn shape(path_and_query: &str) -> String {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let is_sign = |c: char| !c.is_ascii_alphanumeric();
    let mut shape = String::with_capacity(path.len());
    for part in path.split_inclusive(is_sign) {
        let word = part.trim_end_matches(is_sign);
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        if word.len() >= MIN_TOKEN && word.bytes().any(|b| b.is_ascii_digit()) {
            shape += "<any>";
        } else {
            shape += letters;
            shape += if letters.len() < word.len() { "<any>" } else { "" };
        }
        shape += &part[word.len()..];
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        shape.push('?');
        shape += parameter_name(pair);
    }
    shape
}

/// Whether this many useless pages close a prefix: more than 80 % of the latest pages.
pub(crate) fn closes(useless: u32, window: u8) -> bool {
    5 * useless > 4 * u32::from(window)
}

/// How many of a page's path prefixes, from the shortest, contain the URL `other`.
pub(crate) fn prefixes_around(page: &CrawlUrl, other: &CrawlUrl) -> u8 {
    if page.host() != other.host() {
        return 0;
    }
    let around = prefixes(page).take_while(|prefix| other.path_and_query().starts_with(prefix));
    u8::try_from(around.count()).unwrap_or(u8::MAX)
}

/// The path prefixes whose pages are counted, for a URL: its first folders (not `/`, which is the whole host), and its
/// path with `?` if it has a query.
pub(crate) fn prefixes(url: &CrawlUrl) -> impl Iterator<Item = &str> {
    let whole = url.path_and_query();
    let path = whole.split('?').next().unwrap_or(whole);
    let folders = path.match_indices('/').skip(1).take(LEVELS).map(move |(slash, _)| &path[..=slash]);
    let query = (whole.len() > path.len()).then(|| &whole[..=path.len()]);
    folders.chain(query)
}

/// Whether `closed`, whose URLs are no longer requested, is a pattern such as `/calendar/<date>`. Otherwise it is a
/// path prefix.
pub(crate) fn is_pattern(closed: &str) -> bool {
    closed.contains('<')
}

/// A hash of a URL, without `parameter` if one is given, to recognise new links.
pub(crate) fn normal(url: &CrawlUrl, parameter: Option<&str>) -> u64 {
    let whole = url.path_and_query();
    let Some((path, query)) = parameter.and_then(|_| whole.split_once('?')) else {
        return xxh3_64(url.as_str().as_bytes());
    };
    let kept: Vec<&str> = query.split('&').filter(|pair| Some(parameter_name(pair)) != parameter).collect();
    xxh3_64(format!("{}{path}?{}", url.authority(), kept.join("&")).as_bytes())
}

/// The name of the parameter in a pattern; None if the pattern is not one of a parameter.
pub(crate) fn parameter(pattern: &str) -> Option<&str> {
    pattern.strip_suffix("=<any>").and_then(|pattern| pattern.rsplit_once('?')).map(|(_, name)| name)
}

/// The name of a `name=value`.
pub(crate) fn parameter_name(pair: &str) -> &str {
    pair.split('=').next().unwrap_or(pair)
}

fn without(path: &str, pairs: &[&str], left_out: usize) -> String {
    let others: Vec<&str> = pairs.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, pair)| *pair).collect();
    if others.is_empty() { path.to_owned() } else { format!("{path}?{}", others.join("&")) }
}

/// Returns the pattern of a URL with a date that varies, as in a calendar; None for other URLs. The date is in the
/// query, or at the end of the path, where one more word may follow, such as `month`.
fn date_walk(path: &str, query: &str) -> Option<String> {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let in_path = dates::in_path(&segments).filter(|date| match segments[date.end..] {
        [] => true,
        [view] => view.len() <= MAX_VIEW && view.bytes().all(|b| b.is_ascii_lowercase()),
        _ => false,
    });
    // The months and days of one calendar have the same pattern, although the names of their parameters differ.
    let mut named = false;
    let mut pairs: Vec<String> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let is_date = is_date(pair);
        named |= is_date;
        if !is_date && !is_date_part(pair) {
            pairs.push(format!("{}=<any>", parameter_name(pair)));
        }
    }
    if named {
        pairs.push("<date>".to_owned());
    }
    if in_path.is_none() && !named {
        return None;
    }
    let mut walk = in_path.map_or_else(
        || path.to_owned(),
        |date| {
            let (before, behind) = (&segments[..date.first], &segments[date.end..]);
            [before, &["<date>"], behind].concat().iter().flat_map(|segment| ["/", segment]).collect()
        },
    );
    if !pairs.is_empty() {
        pairs.sort_unstable();
        walk.push('?');
        walk.push_str(&pairs.join("&"));
    }
    Some(walk)
}

/// Whether a `name=value` is a date with a year.
fn is_date(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let names_date = names_date(name) || SHORT_DATE_NAMES.contains(&name);
    dates::in_word(value).is_some_and(|(_, is_compact)| !is_compact || names_date)
        || names_date && (dates::four_digits(value).is_some() || is_year_and_month(value))
}

/// Whether a `name=value` is a month, week or day.
fn is_date_part(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    (names_date(name) || SHORT_DATE_NAMES.contains(&name)) && dates::is_date_part(value)
}

/// Whether the value is a year and a month, as in `202605`.
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

    fn falls_into(path_and_query: &str, pattern: &str) -> Option<Pattern> {
        all(path_and_query).into_iter().find(|own| own.text == pattern)
    }

    #[test]
    fn articles_have_no_pattern() {
        for path in ["/", "/2026/05/12/a-story-of-hope", "/news/world/a-story", "/story-123.html", "/2026/"] {
            assert!(texts(path).is_empty(), "{path}: {:?}", texts(path));
        }
    }

    #[test]
    fn months_and_days_of_one_calendar_have_one_pattern() {
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
    fn parameter_patterns_have_the_url_without_the_parameter() {
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
    fn address_patterns_have_no_numbers_or_session_identifiers() {
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
    fn a_kind_has_neither_numbers_nor_slugs() {
        for (path, expected) in [
            ("/news/a-story-of-hope-12/photo-3/", "/news/<slug>/photo-<number>/"),
            ("/artikel/der-alte-wald-12.html", "/artikel/<slug>.html"),
            ("/artikel/drucken-12.html", "/artikel/drucken-<number>.html"),
            ("/m.php?name=News&file=print&id=12", "/m.php?name=News&file=print&id=<number>"),
            ("/m.php?&id=12", "/m.php?id=<number>"),
        ] {
            assert_eq!(kind(path), expected);
        }
    }

    #[test]
    fn urls_fall_under_their_prefixes_and_patterns() {
        assert!(falls_under("/m.php?file=print&id=12", "/m.php?<any>"));
        assert!(!falls_under("/m.php", "/m.php?<any>"));
        assert!(falls_under("/tag/a", "/tag/"));
        assert!(!falls_under("/tags", "/tag/"));
    }

    #[test]
    fn each_pattern_names_its_rule() {
        for (pattern, rule) in [
            ("/tag/", Rejection::ClosedPrefix),
            ("/shop?", Rejection::ClosedPrefix),
            ("/cal/<date>", Rejection::DateWalk),
            ("/cal?<date>&view=<any>", Rejection::DateWalk),
            ("?sid=<any>", Rejection::SessionParameter),
            ("/shop?<any>", Rejection::Facets),
            ("/<loop>", Rejection::RelativeLoop),
            ("/chat/<any>/room-<any>", Rejection::SamePage),
            ("<any>/imprint/", Rejection::SamePage),
            ("/news/<slug>/photo-<number>/", Rejection::ClosedPrefix),
        ] {
            assert_eq!(rule_of(pattern), rule, "{pattern}");
        }
        assert_eq!(texts("/a/b/a"), ["/<loop>"]);
        assert!(texts("/1/2/1").is_empty());
    }

    fn prefixes_of(url: &str) -> Vec<String> {
        prefixes(&CrawlUrl::parse(url).unwrap()).map(str::to_owned).collect()
    }

    #[test]
    fn folders_and_queries_are_watched_but_not_the_whole_host() {
        assert!(prefixes_of("https://p.example/").is_empty());
        assert!(prefixes_of("https://p.example/story").is_empty());
        assert_eq!(prefixes_of("https://p.example/a/b/c/d/e"), ["/a/", "/a/b/", "/a/b/c/"]);
        assert_eq!(prefixes_of("https://p.example/cal?day=1/2"), ["/cal?"]);
        assert_eq!(prefixes_of("https://p.example/a/?p=1"), ["/a/", "/a/?"]);
    }

    #[test]
    fn prefixes_around_counts_the_prefixes_that_contain_a_link() {
        let around = |page, other| prefixes_around(&CrawlUrl::parse(page).unwrap(), &CrawlUrl::parse(other).unwrap());
        assert_eq!(around("https://p.example/blog/page/7", "https://p.example/blog/a-story"), 1);
        assert_eq!(around("https://p.example/calendar/2026/05/", "https://p.example/calendar/2026/06/"), 2);
        assert_eq!(around("https://p.example/cal?day=1", "https://p.example/cal?day=2"), 1);
        assert_eq!(around("https://p.example/tag/x/", "https://q.example/tag/x/"), 0);
    }
}
