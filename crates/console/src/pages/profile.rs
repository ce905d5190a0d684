//! Shows a profile: its templates, each with its patterns and the pages that it matches, and its versions over time.

use std::fmt::Display;

use goldminer_core::goldminer::profile::Template;
use goldminer_core::goldminer::sequence::StartPattern;
use goldminer_core::{DomainProfile, ServingProfile};
use goldminer_corpus::figures::{counted, minute, percent, thousands};
use maud::{Markup, html};

use crate::words::profile::differences;

/// The most patterns for titles of teasers (announcements of other articles) that are shown.
const TEASERS_SHOWN: usize = 8;

/// The section with the templates of a profile, and its rules for all templates.
pub(super) fn templates(profile: &DomainProfile) -> Markup {
    html! {
        section {
            h2 { "Templates" }
            p.lead {
                "A template describes the element that contains the article, or the tags before and after the article. "
                "The first template that matches a page is used."
            }
            div.templates { @for (number, one) in profile.templates.iter().enumerate() { (template(number, one)) } }
            (listed("Manual rules: ", &profile.manual.in_words(), usize::MAX))
            (listed("Teaser titles (announcements of other articles): ", &profile.teasers, TEASERS_SHOWN))
            @if !profile.repeated.is_empty() {
                p {
                    (counted(profile.repeated.len() as u64, "text repeats", "texts repeat"))
                    " inside articles and " @if profile.repeated.len() == 1 { "is" } @else { "are" } " dropped."
                }
            }
        }
    }
}

fn template(number: usize, template: &Template) -> Markup {
    html! {
        article.template {
            h3 { "Template " (number) @if template.hand_made { " (hand-made)" } }
            (bounds(template))
            dl.numbers {
                div {
                    dt { "used for" }
                    dd {
                        (thousands(u64::from(template.pages)))
                        " of the pages that the profile was learned from (" (percent(template.share)) ")"
                    }
                }
                div { dt { "fitness" } dd { (format!("{:.3}", template.fitness)) } }
                @if template.matches > 1 { div { dt { "matches a page" } dd { "up to " (template.matches) " times" } } }
                @if template.dated { div { dt { "requires" } dd { "a date of publication" } } }
            }
            (listed("Elements kept between headline and article: ", &template.leads, usize::MAX))
            (listed("Elements kept inside the article, whatever their names: ", &template.parts, usize::MAX))
            @if !template.drops.is_empty() {
                details.more {
                    summary { (counted(template.drops.len() as u64, "kind", "kinds")) " of elements dropped from the article" }
                    ul { @for drop in &template.drops { li { (pattern(drop)) } } }
                }
            }
        }
    }
}

/// Where the article starts and ends on pages that a template matches.
pub(super) fn bounds(template: &Template) -> Markup {
    html! {
        p.bounds {
            @match (&template.start, &template.end) {
                (StartPattern::Element(element), _) => {
                    "Inside " (pattern(element)) ", from its start tag to its end tag."
                }
                (StartPattern::Tags(tags), Some(end)) => { "After " (pattern(tags)) ", up to " (pattern(end)) "." }
                (StartPattern::Tags(tags), None) => { "After " (pattern(tags)) ", up to the end of the page." }
            }
        }
    }
}

fn pattern(pattern: &impl Display) -> Markup {
    html! { code.pattern { (pattern.to_string()) } }
}

/// A paragraph with the first `shown` patterns after the text `what`; nothing if there are no patterns.
fn listed(what: &str, patterns: &[impl Display], shown: usize) -> Markup {
    html! {
        @if !patterns.is_empty() { p { (what) @for one in patterns.iter().take(shown) { (pattern(one)) " " } } }
    }
}

/// The section with all versions of a profile, the newest first: the pages of each, and its changes.
pub(super) fn versions(versions: &[&ServingProfile]) -> Markup {
    html! {
        section {
            h2 { "Versions" }
            p.lead { "When a portal changes its layout, its profile is learned again. Older pages keep the version that fits them." }
            ol.versions reversed {
                @for (at, version) in versions.iter().enumerate().rev() {
                    (one_version(version, at.checked_sub(1).map(|at| &versions[at].profile)))
                }
            }
        }
    }
}

fn one_version(serving: &ServingProfile, before: Option<&DomainProfile>) -> Markup {
    let profile = &serving.profile;
    let evidence = &profile.evidence;
    html! {
        li value=(profile.version) {
            h3 {
                "Version " (profile.version)
                @if let Some(at) = profile.learned_at { span.when { " learned " (minute(at)) } }
            }
            p {
                (counted(u64::from(evidence.pages), "page", "pages")) " in the sample, "
                (thousands(u64::from(evidence.distinct))) " of them distinct, "
                (thousands(u64::from(evidence.taught))) " with text that no other page has and jusText calls good; "
                (counted(profile.templates.len() as u64, "template matches ", "templates match "))
                (thousands(u64::from(evidence.covered))) " of these. Fitness " b { (format!("{:.3}", evidence.fitness)) } "."
                @if profile.is_small { " Because the sample is small, paragraphs of links are always dropped." }
            }
            p.source {
                @match &serving.serves_from {
                    Some(from) => { "Applies to pages in the archive from byte " (from.offset) " of " (from.file) " on" }
                    None => { "Applies to all pages" }
                }
                @if !profile.program.is_empty() { ", learned by " (profile.program) }
                "."
            }
            @if let Some(before) = before {
                @let differences = differences(before, profile);
                @if differences.is_empty() { p { "Same rules as the previous version." } }
                ul { @for (sign, what) in &differences { li { (sign) " " (what) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::block_reason::testing::profile;

    #[test]
    fn changes_between_versions_are_listed() {
        let [old, new] = ["div.old", "div.new"].map(|start| ServingProfile::everywhere(profile(start)));
        let page = versions(&[&old, &new]).into_string();
        for change in ["<li>- template div.old", "<li>+ template div.new"] {
            assert!(page.contains(change), "{change} is missing in {page}");
        }
        assert!(versions(&[&old, &old]).into_string().contains("Same rules as the previous version."));
    }
}
