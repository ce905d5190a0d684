//! Pages in the rows of tables: Parquet and JSON lines go through sample, learn and extract like WARC files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use goldminer_core::document::Document;
use goldminer_warc::{Entry, Record, WarcReader};
use serde_json::{Value, json};

use crate::archive::learning::learn;
use crate::archive::samples::{Interleaved, gzip, sample};
use crate::crawl_world::{LONG, Ran, documents, goldminer, run};

/// The pages of an archive as URL, HTML and time of fetching, for tables with a text column. A portal with a page that
/// is not UTF-8 is left out as a whole, because its repeated texts would change if only that page were missing.
fn pages(world: &Interleaved) -> Vec<(String, String, String)> {
    let (mut pages, mut others) = (Vec::new(), BTreeSet::new());
    let mut files: Vec<_> = fs::read_dir(&world.warcs).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files {
        for entry in WarcReader::open(&file).unwrap() {
            let Entry::Record { record: Record::Response(capture), .. } = entry.unwrap() else { panic!("no response") };
            match String::from_utf8(capture.body) {
                Ok(html) => pages.push((capture.url, html, capture.fetched.to_string())),
                Err(_) => drop(others.insert(capture.url.domain())),
            }
        }
    }
    pages.retain(|(url, ..)| !others.contains(&url.domain()));
    pages.into_iter().map(|(url, html, fetched)| (url.as_str().to_owned(), html, fetched)).collect()
}

fn json_lines(pages: &[(String, String, String)]) -> Vec<u8> {
    let line = |(url, html, fetched): &(String, String, String)| {
        format!("{}\n", json!({ "id": 7, "html": html, "url": url, "warc_date": fetched }))
    };
    pages.iter().flat_map(|page| line(page).into_bytes()).collect()
}

fn stream(source: &Path, out: &Path, more: &[&str]) -> Ran {
    run(goldminer(&["extract", "--stream"]).arg(source).arg("-o").arg(out).args(more), LONG)
}

/// The text of each document and the time of its fetching, by URL.
fn texts(out: &Path) -> BTreeMap<String, (String, Option<String>)> {
    let text_and_time =
        |document: Document| (document.text, document.metadata.fetched.map(|fetched| fetched.to_string()));
    documents(out).into_iter().map(|(url, document)| (url, text_and_time(document))).collect()
}

/// Extracts a source with the profiles that a sample of it gives.
fn through(world: &Interleaved, source: &Path, name: &str) -> BTreeMap<String, (String, Option<String>)> {
    let (samples, book) = (world.path(&format!("{name}-samples")), world.path(&format!("{name}.gmp")));
    let out = world.path(&format!("{name}-out"));
    sample(&[source], &samples, &[]);
    learn(&[&samples], &book, &[]);
    let ran = stream(source, &out, &["--profiles", book.to_str().unwrap()]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(!ran.stdout.contains("by a profile: 0"), "{}", ran.stdout);
    texts(&out)
}

#[test]
fn json_lines_give_the_documents_of_the_archive() {
    let world = Interleaved::new(6, 24, 1);
    let pages = pages(&world);
    let lines = json_lines(&pages);
    let forms = [
        ("plain.jsonl", lines.clone()),
        ("packed.jsonl.gz", gzip(&lines)),
        ("frames.jsonl.zst", zstd::encode_all(&lines[..], 3).unwrap()),
        ("without-a-name", lines.clone()),
        ("marked.jsonl", [b"\xEF\xBB\xBF", &lines[..]].concat()),
        (
            "skippable.jsonl.zst",
            [&b"\x50\x2A\x4D\x18\x04\0\0\0size"[..], &zstd::encode_all(&lines[..], 3).unwrap()].concat(),
        ),
    ];
    let mut expected = through(&world, &world.warcs, "warcs");
    expected.retain(|url, _| pages.iter().any(|(page, ..)| page == url));
    assert!(expected.len() > 40, "nothing is tested: {}", expected.len());
    for (name, bytes) in forms {
        fs::write(world.path(name), bytes).unwrap();
        assert_eq!(through(&world, &world.path(name), name), expected, "{name}");
    }
}

#[test]
fn broken_lines_are_counted_and_skipped() {
    let world = Interleaved::new(1, 6, 1);
    let pages = pages(&world);
    let mut lines = json_lines(&pages[..2]);
    lines.extend(b"{\"html\": \"<p>torn\n{\"url\": 7, \"html\": \"<p>No address\"}\n\n");
    lines.extend(b"{\"url\": \"nowhere\", \"html\": \"<p>No address\"}\n");
    lines.extend(format!("{}\n", json!({ "url": pages[2].0, "html": pages[2].1 })).as_bytes());
    let (file, out) = (world.path("pages.jsonl"), world.path("out"));
    fs::write(&file, &lines).unwrap();
    let ran = stream(&file, &out, &["--json"]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&summary["pages"], &summary["others"]["damaged or incomplete"]), (&3.into(), &3.into()), "{summary}");
    assert!(ran.stderr.contains("pages.jsonl, row 3: no JSON"), "{}", ran.stderr);
    let texts = texts(&out);
    assert_eq!(texts[&pages[2].0].1, None, "its time of fetching is unknown");
    // A compressed file that was cut off gives the rows before the cut.
    let packed = gzip(&json_lines(&pages));
    let torn = world.path("torn.jsonl.gz");
    fs::write(&torn, &packed[..packed.len() - packed.len() / 4]).unwrap();
    let ran = stream(&torn, &world.path("of-torn"), &[]);
    assert!(ran.code() == Some(0) && ran.stderr.contains("cut off or broken"), "{ran:?}");
}

