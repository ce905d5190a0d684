//! Parquet and back: the same documents; foreign, cut off or damaged files are recognised.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goldminer_core::document::{Access, Confidence, Document, Method, ProfileUse};
use goldminer_core::rights::{Rights, RightsSource, Signal};
use goldminer_corpus::{CorpusError, Format, Sink};
use goldminer_html::capture::ArchivePosition;
use jiff::Timestamp;
use parquet::basic::{BrotliLevel, Compression, GzipLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::SchemaDescriptor;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::documents::{self, paragraph};

fn written(dir: &Path, format: Format, documents: &[Document]) {
    let mut sink = Sink::create(dir, format).unwrap();
    documents.iter().for_each(|document| sink.write(document).unwrap());
    sink.close().unwrap();
}

fn read(corpus: &Path) -> Result<Vec<Document>, CorpusError> {
    goldminer_corpus::read(corpus)?.collect()
}

/// A file of some documents.
fn file(dir: &Path, count: usize) -> PathBuf {
    let documents: Vec<Document> =
        (0..count).map(|n| documents::document(&format!("{n:032x}"), "portal.example", Vec::new())).collect();
    written(dir, Format::Parquet, &documents);
    dir.join("corpus.parquet")
}

fn line(document: &Document) -> String {
    serde_json::to_string(document).unwrap()
}

/// Texts of pages, beyond the basic plane, and empty ones.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,12}", "[𐐷𝄞🦀\u{10ffff}\0\n]{0,5}", Just(String::new())]
}

fn time() -> impl Strategy<Value = Timestamp> {
    prop_oneof![
        any::<i64>().prop_map(|nanosecond| Timestamp::from_nanosecond(i128::from(nanosecond)).unwrap()),
        (-377_705_023_201_i64..=253_402_207_200).prop_map(|second| Timestamp::from_second(second).unwrap()),
    ]
}

prop_compose! {
    fn any_document()(
        (id, url, domain, own) in (text(), text(), text(), option::of(text())),
        paragraphs in vec(paragraph(), 0..6),
        authors in vec(text(), 0..4),
        optional in vec(option::of(text()), 7),
        fetched in option::of(time()),
        method in prop_oneof![Just(Method::Goldminer), Just(Method::Goldminer2013), Just(Method::BoilerpipeTree)],
        profile in option::of((text(), any::<u32>(), any::<u32>())),
        warc in option::of((text(), any::<u64>(), any::<u64>())),
        dropped_duplicates in prop_oneof![Just(0), any::<u32>()],
        near_duplicate_of in option::of(text()),
        score in option::of(0..=1_000_u16),
        confidence in option::of(0.0..=1.0),
        signals in vec((prop_oneof![Just("license"), Just("robots"), Just("tdm-reservation")], text(), option::of(time())), 0..3),
    ) -> Document {
        let mut document = documents::document(&id, &domain, paragraphs);
        document.url = url;
        // An edited corpus may have a text that differs from its paragraphs.
        document.text = own.unwrap_or(document.text);
        let metadata = &mut document.metadata;
        metadata.authors = authors;
        metadata.fetched = fetched;
        let mut optional = optional.into_iter();
        let mut next = || optional.next().flatten();
        (metadata.host, metadata.title, metadata.published, metadata.modified) = (next(), next(), next(), next());
        (metadata.language, metadata.site_name, metadata.section) = (next(), next(), next());
        metadata.canonical = metadata.title.clone().filter(|title| title.len() > 3);
        metadata.access = metadata.section.as_ref().map(|_| Access::Partial);
        let provenance = &mut document.provenance;
        (provenance.method, provenance.score) = (method, score);
        provenance.confidence = confidence.map(Confidence::of);
        provenance.profile = profile.map(|(key, version, template)| ProfileUse { key, version, template });
        provenance.warc = warc.map(|(file, offset, length)| ArchivePosition::new(file, offset, length));
        provenance.file = near_duplicate_of.clone();
        (provenance.dropped_duplicates, provenance.near_duplicate_of) = (dropped_duplicates, near_duplicate_of);
        let signal = |(name, value, fetched): (&str, String, Option<Timestamp>)| {
            let mut signal = Signal::new(RightsSource::Meta, name, if value.len() == 1 { "1" } else { &value });
            signal.fetched = fetched;
            signal
        };
        document.rights = Rights::of(signals.into_iter().map(signal).collect());
        document
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn documents_are_the_same_after_parquet(documents in vec(any_document(), 0..12), repeat in 1_usize..40) {
        // Now and then more documents than are decoded at a time.
        let documents: Vec<Document> = documents.iter().cycle().take(documents.len() * repeat).cloned().collect();
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), Format::Parquet, &documents);
        let back: Vec<String> = read(dir.path()).unwrap().iter().map(line).collect();
        prop_assert_eq!(back, documents.iter().map(line).collect::<Vec<_>>());
    }
}

