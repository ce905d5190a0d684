//! Finds the encoding of pages that declare none, or a wrong one: with a detector, or from the bytes that occur. The
//! language of the page and the country at the end of its host name are hints.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
};

use crate::tag::Tag;
use crate::tokens::{TokenKind, Tokens};

/// The number of bytes of a page in which its language is searched.
const HEAD_BYTES: usize = 1024;
/// The most bytes for the detector, which reads only a few MB/s. It gets only words with characters beyond ASCII.
const DETECTOR_BYTES: usize = 4 * 1024;
/// With fewer different letters beyond ASCII, the detector only guesses: it takes a page with a single pound sign for
/// Polish. Such pages are decoded as windows-1252, because they are mostly English with a few special characters.
const MIN_DISTINCT_LETTERS: usize = 4;

/// The encoding of a page that declares none, or a wrong one.
pub(super) fn detected(bytes: &[u8], host_name: Option<&str>) -> &'static Encoding {
    let sample = words_beyond_ascii(bytes);
    let country = host_name.and_then(country_of_host).or_else(|| country_of_language(bytes));
    if country.is_none() && distinct_letters(&sample) < MIN_DISTINCT_LETTERS {
        return WINDOWS_1252;
    }
    guess(&sample, country.as_deref())
}

fn guess(sample: &[u8], country: Option<&str>) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, true);
    detector.guess(country.map(str::as_bytes), Utf8Detection::Deny)
}

/// The encoding of a page that declares an encoding other than UTF-8. Its bytes or its language may contradict it.
pub(super) fn corrected(declared: &'static Encoding, bytes: &[u8], host_name: Option<&str>) -> &'static Encoding {
    match declared.name() {
        "windows-1252" => not_windows_1252(bytes, host_name).unwrap_or(declared),
        "ISO-8859-2" => windows(WINDOWS_1250, declared, bytes),
        "ISO-8859-7" => windows(WINDOWS_1253, declared, bytes),
        "ISO-8859-8" | "ISO-8859-8-I" => windows(WINDOWS_1255, declared, bytes),
        "ISO-8859-13" => windows(WINDOWS_1257, declared, bytes),
        "ISO-8859-15" => windows(WINDOWS_1252, declared, bytes),
        // The Windows code pages of these two have the letters in other places.
        "ISO-8859-5" | "ISO-8859-6" if has_controls(&occurring(bytes)) => {
            let found = detected(bytes, host_name);
            if found == WINDOWS_1251 || found == WINDOWS_1256 { found } else { declared }
        }
        _ => declared,
    }
}

/// Returns the Windows code page `windows` if the bytes are in it, otherwise the similar ISO encoding `iso`. The code page
/// has quotation marks and letters in the place of ISO's control characters, which no page has on purpose. It has some
/// letters in other places; if these occur as in `iso`, only the quotation marks were pasted in.
fn windows(windows: &'static Encoding, iso: &'static Encoding, bytes: &[u8]) -> &'static Encoding {
    let occurs = occurring(bytes);
    if !has_controls(&occurs) {
        return iso;
    }
    let character = |encoding: &'static Encoding, byte: u8| {
        encoding.decode_without_bom_handling(&[byte]).0.chars().next().unwrap_or_default()
    };
    let has_letter = (0x80..0xa0).any(|byte| occurs[usize::from(byte)] && character(windows, byte).is_alphabetic());
    let has_other_letter = || {
        (0xa0..=0xff).filter(|byte| occurs[usize::from(*byte)]).any(|byte| {
            let (in_iso, in_windows) = (character(iso, byte), character(windows, byte));
            // `»` is in the place of `ť` in ISO 8859-2. It does not show that the text is in `iso`.
            in_iso.is_lowercase() && in_iso != in_windows && in_windows != '»'
        })
    };
    if has_letter || !has_other_letter() { windows } else { iso }
}

/// The real encoding of a page that is declared as windows-1252 (or latin1, which is another name for it). None if it
/// is windows-1252. Many programs declare it for all pages. The declaration is wrong if the page's language cannot be
/// written in it, and the detector finds another encoding. If only the country is known, the detector must find another
/// encoding without this hint, too, or the text must be Hungarian.
fn not_windows_1252(bytes: &[u8], host_name: Option<&str>) -> Option<&'static Encoding> {
    let language = country_of_language(bytes);
    let has_language = language.is_some();
    let country = language.or_else(|| host_name.and_then(country_of_host))?;
    // Without a text, the detector returns the usual encoding of the country.
    if guess(b"", Some(&country)) == WINDOWS_1252 {
        return None;
    }
    let sample = words_beyond_ascii(bytes);
    if distinct_letters(&sample) < MIN_DISTINCT_LETTERS {
        return None;
    }
    let found = guess(&sample, Some(&country));
    let is_sure = || has_language || guess(&sample, None) != WINDOWS_1252 || (country == "hu" && is_hungarian(&sample));
    (found != WINDOWS_1252 && is_sure()).then_some(found)
}

