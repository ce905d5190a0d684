//! Defines the fields of a document in one table: the keys of its JSON line with their types, and the columns of its
//! Parquet row.
//!
//! Parquet files and the card are made from this table. Tests compare it with the types of
//! [`Document`](goldminer_core::document::Document), the table in the book, and Python's stub.

/// A field of a document.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The field's key in the JSON line.
    pub key: &'static str,
    /// The type of the field.
    pub kind: Kind,
    /// Whether the field may be `null`.
    pub is_nullable: bool,
    /// The name of the field's column in Parquet. An object ([`Kind::One`]) has no column; its fields are columns.
    pub column: &'static str,
    /// 0 for fields of the first version of the schema. Fields that were added later have higher numbers, in the order
    /// of their columns. Files of older versions lack them; they are then read as empty.
    pub later: u8,
}

/// The type of a field.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Text.
    Text,
    /// A date or time, as precise as on the page. Most readers treat a time without a zone as UTC.
    Date,
    /// A time with nanoseconds, more precise than most readers support.
    Time,
    /// `true` or `false`.
    Truth,
    /// A signed 32-bit number.
    I32,
    /// An unsigned 32-bit number.
    U32,
    /// An unsigned 64-bit number.
    U64,
    /// A number from 0 to 1.
    Share,
    /// A list of texts.
    Texts,
    /// A list of unsigned 32-bit numbers.
    Numbers,
    /// An object.
    One(&'static [Field]),
    /// A list of objects.
    Many(&'static [Field]),
    /// A list of objects with different fields; in Parquet, JSON text.
    Json(&'static [Field]),
}

/// A column of a Parquet file.
#[derive(Debug, Clone)]
pub struct Column {
    /// The name of the column.
    pub name: &'static str,
    /// The keys in the JSON line that lead to the column's value.
    pub path: Vec<&'static str>,
    /// The type of the field.
    pub kind: Kind,
    /// Whether the column may contain null.
    pub is_nullable: bool,
    /// If above 0, files of older versions may lack the column; such columns are sorted by this number.
    pub later: u8,
}

const fn field(key: &'static str, kind: Kind) -> Field {
    Field { key, kind, is_nullable: false, column: key, later: 0 }
}

const fn text(key: &'static str) -> Field {
    field(key, Kind::Text)
}

impl Field {
    const fn or_null(self) -> Self {
        Self { is_nullable: true, ..self }
    }

    const fn later(self, later: u8) -> Self {
        Self { later, ..self }
    }

    const fn column(self, column: &'static str) -> Self {
        Self { column, ..self }
    }
}

const ITEM: &[Field] = &[
    field("depth", Kind::U32),
    field("ordered", Kind::Truth),
    field("number", Kind::I32).or_null(),
    field("list", Kind::U32),
    field("continues", Kind::Truth),
    text("part").or_null(),
    field("checked", Kind::Truth).or_null().later(1),
];

const SPAN: &[Field] =
    &[field("row", Kind::U32), field("column", Kind::U32), field("rows", Kind::U32), field("columns", Kind::U32)];

const TABLE: &[Field] = &[
    text("caption").or_null(),
    field("head_rows", Kind::U32),
    field("head_columns", Kind::U32),
    field("spans", Kind::Many(SPAN)),
];

const MARK: &[Field] = &[field("start", Kind::U32), field("end", Kind::U32), text("mark"), text("target").or_null()];

const PARAGRAPH: &[Field] = &[
    text("kind"),
    text("text"),
    field("level", Kind::U32).or_null().later(1),
    field("item", Kind::One(ITEM)).or_null().later(1),
    field("quote", Kind::U32).or_null().later(1),
    text("language").or_null().later(1),
    field("table", Kind::One(TABLE)).or_null().later(1),
    text("note").or_null().later(1),
    field("marks", Kind::Many(MARK)).later(1),
];

const OBJECT: &[Field] = &[
    text("kind"),
    field("before", Kind::U32),
    text("source").or_null(),
    text("alt").or_null(),
    text("caption").or_null(),
    text("credit").or_null(),
    text("provider").or_null(),
    field("quoted", Kind::Numbers),
];

const SOURCES: &[Field] = &[
    text("title").or_null().column("title_source"),
    text("authors").or_null().column("authors_source"),
    text("published").or_null().column("published_source"),
    text("modified").or_null().column("modified_source"),
    text("site_name").or_null().column("site_name_source"),
    text("section").or_null().column("section_source"),
    text("canonical").or_null().column("canonical_source"),
];

const METADATA: &[Field] = &[
    text("domain"),
    text("host").or_null(),
    text("title").or_null(),
    field("authors", Kind::Texts),
    field("published", Kind::Date).or_null(),
    field("modified", Kind::Date).or_null(),
    field("fetched", Kind::Time).or_null(),
    text("language").or_null(),
    text("site_name").or_null(),
    text("section").or_null(),
    text("canonical").or_null(),
    text("access").or_null().later(4),
    field("sources", Kind::One(SOURCES)).later(2),
];

const PROFILE: &[Field] = &[
    text("key").column("profile"),
    field("version", Kind::U32).column("profile_version"),
    field("template", Kind::U32),
];

const WARC: &[Field] = &[
    text("file").column("warc_file"),
    field("offset", Kind::U64).column("warc_offset"),
    field("length", Kind::U64).column("warc_length"),
];

const PROVENANCE: &[Field] = &[
    text("method"),
    field("profile", Kind::One(PROFILE)).or_null(),
    text("stoplist"),
    text("thresholds"),
    field("score", Kind::U32).or_null().later(1),
    field("confidence", Kind::Share).or_null().later(8),
    text("program"),
    field("warc", Kind::One(WARC)).or_null(),
    text("page_digest"),
    text("text_digest"),
    text("simhash"),
    field("dropped_duplicates", Kind::U32),
    text("near_duplicate_of").or_null(),
    text("file").or_null().later(5),
    field("truncated", Kind::Truth).or_null().later(9),
];

const SIGNAL: &[Field] = &[
    text("source"),
    text("name"),
    text("value"),
    text("agent").or_null(),
    field("fetched", Kind::Time).or_null(),
    field("warc", Kind::One(WARC)).or_null(),
];

const RIGHTS: &[Field] = &[
    field("restrictions", Kind::Texts).column("rights_restrictions"),
    field("contradictions", Kind::Texts).column("rights_contradictions"),
    text("license").or_null(),
    field("signals", Kind::Json(SIGNAL)).column("rights_signals"),
];

/// The fields of a document, in the order of the JSON line.
pub const DOCUMENT: &[Field] = &[
    text("id"),
    text("url"),
    text("text"),
    field("paragraphs", Kind::Many(PARAGRAPH)),
    field("objects", Kind::Many(OBJECT)).later(6),
    field("structure", Kind::U32).or_null().later(7),
    field("metadata", Kind::One(METADATA)),
    field("provenance", Kind::One(PROVENANCE)),
    field("rights", Kind::One(RIGHTS)).later(3),
];

/// The nanoseconds of `fetched` within its microsecond (1 to 999, or null): microseconds are the most precise unit of
/// Parquet's readers. This column has no key in the JSON line.
pub(super) const NANOSECONDS: &str = "fetched_nanoseconds";

/// The columns of a Parquet file, in order.
pub fn columns() -> Vec<Column> {
    let mut columns = Vec::new();
    add_columns(DOCUMENT, &[], false, 0, &mut columns);
    columns.sort_by_key(|column| column.later);
    columns
}

fn add_columns(fields: &[Field], above: &[&'static str], is_nullable: bool, later: u8, columns: &mut Vec<Column>) {
    let path = |key| [above, &[key]].concat();
    for field in fields {
        let is_nullable = is_nullable || field.is_nullable || matches!(field.kind, Kind::Json(_));
        let later = later.max(field.later);
        let mut add = |name, path, kind| columns.push(Column { name, path, kind, is_nullable, later });
        match field.kind {
            Kind::One(inner) => add_columns(inner, &path(field.key), is_nullable, later, columns),
            Kind::Time => {
                add(field.column, path(field.key), Kind::Time);
                add(NANOSECONDS, path(NANOSECONDS), Kind::U32);
            }
            kind => add(field.column, path(field.key), kind),
        }
    }
}
