//! A page and a host that were taken out of a job: nothing of them is left, a rebuild does not bring them back, and no crawl
//! asks for them again.

use std::fs;
use std::path::Path;

use goldminer::archive::{Entry, Record, WarcReader};

use crate::crawl_rights::{Portal, paths};
use crate::crawl_world::{LONG, assert_accounts, goldminer, run, status};

/// The URLs that the archive has answers of, and all of its text.
fn archived(job: &Path) -> (Vec<String>, String) {
    let (mut urls, mut text) = (Vec::new(), String::new());
    for file in fs::read_dir(job.join("archive")).unwrap().map(|entry| entry.unwrap().path()) {
        if file.to_string_lossy().ends_with(".cdxj") {
            text += &fs::read_to_string(&file).unwrap();
            continue;
        }
        for entry in WarcReader::open(&file).unwrap() {
            let Entry::Record { record, .. } = entry.unwrap() else { panic!("a fault in {}", file.display()) };
            text += &format!("{record:?}");
            if let Record::Response(capture) = record {
                urls.push(capture.url.path_and_query().to_owned());
            }
        }
    }
    (urls, text)
}

#[test]
fn a_page_that_is_dropped_is_gone_for_good() {
    let dir = tempfile::tempdir().unwrap();
    let portal = Portal::start();
    let job = portal.crawl(dir.path(), "respect = []");
    assert!(paths(&job).contains(&"/tdm".to_owned()));
    let dropped = run(goldminer(&["drop"]).arg(&job).arg("http://portal.example/tdm"), LONG);
    assert_eq!(dropped.code(), Some(0), "{dropped:?}");
    assert!(dropped.stdout.contains("2 records"), "{}", dropped.stdout);
    let is_gone = || {
        let (urls, text) = archived(&job);
        assert!(!urls.contains(&"/tdm".to_owned()) && urls.contains(&"/free".to_owned()), "{urls:?}");
        assert!(!text.contains("portal.example/tdm"), "the archive still names it");
        assert!(!paths(&job).contains(&"/tdm".to_owned()) && paths(&job).contains(&"/free".to_owned()));
        assert_accounts(&status(&job));
    };
    is_gone();
    assert!(!job.join("frontier.old").exists(), "the old database still knows it");
    let log = fs::read_to_string(job.join("withdrawn.jsonl")).unwrap();
    assert!(log.contains("\"withdrawn\":\"http://portal.example/tdm\"") && log.contains("\"records\":2"), "{log}");

    assert_eq!(run(goldminer(&["rebuild"]).arg(&job), LONG).code(), Some(0));
    is_gone();
    let asked = portal.asked("/tdm");
    portal.crawl(dir.path(), "respect = []");
    is_gone();
    assert_eq!(portal.asked("/tdm"), asked, "it was asked for again");
    let why = run(goldminer(&["why"]).arg(&job).arg("http://portal.example/tdm"), LONG);
    assert!(why.stdout.contains("withdrawn"), "{}", why.stdout);

    let host = run(goldminer(&["drop", "--json"]).arg(&job).arg("portal.example"), LONG);
    assert_eq!(host.code(), Some(0), "{host:?}");
    assert!(archived(&job).0.is_empty(), "an answer is left");
    let corpus = fs::read_dir(job.join("corpus")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = corpus.filter(|name| name.to_string_lossy().ends_with(".jsonl.zst")).collect();
    assert!(left.is_empty(), "documents are left in {left:?}");
    let wrong = run(goldminer(&["drop"]).arg(&job).arg("portal.example/tdm"), LONG);
    assert_eq!(wrong.code(), Some(2), "{wrong:?}");
}
