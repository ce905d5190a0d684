//! Google's conformance suite for robots.txt (google/robotstxt-spec-test), which is not part of this repository:
//! `GOLDMINER_ROBOTS_CASES` names a JSON file of objects `{file, robots (hex), url, ua, exp, type}`.

use data_encoding::HEXLOWER_PERMISSIVE;
use goldminer_fetch::robots::{Robots, path_of};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    file: String,
    robots: String,
    url: String,
    ua: String,
    exp: String,
    #[serde(rename = "type")]
    kind: String,
}

#[test]
fn robots_txt_passes_googles_conformance_suite() {
    let Ok(path) = std::env::var("GOLDMINER_ROBOTS_CASES") else {
        eprintln!("skipped: set GOLDMINER_ROBOTS_CASES to the suite's cases.json to run it");
        return;
    };
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let cases: Vec<Case> = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut disagreements = Vec::new();
    let mut standard = 0;
    for case in &cases {
        let body = HEXLOWER_PERMISSIVE.decode(case.robots.as_bytes()).expect("robots is hex");
        let verdict = Robots::parse(&body, &case.ua).verdict_on_path(&path_of(&case.url));
        standard += usize::from(case.kind == "STANDARD");
        if verdict.allowed != (case.exp == "ALLOWED") {
            disagreements
                .push(format!("{} {}: {} for {} is not {}", case.kind, case.file, case.url, case.ua, case.exp));
        }
    }
    assert_eq!((cases.len(), standard), (400, 378), "is this the suite?");
    assert!(disagreements.is_empty(), "{} of {}:\n{}", disagreements.len(), cases.len(), disagreements.join("\n"));
}
