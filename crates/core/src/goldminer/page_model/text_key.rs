//! Computes the hash by which texts of two pages are compared.

use goldminer_html::text::case_fold;
use xxhash_rust::xxh3::xxh3_64;

/// Returns a hash of the text in lower case, with each number replaced by zero. Texts with equal hashes count as the
/// same.
///
/// ```
/// use goldminer_core::goldminer::text_key;
///
/// assert_eq!(text_key("12 Comments"), text_key("7 comments"));
/// ```
pub fn text_key(text: &str) -> u64 {
    let mut normal = match text.is_ascii() {
        true => text.as_bytes().to_vec(),
        false => in_lower_case(text),
    };
    normal.make_ascii_lowercase();
    zero_numbers(&mut normal);
    xxh3_64(&normal)
}

/// Replaces each run of digits by a zero.
fn zero_numbers(text: &mut Vec<u8>) {
    // Most texts have no digits.
    if !text.iter().any(u8::is_ascii_digit) {
        return;
    }
    text.dedup_by(|next, before| next.is_ascii_digit() && before.is_ascii_digit());
    text.iter_mut().filter(|byte| byte.is_ascii_digit()).for_each(|byte| *byte = b'0');
}

/// Returns a text beyond ASCII in lower case, with its digits beyond ASCII replaced by zeros.
fn in_lower_case(text: &str) -> Vec<u8> {
    let mut lower = Vec::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !byte.is_ascii()) {
        let (ascii, others) = rest.split_at(at);
        lower.extend_from_slice(ascii.as_bytes());
        let mut others = others.chars();
        match others.next() {
            Some(c) if is_numeric(c) => lower.push(b'0'),
            Some(c) => {
                let mut add = |c: char| lower.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                if !case_fold::in_lower_case(c, &mut add) {
                    // These are punctuation and symbols; a few of them also have a lower case.
                    c.to_lowercase().for_each(add);
                }
            }
            None => {}
        }
        rest = others.as_str();
    }
    lower.extend_from_slice(rest.as_bytes());
    lower
}

/// Whether a character is numeric. The range is a fast answer for most letters beyond ASCII.
fn is_numeric(c: char) -> bool {
    match c {
        '\u{c0}'..'\u{660}' => false,
        c => c.is_numeric(),
    }
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
