//! Character references in text. The few that nearly all texts have are decoded here; a text with any other goes to
//! `htmlize`, which knows all of them and every way to write them wrong.

use std::borrow::Cow;

use super::eight::find;

/// A text with its character references decoded.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    let Some(first) = find(b'&', text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    let (before, mut rest) = text.split_at(first);
    out.push_str(before);
    loop {
        let Some((character, length)) = usual(rest.as_bytes()) else { return htmlize::unescape(text) };
        out.push(character);
        rest = &rest[length..];
        let Some(next) = find(b'&', rest.as_bytes()) else { break };
        out.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character that a text which begins with `&` begins with, and the bytes of it; nothing where that is not simple.
fn usual(text: &[u8]) -> Option<(char, usize)> {
    if let [b'&', b'#', number @ ..] = text {
        return numeric(number).map(|(character, length)| (character, length + 2));
    }
    if text.get(1).is_some_and(|next| matches!(next, b' ' | b'\n')) {
        return Some(('&', 1));
    }
    let length = text.iter().take(8).position(|byte| *byte == b';')? + 1;
    let character = match &text[1..length - 1] {
        b"amp" => '&',
        b"nbsp" => '\u{a0}',
        b"quot" => '"',
        b"lt" => '<',
        b"gt" => '>',
        b"rsquo" => '’',
        b"lsquo" => '‘',
        b"rdquo" => '”',
        b"ldquo" => '“',
        b"mdash" => '—',
        b"ndash" => '–',
        b"hellip" => '…',
        b"raquo" => '»',
        b"laquo" => '«',
        b"middot" => '·',
        b"bull" => '•',
        b"copy" => '©',
        _ => return None,
    };
    Some((character, length))
}

/// A number behind `&#`, if it means what it says: old numbers of Windows and what is no character don't.
fn numeric(text: &[u8]) -> Option<(char, usize)> {
    let (radix, digits) = match text {
        [b'x' | b'X', digits @ ..] => (16, digits),
        digits => (10, digits),
    };
    let length = digits.iter().take(7).position(|byte| *byte == b';').filter(|length| *length > 0)?;
    let value = digits[..length]
        .iter()
        .try_fold(0, |value, digit| char::from(*digit).to_digit(radix).map(|digit| radix * value + digit))?;
    let is_plain = matches!(value, 0x20..=0x7e | 0xa0..=0xd7ff | 0xe000..=0xfdcf | 0xfdf0..=0xfffd);
    let written = text.len() - digits.len() + length + 1;
    char::from_u32(value).filter(|_| is_plain).map(|character| (character, written))
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn all_is_decoded_as_htmlize_does(
            pieces in proptest::collection::vec(
                proptest::prop_oneof![
                    "&(amp|lt|gt|quot|nbsp|rsquo|lsquo|rdquo|ldquo|mdash|ndash|hellip|raquo|laquo|middot|bull|copy|eacute|notit|no);?",
                    "&#[0-9]{0,8};?", "&#[xX][0-9a-fA-F]{0,7};?", "[a-zé &;#\n]{0,6}",
                ],
                0..8,
            ),
        ) {
            let text = pieces.concat();
            proptest::prop_assert_eq!(decoded(&text), htmlize::unescape(&*text));
        }
    }
}
