//! Computes the probability that a document is whole and clean, by a logistic regression over a few measures of its cut
//! (the part of a page that is extracted). There are separate weights for pages that a profile cuts and for pages that
//! the classifier decides alone.
//!
//! `goldminer-lab` trains the weights on pages with gold texts (`train confidence`); `confidence.weights` is reviewed
//! like code. The classifier is not run on pages that a profile cuts, because that would cost more than cutting them.
//! Instead, the template stores how well it cut the pages that it was learned from.

use std::sync::LazyLock;

use goldminer_html::Page;
use serde::{Deserialize, Serialize};

use super::Cut;
use crate::classifier::training::logistic;
use crate::document::{Confidence, Method};
use crate::goldminer::profile::DomainProfile;

/// The number of measures of a cut.
pub const WIDTH: usize = 11;
/// A measure grows with the number of pages from which a template was learned. For this number of pages, the measure is
/// one half.
const HALF_OF_PAGES: u64 = 10;
/// Text that the classifier keeps with a lower probability, in thousandths, is in doubt.
const DOUBTED: u16 = 800;
/// From this probability on, in thousandths, text is hardly in doubt.
const CERTAIN: u16 = 950;
/// Paragraphs that were left out may be text if their probability, in thousandths, is in this range.
const MAY_BE_TEXT: std::ops::Range<u16> = 200..500;

/// The weights that come with the program.
static SHIPPED: LazyLock<Model> = LazyLock::new(|| {
    serde_json::from_str(include_str!("confidence.weights"))
        .expect("a test reads the weights that come with the program")
});

/// The classifier's result for a page that the classifier cut.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Certainty {
    /// The probability that the page is an article, in thousandths.
    pub article: u16,
    /// For each paragraph the probability that it is text, in thousandths.
    pub probabilities: Vec<u16>,
}

/// The measures of a cut (the part of a page that is extracted), from which the confidence of the document is computed.
///
/// ```
/// use goldminer_core::address::Domain;
/// use goldminer_core::extract::confidence::{Features, Model};
/// use goldminer_core::extract::{Extractor, SourcePage};
///
/// let html = format!("<h1>Rain</h1><p>{}", "It rained all day in the town, and nobody came. ".repeat(9));
/// let domain = Domain::named("portal.example");
/// let source = SourcePage::new(html.as_bytes(), &domain);
/// let page = Extractor::read(&source).expect("it is HTML");
/// let cut = Extractor::default().cut(&page, &source, None);
/// let features = Features::of(&page, &cut, None).expect("the page gives text");
/// assert!(Model::shipped().confidence(&features).probability() > 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Features {
    /// Whether a profile cut the page. Otherwise the classifier decided alone.
    pub by_profile: bool,
    /// The measures in thousandths; zero if a measure does not apply to the page.
    pub values: [i32; WIDTH],
}

impl Features {
    /// The measures of a cut. None if the cut is empty, or another method made it.
    pub fn of(page: &Page, cut: &Cut, profile: Option<&DomainProfile>) -> Option<Self> {
        let trimmed = cut.trimmed.as_ref().ok()?;
        let paragraphs = page.paragraphs();
        let mut is_kept = vec![false; paragraphs.len()];
        trimmed.paragraphs.iter().for_each(|at| is_kept[*at] = true);
        let is_body = |at: &usize| is_kept[*at] && trimmed.headline != Some(*at);
        let (first, last) = ((0..is_kept.len()).find(is_body)?, (0..is_kept.len()).rfind(is_body)?);
        let chars = |at: usize| u64::from(paragraphs[at].chars);
        let sum = |of: &dyn Fn(&usize) -> bool| (0..paragraphs.len()).filter(of).map(chars).sum::<u64>();
        let kept = sum(&is_body);
        let is_gap = |at: &usize| (first..last).contains(at) && !is_kept[*at];
        let is_plain = |at: &usize| paragraphs[*at].is_running_text();
        let common = [
            root(sum(&is_gap), kept),
            root(sum(&|at| is_gap(at) && is_plain(at)), kept),
            root(sum(&|at| is_body(at) && !is_plain(at)), kept),
            share(kept, sum(&|_| true)),
            1_000 * i32::from(trimmed.headline.is_some()),
        ];
        let by_profile = cut.method == Method::Goldminer;
        let own = match (&cut.certainty, profile) {
            (None, Some(profile)) if by_profile => {
                let template = profile.templates.get(trimmed.template)?;
                let pages = u64::from(template.pages);
                [share(pages, pages + HALF_OF_PAGES), (1_000.0 * template.fitness).round() as i32, 0, 0, 0, 0]
            }
            (Some(Certainty { article, probabilities }), _) => {
                let among = |of: &dyn Fn(&usize) -> bool, range: std::ops::Range<u16>| {
                    root(sum(&|at| of(at) && range.contains(&probabilities[*at])), kept)
                };
                let next = probabilities.get(last + 1).copied().unwrap_or_default();
                [
                    i32::from(*article),
                    among(&is_body, 0..DOUBTED),
                    among(&is_body, DOUBTED..CERTAIN),
                    among(&|at| !is_kept[*at], MAY_BE_TEXT),
                    i32::from(probabilities[last]),
                    i32::from(next),
                ]
            }
            _ => return None,
        };
        let mut values = [0; WIDTH];
        common.into_iter().chain(own).zip(&mut values).for_each(|(value, place)| *place = value);
        Some(Self { by_profile, values })
    }
}

