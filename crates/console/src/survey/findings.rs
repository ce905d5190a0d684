//! What a [`Survey`](super::Survey) found over the pages of a domain: outcomes, shares of text, the course over time,
//! what repeats.

use rustc_hash::FxHashMap;

use super::block_reason::BlockReason;

/// The result of a survey.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Pages looked at.
    pub looked_at: u64,
    /// Of these, different from each other.
    pub distinct: u32,
    /// What became of the text of pages that gave an article.
    pub shares: Shares,
    /// In the order of the pages.
    pub course: Vec<Bucket>,
    /// What was cut away most often, the most frequent first.
    pub repeated: Vec<RepeatedText>,
    pub(crate) pages_with: FxHashMap<u64, u32>,
}

/// Characters by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shares([u64; BlockReason::ALL.len()]);

/// Some consecutive pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, derive_more::Add, derive_more::Sum)]
pub struct Bucket {
    /// Pages that a template cut.
    pub cut: u64,
    /// Articles that no template matched.
    pub abstained: u64,
    /// Pages without an article.
    pub without: u64,
    /// Bytes of HTML.
    pub html_bytes: u64,
    /// Bytes of text kept.
    pub text_bytes: u64,
}

/// A text that was cut away again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedText {
    /// How it begins.
    pub text: Box<str>,
    /// Its length.
    pub chars: u32,
    /// Distinct pages that have it.
    pub pages: u32,
    /// Whether jusText alone would have kept it on some page.
    pub fooled_justext: bool,
}

impl Findings {
    /// The number of distinct pages with a text.
    pub fn pages_with(&self, key: u64) -> u32 {
        self.pages_with.get(&key).copied().unwrap_or(1)
    }

    /// What does not grow with the texts of the pages.
    pub(crate) fn without_texts(self) -> Self {
        Self { repeated: Vec::new(), pages_with: FxHashMap::default(), ..self }
    }

    /// All pages together.
    pub fn all(&self) -> Bucket {
        self.course.iter().copied().sum()
    }
}

impl Bucket {
    /// The share of articles that a template cut; none without articles.
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

    /// All characters.
    pub fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The characters of a reason.
    pub fn chars(&self, reason: BlockReason) -> u64 {
        self.0[reason as usize]
    }

    /// The share of a reason, from 0 to 1.
    pub fn share(&self, reason: BlockReason) -> f64 {
        self.chars(reason) as f64 / self.all().max(1) as f64
    }
}
