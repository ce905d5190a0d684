//! Converts a document to the values of its Parquet columns and back, by way of the document's JSON.
//!
//! A row is the JSON of a document with two differences. `fetched` is a number of microseconds, with the nanoseconds
//! in a separate column. The rights signals are JSON text. Nested values are stored as in Dremel (Melnik et al. 2010,
//! section 4): each value comes with two levels, which say how much of its path is present, and in which list it
//! begins a new element.

use std::cmp::Ordering;

use goldminer_core::document::Document;
use jiff::Timestamp;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;
use serde_json::{Value, json};
use serde_path_to_error::Segment;

use crate::schema::{Column, Field, Kind, NANOSECONDS, columns};

/// A leaf of the Parquet schema: a column, or a field of the objects in a column with a list.
pub(crate) struct Leaf {
    /// The keys in the JSON line that lead to the leaf's column.
    path: Vec<&'static str>,
    /// The steps from a row to the leaf's values.
    steps: Vec<Step>,
    kind: Kind,
    is_later: bool,
}

/// A step on the path to a value.
#[derive(Clone, Copy)]
enum Step {
    /// Into an object, by the name of the column or key; `true` if the value may be missing.
    Key(&'static str, bool),
    /// Into a list.
    List,
}

/// A value with its levels: how many optional steps to it are present, and in which list it begins a new element.
pub(crate) struct Entry {
    pub value: Option<Value>,
    pub defined: i16,
    pub repeated: i16,
}

/// The leaves of a file, in order.
pub(crate) fn leaves() -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for Column { name, path, kind, is_nullable, later } in columns() {
        let mut add =
            |steps: Vec<Step>, kind, is_later| leaves.push(Leaf { path: path.clone(), steps, kind, is_later });
        add_leaves(kind, vec![Step::Key(name, is_nullable)], later > 0, &mut add);
    }
    leaves
}

fn add_leaves(kind: Kind, steps: Vec<Step>, is_later: bool, add: &mut impl FnMut(Vec<Step>, Kind, bool)) {
    let of_fields = |steps: &[Step], fields: &'static [Field], add: &mut _| {
        for field in fields {
            let steps = [steps, &[Step::Key(field.key, field.is_nullable)]].concat();
            add_leaves(field.kind, steps, is_later || field.later > 0, add);
        }
    };
    let listed = || [steps.as_slice(), &[Step::List]].concat();
    match kind {
        Kind::Texts => add(listed(), Kind::Text, is_later),
        Kind::Numbers => add(listed(), Kind::U32, is_later),
        Kind::Many(fields) => of_fields(&listed(), fields, add),
        Kind::One(fields) => of_fields(&steps, fields, add),
        kind => add(steps, kind, is_later),
    }
}

pub(crate) fn schema() -> Type {
    let column = |column: &Column| declaration(column.name, column.kind, column.is_nullable);
    let columns: String = columns().iter().map(column).collect();
    parse_message_type(&format!("message document {{ {columns} }}")).expect("the schema is one")
}

fn declaration(name: &str, kind: Kind, is_nullable: bool) -> String {
    let list = |element: String| format!("required group {name} (LIST) {{ repeated group list {{ {element} }} }}\n");
    let group = |name: &str, is_nullable, fields: &[Field]| {
        let inner: String = fields.iter().map(|field| declaration(field.key, field.kind, field.is_nullable)).collect();
        format!("{} group {name} {{ {inner} }}\n", repetition(is_nullable))
    };
    let (physical, logical) = match kind {
        Kind::Texts => return list("required binary element (UTF8);".to_owned()),
        Kind::Numbers => return list("required int32 element;".to_owned()),
        Kind::Many(fields) => return list(group("element", false, fields)),
        Kind::One(fields) => return group(name, is_nullable, fields),
        Kind::Json(_) => ("binary", " (JSON)"),
        Kind::Time => ("int64", " (TIMESTAMP(MICROS, true))"),
        Kind::Truth => ("boolean", ""),
        Kind::U32 | Kind::I32 => ("int32", ""),
        Kind::U64 => ("int64", ""),
        Kind::Share => ("double", ""),
        Kind::Text | Kind::Date => ("binary", " (UTF8)"),
    };
    format!("{} {physical} {name}{logical};\n", repetition(is_nullable))
}

fn repetition(is_nullable: bool) -> &'static str {
    if is_nullable { "optional" } else { "required" }
}

impl Leaf {
    /// The leaf's path in the schema, such as `paragraphs.list.element.kind`.
    pub(crate) fn name(&self) -> String {
        let step = |step: &Step| match step {
            Step::Key(key, _) => *key,
            Step::List => "list.element",
        };
        self.steps.iter().map(step).collect::<Vec<_>>().join(".")
    }

