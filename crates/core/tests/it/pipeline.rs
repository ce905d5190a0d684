//! The invariant of the pipeline: the same pages in the same order give the same documents with every driver. The
//! drivers: a crawl that gets pages bit by bit, is killed and continued; a rebuild; an extraction with the crawl's
//! profiles; one without them; one in pieces. The portals are random: articles and lists, repeated texts, redesigns,
//! learning phases that end early.
//!
//! Pages and profiles are models here, because the text of a page does not matter. To test many cases:
//! `GOLDMINER_CASES=10000 cargo test --release -p goldminer-core --test it pipeline`

use std::collections::BTreeMap;

use goldminer_core::address::Domain;
use goldminer_core::capture::ArchivePosition;
use goldminer_core::extract::domain::{
    AvailablePages, Conclusion, DomainExtraction, ExtractionProgress, Fingerprint, Fit, Learned, LearningEnd,
    LearningEnds, LearningState, LearningTask, LearningTrigger, MemorySeen, PageDecision, PageOutcome, PageReading,
    Phase, ProfileSet, Rules, ServingProfile, Step,
};
use goldminer_core::goldminer::profile::DomainProfile;
use jiff::Timestamp;
use proptest::prelude::*;

fn rules() -> Rules {
    let mut rules = Rules::default();
    rules.withdraws = true;
    rules.learning_pages = 30;
    rules.least_learning_pages = 3;
    rules
}

/// A page of a portal.
#[derive(Debug, Clone, Copy)]
struct Model {
    is_article: bool,
    design: u8,
    text: u8,
}

/// A document of the corpus: the page, its text, and the document that it nearly repeats.
type Given = (u64, String, Option<String>);

fn cases() -> u32 {
    std::env::var("GOLDMINER_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200)
}

fn domain() -> Domain {
    Domain::named("portal.example")
}

/// Positions in segments of seven pages. The dates of the segments run backwards.
fn position(seq: u64) -> ArchivePosition {
    let (serial, record) = (seq / 7, seq % 7);
    let file = format!("p-{}-{serial:05}.warc.gz", 20_300_101 - serial);
    ArchivePosition::new(file, 100 * record, 100)
}

fn portal() -> impl Strategy<Value = Vec<Model>> {
    let page = |design: u8| {
        (0..100_u8, any::<u8>()).prop_map(move |(lot, text)| Model {
            is_article: lot < 70,
            design: if lot % 11 == 0 { 9 } else { design },
            text,
        })
    };
    let sequence =
        (0..3_u8, 0..70_usize).prop_flat_map(move |(design, pages)| prop::collection::vec(page(design), pages));
    prop::collection::vec(sequence, 1..4).prop_map(|sequences| sequences.concat())
}

/// The result for a page, with the profiles that serve it or with one alone.
fn read(pages: &[Model], seq: u64, profiles: &ProfileSet, alone: Option<&DomainProfile>) -> PageReading {
    let (model, position) = (pages[seq as usize], position(seq));
    let candidates = match alone {
        Some(profile) => vec![profile],
        None => profiles.candidates(&domain(), None, Some(&position)),
    };
    let cuts = |profile: &&DomainProfile| {
        profile.language.as_deref().is_some_and(|l| l.contains(char::from(b'0' + model.design)))
    };
    // Some texts are cut alike by all versions.
    let document = |version: u32| {
        let text_digest =
            if model.text < 128 { format!("{}", model.text) } else { format!("{}/{version}", model.text) };
        let mut document =
            Fingerprint::new(format!("{seq}"), text_digest, u64::from(model.text) << (8 * (version % 4)));
        document.prose = Some(u64::from(model.text % 20));
        document
    };
    let (gave, fit) = match candidates.iter().find(|profile| cuts(profile)) {
        _ if !model.is_article => (Err(PageOutcome::NoText), Fit::None),
        Some(profile) => (Ok(document(profile.version)), Fit::Covered),
        None if candidates.is_empty() || model.text.is_multiple_of(2) => (Ok(document(0)), Fit::Missed),
        None => (Err(PageOutcome::NoTemplate), Fit::Missed),
    };
    let mut reading = PageReading::new(seq, gave);
    reading.position = Some(position);
    reading.is_article_like = model.is_article;
    reading.unwanted = (model.text == 77).then_some(PageOutcome::Filtered);
    reading.fit = fit;
    reading.is_partial = model.text % 7 == 0;
    reading
}

/// Learns the designs that at least a third of the articles have, if there are any.
fn learn(pages: &[Model], task: &LearningTask, rules: Rules, version: u32) -> Learned {
    let shown = task.pages.clone().filter(|seq| task.has(*seq));
    let articles: Vec<u64> =
        shown.filter(|seq| pages[*seq as usize].is_article).take(rules.learning_pages as usize).collect();
    let of_design = |design: u8| articles.iter().filter(|seq| pages[**seq as usize].design == design).count();
    let language: String = (0..9)
        .filter(|design| 3 * of_design(*design) > articles.len())
        .map(|design| char::from(b'0' + design))
        .collect();
    let mut profile = DomainProfile::from_toml(&format!("key = '{}'\ntemplate = []", domain())).unwrap();
    profile.version = version;
    profile.language = Some(language.clone());
    let is_whole = articles.len() as u64 == rules.learning_pages;
    let last = articles.last().filter(|_| is_whole).copied().unwrap_or(*task.pages.end());
    let speaks = articles.len() as u64 >= rules.least_learning_pages && !language.is_empty();
    let mut result = Learned::default();
    result.article_pages = articles.len() as u64;
    result.first = task.pages.clone().find(|seq| task.has(*seq)).map(position);
    result.profile = speaks.then_some(profile);
    // Texts that many of the pages have in place of articles.
    let shown = task.pages.clone().filter(|seq| task.has(*seq) && *seq <= last);
    result.walls = shown
        .map(|seq| u64::from(pages[seq as usize].text % 20))
        .fold(BTreeMap::<u64, usize>::new(), |mut pages, prose| {
            *pages.entry(prose).or_default() += 1;
            pages
        })
        .into_iter()
        .filter(|(_, pages)| *pages >= 5)
        .map(|(prose, _)| prose)
        .collect();
    result
}

/// The state that survives a kill.
#[derive(Clone, Default)]
struct Durable {
    learning: LearningState,
    profiles: Vec<ServingProfile>,
    progress: ExtractionProgress,
    seen: MemorySeen,
    given: Vec<Given>,
}

/// Drives the pipeline over the pages that exist, as the crawl does, and stops after the steps in `lives`.
struct Driver<'p> {
    pages: &'p [Model],
    rules: Rules,
    /// The number of steps until each kill.
    lives: Vec<u8>,
    knows_articles: bool,
}

