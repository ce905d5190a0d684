//! jusText: classifies paragraphs as text or boilerplate by length, links, stopwords and neighbours.
//!
//! Source: Jan Pomikálek, "Removing Boilerplate and Duplicate Content from Web Corpora" (PhD thesis, Brno 2011),
//! chapter 3; the reference implementation is Python jusText 3.0.2. [`goldminer_html`] splits the page into
//! paragraphs: [`Reading::Justext`](goldminer_html::Reading::Justext) gives those of the reference,
//! [`Reading::Article`](goldminer_html::Reading::Article) those that a browser shows. Here they get their classes in
//! two steps:
//!
//! 1. each paragraph by itself,
//! 2. short and near-good ones by their neighbours, headings by what follows.
//!
//! [`classify()`] does both steps; [`classify_alone`] and [`revise()`] do one each.
//!
//! Beyond the reference, text is measured differently if the [`Stoplist`] is for a language without spaces
//! ([`Spaceless`]).

mod classify;
mod language;
mod revise;
mod spaced_words;
mod stoplist;

use goldminer_html::Paragraph;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

pub(crate) use language::language_of;
pub use language::{PageLanguage, language};
pub use stoplist::Stoplist;

/// jusText's class of a paragraph.
///
/// ```
/// use goldminer_core::justext::{Class, Stoplist, Thresholds, classify};
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<a href=/>Home</a>".to_owned());
/// assert_eq!(classify(page.paragraphs(), Stoplist::none(), &Thresholds::default()), [Class::Bad]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(clippy::exhaustive_enums, reason = "jusText has these four")]
pub enum Class {
    /// The paragraph is text.
    Good,
    /// The paragraph is perhaps text: it is too short to be sure, or has too few stopwords.
    NearGood,
    /// The paragraph is too short to decide.
    Short,
    /// The paragraph is boilerplate.
    Bad,
}

/// The thresholds of jusText. The defaults are those of Pomikálek.
///
/// ```
/// use goldminer_core::justext::Thresholds;
///
/// assert_eq!(Thresholds::default().length_high, 200);
/// assert!(Thresholds::inside().stopwords_low < Thresholds::default().stopwords_low);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, SmartDefault)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Thresholds {
    /// The largest share of characters in links; paragraphs with a larger one are boilerplate.
    #[default = 0.2]
    pub max_link_density: f64,
    /// Paragraphs with fewer characters are short.
    #[default = 70]
    pub length_low: u32,
    /// Paragraphs with many stopwords and more characters than this are good without their neighbours.
    #[default = 200]
    pub length_high: u32,
    /// Paragraphs with a smaller share of stopwords are boilerplate.
    #[default = 0.30]
    pub stopwords_low: f64,
    /// Paragraphs with at least this share of stopwords are text.
    #[default = 0.32]
    pub stopwords_high: f64,
    /// Short and near-good headings are good if good text follows within this many characters.
    #[default = 200]
    pub max_heading_distance: u32,
    /// Whether short headings before good text become good.
    #[default = true]
    pub headings: bool,
    /// Measures for languages without spaces; `None` treats them as the reference does.
    #[default(Some(Spaceless::default()))]
    pub spaceless: Option<Spaceless>,
}

/// Measures for Chinese, Japanese, Thai and other languages written without spaces. The share of stopwords is the
/// share of characters in function words. A Han or kana character counts as several letters. The defaults were found by
/// trial on Chinese news; the numbers are from no publication.
///
/// ```
/// use goldminer_core::justext::{Spaceless, Thresholds};
///
/// assert_eq!(Thresholds::default().spaceless, Some(Spaceless::default()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, SmartDefault)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Spaceless {
    /// The number of letters that a Han or kana character counts for.
    #[default = 3]
    pub letters_per_character: u32,
    /// Replaces [`Thresholds::stopwords_low`] for these languages.
    #[default = 0.06]
    pub stopwords_low: f64,
    /// Replaces [`Thresholds::stopwords_high`] for these languages.
    #[default = 0.09]
    pub stopwords_high: f64,
}

impl Thresholds {
    /// Returns thresholds for the inside of a trimmed article, where losing text is worse than keeping boilerplate.
    /// Endrédy and Novák evaluated GoldMiner with them ("More Effective Boilerplate Removal: the GoldMiner Algorithm",
    /// Polibits 48, 2013).
    pub fn inside() -> Self {
        Self {
            max_link_density: 0.35,
            length_high: 110,
            stopwords_low: 0.14,
            spaceless: Some(Spaceless { stopwords_low: 0.03, ..Spaceless::default() }),
            ..Self::default()
        }
    }
}

/// Classifies the paragraphs of a page with jusText, in both steps.
///
/// ```
/// use goldminer_core::justext::{Class, Stoplist, Thresholds, classify};
/// use goldminer_core::page::Page;
///
/// let prose = "It was in the middle of the week that the council met and asked the citizens what they thought of it. ";
/// let page = Page::parse(format!("<p>{}</p><p>Home | News</p>", prose.repeat(3)));
/// let english = Stoplist::named("English").unwrap();
/// assert_eq!(classify(page.paragraphs(), english, &Thresholds::default()), [Class::Good, Class::Bad]);
/// ```
pub fn classify(paragraphs: &[Paragraph], stoplist: &Stoplist, thresholds: &Thresholds) -> Vec<Class> {
    let context_free = classify_alone(paragraphs, stoplist, thresholds);
    revise(paragraphs, &context_free, thresholds)
}

/// The class of each paragraph by itself: the first step of jusText. The second is [`revise()`].
///
/// ```
/// use goldminer_core::justext::{Class, Stoplist, Thresholds, classify_alone};
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<h1>Rain</h1><p>It rained.</p>".to_owned());
/// let classes = classify_alone(page.paragraphs(), Stoplist::none(), &Thresholds::default());
/// assert_eq!(classes, [Class::Short, Class::Short]);
/// ```
pub fn classify_alone(paragraphs: &[Paragraph], stoplist: &Stoplist, thresholds: &Thresholds) -> Vec<Class> {
    paragraphs.iter().map(|paragraph| classify::class(paragraph, stoplist, thresholds)).collect()
}

/// The class of each paragraph among its neighbours: the second step of jusText. `context_free` are the classes from
/// [`classify_alone`]. The results are only good and bad.
///
/// ```
/// use goldminer_core::justext::{Class, Thresholds, revise};
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<h1>Rain</h1><p>It rained in Rome.</p>".to_owned());
/// let revised = revise(page.paragraphs(), &[Class::Short, Class::Good], &Thresholds::default());
/// assert_eq!(revised, [Class::Good, Class::Good], "a heading before text");
/// ```
pub fn revise(paragraphs: &[Paragraph], context_free: &[Class], thresholds: &Thresholds) -> Vec<Class> {
    let mut classes = context_free.to_vec();
    revise::short(&mut classes);
    revise::near_good(&mut classes);
    if thresholds.headings {
        revise::good_headings(paragraphs, context_free, &mut classes, thresholds.max_heading_distance);
    }
    classes
}
