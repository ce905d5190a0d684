//! The features that decide whether a page is an article, or a list, a calendar, a form.
//!
//! They describe the text that the page would have if it were an article. The regression chooses this text, because the
//! trees are too sure about the pages they learned from. Separate trees then read the average paragraph of this text
//! and a few numbers about the whole page.

use smart_default::SmartDefault;

use super::text::Counts;
use super::{WIDTH, declared};
use crate::classifier::scale::{log, share};

/// The number of features of a page.
pub const PAGE_WIDTH: usize = WIDTH + OF_PAGE;
/// The number of features that describe the whole page.
const OF_PAGE: usize = 8 + declared::WIDTH;
/// The fewest characters in a paragraph that counts as a sentence; shorter ones end like a sentence by chance.
const MIN_SENTENCE: u32 = 60;

/// Sums over the paragraphs that the regression takes for text.
#[derive(Debug, Clone, SmartDefault)]
pub(crate) struct PageSums {
    #[default([0; WIDTH])]
    rows: [i64; WIDTH],
    length: u32,
    links: u32,
    paragraphs: u32,
    sentences: u32,
    in_sentences: u32,
    longest: u32,
    /// Characters from the first to the last of these paragraphs, with everything between them.
    between: u32,
    /// Characters after the last of these paragraphs.
    since: u32,
    /// Characters of the page.
    all: u32,
}

impl PageSums {
    /// Adds the page's next paragraph.
    pub(crate) fn add(&mut self, row: &[i16], counts: &Counts, is_text: bool) {
        self.all = self.all.saturating_add(counts.length);
        self.since = self.since.saturating_add(counts.length);
        if !is_text {
            return;
        }
        let weight = i64::from(counts.length);
        self.rows.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * i64::from(*value));
        self.between = if self.paragraphs == 0 { counts.length } else { self.between.saturating_add(self.since) };
        self.since = 0;
        self.paragraphs += 1;
        self.length = self.length.saturating_add(counts.length);
        self.links = self.links.saturating_add(counts.length - counts.own);
        self.longest = self.longest.max(counts.own);
        if counts.length >= MIN_SENTENCE && (counts.ends_in_stop || counts.ends_in_colon) {
            self.sentences += 1;
            self.in_sentences = self.in_sentences.saturating_add(counts.length);
        }
    }

    pub(crate) fn row(&self, declared: &[i16; declared::WIDTH]) -> Vec<i16> {
        let all = i64::from(self.length.max(1));
        let mut row: Vec<i16> = self.rows.iter().map(|sum| (sum / all) as i16).collect();
        row.extend([
            log(self.length),
            share(self.length, self.all),
            share(self.links, self.length),
            log(self.paragraphs),
            log(self.sentences),
            log(self.longest),
            share(self.in_sentences, self.length),
            share(self.length, self.between),
        ]);
        row.extend(declared);
        row
    }
}
