//! Between a document and the values of its columns, by way of its JSON.
//!
//! A row is the JSON of a document with two differences: `fetched` is a number of microseconds with the nanoseconds beside
//! it, and the signals on rights are a text with their JSON.

use goldminer_core::document::Document;
use jiff::Timestamp;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;
use serde_json::{Value, json};
use serde_path_to_error::Segment;

use crate::schema::{Column, Field, Kind, NANOSECONDS, columns};

/// What Parquet stores as one sequence of values: a column, or a field of the objects in a column of lists.
pub(crate) struct Leaf {
    column: Column,
    /// In a list of objects, the key of the value in each.
    item: Option<&'static str>,
}

/// The sequences of a file, in their order.
pub(crate) fn leaves() -> Vec<Leaf> {
    let of_column = |column: Column| match column.kind {
        Kind::Many(inner) => inner.iter().map(|field| Leaf { column: column.clone(), item: Some(field.key) }).collect(),
        _ => vec![Leaf { column, item: None }],
    };
    columns().into_iter().flat_map(of_column).collect()
}

/// The schema of a file.
pub(crate) fn schema() -> Type {
    let columns: String = columns().iter().map(declaration).collect();
    parse_message_type(&format!("message document {{ {columns} }}")).expect("the schema is one")
}

fn declaration(column: &Column) -> String {
    let name = column.name;
    let list = |element: String| format!("required group {name} (LIST) {{ repeated group list {{ {element} }} }}\n");
    let (physical, logical) = match column.kind {
        Kind::Texts => return list("required binary element (UTF8);".to_owned()),
        Kind::Many(fields) => {
            let inner: String =
                fields.iter().map(|Field { key, .. }| format!("required binary {key} (UTF8);")).collect();
            return list(format!("required group element {{ {inner} }}"));
        }
        Kind::Json(_) => ("binary", " (JSON)"),
        Kind::Time => ("int64", " (TIMESTAMP(MICROS, true))"),
        Kind::U32 => ("int32", ""),
        Kind::U64 => ("int64", ""),
        Kind::Text | Kind::Date | Kind::One(_) => ("binary", " (UTF8)"),
    };
    format!("{} {physical} {name}{logical};\n", if column.is_nullable { "optional" } else { "required" })
}

impl Leaf {
    /// Its path in the schema: `paragraphs.list.element.kind`.
    pub(crate) fn name(&self) -> String {
        match (self.item, self.is_list()) {
            (Some(item), _) => format!("{}.list.element.{item}", self.column.name),
            (None, true) => format!("{}.list.element", self.column.name),
            (None, false) => self.column.name.to_owned(),
        }
    }

    /// Whether a row may have any number of values.
    pub(crate) fn is_list(&self) -> bool {
        matches!(self.column.kind, Kind::Texts | Kind::Many(_))
    }

    /// Whether a row may have no value.
    pub(crate) fn may_be_empty(&self) -> bool {
        self.column.is_nullable || self.is_list()
    }

    /// Whether a file may lack it.
    pub(crate) fn is_later(&self) -> bool {
        self.column.is_later
    }

    /// A number as Parquet stores it. Unsigned numbers stand in signed columns with the same bits.
    pub(crate) fn number(&self, stored: i64) -> Value {
        match self.column.kind {
            Kind::U32 => json!(stored as u32),
            Kind::U64 => json!(stored as u64),
            _ => json!(stored),
        }
    }

    /// Takes its values out of a row.
    pub(crate) fn take(&self, row: &mut Value) -> Vec<Value> {
        match (self.column.path.iter().try_fold(row, |value, key| value.get_mut(*key)), self.item) {
            (None | Some(Value::Null), _) => Vec::new(),
            (Some(Value::Array(items)), Some(key)) => items.iter_mut().map(|item| item[key].take()).collect(),
            (Some(Value::Array(items)), None) => std::mem::take(items),
            (Some(value), _) => vec![value.take()],
        }
    }

    /// Puts its values into a row.
    ///
    /// # Errors
    /// When there are too few of them.
    pub(crate) fn put(&self, mut values: Vec<Value>, row: &mut Value) -> Result<(), String> {
        let place = self.column.path.iter().fold(row, |value, key| &mut value[*key]);
        let Some(key) = self.item else {
            *place = if self.is_list() { Value::Array(values) } else { values.pop().unwrap_or_default() };
            return if place.is_null() && !self.column.is_nullable { Err("has no value".to_owned()) } else { Ok(()) };
        };
        if place.is_null() {
            *place = Value::Array(vec![json!({}); values.len()]);
        }
        let items = place.as_array_mut().map(Vec::as_mut_slice).unwrap_or_default();
        if items.len() != values.len() {
            return Err(format!("has {} {key}s for {} {}", values.len(), items.len(), self.column.name));
        }
        items.iter_mut().zip(values).for_each(|(item, value)| item[key] = value);
        Ok(())
    }
}

/// A document as a row.
pub(crate) fn row(document: &Document) -> Value {
    let mut row = json!(document);
    if let Some(fetched) = document.metadata.fetched {
        let nanosecond = fetched.as_nanosecond();
        row["metadata"]["fetched"] = json!(nanosecond.div_euclid(1_000) as i64);
        row["metadata"][NANOSECONDS] = match nanosecond.rem_euclid(1_000) as u32 {
            0 => Value::Null,
            beyond => json!(beyond),
        };
    }
    let signals = &document.rights.signals;
    if !document.rights.is_empty() {
        row["rights"]["signals"] = match serde_json::to_string(signals) {
            Ok(text) if !signals.is_empty() => text.into(),
            _ => Value::Null,
        };
    }
    row
}

/// The document of a row.
///
/// # Errors
/// The name of a column, and what is wrong with its value.
pub(crate) fn document(mut row: Value) -> Result<Document, (String, String)> {
    let metadata = &mut row["metadata"];
    if let Some(microsecond) = metadata["fetched"].as_i64() {
        let beyond = metadata[NANOSECONDS].as_i64().unwrap_or_default();
        let fetched = Timestamp::from_nanosecond(i128::from(microsecond) * 1_000 + i128::from(beyond));
        metadata["fetched"] = json!(fetched.map_err(|e| ("fetched".to_owned(), format!("has no time ({e})")))?);
    }
    if let Some(text) = row["rights"]["signals"].as_str() {
        let signals = serde_json::from_str(text);
        row["rights"]["signals"] =
            signals.map_err(|e| ("rights_signals".to_owned(), format!("has no list of signals ({e})")))?;
    } else {
        row["rights"]["signals"] = json!([]);
    }
    for (object, first) in [("profile", "key"), ("warc", "file")] {
        let object = &mut row["provenance"][object];
        if object[first].is_null() {
            object.take();
        }
    }
    serde_path_to_error::deserialize(row).map_err(|wrong| {
        let keys = |segment: &Segment| match segment {
            Segment::Map { key } => Some(key.clone()),
            _ => None,
        };
        let path: Vec<String> = wrong.path().iter().filter_map(keys).collect();
        let is_at = |leaf: &Leaf| leaf.column.path.iter().chain(&leaf.item).zip(&path).all(|(key, wrong)| key == wrong);
        let leaf = leaves().into_iter().find(is_at).map(|leaf| leaf.name());
        (leaf.unwrap_or_default(), format!("has an {}", wrong.inner()))
    })
}
