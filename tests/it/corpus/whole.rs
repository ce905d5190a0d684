//! The corpus in all its formats: each document once, whatever happens to the process, and nothing that breaks a
//! format.

use std::fs;
use std::io::Write;
use std::path::Path;

use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
use goldminer_corpus::forms::jsonl::{CorpusPosition, JsonlWriter};
use goldminer_corpus::{CorpusError, Format, Sink};
use goldminer_html::capture::ArchivePosition;
use proptest::prelude::*;

use crate::documents;

fn document(id: &str, domain: &str, paragraphs: &[(ParagraphKind, &str)]) -> Document {
    let paragraph = |(kind, text): &(ParagraphKind, &str)| DocumentParagraph::new(*kind, *text);
    let mut document = documents::document(id, domain, paragraphs.iter().map(paragraph).collect());
    document.metadata.title = Some("A \"title\" & <more>".to_owned());
    document.metadata.authors = vec!["Ady Endre".to_owned()];
    document.metadata.published = Some("2026-11-20".to_owned());
    document.metadata.fetched = "2026-11-20T09:15:00Z".parse().ok();
    document.metadata.language = Some("hu".to_owned());
    document.provenance.warc = Some(ArchivePosition::new("a.warc.gz", 7, 9));
    document
}

fn article(i: usize) -> Document {
    let text = format!("Bekezdés {i}: {}", "szöveg ".repeat(i % 50));
    document(
        &format!("{i:032x}"),
        "portal.example",
        &[(ParagraphKind::Heading, "Cím"), (ParagraphKind::Paragraph, text.trim())],
    )
}

fn read(dir: &Path) -> Vec<Document> {
    goldminer_corpus::read(dir).map(|documents| documents.map(Result::unwrap).collect()).unwrap_or_default()
}

#[test]
fn documents_are_read_from_several_parts() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = JsonlWriter::open(dir.path(), None).unwrap().roll_at_bytes(2000);
    for i in 0..100 {
        writer.write(&article(i)).unwrap();
        if i % 10 == 9 {
            writer.commit().unwrap();
        }
    }
    writer.close().unwrap();
    assert!(fs::read_dir(dir.path()).unwrap().count() > 2);
    assert_eq!(read(dir.path()), (0..100).map(article).collect::<Vec<_>>());
    let error = Sink::create(dir.path(), Format::Jsonl).map(|_| ()).expect_err("there is a corpus already");
    assert!(error.to_string().contains("already holds a corpus (part-00000.jsonl.zst)"), "{error}");
}

/// The events in the life of a writer.
#[derive(Debug, Clone)]
enum Step {
    Write(usize),
    Commit,
    /// The process dies; uncommitted documents may or may not have reached the disk.
    Kill(Vec<u8>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1_usize..20).prop_map(Step::Write),
        2 => Just(Step::Commit),
        1 => proptest::collection::vec(any::<u8>(), 0..300).prop_map(Step::Kill),
    ];
    proptest::collection::vec(step, 0..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The caller's store is authoritative: the documents that it remembers as committed are in the corpus, each once,
    /// and no others.
    #[test]
    fn every_committed_document_is_in_the_corpus_once(steps in steps()) {
        let dir = tempfile::tempdir().unwrap();
        let open = |at| JsonlWriter::open(dir.path(), at).unwrap().roll_at_bytes(1500);
        let mut committed: Option<CorpusPosition> = None;
        let mut writer = open(committed);
        let (mut next, mut durable) = (0, 0);
        for step in steps {
            match step {
                Step::Write(count) => {
                    (next..next + count).for_each(|i| writer.write(&article(i)).unwrap());
                    next += count;
                }
                Step::Commit => {
                    let position = writer.commit().unwrap();
                    prop_assert_eq!(position.documents as usize, next);
                    (committed, durable) = (Some(position), next);
                }
                Step::Kill(tail) => {
                    drop(writer);
                    let part = dir.path().join(format!("part-{:05}.jsonl.zst", committed.unwrap_or_default().part));
                    fs::OpenOptions::new().create(true).append(true).open(&part).unwrap().write_all(&tail).unwrap();
                    writer = open(committed);
                    prop_assert_eq!(read(dir.path()).len(), durable);
                    next = durable;
                }
            }
        }
        writer.close().unwrap();
        prop_assert_eq!(read(dir.path()), (0..next).map(article).collect::<Vec<_>>());
    }
}