/// Whether all letters beyond ASCII are Hungarian, and one is `ő` or `ű`. In windows-1252, the bytes of these are `õ`
/// and `û`. Each language with `õ` or `û` also has letters that Hungarian does not have.
fn is_hungarian(sample: &[u8]) -> bool {
    const LONG: &[u8] = b"\xd5\xdb\xf5\xfb";
    const OTHERS: &[u8] = b"\xc1\xc9\xcd\xd3\xd6\xda\xdc\xe1\xe9\xed\xf3\xf6\xfa\xfc";
    let mut letters = sample.iter().filter(|byte| **byte >= 0xc0);
    letters.clone().any(|byte| LONG.contains(byte)) && letters.all(|byte| LONG.contains(byte) || OTHERS.contains(byte))
}

/// Whether bytes occur that are control characters in ISO 8859.
fn has_controls(occurs: &[bool; 256]) -> bool {
    occurs[0x80..0xa0].contains(&true)
}

fn occurring(bytes: &[u8]) -> [bool; 256] {
    let mut occurs = [false; 256];
    bytes.iter().for_each(|byte| occurs[usize::from(*byte)] = true);
    occurs
}

/// The words with a byte beyond ASCII, at most [`DETECTOR_BYTES`]. Words can be split before they are decoded: no
/// encoding uses the bytes of white space and angle brackets in other characters.
fn words_beyond_ascii(bytes: &[u8]) -> Vec<u8> {
    let is_border = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'<' | b'>');
    let mut sample = Vec::with_capacity(DETECTOR_BYTES + 1);
    let mut rest = bytes;
    while sample.len() < DETECTOR_BYTES {
        let at = Encoding::ascii_valid_up_to(rest);
        if at == rest.len() {
            break;
        }
        let begin = rest[..at].iter().rposition(is_border).map_or(0, |border| border + 1);
        let end = rest[at..].iter().position(is_border).map_or(rest.len(), |length| at + length);
        let room = DETECTOR_BYTES - sample.len();
        sample.extend_from_slice(&rest[begin..end.min(begin + room)]);
        sample.push(b' ');
        rest = &rest[end..];
    }
    sample
}

/// The number of different bytes that are letters in most single-byte encodings.
fn distinct_letters(bytes: &[u8]) -> usize {
    occurring(bytes)[0xa0..].iter().filter(|occurs| **occurs).count()
}

/// The two-letter country code at the end of a host name, or None.
fn country_of_host(host_name: &str) -> Option<String> {
    let top = host_name.rsplit('.').next()?.to_ascii_lowercase();
    may_be_country(&top).then_some(top)
}

/// Whether a name looks like a country code. For some other names, `EncodingDetector::guess` panics.
fn may_be_country(name: &str) -> bool {
    name.len() == 2 && name.bytes().all(|b| b.is_ascii_lowercase())
}

/// The country code for the language that `<html lang=…>` declares, or None.
fn country_of_language(bytes: &[u8]) -> Option<String> {
    let head = ascii_text(&bytes[..bytes.len().min(HEAD_BYTES)]);
    let html = Tokens::new(&head).find(|token| matches!(token.kind, TokenKind::StartTag { tag: Tag::Html, .. }))?;
    let language = html.attributes(&head).find(|attribute| attribute.is("lang") || attribute.is("xml:lang"))?;
    let language = language.value().to_ascii_lowercase();
    let country = match language.split('-').next()? {
        _ if matches!(language.as_str(), "zh-tw" | "zh-hant") => "tw",
        "cs" => "cz",
        "el" => "gr",
        "he" => "il",
        "ja" => "jp",
        "ko" => "kr",
        "sl" => "si",
        "sr" => "rs",
        "uk" => "ua",
        "zh" => "cn",
        same if may_be_country(same) => same,
        _ => return None,
    };
    Some(country.to_owned())
}

/// The bytes as text, with a question mark for each byte beyond ASCII.
pub(super) fn ascii_text(bytes: &[u8]) -> String {
    let ascii = bytes.iter().map(|b| if b.is_ascii() { *b } else { b'?' }).collect();
    String::from_utf8(ascii).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn words_beyond_ascii_are_all_words_with_such_a_byte(text in "[ab <\t\u{e9}\u{151}]{0,200}", times in 1_usize..200) {
            let bytes = text.repeat(times).into_bytes();
            let words = bytes.split(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'<' | b'>'));
            let mut expected = Vec::new();
            for word in words.filter(|word| !word.is_ascii()) {
                if expected.len() < DETECTOR_BYTES {
                    expected.extend_from_slice(&word[..word.len().min(DETECTOR_BYTES - expected.len())]);
                    expected.push(b' ');
                }
            }
            proptest::prop_assert_eq!(words_beyond_ascii(&bytes), expected);
        }
    }
}
