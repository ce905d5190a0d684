//! The hash by which two texts count as the same one on two pages.

use xxhash_rust::xxh3::xxh3_64;

/// The hash of a text in lower case with its numbers zero.
pub(in crate::goldminer) fn text_key(text: &str) -> u64 {
    let mut normal = match text.is_ascii() {
        true => text.as_bytes().to_vec(),
        false => in_lower_case(text),
    };
    normal.make_ascii_lowercase();
    // Without an early exit the compiler looks at many bytes at once.
    if normal.iter().fold(false, |any, byte| any | byte.is_ascii_digit()) {
        normal.iter_mut().filter(|byte| byte.is_ascii_digit()).for_each(|byte| *byte = b'0');
        normal.dedup_by(|next, before| *next == b'0' && *before == b'0');
    }
    xxh3_64(&normal)
}

/// Characters beyond ASCII in lower case, and the numbers among them zero.
fn in_lower_case(text: &str) -> Vec<u8> {
    let mut lower = Vec::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii() => lower.push(c as u8),
            c if c.is_numeric() => lower.push(b'0'),
            c => c.to_lowercase().for_each(|c| lower.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes())),
        }
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_hashed_in_lower_case_with_its_numbers_zero() {
        let slowly = |text: &str| xxh3_64(text.as_bytes());
        assert_eq!(text_key("On 12 May 2011: A B"), slowly("on 0 may 0: a b"));
        assert_eq!(text_key("Ő 12 a9"), slowly("ő 0 a0"));
        assert_eq!(text_key("Ő1½2 ٣٤"), slowly("ő0 0"));
    }
}
