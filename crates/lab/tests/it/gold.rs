//! Twenty small pages with gold texts and profiles, so that a fresh clone also checks quality. The pages are from the
//! test web: `cargo run -p goldminer-testkit --example gold_pages -- crates/core/tests/gold` rewrites them.

use std::path::Path;

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::extract::{Extractor, SourcePage};
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_lab::eval::{Board, Scorer};

/// The least F of words over the four pages of each portal, in hundredths: with its profile, and without.
const FLOORS: &[(&str, f64, f64)] = &[
    ("courier.example", 99.9, 94.8),
    ("gazette.example", 99.7, 77.6),
    ("hirnok.example", 99.9, 95.9),
    ("naplo.example", 99.9, 97.2),
    ("rundschau.example", 99.9, 83.1),
];

fn text(source: &SourcePage<'_>, profile: Option<&DomainProfile>) -> String {
    match Extractor::default().extract(source, profile) {
        Ok(document) => document.text,
        Err(_) => String::new(),
    }
}

/// The F for a portal's pages, with its profile and without.
fn score(portal: &Path) -> [f64; 2] {
    let profile = std::fs::read_to_string(portal.join("profile.toml")).unwrap();
    let profile = DomainProfile::from_toml(&profile).unwrap();
    let (mut learned, mut alone) = (Board::default(), Board::default());
    for line in std::fs::read_to_string(portal.join("pages.tsv")).unwrap().lines().skip(1) {
        let [id, url, content_type] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let bytes = std::fs::read(portal.join(format!("{id}.html"))).unwrap();
        let gold = std::fs::read(portal.join(format!("{id}.txt"))).unwrap();
        let url = CrawlUrl::parse(url).unwrap();
        let domain: Domain = url.domain();
        let source = SourcePage::new(&bytes, &domain).with_url(&url).with_content_type(content_type);
        learned.add(id, Scorer::fair().score(text(&source, Some(&profile)).as_bytes(), &gold));
        alone.add(id, Scorer::fair().score(text(&source, None).as_bytes(), &gold));
    }
    [learned, alone].map(|board| 100.0 * board.summary().micro.f)
}

#[test]
fn the_twenty_gold_pages_stay_above_their_floors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/gold");
    let mut portals: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    portals.sort();
    let names: Vec<&str> = portals.iter().map(|portal| portal.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, FLOORS.iter().map(|(name, ..)| *name).collect::<Vec<_>>(), "each portal has its floors");
    for (portal, (name, learned_floor, alone_floor)) in portals.iter().zip(FLOORS) {
        let [learned, alone] = score(portal);
        println!("{name}: {learned:.2} learned, {alone:.2} alone");
        assert!(learned >= *learned_floor, "{name}: F {learned:.2} is below its floor, {learned_floor}");
        assert!(alone >= *alone_floor, "{name}: F {alone:.2} from each page alone is below its floor, {alone_floor}");
    }
}
