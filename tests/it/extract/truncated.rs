//! Pages of which only the beginning is there: too long to read whole, or cut off in the archive.

use std::fs;
use std::path::Path;

use goldminer_core::document::Document;
use goldminer_core::rights::Restriction;

use crate::crawl_world::{LONG, documents, goldminer, run};
use crate::extract::outputs::article;
use crate::extract::sources::{extract, gzip, record, response, temp_dir, texts, write};

/// The text of a page from standard input, and whether it was truncated. Both must be the same for all sources.
fn from_standard_input(page: &Path) -> (String, Option<bool>) {
    let ran = goldminer(&["extract", "-", "-o", "-"]).stdin(fs::File::open(page).unwrap()).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let document: Document = serde_json::from_slice(&ran.stdout).unwrap();
    (document.text, document.provenance.truncated)
}

#[test]
fn a_large_page_has_the_same_limit_from_any_source() {
    let (dir, _) = temp_dir();
    let article = article("https://portal.example/1");
    for (name, comments, is_cut) in [("large", 200_000, false), ("cut", 300_000, true)] {
        let comments: String = (0..comments).map(|number| format!("<!-- {number:11} -->\n")).collect();
        let page = article.replace("</body>", &format!("{comments}</body>"));
        let file = dir.path().join(format!("{name}.html"));
        write(&file, &page);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html";
        let url = "https://portal.example/1";
        let (plain, coded) = (dir.path().join(format!("{name}.warc")), dir.path().join(format!("{name}-coded.warc")));
        write(&plain, response(url, head, page.as_bytes()));
        write(&coded, response(url, &format!("{head}\r\nContent-Encoding: gzip"), &gzip(page.as_bytes())));
        let expected = from_standard_input(&file);
        assert!(expected.0.len() > 500 && expected.1 == is_cut.then_some(true), "{expected:?}");
        for (source, more) in
            [(&file, &[][..]), (&plain, &[]), (&coded, &[]), (&plain, &["--stream"]), (&coded, &["--stream"])]
        {
            let out = dir.path().join(format!("{}-{}", source.file_name().unwrap().display(), more.len()));
            let ran = extract(source, &out, more);
            assert_eq!(ran.code(), Some(0), "{ran:?}");
            let document = documents(&out).into_values().next().unwrap();
            assert_eq!((document.text, document.provenance.truncated), expected, "{} {more:?}", source.display());
            assert_eq!(ran.stdout.contains("1 page was read only in part"), is_cut, "{}", ran.stdout);
        }
    }
}

#[test]
fn truncated_pages_of_other_archives_are_marked_documents() {
    let whole = article("https://portal.example/1");
    let begin = &whole[..whole.len() * 2 / 3];
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let coded_page = |fields: &str, head: &str, body: &[u8]| {
        let target =
            "WARC-Target-URI: https://portal.example/1\r\nContent-Type: application/http; msgtype=response\r\n";
        let block = [format!("{html}{head}\r\n").as_bytes(), body].concat();
        record("response", &format!("{target}{fields}"), &block)
    };
    let page = |fields: &str, head: &str, body: &str| coded_page(fields, head, body.as_bytes());
    let packed = gzip(whole.as_bytes());
    let coded = "Content-Encoding: gzip\r\n";
    let short = format!("Content-Encoding: gzip\r\nContent-Length: {}\r\n", packed.len());
    let chunked = format!("{:x}\r\n{begin}\r\n", begin.len());
    for (name, cut) in [
        ("disconnect", page("WARC-Truncated: disconnect\r\n", "", begin)),
        ("time", page("WARC-Truncated: time\r\n", "", begin)),
        ("chunked", page("", "Transfer-Encoding: chunked\r\n", &chunked)),
        ("short", page("", &format!("Content-Length: {}\r\n", whole.len()), begin)),
        ("compressed", coded_page("", &short, &packed[..packed.len() * 3 / 4])),
        ("compressed, of unknown length", coded_page("", coded, &packed[..packed.len() * 3 / 4])),
    ] {
        for (option, more) in [("whole", &[][..]), ("stream", &["--stream"])] {
            let (dir, out) = temp_dir();
            let file = dir.path().join("others.warc");
            write(&file, &cut);
            let ran = extract(&file, &out, more);
            assert_eq!(texts(&ran, &out).len(), 1, "{name} {option}: {ran:?}");
            assert!(documents(&out).values().all(|found| found.provenance.truncated == Some(true)), "{name} {option}");
        }
    }
    let cut = coded_page("", coded, &packed[..packed.len() * 3 / 4]);
    let (dir, out) = temp_dir();
    let file = dir.path().join("others.warc");
    write(&file, &cut);
    let told = run(goldminer(&["sample", "--json"]).arg(&file).arg("-o").arg(&out), LONG);
    let summary: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(summary["sampled"], 1, "{told:?}");
    // A crawl of this program requests such a URL again.
    let software = format!("software: {}\r\n", goldminer_core::goldminer::PROGRAM);
    let info = record("warcinfo", "Content-Type: application/warc-fields\r\n", software.as_bytes());
    for (own, why) in [(page("WARC-Truncated: disconnect\r\n", "", begin), "cut off"), (cut, "a broken content coding")]
    {
        for more in [&[][..], &["--stream"]] {
            let (dir, out) = temp_dir();
            let file = dir.path().join("own.warc");
            write(&file, [&info[..], &own].concat());
            let ran = extract(&file, &out, more);
            assert!(ran.code() == Some(1) && format!("{}{}", ran.stdout, ran.stderr).contains(why), "{ran:?}");
        }
    }
}

#[test]
fn a_truncated_robots_txt_restricts_nothing() {
    let robots = |fields: &str| {
        let target = "WARC-Target-URI: https://portal.example/robots.txt\r\nContent-Type: application/http; msgtype=response\r\n";
        let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nContent-Usage: train-ai=n\n";
        record("response", &format!("{target}{fields}"), text.as_bytes())
    };
    let url = "https://portal.example/1";
    let page = response(url, "HTTP/1.1 200 OK\r\nContent-Type: text/html", article(url).as_bytes());
    for (fields, is_restricted) in [("", true), ("WARC-Truncated: disconnect\r\n", false)] {
        for more in [&[][..], &["--stream"]] {
            let (dir, out) = temp_dir();
            let file = dir.path().join("others.warc");
            write(&file, [robots(fields), page.clone()].concat());
            assert_eq!(texts(&extract(&file, &out, more), &out).len(), 1);
            let restricts = |document: &Document| document.rights.restricts(Restriction::Noai);
            assert!(documents(&out).values().all(|found| restricts(found) == is_restricted), "{fields} {more:?}");
        }
    }
}
