//! Surveys many pages of a domain: on how many pages each text is, how much text is kept and cut, how this changes over
//! time, and which pages a report should show.
//!
//! Only hashes and numbers of a page are kept, and the beginnings of texts. A page with two URLs counts once: otherwise
//! its article would seem to be on two pages.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use goldminer_core::document::Confidence;
use goldminer_core::goldminer::trim::ParagraphReason;
use goldminer_core::justext::Class;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::block_reason::BlockReason;
use super::dissection::{Block, Dissection, Outcome};
use super::findings::{Bucket, Findings, RepeatedText, Shares};

/// The most different texts that are counted.
const MAX_TEXTS: usize = 400_000;
/// The most blocks of a page that are counted.
const MAX_BLOCKS: usize = 4_000;
/// The most characters of a text that are kept for display.
const EXAMPLE_CHARS: usize = 280;
/// The fewest characters of a text in the table of repeated texts: shorter ones are menus.
const MIN_REPEATED_CHARS: u32 = 30;
/// The most texts in the table of repeated texts.
const MAX_REPEATED: usize = 25;
/// The most pages of each kind that a report shows. `WORST_SHOWN`: pages with the lowest confidence. `CUT_SHOWN`:
/// pages whose article a template cuts out, at least one for each template, if possible. `UNCUT_SHOWN`: pages without
/// a matching template, pages without a profile, and pages without an article, this many of each.
const WORST_SHOWN: usize = 3;
const CUT_SHOWN: usize = 6;
const UNCUT_SHOWN: usize = 2;
/// The most groups of pages over time, and the fewest pages of a group.
const MAX_BUCKETS: usize = 24;
const MIN_BUCKET: usize = 4;

/// Collects the findings on the pages of a domain.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    texts: FxHashMap<u64, BlockCount>,
    pages: Vec<SurveyedPage>,
    bodies: FxHashSet<u64>,
    /// Number of pages whose texts are counted.
    distinct: u32,
}

#[derive(Debug, Clone, Default)]
struct BlockCount {
    pages: u32,
    cut_on: u32,
    was_good: bool,
    chars: u32,
    example: Box<str>,
}

#[derive(Debug, Clone)]
struct SurveyedPage {
    outcome: Outcome,
    confidence: Option<Confidence>,
    html_bytes: u64,
    text_bytes: u64,
    blocks: Vec<BlockTrace>,
}

#[derive(Debug, Clone, Copy)]
struct BlockTrace {
    key: u64,
    chars: u32,
    reason: ParagraphReason,
    is_good: bool,
}

/// The kind of a page, as a key for sorting. Pages whose article a template has cut out come first (those of the newest
/// version first), then articles that no template matches, then pages without an article. The last part says why a
/// report shows the page.
fn kind(outcome: &Outcome) -> (u8, Reverse<u32>, usize, String) {
    match outcome {
        Outcome::Cut { version, template, .. } => (
            0,
            Reverse(*version),
            *template,
            format!("article found by template {template} of profile version {version}"),
        ),
        Outcome::Abstained => (1, Reverse(0), 0, "no template matched".to_owned()),
        Outcome::Alone => (1, Reverse(0), 0, "no profile".to_owned()),
        _ => (2, Reverse(0), 0, "gave no article".to_owned()),
    }
}

impl Survey {
    /// Adds a page. The pages must be added in order of time.
    pub fn add(&mut self, page: &Dissection) {
        let trace = |block: &Block| {
            let Block { key, chars, reason, class, .. } = *block;
            BlockTrace { key, chars, reason, is_good: class == Class::Good }
        };
        let traces: Vec<BlockTrace> = page.blocks.iter().take(MAX_BLOCKS).map(trace).collect();
        if self.is_new(&traces) {
            self.distinct += 1;
            self.count(page, &traces);
        }
        self.pages.push(SurveyedPage {
            outcome: page.outcome.clone(),
            confidence: page.confidence,
            html_bytes: page.html_bytes,
            text_bytes: page.kept_bytes(),
            blocks: traces,
        });
    }

