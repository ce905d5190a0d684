//! What of a page is its article, by the judge of single pages.

use crate::document::Method;
use crate::goldminer::trim::{Fate, NoCut, Trimmed};
use crate::judge::{Judge, Judgement};
use crate::page::{Page, Paragraph};

use super::{Cut, SourcePage, whole_page};

/// What the judge takes for text.
pub(super) fn cut(page: &Page, source: &SourcePage<'_>, judge: &Judge) -> Cut {
    let judgement = judge.judge(page);
    let score = Some(judgement.score).filter(|_| !judgement.text.is_empty());
    let trimmed = if judgement.text.is_empty() { Err(NoCut::NoText) } else { Ok(trimmed(page, source, judgement)) };
    Cut { method: Method::Judge, trimmed, score }
}

/// Whether there is running text in a cut, and not only scraps.
pub(super) fn has_running_text(page: &Page, cut: &Cut) -> bool {
    let mut paragraphs = cut.trimmed.iter().flat_map(|trimmed| &trimmed.paragraphs).map(|at| &page.paragraphs()[*at]);
    paragraphs.any(Paragraph::is_running_text)
}

fn trimmed(page: &Page, source: &SourcePage<'_>, judgement: Judgement) -> Trimmed {
    let mut fates = vec![Fate::Outside; page.paragraphs().len()];
    judgement.text.iter().for_each(|at| fates[*at] = Fate::Kept);
    let texts = judgement.text.iter().map(|at| &*page.paragraphs()[*at].text);
    let language = whole_page::detected(texts).or_else(|| source.declared_language.map(str::to_owned));
    Trimmed {
        template: 0,
        paragraphs: judgement.text,
        headline: judgement.headline,
        stoplist: "none",
        language: language.or_else(|| page.declared_language()),
        scope: 0..fates.len(),
        fates,
    }
}
