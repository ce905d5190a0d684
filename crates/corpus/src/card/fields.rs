//! The keys of a document and the columns of a row, with their types: once as Hugging Face's `datasets` wants them told, once
//! as Croissant does. What they mean for people stands in the book.
//!
//! Readers of JSON lines guess types from the first lines: where those have no author, no date, no near-duplicate, they
//! take the keys for empty ones, and fail at the first line that has one. `datasets` takes the types from the card
//! instead (`load_dataset("folder")`), and so does its hub.

use std::fmt::Write;

use serde_json::{Value, json};

/// A key of a line, or a column.
pub(super) struct Field {
    name: &'static str,
    kind: Kind,
}

enum Kind {
    Text,
    Whole,
    /// A time without a zone is read as one in UTC, as all readers do that take times from JSON.
    Time,
    Texts,
    One(&'static [Field]),
    Many(&'static [Field]),
}

const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind }
}

const fn text(name: &'static str) -> Field {
    field(name, Kind::Text)
}

/// A place in the archive.
const WARC: &[Field] = &[text("file"), field("offset", Kind::Whole), field("length", Kind::Whole)];

/// The keys of a line of JSON, in its order. `fetched` is finer than readers know, therefore text.
pub(super) const LINE: &[Field] = &[
    text("id"),
    text("url"),
    text("text"),
    field("paragraphs", Kind::Many(&[text("kind"), text("text")])),
    field(
        "metadata",
        Kind::One(&[
            text("domain"),
            text("host"),
            text("title"),
            field("authors", Kind::Texts),
            field("published", Kind::Time),
            field("modified", Kind::Time),
            text("fetched"),
            text("language"),
            text("site_name"),
            text("section"),
            text("canonical"),
            text("access"),
            field(
                "sources",
                Kind::One(&[
                    text("title"),
                    text("authors"),
                    text("published"),
                    text("modified"),
                    text("site_name"),
                    text("section"),
                    text("canonical"),
                ]),
            ),
        ]),
    ),
    field(
        "provenance",
        Kind::One(&[
            text("method"),
            field("profile", Kind::One(&[text("key"), field("version", Kind::Whole), field("template", Kind::Whole)])),
            text("stoplist"),
            text("thresholds"),
            field("score", Kind::Whole),
            text("program"),
            field("warc", Kind::One(WARC)),
            text("page_digest"),
            text("text_digest"),
            text("simhash"),
            field("dropped_duplicates", Kind::Whole),
            text("near_duplicate_of"),
            text("file"),
        ]),
    ),
    field(
        "rights",
        Kind::One(&[
            field("restrictions", Kind::Texts),
            field("contradictions", Kind::Texts),
            text("license"),
            field(
                "signals",
                Kind::Many(&[
                    text("source"),
                    text("name"),
                    text("value"),
                    text("agent"),
                    text("fetched"),
                    field("warc", Kind::One(WARC)),
                ]),
            ),
        ]),
    ),
];

/// The columns of a row of Parquet; their types stand in the file, too.
pub(super) const ROW: &[Field] = &[
    text("id"),
    text("url"),
    text("text"),
    field("paragraphs", Kind::Many(&[text("kind"), text("text")])),
    text("domain"),
    text("host"),
    text("title"),
    field("authors", Kind::Texts),
    text("published"),
    text("modified"),
    field("fetched", Kind::Time),
    field("fetched_nanoseconds", Kind::Whole),
    text("language"),
    text("site_name"),
    text("section"),
    text("canonical"),
    text("method"),
    text("profile"),
    field("profile_version", Kind::Whole),
    field("template", Kind::Whole),
    text("stoplist"),
    text("thresholds"),
    text("program"),
    text("warc_file"),
    field("warc_offset", Kind::Whole),
    field("warc_length", Kind::Whole),
    text("page_digest"),
    text("text_digest"),
    text("simhash"),
    field("dropped_duplicates", Kind::Whole),
    text("near_duplicate_of"),
    field("score", Kind::Whole),
    text("title_source"),
    text("authors_source"),
    text("published_source"),
    text("modified_source"),
    text("site_name_source"),
    text("section_source"),
    text("canonical_source"),
    field("rights_restrictions", Kind::Texts),
    field("rights_contradictions", Kind::Texts),
    text("license"),
    text("rights_signals"),
    text("access"),
    text("file"),
];

/// The types as `datasets` reads them from the head of a card.
pub(super) fn features(fields: &[Field]) -> String {
    let mut lines = String::new();
    write_features(fields, 2, &mut lines);
    lines
}

