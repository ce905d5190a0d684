//! Measures how fast archives are processed, and in how much memory. Makes an archive of generated news portals, 400
//! domains per gigabyte, whose sizes follow Zipf's law. Then runs `goldminer sample`, `learn` and `extract --stream` on
//! it. Pages of different domains are mixed, and no page occurs twice in a domain. With `--sets FOLDER`, every other
//! domain is a copy of a domain of the evaluation sets in this folder.
//!
//! Run `cargo bench --bench archives -- --gb 1 --dir target/archive`, or use `--gb 50 --files 40 --sets lab/eval`. An
//! archive that was made before is used again. `--compare` also extracts the archive in two passes, and prints how many
//! documents are the same, and the F-scores of both extractions on pages with a gold text (made by people). To use a
//! program that is built already, give its path in `GOLDMINER_PROGRAM`.

#[path = "../tests/it/crawl_world.rs"]
#[allow(dead_code, clippy::unwrap_used, clippy::disallowed_methods)] // shared with the tests, which may
mod crawl_world;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use goldminer_lab::eval::{Board, Scorer};
use goldminer_testkit::portals::{Portal, Portals, Size};
use libdeflater::{CompressionLvl, Compressor};
use rayon::prelude::*;
use serde_json::Value;

/// The approximate length of a page of a portal, in bytes.
const PAGE_BYTES: usize = 40_000;
/// As in the full archive: 20,000 domains in 50 GB.
const DOMAINS_A_GIGABYTE: f64 = 400.0;
/// The number of months over which the pages of the archive are spread.
const MONTHS: usize = 3;

struct Plan {
    gigabytes: f64,
    domains: usize,
    files: usize,
    threads: usize,
    sets: Option<PathBuf>,
    dir: PathBuf,
    compare: bool,
}

/// Where the pages of a domain come from.
enum Domain {
    Portal(Arc<Portal>),
    /// Copies of the pages of a domain of an evaluation set, under another host name.
    Copy {
        host: String,
        pages: Vec<(PathBuf, u64)>,
    },
}

