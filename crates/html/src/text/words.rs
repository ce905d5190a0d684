//! Computes a hash of a page's words, which shows whether two URLs lead to the same page.

use xxhash_rust::xxh3::xxh3_64;

use crate::Page;

/// A page gets a digest (a hash of its words) only if its words have at least this many bytes. With fewer, different
/// pages could have the same words.
const MIN_WORDS_BYTES: usize = 80;

impl Page {
    /// A hash of the page's words in order. Words with a digit are left out, because pages that differ only in a
    /// session id, a date or a counter count as the same page. None if the words have fewer than 80 bytes.
    ///
    /// ```
    /// use goldminer_html::Page;
    ///
    /// let page = |session: u32| {
    ///     let html = format!("<a href=/?sid={session}>Session {session}</a><p>It rained in Rome for a week, and then the \
    ///         sun came out, and everybody who had an umbrella left it at home.");
    ///     Page::parse(html).words_digest()
    /// };
    /// assert_eq!(page(4711), page(4712));
    /// assert!(page(1).is_some());
    /// ```
    pub fn words_digest(&self) -> Option<u64> {
        let (mut digest, mut bytes, mut kept) = (0_u64, 0, String::new());
        for paragraph in &self.paragraphs {
            let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
            kept.clear();
            for word in paragraph.text.split([' ', '\n']).filter(|word| !word.is_empty() && !has_digit(word)) {
                kept.push_str(word);
                kept.push(' ');
                bytes += word.len();
            }
            if !kept.is_empty() {
                digest = (digest.rotate_left(23) ^ xxh3_64(kept.as_bytes())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
        }
        (bytes >= MIN_WORDS_BYTES).then_some(digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_digits_do_not_change_the_digest() {
        let page = |days: &str, pager: &str| {
            let html = format!(
                "<p>It rained  in Rome\u{a0}for a week,</p><p>{days} days<br>in all, and then \u{2028}the sun came out</p>\
                 <ul>{pager}</ul><p>and everybody left the umbrella<br>at home {days}"
            );
            Page::parse(html).words_digest()
        };
        assert_eq!(page("7", "<li>1<li>2<li>3"), page("700", "<li>4"));
        assert_ne!(page("7", ""), page("seven", ""));
        assert_eq!(Page::parse("<p>It rained in 2024.".to_owned()).words_digest(), None);
    }

    #[test]
    fn the_same_paragraphs_in_another_order_are_another_page() {
        let page = |first: &str, second: &str| {
            Page::parse(format!("<p>{first}, and everybody left the umbrella at home<p>{second}, or so the paper says"))
        };
        let (rain, sun) = ("It rained in Rome for a week", "Then the sun came out");
        assert_ne!(page(rain, sun).words_digest(), page(sun, rain).words_digest());
    }
}
