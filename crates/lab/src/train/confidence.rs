//! Trains the model for the confidence of documents (the probability that a document is whole and clean) on pages with
//! gold texts. Also measures how accurate the confidence is on page layouts that were not used for training.

use std::sync::Arc;

use goldminer_core::address::Domain;
use goldminer_core::classifier::Classifier;
use goldminer_core::classifier::training::logistic;
use goldminer_core::extract::confidence::{Features, Model, WIDTH};
use goldminer_core::extract::domain::StoredPage;
use goldminer_core::goldminer::learner::{LEAST_PAGES, Learner};
use goldminer_core::{DomainProfile, Extractor};
use goldminer_html::Page;
use xxhash_rust::xxh3::xxh3_64;

use super::linear;
use crate::eval::Scorer;

/// The least F of words, against the gold text, of a document that counts as whole and clean.
const WHOLE: f64 = 0.95;
/// The number of parts in the cross-validation. Each part is measured with a model that was trained on the others.
const PARTS: u64 = 20;
/// The most pages of a domain from which a profile is learned.
const SAMPLE: usize = 100;
/// The number of steps of Newton's method. More steps do not change the rounded result.
const STEPS: usize = 12;
/// The penalty on squared weights (L2 regularisation).
const PENALTY: f64 = 3.0;
/// The number of bins in a [`Curve`].
pub const BINS: usize = 10;

/// A document that was compared with its gold text.
#[derive(Debug, Clone)]
pub struct LabelledDocument {
    /// The page's layout: the tag and classes of the element that contains the text. Pages of many domains can have the
    /// same layout.
    pub family: String,
    /// The values from which the confidence is computed.
    pub features: Features,
    /// Whether the document is whole and clean.
    pub is_whole: bool,
}

/// Extracts the pages of a domain and compares them with their gold texts. Each page is extracted without a profile,
/// and with a profile that is learned from the other half of the pages. Pages without a gold text are only used for
/// learning. `classifier` must not have been trained on any of the pages.
pub fn of_domain(
    domain: &Domain,
    pages: &[(StoredPage, Option<Vec<u8>>)],
    classifier: &Arc<Classifier>,
) -> Vec<LabelledDocument> {
    let extractor = Extractor::default().with_classifier(Arc::clone(classifier));
    let label =
        |at: usize, profile: Option<&DomainProfile>| labelled(&extractor, &pages[at].0, pages[at].1.as_ref()?, profile);
    let mut documents: Vec<LabelledDocument> = (0..pages.len()).filter_map(|at| label(at, None)).collect();
    for first in [0, 1] {
        let learning: Vec<usize> = (first..pages.len()).step_by(2).collect();
        if learning.len() < LEAST_PAGES {
            continue;
        }
        let mut learner = Learner::of(domain.clone()).with_classifier(Arc::clone(classifier));
        let wanted = learning.len().min(SAMPLE);
        for (page, _) in (0..wanted).map(|at| &pages[learning[at * learning.len() / wanted]]) {
            learner.add_page(&page.parse(), page.url.as_ref());
        }
        if let Ok(profile) = learner.learn() {
            documents.extend((1 - first..pages.len()).step_by(2).filter_map(|at| label(at, Some(&profile))));
        }
    }
    documents
}

fn labelled(
    extractor: &Extractor,
    page: &StoredPage,
    gold: &[u8],
    profile: Option<&DomainProfile>,
) -> Option<LabelledDocument> {
    let source = page.source();
    let read = Extractor::read(&source)?;
    let document = extractor.extract_read(&read, &source, profile).ok()?;
    let cut = extractor.cut(&read, &source, profile);
    let features = Features::of(&read, &cut, profile)?;
    let text: String = document.paragraphs.iter().map(|part| format!("<p> {}\n", part.text)).collect();
    let is_whole = Scorer::fair().score(text.as_bytes(), gold).words.measures().f >= WHOLE;
    let family = family(&read, &cut.trimmed.ok()?.paragraphs);
    Some(LabelledDocument { family, features, is_whole })
}

/// The layout of a page: the tag and the class (or else the id) of an element around the middle of the text, without
/// digits. It is the innermost element that has such a name and more than one paragraph.
fn family(page: &Page, text: &[usize]) -> String {
    let middle = text.get(text.len() / 2).and_then(|at| page.paragraphs()[*at].element);
    let named = |id| {
        let tag = page.element(id).tag;
        let names = page.attribute(id, "class").or_else(|| page.attribute(id, "id"))?;
        let names: String = names.chars().filter(|c| !c.is_ascii_digit()).collect();
        let is_holder = page.paragraphs_in(id).len() > 1 && !names.trim().is_empty();
        is_holder.then(|| format!("{tag:?}.{}", names.split_whitespace().collect::<Vec<_>>().join(".")))
    };
    middle.and_then(|id| page.ancestors_and_self(id).find_map(named)).unwrap_or_default()
}

/// Trains the model for the confidence of documents: the probability that a document is whole and clean.
///
/// ```
/// use goldminer_lab::train::confidence::{Curve, learn};
///
/// // Without documents to train on, the weights are zero.
/// assert_eq!(learn(&[]).page_data, 0);
/// assert_eq!(Curve::of(&[]).error(), 0.0);
/// ```
pub fn learn(documents: &[LabelledDocument]) -> Model {
    learn_from(documents.iter())
}

fn learn_from<'d>(documents: impl Iterator<Item = &'d LabelledDocument> + Clone) -> Model {
    let of = |by_profile: bool| documents.clone().filter(move |document| document.features.by_profile == by_profile);
    let (alone, whole) = (of(false).count() as f64, of(false).filter(|document| document.is_whole).count() as f64);
    let page_data = ((whole + 1.0) / (alone - whole + 1.0)).ln();
    Model { alone: regress(of(false)), by_profile: regress(of(true)), page_data: thousandths(page_data) }
}

