//! Measures how fast pages are processed, in megabytes of HTML per second of CPU time. Each stage (such as parsing) is
//! measured over all pages below the given folders:
//!
//! ```text
//! cargo bench --profile fast --bench page -- FOLDER…
//! ```
//!
//! Each stage runs in five rounds over all pages, single-threaded; the best round counts. For profilers,
//! `STAGE=links` runs only the stages whose names begin with it, and `ROUNDS=1` sets the number of rounds. Time is
//! the thread's CPU time from Linux (`/proc/thread-self/schedstat`), on other systems wall time.

#![allow(clippy::disallowed_methods)] // it measures time

use std::borrow::Cow;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::extract::{Extractor, SourcePage};
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_core::justext::{PageLanguage, Stoplist, Thresholds, classify, language};
use goldminer_core::metadata::of_page;
use goldminer_core::page::encoding::decode;
use goldminer_core::page::text::language::{detect, sample};
use goldminer_core::page::{Page, Reading, Tokens};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 5;
/// A round repeats its stage for at least this long: the system's clock ticks in milliseconds.
const MIN_ROUND: Duration = Duration::from_millis(200);

fn main() {
    let folders: Vec<PathBuf> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).map(PathBuf::from).collect();
    let mut pages = Vec::new();
    let mut ends = Vec::new();
    for folder in &folders {
        read_pages(folder, &mut pages);
        ends.push(pages.len());
    }
    if pages.is_empty() {
        println!("no pages: give folders of HTML files");
        return;
    }
    let bytes: usize = pages.iter().map(Vec::len).sum();
    println!("{} pages, {:.1} MB", pages.len(), bytes as f64 / 1e6);
    let texts: Vec<String> = pages.iter().map(|page| decode(page, None).text.into_owned()).collect();
    let articles: Vec<Page> = texts.iter().map(|text| Page::parse(text.clone())).collect();
    let justext: Vec<Page> = texts.iter().map(|text| Page::parse_as(text.clone(), Reading::Justext)).collect();
    let addresses: Vec<CrawlUrl> = articles.iter().map(address_of).collect();

    stage("decode", bytes, || pages.iter().map(|page| decode(page, None).text.len()).sum());
    stage("tokens", bytes, || texts.iter().map(|text| Tokens::new(text).count()).sum());
    stage("outline (article)", bytes, || texts.iter().map(|text| Page::parse(text.clone()).paragraphs().len()).sum());
    stage("outline (jusText)", bytes, || {
        texts.iter().map(|text| Page::parse_as(text.clone(), Reading::Justext).paragraphs().len()).sum()
    });
    stage("links", bytes, || {
        articles.iter().zip(&addresses).map(|(page, address)| page.links(address).links.len()).sum()
    });
    stage("metadata", bytes, || {
        articles.iter().zip(&addresses).map(|(page, address)| of_page(page, Some(address)).authors.len()).sum()
    });
    stage("language, expected", bytes, || {
        articles.iter().map(|page| usize::from(language_of(page).code.is_some())).sum()
    });
    stage("language, detected", bytes, || {
        articles.iter().map(|page| usize::from(detect(&sample(page.paragraphs())).is_some())).sum()
    });
    stage("classes", bytes, || justext.iter().map(|page| classes(page, language_of(page).stoplist)).sum());
    stage("jusText, from bytes", bytes, || {
        pages
            .iter()
            .map(|page| {
                let page = Page::parse_as(decode(page, None).text.into_owned(), Reading::Justext);
                classes(&page, language_of(&page).stoplist)
            })
            .sum()
    });
    stage("all but the cut, from bytes", bytes, || {
        pages
            .iter()
            .zip(&addresses)
            .map(|(page, address)| {
                let page = Page::parse(decode(page, None).text.into_owned());
                let links = page.links(address).links.len();
                links + of_page(&page, Some(address)).authors.len() + classes(&page, language_of(&page).stoplist)
            })
            .sum()
    });
    let classifier = Classifier::of(Convention::Article);
    stage("classifier, from pages", bytes, || articles.iter().map(|page| classifier.classify(page).text.len()).sum());
    stage("classifier, from bytes", bytes, || {
        pages
            .iter()
            .map(|page| classifier.classify(&Page::parse(decode(page, None).text.into_owned())).text.len())
            .sum()
    });
    let profiles = learned(&articles, &addresses, &ends);
    let domain = Domain::named("portal.example");
    // An unknown domain: its pages teach, then they are extracted, each parsed once.
    stage("learning and extraction, from bytes", bytes, || {
        let read: Vec<Page> = pages.iter().map(|page| Page::parse(decode(page, None).text.into_owned())).collect();
        let profiles = learned(&read, &addresses, &ends);
        extracted(&pages, &addresses, &profiles, &ends, |at, _| Some(Cow::Borrowed(&read[at])))
    });
    // What the Python package does in `extract`, and `extract --stream` for each page.
    stage("extraction, from bytes", bytes, || {
        extracted(&pages, &addresses, &profiles, &ends, |_, source| Extractor::read(source).map(Cow::Owned))
    });
    // What a crawl needs of a page, from one parse: its links, its metadata and its text.
    stage("extraction and links, from bytes", bytes, || {
        let extractor = Extractor::default().with_structure(false);
        let documents = pages.iter().zip(&addresses).enumerate().filter(|(at, (page, address))| {
            let source = SourcePage::new(page, &domain).with_url(*address);
            let profile = profiles[ends.partition_point(|end| end <= at)].as_ref();
            let Some(read) = Extractor::read(&source) else { return false };
            black_box(read.links(address));
            extractor.extract_read(&read, &source, profile).is_ok()
        });
        documents.count()
    });
}

