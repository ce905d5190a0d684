//! Atomic text blocks and what they measure; fusion of blocks that measure alike.

use std::ops::Range;

use goldminer_html::{Page, Tag};

use crate::baseline::block::{Gatherer, Text};
use crate::baseline::flow::{PieceKind, flow};

/// Lines are wrapped after so many characters (CIKM 2008, section 3.2).
const LINE_CHARS: usize = 80;
/// Passes of fusion; nothing changes any more after a few.
const MAX_PASSES: usize = 16;

/// A block, atomic or fused.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    /// The atomic blocks that it is made of.
    pub texts: Range<usize>,
    /// Words with a letter or digit in them.
    pub words: u32,
    linked_words: u32,
    /// Lines but the last one, unless there is only one.
    lines: u32,
    /// The words on these lines.
    words_on_lines: u32,
    /// Found to be content.
    pub is_content: bool,
}

impl Block {
    pub(super) fn atomic(at: usize, text: &Text) -> Self {
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
        Self { texts: at..at + 1, words, linked_words, lines, words_on_lines, is_content: false }
    }

    /// The share of words in links, from 0 to 1 (WSDM 2010, section 3).
    pub(super) fn link_density(&self) -> f64 {
        f64::from(self.linked_words) / f64::from(self.words.max(1))
    }

    /// Words a line, the last line left aside unless it is the only one (CIKM 2008, section 3.2).
    pub(super) fn text_density(&self) -> f64 {
        f64::from(self.words_on_lines) / f64::from(self.lines.max(1))
    }

    fn fuse(&mut self, next: &Self) {
        self.texts.end = next.texts.end;
        self.words += next.words;
        self.linked_words += next.linked_words;
        self.lines += next.lines;
        self.words_on_lines += next.words_on_lines;
    }
}

/// The atomic blocks: text that no tag interrupts but links and the few that only change the type.
pub(super) fn texts(page: &Page) -> Vec<Text> {
    let mut gatherer = Gatherer::default();
    let mut texts = Vec::new();
    for piece in flow(page) {
        let breaks = match &piece.kind {
            PieceKind::Start(tag) | PieceKind::End(tag) => !is_inline(*tag),
            PieceKind::Text(_) => false,
        };
        texts.extend(gatherer.add(piece.at, &piece.kind, breaks));
    }
    texts.extend(gatherer.take());
    texts
}

/// `BlockFusion` of CIKM 2008, section 4.1: neighbours become one if their text densities differ by at most the threshold
/// as a share of the greater one; again, until nothing changes.
pub(super) fn fused(mut blocks: Vec<Block>, threshold: f64) -> Vec<Block> {
    for _ in 0..MAX_PASSES {
        let before = blocks.len();
        let mut fused: Vec<Block> = Vec::with_capacity(before);
        for block in blocks {
            match fused.last_mut() {
                Some(last) if slope(last, &block) <= threshold => last.fuse(&block),
                _ => fused.push(block),
            }
        }
        blocks = fused;
        if blocks.len() == before {
            break;
        }
    }
    blocks
}

fn slope(a: &Block, b: &Block) -> f64 {
    let (a, b) = (a.text_density(), b.text_density());
    let greater = a.max(b);
    if greater > 0.0 { (a - b).abs() / greater } else { 0.0 }
}

/// As Boilerpipe 1.2 has it.
fn is_inline(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::A
            | Tag::Abbr
            | Tag::Acronym
            | Tag::B
            | Tag::Code
            | Tag::Em
            | Tag::Font
            | Tag::I
            | Tag::Span
            | Tag::Strike
            | Tag::Strong
            | Tag::Sub
            | Tag::Sup
            | Tag::Tt
            | Tag::U
            | Tag::Var
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(html: &str) -> Vec<Block> {
        texts(&Page::parse(html.to_owned())).iter().enumerate().map(|(at, text)| Block::atomic(at, text)).collect()
    }

    #[test]
    fn every_tag_but_inline_ones_ends_a_block() {
        let texts = texts(&Page::parse("<p>one <b>two</b> <a href=x>three</a><br>four<img>five<li>six".to_owned()));
        let texts: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
        assert_eq!(texts, ["one two three", "four", "five", "six"]);
    }

    #[test]
    fn link_density_is_the_share_of_words_in_links() {
        assert_eq!(blocks("<p>read <a href=x>all about it</a> -")[0].link_density(), 0.75);
    }

    #[test]
    fn text_density_is_words_a_line_without_the_last_line() {
        // Nine times eight letters and a space are 81 characters but one: nine words fit on a line of 80.
        let long = blocks(&format!("<p>{}", "eightlet ".repeat(20)));
        assert_eq!((long[0].lines, long[0].words_on_lines, long[0].text_density()), (2, 18, 9.0));
        let short = blocks("<p>only three words");
        assert_eq!(short[0].text_density(), 3.0);
    }

    #[test]
    fn fusion_joins_blocks_of_like_density() {
        let html = format!("<p>{0}<p>{0}<p>a b", "eightlet ".repeat(20));
        let fused = fused(blocks(&html), 0.38);
        assert_eq!(fused.len(), 2);
        assert_eq!((fused[0].texts.clone(), fused[0].words, fused[0].text_density()), (0..2, 40, 9.0));
    }
}