#[test]
fn lost_documents_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = JsonlWriter::open(dir.path(), None).unwrap();
    writer.write(&article(1)).unwrap();
    let position = writer.commit().unwrap();
    drop(writer);
    let part = dir.path().join("part-00000.jsonl.zst");
    fs::OpenOptions::new().write(true).open(&part).unwrap().set_len(position.bytes - 1).unwrap();
    let error = JsonlWriter::open(dir.path(), Some(position)).map(|_| ()).expect_err("a byte is missing");
    assert!(matches!(error, CorpusError::Lost { .. }), "{error}");
    fs::remove_file(&part).unwrap();
    assert!(JsonlWriter::open(dir.path(), Some(position)).is_err());
    let later = CorpusPosition { part: 1, bytes: 0, documents: 1 };
    assert!(JsonlWriter::open(dir.path(), Some(later)).is_err(), "the first part is gone");
}

#[test]
fn an_unfinished_corpus_is_read_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = JsonlWriter::open(dir.path(), None).unwrap();
    writer.write(&article(1)).unwrap();
    writer.commit().unwrap();
    (0..12_000).for_each(|i| writer.write(&article(i)).unwrap());
    let read: Vec<_> = goldminer_corpus::read(dir.path()).unwrap().collect();
    assert!(read[0].is_ok());
    assert!(matches!(read.last(), Some(Err(CorpusError::CutOff { .. }))), "{:?}", read.last());
    assert_eq!(read.iter().filter(|document| document.is_err()).count(), 1);
}

#[test]
fn a_bad_line_is_reported_and_the_rest_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let line = |i| serde_json::to_string(&article(i)).unwrap();
    let file = dir.path().join("mine.jsonl");
    fs::write(&file, format!("{}\n\n{{\"id\": 7}}\n{}\n{}", line(1), line(2), &line(3)[..100])).unwrap();
    let read: Vec<_> = goldminer_corpus::read(&file).unwrap().collect();
    assert_eq!(read.len(), 4);
    assert_eq!((read[0].as_ref().unwrap(), read[2].as_ref().unwrap()), (&article(1), &article(2)));
    let error = read[1].as_ref().expect_err("an id is text").to_string();
    assert!(error.contains("mine.jsonl line 3"), "{error}");
    assert!(matches!(&read[3], Err(CorpusError::CutOff { line: 4, .. })), "{:?}", read[3]);
    assert!(matches!(goldminer_corpus::read(&dir.path().join("nowhere")), Err(CorpusError::Disk { .. })));
    fs::remove_file(&file).unwrap();
    assert!(matches!(goldminer_corpus::read(dir.path()), Err(CorpusError::NoCorpus { .. })));
    fs::write(dir.path().join("crawl.warc.gz"), "").unwrap();
    let error = goldminer_corpus::read(dir.path()).err().expect("archives are no corpus").to_string();
    assert!(error.contains("is a folder of pages or archives") && error.contains("goldminer extract"), "{error}");
}

fn sample() -> [Document; 2] {
    use ParagraphKind::{Heading, ListItem, Paragraph};
    [
        document(
            "1",
            "a.example",
            &[(Heading, "A <head>"), (Paragraph, "It’s 1, \"2\" & 3."), (ListItem, "x"), (ListItem, "y")],
        ),
        document(
            "2",
            "a.example",
            &[(ListItem, "only"), (Heading, "Late"), (Heading, "Twice"), (Paragraph, "End\u{b}.")],
        ),
    ]
}

fn written(format: Format) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut sink = Sink::create(dir.path(), format).unwrap();
    let [one, two] = sample();
    sink.write(&one).unwrap();
    sink.page("a.example", "folder/two", Some(&two)).unwrap();
    sink.page("b.example", "../none", None).unwrap();
    sink.close().unwrap();
    dir
}

#[test]
fn plain_text_has_a_file_for_each_domain() {
    let dir = written(Format::Text);
    assert_eq!(
        fs::read_to_string(dir.path().join("a.example.txt")).unwrap(),
        "A <head>\nIt’s 1, \"2\" & 3.\nx\ny\n\nonly\nLate\nTwice\nEnd .\n\n"
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 4, "the text, and three files of its card");
}

#[test]
fn plain_text_can_have_more_domains_than_open_files() {
    let dir = tempfile::tempdir().unwrap();
    let mut sink = Sink::create(dir.path(), Format::Text).unwrap();
    for round in 0..2 {
        for i in 0..250 {
            let text = format!("round {round}");
            sink.write(&document("x", &format!("{i}.example"), &[(ParagraphKind::Paragraph, &text)])).unwrap();
        }
    }
    sink.close().unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("7.example.txt")).unwrap(), "round 0\n\nround 1\n\n");
}

