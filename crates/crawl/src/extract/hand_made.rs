//! What a person made of a domain's profile, when the domain learns again: it stays, and comes first.

use goldminer_core::extract::domain::LearningState;
use goldminer_core::{DomainProfile, Phase};

/// Where a domain stands whose profile somebody else has made: nothing that it learns from a few pages of its own takes its
/// place; a redesign still does.
pub(super) fn standing(before: &LearningState) -> LearningState {
    let mut standing = before.clone();
    standing.provisional = false;
    if standing.phase == Phase::Unprofiled {
        standing.phase = Phase::Profiled;
    }
    standing
}

/// Whether a person made something of a profile.
pub(super) fn is_in(profile: &DomainProfile) -> bool {
    profile.templates.iter().any(|template| template.hand_made)
        || profile.manual.in_words().into_iter().next().is_some()
}

/// Takes over what is by hand from the version before.
pub(super) fn keep_hand_made(learned: &mut DomainProfile, before: &DomainProfile) {
    learned.templates.retain(|template| !template.hand_made);
    let manual = before.templates.iter().filter(|template| template.hand_made).cloned();
    learned.templates.splice(0..0, manual);
    learned.manual = before.manual.clone();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_made_template_outlives_learning_again_and_comes_first() {
        let profile = |templates: &str| DomainProfile::from_toml(&format!("key = 'a.example'\n{templates}")).unwrap();
        let before = profile(
            "[[template]]\nstart = 'div.old'\n[[template]]\nstart = 'div.mine'\nhand_made = true\n\
             [manual]\ncomments = ['div.replies']\n",
        );
        let mut learned = profile("[[template]]\nstart = 'div.new'\n");
        keep_hand_made(&mut learned, &before);
        let starts: Vec<String> = learned.templates.iter().map(|template| template.start.to_string()).collect();
        assert_eq!(starts, ["div.mine", "div.new"]);
        assert_eq!(learned.manual, before.manual);
        keep_hand_made(&mut learned, &before);
        assert_eq!(learned.templates.len(), 2, "once is enough");
    }
}