/// For each document, the probability that it is whole and clean, from a model trained on other layouts, and whether it
/// really is.
pub fn held_out(documents: &[LabelledDocument]) -> Vec<(f64, bool)> {
    let part = |document: &&LabelledDocument| xxh3_64(document.family.as_bytes()) % PARTS;
    let mut forecasts = Vec::with_capacity(documents.len());
    for held in 0..PARTS {
        let model = learn_from(documents.iter().filter(|document| part(document) != held));
        let held = documents.iter().filter(|document| part(document) == held);
        forecasts.extend(held.map(|document| (model.confidence(&document.features).probability(), document.is_whole)));
    }
    forecasts
}

/// Logistic regression by Newton's method. Returns the bias and the weights, in thousandths.
fn regress<'d>(documents: impl Iterator<Item = &'d LabelledDocument> + Clone) -> (i32, [i32; WIDTH]) {
    let mut weights = [0.0; WIDTH + 1];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| PENALTY * weight).collect();
        let mut curvature: Vec<Vec<f64>> = (0..=WIDTH).map(|at| vec![0.0; at + 1]).collect();
        (0..=WIDTH).for_each(|at| curvature[at][at] = PENALTY);
        for document in documents.clone() {
            let value = |at: usize| document.features.values.get(at).map_or(1.0, |value| f64::from(*value) / 1_000.0);
            let p = logistic((0..=WIDTH).map(|at| value(at) * weights[at]).sum());
            let error = p - f64::from(u8::from(document.is_whole));
            for at in 0..=WIDTH {
                gradient[at] += error * value(at);
                (0..=at).for_each(|other| curvature[at][other] += p * (1.0 - p) * value(at) * value(other));
            }
        }
        let step = linear::solve(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    (thousandths(weights[WIDTH]), std::array::from_fn(|at| thousandths(weights[at])))
}

fn thousandths(number: f64) -> i32 {
    (1_000.0 * number).round() as i32
}

/// A reliability curve: the expected and actual numbers of whole and clean documents, by their confidence.
#[derive(Debug, Clone, Default)]
pub struct Curve {
    /// The bins for confidences from 0 to 0.1, from 0.1 to 0.2, and so on.
    pub bins: [Bin; BINS],
}

/// The documents with about the same confidence.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bin {
    /// The number of documents.
    pub documents: u64,
    /// The expected number of whole and clean documents: the sum of their confidences.
    pub expected: f64,
    /// The actual number of whole and clean documents.
    pub whole: u64,
}

impl Curve {
    /// Computes the curve from the confidence of each document and whether it is whole.
    pub fn of(forecasts: &[(f64, bool)]) -> Self {
        let mut curve = Self::default();
        for (confidence, is_whole) in forecasts {
            let bin = &mut curve.bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
            bin.documents += 1;
            bin.expected += confidence;
            bin.whole += u64::from(*is_whole);
        }
        curve
    }

    /// The expected calibration error, from 0 (perfect) to 1. Documents of similar confidence are in one bin. The error
    /// is the difference between the mean confidence of a bin and its actual fraction of whole documents, averaged over
    /// all documents.
    pub fn error(&self) -> f64 {
        let documents: u64 = self.bins.iter().map(|bin| bin.documents).sum();
        self.bins.iter().map(|bin| (bin.expected - bin.whole as f64).abs()).sum::<f64>() / documents.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::boost::Random;
    use goldminer_core::extract::SourcePage;

    /// Makes documents. The larger a document's gap is, the more likely it is broken.
    fn documents(families: u64) -> Vec<LabelledDocument> {
        let domain = Domain::named("portal.example");
        let html = format!("<h1>Rain</h1><p>{}", "It rained all day in the town, and nobody came. ".repeat(9));
        let source = SourcePage::new(html.as_bytes(), &domain);
        let page = Extractor::read(&source).unwrap();
        let features = Features::of(&page, &Extractor::default().cut(&page, &source, None), None).unwrap();
        let mut random = Random::new(7);
        (0..2_000)
            .map(|at| {
                let (gap, luck) = (random.below(1_000), random.below(1_000));
                let mut features = features;
                features.values[0] = gap as i32;
                LabelledDocument { family: (at % families).to_string(), features, is_whole: luck >= gap }
            })
            .collect()
    }

    #[test]
    fn confidence_is_calibrated_on_held_out_families() {
        let forecasts = held_out(&documents(40));
        assert_eq!(forecasts.len(), 2_000);
        assert!(Curve::of(&forecasts).error() < 0.08, "{:?}", Curve::of(&forecasts));
        let (bias, weights) = learn(&documents(40)).alone;
        assert!(bias > 0 && weights[0] < -3_000, "a gap speaks against a document: {bias} {weights:?}");
    }

    #[test]
    fn a_family_gets_its_confidence_from_a_model_without_it() {
        let mut documents = documents(2);
        documents.iter_mut().for_each(|document| document.is_whole = document.family == "0");
        for (confidence, is_whole) in held_out(&documents) {
            assert_eq!(confidence < 0.1, is_whole, "trained on the other family, the confidence is {confidence}");
        }
    }

    #[test]
    fn the_error_is_the_gap_between_confidence_and_truth() {
        let forecasts = [(0.9, true), (0.9, false), (0.2, false), (0.2, false)];
        assert!((Curve::of(&forecasts).error() - (0.8 + 0.4) / 4.0).abs() < 1e-9);
    }
}
