//! What a [`Survey`](crate::report::Survey) found over the pages of a domain: outcomes, shares of text, the course over time,
//! what repeats.

use rustc_hash::FxHashMap;

use super::block_reason::BlockReason;
use super::dissection::Outcome;

/// What a survey found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Pages looked at.
    pub looked_at: usize,
    /// Of these, different from each other.
    pub distinct: u32,
    /// What came of them.
    pub outcomes: Vec<(Outcome, u64)>,
    /// What became of the text of pages that gave an article.
    pub shares: Shares,
    /// In the order of the pages.
    pub course: Vec<Bucket>,
    /// What was cut away most often, the most frequent first.
    pub repeated: Vec<RepeatedText>,
    pub(super) pages_with: FxHashMap<u64, u32>,
}

/// Characters by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shares {
    /// In documents.
    pub kept: u64,
    /// Cut away: jusText's boilerplate.
    pub boilerplate: u64,
    /// Cut away, and on more than one page.
    pub repeated: u64,
    /// Cut away: readers' comments.
    pub other_text: u64,
    /// Cut away although good and on no other page.
    pub doubtful: u64,
}

/// Some consecutive pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Pages that a template cut.
    pub cut: u32,
    /// Articles that no template matched.
    pub abstained: u32,
    /// Pages without an article.
    pub without: u32,
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
    /// On how many of the distinct pages a text stands.
    #[must_use]
    pub(crate) fn pages_with(&self, key: u64) -> u32 {
        self.pages_with.get(&key).copied().unwrap_or(1)
    }

    /// Pages with an outcome that passes.
    pub(crate) fn pages(&self, is_meant: impl Fn(&Outcome) -> bool) -> u64 {
        self.outcomes.iter().filter(|(outcome, _)| is_meant(outcome)).map(|(_, pages)| pages).sum()
    }

    /// The share of articles that a template cut; none without articles.
    #[must_use]
    pub(crate) fn coverage(&self) -> Option<f64> {
        let articles = self.pages(Outcome::is_article);
        let cut = self.pages(|outcome| matches!(outcome, Outcome::Cut { .. }));
        (articles > 0).then(|| cut as f64 / articles as f64)
    }

    /// Bytes of text for each byte of HTML.
    #[must_use]
    pub(crate) fn text_yield(&self) -> f64 {
        let (text, html) =
            self.course.iter().fold((0, 0), |(text, html), b| (text + b.text_bytes, html + b.html_bytes));
        text as f64 / html.max(1) as f64
    }
}

impl Bucket {
    /// The share of articles that a template cut; none without articles.
    #[must_use]
    pub(crate) fn coverage(&self) -> Option<f64> {
        let articles = self.cut + self.abstained;
        (articles > 0).then(|| f64::from(self.cut) / f64::from(articles))
    }

    /// Bytes of text for each byte of HTML.
    #[must_use]
    pub(crate) fn text_yield(&self) -> f64 {
        self.text_bytes as f64 / self.html_bytes.max(1) as f64
    }
}

impl Shares {
    /// All characters.
    #[must_use]
    pub(crate) fn all(&self) -> u64 {
        self.kept + self.boilerplate + self.repeated + self.other_text + self.doubtful
    }

    /// Counts a block.
    pub(super) fn add(&mut self, verdict: BlockReason, chars: u32) {
        let part = match verdict {
            BlockReason::Kept => &mut self.kept,
            BlockReason::Boilerplate => &mut self.boilerplate,
            BlockReason::Repeated => &mut self.repeated,
            BlockReason::OtherText => &mut self.other_text,
            BlockReason::Doubtful => &mut self.doubtful,
        };
        *part += u64::from(chars);
    }

    /// A part of them, from 0 to 1.
    #[must_use]
    pub(crate) fn share(&self, part: u64) -> f64 {
        part as f64 / self.all().max(1) as f64
    }
}
