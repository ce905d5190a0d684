//! Counts the characters, words, sentences and so on in one paragraph, in one pass over its text, in any language.

use goldminer_html::Paragraph;
use xxhash_rust::xxh3::xxh3_64;

use super::titles::{self, PhraseKinds};

/// The fewest characters outside links in a paragraph of good text.
const MIN_GOOD: u32 = 80;
/// The most characters in a title such as "Read also".
const MAX_TITLE: u32 = 60;
/// Good text has a smaller share of links than this, in thousandths.
const MAX_GOOD_LINKS: u32 = 350;

/// The counts of one paragraph.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Characters. Each Han or kana character counts for three.
    pub length: u32,
    /// The share of characters in links, in thousandths.
    pub links: u32,
    /// Characters outside links, counted as in `length`.
    pub own: u32,
    /// `own` for good paragraphs, 0 for others.
    pub good: u32,
    /// Words; each Han or kana character counts as one.
    pub words: u32,
    /// Marks that end a sentence. Several in a row count once.
    pub sentences: u32,
    pub commas: u32,
    /// Separators of links, such as `|`, `»`, `·`.
    pub bars: u32,
    pub digits: u32,
    pub capitals: u32,
    pub quotes: u32,
    /// Whether the text ends like a sentence.
    pub ends_in_stop: bool,
    pub ends_in_colon: bool,
    /// Whether the text has digits with a mark between them, such as `18:30`, or a year from 1900 to 2099.
    pub has_date: bool,
    pub has_copyright: bool,
    /// The kinds of fixed phrases in the text. None if it is longer than a title.
    pub phrases: Option<PhraseKinds>,
    /// A hash of the text.
    pub key: u64,
}

impl Counts {
    pub(crate) fn of(paragraph: &Paragraph) -> Self {
        let mut counts = Self { key: xxh3_64(paragraph.text.as_bytes()), ..Self::default() };
        let mut dense = 0;
        let mut state = State::default();
        for c in paragraph.text.chars() {
            // A shortcut for speed: most characters are small letters and spaces, which need not be counted.
            if c.is_ascii_lowercase() || c == ' ' {
                counts.has_date |= state.is_year();
                state = State::default();
            } else {
                dense += u32::from(counts.add(c, &mut state));
            }
        }
        counts.has_date |= state.is_year();
        counts.length = paragraph.chars + 2 * dense;
        counts.phrases = (counts.length <= MAX_TITLE).then(|| titles::phrases(paragraph));
        counts.words = paragraph.words + dense;
        counts.links = (paragraph.link_chars * 1_000 / paragraph.chars.max(1)).min(1_000);
        counts.own = (u64::from(counts.length) * u64::from(1_000 - counts.links) / 1_000) as u32;
        if counts.own >= MIN_GOOD && counts.links < MAX_GOOD_LINKS {
            counts.good = counts.own;
        }
        let mut last = paragraph.text.chars().rev().skip_while(|c| is_closing(*c));
        let last = last.next().unwrap_or(' ');
        counts.ends_in_stop = is_stop(last) || last == '…';
        counts.ends_in_colon = matches!(last, ':' | '：');
        counts
    }

    /// Whether the text is short and has a phrase of these kinds.
    pub(crate) fn has_phrase(&self, kinds: PhraseKinds) -> bool {
        self.phrases.is_some_and(|phrases| phrases & kinds != 0)
    }

    /// Counts a character that is neither a small ASCII letter nor a space. Returns whether this character is a word by
    /// itself (as in Chinese).
    fn add(&mut self, c: char, state: &mut State) -> bool {
        if c.is_ascii_digit() {
            self.digits += 1;
            self.has_date |= state.mark_after_digit;
            if state.digits == 0 {
                state.number = 0;
            }
            state.digits += 1;
            state.number = state.number.wrapping_mul(10).wrapping_add(c as u32 - '0' as u32);
            state.mark_after_digit = false;
            state.after_stop = false;
            return false;
        }
        self.has_date |= state.is_year();
        let was_digit = state.digits > 0;
        state.digits = 0;
        state.mark_after_digit = was_digit && matches!(c, ':' | '/' | '.' | '-' | '年' | '月');
        let stops = is_stop(c);
        self.sentences += u32::from(stops && !state.after_stop);
        state.after_stop = stops;
        match c {
            'A'..='Z' => self.capitals += 1,
            ',' | '،' | '，' | '、' => self.commas += 1,
            '|' | '»' | '«' | '·' | '•' | '›' | '/' | '>' => self.bars += 1,
            '"' | '“' | '”' | '„' | '「' | '」' => self.quotes += 1,
            '©' => self.has_copyright = true,
            c if c.is_ascii() => {}
            c if is_dense(c) => return true,
            c => self.capitals += u32::from(c.is_uppercase()),
        }
        false
    }
}

/// What came before the current character.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    digits: u32,
    number: u32,
    mark_after_digit: bool,
    after_stop: bool,
}

impl State {
    fn is_year(&self) -> bool {
        self.digits == 4 && (1_900..2_100).contains(&self.number)
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…' | ';' | '؟' | '।')
}

fn is_closing(c: char) -> bool {
    matches!(c, '"' | '”' | '“' | '»' | '«' | '\'' | '’' | '‘' | ')' | ']' | '」' | '』' | '）' | ' ')
}

/// Whether the character is a word: Han or kana.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    fn counts(html: &str) -> Counts {
        Counts::of(&Page::parse(html.to_owned()).paragraphs()[0])
    }

    #[test]
    fn dates_are_years_and_digits_with_marks_between() {
        for text in ["12.05. at noon", "18:30", "in 1999", "1999 and on", "2024-05-01"] {
            assert!(counts(text).has_date, "{text}");
        }
        for text in ["12 comments", "in 12345 cases", "of 3 in 4", "3000"] {
            assert!(!counts(text).has_date, "{text}");
        }
    }

    #[test]
    fn sentences_end_in_any_script() {
        let counts = counts("新华社北京。 What?! “No.”");
        assert_eq!((counts.sentences, counts.ends_in_stop, counts.words), (3, true, 8));
    }
}