fn write_features(fields: &[Field], indent: usize, lines: &mut String) {
    for Field { name, kind } in fields {
        let _ = writeln!(lines, "{:indent$}- name: {name}", "");
        let (word, inner) = match kind {
            Kind::Text => ("dtype: string", None),
            Kind::Whole => ("dtype: int64", None),
            Kind::Time => ("dtype: timestamp[s]", None),
            Kind::Texts => ("list: string", None),
            Kind::One(inner) => ("struct:", Some(inner)),
            Kind::Many(inner) => ("list:", Some(inner)),
        };
        let _ = writeln!(lines, "{:indent$}  {word}", "");
        inner.into_iter().for_each(|inner| write_features(inner, indent + 2, lines));
    }
}

/// The fields as Croissant has them, each read from a column of `source`.
pub(super) fn croissant(fields: &[Field], source: &Value) -> Vec<Value> {
    fields.iter().map(|field| croissant_field(field, "documents", None, source)).collect()
}

fn croissant_field(Field { name, kind }: &Field, below: &str, inside: Option<(&str, &str)>, source: &Value) -> Value {
    let id = format!("{below}/{name}");
    let (column, path) = match inside {
        None => (*name, String::new()),
        Some((column, "")) => (column, (*name).to_owned()),
        Some((column, path)) => (column, format!("{path}.{name}")),
    };
    let mut said = json!({"@type": "cr:Field", "@id": id, "name": name});
    let data_type = match kind {
        Kind::Text | Kind::Texts => Some("sc:Text"),
        Kind::Whole => Some("sc:Integer"),
        Kind::Time => Some("sc:DateTime"),
        Kind::One(_) | Kind::Many(_) => None,
    };
    if let Some(data_type) = data_type {
        said["dataType"] = data_type.into();
        said["source"] = source.clone();
        said["source"]["extract"] = json!({"column": column});
        if !path.is_empty() {
            said["source"]["transform"] = json!({"jsonPath": path});
        }
    }
    if matches!(kind, Kind::Texts | Kind::Many(_)) {
        said["repeated"] = true.into();
    }
    if let Kind::One(inner) | Kind::Many(inner) = kind {
        // Inside of a list a path begins at its items.
        let inside = (column, path.as_str());
        said["subField"] = inner.iter().map(|field| croissant_field(field, &id, Some(inside), source)).collect();
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::document;
    use goldminer_core::document::ProfileUse;
    use goldminer_core::rights::Rights;
    use goldminer_core::rights::RightsSource;
    use goldminer_core::rights::Signal;
    use goldminer_html::capture::ArchivePosition;

    fn keys(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
            Value::Object(object) => object.iter().for_each(|(key, value)| {
                found.push(key.clone());
                keys(value, found);
            }),
            _ => {}
        }
    }

    #[test]
    fn the_card_names_every_key_of_a_document() {
        let mut whole = document("a", "Text.");
        whole.provenance.profile = Some(ProfileUse::new("p", 1, 0));
        whole.provenance.warc = Some(ArchivePosition::new("w", 0, 1));
        let mut signal = Signal::new(RightsSource::RobotsTxt, "content-signal", "ai-train=no");
        signal.warc = Some(ArchivePosition::new("w", 0, 1));
        whole.rights = Rights::of(vec![signal]);
        let mut of_document = Vec::new();
        keys(&serde_json::to_value(&whole).unwrap(), &mut of_document);
        let features = features(LINE);
        let names = features.lines().filter_map(|line| line.trim_start().strip_prefix("- name: "));
        let mut of_card: Vec<String> = names.map(str::to_owned).collect();
        of_document.sort_unstable();
        of_card.sort_unstable();
        assert_eq!(of_card, of_document);
    }

    #[test]
    #[cfg(feature = "parquet")]
    fn the_card_names_every_column_of_a_row() {
        let schema = parquet::schema::parser::parse_message_type(crate::parquet::SCHEMA).unwrap();
        let columns: Vec<&str> = schema.get_fields().iter().map(|column| column.name()).collect();
        assert_eq!(ROW.iter().map(|field| field.name).collect::<Vec<_>>(), columns);
    }

    #[test]
    fn a_key_inside_of_another_is_read_from_its_column() {
        let fields = croissant(LINE, &json!({"fileSet": {"@id": "files"}}));
        let metadata = fields.iter().find(|field| field["name"] == "provenance").unwrap();
        let warc = metadata["subField"].as_array().unwrap().iter().find(|field| field["name"] == "warc").unwrap();
        let offset = &warc["subField"][1];
        assert_eq!(offset["@id"], "documents/provenance/warc/offset");
        assert_eq!(offset["source"]["extract"], json!({"column": "provenance"}));
        assert_eq!(offset["source"]["transform"], json!({"jsonPath": "warc.offset"}));
        assert!(fields[0]["source"]["transform"].is_null());
    }
}
