//! The algorithm as published, for comparison: I. Endrédy and A. Novák, *More Effective Boilerplate Removal – the
//! GoldMiner Algorithm* (Polibits 48, 2013), section 4. Nothing is corrected here; improvements are in `learner`.
//!
//! It learns from pages in the order in which they come. Paragraphs that are good for jusText and were not seen before
//! count as unique. The learner counts the literal tags before the first and after the last unique paragraph of each
//! page. The most frequent ones become a pair of start and end. If this pair covers too few pages, a second one is
//! kept.

use std::collections::BTreeMap;
use std::ops::Range;

use goldminer_html::Page;
use goldminer_html::address::Domain;
use rustc_hash::FxHashSet;

use super::page_classes;
use super::page_model::text_key::text_key;
use super::profile::{DomainProfile, Evidence, Template};
use super::sequence::{self, Boundary, MAX_STEPS, StartPattern, TagSequence};
use super::trim::Trimmed;
use crate::justext::{self, Class, Thresholds};

/// A page to learn from must have at least this many characters of text that is good for jusText and was not seen
/// before. The paper gives no number.
const MIN_OWN: u32 = 400;
/// If the first pair of start and end covers a smaller share of the pages, a second pair is kept (plan B in the
/// paper).
const PLAN_B_BELOW: f64 = 0.8;
const MAX_PAIRS: usize = 2;

/// The learner of GoldMiner as published in 2013: learns from pages one by one.
///
/// ```
/// use goldminer_core::address::Domain;
/// use goldminer_core::goldminer::published::PublishedLearner;
///
/// assert_eq!(PublishedLearner::new(Domain::named("portal.example")).learn(), None);
/// ```
#[derive(Debug, Clone)]
pub struct PublishedLearner {
    domain: Domain,
    seen: FxHashSet<u64>,
    pages: usize,
    learned: Vec<Sequences>,
}

/// What was learned from one page: all tag sequences that could start or end its article.
#[derive(Debug, Clone)]
struct Sequences {
    starts: Vec<TagSequence>,
    ends: Vec<TagSequence>,
}

impl PublishedLearner {
    /// A learner without pages.
    pub fn new(domain: Domain) -> Self {
        Self { domain, seen: FxHashSet::default(), pages: 0, learned: Vec::new() }
    }

    /// Learns from a page.
    pub fn add(&mut self, page: &Page) {
        self.pages += 1;
        let found = page_classes::classify(page, None);
        let good = |at: &usize| found.classes[*at] == Class::Good;
        let paragraphs = page.paragraphs();
        // A paragraph counts as unique when it is first seen, whatever comes later.
        let own: Vec<usize> =
            (0..paragraphs.len()).filter(good).filter(|at| self.seen.insert(text_key(&paragraphs[*at].text))).collect();
        let (Some(first), Some(last)) = (own.first(), own.last()) else { return };
        if own.iter().map(|at| paragraphs[*at].chars).sum::<u32>() < MIN_OWN {
            return;
        }
        let article = paragraphs[*first].span.start..paragraphs[*last].span.end;
        let boundaries = sequence::boundaries(page);
        let found = Sequences { starts: starts(page, &boundaries, &article), ends: ends(page, &boundaries, &article) };
        if !found.starts.is_empty() && !found.ends.is_empty() {
            self.learned.push(found);
        }
    }

    /// The number of pages from which sequences were learned.
    pub fn article_pages(&self) -> usize {
        self.learned.len()
    }

    /// The profile with the most frequent sequences. None if nothing was learned from any page.
    pub fn learn(&self) -> Option<DomainProfile> {
        let mut left: Vec<&Sequences> = self.learned.iter().collect();
        let mut templates = Vec::new();
        while templates.len() < MAX_PAIRS {
            let Some(start) = most_frequent(left.iter().flat_map(|page| &page.starts)) else { break };
            let with_start = left.iter().filter(|page| page.starts.contains(&start));
            let Some(end) = most_frequent(with_start.flat_map(|page| &page.ends)) else { break };
            let is_covered = |page: &&Sequences| page.starts.contains(&start) && page.ends.contains(&end);
            let covered = left.iter().filter(|page| is_covered(page)).count();
            left.retain(|page| !is_covered(page));
            let share = covered as f64 / self.learned.len() as f64;
            templates.push(Template {
                start: StartPattern::Tags(start),
                end: Some(end),
                leads: Vec::new(),
                parts: Vec::new(),
                drops: Vec::new(),
                dated: false,
                matches: 1,
                pages: covered as u32,
                share,
                fitness: share,
                hand_made: false,
            });
            if share >= PLAN_B_BELOW {
                break;
            }
        }
        let covered = self.learned.len() - left.len();
        let evidence = Evidence {
            pages: self.pages as u32,
            distinct: self.pages as u32,
            taught: self.learned.len() as u32,
            covered: covered as u32,
            fitness: covered as f64 / self.learned.len().max(1) as f64,
        };
        (!templates.is_empty()).then(|| DomainProfile {
            key: self.domain.as_str().to_owned(),
            version: 1,
            program: super::PROGRAM.to_owned(),
            templates,
            evidence,
            ..DomainProfile::default()
        })
    }
}