#[test]
fn row_groups_follow_one_another() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path(), 20_100);
    let documents = read(&file).unwrap();
    assert_eq!(documents.len(), 20_100);
    assert!(documents.iter().enumerate().all(|(n, document)| document.id == format!("{n:032x}")));
}

#[test]
fn parquet_beside_json_lines_is_the_same_corpus_in_another_form() {
    let dir = tempfile::tempdir().unwrap();
    let document = documents::document("1", "portal.example", Vec::new());
    written(dir.path(), Format::Parquet, &[document.clone(), document.clone()]);
    assert_eq!(read(dir.path()).unwrap().len(), 2);
    written(dir.path(), Format::Jsonl, std::slice::from_ref(&document));
    assert_eq!(read(dir.path()).unwrap().len(), 1, "no document is read twice");
}

#[test]
fn formats_that_cannot_be_read_say_so() {
    let document = documents::document("1", "portal.example", Vec::new());
    for (format, name) in [
        (Format::Tei, "corpus.xml"),
        (Format::Vertical, "corpus.vert"),
        (Format::Text, "portal.example.txt"),
        (Format::Cleaneval, "portal.example/1.txt"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), format, std::slice::from_ref(&document));
        for corpus in [dir.path().to_owned(), dir.path().join(name)] {
            let error = read(&corpus).expect_err("it lacks what a document needs").to_string();
            assert!(error.contains("*.parquet") && error.contains("cannot be read"), "{format:?}: {error}");
        }
    }
}

/// The columns as users know them: columns may be added, but none may be removed or changed.
const COLUMNS: &str = "message document {
    required binary id (UTF8);
    required binary url (UTF8);
    required binary text (UTF8);
    required group paragraphs (LIST) {
        repeated group list { required group element { required binary kind (UTF8); required binary text (UTF8); } }
    }
    required binary domain (UTF8);
    optional binary host (UTF8);
    optional binary title (UTF8);
    required group authors (LIST) { repeated group list { required binary element (UTF8); } }
    optional binary published (UTF8);
    optional binary modified (UTF8);
    optional int64 fetched (TIMESTAMP(MICROS, true));
    optional int32 fetched_nanoseconds;
    optional binary language (UTF8);
    optional binary site_name (UTF8);
    optional binary section (UTF8);
    optional binary canonical (UTF8);
    required binary method (UTF8);
    optional binary profile (UTF8);
    optional int32 profile_version;
    optional int32 template;
    required binary stoplist (UTF8);
    required binary thresholds (UTF8);
    required binary program (UTF8);
    optional binary warc_file (UTF8);
    optional int64 warc_offset;
    optional int64 warc_length;
    required binary page_digest (UTF8);
    required binary text_digest (UTF8);
    required binary simhash (UTF8);
    required int32 dropped_duplicates;
    optional binary near_duplicate_of (UTF8);
    optional int32 score;
}";

/// Writes a Parquet file with one row and these columns, as another program might. Numeric columns contain 1; a text
/// column contains the value of `text` for its name, or null for None.
fn foreign(schema: &str, text: impl Fn(&str) -> Option<&'static str>) -> tempfile::TempDir {
    // The default compression of DuckDB and pyarrow.
    foreign_in(Compression::SNAPPY, schema, text)
}

fn foreign_in(
    compression: Compression,
    schema: &str,
    text: impl Fn(&str) -> Option<&'static str>,
) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let columns = SchemaDescriptor::new(schema.clone());
    let file = File::create(dir.path().join("theirs.parquet")).unwrap();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for column in columns.columns() {
        let value = text(&column.path().string());
        let defined = [if value.is_some() { column.max_def_level() } else { 0 }];
        let text: Vec<ByteArray> = value.into_iter().map(ByteArray::from).collect();
        let mut into = group.next_column().unwrap().unwrap();
        let written = match into.untyped() {
            ColumnWriter::Int32ColumnWriter(into) => into.write_batch(&[1], Some(&defined), None),
            ColumnWriter::Int64ColumnWriter(into) => into.write_batch(&[1], Some(&defined), None),
            ColumnWriter::ByteArrayColumnWriter(into) => into.write_batch(&text, Some(&defined), Some(&[0])),
            _ => unreachable!("no schema here has others"),
        };
        written.unwrap();
        into.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    dir
}

fn right(column: &str) -> Option<&'static str> {
    Some(match column {
        "paragraphs.list.element.kind" => "h",
        "method" => "bte",
        _ => "x",
    })
}

fn refused(schema: &str, text: impl Fn(&str) -> Option<&'static str>) -> String {
    read(foreign(schema, text).path()).expect_err("it is not ours").to_string()
}

