//! Sources of `goldminer extract`: detected by their contents, extracted, or refused with advice.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use goldminer_core::document::Document;
use goldminer_core::rights::Restriction;
use tempfile::TempDir;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use crate::crawl_world::{LONG, Ran, documents, goldminer, run};
use crate::extract::outputs::article;

/// A folder with an output that is not there yet.
pub(crate) fn temp_dir() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    (dir, out)
}

pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

pub(crate) fn extract(source: &Path, out: &Path, more: &[&str]) -> Ran {
    run(goldminer(&["extract"]).arg(source).arg("-o").arg(out).args(more), LONG)
}

pub(crate) fn texts(ran: &Ran, out: &Path) -> BTreeMap<String, String> {
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    documents(out).into_iter().map(|(url, document)| (url, document.text)).collect()
}

pub(crate) fn record(kind: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2026-11-20T09:15:00Z\r\n\
         WARC-Record-ID: <urn:uuid:{:032x}>\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len(),
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

pub(crate) fn response(url: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let fields = format!("WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n");
    record("response", &fields, &[head.as_bytes(), b"\r\n\r\n", body].concat())
}

/// A `warcinfo` and three pages.
fn records() -> Vec<Vec<u8>> {
    let page = |n: u32| {
        let url = format!("https://portal.example/{n}");
        response(&url, "HTTP/1.1 200 OK\r\nContent-Type: text/html", article(&url).as_bytes())
    };
    let info = record("warcinfo", "Content-Type: application/warc-fields\r\n", b"software: somebody's\r\n");
    vec![info, page(1), page(2), page(3)]
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn each(records: &[Vec<u8>], compress: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    records.iter().flat_map(|record| compress(record)).collect()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// Returns a WARC file that is compressed with a zstd dictionary, as the IIPC specifies it: the dictionary in a
/// separate skippable frame, then one frame for each record. With `is_packed`, the dictionary is compressed, too.
fn zstd_with_dictionary(records: &[Vec<u8>], is_packed: bool) -> Vec<u8> {
    let samples: Vec<Vec<u8>> =
        (0..200).map(|n| article(&format!("https://portal.example/{n}")).into_bytes()).collect();
    let dictionary = zstd::dict::from_samples(&samples, 8 << 10).unwrap();
    let content = if is_packed { zstd(&dictionary) } else { dictionary.clone() };
    let mut file = 0x184D_2A5D_u32.to_le_bytes().to_vec();
    file.extend((content.len() as u32).to_le_bytes());
    file.extend(content);
    let mut compressor = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
    for record in records {
        file.extend(compressor.compress(record).unwrap());
    }
    file
}

fn wacz(members: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_warc_file_is_read_with_any_compression_and_name() {
    let records = records();
    let plain = records.concat();
    let forms = [
        ("plain.warc", plain.clone()),
        ("plain", plain.clone()),
        ("by-record.warc.gz", each(&records, gzip)),
        ("by-record-gzip", each(&records, gzip)),
        ("whole.warc.gz", gzip(&plain)),
        ("by-record.warc.zst", each(&records, zstd)),
        ("by-record-zstd", each(&records, zstd)),
        ("whole.warc.zst", zstd(&plain)),
        ("dictionary.warc.zst", zstd_with_dictionary(&records, false)),
        ("packed-dictionary.warc.zst", zstd_with_dictionary(&records, true)),
        ("packed-dictionary", zstd_with_dictionary(&records, true)),
        ("called-wrongly.warc.gz", each(&records, zstd)),
    ];
    let mut expected = None;
    for (name, bytes) in forms {
        let (dir, out) = temp_dir();
        let file = dir.path().join("archive").join(name);
        write(&file, bytes);
        let of_file = texts(&extract(&file, &out, &[]), &out);
        assert_eq!(of_file.len(), 3, "{name}");
        assert_eq!(*expected.get_or_insert_with(|| of_file.clone()), of_file, "{name}");
        // The folder of the file is a source, too. Each document has the position of its page.
        let again = dir.path().join("again");
        assert_eq!(texts(&extract(&dir.path().join("archive"), &again, &[]), &again), of_file, "{name}");
        for document in documents(&again).into_values() {
            let position = document.provenance.warc.expect("it comes from a WARC file");
            assert_eq!(position.file, name);
            let capture = goldminer_warc::read_at(&dir.path().join("archive"), &position).unwrap();
            assert_eq!(capture.url.as_str(), document.url, "{name}");
        }
    }
}

#[test]
fn a_torn_zstd_file_gives_its_intact_pages_and_reports() {
    let (dir, out) = temp_dir();
    let file = dir.path().join("torn.warc.zst");
    let checked = |record: &Vec<u8>| {
        let mut frame = zstd::Encoder::new(Vec::new(), 3).unwrap();
        frame.include_checksum(true).unwrap();
        frame.write_all(record).unwrap();
        frame.finish().unwrap()
    };
    let mut frames: Vec<Vec<u8>> = records().iter().map(checked).collect();
    let broken = frames[1].len() / 2;
    frames[1][broken] ^= 0x55;
    let last = frames[3].len() - 9;
    frames[3].truncate(last);
    write(&file, frames.concat());
    let ran = extract(&file, &out, &[]);
    assert_eq!(texts(&ran, &out).into_keys().collect::<Vec<_>>(), ["https://portal.example/2"]);
    assert_eq!(ran.stderr.matches("torn.warc.zst at byte").count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("the zstd frame is cut off"), "{}", ran.stderr);
}

/// The restrictions of each document.
fn restrictions(ran: &Ran, out: &Path) -> BTreeMap<String, Vec<&'static str>> {
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let names = |document: Document| {
        let all = [Restriction::Noai, Restriction::Tdm].into_iter();
        all.filter(|what| document.rights.restricts(*what)).map(Restriction::as_str).collect()
    };
    documents(out).into_iter().map(|(url, document)| (url, names(document))).collect()
}

#[test]
fn rights_of_hosts_apply_to_their_later_pages_in_archives() {
    let file = |path: &str, body: &str| {
        let url = format!("https://portal.example{path}");
        response(&url, "HTTP/1.1 200 OK\r\nContent-Type: text/plain", body.as_bytes())
    };
    let mut records = records();
    records.insert(3, file("/robots.txt", "User-agent: *\nContent-Usage: train-ai=n\n"));
    records.insert(3, file("/.well-known/tdmrep.json", r#"[{"location": "/3", "tdm-reservation": 1}]"#));
    let url = "https://other.example/1";
    records.push(response(url, "HTTP/1.1 200 OK\r\nContent-Type: text/html", article(url).as_bytes()));
    let expected = BTreeMap::from([
        (url.to_owned(), vec![]),
        ("https://portal.example/1".to_owned(), vec![]),
        ("https://portal.example/2".to_owned(), vec![]),
        ("https://portal.example/3".to_owned(), vec!["noai", "tdm"]),
    ]);
    let (dir, _) = temp_dir();
    let members = [("archive/data.warc.gz", each(&records, gzip))];
    for (name, bytes) in [
        ("by-record.warc.gz", each(&records, gzip)),
        ("whole.warc.zst", zstd(&records.concat())),
        ("crawl.wacz", wacz(&members, CompressionMethod::Stored)),
    ] {
        let file = dir.path().join(name);
        write(&file, bytes);
        for (out, more) in [("two-passes", &[][..]), ("one-pass", &["--stream"])] {
            let out = dir.path().join(format!("{name}-{out}"));
            assert_eq!(restrictions(&extract(&file, &out, more), &out), expected, "{name} {more:?}");
        }
    }
}

#[test]
fn files_without_pages_are_named_and_duplicates_read_once() {
    let (dir, out) = temp_dir();
    let (pages, none) = (dir.path().join("pages.warc.gz"), dir.path().join("meta.warc.gz"));
    write(&pages, each(&records(), gzip));
    write(&none, each(&records()[..1], gzip));
    let again = dir.path().join("./pages.warc.gz");
    let ran = run(goldminer(&["extract"]).args([&none, &pages, &again]).arg("-o").arg(&out), LONG);
    assert_eq!(texts(&ran, &out).len(), 3);
    assert!(ran.stderr.contains("no pages in") && ran.stderr.contains("meta.warc.gz"), "{}", ran.stderr);
    assert!(ran.stdout.contains("3 pages →") && ran.stderr.contains("given twice"), "{ran:?}");
    let twice = run(goldminer(&["extract"]).args([&none, &none]).arg("-o").arg(dir.path().join("none")), LONG);
    assert!(twice.code() == Some(1) && twice.stderr.contains("no pages in"), "{twice:?}");
    // A folder, and a file in it.
    let folder = dir.path().join("in");
    let file = folder.join("pages.warc.gz");
    write(&file, each(&records(), gzip));
    for (sources, more) in [([&folder, &file], &[][..]), ([&file, &folder], &[]), ([&folder, &file], &["--stream"])] {
        let out = tempfile::tempdir().unwrap();
        let ran = run(goldminer(&["extract"]).args(sources).args(more).arg("-o").arg(out.path()), LONG);
        assert!(ran.code() == Some(0) && ran.stdout.contains("3 pages"), "{ran:?}");
    }
    let merged = dir.path().join("merged.jsonl");
    let ran = run(goldminer(&["convert"]).args([&out, &dir.path().join("./out")]).arg("-o").arg(&merged), LONG);
    assert!(ran.code() == Some(0) && ran.stdout.contains("3 documents →"), "{ran:?}");
}

#[test]
fn documents_of_pages_that_no_profile_matches_are_counted() {
    let (dir, out) = temp_dir();
    let pages = dir.path().join("pages.warc.gz");
    let page = |host: &str| {
        let url = format!("https://{host}/article");
        response(&url, "HTTP/1.1 200 OK\r\nContent-Type: text/html", article(&url).as_bytes())
    };
    write(&pages, each(&[page("portal.example"), page("other.example")], gzip));
    let profile = dir.path().join("portal.example.toml");
    write(&profile, "key = 'portal.example'\n[[template]]\nstart = 'body'\n");
    let ran = extract(&pages, &out, &["--profiles", profile.to_str().unwrap()]);
    assert_eq!(texts(&ran, &out).len(), 2);
    assert!(ran.stdout.contains("1 document is from a page that no profile matches"), "{}", ran.stdout);
}

#[test]
fn a_domain_profile_serves_its_hosts_and_unused_ones_are_named() {
    let (dir, out) = temp_dir();
    let pages = dir.path().join("pages.warc.gz");
    let page = |n: u32| {
        let url = format!("https://blog.portal.example/{n}");
        response(&url, "HTTP/1.1 200 OK\r\nContent-Type: text/html", article(&url).as_bytes())
    };
    write(&pages, each(&[page(1), page(2), page(3)], gzip));
    let profiles = dir.path().join("profiles");
    let profile = |key: &str| format!("key = '{key}'\n[[template]]\nstart = 'body'\n");
    write(&profiles.join("a.toml"), profile("portal.example"));
    let given = ["--profiles", profiles.to_str().unwrap()];
    let ran = extract(&pages, &out, &given);
    assert_eq!(texts(&ran, &out).len(), 3);
    assert!(ran.stdout.contains("1 with an existing one, 0 without"), "{}", ran.stdout);
    assert!(documents(&out).values().all(|document| document.provenance.profile.is_some()));
    write(&profiles.join("b.toml"), profile("portal.example"));
    let twice = extract(&pages, &dir.path().join("twice"), &given);
    assert!(twice.code() == Some(1) && twice.stderr.contains("a.toml") && twice.stderr.contains("b.toml"), "{twice:?}");
    fs::remove_file(profiles.join("b.toml")).unwrap();
    write(&profiles.join("a.toml"), profile("https://portal.example"));
    let unused = extract(&pages, &dir.path().join("unused"), &given);
    assert!(
        unused.code() == Some(0) && unused.stderr.contains("no profile (https://portal.example) is for"),
        "{unused:?}"
    );
}

#[test]
fn leaving_out_near_duplicates_needs_a_comparison() {
    let (dir, stream) = temp_dir();
    let pages = dir.path().join("pages.warc.gz");
    write(&pages, each(&records(), gzip));
    let ran = extract(&pages, &stream, &["--stream"]);
    assert!(
        ran.code() == Some(0) && ran.stderr.contains("without --profiles, the page classifier extracts each page"),
        "{ran:?}"
    );
    let out = dir.path().join("x.jsonl");
    let ran = run(goldminer(&["convert", "--no-near-duplicates"]).arg(&stream).arg("-o").arg(&out), LONG);
    assert!(ran.code() == Some(2) && ran.stderr.contains("goldminer dedup"), "{ran:?}");
}

#[test]
fn a_wacz_file_is_read_with_stored_or_compressed_members() {
    let members = [
        ("datapackage.json", b"{}".to_vec()),
        ("pages/pages.jsonl", b"{\"format\": \"json-pages-1.0\"}\n".to_vec()),
        ("indexes/index.cdx", b"example,portal)/1 20261120091500 {}\n".to_vec()),
        ("archive/data.warc.gz", each(&records()[..3], gzip)),
        ("archive/more.warc.gz", each(&records()[3..], gzip)),
    ];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let (dir, out) = temp_dir();
        let file = dir.path().join("crawl.wacz");
        write(&file, wacz(&members, method));
        assert_eq!(texts(&extract(&file, &out, &[]), &out).len(), 3);
        let names: Vec<String> =
            documents(&out).into_values().filter_map(|document| Some(document.provenance.warc?.file)).collect();
        assert_eq!(names[0], "crawl.wacz/archive/data.warc.gz");
        assert_eq!(names[2], "crawl.wacz/archive/more.warc.gz");
    }
}

#[test]
fn a_folder_of_jobs_is_read_without_their_reports() {
    let (dir, out) = temp_dir();
    for (job, pages) in [("first", 1..2), ("second", 2..4)] {
        let folder = dir.path().join("crawls").join(job);
        write(&folder.join("job.toml"), "[crawl]\nuser_agent = \"a/1 (+https://a.example)\"\n");
        write(&folder.join("archive/goldminer-20261120-00000.warc.gz"), each(&records()[pages], gzip));
        write(&folder.join("report/index.html"), article("the report"));
    }
    let urls: Vec<String> = texts(&extract(&dir.path().join("crawls"), &out, &[]), &out).into_keys().collect();
    assert_eq!(urls, ["https://portal.example/1", "https://portal.example/2", "https://portal.example/3"]);
}

#[test]
fn other_files_are_refused_by_name_with_advice() {
    let document = "{\"id\":\"a\",\"url\":\"u\",\"text\":\"t\",\"paragraphs\":[],\"metadata\":{}}\n";
    let wet = [
        record("warcinfo", "", b"software: cc\r\n"),
        record("conversion", "WARC-Target-URI: http://a.example/\r\nContent-Type: text/plain\r\n", b"Text."),
    ];
    let wat = [
        record("warcinfo", "", b"software: cc\r\n"),
        record("metadata", "WARC-Target-URI: http://a.example/\r\nContent-Type: application/json\r\n", b"{}"),
    ];
    let cdxj = "example,portal)/ 20261120091500 {\"url\": \"https://portal.example/\"}\n";
    for (name, bytes, expected) in [
        ("program", b"\x7FELF\x02\x01\x01\x00<html><p>not".to_vec(), "an executable (ELF)"),
        ("page.html", b"\x7FELF\x02\x01\x01\x00<html><p>not".to_vec(), "an executable (ELF)"),
        ("paper.pdf", b"%PDF-1.7\n<html>".to_vec(), "a PDF file"),
        ("photo.html", b"\xFF\xD8\xFF\xE0<p>".to_vec(), "an image (JPEG)"),
        ("pages.zip", wacz(&[("a.html", article("a").into_bytes())], CompressionMethod::Stored), "unpack it"),
        ("page.html.gz", gzip(article("a").as_bytes()), "gzip -d"),
        ("empty.html", Vec::new(), "is empty"),
        ("notes.txt", b"Only words.".to_vec(), "without markup"),
        ("a.warc.wet.gz", each(&wet, gzip), "is a WET file"),
        ("a.warc.wat.gz", each(&wat, gzip), "is a WAT file"),
        ("index.cdxj", cdxj.as_bytes().to_vec(), "is an index"),
        ("cdx-00000.gz", gzip(cdxj.as_bytes()), "is an index"),
        ("index.cdx", b" CDX N b a m s k r M S V g\n".to_vec(), "is an index"),
        ("old.arc", b"filedesc://old.arc 0.0.0.0 20080101000000 text/plain 200\n".to_vec(), "warcio recompress"),
        ("part-00000.jsonl.zst", zstd(document.as_bytes()), "goldminer convert"),
        ("corpus.jsonl", document.as_bytes().to_vec(), "goldminer convert"),
        ("corpus.parquet", b"PAR1\x15\x04".to_vec(), "is a Parquet file"),
        ("seeds.toml", b"[crawl]\n[[portal]]\nstart = []\n".to_vec(), "goldminer crawl"),
        ("a.example.toml", b"key = \"a\"\n[[template]]\n".to_vec(), "--profiles"),
        ("feed.xml", b"<?xml version=\"1.0\"?><rss version=\"2.0\">".to_vec(), "goldminer crawl"),
    ] {
        let (dir, out) = temp_dir();
        let file = dir.path().join(name);
        write(&file, bytes);
        let ran = extract(&file, &out, &[]);
        assert_eq!(ran.code(), Some(1), "{name}: {ran:?}");
        assert!(ran.stderr.contains(name) && ran.stderr.contains(expected), "{name}: {}", ran.stderr);
        assert!(!out.join("README.md").exists(), "{name}: nothing was begun");
    }
}

#[test]
#[cfg(unix)]
fn a_pipe_as_a_source_is_refused() {
    let (dir, out) = temp_dir();
    let pipe = dir.path().join("pipe.html");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let ran = extract(&pipe, &out, &[]);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("pipe.html is a pipe or a device"), "{ran:?}");
}

#[test]
fn json_and_archives_declared_as_pages_give_no_document() {
    let (dir, out) = temp_dir();
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html";
    let page = article("one");
    let json = serde_json::json!({"status": "ok", "html": page}).to_string();
    let tar = [&b"one.html"[..], &[0; 249], b"ustar\x0000", &[0; 248], page.as_bytes(), &[0; 512]].concat();
    let records = [
        response("https://a.example/page", html, page.as_bytes()),
        response("https://a.example/api", html, json.as_bytes()),
        response("https://a.example/files", html, &tar),
    ];
    let file = dir.path().join("a.warc.gz");
    write(&file, each(&records, gzip));
    let ran = extract(&file, &out, &[]);
    assert_eq!(texts(&ran, &out).keys().collect::<Vec<_>>(), ["https://a.example/page"], "{ran:?}");
    assert!(ran.stdout.contains("not HTML") || ran.stderr.contains("not HTML"), "{ran:?}");
}

#[test]
fn random_bytes_called_warc_are_an_error() {
    let noise: Vec<u8> = (0..40_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for name in ["noise.warc.gz", "noise.warc", "noise.warc.zst"] {
        let (dir, out) = temp_dir();
        let file = dir.path().join(name);
        write(&file, &noise);
        let ran = extract(&file, &out, &[]);
        assert_eq!(ran.code(), Some(1), "{name}: {ran:?}");
        assert!(ran.stderr.contains(name) && ran.stderr.contains("contains no complete WARC record"), "{}", ran.stderr);
    }
}

#[test]
fn an_archive_without_pages_says_what_it_contains() {
    let (dir, out) = temp_dir();
    let file = dir.path().join("images.warc.gz");
    let records = [
        response("https://a.example/1.png", "HTTP/1.1 200 OK\r\nContent-Type: image/png", b"\x89PNG"),
        response("https://a.example/2", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html", b"<html><p>Gone"),
    ];
    write(&file, each(&records, gzip));
    let ran = extract(&file, &out, &[]);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("1 not HTML") && ran.stderr.contains("1 with a status other"), "{}", ran.stderr);
}

#[test]
fn a_folder_without_pages_says_what_it_contains() {
    let (dir, out) = temp_dir();
    for name in ["a.pdf", "b.pdf", "c.jpg"] {
        write(&dir.path().join("papers").join(name), "x");
    }
    let ran = extract(&dir.path().join("papers"), &out, &[]);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(
        ran.stderr.contains("it has 3 files, none of which is a page") && ran.stderr.contains("2 .pdf"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_program_among_pages_is_reported_and_gives_no_document() {
    let (dir, out) = temp_dir();
    let pages = dir.path().join("set/pages/a.example");
    write(&pages.join("1.html"), article("one"));
    write(
        &pages.join("2.html"),
        b"\x7FELF\x02\x01\x01\x00<html><p>This is not a page, but it has words in it, many words.",
    );
    let ran = extract(&dir.path().join("set"), &out, &[]);
    assert_eq!(texts(&ran, &out).len(), 1);
    assert!(ran.stderr.contains("2.html is an executable (ELF)"), "{}", ran.stderr);
}
