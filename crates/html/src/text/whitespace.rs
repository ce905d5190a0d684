//! Joins the pieces of a paragraph's text to one line, and replaces each stretch of white space with one space.
//!
//! The rules of browsers and of jusText differ in four points. In browsers, white space between two tags separates
//! words; jusText drops it (`<b>two</b> <i>words</i>` becomes `twowords`). A picture or control between two words
//! separates them in browsers. A line end between Chinese or Japanese characters is no space in browsers. Soft hyphens
//! and other marks for optional line breaks are invisible in browsers; jusText keeps them.

use super::script::{is_han_or_kana, is_spaceless, is_wide};

/// The kind of character that a byte begins or may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    /// A character that is kept.
    Kept,
    /// ASCII white space, as defined by Python's `str.isspace`.
    Space,
    /// Control characters. Browsers do not show them, and they could control a terminal.
    Dropped,
    /// The first byte of a multi-byte character. That character may be white space, a control character, a
    /// noncharacter, or an optional line break.
    Suspect,
}

#[inline]
const fn kind(byte: u8) -> Byte {
    match byte {
        0x09..=0x0d | 0x1c..=0x20 => Byte::Space,
        0..0x20 | 0x7f => Byte::Dropped,
        // These begin U+0080 to U+009F, U+00A0 and U+00AD; U+1680; U+2000 to U+2060; U+3000; U+FDD0 to U+FFFF.
        0xc2 | 0xe1..=0xe3 | 0xef => Byte::Suspect,
        _ => Byte::Kept,
    }
}

/// The number of bytes that are checked together.
const ABREAST: usize = 32;

/// The number of spaces in the first [`ABREAST`] bytes. None if there are two spaces in a row, or if a byte after the
/// first is neither kept nor a space.
#[inline]
fn single_spaces(bytes: &[u8; ABREAST + 1]) -> Option<u32> {
    let (mut spaces, mut others) = (0_u8, 0_u8);
    for at in 0..ABREAST {
        let (byte, next) = (bytes[at], bytes[at + 1]);
        let is_space = u8::from(byte == b' ');
        spaces += is_space;
        others |= is_space & u8::from(next == b' ');
        // The same cases as in `kind`.
        others |= u8::from(next < 0x20) | u8::from(next == 0x7f) | u8::from(next == 0xc2) | u8::from(next == 0xef);
        others |= u8::from(next.wrapping_sub(0xe1) < 3);
    }
    (others == 0).then_some(u32::from(spaces))
}

/// What is between the text so far and the next character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum DueSpace {
    #[default]
    Nothing,
    /// Something is drawn there, which separates words, but not a word from a punctuation mark.
    Gap,
    Space,
    /// White space with a line end of the source, which is no space in Chinese and Japanese.
    LineEnd,
    /// White space that is always a space.
    Kept,
}

impl DueSpace {
    /// Whether a space is written between two texts.
    fn separates(self, before: &str, behind: &str) -> bool {
        let sides = || Some((before.chars().next_back()?, behind.chars().next()?));
        match self {
            Self::Nothing => false,
            Self::Gap => sides().is_some_and(|(last, first)| {
                let ends_word = last.is_alphanumeric() || matches!(last, '.' | '!' | '?' | '…' | '”' | '»');
                ends_word && first.is_alphanumeric() && !(is_spaceless(last) || is_spaceless(first))
            }),
            Self::LineEnd => !sides().is_some_and(|(last, first)| match (is_wide(last), is_wide(first)) {
                (true, true) => true,
                (true, false) => is_mark_beside_wide(first),
                (false, true) => is_mark_beside_wide(last),
                (false, false) => false,
            }),
            Self::Space | Self::Kept => true,
        }
    }
}

/// Marks of Chinese and Japanese that other scripts also use.
fn is_mark_beside_wide(c: char) -> bool {
    matches!(c, '“' | '”' | '‘' | '’' | '—' | '…' | '·')
}