fn main() {
    let plan = plan();
    let warcs = plan.dir.join("warcs");
    if !plan.dir.join("made").exists() {
        make(&plan, &warcs);
    }
    let (samples, book, out) = (plan.dir.join("samples"), plan.dir.join("profiles.gmp"), plan.dir.join("out"));
    for before in [&samples, &out, &plan.dir.join("two-passes")] {
        let _ = fs::remove_dir_all(before);
    }
    println!("step     wall s    CPU s   VmHWM MB   MB of HTML/s of CPU   what came");
    let (warcs, samples, book, out) = (path(&warcs), path(&samples), path(&book), path(&out));
    let sampled = step("sample", &plan, &["sample", warcs, "-o", samples], None);
    let bytes = sampled["page_bytes"].as_u64();
    // `learn` reports the number of its pages, not their bytes: these are estimated from the share of pages that was
    // sampled.
    let share = sampled["sampled"].as_f64().unwrap_or_default() / sampled["pages"].as_f64().unwrap_or(1.0);
    let of_sample = bytes.map(|bytes| (bytes as f64 * share) as u64);
    step("learn", &plan, &["learn", samples, "-o", book], of_sample);
    step("stream", &plan, &["extract", "--stream", warcs, "--profiles", book, "-o", out], bytes);
    if plan.compare {
        let whole = plan.dir.join("two-passes");
        step("extract", &plan, &["extract", warcs, "-o", path(&whole)], bytes);
        compare(&plan, Path::new(out), &whole);
    }
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// Runs a step, and prints its time, memory and results.
fn step(name: &str, plan: &Plan, args: &[&str], bytes: Option<u64>) -> Value {
    let threads = plan.threads.to_string();
    let mut command = crawl_world::goldminer(args);
    command.args(["-q", "--json", "--threads", &threads]);
    let ran = crawl_world::run(&mut command, Duration::from_secs(36_000));
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let summary: Value = serde_json::from_str(&ran.stdout).expect("a summary");
    let bytes = bytes.or(summary["page_bytes"].as_u64()).unwrap_or_default();
    let figures: Vec<String> = ["pages", "sampled", "learned", "profiles", "documents", "by_profile"]
        .iter()
        .filter_map(|key| Some(format!("{key} {}", summary[*key].as_u64()?)))
        .collect();
    println!(
        "{name:<8} {:>6.1}  {:>7.1}  {:>9}  {:>20.0}   {}",
        ran.took.as_secs_f64(),
        ran.usage.cpu.as_secs_f64(),
        ran.usage.peak_rss_bytes / 1_000_000,
        bytes as f64 / 1e6 / ran.usage.cpu.as_secs_f64(),
        figures.join(", ")
    );
    summary
}

/// Prints how many documents are the same in one pass and in two, and the F-scores of both on pages with a gold text.
fn compare(plan: &Plan, streamed: &Path, whole: &Path) {
    let golds = golds(plan);
    let scorer = Scorer::fair();
    let texts = |out: &Path| -> (HashMap<String, u64>, Board) {
        let (mut texts, mut scored) = (HashMap::new(), HashMap::new());
        for document in goldminer_corpus::read(out).expect("a corpus") {
            let document = document.expect("a document");
            if let Some(gold) = golds.get(&document.url) {
                scored.insert(document.url.clone(), scorer.score(document.text.as_bytes(), gold));
            }
            texts.insert(document.url, xxhash_rust::xxh3::xxh3_64(document.text.as_bytes()));
        }
        let mut board = Board::default();
        for (url, gold) in &golds {
            board.add(url.as_str(), scored.remove(url).unwrap_or_else(|| scorer.score(b"", gold)));
        }
        (texts, board)
    };
    let ((streamed, of_one), (whole, of_two)) = (texts(streamed), texts(whole));
    let same = streamed.iter().filter(|(url, text)| whole.get(*url) == Some(text)).count();
    println!("documents: {} in one pass, {} in two, {same} the same", streamed.len(), whole.len());
    let f = |board: &Board| 100.0 * board.summary().micro.f;
    println!("F of {} pages with a gold: {:.2} in one pass, {:.2} in two", golds.len(), f(&of_one), f(&of_two));
}

/// Returns the gold texts (made by people) of the pages that were copied from evaluation sets, by URL. If a set lists
/// its sound pages in `ok.txt`, its other pages are left out.
fn golds(plan: &Plan) -> HashMap<String, Vec<u8>> {
    let mut golds = HashMap::new();
    for (domain, taken) in domains(plan) {
        let Domain::Copy { host, pages } = domain else { continue };
        for (page, _) in pages.iter().take(taken) {
            let (Some(id), Some(folder)) = (page.file_stem(), page.parent()) else { continue };
            let (Some(name), Some(set)) = (folder.file_name(), folder.ancestors().nth(2)) else { continue };
            let is_sound = fs::read_to_string(set.join("ok.txt"))
                .map_or(true, |sound| sound.lines().any(|line| Path::new(line).file_name() == Some(id)));
            let gold = fs::read(set.join("gold").join(name).join(format!("{}.txt", id.to_string_lossy())));
            if let (true, Ok(gold)) = (is_sound, gold) {
                golds.insert(format!("http://{host}/{}", id.to_string_lossy()), gold);
            }
        }
    }
    golds
}

fn make(plan: &Plan, warcs: &Path) {
    fs::create_dir_all(warcs).expect("a folder for the archive");
    let domains = domains(plan);
    let mut order: Vec<(u32, u32)> = Vec::new();
    for (number, (_, pages)) in domains.iter().enumerate() {
        order.extend((0..*pages as u32).map(|page| (number as u32, page)));
    }
    // Shuffles by Fisher and Yates, with Knuth's generator.
    let mut state = 2019_u64;
    for at in (1..order.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, (state >> 33) as usize % (at + 1));
    }
    let files: Vec<(usize, &[(u32, u32)])> = order.chunks(order.len().div_ceil(plan.files)).enumerate().collect();
    let written: u64 = files.par_iter().map(|(number, pages)| write_file(plan, warcs, *number, pages, &domains)).sum();
    fs::write(plan.dir.join("made"), "").expect("the archive");
    println!(
        "made: {:.2} GB of HTML, {} pages of {} domains in {} files",
        written as f64 / 1e9,
        order.len(),
        domains.len(),
        files.len()
    );
}

fn write_file(plan: &Plan, warcs: &Path, number: usize, pages: &[(u32, u32)], domains: &[(Domain, usize)]) -> u64 {
    let path = warcs.join(format!("NEWS-{number:05}.warc.gz"));
    let mut file = BufWriter::new(File::create(path).expect("a file of the archive"));
    let mut compressor = Compressor::new(CompressionLvl::new(6).expect("a level"));
    let month = 1 + MONTHS * number / plan.files;
    let mut written = 0;
    for (at, (domain, page)) in pages.iter().enumerate() {
        let (url, body) = domains[*domain as usize].0.page(*page as usize);
        let day = 1 + 28 * at / pages.len();
        let date = format!("2026-{month:02}-{day:02}T08:{:02}:{:02}Z", at / 60 % 60, at % 60);
        let record = record(&url, &date, &body);
        written += body.len() as u64;
        let mut member = vec![0; compressor.gzip_compress_bound(record.len())];
        let length = compressor.gzip_compress(&record, &mut member).expect("room enough");
        file.write_all(&member[..length]).expect("room on the disk");
    }
    file.flush().expect("room on the disk");
    written
}

