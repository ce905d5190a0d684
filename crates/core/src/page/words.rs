//! What a page says in words, as a digest: whether two addresses lead to the same page.

use xxhash_rust::xxh3::xxh3_64;

use super::{Page, digits};

/// Bytes of words without which a page cannot be told from others by them.
const MIN_WORDS_BYTES: usize = 80;

impl Page {
    /// A digest of the page's words in their order, without those that have a digit in them: the page of a session, of a
    /// day, of a counter is the same page. None when there are hardly any words.
    ///
    /// ```
    /// use goldminer_core::page::Page;
    ///
    /// let page = |session: u32| {
    ///     let html = format!("<a href=/?sid={session}>Session {session}</a><p>It rained in Rome for a week, and then the \
    ///         sun came out, and everybody who had an umbrella left it at home.");
    ///     Page::parse(html).words_digest()
    /// };
    /// assert_eq!(page(4711), page(4712));
    /// assert!(page(1).is_some());
    /// ```
    #[must_use]
    pub fn words_digest(&self) -> Option<u64> {
        let mut kept = Vec::with_capacity(self.text.len() / 8);
        for paragraph in &self.paragraphs {
            let text = paragraph.text.as_bytes();
            let mut at = 0;
            while let Some(digit) = digits::next(text, at) {
                let before = text[at..digit].iter().rposition(is_separator).map_or(0, |place| place + 1);
                kept.extend_from_slice(&text[at..at + before]);
                at = text[digit..].iter().position(is_separator).map_or(text.len(), |place| digit + place + 1);
            }
            kept.extend_from_slice(&text[at..]);
            if kept.last().is_some_and(|last| !is_separator(last)) {
                kept.push(b' ');
            }
        }
        // Words stand one space or line apart.
        kept.iter_mut().for_each(|byte| *byte = if *byte == b'\n' { b' ' } else { *byte });
        let bytes = kept.len() - kept.iter().filter(|byte| **byte == b' ').count();
        (bytes >= MIN_WORDS_BYTES).then(|| xxh3_64(&kept))
    }
}

fn is_separator(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_and_nothing_between_them() {
        let rows = "<td>It rained  in Rome\u{a0}for a week,</td><td>7 days<br>in all, and then \u{2028}the sun came out, </td>\
            <p>and everybody left the umbrella<br>at home.";
        let words = "It rained in Rome for a week, days in all, and then the sun came out, and everybody left the umbrella \
            at home. ";
        assert_eq!(Page::parse(rows.to_owned()).words_digest(), Some(xxh3_64(words.as_bytes())));
        assert_eq!(Page::parse("<p>It rained in 2024.".to_owned()).words_digest(), None);
    }
}
