//! Measures the peak memory of learning from large pages, in a separate process, with Linux's `VmHWM`. To measure with
//! all 60 pages: `GOLDMINER_PAGES=60 cargo test --release -p goldminer-core --test learning_memory`

#![allow(clippy::unwrap_used)]

use goldminer_core::address::Domain;
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::page::Page;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The peak memory of the process so far, in bytes; None if the system does not report it.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[test]
fn learning_from_pages_of_4_mb_takes_at_most_64_mb() {
    let pages: usize = std::env::var("GOLDMINER_PAGES").ok().and_then(|pages| pages.parse().ok()).unwrap_or(8);
    let mut learner = Learner::of(Domain::named("portal.example"));
    // Parsing one page of this size takes memory by itself, before anything is kept.
    let page = Page::parse("<p>w1</p>".repeat((4 << 20) / 9));
    learner.add_page(&page, None);
    let Some(before) = peak_bytes() else { return };
    for _ in 1..pages {
        learner.add_page(&page, None);
    }
    let _ = learner.learn();
    let taken = peak_bytes().unwrap().saturating_sub(before);
    assert!(taken <= 64 << 20, "{} MB for the sample beside one page", taken >> 20);
}