fn record(url: &str, date: &str, body: &[u8]) -> Vec<u8> {
    let block = [&b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"[..], body].concat();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), &block, b"\r\n\r\n"].concat()
}

/// Returns the archive's domains with their numbers of pages. These numbers follow Zipf's law, and together give an
/// archive of the wanted size.
fn domains(plan: &Plan) -> Vec<(Domain, usize)> {
    let copied = plan.sets.as_deref().map(copied).unwrap_or_default();
    // If there are sets, every other domain is a copy of a domain of a set.
    let of_set = |rank: usize| (rank % 2 == 1 && !copied.is_empty()).then(|| &copied[rank / 2 % copied.len()]);
    let pages = |scale: f64, rank: usize| {
        let wanted = (scale / (rank + 1) as f64).ceil() as usize;
        of_set(rank).map_or(wanted, |(_, pages)| wanted.min(pages.len()))
    };
    let bytes = |scale: f64| -> f64 {
        let of = |rank: usize| match of_set(rank) {
            Some((_, all)) => all.iter().take(pages(scale, rank)).map(|(_, bytes)| *bytes as f64).sum(),
            None => (pages(scale, rank) * PAGE_BYTES) as f64,
        };
        (0..plan.domains).map(of).sum()
    };
    let (mut least, mut most) = (0.0, 1e8);
    for _ in 0..60 {
        let middle = (least + most) / 2.0;
        if bytes(middle) < plan.gigabytes * 1e9 { least = middle } else { most = middle }
    }
    let ranks = 0..plan.domains;
    let sizes: Vec<(usize, usize)> =
        ranks.clone().filter(|rank| of_set(*rank).is_none()).map(|rank| (1, pages(most, rank))).collect();
    let size = Size { traps: false, ..Size::default() };
    let web = Portals::sized(&sizes, &size).of_page_bytes(PAGE_BYTES);
    let mut portals = web.iter();
    ranks
        .filter_map(|rank| {
            let domain = match of_set(rank) {
                Some((name, pages)) => {
                    let host = format!("{}-{rank:05}.example", name.replace('.', "-"));
                    Domain::Copy { host, pages: pages.clone() }
                }
                None => Domain::Portal(portals.next()?),
            };
            Some((domain, pages(most, rank)))
        })
        .collect()
}

/// The pages of each domain of all sets below a folder, with their lengths.
fn copied(sets: &Path) -> Vec<(String, Vec<(PathBuf, u64)>)> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort_unstable();
        paths
    };
    let mut domains = Vec::new();
    for set in below(sets) {
        for domain in below(&set.join("pages")) {
            let pages: Vec<(PathBuf, u64)> = below(&domain)
                .into_iter()
                .filter_map(|page| Some((page.clone(), page.metadata().ok()?.len())))
                .collect();
            if pages.len() >= 20 {
                domains.push((domain.file_name().unwrap_or_default().to_string_lossy().into_owned(), pages));
            }
        }
    }
    domains
}

impl Domain {
    fn page(&self, number: usize) -> (String, Vec<u8>) {
        match self {
            Self::Portal(portal) => {
                let path = portal.article_path(number);
                (format!("http://{}{path}", portal.host), portal.reply(&path, false).body)
            }
            Self::Copy { host, pages } => {
                let page = &pages[number].0;
                let name = page.file_stem().unwrap_or_default().to_string_lossy();
                (format!("http://{host}/{name}"), fs::read(page).expect("a page of a set"))
            }
        }
    }
}

fn plan() -> Plan {
    let mut plan = Plan {
        gigabytes: 1.0,
        domains: 0,
        files: 8,
        threads: 2,
        sets: None,
        dir: std::env::temp_dir().join("goldminer-archives"),
        compare: false,
    };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(name) = args.next() {
        if name == "--compare" {
            plan.compare = true;
            continue;
        }
        let value = args.next().unwrap_or_default();
        let number = || value.parse::<f64>().unwrap_or_else(|_| panic!("{name} takes a number, not {value:?}"));
        match name.as_str() {
            "--gb" => plan.gigabytes = number(),
            "--domains" => plan.domains = number() as usize,
            "--files" => plan.files = number() as usize,
            "--threads" => plan.threads = number() as usize,
            "--sets" => plan.sets = Some(PathBuf::from(value)),
            "--dir" => plan.dir = PathBuf::from(value),
            _ => panic!(
                "unknown argument {name}; there are --gb, --domains, --files, --threads, --sets, --dir, --compare"
            ),
        }
    }
    if plan.domains == 0 {
        plan.domains = (DOMAINS_A_GIGABYTE * plan.gigabytes).ceil() as usize;
    }
    plan
}
