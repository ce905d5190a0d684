//! Corrects the text of a page that no template cut, by the manual rules of the domain.

use goldminer_html::Page;

use super::super::{PageProfile, manual};
use super::cut::manual_reason;
use super::reason::ParagraphReason;
use super::{Trimmed, with_headline};

/// Applies the manual rules to the text of a page that was classified without a template. (Templates apply them while
/// they cut.)
pub(crate) fn correct(page: &Page, profile: &PageProfile<'_>, cut: &mut Trimmed) {
    let headline = manual::headline(page, profile);
    if headline.is_none() && !manual::has_text_rules(profile) {
        return;
    }
    let scope = manual::widened(page, profile, cut.scope.clone());
    let mut reasons = vec![ParagraphReason::Outside; scope.len()];
    for (at, reason) in cut.scope.clone().zip(&cut.reasons) {
        reasons[at - scope.start] = *reason;
    }
    for (at, reason) in scope.clone().zip(&mut reasons) {
        *reason = manual_reason(page, profile, at).unwrap_or(*reason);
    }
    if let (Some(old), Some(new)) = (cut.headline, headline)
        && old != new
    {
        reasons[old - scope.start] = ParagraphReason::Outside;
    }
    cut.headline = headline.or(cut.headline);
    let kept = scope.clone().zip(&reasons).filter(|(_, reason)| reason.is_kept()).map(|(at, _)| at).collect();
    let is_kept = |at: usize| scope.contains(&at) && reasons[at - scope.start].is_kept();
    cut.paragraphs = with_headline(kept, cut.headline, is_kept);
    (cut.scope, cut.reasons) = (scope, reasons);
}

/// Whether a manual rule selects a paragraph's element as text.
pub(crate) fn is_manual_text(page: &Page, profile: &PageProfile<'_>, paragraph: usize) -> bool {
    manual_reason(page, profile, paragraph) == Some(ParagraphReason::Kept)
}
