//! The findings of a [`Survey`](super::Survey) on the pages of a domain: outcomes, shares of text, changes over time,
//! repeated texts.

use rustc_hash::FxHashMap;

use super::block_reason::BlockReason;

/// The result of a survey.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Number of surveyed pages.
    pub looked_at: u64,
    /// Number of surveyed pages with different text: pages with equal text count once.
    pub distinct: u32,
    /// The number of characters on pages with an article, by reason for keeping or cutting them.
    pub shares: Shares,
    /// The outcomes over time, in groups of about equally many consecutive pages.
    pub over_time: Vec<Bucket>,
    /// The texts that were cut on the most pages, the most frequent first.
    pub repeated: Vec<RepeatedText>,
    pub(crate) pages_with: FxHashMap<u64, u32>,
}

/// Numbers of characters, by the reason for keeping or cutting them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shares([u64; BlockReason::ALL.len()]);

/// The outcomes of some consecutive pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, derive_more::Add, derive_more::Sum)]
pub struct Bucket {
    /// Number of pages to which a template applies.
    pub cut: u64,
    /// Number of articles to which no template applies.
    pub abstained: u64,
    /// Number of pages without an article.
    pub without: u64,
    /// The bytes of HTML.
    pub html_bytes: u64,
    /// The bytes of kept text.
    pub text_bytes: u64,
}

/// A text that was cut on several pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedText {
    /// The beginning of the text.
    pub text: Box<str>,
    /// Number of characters of the whole text.
    pub chars: u32,
    /// Number of different pages with the text.
    pub pages: u32,
    /// Whether jusText alone would have kept the text on some page.
    pub fooled_justext: bool,
}

impl Findings {
    /// Number of different pages that have the text with this hash ([`super::Block::key`]).
    pub fn pages_with(&self, key: u64) -> u32 {
        self.pages_with.get(&key).copied().unwrap_or(1)
    }

    /// The findings without the parts that grow with the pages' texts.
    pub(crate) fn without_texts(self) -> Self {
        Self { repeated: Vec::new(), pages_with: FxHashMap::default(), ..self }
    }

    /// The sum of all groups of pages.
    pub fn all(&self) -> Bucket {
        self.over_time.iter().copied().sum()
    }
}

impl Bucket {
    /// The share of articles to which a template applies; None without articles.
    pub fn coverage(&self) -> Option<f64> {
        let articles = self.cut + self.abstained;
        (articles > 0).then(|| self.cut as f64 / articles as f64)
    }

    /// Bytes of text for each byte of HTML.
    pub fn text_yield(&self) -> f64 {
        self.text_bytes as f64 / self.html_bytes.max(1) as f64
    }
}

impl Shares {
    /// Counts a block.
    pub fn add(&mut self, reason: BlockReason, chars: u32) {
        self.0[reason as usize] += u64::from(chars);
    }

    /// Number of all characters.
    pub fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Number of characters with a reason.
    pub fn chars(&self, reason: BlockReason) -> u64 {
        self.0[reason as usize]
    }

    /// The share of a reason, from 0 to 1.
    pub fn share(&self, reason: BlockReason) -> f64 {
        self.chars(reason) as f64 / self.all().max(1) as f64
    }
}
