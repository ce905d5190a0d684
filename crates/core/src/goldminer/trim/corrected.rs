//! Corrects the text of a page that no template cut, by the manual rules of the domain.

use goldminer_html::Page;

use super::super::{PageProfile, manual};
use super::cut::said;
use super::fate::ParagraphReason;
use super::{Trimmed, with_headline};

/// Applies the manual rules to the text of a page that was classified without a template. (Templates apply them while
/// they cut.)
pub(crate) fn correct(page: &Page, profile: &PageProfile<'_>, cut: &mut Trimmed) {
    let headline = manual::headline(page, profile);
    if headline.is_none() && !manual::speaks_of_text(profile) {
        return;
    }
    let scope = manual::widened(page, profile, cut.scope.clone());
    let mut fates = vec![ParagraphReason::Outside; scope.len()];
    for (at, fate) in cut.scope.clone().zip(&cut.fates) {
        fates[at - scope.start] = *fate;
    }
    for (at, fate) in scope.clone().zip(&mut fates) {
        *fate = said(page, profile, at).unwrap_or(*fate);
    }
    if let (Some(old), Some(new)) = (cut.headline, headline)
        && old != new
    {
        fates[old - scope.start] = ParagraphReason::Outside;
    }
    cut.headline = headline.or(cut.headline);
    let kept = scope.clone().zip(&fates).filter(|(_, fate)| fate.is_kept()).map(|(at, _)| at).collect();
    let is_kept = |at: usize| scope.contains(&at) && fates[at - scope.start].is_kept();
    cut.paragraphs = with_headline(kept, cut.headline, is_kept);
    (cut.scope, cut.fates) = (scope, fates);
}

/// Whether a manual rule selects a paragraph's element as text.
pub(crate) fn is_said_to_be_text(page: &Page, profile: &PageProfile<'_>, paragraph: usize) -> bool {
    manual::speaks_of_text(profile) && said(page, profile, paragraph) == Some(ParagraphReason::Kept)
}