#[test]
fn two_passes_refuse_tables() {
    let world = Interleaved::new(1, 3, 1);
    let file = world.path("pages.jsonl");
    fs::write(&file, json_lines(&pages(&world))).unwrap();
    let ran = run(goldminer(&["extract"]).arg(&file).arg("-o").arg(world.path("out")), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("goldminer extract --stream"), "{}", ran.stderr);
    // Beside WARC files it is reported, and not read.
    fs::copy(&file, world.warcs.join("pages.jsonl")).unwrap();
    let ran = run(goldminer(&["extract"]).arg(&world.warcs).arg("-o").arg(world.path("both")), LONG);
    assert!(ran.code() == Some(0) && ran.stderr.contains("holds pages in rows"), "{ran:?}");
}

#[test]
fn parquet_gives_the_documents_of_the_archive() {
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    let world = Interleaved::new(6, 24, 1);
    let pages = pages(&world);
    let mut expected = through(&world, &world.warcs, "warcs");
    expected.retain(|url, _| pages.iter().any(|(page, ..)| page == url));
    for (name, html) in [("text.parquet", "optional binary html (UTF8)"), ("bytes.parquet", "required binary html")] {
        let schema = format!(
            "message pages {{ required int64 rank; {html}; required binary url (UTF8); \
             optional int64 fetch_time (TIMESTAMP(MICROS, true)); }}"
        );
        let file = fs::File::create(world.path(name)).unwrap();
        let schema = Arc::new(parse_message_type(&schema).unwrap());
        let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
        for rows in pages.chunks(20) {
            let mut group = writer.next_row_group().unwrap();
            let defined = vec![1_i16; rows.len()];
            let texts = |text: &dyn Fn(&(String, String, String)) -> String| -> Vec<ByteArray> {
                rows.iter().map(|row| ByteArray::from(text(row).into_bytes())).collect()
            };
            for column in 0..4 {
                let mut to = group.next_column().unwrap().unwrap();
                let is_optional = column == 3 || column == 1 && name == "text.parquet";
                let levels = is_optional.then_some(defined.as_slice());
                let numbers: Vec<i64> =
                    rows.iter().map(|row| row.2.parse::<jiff::Timestamp>().unwrap().as_microsecond()).collect();
                match column {
                    0 | 3 => to.typed::<Int64Type>().write_batch(&numbers, levels, None),
                    1 => to.typed::<ByteArrayType>().write_batch(&texts(&|row| row.1.clone()), levels, None),
                    _ => to.typed::<ByteArrayType>().write_batch(&texts(&|row| row.0.clone()), levels, None),
                }
                .unwrap();
                to.close().unwrap();
            }
            group.close().unwrap();
        }
        writer.close().unwrap();
        let whole = fs::read(world.path(name)).unwrap();
        let cut = world.path(&format!("cut-{name}"));
        fs::write(&cut, &whole[..whole.len() - 300]).unwrap();
        let ran = stream(&cut, &world.path(&format!("of-cut-{}", name.replace('.', "-"))), &[]);
        assert!(ran.stderr.contains(&format!("cut-{name}")) && ran.stderr.contains("incomplete or damaged"), "{ran:?}");
        assert!(!ran.stderr.contains("without the columns"), "{ran:?}");
        assert_eq!(through(&world, &world.path(name), name), expected, "{name}");
    }
}
