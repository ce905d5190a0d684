//! jusText's judgement of a page, as the learner and `trim` use it: classes by the stoplist of the page's own language.

use crate::justext::{self, Class, Stoplist, Thresholds};
use crate::page::Page;

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
    judge_with(page, stoplist(page, declared), &Thresholds::default())
}

/// Judges a page, the more leniently the less good text it has: short news in short paragraphs has nothing that is good
/// by the default. For the page at hand only; such pages teach nothing about others.
#[must_use]
pub fn judge_leniently(page: &Page, declared: Option<&str>) -> Judged {
    let stoplist = stoplist(page, declared);
    let attempts = [(stoplist, Thresholds::default()), (stoplist, Thresholds::inside())];
    let has_text = |judged: &Judged| {
        judged.classes.iter().zip(page.paragraphs()).any(|(class, p)| *class == Class::Good && p.heading.is_none())
    };
    let judged = attempts.iter().map(|(stoplist, thresholds)| judge_with(page, stoplist, thresholds)).find(has_text);
    judged.unwrap_or_else(|| judge_with(page, Stoplist::none(), &Thresholds::inside()))
}

fn judge_with(page: &Page, stoplist: &'static Stoplist, thresholds: &Thresholds) -> Judged {
    Judged { classes: justext::classify(page.paragraphs(), stoplist, thresholds), stoplist: stoplist.name() }
}

/// The list of the page's language, or none.
fn stoplist(page: &Page, declared: Option<&str>) -> &'static Stoplist {
    detected_stoplist(page).or_else(|| declared.and_then(Stoplist::of_language)).unwrap_or_else(|| Stoplist::none())
}

/// The list of the language that most text outside of links is written in.
fn detected_stoplist(page: &Page) -> Option<&'static Stoplist> {
    let mut paragraphs: Vec<_> = page.paragraphs().iter().filter(|p| p.link_density() < 0.3).collect();
    paragraphs.sort_by_key(|p| std::cmp::Reverse(p.chars));
    let mut sample = String::new();
    for paragraph in paragraphs {
        sample.push_str(&paragraph.text);
        sample.push('\n');
        if sample.len() > LANGUAGE_SAMPLE {
            break;
        }
    }
    let name = match whatlang::detect(&sample)?.lang() {
        whatlang::Lang::Cmn => "Chinese",
        lang => lang.eng_name(),
    };
    Stoplist::named(name)
}