    /// The findings on all pages.
    pub fn findings(&self) -> Findings {
        let pages_with = self.texts.iter().filter(|(_, seen)| seen.pages > 1).map(|(key, seen)| (*key, seen.pages));
        Findings {
            looked_at: self.pages.len() as u64,
            distinct: self.distinct,
            shares: self.shares_of(self.pages.iter().filter(|page| page.outcome.is_article())),
            over_time: self.over_time(),
            repeated: self.repeated(),
            pages_with: pages_with.collect(),
        }
    }

    /// The numbers of the pages that a report should show (from 0, in the order in which they were added), each with
    /// the reason. The pages with the lowest confidence come first. Then come some for each template, some articles
    /// that no template matches, and some pages without an article, each kind evenly spread over the survey.
    pub fn worth_a_look(&self) -> Vec<(usize, String)> {
        let mut kinds: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (at, page) in self.pages.iter().enumerate() {
            kinds.entry(kind(&page.outcome)).or_default().push(at);
        }
        let templates = kinds.keys().filter(|(order, ..)| *order == 0).count();
        let confidences = self.pages.iter().enumerate().filter_map(|(at, page)| Some((page.confidence?, at)));
        let mut worst: Vec<(Confidence, usize)> = confidences.collect();
        worst.sort_unstable();
        let why = |confidence| format!("among the pages with the lowest confidence: {confidence}");
        let worst = worst.into_iter().take(WORST_SHOWN).map(|(confidence, at)| (at, why(confidence)));
        let mut chosen: Vec<(usize, String)> = worst.collect();
        for ((order, .., why), pages) in &kinds {
            let wanted = match order {
                0 if chosen.len() >= WORST_SHOWN + CUT_SHOWN => continue,
                0 => (CUT_SHOWN / templates).max(1),
                _ => UNCUT_SHOWN,
            };
            let mut places: Vec<usize> = (0..wanted).map(|n| (2 * n + 1) * pages.len() / (2 * wanted)).collect();
            places.dedup();
            places.retain(|place| chosen.iter().all(|(other, _)| *other != pages[*place]));
            chosen.extend(places.into_iter().map(|place| (pages[place], why.clone())));
        }
        chosen
    }

    fn is_new(&mut self, traces: &[BlockTrace]) -> bool {
        let own: Vec<u8> = traces.iter().filter(|t| t.is_good).flat_map(|trace| trace.key.to_le_bytes()).collect();
        own.is_empty() || self.bodies.insert(xxh3_64(&own))
    }

    fn count(&mut self, page: &Dissection, traces: &[BlockTrace]) {
        let mut on_this_page: FxHashMap<u64, bool> = FxHashMap::default();
        for (trace, block) in traces.iter().zip(&page.blocks) {
            *on_this_page.entry(trace.key).or_default() |= trace.reason.is_kept();
            if self.texts.len() < MAX_TEXTS || self.texts.contains_key(&trace.key) {
                let seen = self.texts.entry(trace.key).or_insert_with(|| BlockCount {
                    chars: trace.chars,
                    example: block.text.chars().take(EXAMPLE_CHARS).collect::<String>().into(),
                    ..BlockCount::default()
                });
                seen.was_good |= trace.is_good;
            }
        }
        for (key, is_kept) in on_this_page {
            if let Some(seen) = self.texts.get_mut(&key) {
                seen.pages += 1;
                seen.cut_on += u32::from(!is_kept);
            }
        }
    }