/// Extracts the pages with the profiles of their folders, without structure. Returns the number of documents.
fn extracted<'p>(
    pages: &[Vec<u8>],
    addresses: &[CrawlUrl],
    profiles: &[Option<DomainProfile>],
    ends: &[usize],
    read: impl Fn(usize, &SourcePage<'_>) -> Option<Cow<'p, Page>>,
) -> usize {
    let (extractor, domain) = (Extractor::default().with_structure(false), Domain::named("portal.example"));
    let documents = pages.iter().zip(addresses).enumerate().filter(|(at, (page, address))| {
        let source = SourcePage::new(page, &domain).with_url(*address);
        let profile = profiles[ends.partition_point(|end| end <= at)].as_ref();
        read(*at, &source).is_some_and(|page| extractor.extract_read(&page, &source, profile).is_ok())
    });
    documents.count()
}

/// A profile for each folder, as if it were one domain.
fn learned(articles: &[Page], addresses: &[CrawlUrl], ends: &[usize]) -> Vec<Option<DomainProfile>> {
    let mut begin = 0;
    let mut learn = |end: usize| {
        let mut learner = Learner::of(Domain::named("portal.example"));
        for at in (begin..end).take(300) {
            learner.add_page(&articles[at], Some(&addresses[at]));
        }
        begin = end;
        learner.learn().ok()
    };
    ends.iter().map(|end| learn(*end)).collect()
}

/// The address that the page names, or the one that most of its links lead to.
fn address_of(page: &Page) -> CrawlUrl {
    let somewhere = CrawlUrl::parse("https://www.portal.example/news/").expect("an address");
    if let Some(canonical) = of_page(page, None).canonical.and_then(|url| CrawlUrl::parse(&url).ok()) {
        return canonical;
    }
    let hosts: Vec<_> = page.links(&somewhere).links.into_iter().map(|link| link.url.host()).collect();
    let most = hosts.iter().max_by_key(|host| hosts.iter().filter(|other| other == host).count());
    most.map_or(somewhere, |host| host.root())
}

fn language_of(page: &Page) -> PageLanguage {
    let declared = page.declared_language();
    language(page.paragraphs(), &declared.iter().map(String::as_str).collect::<Vec<_>>())
}

fn classes(page: &Page, stoplist: &Stoplist) -> usize {
    classify(page.paragraphs(), stoplist, &Thresholds::default()).len()
}

fn stage(name: &str, bytes: usize, mut run: impl FnMut() -> usize) {
    if std::env::var("STAGE").is_ok_and(|wanted| !name.starts_with(&wanted)) {
        return;
    }
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    let best = (0..rounds)
        .map(|_| {
            let (clock, mut times) = (Clock::start(), 0);
            while clock.elapsed() < MIN_ROUND {
                black_box(run());
                times += 1;
            }
            clock.elapsed() / times
        })
        .min()
        .unwrap_or_default();
    println!("{name:<28} {:>8.0} MB/s", bytes as f64 / 1e6 / best.as_secs_f64());
}

/// CPU time of this thread, if the system reports it.
struct Clock {
    wall: Instant,
    cpu: Option<Duration>,
}

impl Clock {
    fn start() -> Self {
        Self { wall: Instant::now(), cpu: cpu_time() }
    }

    fn elapsed(&self) -> Duration {
        match (self.cpu, cpu_time()) {
            (Some(start), Some(end)) => end - start,
            _ => self.wall.elapsed(),
        }
    }
}

fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_ascii_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn read_pages(folder: &Path, pages: &mut Vec<Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("{}: cannot be read", folder.display());
        return;
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read_pages(&path, pages);
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html") || e.eq_ignore_ascii_case("htm")) {
            pages.extend(std::fs::read(&path).ok());
        }
    }
}
