//! Converts digits of other scripts, and years of other calendars.

use std::sync::LazyLock;

use jiff::civil::Date;
use pure_rust_locales as locales;

/// The digit zero of each script whose digits are used in dates (Unicode's decimal digits, besides ASCII).
const ZEROS: [u32; 17] = [
    0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0de6, 0x0e50, 0x0ed0,
    0x1040, 0x17e0, 0xff10,
];
/// The first UTF-8 bytes of these digits, and of the East Asian sign for "year".
const LEADS: [u8; 6] = [0xd9, 0xdb, 0xe0, 0xe1, 0xef, 0xe5];

/// The Han characters for numbers: the digits, with two for zero, and ten.
const HAN: [char; 12] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九', '零', '十'];
const TEN: usize = 11;

/// The value of a digit of any script.
pub(crate) fn digit(c: char) -> Option<u8> {
    let code = u32::from(c);
    if code < 0x80 {
        return c.to_digit(10).and_then(|digit| digit.try_into().ok());
    }
    ZEROS.iter().find_map(|zero| code.checked_sub(*zero).filter(|value| *value < 10)).and_then(|v| v.try_into().ok())
}

/// The text with all digits converted to ASCII.
pub(crate) fn with_plain_digits(text: String) -> String {
    if text.is_ascii() || !may_have_others(&text) {
        return text;
    }
    text.chars().map(|c| digit(c).map_or(c, |digit| char::from(b'0' + digit))).collect()
}

/// Whether a text may contain digits beyond ASCII, or a year of an era. This is a fast test.
fn may_have_others(text: &str) -> bool {
    text.bytes().any(|byte| LEADS.contains(&byte))
}

/// Whether a text has enough digits for a day, a month and a year.
pub(crate) fn may_hold_date(text: &str) -> bool {
    if text.bytes().filter(u8::is_ascii_digit).take(5).count() == 5 {
        return true;
    }
    if text.is_ascii() || !may_have_others(text) {
        return false;
    }
    let is_han = text.contains('年');
    let least = if is_han { 2 } else { 5 };
    text.chars().filter(|c| digit(*c).is_some() || is_han && HAN.contains(c)).take(least).count() == least
}

/// The eras of Japan and Taiwan, each with the year before its first one. The GNU C Library gives one year of each
/// era with its Gregorian year: `+:2:2020/01/01:+*:令和:%EC%Ey年`.
static ERAS: LazyLock<Vec<(&'static str, i16)>> = LazyLock::new(|| {
    let lists = [locales::ja_JP::LC_TIME::ERA, locales::cmn_TW::LC_TIME::ERA];
    let eras = lists.into_iter().flatten().flatten().filter_map(|era| {
        let mut fields = era.strip_prefix("+:")?.split(':');
        let number: i16 = fields.next()?.parse().ok()?;
        let year: i16 = fields.next()?.split('/').next()?.parse().ok()?;
        Some((fields.nth(1)?, year - number))
    });
    let simplified = [("民国", 1911)];
    let mut eras: Vec<_> = eras.chain(simplified).filter(|(_, before)| *before > 0).collect();
    eras.sort_unstable();
    eras.dedup();
    eras
});

/// Reads a year counted from the beginning of an era: "令和6年", "令和元年". Returns it with the rest of the text.
pub(crate) fn year_of_era(text: &str) -> Option<(i16, &str)> {
    let (name, before) = ERAS.iter().find(|(name, _)| text.starts_with(name))?;
    let rest = text[name.len()..].trim_start();
    if let Some(rest) = rest.strip_prefix('元') {
        return Some((before + 1, rest));
    }
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number: i16 = rest[..end].parse().ok().filter(|_| end <= 3)?;
    Some((before + number, &rest[end..]))
}

/// Reads a year, month or day in Han characters, "二〇二六年", "十一月", "二十日". Returns its value and its number of
/// digits, with the rest of the text.
pub(crate) fn in_han(text: &str) -> Option<(i16, usize, &str)> {
    let end = text.find(|c| !HAN.contains(&c))?;
    let (numeral, rest) = text.split_at(end);
    let of = |c: char| HAN.iter().position(|known| *known == c).map(|value| if value == TEN - 1 { 0 } else { value });
    let values: Vec<usize> = numeral.chars().filter_map(of).collect();
    let (value, digits) = match values[..] {
        [a, b, c, d] if rest.starts_with('年') && !values.contains(&TEN) => (1000 * a + 100 * b + 10 * c + d, 4),
        _ if !rest.starts_with(['月', '日', '号', '號']) => return None,
        [TEN] => (10, 2),
        [TEN, ones] => (10 + ones, 2),
        [tens, TEN] => (10 * tens, 2),
        [tens, TEN, ones] => (10 * tens + ones, 2),
        [ones] => (ones, 1),
        _ => return None,
    };
    Some((i16::try_from(value).ok()?, digits, rest))
}

/// Converts a date of the Persian calendar, with the cycle of 33 years, which is valid from 1799 to 2256. None if the
/// date does not exist.
pub(crate) fn persian(year: i16, month: i8, day: i8) -> Option<Date> {
    let is_leap = (25 * i32::from(year) + 11).rem_euclid(33) < 8;
    let length = match month {
        1..=6 => 31,
        7..=11 => 30,
        12 if is_leap => 30,
        12 => 29,
        _ => return None,
    };
    if !(1178..=1633).contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    // 1 Farvardin 1403 was 20 March 2024.
    let leap_days = |year: i32| (8 * year + 21).div_euclid(33);
    let years = i32::from(year) - 1403;
    let before = 365 * years + leap_days(year.into()) - leap_days(1403);
    let months = i32::from(month) - 1;
    let of_year = 31 * months.min(6) + 30 * (months - 6).max(0) + i32::from(day) - 1;
    jiff::civil::date(2024, 3, 20).checked_add(jiff::Span::new().days(before + of_year)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persian_dates_are_converted() {
        for (given, expected) in [
            ((1403, 2, 31), Some("2024-05-20")),
            ((1399, 12, 30), Some("2021-03-20")),
            ((1400, 1, 1), Some("2021-03-21")),
            ((1402, 12, 29), Some("2024-03-19")),
            ((1357, 11, 22), Some("1979-02-11")),
            ((1402, 12, 30), None),
            ((1403, 12, 30), Some("2025-03-20")),
            ((1403, 7, 31), None),
            ((1403, 13, 1), None),
        ] {
            let (year, month, day) = given;
            let found = persian(year, month, day).map(|date| date.to_string());
            assert_eq!(found.as_deref(), expected, "{given:?}");
        }
    }

    #[test]
    fn eras_begin_with_their_first_year() {
        for (text, expected) in [
            ("令和6年", Some(2024)),
            ("令和元年", Some(2019)),
            ("平成31年", Some(2019)),
            ("昭和64年", Some(1989)),
            ("民國113年", Some(2024)),
            ("平和6年", None),
            ("西暦6年", None),
        ] {
            assert_eq!(year_of_era(text).map(|(year, _)| year), expected, "{text}");
        }
    }
}
