//! A document that is written and read again is the same.

use goldminer_core::document::Document;
use goldminer_corpus::{Format, Sink, html, markdown_body, read};
use proptest::prelude::*;
use serde_json::Value;

use crate::documents::document;
use crate::read_back::{markdown_to_html, read_html};

/// One paragraph or object per line, as JSON.
pub(crate) fn lines(document: &Document) -> String {
    let paragraphs = document.paragraphs.iter().map(|paragraph| serde_json::to_string(paragraph).unwrap());
    let objects = document.objects.iter().map(|object| serde_json::to_string(object).unwrap());
    paragraphs.chain(objects).collect::<Vec<_>>().join("\n")
}

pub(crate) fn read_again(html: &str) -> String {
    let mut document = Document::default();
    (document.paragraphs, document.objects) = read_html(html);
    lines(&document)
}

proptest! {
    #[test]
    fn html_read_back_is_the_document(document in document()) {
        let html = html(&document);
        let (was, is) = (lines(&document), read_again(&html));
        prop_assert!(was == is, "WAS\n{was}\nIS\n{is}\nHTML\n{html}\nEND");
    }

    #[test]
    fn markdown_read_back_is_the_document(document in document()) {
        let markdown = markdown_body(&document);
        let html = markdown_to_html(&markdown);
        let (was, is) = (lines(&document), read_again(&html));
        prop_assert!(was == is, "WAS\n{was}\nIS\n{is}\nMARKDOWN\n{markdown}\nHTML\n{html}\nEND");
    }
}

proptest! {
    // Each case writes and reads files.
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn parquet_and_json_lines_read_back_are_the_documents(documents in proptest::collection::vec(document(), 1..5)) {
        for format in [Format::Parquet, Format::Jsonl] {
            let dir = tempfile::tempdir().unwrap();
            let mut sink = Sink::create(dir.path(), format).unwrap();
            documents.iter().for_each(|document| sink.write(document).unwrap());
            sink.close().unwrap();
            let again: Vec<Document> = read(dir.path()).unwrap().map(Result::unwrap).collect();
            prop_assert_eq!(&again, &documents);
        }
    }
}

#[test]
fn tasks_and_relative_pictures_are_read_back() {
    let line = r#"[
        {"kind":"l","text":"Ask the council.","item":{"depth":1,"ordered":false,"list":0,"checked":true}},
        {"kind":"l","text":"It has two rooms.","item":{"depth":1,"ordered":false,"list":0,"continues":true,"checked":true}},
        {"kind":"l","text":"[x] marks the place.","item":{"depth":1,"ordered":false,"list":0,"checked":false}},
        {"kind":"l","text":"Go home.","item":{"depth":2,"ordered":true,"number":1,"list":1,"checked":false}},
        {"kind":"l","text":"[ ] is a box.","item":{"depth":1,"ordered":false,"list":0}}]"#;
    let mut document = Document::default();
    document.paragraphs = serde_json::from_str(line).unwrap();
    let figure = r#"[{"kind":"figure","before":5,"source":"../a%20b.jpg?c=1:2","alt":"A bridge"}]"#;
    document.objects = serde_json::from_str(figure).unwrap();
    let (was, markdown) = (lines(&document), markdown_body(&document));
    assert!(markdown.starts_with("- [x] Ask the council.\n"), "{markdown}");
    assert_eq!(read_again(&html(&document)), was, "{}", html(&document));
    assert_eq!(read_again(&markdown_to_html(&markdown)), was, "{markdown}");
}

#[test]
fn a_star_before_a_break_that_ends_an_emphasis_is_no_mark() {
    let line = r#"[{"kind":"l","text":"1. * .","item":{"depth":1,"ordered":false,"list":0},
        "marks":[{"start":0,"end":5,"mark":"em"},{"start":4,"end":5,"mark":"br"}]}]"#;
    let mut document = Document::default();
    document.paragraphs = serde_json::from_str(line).unwrap();
    let markdown = markdown_body(&document);
    assert_eq!(read_again(&markdown_to_html(&markdown)), lines(&document), "{markdown}");
}

/// Whether a value matches a schema. Supports only what the schema of the document model uses.
fn fits(value: &Value, schema: &Value, path: &str) -> Result<(), String> {
    let types = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    let is_of = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => true,
    };
    let is_listed = schema["enum"].as_array().is_none_or(|known| known.contains(value));
    let is_const = schema.get("const").is_none_or(|known| known == value);
    let is_enough = value.as_i64().zip(schema["minimum"].as_i64()).is_none_or(|(number, least)| number >= least);
    if !types.iter().any(is_of) || !is_listed || !is_const || !is_enough {
        return Err(format!("{path}: {value}"));
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        fits(item, &schema["items"], &format!("{path}[{number}]"))?;
    }
    let missing = |key: &&Value| value.is_object() && value.get(key.as_str().unwrap()).is_none();
    if let Some(key) = schema["required"].as_array().into_iter().flatten().find(missing) {
        return Err(format!("{path} lacks {key}"));
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(key) {
            Some(schema) => fits(inner, schema, &format!("{path}.{key}"))?,
            // Other keys of a document are checked elsewhere.
            None if path == "document" => {}
            None => return Err(format!("{path} has {key}, which the model lacks")),
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn json_lines_match_the_schema_of_the_document_model(document in document()) {
        let schema: Value = serde_json::from_str(include_str!("document-model.schema.json")).unwrap();
        let line = serde_json::to_value(&document).unwrap();
        prop_assert_eq!(fits(&line, &schema, "document"), Ok(()));
    }
}
