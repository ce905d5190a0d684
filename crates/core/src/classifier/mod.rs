//! The page classifier: decides from a page alone which of its paragraphs belong to its text.
//!
//! It combines boosted trees and a logistic regression over 255 features of each paragraph (`features`). A rule finds
//! the headline. The classifier uses no other pages of the site and does not depend on the language. `goldminer-lab`
//! trains the weights on pages with gold texts (made by people). Two sets of weights come with the program, one for
//! each [`Convention`].

mod features;
mod forest;
mod model;
mod prediction;
mod reasons;
mod scale;
#[doc(hidden)]
pub mod training;
mod tree;
mod weights;

use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, LazyLock};

use goldminer_html::Page;
use xxhash_rust::xxh3::xxh3_64;

use features::FeatureRows;
use features::kind::PageSums;
use features::text::Counts;
use model::{Model, UNIT, logistic};

pub use reasons::Reason;
pub use weights::WeightsError;

/// The definition of what belongs to the text of a page. Each convention has its own weights.
///
/// ```
/// use goldminer_core::classifier::{Classifier, Convention};
///
/// // Comments below an article belong to the page, not to the article.
/// assert_eq!(Classifier::of(Convention::Page).convention().as_str(), "page");
/// assert_eq!(Convention::default(), Convention::Article);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Convention {
    /// Only the article.
    #[default]
    Article,
    /// Everything that people visit the page for: also comments, lists and forum posts.
    Page,
}

impl Convention {
    /// The name: `article` or `page`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Classifies the paragraphs of a page as text or not, from this page alone, with one set of weights.
///
/// ```
/// use goldminer_core::classifier::{Classifier, Convention};
/// use goldminer_core::page::Page;
///
/// let story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.".repeat(4);
/// let page = Page::parse(format!("<nav><a href=/a>News</a> <a href=/b>Sport</a></nav><h1>Rain</h1>{story}"));
///
/// let classification = Classifier::of(Convention::Article).classify(&page);
/// let text: Vec<&str> = classification.text.iter().map(|at| &*page.paragraphs()[*at].text).collect();
/// assert_eq!(text[0], "Rain");
/// assert!(text[1..].iter().all(|paragraph| paragraph.starts_with("It rained")), "no navigation: {text:?}");
/// ```
///
/// Weights are text: you can save your own (`goldminer train` makes them) and read them again:
///
/// ```
/// # use goldminer_core::classifier::{Classifier, Convention};
/// let classifier = Classifier::of(Convention::Article);
/// let file = classifier.to_string();
/// assert_eq!(file.parse::<Classifier>()?, *classifier);
/// # Ok::<(), goldminer_core::classifier::WeightsError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Classifier {
    convention: Convention,
    model: Model,
}

/// The result of [`Classifier::classify`] for a page.
///
/// ```
/// use goldminer_core::classifier::{Classifier, Convention};
/// use goldminer_core::page::Page;
///
/// let story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.".repeat(4);
/// let page = Page::parse(format!("<p><a href=/a>More</a><h1>Rain</h1>{story}"));
/// let classification = Classifier::of(Convention::Article).classify(&page);
///
/// // The link, the headline, and the story: a number for each paragraph.
/// assert_eq!(classification.probabilities.len(), page.paragraphs().len());
/// assert!(classification.probabilities[0] < 500 && classification.probabilities[2] > 500);
/// assert_eq!(classification.headline, Some(1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classification {
    /// For each paragraph, the probability that it belongs to the text, in thousandths.
    pub probabilities: Vec<u16>,
    /// The indexes of the paragraphs that belong to the text, the headline included, in page order.
    pub text: Vec<usize>,
    /// The index of the headline's paragraph. None if the page has no headline, or it does not belong to the text.
    pub headline: Option<usize>,
    /// The F-score of this text that the probabilities predict, in thousandths.
    pub score: u16,
    /// The probability that the page is an article, not a list, calendar or form, in thousandths.
    pub article: u16,
}

