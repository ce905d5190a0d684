//! A page and a host that were dropped from a job: nothing of them is left, a rebuild does not restore them, and no
//! crawl requests them again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use goldminer_warc::{Entry, Record, WarcReader};

use crate::crawl::lists::{article, html};
use crate::crawl::rights::{Portal, paths};
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

#[test]
fn a_dropped_page_or_host_cannot_be_added_again() {
    let dir = tempfile::tempdir().unwrap();
    let job = Portal::start().crawl(dir.path(), "");
    let config = || fs::read_to_string(job.join("job.toml")).unwrap();
    for (dropped, url) in [
        ("http://portal.example/free", "http://portal.example/free"),
        ("portal.example", "http://portal.example/"),
        ("portal.example", "http://www.portal.example/x"),
    ] {
        run(goldminer(&["drop"]).arg(&job).arg(dropped), LONG);
        let before = config();
        let added = run(goldminer(&["ctl"]).arg(&job).args(["add", "http://other.example/", url]), LONG);
        let message = format!(
            "{url} was removed from this job (goldminer drop) and is never requested again; nothing was added\n"
        );
        assert!(added.code() == Some(1) && added.stderr.ends_with(&message), "{added:?}");
        assert_eq!(config(), before, "a portal was added");
    }
}

#[test]
fn a_page_that_repeats_a_dropped_one_keeps_its_content() {
    let dir = tempfile::tempdir().unwrap();
    let copy = || html(&article(9, "", "x"));
    let home = html(
        "<html><body><a href=/free>x</a> <a href=/one>x</a> <a href=/two>x</a> <a href=/three>x</a></body></html>",
    );
    let pages = BTreeMap::from([("/", home), ("/one", copy()), ("/two", copy()), ("/three", copy())]);
    let job = Portal::with(pages).crawl(dir.path(), "respect = []");
    let copies = ["/one", "/two", "/three"];
    let of = |urls: Vec<String>| urls.into_iter().filter(|url| copies.contains(&url.as_str())).collect::<Vec<_>>();
    let (first, [second, third]) = match of(archived(&job).0).as_slice() {
        [first] => {
            (first.clone(), copies.into_iter().filter(|path| path != first).collect::<Vec<_>>().try_into().unwrap())
        }
        several => panic!("the body is stored {} times, so nothing is tested", several.len()),
    };
    let drop = |path: &str| {
        let dropped = run(goldminer(&["drop"]).arg(&job).arg(format!("http://portal.example{path}")), LONG);
        assert_eq!(dropped.code(), Some(0), "{dropped:?}");
        let (urls, text) = archived(&job);
        assert!(!text.contains(&format!("portal.example{path}")), "the archive still names {path}");
        assert_accounts(&status(&job));
        (of(urls), of(paths(&job)))
    };
    let (stored, documents) = drop(&first);
    assert!(stored.len() == 1 && documents == stored, "{stored:?} {documents:?}");
    assert!(stored[0] == second || stored[0] == third, "{stored:?}");
    let last = if stored[0] == second { third } else { second };
    assert_eq!(run(goldminer(&["rebuild"]).arg(&job), LONG).code(), Some(0));
    assert_eq!(of(paths(&job)), stored);
    assert_eq!(drop(&stored[0]), (vec![last.to_owned()], vec![last.to_owned()]));
}

/// Returns the files in a job that contain `what`. The job's configuration and the list of dropped pages are left out.
fn naming(job: &Path, what: &str) -> Vec<String> {
    let (mut naming, mut folders) = (Vec::new(), vec![job.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(job).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !["withdrawn.jsonl", "job.toml"].contains(&name.as_str()) {
                let bytes = fs::read(&path).unwrap();
                let bytes = if name.ends_with(".zst") { zstd::decode_all(bytes.as_slice()).unwrap() } else { bytes };
                let is_named = bytes.windows(what.len()).any(|window| window == what.as_bytes());
                naming.extend(is_named.then_some(name));
            }
        }
    }
    naming
}

#[test]
fn reports_logs_and_profiles_of_a_dropped_host_go_too() {
    let dir = tempfile::tempdir().unwrap();
    let portal = Portal::start();
    let job = portal.crawl(dir.path(), "respect = []");
    for verb in [&["report"][..], &["profile", "report"]] {
        assert_eq!(run(goldminer(verb).arg(&job), LONG).code(), Some(0));
    }
    assert!(!naming(&job, "portal.example/tdm").is_empty(), "nothing is tested");

    let page = run(goldminer(&["drop"]).arg(&job).arg("http://portal.example/tdm"), LONG);
    assert_eq!(page.code(), Some(0), "{page:?}");
    let left: Vec<String> =
        naming(&job, "portal.example/tdm").into_iter().filter(|name| !name.starts_with("frontier/")).collect();
    assert!(left.is_empty(), "{left:?}");

    let host = run(goldminer(&["drop"]).arg(&job).arg("portal.example"), LONG);
    assert_eq!(host.code(), Some(0), "{host:?}");
    // The database must still know that the portal is one of the seeds, and that it is not requested any more.
    let left: Vec<String> =
        naming(&job, "portal.example").into_iter().filter(|name| !name.starts_with("frontier/")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!job.join("report/index.html").exists());
}

#[test]
fn dropping_what_a_job_does_not_know_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let job = Portal::start().crawl(dir.path(), "respect = []");
    let (settings, documents) = (fs::read(job.join("job.toml")).unwrap(), paths(&job));
    for unknown in ["protal.example", "http://portal.example/never-there", "https://other.example/", "example.org"] {
        let ran = run(goldminer(&["drop"]).arg(&job).arg(unknown), LONG);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        assert!(ran.stderr.contains(&format!("{unknown} is unknown")), "{}", ran.stderr);
        assert_eq!((fs::read(job.join("job.toml")).unwrap(), paths(&job)), (settings.clone(), documents.clone()));
        assert!(!job.join("withdrawn.jsonl").exists());
    }
}