    fn shares_of<'p>(&self, pages: impl IntoIterator<Item = &'p SurveyedPage>) -> Shares {
        let mut shares = Shares::default();
        for trace in pages.into_iter().flat_map(|page| &page.blocks) {
            let pages_with = self.texts.get(&trace.key).map_or(1, |seen| seen.pages);
            shares.add(BlockReason::of(trace.reason, trace.is_good, trace.chars, pages_with), trace.chars);
        }
        shares
    }

    fn over_time(&self) -> Vec<Bucket> {
        let buckets = (self.pages.len() / MIN_BUCKET).clamp(1, MAX_BUCKETS);
        let mut over_time = vec![Bucket::default(); buckets];
        for (at, page) in self.pages.iter().enumerate() {
            let bucket = &mut over_time[at * buckets / self.pages.len()];
            match page.outcome {
                Outcome::Cut { .. } => bucket.cut += 1,
                Outcome::Abstained | Outcome::Alone => bucket.abstained += 1,
                _ => bucket.without += 1,
            }
            bucket.html_bytes += page.html_bytes;
            bucket.text_bytes += page.text_bytes;
        }
        over_time
    }

    fn repeated(&self) -> Vec<RepeatedText> {
        let is_worth_a_line = |seen: &&BlockCount| seen.cut_on > 1 && seen.chars >= MIN_REPEATED_CHARS;
        let mut repeated: Vec<&BlockCount> = self.texts.values().filter(is_worth_a_line).collect();
        repeated.sort_by(|a, b| (b.pages, b.chars, &a.example).cmp(&(a.pages, a.chars, &b.example)));
        let line = |seen: &BlockCount| RepeatedText {
            text: seen.example.clone(),
            chars: seen.chars,
            pages: seen.pages,
            fooled_justext: seen.was_good,
        };
        repeated.into_iter().take(MAX_REPEATED).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::block_reason::testing::{article_source, profile};
    use super::*;
    use goldminer_html::address::Domain;

    const SUBSCRIBE: &str = "Subscribe to our letter and we will send you the news of the day as soon as it is there.";

    /// A page that differs from the others in words: numbers do not make texts different.
    fn page(number: usize) -> String {
        let town = ["Rome", "Oslo", "Bern", "Riga", "Kyiv", "Graz"][number];
        let story: String = ["old", "young", "tall", "short", "wise", "silly"]
            .iter()
            .map(|who| {
                format!(
                    "<p>In {town} there was a story that nobody could tell in the way that the {who} people of the \
                     houses in {town} did, because they were there when it was told for the first time, and they have \
                     not forgotten what the others said about it to them.</p>"
                )
            })
            .collect();
        format!(
            "<body><div class=story><h1>The story of {town}</h1>{story}</div><div class=box><p>{SUBSCRIBE}</p></div>"
        )
    }

    fn survey(pages: &[String]) -> Survey {
        let (domain, profile) = (Domain::named("portal.example"), profile("div.story"));
        let mut survey = Survey::default();
        for page in pages {
            survey.add(&Dissection::of(&article_source(page, &domain), &[&profile]).unwrap());
        }
        survey
    }

    #[test]
    fn the_text_that_is_cut_from_every_page_comes_first() {
        let pages: Vec<String> = (0..6).map(page).collect();
        let findings = survey(&pages).findings();
        let repeated = &findings.repeated[0];
        assert_eq!((&*repeated.text, repeated.pages, repeated.fooled_justext), (SUBSCRIBE, 6, true));
        assert_eq!(findings.shares.chars(BlockReason::Repeated), 6 * SUBSCRIBE.len() as u64);
        assert_eq!((findings.all().coverage(), findings.looked_at), (Some(1.0), 6));
    }

    #[test]
    fn the_same_article_under_two_addresses_does_not_look_repeated() {
        let pages = vec![page(1), page(1), page(2)];
        let findings = survey(&pages).findings();
        assert_eq!(findings.distinct, 2);
        assert!(findings.repeated.iter().all(|text| !text.text.contains("nobody could tell")), "{findings:?}");
    }

    #[test]
    fn each_kind_of_page_is_shown_and_none_twice() {
        let mut pages: Vec<String> = (0..6).map(page).collect();
        pages.push("<body><ul><li><a href=/a>One story</a></ul>".to_owned());
        let chosen = survey(&pages).worth_a_look();
        let mut places: Vec<usize> = chosen.iter().map(|(at, _)| *at).collect();
        assert!(places.contains(&6), "{chosen:?}");
        assert!(chosen[0].1.starts_with("among the pages with the lowest confidence"), "the worst first: {chosen:?}");
        places.sort_unstable();
        let all = places.len();
        places.dedup();
        assert_eq!(places.len(), all, "{chosen:?}");
    }
}
