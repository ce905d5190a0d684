//! What of a page is its article, by the judge of single pages.

use crate::document::Method;
use crate::goldminer;
use crate::goldminer::trim::{Fate, NoCut, Trimmed};
use crate::judge::{Judge, Judgement};
use crate::page::Page;

use super::{Cut, SourcePage, whole_page};

/// A page that does not look like an article otherwise must give so many whole sentences, judged so well.
const MIN_SENTENCES: usize = 2;
const SURE_SCORE: u16 = 850;
/// One that looks like an article is judged worse only where teasers and text can't be told apart.
const MIN_SCORE: u16 = 700;

/// What the judge takes for text.
pub(super) fn cut(page: &Page, source: &SourcePage<'_>, judge: &Judge) -> Cut {
    of_judgement(page, source, judge.judge(page))
}

/// The same of pages that are articles: of a list, a calendar, a form nothing is text, though something on them may be
/// prose. The second value says whether the page looks like an article otherwise.
pub(super) fn article(page: &Page, source: &SourcePage<'_>, judge: &Judge) -> (Cut, bool) {
    let judgement = judge.judge(page);
    let is_sure = judgement.score >= SURE_SCORE && judgement.sentences >= MIN_SENTENCES;
    let looks = is_sure || goldminer::teaches(page, source.url);
    if is_sure || (looks && judgement.score >= MIN_SCORE) {
        return (of_judgement(page, source, judgement), true);
    }
    (Cut { method: Method::Judge, trimmed: Err(NoCut::NoText), score: None }, looks)
}

fn of_judgement(page: &Page, source: &SourcePage<'_>, judgement: Judgement) -> Cut {
    let score = Some(judgement.score).filter(|_| !judgement.text.is_empty());
    let trimmed = if judgement.text.is_empty() { Err(NoCut::NoText) } else { Ok(trimmed(page, source, judgement)) };
    Cut { method: Method::Judge, trimmed, score }
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