/// Cuts a page between the first match of a start pattern and the next match of the end pattern that belongs to it, and
/// keeps what jusText finds good. If such a pair does not match, the profile's next one is tried. None if no pair
/// matches.
pub(crate) fn trim(page: &Page, declared: Option<&str>, profile: &DomainProfile) -> Option<Trimmed> {
    let boundaries = sequence::boundaries(page);
    for (template, pair) in profile.templates.iter().enumerate() {
        let (StartPattern::Tags(start), Some(end)) = (&pair.start, &pair.end) else { continue };
        let Some((_, begins)) = start.find(page, &boundaries, 0) else { continue };
        let Some((ends, _)) = end.find(page, &boundaries, begins) else { continue };
        let behind = |position| page.paragraphs().partition_point(|paragraph| paragraph.span.start < position);
        let inside = behind(begins)..behind(ends);
        let paragraphs = &page.paragraphs()[inside.clone()];
        let expected: Vec<&str> = declared.into_iter().collect();
        let language = justext::language(paragraphs, &expected);
        let classes = justext::classify(paragraphs, language.stoplist, &Thresholds::inside());
        let good = inside.clone().zip(&classes).filter(|(_, class)| **class == Class::Good).map(|(at, _)| at);
        return Some(Trimmed {
            template,
            paragraphs: good.collect(),
            headline: None,
            stoplist: language.stoplist.name(),
            language: language.code,
            scope: inside,
            reasons: Vec::new(),
        });
    }
    None
}

/// The sequences of tags just before the article, from one tag to five, that do not occur earlier on the page.
fn starts(page: &Page, boundaries: &[Boundary], article: &Range<u32>) -> Vec<TagSequence> {
    let behind = boundaries.partition_point(|boundary| boundary.start < article.start);
    let sequences = (1..=MAX_STEPS.min(behind)).map(|length| &boundaries[behind - length..behind]);
    let sequences = sequences.map(|tags| TagSequence::literal(page, tags));
    let ends = |tags: &TagSequence| tags.find(page, boundaries, 0).map(|(_, end)| end);
    sequences.filter(|tags| ends(tags) == Some(boundaries[behind - 1].end)).collect()
}

/// The sequences of tags just after the article, from one tag to five, that do not occur inside it.
fn ends(page: &Page, boundaries: &[Boundary], article: &Range<u32>) -> Vec<TagSequence> {
    let first = boundaries.partition_point(|boundary| boundary.start < article.end);
    let sequences = (1..=MAX_STEPS.min(boundaries.len() - first)).map(|length| &boundaries[first..first + length]);
    let sequences = sequences.map(|tags| TagSequence::literal(page, tags));
    let begins = |tags: &TagSequence| tags.find(page, boundaries, article.start).map(|(at, _)| at);
    sequences.filter(|tags| begins(tags) == Some(boundaries[first].start)).collect()
}

/// The sequence that is on the most pages; of equally frequent ones, the longest.
fn most_frequent<'s>(sequences: impl Iterator<Item = &'s TagSequence>) -> Option<TagSequence> {
    let mut votes: BTreeMap<String, (usize, &TagSequence)> = BTreeMap::new();
    for sequence in sequences {
        votes.entry(sequence.to_string()).or_insert((0, sequence)).0 += 1;
    }
    let most = votes.into_iter().max_by_key(|(_, (votes, sequence))| (*votes, sequence.len()));
    most.map(|(_, (_, sequence))| sequence.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COOKIES: &str = "We and our partners use cookies to make this page work better and to show you what we think \
        that you are interested in, and you can change what you have chosen at any time in the settings of the page.";

    fn text(n: usize, part: &str) -> String {
        format!(
            "It was {part} in the year of number {} that the {}th of them came to the town, and nobody of us knew what \
             to do with it, so that we had to ask {} people before there was an answer that all of us could live with.",
            "i".repeat(n),
            "v".repeat(n),
            "x".repeat(n),
        )
    }

    fn page(n: usize) -> Page {
        let (a, b, c) = (text(n, "early"), text(n, "late"), text(n, "never"));
        Page::parse(format!(
            "<body><div class=top><p>{COOKIES}</p></div><h1>T</h1><div class=story><p>{a}</p><p>{b}</p><p>{c}</p></div>\
             <div class=comments><p>Short.</p></div></body>"
        ))
    }

    fn learned(pages: Range<usize>) -> DomainProfile {
        let mut learner = PublishedLearner::new(Domain::named("portal.example"));
        pages.for_each(|n| learner.add(&page(n)));
        learner.learn().expect("a profile")
    }

    #[test]
    fn the_tags_around_unique_text_win_the_vote() {
        let profile = learned(1..9);
        let page = page(20);
        let cut = trim(&page, None, &profile).expect("a cut");
        let first = &page.paragraphs()[cut.paragraphs[0]].text;
        assert!(first.starts_with("It was early"), "{first}\n{}", profile.to_toml());
        assert_eq!(cut.paragraphs.len(), 3);
    }

    #[test]
    fn the_first_page_s_boilerplate_counts_as_its_own_as_published() {
        let mut learner = PublishedLearner::new(Domain::named("portal.example"));
        learner.add(&page(1));
        let alone = learner.learn().expect("a profile");
        let cut = trim(&page(2), None, &alone).expect("a cut");
        assert_eq!(cut.paragraphs[0], 0, "the notice on cookies is kept");
    }

    #[test]
    fn a_page_without_the_start_gives_no_text() {
        let other = Page::parse(format!("<body><section><span>{}</span></section>", text(3, "once")));
        assert_eq!(trim(&other, None, &learned(1..9)), None);
    }
}