/// The text of the current paragraph so far, in one line, with its white space collapsed. Its pieces between tags are
/// called runs.
#[derive(Debug, Default)]
pub(crate) struct CollapsedText {
    text: String,
    words: u32,
    link_chars: u32,
    as_seen: bool,
    /// Whether a line end is always a space, as in preformatted text.
    pub(crate) keeps_lines: bool,
    due: DueSpace,
    /// Whether a zero-width space precedes the next character.
    break_due: bool,
    run_has_text: bool,
    run_ends_blank: bool,
}

impl CollapsedText {
    pub(crate) fn new(as_seen: bool) -> Self {
        Self { as_seen, ..Self::default() }
    }

    /// The number of bytes of the text so far.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The start of the text that was added after the first `before` bytes. If it was added with a space before it, the
    /// start is after the space.
    #[inline]
    pub(crate) fn begin_of(&self, before: usize) -> usize {
        before + usize::from(before > 0 && self.text.as_bytes().get(before) == Some(&b' '))
    }

    /// Whether `is` accepts the text so far, and no white space has followed it.
    pub(crate) fn begins_with(&self, is: impl Fn(&str) -> bool) -> bool {
        is(&self.text) && self.due < DueSpace::Space
    }

    /// Adds decoded text to the current run.
    pub(crate) fn add(&mut self, text: &str, in_link: bool) {
        let bytes = text.as_bytes();
        let (mut i, mut one_by_one_until) = (0, 0);
        while i < bytes.len() {
            let start = i;
            let mut spaces = 0;
            while i < bytes.len() {
                if i >= one_by_one_until
                    && let Some(some) = bytes[i..].first_chunk()
                    && kind(bytes[i]) == Byte::Kept
                {
                    if let Some(single) = single_spaces(some) {
                        spaces += single;
                        i += ABREAST;
                        continue;
                    }
                    one_by_one_until = i + some.len();
                }
                // Words with single spaces between them, as in most text, are copied together.
                if kind(bytes[i]) != Byte::Kept {
                    let between_words =
                        bytes[i] == b' ' && i > start && bytes.get(i + 1).is_some_and(|next| kind(*next) == Byte::Kept);
                    if !between_words {
                        break;
                    }
                    spaces += 1;
                }
                i += 1;
            }
            if i > start {
                self.characters(&text[start..i], in_link);
                self.words += spaces;
            }
            let Some(byte) = bytes.get(i) else { break };
            match kind(*byte) {
                Byte::Suspect => {
                    let length = if *byte == 0xc2 { 2 } else { 3 };
                    let character = &text[i..i + length];
                    i += length;
                    match character.chars().next().unwrap_or_default() {
                        c if c.is_whitespace() => {
                            self.blank(in_link);
                            if self.as_seen {
                                self.space();
                            }
                        }
                        c if c.is_control() => {}
                        // Noncharacters. XML does not allow some of them.
                        '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}' => {}
                        '\u{200b}' if self.as_seen => self.break_due = true,
                        '\u{ad}' | '\u{2060}' | '\u{feff}' if self.as_seen => {}
                        _ => self.characters(character, in_link),
                    }
                }
                Byte::Space => {
                    i += 1;
                    self.blank(in_link);
                    if matches!(*byte, b'\n' | b'\r') && self.as_seen {
                        self.line_end();
                    }
                }
                _ => i += 1,
            }
        }
    }

    /// Adds white space that always separates words, such as that of a `<br>`.
    pub(crate) fn space(&mut self) {
        self.due = DueSpace::Kept;
    }

    /// Adds what is drawn inside a line, such as a picture.
    #[inline]
    pub(crate) fn gap(&mut self) {
        if self.as_seen {
            self.due = self.due.max(DueSpace::Gap);
        }
    }