    /// The keys in the JSON line that lead to its values.
    fn keys(&self) -> impl Iterator<Item = &'static str> {
        let inner = self.steps[1..].iter().filter_map(|step| match step {
            Step::Key(key, _) => Some(*key),
            Step::List => None,
        });
        self.path.iter().copied().chain(inner)
    }

    /// Whether a row may have any number of values.
    pub(crate) fn is_list(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::List))
    }

    /// Whether a row may have no value.
    pub(crate) fn may_be_empty(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::List | Step::Key(_, true)))
    }

    /// Whether a file may lack this leaf, because it was added later.
    pub(crate) fn is_later(&self) -> bool {
        self.is_later
    }

    /// A number as stored in Parquet. Unsigned numbers are in signed columns with the same bits.
    pub(crate) fn number(&self, stored: i64) -> Value {
        match self.kind {
            Kind::U32 => json!(stored as u32),
            Kind::U64 => json!(stored as u64),
            _ => json!(stored),
        }
    }

    /// Takes the leaf's values out of a row.
    pub(crate) fn entries(&self, row: &mut Value) -> Vec<Entry> {
        let column = self.path.iter().try_fold(row, |value, key| value.get_mut(*key));
        let mut entries = Vec::new();
        self.shred(column, &self.steps, [0, 0, 0], &mut entries);
        entries
    }

    /// Adds the values at the end of the path `steps` to `entries`. `levels` are the number of optional steps that are
    /// present, the list in which the value begins a new element, and the number of lists around it.
    fn shred(&self, value: Option<&mut Value>, steps: &[Step], levels: [i16; 3], entries: &mut Vec<Entry>) {
        let value = value.filter(|value| !value.is_null());
        let [defined, repeated, lists] = levels;
        match steps {
            [] => {
                // The JSON line leaves out only truth values, and only if they are false.
                let absent = || matches!(self.kind, Kind::Truth).then_some(Value::Bool(false));
                let value = value.map(Value::take).or_else(absent);
                entries.push(Entry { value, defined, repeated });
            }
            [Step::Key(_, true), ..] if value.is_none() => entries.push(Entry { value: None, defined, repeated }),
            [Step::Key(_, is_nullable), rest @ ..] => {
                self.shred(inside(value, rest), rest, [defined + i16::from(*is_nullable), repeated, lists], entries);
            }
            [Step::List, rest @ ..] => {
                let items = value.and_then(Value::as_array_mut).map(Vec::as_mut_slice).unwrap_or_default();
                if items.is_empty() {
                    entries.push(Entry { value: None, defined, repeated });
                }
                for (number, item) in items.iter_mut().enumerate() {
                    let levels = [defined + 1, if number == 0 { repeated } else { lists + 1 }, lists + 1];
                    self.shred(inside(Some(item), rest), rest, levels, entries);
                }
            }
        }
    }

    /// Puts the values of this leaf (a Parquet column) into a row. `thresholds` has, for each step on the column's path
    /// in the file, the definition level from which the step is present.
    ///
    /// # Errors
    /// Fails if a required value is missing.
    pub(crate) fn put(&self, entries: Vec<Entry>, thresholds: &[i16], row: &mut Value) -> Result<(), String> {
        let column = self.path.iter().fold(row, |value, key| &mut value[*key]);
        let mut elements = 0;
        let mut places = vec![0; self.steps.len()];
        for Entry { value, defined, repeated } in entries {
            let mut lists = 0;
            for (place, _) in places.iter_mut().zip(&self.steps).filter(|(_, step)| matches!(step, Step::List)) {
                // A value begins a new element in one list, and the first element in the lists inside.
                lists += 1;
                match lists.cmp(&repeated) {
                    Ordering::Less => {}
                    Ordering::Equal => *place += 1,
                    Ordering::Greater => *place = 0,
                }
            }
            // Counts the elements of the outermost list, which every leaf has.
            elements += usize::from(repeated <= 1 && thresholds.get(1).is_some_and(|there| defined >= *there));
            self.place(column, value, defined, thresholds, &places)?;
        }
        if let [Step::Key(name, _), Step::List, Step::Key(key, _), ..] = self.steps[..]
            && let Some(items) = column.as_array().filter(|items| items.len() != elements)
        {
            return Err(format!("has {elements} {key}s for {} {name}", items.len()));
        }
        Ok(())
    }

    fn place(
        &self,
        column: &mut Value,
        value: Option<Value>,
        defined: i16,
        thresholds: &[i16],
        places: &[usize],
    ) -> Result<(), String> {
        let mut at = column;
        for (number, step) in self.steps.iter().enumerate() {
            let is_there = defined >= thresholds[number];
            match step {
                Step::Key(key, is_nullable) => {
                    if number > 0 {
                        if !at.is_object() {
                            *at = json!({});
                        }
                        at = &mut at[*key];
                    }
                    let is_of_list = matches!(self.steps.get(number + 1), Some(Step::List));
                    if !is_there && !is_of_list {
                        return if *is_nullable { Ok(()) } else { Err("has no value".to_owned()) };
                    }
                }
                Step::List => {
                    if !at.is_array() {
                        *at = json!([]);
                    }
                    if !is_there {
                        return Ok(());
                    }
                    let Some(items) = at.as_array_mut() else { return Ok(()) };
                    if places[number] > items.len() {
                        return Err("has lists that do not begin with a row".to_owned());
                    }
                    if places[number] == items.len() {
                        items.push(Value::Null);
                    }
                    at = &mut items[places[number]];
                }
            }
        }
        *at = value.ok_or("has no value")?;
        Ok(())
    }
}

/// The value for the next step: the value of its key, or the list.
fn inside<'v>(value: Option<&'v mut Value>, steps: &[Step]) -> Option<&'v mut Value> {
    match steps {
        [Step::Key(key, _), ..] => value?.get_mut(*key),
        _ => value,
    }
}

pub(crate) fn row(document: &Document) -> Value {
    let mut row = json!(document);
    if let Some(fetched) = document.metadata.fetched {
        let nanosecond = fetched.as_nanosecond();
        row["metadata"]["fetched"] = json!(nanosecond.div_euclid(1_000) as i64);
        row["metadata"][NANOSECONDS] = json!(nanosecond.rem_euclid(1_000) as u32);
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

/// Makes a document from a row.
///
/// # Errors
/// The name of the invalid column, and what is wrong with its value.
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
        let is_at = |leaf: &Leaf| leaf.keys().zip(&path).all(|(key, wrong)| key == wrong);
        let leaf = leaves().into_iter().find(is_at).map(|leaf| leaf.name());
        (leaf.unwrap_or_default(), format!("has an {}", wrong.inner()))
    })
}
