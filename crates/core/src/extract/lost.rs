//! What a cut must not lose: where names, what was learned or links took a good part of a page's text out of the cut,
//! and the page alone shows that it is text, it comes back.
//!
//! A law, as no rule about names or links is right on all pages: of what jusText and the classifier are both sure of, and no
//! other page of the domain has, no tenth may be lost. Readers' comments and what a person excludes stay out, and so does
//! what lies outside of the cut. The classifier looks at all of a page, which costs more than the cut: it is asked where
//! jusText alone sees such a loss.

use goldminer_html::Page;

use super::SourcePage;
use crate::classifier::{Classifier, Convention};
use crate::goldminer::thresholds::SURE;
use crate::goldminer::trim::{ParagraphReason, Trimmed};
use crate::goldminer::{PageProfile, page_classes, text_key};
use crate::justext::Class;

/// One part in so many of the certain text may be lost.
const LOST_PART: u32 = 10;

/// Gives back to a cut what it has lost of the text that is certain, if that is so much.
pub(super) fn give_back(
    page: &Page,
    source: &SourcePage<'_>,
    profile: &PageProfile<'_>,
    classifier: &Classifier,
    cut: &mut Trimmed,
) {
    let (paragraphs, first, headline) = (page.paragraphs(), cut.scope.start, cut.headline);
    let is_running = |at: usize| headline != Some(at) && paragraphs[at].is_running_text();
    // Of what people write or mark they are sure.
    let is_learned = profile.evidence.doubted.is_some()
        && profile.templates.get(cut.template).is_some_and(|template| !template.hand_made);
    if !is_learned || classifier.convention() != Convention::Article || !loses(cut, page, is_running) {
        return;
    }
    let judged =
        page_classes::classify_part(page, cut.scope.clone(), source.declared_language, profile.language.as_deref());
    let is_good = |at: usize| is_running(at) && judged.classes[at - first] == Class::Good;
    if !loses(cut, page, is_good) {
        return;
    }
    let probabilities = classifier.probabilities(page, |at| cut.scope.contains(&at) && is_good(at));
    let is_certain = |at: usize| {
        probabilities[at].is_some_and(|probability| probability >= SURE)
            && !profile.is_repeated(text_key(&paragraphs[at].text))
    };
    if !loses(cut, page, is_certain) {
        return;
    }
    let lost: Vec<usize> = lost(cut).filter(|at| is_certain(*at)).collect();
    lost.iter().for_each(|at| cut.fates[at - first] = ParagraphReason::Judged);
    let begins = headline.filter(|at| cut.paragraphs.first() == Some(at));
    cut.paragraphs.retain(|at| begins != Some(*at));
    cut.paragraphs.extend(lost);
    cut.paragraphs.sort_unstable();
    cut.paragraphs.splice(0..0, begins);
}

/// Whether a cut has lost so much of the text that counts.
fn loses(cut: &Trimmed, page: &Page, counts: impl Fn(usize) -> bool) -> bool {
    let chars = |at: usize| if counts(at) { page.paragraphs()[at].chars } else { 0 };
    let lost: u32 = lost(cut).map(chars).sum();
    let kept: u32 = cut.paragraphs.iter().map(|at| chars(*at)).sum();
    lost > 0 && lost * LOST_PART >= lost + kept
}

/// What lies inside of a cut and is no text of it for a reason that may be wrong.
fn lost(cut: &Trimmed) -> impl Iterator<Item = usize> + '_ {
    use ParagraphReason::{Learned, Links, Named};
    let may_be_wrong = |fate: ParagraphReason| matches!(fate, Learned | Named | Links);
    cut.scope.clone().zip(&cut.fates).filter(move |(_, fate)| may_be_wrong(**fate)).map(|(at, _)| at)
}
