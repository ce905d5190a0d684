//! Checks by its form alone whether a text can be prose. The output of a decompression bomb, a data dump or a broken
//! template is not prose in any language. The check takes one pass.
//!
//! Only long texts are checked. Prose keeps saying new things: in any part of it, most sequences of eight bytes are
//! different (two of three in English, nine of ten in Chinese). A language written in ASCII also has spaces.

/// Shorter texts are not checked, because lists and refrains repeat themselves.
const MIN_BYTES: usize = 2_000;
/// The number of bytes that are checked at a time.
const CHUNK_BYTES: usize = 16 * 1024;
/// The length of the sequences that are compared, in bytes.
const SEQUENCE_BYTES: usize = 8;
/// The least percentage of different sequences in a part of prose. With fewer, the part only repeats a phrase of at
/// most about 300 bytes.
const MIN_DIFFERENT_PERCENT: usize = 2;
/// The longest word of prose. Words of natural languages have up to 80 letters, printed URLs a few more.
const MAX_WORD_BYTES: usize = 400;

/// Whether most of a text is not prose. False for short texts.
pub(crate) fn is_none(text: &str) -> bool {
    text.len() >= MIN_BYTES && (2 * repeated(text) > text.len() || 2 * in_absurd_words(text) > text.len())
}

/// The number of bytes in parts that only repeat a phrase.
fn repeated(text: &str) -> usize {
    let mut seen = Box::new([0_u64; 1024]);
    let chunks = text.as_bytes().chunks(CHUNK_BYTES);
    let is_repetitive = |chunk: &&[u8]| {
        seen.fill(0);
        let enough = (MIN_DIFFERENT_PERCENT * chunk.len()).div_ceil(100);
        let mut different = 0;
        // For prose, this ends after the first sentences.
        !chunk.windows(SEQUENCE_BYTES).any(|sequence| {
            let bytes: [u8; SEQUENCE_BYTES] = sequence.try_into().unwrap_or_default();
            let bit = u64::from_le_bytes(bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
            let (word, mask) = (&mut seen[(bit >> 6) as usize], 1 << (bit & 63));
            different += usize::from(*word & mask == 0);
            *word |= mask;
            different >= enough
        })
    };
    chunks.filter(is_repetitive).map(<[u8]>::len).sum()
}

/// The number of ASCII bytes in words longer than in any language.
fn in_absurd_words(text: &str) -> usize {
    let (mut rest, mut bytes) = (text.as_bytes(), 0);
    // Spaces are searched only where a word would become too long, so that few bytes are read.
    while let Some(begin) = rest.get(..=MAX_WORD_BYTES) {
        if let Some(blank) = begin.iter().rposition(u8::is_ascii_whitespace) {
            rest = &rest[blank + 1..];
            continue;
        }
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        bytes += if word.is_ascii() { word.len() } else { 0 };
        rest = behind;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom words of some language.
    fn prose(words: &[&str], between: &str, count: usize) -> String {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            words[(state >> 33) as usize % words.len()]
        };
        (0..count).map(|_| next()).collect::<Vec<_>>().join(between)
    }

    #[test]
    fn a_repeated_character_or_phrase_is_not_prose() {
        for phrase in ["a", "ab ", "的", "spam and eggs ", "x\n\n", "🦀", "0123456789abcdef0123456789abcdef"] {
            for bytes in [MIN_BYTES, 60_000, 5_000_000] {
                assert!(is_none(&phrase.repeat(bytes.div_ceil(phrase.len()))), "{bytes} bytes of {phrase:?}");
            }
        }
    }

    #[test]
    fn a_dump_of_bytes_is_not_prose() {
        let base64 = data_encoding::BASE64.encode(blake3::hash(b"seed").as_bytes());
        let mut dump = String::new();
        let mut hash = blake3::hash(base64.as_bytes());
        while dump.len() < 100_000 {
            hash = blake3::hash(hash.as_bytes());
            dump.push_str(&data_encoding::BASE64_NOPAD.encode(hash.as_bytes()));
        }
        assert!(is_none(&dump));
        assert!(is_none(&format!("A short heading above it.\n\n{dump}")));
    }

    #[test]
    fn text_in_any_script_is_prose() {
        let hungarian = [
            "a",
            "az",
            "kormány",
            "szerint",
            "költségvetés",
            "jövő",
            "évben",
            "és",
            "nem",
            "híd",
            "megnyitása",
            "miniszter",
        ];
        let chinese =
            ["市", "政府", "昨天", "宣布", "将在", "今年", "之内", "修建", "三座", "新的", "桥梁", "缓解", "交通"];
        let thai = ["รัฐบาล", "ประกาศ", "เมื่อวานนี้", "ว่าจะ", "สร้าง", "สะพาน", "ใหม่", "สามแห่ง", "ภายใน", "ปีนี้"];
        for (words, between) in [(&hungarian[..], " "), (&chinese[..], ""), (&thai[..], "")] {
            for count in [10, 300, 5_000, 200_000] {
                let text = prose(words, between, count);
                assert!(!is_none(&text), "{count} words of {words:?}");
            }
        }
        assert!(!is_none(&"Refrain, refrain, we sing it again. ".repeat(40)), "too short to classify");
        let table: String = (0..2_000)
            .map(|row| format!("Team {} {}:{} (half time 0:0)\n", row * 7919 % 100, row % 5, row % 3))
            .collect();
        assert!(!is_none(&table));
    }

    #[test]
    fn an_article_with_some_rubbish_in_it_is_prose() {
        let hungarian = ["a", "az", "kormány", "szerint", "költségvetés", "jövő", "évben", "és", "nem", "híd"];
        let article = prose(&hungarian, " ", 3_000);
        assert!(!is_none(&format!("{article}\n\n{}", "=".repeat(article.len() / 2))));
        assert!(is_none(&format!("{article}\n\n{}", "=".repeat(article.len() * 2))));
    }
}
