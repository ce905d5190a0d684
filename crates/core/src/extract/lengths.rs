//! How long the text is that a cut keeps of any stretch of a page: sums over its paragraphs, so that each question is a look
//! however many are asked.

use std::ops::Range;

use goldminer_html::{Page, Paragraph};

use crate::goldminer::trim::Trimmed;

/// Characters that are kept before each paragraph, and in all.
pub(super) struct Lengths(Vec<u32>);

impl Lengths {
    /// Of all that a cut keeps.
    pub(super) fn of_text(page: &Page, cut: &Trimmed) -> Self {
        Self::of(page, cut, |_| true)
    }

    /// Of the running text in it.
    pub(super) fn of_running_text(page: &Page, cut: &Trimmed) -> Self {
        Self::of(page, cut, Paragraph::is_running_text)
    }

    fn of(page: &Page, cut: &Trimmed, counts: impl Fn(&Paragraph) -> bool) -> Self {
        let mut sums = vec![0; page.paragraphs().len() + 1];
        let kept = cut.paragraphs.iter().map(|at| (*at, &page.paragraphs()[*at]));
        kept.filter(|(_, paragraph)| counts(paragraph)).for_each(|(at, paragraph)| sums[at + 1] = paragraph.chars);
        (1..sums.len()).for_each(|at| sums[at] += sums[at - 1]);
        Self(sums)
    }

    /// Of some paragraphs.
    pub(super) fn within(&self, paragraphs: Range<usize>) -> u32 {
        self.0[paragraphs.end] - self.0[paragraphs.start]
    }

    /// Of the whole page.
    pub(super) fn all(&self) -> u32 {
        self.0[self.0.len() - 1]
    }
}
