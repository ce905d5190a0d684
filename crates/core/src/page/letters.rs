//! Letters and digits in lower case: asked of every character beyond ASCII of every text, and most languages with an
//! alphabet have theirs at the beginning of Unicode.

use std::sync::LazyLock;

/// Latin, Greek and Cyrillic stand before it.
const TABLE_END: usize = 0x500;
/// Neither letter nor digit.
const NEITHER: u16 = 0;
/// The lower case is more than one character.
const SEVERAL: u16 = 1;

static TABLE: LazyLock<[u16; TABLE_END]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let Some(c) = u32::try_from(code).ok().and_then(char::from_u32).filter(|c| c.is_alphanumeric()) else {
            return NEITHER;
        };
        let mut lower = c.to_lowercase();
        let first = lower.next().and_then(|c| u16::try_from(u32::from(c)).ok());
        first.filter(|_| lower.next().is_none()).unwrap_or(SEVERAL)
    })
});

/// Tells the lower case of a letter or a digit; whether it is one.
#[inline]
pub(crate) fn in_lower_case(c: char, mut then: impl FnMut(char)) -> bool {
    match TABLE.get(c as usize) {
        Some(&NEITHER) => return false,
        Some(&code) if code != SEVERAL => {
            then(char::from_u32(code.into()).unwrap_or(c));
            return true;
        }
        // Han and kana, which have no case.
        None if matches!(c, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}') =>
        {
            then(c);
            return true;
        }
        _ => {}
    }
    let is_letter = c.is_alphanumeric();
    if is_letter {
        c.to_lowercase().for_each(then);
    }
    is_letter
}

/// The letters and digits of a text, in lower case.
pub(crate) fn letters_of(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for c in text.chars() {
        in_lower_case(c, |c| letters.push(c));
    }
    letters
}

/// A text in lower case, character by character: `str::to_lowercase` writes a sigma by where it stands in its word.
pub(crate) fn lower_case(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().flat_map(char::to_lowercase).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sigma_is_the_same_letter_wherever_it_stands() {
        assert_eq!((lower_case("ΣΑΣ, Á").as_str(), letters_of("ΣΑΣ, Á 1!").as_str()), ("σασ, á", "σασá1"));
        assert_eq!(lower_case("Ab C"), "ab c");
    }

    #[test]
    fn every_character_is_told_as_the_standard_library_tells_it() {
        for c in '\0'..=char::MAX {
            let mut lower = String::new();
            let is_letter = in_lower_case(c, |c| lower.push(c));
            let expected = if c.is_alphanumeric() { c.to_lowercase().collect() } else { String::new() };
            assert_eq!((is_letter, lower), (c.is_alphanumeric(), expected), "{c:?}");
        }
    }
}