#[test]
fn columns_rewritten_by_another_program_are_read() {
    let ours = read(foreign(COLUMNS, right).path()).unwrap();
    assert_eq!((ours.len(), ours[0].provenance.method, ours[0].text.as_str()), (1, Method::Bte, "x"));
    assert_eq!(ours[0].metadata.fetched.unwrap().to_string(), "1970-01-01T00:00:00.000001001Z");
    let duckdb = COLUMNS.replace("required", "optional").replace("message document {", "message m { optional int32 n;");
    assert_eq!(read(foreign(&duckdb, right).path()).unwrap(), ours, "all may be null, and there is one more");
    let gzip = Compression::GZIP(GzipLevel::default());
    let brotli = Compression::BROTLI(BrotliLevel::default());
    for compression in [Compression::UNCOMPRESSED, gzip, brotli, Compression::LZ4, Compression::LZ4_RAW] {
        let theirs = read(foreign_in(compression, COLUMNS, right).path()).unwrap();
        assert_eq!(theirs, ours, "{compression}");
    }
}

#[test]
fn a_file_without_newer_columns_is_read() {
    let earlier = COLUMNS.replace("optional int32 score;", "");
    let (ours, theirs) =
        (read(foreign(COLUMNS, right).path()).unwrap(), read(foreign(&earlier, right).path()).unwrap());
    assert_eq!((ours[0].provenance.score, theirs[0].provenance.score), (Some(1), None));
    assert_eq!(theirs[0].text, ours[0].text);
}

#[test]
fn for_another_parquet_file_the_wrong_column_is_named() {
    let error = refused("message m { required binary id (UTF8); required binary url (UTF8); }", right);
    for part in ["theirs.parquet column text: it is missing", "goldminer convert --format parquet"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    for (ours, theirs, expected) in [
        ("required binary id (UTF8)", "required int64 id", "column id: it is of another type (INT64)"),
        ("(TIMESTAMP(MICROS, true))", "(TIMESTAMP(MILLIS, true))", "column fetched: it is of another type"),
        ("optional int64 warc_offset;", "", "column warc_offset: it is missing"),
    ] {
        let error = refused(&COLUMNS.replace(ours, theirs), right);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn an_invalid_value_is_reported_with_column_and_row() {
    let schema = COLUMNS.replace("required binary simhash", "optional binary simhash");
    for (column, value, expected) in [
        (
            "paragraphs.list.element.kind",
            Some("q"),
            "column paragraphs.list.element.kind: it has an unknown variant `q`",
        ),
        ("method", Some("magic"), "column method: it has an unknown variant `magic`"),
        ("simhash", None, "column simhash: it has no value, in row 1"),
        ("paragraphs.list.element.text", None, "it has 0 texts for 1 paragraphs, in row 1"),
    ] {
        let error = refused(&schema, |name| if name == column { value } else { right(name) });
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn a_file_that_is_cut_off_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path(), 40);
    let whole = fs::read(&file).unwrap();
    for bytes in (0..whole.len()).step_by(7) {
        fs::write(&file, &whole[..bytes]).unwrap();
        let error = read(&file).expect_err("half a file").to_string();
        assert!(
            error.contains("corpus.parquet is not a complete Parquet file") && error.contains("truncated"),
            "{bytes}: {error}"
        );
    }
}

#[test]
fn damage_is_reported_and_never_read_as_text() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path(), 2);
    let (whole, documents) = (fs::read(&file).unwrap(), read(&file).unwrap());
    // The position of the changed bit differs from byte to byte.
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(&file, &damaged).unwrap();
        match read(&file) {
            Err(error) => assert!(error.to_string().contains("corpus.parquet"), "{at}: {error}"),
            // The damage may be in a part of the footer that only other readers use.
            Ok(read) => assert_eq!(read, documents, "byte {at} of {}", whole.len()),
        }
    }
}

/// A generator that needs no crate: xorshift64.
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as usize
}

#[test]
fn any_damage_is_an_error_that_names_the_file_or_harmless() {
    let (dir, theirs) = (tempfile::tempdir().unwrap(), foreign(COLUMNS, right));
    let (ours, theirs) = (file(dir.path(), 3), theirs.path().join("theirs.parquet"));
    let damaged = dir.path().join("damaged.parquet");
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let mut reported = 0;
    for whole in [fs::read(&ours).unwrap(), fs::read(&theirs).unwrap()] {
        for _ in 0..600 {
            let mut bytes = whole.clone();
            for _ in 0..1 + next(&mut state) % 5 {
                // Most damage is in the footer, because a decoder trusts it.
                let from = if !next(&mut state).is_multiple_of(4) { bytes.len().saturating_sub(2_500) } else { 0 };
                let at = from + next(&mut state) % (bytes.len() - from);
                bytes[at] = match next(&mut state) % 4 {
                    0 => 0xff,
                    1 => bytes[at] ^ (1 << (next(&mut state) % 8)),
                    _ => next(&mut state) as u8,
                };
            }
            if next(&mut state).is_multiple_of(10) {
                bytes.truncate(next(&mut state) % whole.len());
            }
            fs::write(&damaged, &bytes).unwrap();
            if let Err(error) = read(&damaged) {
                assert!(error.to_string().contains("damaged.parquet"), "{error}");
                reported += 1;
            }
        }
    }
    assert!(reported > 300, "only {reported} of 1,200 were reported");
}
