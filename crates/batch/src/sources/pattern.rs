//! Patterns of names, as shells know them.

use regex::Regex;

/// What makes a name a pattern.
pub(crate) const WILD: [char; 3] = ['*', '?', '['];

/// Whether a name or path is a pattern.
pub fn is_in(text: &str) -> bool {
    text.contains(WILD)
}

/// Whether a name fits a pattern.
///
/// # Errors
/// When it is no pattern.
pub fn of_name(pattern: &str) -> Result<Regex, regex::Error> {
    let mut regex = String::from("^");
    let mut is_set = false;
    for character in pattern.chars() {
        match character {
            '*' if !is_set => regex.push_str(".*"),
            '?' if !is_set => regex.push('.'),
            '[' if !is_set => {
                is_set = true;
                regex.push('[');
            }
            ']' if is_set => {
                is_set = false;
                regex.push(']');
            }
            '!' if is_set && regex.ends_with('[') => regex.push('^'),
            '-' if is_set => regex.push('-'),
            other => regex.push_str(&regex::escape(&other.to_string())),
        }
    }
    regex.push('$');
    Regex::new(&regex)
}

/// Whether a path fits a pattern, name by name.
///
/// # Errors
/// When it is no pattern.
pub(crate) fn of_path(pattern: &str) -> Result<impl Fn(&str) -> bool + use<>, regex::Error> {
    let names: Vec<Regex> = pattern.split('/').map(of_name).collect::<Result<_, _>>()?;
    Ok(move |path: &str| {
        path.split('/').count() == names.len() && path.split('/').zip(&names).all(|(name, fits)| fits.is_match(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_stays_within_its_name() {
        let fits = of_path("2026/*/a?.warc.gz").unwrap();
        assert!(fits("2026/01/a1.warc.gz"));
        assert!(!fits("2026/01/02/a1.warc.gz") && !fits("2026/01/b1.warc.gz") && !fits("2025/01/a1.warc.gz"));
    }
}
