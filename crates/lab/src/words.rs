//! What a word is for the methods here: what stands between white space; and, beyond the papers, each character of Han or
//! kana by itself, so that languages without spaces have words at all.

use goldminer_html::text::script::is_han_or_kana;

/// The words of a text with the bytes that they begin at.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(|c: char| !c.is_whitespace())?;
        let word = &text[start..];
        let first = word.chars().next()?;
        let length = match is_han_or_kana(first) {
            true => first.len_utf8(),
            false => word.find(|c: char| c.is_whitespace() || is_han_or_kana(c)).unwrap_or(word.len()),
        };
        rest = start + length;
        Some((start, &text[start..rest]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_separates_words_and_han_needs_none() {
        let found: Vec<_> = words("  one\u{a0}two-three 新华 AB社x\n").collect();
        assert_eq!(found, [(2, "one"), (7, "two-three"), (17, "新"), (20, "华"), (24, "AB"), (26, "社"), (29, "x")]);
        assert_eq!(words(" \n").count(), 0);
    }
}
