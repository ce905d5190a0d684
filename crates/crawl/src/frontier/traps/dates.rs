//! Finds dates in path segments and words, in many forms: `/2026/05/`, `/2026-05-12`, `/05.2026`, `/2026/may` (English
//! names), `2026-W20`. Pure functions of text. `patterns` (calendars) and `traps` (years that no page can have) also
//! apply them to queries.

/// A date in a path: its segments, from `first` to before `end`, and its year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathDate {
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) year: i16,
    /// Whether it is written without separators, so that it may also be another number.
    pub(crate) is_compact: bool,
}

const MONTHS: &str = "january february march april may june july august september october november december";

/// The first date in the segments of a path. A year alone does not count, because it is often part of a title.
pub(crate) fn in_path(segments: &[&str]) -> Option<PathDate> {
    (0..segments.len()).find_map(|first| {
        if let Some((year, is_compact)) = in_word(stem(segments[first])) {
            return Some(PathDate { first, end: first + 1, year, is_compact });
        }
        let word = |at: usize| segments.get(first + at).map_or("", |segment| stem(segment));
        let take = |year: &str, length: usize| {
            Some(PathDate { first, end: first + length, year: four_digits(year)?, is_compact: false })
        };
        if four_digits(word(0)).is_some() && is_month_or_week(word(1)) {
            return take(word(0), if is_day(word(2)) { 3 } else { 2 });
        }
        if is_month_or_week(word(0)) && four_digits(word(1)).is_some() {
            return take(word(1), 2);
        }
        if is_day(word(0)) && is_month_or_week(word(1)) && four_digits(word(2)).is_some() {
            return take(word(2), 3);
        }
        None
    })
}

/// The year of a word that is a whole date, and whether the date has no separators; None for other words.
pub(crate) fn in_word(word: &str) -> Option<(i16, bool)> {
    let parts: Vec<&str> = word.split(['-', '.', '_', '/', ',']).collect();
    let is_year = |word: &str| four_digits(word).is_some();
    let year = match parts[..] {
        [one] => return compact(one).map(|year| (year, true)),
        [year, month] | [month, year] if is_month_or_week(month) && is_year(year) => year,
        [year, month, day] | [day, month, year] | [month, day, year]
            if is_month_or_week(month) && is_day(day) && is_year(year) =>
        {
            year
        }
        _ => return None,
    };
    Some((four_digits(year)?, false))
}

/// A number of exactly four digits.
pub(crate) fn four_digits(text: &str) -> Option<i16> {
    (text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Whether a word can be a month, a week, or a day of a month.
pub(crate) fn is_date_part(word: &str) -> bool {
    is_day(word) || is_month_or_week(word)
}

/// The year of a word such as `20260512`, if its month is 1 to 12, its day 1 to 31 and its year 1600 to 2199.
fn compact(word: &str) -> Option<i16> {
    if word.len() != 8 || !word.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (month, day): (u8, u8) = (word[4..6].parse().ok()?, word[6..].parse().ok()?);
    let year = four_digits(&word[..4]).filter(|year| (1600..2200).contains(year))?;
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(year)
}

fn is_month_or_week(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let week = lower.strip_prefix('w').filter(|week| week.len() == 2).and_then(|week| week.parse::<u8>().ok());
    number(word).is_some_and(|n| (1..=12).contains(&n))
        || week.is_some_and(|week| (1..=53).contains(&week))
        || lower.len() >= 3
            && MONTHS.split(' ').any(|month| month == lower || lower.len() == 3 && month.starts_with(&lower))
}

fn is_day(word: &str) -> bool {
    number(word).is_some_and(|n| (1..=31).contains(&n))
}

/// A number of one or two digits.
fn number(word: &str) -> Option<u8> {
    ((1..=2).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit())).then(|| word.parse().ok())?
}

/// A path segment without a file extension.
fn stem(segment: &str) -> &str {
    let stem = segment.rsplit_once('.').filter(|(_, ending)| ending.bytes().all(|b| b.is_ascii_alphabetic()));
    stem.map_or(segment, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str) -> Option<(usize, usize, i16)> {
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        in_path(&segments).map(|date| (date.first, date.end, date.year))
    }

    #[test]
    fn dates_are_read_in_every_shape() {
        for (path, expected) in [
            ("/calendar/2040-09", (1, 2, 2040)),
            ("/calendar/2040/9/", (1, 3, 2040)),
            ("/2040/09/30/", (0, 3, 2040)),
            ("/events/09-2040.html", (1, 2, 2040)),
            ("/events/9/2040", (1, 3, 2040)),
            ("/30/09/2040", (0, 3, 2040)),
            ("/day/30.09.2040", (1, 2, 2040)),
            ("/day/09-30-2040", (1, 2, 2040)),
            ("/day/20400930", (1, 2, 2040)),
            ("/events/2040/september", (1, 3, 2040)),
            ("/events/sep-2040", (1, 2, 2040)),
            ("/week/2040-W36", (1, 2, 2040)),
            ("/2007/05/a-story", (0, 2, 2007)),
        ] {
            assert_eq!(found(path), Some(expected), "{path}");
        }
    }

    #[test]
    fn numbers_and_titles_are_no_dates() {
        for path in
            ["/3000/1500/pixels", "/story/2040", "/a/12345678", "/a/99999999", "/1984", "/news/30-09", "/may-day"]
        {
            assert_eq!(found(path), None, "{path}");
        }
    }
}