struct Killed;

impl Driver<'_> {
    fn live(&mut self) -> Result<(), Killed> {
        match self.lives.last_mut() {
            Some(0) => {
                self.lives.pop();
                Err(Killed)
            }
            Some(steps) => {
                *steps -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn drive(&mut self, durable: &mut Durable, there: usize, ends: Option<LearningEnd>) {
        while self.try_drive(durable, there, ends).is_err() {}
    }

    fn try_drive(&mut self, durable: &mut Durable, there: usize, ends: Option<LearningEnd>) -> Result<(), Killed> {
        // Write to the database format and read it again.
        let bytes = postcard::to_stdvec(&durable.progress).unwrap();
        let progress: ExtractionProgress = postcard::from_bytes(&bytes).unwrap();
        let mut profiles = ProfileSet::of(durable.profiles.iter().cloned());
        let mut machine = DomainExtraction::new(domain(), self.rules, durable.learning.clone(), progress);
        let (mut seen, mut given) = (durable.seen.clone(), durable.given.clone());
        let mut trigger = LearningTrigger::new(self.rules.learning_pages);
        let is_known = |page: &&Model| page.is_article && self.knows_articles;
        self.pages[..there].iter().for_each(|page| trigger.page(is_known(&page), Timestamp::UNIX_EPOCH));
        let given_up = ends.map(|why| LearningEnds::new(why, there as u64));
        let learning_ends = match self.knows_articles {
            true => trigger.ends(false, Timestamp::UNIX_EPOCH).or(given_up),
            false => given_up,
        };
        let available = AvailablePages::new(there as u64, learning_ends);
        loop {
            match machine.next(available, &profiles) {
                Step::Wait => break,
                Step::Enter(learning) => {
                    durable.learning = learning.clone();
                    self.live()?;
                    machine.enter(&Conclusion::from(learning));
                }
                Step::Learn(task) => {
                    let version = profiles.latest(&domain()).map_or(1, |latest| latest.profile.version + 1);
                    let result = learn(self.pages, &task, self.rules, version);
                    let conclusion = machine.conclude(&task, result);
                    commit(durable, &machine, &seen, &given);
                    self.live()?;
                    durable.learning = conclusion.learning.clone();
                    durable.profiles.extend(conclusion.serving.clone());
                    self.live()?;
                    machine.enter(&conclusion);
                    conclusion.serving.into_iter().for_each(|serving| profiles.add(serving));
                }
                Step::Restart => {
                    (seen, given) = (MemorySeen::default(), Vec::new());
                    machine.restart();
                    commit(durable, &machine, &seen, &given);
                }
                Step::Read { from } => {
                    let until = (from + 16).min(there as u64);
                    let readings: Vec<PageReading> =
                        (from..until).map(|seq| read(self.pages, seq, &profiles, None)).collect();
                    for mut reading in readings {
                        reading.is_article_like &= self.knows_articles;
                        if !machine.may_take(reading.seq, reading.position.as_ref(), &profiles) {
                            break;
                        }
                        let Ok(decision) = machine.take(&reading, &profiles, &mut seen);
                        given.extend(document(&reading, decision));
                        self.live()?;
                        if machine.progress().relearning.is_some() {
                            break;
                        }
                    }
                    commit(durable, &machine, &seen, &given);
                }
                Step::Rescue { pages, with } => {
                    for seq in pages {
                        let before = read(self.pages, seq, &profiles, None);
                        let again = read(self.pages, seq, &profiles, Some(&with.profile));
                        match (before.result, &again.result) {
                            (Err(reason), Ok(_)) => {
                                let Ok(decision) = machine.take_again(&again, reason, &mut seen);
                                given.extend(document(&again, decision));
                            }
                            _ => machine.rescued(seq),
                        }
                        self.live()?;
                    }
                    commit(durable, &machine, &seen, &given);
                }
            }
        }
        commit(durable, &machine, &seen, &given);
        Ok(())
    }
}

fn commit(durable: &mut Durable, machine: &DomainExtraction, seen: &MemorySeen, given: &[Given]) {
    durable.progress = machine.progress().clone();
    durable.seen = seen.clone();
    durable.given = given.to_vec();
}

fn document(reading: &PageReading, decision: PageDecision) -> Option<Given> {
    let PageDecision::Emit { near_duplicate_of } = decision else { return None };
    Some((reading.seq, reading.result.as_ref().ok()?.text_digest.clone(), near_duplicate_of))
}

/// A crawl: pages arrive in bits, its first learning phase ends at `ends_at` at the latest, and it is killed several
/// times.
fn crawl(pages: &[Model], arrivals: &[usize], ends_at: usize, lives: &[u8]) -> Durable {
    let mut driver = Driver { pages, rules: rules(), lives: lives.to_vec(), knows_articles: true };
    let mut durable = Durable::default();
    let mut there = 0_usize;
    for arrived in arrivals.iter().chain([&usize::MAX]) {
        let until = there.saturating_add(*arrived).min(pages.len());
        if (there..until).contains(&ends_at) {
            driver.drive(&mut durable, ends_at, Some(LearningEnd::QueueEmpty));
        }
        there = until;
        driver.drive(&mut durable, there, None);
    }
    driver.drive(&mut durable, there, Some(LearningEnd::NoMorePages));
    durable
}

/// Extracts pages with no known events, in one run.
fn extract(pages: &[Model]) -> Durable {
    let mut durable = Durable::default();
    let mut driver = Driver { pages, rules: rules(), lives: Vec::new(), knows_articles: false };
    driver.drive(&mut durable, pages.len(), Some(LearningEnd::NoMorePages));
    durable
}

/// Extracts the pages of a job again, with the profiles that it has learned.
fn extract_job(pages: &[Model], job: &Durable) -> Vec<Given> {
    let learns = job.learning.phase != Phase::Unprofiled;
    let mut rules = rules();
    (rules.learns, rules.watches, rules.withdraws) = (learns, false, false);
    let mut durable = Durable { profiles: job.profiles.clone(), ..Durable::default() };
    durable.learning.walls = job.learning.walls.clone();
    let mut driver = Driver { pages, rules, lives: Vec::new(), knows_articles: false };
    driver.drive(&mut durable, pages.len(), Some(LearningEnd::NoMorePages));
    assert_eq!(durable.profiles.len(), job.profiles.len(), "the extraction learned although the job has profiles");
    durable.given
}

/// Rebuilds a job that has lost its database, but not its learned profiles.
fn rebuild(pages: &[Model], job: &Durable, lives: &[u8]) -> Durable {
    let mut durable = Durable { learning: job.learning.clone(), profiles: job.profiles.clone(), ..Durable::default() };
    let mut driver = Driver { pages, rules: rules(), lives: lives.to_vec(), knows_articles: true };
    driver.drive(&mut durable, pages.len(), None);
    durable
}

/// Reads pieces of the job independently of each other, then decides about the pages in order. None if the result for
/// one page changes those for others.
fn in_pieces(pages: &[Model], piece: usize) -> Option<Vec<Given>> {
    let mut learned = DomainExtraction::new(domain(), rules(), LearningState::default(), ExtractionProgress::default());
    let mut profiles = ProfileSet::default();
    let all = LearningEnds::new(LearningEnd::NoMorePages, pages.len() as u64);
    let available = AvailablePages::new(all.pages, all);
    if let Step::Learn(task) = learned.next(available, &profiles) {
        let conclusion = learned.conclude(&task, learn(pages, &task, rules(), 1));
        learned.enter(&conclusion);
        conclusion.serving.into_iter().for_each(|serving| profiles.add(serving));
    }
    let all: Vec<u64> = (0..pages.len() as u64).collect();
    let mut pieces: Vec<Vec<PageReading>> = all
        .chunks(piece)
        .rev()
        .map(|piece| piece.iter().map(|seq| read(pages, *seq, &profiles, None)).collect())
        .collect();
    pieces.reverse();
    let (mut seen, mut given) = (MemorySeen::default(), Vec::new());
    for mut reading in pieces.concat() {
        reading.is_article_like = false;
        let is_next = learned.next(available, &profiles) == Step::Read { from: reading.seq };
        if !is_next || !learned.may_take(reading.seq, reading.position.as_ref(), &profiles) {
            return None;
        }
        let Ok(decision) = learned.take(&reading, &profiles, &mut seen);
        given.extend(document(&reading, decision));
    }
    (learned.next(available, &profiles) == Step::Wait).then_some(given)
}

/// In page order, for comparisons in which the order of writing may differ.
fn sorted(given: &[Given]) -> Vec<Given> {
    let mut sorted = given.to_vec();
    sorted.sort();
    sorted
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn the_same_pages_give_the_same_documents_with_every_driver(
        pages in portal(),
        arrivals in prop::collection::vec(1..60_usize, 0..8),
        ends_at in 0..220_usize,
        lives in prop::collection::vec(0..90_u8, 0..5),
        piece in 1..40_usize,
    ) {
        let crawled = crawl(&pages, &[], ends_at, &[]);
        let pieces: Vec<u64> = crawled.given.iter().map(|(seq, ..)| *seq).collect();
        let mut once = pieces.clone();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), pieces.len(), "a page gave two documents");

        let by_bits = crawl(&pages, &arrivals, ends_at, &lives);
        prop_assert_eq!(&by_bits.given, &crawled.given, "arrivals and kills");
        prop_assert_eq!(&by_bits.progress.tally, &crawled.progress.tally);
        prop_assert_eq!(&by_bits.learning, &crawled.learning);
        prop_assert_eq!(&extract_job(&pages, &crawled), &crawled.given, "the job extracted again");
        let rebuilt = rebuild(&pages, &crawled, &lives);
        prop_assert_eq!(&rebuilt.given, &crawled.given, "rebuilt");
        prop_assert_eq!(rebuilt.profiles.len(), crawled.profiles.len());

        let bare = extract(&pages);
        let without_event = crawl(&pages, &arrivals, usize::MAX, &lives);
        prop_assert_eq!(&bare.given, &without_event.given, "a crawl without events, and its bare pages");
        if let Some(joined) = in_pieces(&pages, piece) {
            prop_assert_eq!(sorted(&joined), sorted(&bare.given), "in pieces");
        } else {
            let has_reason = bare.profiles.len() > 1 || bare.progress.recent.failures > 0;
            prop_assert!(has_reason, "pieces were refused without a reason");
        }
    }
}

#[test]
fn the_random_portals_reach_every_state_of_learning() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let (mut relearned, mut anew, mut unprofiled, mut early) = (0, 0, 0, 0);
    for round in 0..200 {
        let pages = portal().new_tree(&mut runner).unwrap().current();
        let job = crawl(&pages, &[10], 10 + round % 40, &[]);
        relearned += usize::from(job.profiles.iter().any(|serving| serving.rescues_from.is_some()));
        anew += usize::from(job.learning.life > 0);
        unprofiled += usize::from(job.learning.phase == Phase::Unprofiled);
        early += usize::from(job.progress.is_early);
    }
    let all = [relearned, anew, unprofiled, early];
    assert!(all.iter().all(|cases| *cases > 0), "relearned, anew, unprofiled, early: {all:?}");
}