    fn line_end(&mut self) {
        self.due = self.due.max(if self.keeps_lines { DueSpace::Kept } else { DueSpace::LineEnd });
    }

    /// The number of words so far, if white space and the rest of a sentence can follow them. Otherwise None.
    pub(crate) fn words_of_open_sentence(&self) -> Option<u32> {
        let may_go_on =
            |c: char| c.is_alphanumeric() || matches!(c, ',' | ';' | '(' | '“' | '„' | '«' | '"' | '—' | '–');
        let is_apart = self.due >= DueSpace::Space || self.text.ends_with(['(', '“', '„', '«', '"']);
        (is_apart && self.text.ends_with(may_go_on)).then_some(self.words)
    }

    #[inline]
    pub(crate) fn end_run(&mut self) {
        self.run_has_text = false;
        self.run_ends_blank = false;
    }

    /// Returns the paragraph's text, the number of its characters in links and the number of its words, and clears
    /// it. None if there is no text.
    pub(crate) fn take(&mut self) -> Option<(Box<str>, u32, u32)> {
        let taken = (!self.text.is_empty()).then(|| (Box::from(self.text.as_str()), self.link_chars, self.words));
        self.text.clear();
        self.words = 0;
        self.link_chars = 0;
        (self.due, self.break_due) = (DueSpace::Nothing, false);
        self.end_run();
        taken
    }

    #[inline]
    fn characters(&mut self, characters: &str, in_link: bool) {
        if self.run_ends_blank && !self.run_has_text {
            // The run begins with white space. It counts, because text follows it.
            self.due = self.due.max(DueSpace::Space);
            self.link_chars += u32::from(in_link);
        }
        if self.text.is_empty() {
            self.words = 1;
        } else if self.due.separates(&self.text, characters) {
            self.text.push(' ');
            self.words += 1;
        } else if self.break_due && ends_words_unseen(&self.text, characters) {
            self.text.push('\u{200b}');
        }
        (self.due, self.break_due) = (DueSpace::Nothing, false);
        self.text.push_str(characters);
        if in_link {
            self.link_chars += characters.chars().count() as u32;
        }
        self.run_has_text = true;
        self.run_ends_blank = false;
    }

    #[inline]
    fn blank(&mut self, in_link: bool) {
        if self.run_has_text && !self.run_ends_blank {
            self.due = self.due.max(DueSpace::Space);
            self.link_chars += u32::from(in_link);
        } else if self.as_seen {
            self.due = self.due.max(DueSpace::Space);
        }
        self.run_ends_blank = true;
    }

    /// Adds a text of nothing but white space.
    #[inline]
    pub(crate) fn add_blank(&mut self, white_space: &str, in_link: bool) {
        self.blank(in_link);
        // A line end matters only after characters beyond ASCII.
        if self.as_seen && self.text.as_bytes().last().is_some_and(|last| *last >= 0x80) && white_space.contains('\n') {
            self.line_end();
        }
    }
}

