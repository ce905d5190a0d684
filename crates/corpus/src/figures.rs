//! Numbers in words and lines that people read: the one home of their form. Reports have more of them of their own.

/// `12,345,678`
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 page`, `12,345 pages`
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// `1.5 MB`
#[must_use]
pub fn bytes(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 || value >= 99.5 {
        format!("{value:.0}\u{a0}{}", units[unit])
    } else {
        format!("{value:.1}\u{a0}{}", units[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_one_and_great_numbers_are_grouped() {
        assert_eq!(counted(1, "page", "pages"), "1 page");
        assert_eq!(counted(0, "page", "pages"), "0 pages");
        assert_eq!(counted(1_234_567, "page", "pages"), "1,234,567 pages");
        assert_eq!((bytes(999), bytes(1_500_000)), ("999\u{a0}B".to_owned(), "1.5\u{a0}MB".to_owned()));
    }
}