#[test]
fn cleaneval_has_a_file_for_every_page() {
    let dir = written(Format::Cleaneval);
    let text = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
    assert_eq!(
        text("a.example/1.txt"),
        "URL: https://a.example/1\n\n<h>A <head>\n\n<p>It’s 1, \"2\" & 3.\n\n<l>x\n\n<l>y\n"
    );
    assert!(text("a.example/folder/two.txt").starts_with("URL: https://a.example/2\n\n<l>only"));
    assert_eq!(text("b.example/%2E%2E/none.txt"), "");
}

#[test]
fn documents_that_share_an_id_have_files_of_their_own() {
    let texts = ["first", "second", "of another id", "third"];
    for (format, end) in [(Format::Markdown, "md"), (Format::Html, "html"), (Format::Cleaneval, "txt")] {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = Sink::create(dir.path(), format).unwrap();
        for (id, text) in ["k/a", "k//a", "k/a-2", "k/a"].into_iter().zip(texts) {
            sink.write(&document(id, "a.example", &[(ParagraphKind::Paragraph, text)])).unwrap();
        }
        sink.close().unwrap();
        let names = ["a", "a-2", "a-2-2", "a-3"].map(|name| dir.path().join(format!("a.example/k/{name}.{end}")));
        for (name, text) in names.iter().zip(texts) {
            let found = fs::read_to_string(name).unwrap();
            assert!(found.contains(text), "{}: {found}", name.display());
        }
        let again = Sink::create(dir.path(), format);
        assert!(matches!(again, Err(CorpusError::Used { .. })), "{format:?} is mixed with an earlier one");
    }
}

#[test]
fn vertical_has_one_token_per_line() {
    let dir = written(Format::Vertical);
    let text = fs::read_to_string(dir.path().join("corpus.vert")).unwrap();
    let first = text.split_inclusive("</doc>\n").next().unwrap();
    assert_eq!(
        first,
        "<doc id=\"1\" url=\"https://a.example/1\" domain=\"a.example\" \
         title=\"A &quot;title&quot; &amp; &lt;more&gt;\" \
         author=\"Ady Endre\" published=\"2026-11-20\" language=\"hu\">\n\
         <p type=\"h\">\nA\n&lt;\n<g/>\nhead\n<g/>\n&gt;\n</p>\n\
         <p type=\"p\">\nIt’s\n1\n<g/>\n,\n\"\n<g/>\n2\n<g/>\n\"\n&amp;\n3\n<g/>\n.\n</p>\n\
         <p type=\"l\">\nx\n</p>\n<p type=\"l\">\ny\n</p>\n</doc>\n"
    );
}

#[test]
fn tei_is_well_formed_and_structured() {
    let dir = written(Format::Tei);
    let xml = fs::read_to_string(dir.path().join("corpus.xml")).unwrap();
    let body = |n: usize| {
        let text = xml.split("<body>\n").nth(n).unwrap();
        text[..text.find("</body>").unwrap()].replace('\n', "")
    };
    assert_eq!(
        body(1),
        "<div><head>A &lt;head&gt;</head><p>It’s 1, \"2\" &amp; 3.</p>\
         <list><item>x</item><item>y</item></list></div>"
    );
    assert_eq!(
        body(2),
        "<div><list><item>only</item></list></div><div><head>Late</head><head>Twice</head><p>End.</p></div>"
    );
    assert!(xml.contains("<date type=\"published\" when=\"2026-11-20\">2026-11-20</date>"));
    let (mut reader, mut depth, mut texts) = (quick_xml::Reader::from_str(&xml), 0, 0);
    loop {
        match reader.read_event().expect("well-formed XML") {
            quick_xml::events::Event::Start(tag) => {
                depth += 1;
                texts += u32::from(tag.name().as_ref() == "TEI");
            }
            quick_xml::events::Event::End(_) => depth -= 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!((depth, texts), (0, 2));
}

#[test]
fn a_changed_bit_is_reported_with_the_intact_documents() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = JsonlWriter::open(dir.path(), None).unwrap();
    let mut ends = Vec::new();
    for i in 0..60 {
        writer.write(&article(i)).unwrap();
        if i % 10 == 9 {
            ends.push(writer.commit().unwrap().bytes as usize);
        }
    }
    writer.close().unwrap();
    let path = dir.path().join("part-00000.jsonl.zst");
    let mut bytes = fs::read(&path).unwrap();
    bytes[(ends[1] + ends[2]) / 2] ^= 0x20;
    fs::write(&path, bytes).unwrap();
    let error = goldminer_corpus::read(dir.path()).unwrap().find_map(Result::err).expect("a bit is wrong").to_string();
    assert!(error.contains("part-00000.jsonl.zst is damaged after line 2"), "{error}");
    assert!(error.contains(&format!("in frame 3 at byte {}", ends[1])), "{error}");
    assert!(error.contains("intact documents before it: 20"), "{error}");
}