/// The headline must be before the first paragraph of text with at least this many words.
const MIN_WORDS: u32 = 8;

static ARTICLE: LazyLock<Arc<Classifier>> = LazyLock::new(|| shipped(Convention::Article));
static PAGE: LazyLock<Arc<Classifier>> = LazyLock::new(|| shipped(Convention::Page));

fn shipped(convention: Convention) -> Arc<Classifier> {
    // The digest in the first line is not checked here, because computing it takes longer than extracting a page. A
    // test checks it.
    let rows = Classifier::weights_of(convention).lines().skip(1);
    Arc::new(Classifier::from_rows(convention, rows).expect("a test reads the weights that come with the program"))
}

impl Classifier {
    /// The classifier of a convention, with the weights that come with the program.
    pub fn of(convention: Convention) -> Arc<Self> {
        Arc::clone(match convention {
            Convention::Article => &ARTICLE,
            Convention::Page => &PAGE,
        })
    }

    /// The weights that come with the program, as text. [`Classifier::of`] uses them.
    pub fn weights_of(convention: Convention) -> &'static str {
        match convention {
            Convention::Article => include_str!("article.weights"),
            Convention::Page => include_str!("page.weights"),
        }
    }

    /// The convention that the weights were trained for.
    pub fn convention(&self) -> Convention {
        self.convention
    }

    /// Decides which paragraphs of a page are its text, with probabilities.
    pub fn classify(&self, page: &Page) -> Classification {
        let mut rows = FeatureRows::of(page);
        let (paragraphs, found) = (page.paragraphs().len(), rows.view.headline);
        let (mut scoring, mut kind) = (self.model.start_scoring(), PageSums::default());
        for at in 0..paragraphs {
            let counts = rows.view.counts[at];
            let row = rows.row(at);
            let of_regression = scoring.add(row);
            kind.add(row, &counts, of_regression > 0 && Some(at) != found);
        }
        let odds = scoring.odds();
        let article = probability(self.model.kind_odds(&kind.row(&rows.declared())));
        let probabilities: Vec<u16> = odds.iter().map(|odds| probability(*odds)).collect();
        let first =
            (0..odds.len()).find(|at| odds[*at] > 0 && rows.view.counts[*at].words >= MIN_WORDS && Some(*at) != found);
        let headline = found.filter(|headline| first.is_some_and(|first| *headline < first));
        let is_text = |at: &usize| if Some(*at) == found { Some(*at) == headline } else { odds[*at] > 0 };
        let text: Vec<usize> = (0..odds.len()).filter(is_text).collect();
        let score = score(&rows.view.counts, &probabilities, &text, headline);
        Classification { probabilities, text, headline, score, article }
    }
}

/// Classifiers with the same weights have the same debug output. A resumed run compares this output with the
/// interrupted run's.
impl Debug for Classifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Classifier({}, {:016x})", self.convention.as_str(), xxh3_64(self.to_string().as_bytes()))
    }
}

/// Converts log odds to a probability in thousandths.
fn probability(odds: i32) -> u16 {
    (logistic(f64::from(odds) / f64::from(UNIT)) * 1_000.0).round() as u16
}

/// The F-score that the probabilities predict, in thousandths. Each paragraph counts by its number of characters.
fn score(counts: &[Counts], probabilities: &[u16], text: &[usize], headline: Option<usize>) -> u16 {
    let expected = |at: usize| match headline {
        Some(headline) if headline == at => 1_000,
        _ => u64::from(probabilities[at]),
    };
    let length = |at: usize| u64::from(counts[at].length);
    let all: u64 = (0..probabilities.len()).map(|at| length(at) * expected(at)).sum();
    let taken: u64 = text.iter().map(|at| length(*at) * 1_000).sum();
    let right: u64 = text.iter().map(|at| length(*at) * expected(*at)).sum();
    (2 * right * 1_000 / (all + taken).max(1)) as u16
}
