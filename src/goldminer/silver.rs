//! jusText's judgement of a page, as the learner and `trim` use it: classes by the stoplist of the page's own language.

use std::ops::Range;

use crate::justext::{self, Class, Stoplist, Thresholds};
use crate::page::{Page, Paragraph};

/// How much text the language is detected from, in bytes.
const LANGUAGE_SAMPLE: usize = 4_000;

/// The classes of a page's paragraphs and the stoplist that they were found with.
#[derive(Debug, Clone)]
pub struct Judged {
    /// One for each paragraph.
    pub classes: Vec<Class>,
    /// The name of the stoplist.
    pub stoplist: &'static str,
}

/// Judges a page with jusText's default thresholds. `declared` is the language that its source declares, used where the
/// detector knows none.
#[must_use]
pub fn judge(page: &Page, declared: Option<&str>) -> Judged {
    judge_with(page.paragraphs(), stoplist(page.paragraphs(), declared, None), &Thresholds::default())
}

/// Judges a page, the more leniently the less good text it has: short news in short paragraphs has nothing that is good
/// by the default. For the page at hand only; such pages teach nothing about others.
#[must_use]
pub fn judge_leniently(page: &Page, declared: Option<&str>) -> Judged {
    judge_part(page, 0..page.paragraphs().len(), declared, None)
}

/// Judges a part of a page leniently. `expected` is the name of the stoplist that the domain's pages have: the detector
/// need not be asked where it fits.
#[must_use]
pub fn judge_part(page: &Page, part: Range<usize>, declared: Option<&str>, expected: Option<&str>) -> Judged {
    let paragraphs = &page.paragraphs()[part];
    let stoplist = stoplist(paragraphs, declared, expected);
    let attempts = [(stoplist, Thresholds::default()), (stoplist, Thresholds::inside())];
    let has_text = |judged: &Judged| {
        judged.classes.iter().zip(paragraphs).any(|(class, p)| *class == Class::Good && p.heading.is_none())
    };
    let judged =
        attempts.iter().map(|(stoplist, thresholds)| judge_with(paragraphs, stoplist, thresholds)).find(has_text);
    judged.unwrap_or_else(|| judge_with(paragraphs, Stoplist::none(), &Thresholds::inside()))
}

fn judge_with(paragraphs: &[Paragraph], stoplist: &'static Stoplist, thresholds: &Thresholds) -> Judged {
    Judged { classes: justext::classify(paragraphs, stoplist, thresholds), stoplist: stoplist.name() }
}

/// The list of the paragraphs' language, or none.
fn stoplist(paragraphs: &[Paragraph], declared: Option<&str>, expected: Option<&str>) -> &'static Stoplist {
    let sample = language_sample(paragraphs);
    expected
        .and_then(Stoplist::named)
        .filter(|expected| fits(expected, &sample))
        .or_else(|| detected_stoplist(&sample))
        .or_else(|| declared.and_then(Stoplist::of_language))
        .unwrap_or_else(|| Stoplist::none())
}

/// Enough paragraphs to tell the language by: the longest outside of links.
fn language_sample(paragraphs: &[Paragraph]) -> Vec<&Paragraph> {
    let mut sample: Vec<&Paragraph> = paragraphs.iter().filter(|p| p.link_density() < 0.3).collect();
    sample.sort_by_key(|p| std::cmp::Reverse(p.chars));
    let mut bytes = 0;
    sample.retain(|paragraph| {
        let is_wanted = bytes < LANGUAGE_SAMPLE;
        bytes += paragraph.text.len();
        is_wanted
    });
    sample
}

/// Whether the sample has as many of the stopwords as running text of the language.
fn fits(stoplist: &Stoplist, sample: &[&Paragraph]) -> bool {
    let least = if stoplist.is_spaceless() { 0.06 } else { 0.3 };
    let chars: f64 = sample.iter().map(|paragraph| f64::from(paragraph.chars)).sum();
    let stopwords: f64 =
        sample.iter().filter_map(|p| stoplist.density(p).map(|density| density * f64::from(p.chars))).sum();
    chars > 0.0 && stopwords >= least * chars
}

fn detected_stoplist(sample: &[&Paragraph]) -> Option<&'static Stoplist> {
    let text = sample.iter().map(|paragraph| &*paragraph.text).collect::<Vec<_>>().join("\n");
    let name = match whatlang::detect(&text)?.lang() {
        whatlang::Lang::Cmn => "Chinese",
        lang => lang.eng_name(),
    };
    Stoplist::named(name)
}
