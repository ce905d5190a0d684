//! Writes the fields of a document with their types, for Hugging Face's `datasets` and for Croissant.
//!
//! Readers of JSON lines guess types from the first lines. If a key such as `authors` has no value in these lines,
//! readers assume that it is always empty, and fail at the first line with a value. `datasets`
//! (`load_dataset("folder")`) and its hub read the types from the card instead.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::schema::{Column, Field, Kind, columns};

/// The columns of a Parquet row as fields: times are typed, dates are text.
pub(super) fn row() -> Vec<Field> {
    let field = |Column { name, kind, is_nullable, .. }: Column| {
        let kind = match kind {
            Kind::Date | Kind::Json(_) => Kind::Text,
            Kind::Time => Kind::Date,
            kind => kind,
        };
        Field { key: name, kind, is_nullable, column: name, later: 0 }
    };
    columns().into_iter().map(field).collect()
}

/// The types in the syntax of the card's YAML header for `datasets`, with this indentation.
pub(super) fn features(fields: &[Field], indent: usize) -> String {
    let mut lines = String::new();
    for Field { key, kind, .. } in fields {
        let (word, inner) = match kind {
            Kind::Text | Kind::Time => ("dtype: string", None),
            Kind::U32 | Kind::I32 | Kind::U64 => ("dtype: int64", None),
            Kind::Share => ("dtype: float64", None),
            Kind::Truth => ("dtype: bool", None),
            Kind::Date => ("dtype: timestamp[s]", None),
            Kind::Texts => ("list: string", None),
            Kind::Numbers => ("list: int64", None),
            Kind::One(inner) => ("struct:", Some(inner)),
            Kind::Many(inner) | Kind::Json(inner) => ("list:", Some(inner)),
        };
        let _ = writeln!(lines, "{:indent$}- name: {key}\n{:indent$}  {word}", "", "");
        lines.extend(inner.map(|inner| features(inner, indent + 2)));
    }
    lines
}

/// The fields in the syntax of Croissant, each read from a column of `source`.
pub(super) fn croissant(fields: &[Field], source: &Value) -> Vec<Value> {
    fields.iter().map(|field| croissant_field(field, "documents", None, Some(source))).collect()
}

/// A field and the fields in it, without a `source` if Croissant has no path to it.
fn croissant_field(
    Field { key, kind, .. }: &Field,
    below: &str,
    inside: Option<(&str, &str)>,
    source: Option<&Value>,
) -> Value {
    let id = format!("{below}/{key}");
    let (column, path) = match inside {
        None => (*key, String::new()),
        Some((column, "")) => (column, (*key).to_owned()),
        Some((column, path)) => (column, format!("{path}.{key}")),
    };
    let mut croissant = json!({"@type": "cr:Field", "@id": id, "name": key});
    let data_type = match kind {
        Kind::Text | Kind::Time | Kind::Texts => Some("sc:Text"),
        Kind::U32 | Kind::I32 | Kind::U64 | Kind::Numbers => Some("sc:Integer"),
        Kind::Share => Some("sc:Float"),
        Kind::Truth => Some("sc:Boolean"),
        Kind::Date => Some("sc:DateTime"),
        Kind::One(_) | Kind::Many(_) | Kind::Json(_) => None,
    };
    if let Some(data_type) = data_type {
        croissant["dataType"] = data_type.into();
        if let Some(source) = source {
            croissant["source"] = source.clone();
            croissant["source"]["extract"] = json!({"column": column});
            if !path.is_empty() {
                croissant["source"]["transform"] = json!({"jsonPath": path});
            }
        }
    }
    if matches!(kind, Kind::Texts | Kind::Numbers | Kind::Many(_) | Kind::Json(_)) {
        croissant["repeated"] = true.into();
    }
    if let Kind::One(inner) | Kind::Many(inner) | Kind::Json(inner) = kind {
        // Within a list, a path begins at its items and selects one value in each. There is no path for a list in a
        // list.
        let inside = (column, path.as_str());
        let source = source.filter(|_| path.is_empty() || !matches!(kind, Kind::Many(_) | Kind::Json(_)));
        croissant["subField"] = inner.iter().map(|field| croissant_field(field, &id, Some(inside), source)).collect();
    }
    croissant
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::DOCUMENT;
    use crate::testing::document;
    use goldminer_core::document::ProfileUse;
    use goldminer_core::rights::{Rights, RightsSource, Signal};
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
        whole.provenance.profile = Some(ProfileUse { key: "p".to_owned(), version: 1, template: 0 });
        whole.provenance.warc = Some(ArchivePosition::new("w", 0, 1));
        let mut signal = Signal::new(RightsSource::RobotsTxt, "content-signal", "ai-train=no");
        signal.warc = Some(ArchivePosition::new("w", 0, 1));
        whole.rights = Rights::of(vec![signal]);
        let structure = r#"{"kind":"table","text":"a","level":1,"item":{"depth":1,"ordered":true,"number":1,"list":0,"continues":true,
            "part":"term","checked":true},"quote":1,"language":"c","table":{"caption":"a","head_rows":0,"head_columns":0,"spans":[{"row":0,
            "column":0,"rows":1,"columns":1}]},"note":"1","marks":[{"start":0,"end":1,"mark":"a","target":"a:b"}]}"#;
        whole.paragraphs = vec![serde_json::from_str(structure).unwrap()];
        let object =
            r#"{"kind":"figure","before":0,"source":"","alt":"","caption":"","credit":"","provider":"","quoted":[0]}"#;
        (whole.objects, whole.structure) = (vec![serde_json::from_str(object).unwrap()], Some(1));
        let mut of_document = Vec::new();
        keys(&serde_json::to_value(&whole).unwrap(), &mut of_document);
        let features = features(DOCUMENT, 2);
        let names = features.lines().filter_map(|line| line.trim_start().strip_prefix("- name: "));
        let mut of_card: Vec<String> = names.map(str::to_owned).collect();
        of_document.sort_unstable();
        of_card.sort_unstable();
        assert_eq!(of_card, of_document);
    }

    #[test]
    fn a_nested_key_is_read_from_the_column_around_it() {
        let fields = croissant(DOCUMENT, &json!({"fileSet": {"@id": "files"}}));
        let metadata = fields.iter().find(|field| field["name"] == "provenance").unwrap();
        let warc = metadata["subField"].as_array().unwrap().iter().find(|field| field["name"] == "warc").unwrap();
        let offset = &warc["subField"][1];
        assert_eq!(offset["@id"], "documents/provenance/warc/offset");
        assert_eq!(offset["source"]["extract"], json!({"column": "provenance"}));
        assert_eq!(offset["source"]["transform"], json!({"jsonPath": "warc.offset"}));
        assert!(fields[0]["source"]["transform"].is_null());
    }

    #[test]
    fn a_list_in_a_list_has_no_path_that_croissant_could_read() {
        let fields = croissant(DOCUMENT, &json!({"fileSet": {"@id": "files"}}));
        let inner = |field: &Value, name: &str| {
            field["subField"].as_array().unwrap().iter().find(|field| field["name"] == name).unwrap().clone()
        };
        let paragraphs = fields.iter().find(|field| field["name"] == "paragraphs").unwrap();
        assert_eq!(inner(paragraphs, "kind")["source"]["transform"], json!({"jsonPath": "kind"}));
        assert!(inner(&inner(paragraphs, "marks"), "start")["source"].is_null());
        assert!(inner(&inner(&inner(paragraphs, "table"), "spans"), "row")["source"].is_null());
    }
}
