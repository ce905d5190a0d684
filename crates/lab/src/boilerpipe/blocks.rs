//! Splits a page into text blocks, and measures them.

use goldminer_html::Page;

use crate::block::{TextBlock, texts};
use crate::flow::flow;

/// For the text density, a block is wrapped into lines of at most this many characters (CIKM 2008, section 3.2).
const LINE_CHARS: usize = 80;

/// Tags that do not end a block, as in Boilerpipe 1.2.
const INLINE: [&str; 16] = [
    "a", "abbr", "acronym", "b", "code", "em", "font", "i", "span", "strike", "strong", "sub", "sup", "tt", "u", "var",
];

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub text: TextBlock,
    pub measures: Measures,
    /// Whether the block is classified as content.
    pub is_content: bool,
}

/// The measures that the decision trees use.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Measures {
    /// The number of words that contain a letter or digit.
    pub words: u32,
    /// The fraction of words in links, from 0 to 1 (WSDM 2010, section 3).
    pub link_density: f64,
    /// The mean number of words per line. The last line is left out, unless it is the only one (CIKM 2008, section
    /// 3.2).
    pub text_density: f64,
}

/// The blocks of a page: texts in which there are no tags except for links and a few formatting tags.
pub(crate) fn blocks_of(page: &Page) -> Vec<Block> {
    let texts = texts(&flow(page), |tag| !tag.name().is_some_and(|name| INLINE.contains(&name)));
    texts.into_iter().map(|text| Block { measures: Measures::of(&text), text, is_content: false }).collect()
}

impl Measures {
    fn of(text: &TextBlock) -> Self {
        let (mut words, mut linked_words, mut lines, mut words_on_lines) = (0, 0, 0, 0);
        let mut line_chars = 0;
        for (word, is_linked) in text.words() {
            let chars = word.chars().count();
            if line_chars > 0 && line_chars + 1 + chars > LINE_CHARS {
                lines += 1;
                words_on_lines = words;
                line_chars = chars;
            } else {
                line_chars += chars + usize::from(line_chars > 0);
            }
            words += 1;
            linked_words += u32::from(is_linked);
        }
        if lines == 0 {
            (lines, words_on_lines) = (1, words);
        }
        let share = |part: u32, of: u32| f64::from(part) / f64::from(of.max(1));
        Self { words, link_density: share(linked_words, words), text_density: share(words_on_lines, lines) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(html: &str) -> Vec<Block> {
        blocks_of(&Page::parse(html.to_owned()))
    }

    #[test]
    fn every_tag_but_inline_ones_ends_a_block() {
        let blocks = blocks("<p>one <b>two</b> <a href=x>three</a><br>four<img>five<li>six");
        let texts: Vec<&str> = blocks.iter().map(|block| block.text.text.as_str()).collect();
        assert_eq!(texts, ["one two three", "four", "five", "six"]);
    }

    #[test]
    fn link_density_is_the_share_of_words_in_links() {
        assert_eq!(blocks("<p>read <a href=x>all about it</a> -")[0].measures.link_density, 0.75);
    }

    #[test]
    fn text_density_is_words_a_line_without_the_last_line() {
        // Nine times eight letters with single spaces are 80 characters: nine words fit on a line of 80.
        let long = blocks(&format!("<p>{}", "eightlet ".repeat(20)));
        assert_eq!(long[0].measures.text_density, 9.0, "18 words on 2 lines");
        let short = blocks("<p>only three words");
        assert_eq!(short[0].measures.text_density, 3.0);
    }
}