/// A share in thousandths, at most 1,000.
fn share(part: u64, all: u64) -> i32 {
    (1_000 * part / all.max(1)).min(1_000) as i32
}

/// The square root of a share, in thousandths: small shares count for more.
fn root(part: u64, all: u64) -> i32 {
    (1_000_000 * part / all.max(1)).isqrt().min(1_000) as i32
}

/// The weights of the regressions, in thousandths of log odds.
#[allow(clippy::exhaustive_structs)] // the training constructs it
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// For pages that the classifier decides alone: the bias, and the weight of each measure.
    pub alone: (i32, [i32; WIDTH]),
    /// For pages that a profile cuts: the bias, and the weight of each measure.
    pub by_profile: (i32, [i32; WIDTH]),
    /// The log odds for documents from JSON in a page's scripts, for which nothing is measured.
    pub page_data: i32,
}

impl Model {
    /// The weights that come with the program.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// The confidence of a document with these measures.
    pub fn confidence(&self, features: &Features) -> Confidence {
        let (bias, weights) = if features.by_profile { &self.by_profile } else { &self.alone };
        let products =
            weights.iter().zip(&features.values).map(|(weight, value)| i64::from(*weight) * i64::from(*value));
        let odds = i64::from(*bias) + products.sum::<i64>() / 1_000;
        Confidence::of(logistic(odds as f64 / 1_000.0))
    }

    /// The confidence of a document from JSON in a page's scripts.
    pub(super) fn of_page_data(&self) -> Confidence {
        Confidence::of(logistic(f64::from(self.page_data) / 1_000.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Extractor, SourcePage};
    use goldminer_html::address::Domain;

    const STORY: &str = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others there, \
        because it was clear to them that the rain would not end before the night.</p>";

    fn confidence(html: &str, profile: Option<&str>) -> f64 {
        let domain = Domain::named("portal.example");
        let profile = profile.map(|profile| profile.parse().unwrap());
        let document =
            Extractor::default().extract(&SourcePage::new(html.as_bytes(), &domain), profile.as_ref()).unwrap();
        document.provenance.confidence.unwrap().probability()
    }

    #[test]
    fn the_weights_that_come_with_the_program_are_read() {
        let written = serde_json::to_string(Model::shipped()).unwrap();
        assert_eq!(written, include_str!("confidence.weights").trim_end());
    }

    #[test]
    fn a_text_with_gaps_is_less_certain_than_one_without() {
        let whole = format!("<h1>Rain</h1><div>{}</div>", STORY.repeat(6));
        let gap = format!("<ul>{}</ul>", "<li><a href=/a>Sports and more of it</a>".repeat(12));
        let broken = format!("<h1>Rain</h1><div>{0}{gap}{0}{gap}{0}</div>", STORY.repeat(2));
        let (whole, broken) = (confidence(&whole, None), confidence(&broken, None));
        assert!(whole > broken && whole > 0.7, "{whole} {broken}");
    }

    #[test]
    fn a_template_that_cut_many_pages_well_raises_confidence() {
        let html = format!("<h1>Rain</h1><div class=story>{}</div>", STORY.repeat(6));
        let by = |pages: u32, fitness: f64| {
            let profile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n";
            confidence(&html, Some(&format!("{profile}pages = {pages}\nfitness = {fitness}\n")))
        };
        assert!(by(60, 0.98) > by(3, 0.6), "{} {}", by(60, 0.98), by(3, 0.6));
    }

    #[test]
    fn other_methods_give_no_confidence() {
        let domain = Domain::named("portal.example");
        let justext = Extractor::default().with_algorithm(crate::Algorithm::Justext(Box::default()));
        let story = format!("<p>{}", STORY.replace("<p>", "").replace("</p>", " ").repeat(3));
        let document = justext.extract(&SourcePage::new(story.as_bytes(), &domain), None).unwrap();
        assert_eq!(document.provenance.confidence, None);
    }
}
