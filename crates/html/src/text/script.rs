//! Recognises the scripts that are written without spaces between words. All code that counts, splits or compares words
//! uses this module.
//!
//! The scripts are defined by Unicode blocks, not by the Unicode property *Script*: marks of prolongation and
//! repetition belong to the words around them, but their *Script* is *Common*.

/// Whether a character is Han or kana (Chinese, Japanese). Each of these counts as a word.
#[inline]
pub const fn is_han_or_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// The number of Han and kana characters in a text.
pub fn han_and_kana(text: &str) -> usize {
    // A fast test: U+3040 and all later characters begin with 0xe3 or a higher byte in UTF-8.
    if text.bytes().fold(0, u8::max) < 0xe3 {
        return 0;
    }
    text.chars().filter(|c| is_han_or_kana(*c)).count()
}

/// Whether a character is from a script written without spaces: Han, kana, Thai, Lao, Burmese or Khmer.
///
/// ```
/// assert!(goldminer_html::text::script::is_spaceless('ไ'));
/// ```
#[inline]
pub const fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}') || is_han_or_kana(c)
}

/// The number of characters. Han and kana characters count as three each, because they carry more meaning.
pub fn weight(text: &str) -> usize {
    text.chars().count() + 2 * han_and_kana(text)
}

/// Whether a character is wide, full-width or half-width, and not Hangul. Browsers drop a line end between two such
/// characters, and between such a character and a mark that is used with them (CSS Text 3, "Segment Break
/// Transformation Rules").
pub const fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fff}' | '\u{3001}'..='\u{312f}' | '\u{3190}'..='\u{31ff}' | '\u{3220}'..='\u{325f}'
        | '\u{3280}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff01}'..='\u{ff9f}'
        | '\u{ffe0}'..='\u{ffe6}' | '\u{1b000}'..='\u{1b2ff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a text consists only of emoji and the marks that join and colour them.
pub fn is_emoji(text: &str) -> bool {
    let is_mark = |c: char| matches!(c, '\u{200d}' | '\u{fe0f}' | '\u{e0020}'..='\u{e007f}');
    let is_sign = |c: char| matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b50}' | '\u{1f000}'..='\u{1faff}');
    text.starts_with(is_sign) && text.chars().all(|c| is_mark(c) || is_sign(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_counted_by_its_block() {
        for c in '\0'..=char::MAX {
            assert_eq!(han_and_kana(&format!("a{c}é")), usize::from(is_han_or_kana(c)), "{c:?}");
        }
    }

    #[test]
    fn han_and_kana_characters_are_words_and_others_are_not() {
        for word in "漢字かなカナー々豈𠀋".chars().filter(|c| *c != '々') {
            assert!(is_han_or_kana(word) && is_spaceless(word), "{word}");
        }
        for part in "ไทยລາວမြန်မာខ្មែរ".chars() {
            assert!(!is_han_or_kana(part) && is_spaceless(part), "{part}");
        }
        for letter in "aáßжا한글、。（0".chars() {
            assert!(!is_spaceless(letter), "{letter}");
        }
    }
}
