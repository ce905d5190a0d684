//! `goldminer sample`, for archives that can be read only once: the sample has the same pages, whichever process reads
//! which file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use goldminer_testkit::portals::{Portals, Size};
use goldminer_warc::{Entry, Record, WarcReader};
use serde_json::Value;
use tempfile::TempDir;

use crate::crawl_world::{LONG, Ran, goldminer, run};

/// An archive of another program: the articles of some portals interleaved in files, over a month.
pub(crate) struct Interleaved {
    pub dir: TempDir,
    pub warcs: PathBuf,
    /// Every page: URL and record.
    pub pages: Vec<(String, Vec<u8>)>,
}

impl Interleaved {
    pub(crate) fn new(hosts: usize, articles: usize, files: usize) -> Self {
        Self::redesigned_at(hosts, articles, files, usize::MAX)
    }

    /// The same, but the portals have another layout from this article on.
    pub(crate) fn redesigned_at(hosts: usize, articles: usize, files: usize, redesign: usize) -> Self {
        let size = Size { traps: false, ..Size::default() };
        let portals: Vec<_> = Portals::many(hosts, articles, &size).iter().collect();
        let mut pages = Vec::new();
        for n in 0..articles {
            for portal in &portals {
                let path = portal.article_path(n);
                let day = format!("2026-{:02}-15T08:00:{:02}Z", 1 + 2 * n / articles, n % 60);
                let url = format!("http://{}{path}", portal.host);
                let reply = portal.reply(&path, n >= redesign);
                pages.push((url.clone(), response(&url, &day, "text/html; charset=utf-8", &reply.body)));
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let warcs = dir.path().join("warcs");
        fs::create_dir(&warcs).unwrap();
        for (number, of_file) in pages.chunks(pages.len().div_ceil(files)).enumerate() {
            let bytes: Vec<u8> = of_file.iter().flat_map(|(_, record)| gzip(record)).collect();
            fs::write(warcs.join(format!("NEWS-{number:05}.warc.gz")), bytes).unwrap();
        }
        Self { dir, warcs, pages }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

pub(crate) fn response(url: &str, date: &str, content_type: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n").as_bytes(), body].concat();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), &block, b"\r\n\r\n"].concat()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

pub(crate) fn sample(sources: &[&Path], out: &Path, more: &[&str]) -> Ran {
    let ran = run(goldminer(&["sample"]).args(sources).arg("-o").arg(out).args(more), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    ran
}

/// The pages of a sample: URL and month.
fn sampled(out: &Path) -> BTreeSet<(String, String)> {
    let mut pages = BTreeSet::new();
    for folder in fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()) {
        if !folder.file_name().unwrap().to_string_lossy().starts_with("bucket-") {
            continue;
        }
        for file in fs::read_dir(folder).unwrap() {
            for entry in WarcReader::open(&file.unwrap().path()).unwrap() {
                let Entry::Record { record: Record::Response(capture), .. } = entry.unwrap() else {
                    panic!("no response")
                };
                pages.insert((capture.url.as_str().to_owned(), capture.fetched.strftime("%Y-%m").to_string()));
            }
        }
    }
    pages
}

/// Every file below a folder, except the manifest, with its bytes.
fn files(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true if entry.ends_with("manifest") => {}
            true => files(&entry, found),
            false => drop(found.insert(entry.clone(), fs::read(&entry).unwrap())),
        }
    }
}

#[test]
fn any_shards_give_the_same_pages_per_domain_and_month() {
    let world = Interleaved::new(6, 30, 5);
    let whole = world.path("whole");
    sample(&[&world.warcs], &whole, &["--pages", "4", "--buckets", "3"]);
    let pages = sampled(&whole);
    let mut groups: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (url, month) in &pages {
        let host = url.split('/').nth(2).unwrap().to_owned();
        *groups.entry((host, month.clone())).or_default() += 1;
    }
    assert_eq!(groups.len(), 12, "six domains, two months: {groups:?}");
    assert!(groups.values().all(|pages| *pages == 4), "{groups:?}");

    let again = world.path("again");
    sample(&[&world.warcs], &again, &["--pages", "4", "--buckets", "3", "--threads", "1"]);
    let bytes = |out: &Path| {
        let mut found = BTreeMap::new();
        files(out, &mut found);
        found.into_iter().map(|(path, bytes)| (path.strip_prefix(out).unwrap().to_owned(), bytes)).collect::<Vec<_>>()
    };
    assert_eq!(bytes(&whole), bytes(&again), "the same bytes with one thread");

    let sharded = world.path("sharded");
    for number in [3, 1, 2] {
        let shard = format!("{number}/3");
        sample(&[&world.warcs], &sharded, &["--pages", "4", "--buckets", "3", "--shard", &shard]);
    }
    assert!(sampled(&sharded).is_superset(&pages), "each page of the whole sample is in the sample of a shard");
}

#[test]
fn records_are_copied_unchanged() {
    let world = Interleaved::new(2, 6, 1);
    let out = world.path("out");
    sample(&[&world.warcs], &out, &["--buckets", "1"]);
    let copied = fs::read(out.join("bucket-00000/shard-00001-of-00001.warc.gz")).unwrap();
    for (url, record) in &world.pages {
        let member = gzip(record);
        assert!(copied.windows(member.len()).any(|window| window == member), "{url}");
    }
}

#[test]
fn archives_of_any_form_give_the_same_sample() {
    let world = Interleaved::new(3, 8, 1);
    let records: Vec<Vec<u8>> = world.pages.iter().map(|(_, record)| record.clone()).collect();
    let forms = [
        ("plain.warc", records.concat()),
        ("one-member.warc.gz", gzip(&records.concat())),
        ("frames.warc.zst", records.iter().flat_map(|record| zstd::encode_all(&record[..], 3).unwrap()).collect()),
    ];
    let whole = world.path("whole");
    sample(&[&world.warcs], &whole, &["--pages", "3"]);
    for (name, bytes) in forms {
        let (file, out) = (world.path(name), world.path(&format!("out-{name}")));
        fs::write(&file, bytes).unwrap();
        sample(&[&file], &out, &["--pages", "3"]);
        assert_eq!(sampled(&out), sampled(&whole), "{name}");
    }
}

#[test]
fn other_records_are_counted_and_damage_is_reported() {
    let world = Interleaved::new(1, 3, 1);
    let gone = String::from_utf8(response("http://p.example/gone", "2026-01-01", "text/html", b"<p>Gone")).unwrap();
    let mut bytes = gzip(gone.replace("200 OK", "404 No").as_bytes());
    bytes.extend(gzip(&response("http://p.example/program", "2026-01-01", "application/zip", b"PK\x03\x04 and so on")));
    bytes.extend(gzip(&response("http://p.example/undated", "yesterday", "text/html", b"<p>When?")));
    let torn = gzip(&world.pages[0].1);
    bytes.extend(&torn[..torn.len() / 2]);
    bytes.extend(gzip(&response("http://p.example/old", "1970-01-01T00:00:00Z", "text/html", b"<p>An old page.")));
    let (file, out) = (world.path("damaged.warc.gz"), world.path("out"));
    fs::write(&file, bytes).unwrap();
    let ran = sample(&[&file, &world.warcs], &out, &["--json"]);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(summary["pages"], 4, "{summary}");
    assert_eq!(summary["others"]["with a status other than 200"], 1, "{summary}");
    assert_eq!(summary["others"]["not HTML"], 1, "{summary}");
    assert_eq!(summary["others"]["damaged or incomplete"], 2, "{summary}");
    assert!(ran.stderr.contains("damaged.warc.gz at byte") && ran.stderr.contains("no readable date"), "{ran:?}");
}

/// A sample with this many buckets by a process that may open this many files.
#[cfg(unix)]
fn sampled_with_descriptors(world: &Interleaved, out: &Path, limits: &str, buckets: &str) -> Ran {
    let program = goldminer(&[]).get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("{limits}; exec \"$@\""), "sh"]).arg(program).arg("sample").arg(&world.warcs);
    run(shell.arg("-o").arg(out).args(["--pages", "3", "--buckets", buckets]), LONG)
}

#[test]
#[cfg(unix)]
fn too_many_buckets_for_the_open_files_are_refused() {
    let world = Interleaved::new(3, 8, 1);
    let refused = sampled_with_descriptors(&world, &world.path("refused"), "ulimit -n 200", "400");
    assert_eq!(refused.code(), Some(1), "{refused:?}");
    assert!(refused.stderr.contains("a sample of 400 buckets") && refused.stderr.contains("ulimit -n"), "{refused:?}");
    // The soft limit of the shell is raised to the hard limit.
    let out = world.path("taken");
    let taken = sampled_with_descriptors(&world, &out, "ulimit -Sn 100", "400");
    assert_eq!((taken.code(), sampled(&out).len()), (Some(0), 18), "{taken:?}");
}

#[test]
fn samples_with_other_options_and_other_files_are_refused() {
    let world = Interleaved::new(1, 3, 1);
    let out = world.path("out");
    sample(&[&world.warcs], &out, &[]);
    let ran = run(goldminer(&["sample"]).arg(&world.warcs).arg("-o").arg(&out).args(["--pages", "7"]), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("--pages 100, and this run is with --pages 7"), "{}", ran.stderr);
    let page = world.path("page.html");
    fs::write(&page, "<p>A page.").unwrap();
    let ran = run(goldminer(&["sample"]).arg(&page).arg("-o").arg(world.path("other")), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("page.html is neither an archive"), "{}", ran.stderr);
}

#[test]
fn a_damaged_sample_is_refused_by_learn_and_repaired() {
    let world = Interleaved::new(3, 12, 2);
    let (out, book) = (world.path("out"), world.path("profiles.gmp"));
    let sample = || sample(&[&world.warcs], &out, &["--buckets", "1"]);
    let learn = || run(goldminer(&["learn"]).arg(&out).arg("-o").arg(&book), LONG);
    sample();
    let file = out.join("bucket-00000/shard-00001-of-00001.warc.gz");
    let whole = fs::read(&file).unwrap();
    let damages: [(&dyn Fn(), &str); 3] = [
        (&|| fs::remove_file(&file).unwrap(), "00001.warc.gz is gone"),
        (&|| fs::write(&file, b"").unwrap(), "00001.warc.gz has 0 bytes"),
        (&|| fs::write(&file, &whole[..whole.len() - 1000]).unwrap(), "bytes instead of"),
    ];
    for (damage, words) in damages {
        damage();
        let ran = learn();
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        assert!(ran.stderr.contains(words) && ran.stderr.contains("the sample with `goldminer sample`"), "{ran:?}");
        let ran = sample();
        assert!(ran.stderr.contains(words) && ran.stderr.contains("sampling shard "), "{ran:?}");
        assert_eq!(fs::read(&file).unwrap(), whole);
    }
    assert!(sample().stdout.contains("everything was already done"));
    // Files that somebody put beside the sample are not part of it.
    fs::write(out.join("bucket-00000/notes.txt"), "of somebody").unwrap();
    assert_eq!(learn().code(), Some(0));
    assert!(sample().stdout.contains("everything was already done"));
}

#[test]
fn a_file_that_changed_since_the_sample_was_begun_is_refused() {
    let world = Interleaved::new(2, 6, 2);
    let out = world.path("out");
    sample(&[&world.warcs], &out, &["--shard", "1/2"]);
    for number in 0..2 {
        let file = world.warcs.join(format!("NEWS-{number:05}.warc.gz"));
        fs::write(&file, [fs::read(&file).unwrap(), gzip(b"")].concat()).unwrap();
    }
    let ran = run(goldminer(&["sample"]).arg(&world.warcs).arg("-o").arg(&out).args(["--shard", "2/2"]), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("NEWS-00000.warc.gz has changed since the sample"), "{ran:?}");
}

#[test]
fn a_finished_sample_of_archives_that_changed_is_refused() {
    let world = Interleaved::new(2, 6, 2);
    let (out, file) = (world.path("out"), world.warcs.join("NEWS-00001.warc.gz"));
    let whole = fs::read(&file).unwrap();
    sample(&[&world.warcs], &out, &[]);
    for changed in [[&whole[..], &gzip(b"")].concat(), whole[..whole.len() / 2].to_vec()] {
        fs::write(&file, changed).unwrap();
        let ran = run(goldminer(&["sample"]).arg(&world.warcs).arg("-o").arg(&out), LONG);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        let said = format!("NEWS-00001.warc.gz has changed since the sample {} was begun", out.display());
        assert!(ran.stderr.contains(&said) && ran.stderr.contains("name another -o"), "{ran:?}");
    }
    fs::write(&file, &whole).unwrap();
    assert!(sample(&[&world.warcs], &out, &[]).stdout.contains("everything was already done"));
    fs::remove_file(&file).unwrap();
    assert!(sample(&[&world.warcs], &out, &[]).stdout.contains("everything was already done"), "it is only gone");
}

#[test]
fn a_page_in_two_files_is_sampled_from_the_first() {
    let world = Interleaved::new(1, 40, 1);
    let (one, other) = (world.path("a.warc.gz"), world.path("b.warc.gz"));
    let packed = |level: u32| -> Vec<u8> {
        let member = |record: &[u8]| {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::new(level));
            gzip.write_all(record).unwrap();
            gzip.finish().unwrap()
        };
        world.pages.iter().flat_map(|(_, record)| member(record)).collect()
    };
    fs::write(&one, packed(9)).unwrap();
    fs::write(&other, packed(1)).unwrap();
    let bytes = |sources: &[&Path], name: &str, threads: &str| {
        let out = world.path(name);
        sample(sources, &out, &["--buckets", "1", "--threads", threads]);
        fs::read(out.join("bucket-00000/shard-00001-of-00001.warc.gz")).unwrap()
    };
    let expected = bytes(&[&one], "of-one", "1");
    for time in 0..6 {
        assert_eq!(bytes(&[&one, &other], &format!("of-both-{time}"), "2"), expected);
    }
}
