//! The two sources of knowledge together: where few pages of a domain taught its profile, what the profile's template
//! leaves of a page is weighed against what the judge says of the page alone.
//!
//! The other pages tell what repeats, and where articles mostly stand; on few of them chance has a say in that. The page
//! alone tells prose from captions, boxes and comments, but not teasers in whole sentences. So paragraphs inside of the
//! cut go where the judge is against them, the more readily the fewer pages taught the cut; others come in where the
//! judge is sure and no other page has them. A person's word stands above both. Profiles of many pages are not asked
//! twice: their cut is better than what a page alone can say, and costs less.

use super::{Cut, SourcePage, judged, own};
use crate::document::Method;
use crate::goldminer::profile::DomainProfile;
use crate::goldminer::text_key;
use crate::goldminer::trim::{self, Fate, NoCut, Trimmed};
use crate::judge::{Convention, Judge, Judgement};
use crate::page::Page;

/// Of fewer pages a cut is hardly more than a guess.
const VERY_FEW: usize = 5;
/// From so many pages on most of what a cut holds is the article's.
const SOME: usize = 12;

/// How sure the judge must be, in thousandths.
struct Bars {
    /// A paragraph inside of the cut is dropped below this probability, …
    doubted: u16,
    /// … one outside of it is kept from this one on, …
    outside: u16,
    /// … one that stands among comments, as far as names and titles tell, from this one on.
    among_comments: u16,
}

impl Bars {
    /// By the number of distinct pages that taught. Chosen on real sets, and the same on both halves of their domains:
    /// everything between half and twice these odds is within 0.1 F of the best.
    fn of(pages: usize) -> Self {
        Self {
            doubted: if pages < SOME { 400 } else { 100 },
            outside: if pages < VERY_FEW { 600 } else { 900 },
            among_comments: 900,
        }
    }
}

/// Weighs a cut of a page against the judge's word, where few pages taught it: how good the judge expects what is left to
/// be, in thousandths, if it was asked.
pub(super) fn weigh(page: &Page, profile: &DomainProfile, judge: &Judge, cut: &mut Trimmed) -> Option<u16> {
    let pages = profile.small_sample().filter(|_| judge.convention() == Convention::Article)?;
    if profile.templates.get(cut.template).is_none_or(|template| template.hand_made) {
        return None;
    }
    let judgement = judge.judge(page);
    let mut fates = vec![Fate::Outside; page.paragraphs().len()];
    fates[cut.scope.clone()].copy_from_slice(&cut.fates);
    let is_headline = |at: usize| cut.headline == Some(at) || judgement.headline == Some(at);
    let bars = Bars::of(pages);
    for (at, fate) in fates.iter_mut().enumerate().filter(|(at, _)| !is_headline(*at)) {
        let probability = judgement.probabilities[at];
        *fate = match *fate {
            Fate::Kept if probability < bars.doubted => Fate::Doubted,
            Fate::Outside if probability >= bars.outside && !is_repeated(page, profile, at) => Fate::Judged,
            Fate::Comment if probability >= bars.among_comments && !is_repeated(page, profile, at) => Fate::Judged,
            fate => fate,
        };
    }
    keep_own(page, &mut fates);
    let is_kept = |at: &usize| fates[*at].is_kept() && cut.headline != Some(*at);
    let mut kept: Vec<usize> = (0..fates.len()).filter(is_kept).collect();
    if !kept.iter().any(|at| page.paragraphs()[*at].is_running_text()) {
        return None;
    }
    if let Some(headline) = cut.headline {
        let is_first = cut.paragraphs.first() == Some(&headline);
        kept.insert(if is_first { 0 } else { kept.partition_point(|at| *at < headline) }, headline);
    }
    (cut.paragraphs, cut.scope, cut.fates) = (kept, 0..fates.len(), fates);
    trim::corrected::correct(page, profile, cut);
    Some(score(page, &judgement, cut))
}

/// What of a page that no template of few pages cuts is its article: such templates miss layouts, so that the judge
/// decides where it is sure that the page is one.
pub(super) fn without_cut(
    page: &Page,
    source: &SourcePage<'_>,
    profile: &DomainProfile,
    judge: &Judge,
    why: NoCut,
) -> Cut {
    let Some(mut cut) = judged::clear_article(page, source, judge) else {
        return Cut { method: Method::Goldminer, trimmed: Err(why), score: None };
    };
    cut.trimmed.iter_mut().for_each(|trimmed| trim::corrected::correct(page, profile, trimmed));
    cut
}

fn is_repeated(page: &Page, profile: &DomainProfile, at: usize) -> bool {
    profile.is_repeated(text_key(&page.paragraphs()[at].text))
}

/// Keeps what the article has of listings, tables and quotes: the judge knows prose.
fn keep_own(page: &Page, fates: &mut [Fate]) {
    if !fates.contains(&Fate::Doubted) {
        return;
    }
    let mut text: Vec<usize> = (0..fates.len()).filter(|at| fates[*at].is_kept()).collect();
    own::add(page, &mut text);
    text.into_iter().filter(|at| fates[*at] == Fate::Doubted).collect::<Vec<_>>().into_iter().for_each(|at| {
        fates[at] = Fate::Kept;
    });
}

/// The F that the judge's probabilities promise, by characters; the headline is sure.
fn score(page: &Page, judgement: &Judgement, cut: &Trimmed) -> u16 {
    let promised = |at: usize| match cut.headline {
        Some(headline) if headline == at => 1_000,
        _ => u64::from(judgement.probabilities[at]),
    };
    let length = |at: usize| u64::from(page.paragraphs()[at].chars);
    let all: u64 = (0..page.paragraphs().len()).map(|at| length(at) * promised(at)).sum();
    let taken: u64 = cut.paragraphs.iter().map(|at| length(*at) * 1_000).sum();
    let right: u64 = cut.paragraphs.iter().map(|at| length(*at) * promised(*at)).sum();
    (2 * right * 1_000 / (all + taken).max(1)) as u16
}
