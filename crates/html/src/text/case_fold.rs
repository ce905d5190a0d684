//! Converts the letters and digits of a text to lower case, and drops other characters. It is used for every text, so
//! it must be fast: the alphabets at the beginning of Unicode are in a table.

use std::sync::LazyLock;

/// The table contains the characters before this one: Latin, Greek and Cyrillic letters.
const TABLE_END: usize = 0x500;
/// The table's entry for a character that is neither letter nor digit.
const NEITHER: u16 = 0;
/// The table's entry for a letter whose lower case is more than one character.
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

/// ASCII letters and digits in lower case; 0 for other characters.
const SMALL: [u8; 128] = {
    let (mut small, mut byte) = ([0; 128], 0_u8);
    while byte < 128 {
        small[byte as usize] = if byte.is_ascii_alphanumeric() { byte.to_ascii_lowercase() } else { 0 };
        byte += 1;
    }
    small
};

/// Calls `then` with each character of the lower case of `c`, if `c` is a letter or digit. Returns whether it is one.
#[inline]
pub fn in_lower_case(c: char, mut then: impl FnMut(char)) -> bool {
    match TABLE.get(c as usize) {
        Some(&NEITHER) => return false,
        Some(&code) if code != SEVERAL => {
            then(char::from_u32(code.into()).unwrap_or(c));
            return true;
        }
        // Han and kana have no lower case.
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

/// Returns the letters and digits of a text in lower case, without the other characters.
pub fn letters_of(text: &str) -> String {
    let mut letters = Vec::with_capacity(text.len());
    add(text, &mut letters);
    String::from_utf8(letters).expect("characters were added as wholes")
}

/// Adds the letters and digits of a text to `letters`, in lower case and UTF-8.
pub fn add(text: &str, letters: &mut Vec<u8>) {
    let mut rest = text;
    while !rest.is_empty() {
        let ascii = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        add_ascii(&rest.as_bytes()[..ascii], letters);
        rest = &rest[ascii..];
        while let Some(c) = rest.chars().next().filter(|c| !c.is_ascii()) {
            in_lower_case(c, |c| letters.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()));
            rest = &rest[c.len_utf8()..];
        }
    }
}

/// Adds the letters and digits of an ASCII text. Every byte takes the same steps, because the processor would
/// mispredict branches at word ends.
fn add_ascii(text: &[u8], letters: &mut Vec<u8>) {
    let mut length = letters.len();
    letters.resize(length + text.len(), 0);
    for byte in text {
        let small = SMALL[usize::from(byte & 0x7f)];
        letters[length] = small;
        length += usize::from(small != 0);
    }
    letters.truncate(length);
}

/// Returns a text in lower case. Each character is converted by itself, unlike in `str::to_lowercase`, where the lower
/// case of sigma depends on its position in the word.
pub fn lower_case(text: &str) -> String {
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
    fn every_character_is_folded_as_by_the_standard_library() {
        for c in '\0'..=char::MAX {
            let mut lower = String::new();
            let is_letter = in_lower_case(c, |c| lower.push(c));
            let expected = if c.is_alphanumeric() { c.to_lowercase().collect() } else { String::new() };
            assert_eq!((is_letter, lower), (c.is_alphanumeric(), expected), "{c:?}");
        }
    }
}
