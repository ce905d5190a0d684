//! How many megabytes of HTML a second of CPU time takes, stage by stage, over all pages below the folders given:
//!
//! ```text
//! cargo bench --profile fast --bench page -- FOLDER…
//! ```
//!
//! Each stage is run five times over all pages, single-threaded; the best round counts. Time is CPU time of the thread as
//! Linux keeps it (`/proc/thread-self/schedstat`), elsewhere wall time.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use goldminer::page::{Page, Reading, Tokens};

const ROUNDS: usize = 5;

fn main() {
    let folders: Vec<PathBuf> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).map(PathBuf::from).collect();
    let mut pages = Vec::new();
    for folder in &folders {
        read_pages(folder, &mut pages);
    }
    if pages.is_empty() {
        println!("no pages: give folders of HTML files");
        return;
    }
    let bytes: usize = pages.iter().map(Vec::len).sum();
    println!("{} pages, {:.1} MB", pages.len(), bytes as f64 / 1e6);
    let texts: Vec<String> = pages.iter().map(|page| String::from_utf8_lossy(page).into_owned()).collect();

    stage("tokens", bytes, || texts.iter().map(|text| Tokens::new(text).count()).sum());
    stage("outline (article)", bytes, || {
        texts.iter().map(|text| Page::parse_as(text.clone(), Reading::Article).paragraphs().len()).sum()
    });
    stage("outline (jusText)", bytes, || {
        texts.iter().map(|text| Page::parse_as(text.clone(), Reading::Justext).paragraphs().len()).sum()
    });
}

fn stage(name: &str, bytes: usize, mut run: impl FnMut() -> usize) {
    let best = (0..ROUNDS)
        .map(|_| {
            let clock = Clock::start();
            black_box(run());
            clock.elapsed()
        })
        .min()
        .unwrap_or_default();
    println!("{name:<24} {:>8.0} MB/s", bytes as f64 / 1e6 / best.as_secs_f64().max(1e-9));
}

/// CPU time of this thread, where the system tells it.
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
