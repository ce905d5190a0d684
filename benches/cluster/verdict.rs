//! Checks whether anything went wrong, by the web server's log and both corpora.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use goldminer_core::document::Document;
use goldminer_lab::eval::{Board, Scorer};
use goldminer_testkit::access_log::{Entry, ViolationKind};
use goldminer_testkit::portals::Portals;

use crate::UPLOAD;
use crate::crawl_world::documents;

/// Prints figures on the crawl, and fails if one of them is not allowed. `host_deaths` is the number of hosts whose
/// uncommitted pages were lost, counted again for each loss.
pub(crate) fn check(
    entries: &[Entry],
    portals: &Portals,
    delay: Duration,
    host_deaths: usize,
    corpus: &Path,
    alone: &Path,
) {
    let (found, twice) = check_politeness(entries, portals, delay);
    // A host may lose the pages since its last commit, and the requests in flight.
    let by_deaths = host_deaths as f64 * UPLOAD.as_secs_f64() / delay.as_secs_f64();
    let most = by_deaths + entries.len() as f64 / 200.0;
    println!("at most {most:.0} pages may be fetched twice");

    let (cluster, alone) = (documents(corpus), documents(alone));
    let missing: Vec<&String> = alone.keys().filter(|url| !cluster.contains_key(*url)).collect();
    let added: Vec<&String> = cluster.keys().filter(|url| !alone.contains_key(*url)).collect();
    let same =
        cluster.iter().filter(|(url, document)| alone.get(*url).is_some_and(|other| other.text == document.text));
    println!(
        "{} documents, {} of one process; {} missing, {} added; {} have the same text",
        cluster.len(),
        alone.len(),
        missing.len(),
        added.len(),
        same.count()
    );
    let mut by_portal: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (what, documents) in [("cluster", &cluster), ("one process", &alone)] {
        let (mut board, mut without) = (Board::default(), 0);
        for portal in portals.iter() {
            for (path, gold) in portal.gold() {
                let url = format!("http://{}{path}", portal.host);
                match documents.get(&url) {
                    Some(document) => {
                        board.add(
                            format!("{}/{path}", portal.host),
                            Scorer::fair().score(document.text.as_bytes(), gold.text().as_bytes()),
                        );
                    }
                    None => without += 1,
                }
            }
        }
        println!(
            "{what}: F {:.2} against the written articles, {without} without a document; the least by portal: {}",
            100.0 * board.summary().micro.f,
            least(&board)
        );
        for (domain, summary) in board.by_domain() {
            by_portal.entry(domain.to_owned()).or_default().push(100.0 * summary.micro.f);
        }
    }
    for (domain, f) in by_portal.iter().filter(|(_, f)| f.len() == 2 && (f[0] - f[1]).abs() > 0.2) {
        println!(
            "  {domain}: F {:.2} here ({}), {:.2} alone ({})",
            f[0],
            read_by(&cluster, domain),
            f[1],
            read_by(&alone, domain)
        );
    }
    assert!(found.is_empty(), "the crawl was impolite: {found:?}");
    assert!(missing.is_empty() && added.is_empty(), "missing {missing:#?}, added {added:#?}");
    assert!(twice as f64 <= most, "{twice} pages were fetched twice");
}

/// Checks in the web server's log whether the crawl was polite. Returns the number of violations of each kind, and the
/// number of pages that were fetched twice.
pub(crate) fn check_politeness(
    entries: &[Entry],
    portals: &Portals,
    delay: Duration,
) -> (BTreeMap<&'static str, usize>, usize) {
    let mut found: BTreeMap<&'static str, usize> = BTreeMap::new();
    let violations = goldminer_testkit::violations(entries, portals, delay);
    for violation in &violations {
        *found.entry(name(&violation.kind)).or_default() += 1;
    }
    let twice = found.remove("fetched twice").unwrap_or_default();
    for violation in violations.iter().filter(|violation| violation.kind != ViolationKind::FetchedTwice).take(20) {
        println!("  {violation:?}");
    }
    println!("{} requests; wrong: {found:?}; fetched twice: {twice}", entries.len());
    (found, twice)
}

/// Describes by which profiles a portal's documents were extracted.
fn read_by(documents: &BTreeMap<String, Document>, domain: &str) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for document in documents.values().filter(|document| document.url.contains(&format!("//{domain}/"))) {
        let provenance = &document.provenance;
        let profile = provenance.profile.as_ref();
        let by = profile.map_or_else(|| format!("{:?}", provenance.method), |used| format!("version {}", used.version));
        *counts.entry(by).or_default() += 1;
    }
    counts.iter().map(|(by, count)| format!("{count} by {by}")).collect::<Vec<_>>().join(", ")
}

/// The portals with the lowest F-scores.
fn least(board: &Board) -> String {
    let mut portals: Vec<(f64, &str)> =
        board.by_domain().into_iter().map(|(domain, summary)| (100.0 * summary.micro.f, domain)).collect();
    portals.sort_by(|a, b| a.0.total_cmp(&b.0));
    portals.iter().take(5).map(|(f, domain)| format!("{domain} {f:.1}")).collect::<Vec<_>>().join(", ")
}

fn name(kind: &ViolationKind) -> &'static str {
    match kind {
        ViolationKind::TooSoon(_) => "too soon",
        ViolationKind::TwoInFlight => "two at once",
        ViolationKind::BeforeRobots => "before robots.txt",
        ViolationKind::Forbidden => "against robots.txt",
        ViolationKind::DuringRetryAfter => "within a Retry-After",
        ViolationKind::FetchedTwice => "fetched twice",
    }
}