/// Whether a zero-width space between two texts may separate words: both the end of `before` and the beginning of
/// `behind` are in a script such as Thai.
fn ends_words_unseen(before: &str, behind: &str) -> bool {
    let is_of_one = |c: char| is_spaceless(c) && !is_han_or_kana(c);
    before.ends_with(is_of_one) && behind.starts_with(is_of_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(as_seen: bool, runs: &[&str]) -> (String, u32, u32) {
        let mut collapsed = CollapsedText::new(as_seen);
        for run in runs {
            collapsed.add(run, true);
            collapsed.end_run();
        }
        collapsed.take().map_or_else(Default::default, |(text, link_chars, words)| (text.into(), link_chars, words))
    }

    #[test]
    fn all_white_space_is_one_space() {
        assert_eq!(folded(true, &["  a\r\n\u{a0}b\u{3000}\u{2003} c\u{1f}d "]).0, "a b c d");
        assert_eq!(folded(true, &["\u{a0}\n "]).0, "");
        assert_eq!(folded(true, &["kana: かな、漢\u{201c}x"]), ("kana: かな、漢\u{201c}x".into(), 12, 2));
    }

    #[test]
    fn long_runs_are_collapsed_like_single_characters() {
        let prose = "It rained all day in the town, and nobody had an umbrella to lend to the others or to me. ";
        for special in [
            " ",
            "  ",
            "\n",
            "\u{a0}",
            "\u{7f}",
            "é",
            "“",
            "\u{3000}",
            " \u{1b} ",
            "\u{2003}x",
            "\u{ad}",
            "\u{feff}",
            "，",
        ] {
            let twice = |(first, second): (usize, usize)| {
                format!("{}{special}{}{special}{}{prose}", &prose[..first], &prose[first..second], &prose[second..])
            };
            let places = (0..60).flat_map(|first| (first..prose.len()).map(move |second| (first, second)));
            for text in places.map(twice) {
                let mut slowly = CollapsedText::new(true);
                text.chars().for_each(|c| slowly.add(c.encode_utf8(&mut [0; 4]), true));
                let (whole, link_chars, words) = slowly.take().unwrap();
                assert_eq!(folded(true, &[&text]), (whole.into(), link_chars, words), "{text:?}");
            }
        }
    }

    #[test]
    fn optional_line_breaks_are_not_text() {
        let runs = ["\u{feff}Um\u{ad}welt\u{2060}s\u{200b}", "\u{200b}amt a\u{200b} b\u{200d}c\u{200c}d\u{ad}"];
        assert_eq!(folded(true, &runs), ("Umweltsamt a b\u{200d}c\u{200c}d".into(), 18, 3));
        assert_eq!(folded(true, &["\u{ad}", "\u{200b}\u{feff}"]).0, "");
        assert_eq!(folded(false, &["Um\u{ad}welt"]).0, "Um\u{ad}welt", "jusText keeps it");
    }

    #[test]
    fn zero_width_spaces_stay_in_scripts_without_spaces() {
        for (before, behind) in [("ไทย", "แลนด์"), ("ខ្មែរ", "ភាសា"), ("ພາສາ", "ລາວ"), ("မြန်", "မာ")]
        {
            let text = format!("{before}\u{200b}{behind}");
            assert_eq!(folded(true, &[&text]).0, text);
            assert_eq!(folded(true, &[before, &format!("\u{200b}\u{200b}{behind}\u{200b}")]).0, text);
            assert_eq!(folded(true, &[&format!("{before}\u{200b}a")]).0, format!("{before}a"));
        }
        assert_eq!(folded(true, &["漢\u{200b}字"]).0, "漢字");
    }

    #[test]
    fn control_characters_are_not_text() {
        let runs = ["\u{1b}]0;title\u{7}", "a\u{8}\u{7f}b\0\u{9b}31mc\u{90}", "\u{1b}", "\u{85}d\u{e9}\u{bf}"];
        assert_eq!(folded(true, &runs).0, "]0;titleab31mc dé¿");
        assert_eq!(folded(true, &["a\u{fdd0}\u{fffe}b\u{ffff}\u{fffd}\u{fdf0}"]).0, "ab\u{fffd}\u{fdf0}");
    }

    #[test]
    fn white_space_between_tags_separates_except_in_justext() {
        assert_eq!(folded(true, &["two", " ", "words"]), ("two words".into(), 8, 2));
        assert_eq!(folded(false, &["two", " ", "words"]), ("twowords".into(), 8, 1));
        assert_eq!(folded(false, &["two ", "words"]), ("two words".into(), 9, 2));
        assert_eq!(folded(false, &["two", " words"]), ("two words".into(), 9, 2));
    }

    #[test]
    fn links_count_white_space_at_both_ends_as_justext_does() {
        assert_eq!(folded(false, &[" two ", " words "]), ("two words".into(), 12, 2));
    }
}
