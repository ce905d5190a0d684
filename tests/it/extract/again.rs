//! `goldminer extract` on the results of crawls: the job's own archive, and WARC files of other programs, whole and
//! broken.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::{Knobs, Web, WebConfig};

use crate::crawl_world::{LONG, Ran, World, documents, goldminer, run};

fn portals() -> Portals {
    Portals::demo(&Size { scale: 0.15, ..Size::default() })
}

fn world() -> World {
    World::new(portals(), Knobs::default())
        .hosts(&["courier.example", "hirnok.example", "gazette.example"])
        .settings("ip_spacing = \"0s\"")
}

fn extract(source: &Path, out: &Path) -> Ran {
    run(goldminer(&["extract"]).arg(source).arg("-o").arg(out), LONG)
}

#[test]
fn extracting_a_finished_crawl_again_gives_the_same() {
    let world = world();
    let job = world.crawled("job");
    let out = world.path("out");
    let ran = extract(&job, &out);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let (crawled, again) = (documents(&job.join("corpus")), documents(&out));
    assert!(crawled.len() > 30, "only {} documents, so nothing is tested", crawled.len());
    assert_eq!(crawled.keys().collect::<Vec<_>>(), again.keys().collect::<Vec<_>>());
    for (url, document) in &crawled {
        assert_eq!(again[url], *document, "{url}");
    }
    assert!(!ran.stderr.contains("could not be read"), "{}", ran.stderr);
}

#[test]
fn without_its_database_a_crawl_gives_the_same_documents() {
    let world = world();
    let job = world.crawled("job");
    std::fs::remove_dir_all(job.join("frontier")).unwrap();
    let out = world.path("out");
    let ran = extract(&job, &out);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(documents(&out), documents(&job.join("corpus")));
    assert!(!ran.stderr.contains("cannot be"), "{}", ran.stderr);
}

#[test]
fn an_old_or_broken_page_index_is_not_used() {
    let world = world();
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "20"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let list = job.join("pages.jsonl.zst");
    let early = std::fs::read(&list).unwrap();
    world.crawled("job");
    let late = std::fs::read(&list).unwrap();
    assert_ne!(early, late);
    let crawled = documents(&job.join("corpus"));
    for (name, bytes) in [("older", early.as_slice()), ("cut", &late[..late.len() / 2]), ("no-zstd", b"pages")] {
        std::fs::write(&list, bytes).unwrap();
        let out = world.path(name);
        let ran = extract(&job, &out);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        assert_eq!(documents(&out), crawled, "{name}");
        assert_eq!(ran.stderr.contains("pages.jsonl.zst"), name != "older", "{name}: {}", ran.stderr);
    }
}

#[test]
fn without_the_databases_the_archive_gives_the_articles() {
    let world = world();
    let job = world.crawled("job");
    let before = documents(&job.join("corpus"));
    for gone in ["frontier", "profiles.sled"] {
        std::fs::remove_dir_all(job.join(gone)).unwrap();
    }
    std::fs::remove_file(job.join("pages.jsonl.zst")).unwrap();
    let out = world.path("out");
    let ran = extract(&job, &out);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stderr.contains("cannot be used"), "{}", ran.stderr);
    let after = documents(&out);
    let kept = before.keys().filter(|url| after.contains_key(*url)).count();
    assert!(kept * 10 >= before.len() * 9, "{kept} of {} articles", before.len());
}

#[test]
fn a_job_whose_archive_lost_a_file_is_not_extracted_in_part() {
    let world = world();
    let job = world.crawled("job");
    let warc = first_warc(&job);
    std::fs::rename(&warc, world.path("elsewhere")).unwrap();
    let out = world.path("out");
    let ran = extract(&job, &out);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    let name = warc.file_name().unwrap().to_string_lossy();
    assert!(ran.stderr.contains(&format!("{name} is missing")) && ran.stderr.contains("--accept-losses"), "{ran:?}");
    assert!(!out.exists());
    std::fs::rename(world.path("elsewhere"), &warc).unwrap();
    assert_eq!(extract(&job, &out).code(), Some(0));
}

fn first_warc(job: &Path) -> PathBuf {
    let mut files = std::fs::read_dir(job.join("archive")).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.to_string_lossy().ends_with(".warc.gz")).unwrap()
}

#[test]
fn a_truncated_warc_gives_its_intact_pages_and_a_warning() {
    let world = world().hosts(&["courier.example"]);
    let job = world.crawled("job");
    let bytes = std::fs::read(first_warc(&job)).unwrap();
    let cut = world.path("cut.warc.gz");
    std::fs::write(&cut, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let out = world.path("out");
    let ran = extract(&cut, &out);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stderr.contains("cut.warc.gz"), "the file with the fault is named: {}", ran.stderr);
    let found = documents(&out).len();
    assert!(found > 4, "{found} documents from two thirds of the file");
}

#[test]
fn sources_without_pages_are_named_with_advice() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    std::fs::write(empty.join("readme.txt"), "no page").unwrap();
    let ran = extract(&empty, &out);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("no pages in") && ran.stderr.contains("WARC files"), "{}", ran.stderr);
    let ran = extract(&dir.path().join("nowhere"), &out);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("nowhere"), "{}", ran.stderr);
    // Bytes that are no WARC, whatever the name says.
    let fake = dir.path().join("fake.warc.gz");
    std::fs::write(&fake, "not a warc file at all\n".repeat(40)).unwrap();
    let ran = extract(&fake, &out);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("fake.warc.gz") && ran.stderr.contains("is not gzip and not WARC"), "{}", ran.stderr);
}

/// Makes a WARC file of a portal's articles with wget. The URLs have the address of the server instead of the host,
/// because wget cannot resolve the host. None if wget is not installed.
fn mirror(folder: &Path, host: &str) -> Option<()> {
    let found = Command::new("wget").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        eprintln!("skipped: wget is not installed");
        return None;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let web = runtime.block_on(Web::start(WebConfig::new(portals()))).unwrap();
    let portals = portals();
    let portal = portals.find(host).unwrap();
    let list = folder.join("urls.txt");
    let urls: String = portal.gold().map(|(path, _)| format!("http://{}{path}\n", web.address())).collect();
    std::fs::write(&list, urls).unwrap();
    let mut wget = Command::new("wget");
    wget.current_dir(folder).args(["-q", "-O", "pages.bin", "--no-proxy", "--warc-file=mirror", "-i", "urls.txt"]);
    let ran = run(wget.arg(format!("--header=Host: {host}")), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    Some(())
}

#[test]
fn a_warc_made_by_wget_gives_its_articles() {
    let dir = tempfile::tempdir().unwrap();
    let Some(()) = mirror(dir.path(), "courier.example") else { return };
    let out = dir.path().join("out");
    let ran = extract(&dir.path().join("mirror.warc.gz"), &out);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let documents = documents(&out);
    let portals = portals();
    let portal = portals.find("courier.example").unwrap();
    let (mut wanted, mut found) = (0, 0);
    for (path, gold) in portal.gold() {
        let document = documents.values().find(|document| document.url.ends_with(&path));
        // Only longer paragraphs are checked. Leads also occur on other pages as teasers, and short items are tested
        // with the learner.
        let body = gold.paragraphs.iter().skip(2).filter(|(_, text)| text.len() > 120);
        wanted += body.clone().count();
        found += body.filter(|(_, text)| document.is_some_and(|d| d.text.contains(text))).count();
    }
    assert!(found * 10 >= wanted * 9, "{found} of {wanted} paragraphs\n{}", ran.stdout);
}
