//! A paragraph of a document: its kind, its text, and the marks in the text.
//!
//! The keys are those of the document model (`structure` 1). A reader that only knows `kind` and `text` gets running
//! text. All other keys are optional, and left out of the JSON line if they are empty.

use goldminer_html::ParagraphKind;
use serde::{Deserialize, Serialize};

/// A paragraph of a document.
///
/// ```
/// use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
///
/// let headline = DocumentParagraph::new(ParagraphKind::Heading, "Flood");
/// let paragraphs = [headline, DocumentParagraph::new(ParagraphKind::Paragraph, "It rained.")];
/// assert_eq!(Document::join(&paragraphs), "Flood\n\nIt rained.");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DocumentParagraph {
    /// The kind of the paragraph.
    pub kind: ParagraphKind,
    /// The text, never empty, with white space folded and character references decoded. Code keeps its lines. A table
    /// is its full grid: one line per row, tabs between cells, covered cells empty. A formula is TeX.
    pub text: String,
    /// The level of a heading on its page, 1 to 6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Its place in a list; paragraphs of any kind may be in a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Item>,
    /// The number of quotes that contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<u8>,
    /// The language of code as the page names it, in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The details of a table that its text does not show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
    /// The label of the footnote whose text this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The marks in the text, sorted by their start; if two start together, the outer one comes first. Marks are
    /// nested: no two overlap in part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

impl DocumentParagraph {
    /// A paragraph of this kind.
    #[must_use]
    pub fn new(kind: ParagraphKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), ..Self::default() }
    }
}

/// The place of a paragraph in a list.
///
/// ```
/// use goldminer_core::document::Item;
///
/// let item: Item = serde_json::from_str(r#"{"depth":2,"ordered":true,"number":3,"list":1}"#)?;
/// assert!(!item.continues);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Item {
    /// The depth of its list, from 1.
    pub depth: u8,
    /// Whether its list has numbers.
    pub ordered: bool,
    /// Its number, if the list is numbered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<i32>,
    /// The number of its list in the document, from 0. It tells two consecutive lists apart.
    #[serde(default)]
    pub list: u32,
    /// Whether it is a further block of the previous item.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continues: bool,
    /// Whether the task is done, in a task list: the page has a checkbox before the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// Which part of a definition list it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<ItemPart>,
}

/// The two parts of a definition list.
///
/// ```
/// use goldminer_core::document::ItemPart;
///
/// assert_eq!(serde_json::to_string(&ItemPart::Term)?, "\"term\"");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ItemPart {
    /// The term.
    Term,
    /// Its definition.
    Definition,
}

/// Caption, header cells and spans of a table.
///
/// ```
/// use goldminer_core::document::Table;
///
/// let table: Table = serde_json::from_str(r#"{"head_rows":1,"spans":[{"row":0,"column":1,"rows":1,"columns":2}]}"#)?;
/// assert_eq!((table.head_rows, table.spans[0].columns), (1, 2));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Table {
    /// Its caption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The number of header rows at the top.
    #[serde(default)]
    pub head_rows: u32,
    /// The number of header columns at the left.
    #[serde(default)]
    pub head_columns: u32,
    /// The cells that cover others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<CellSpan>,
}

/// A cell that covers others to its right and below. The covered cells are empty in the table's text.
///
/// ```
/// use goldminer_core::document::CellSpan;
///
/// let span: CellSpan = serde_json::from_str(r#"{"row":0,"column":1,"rows":1,"columns":2}"#)?;
/// assert_eq!(span.columns, 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs, reason = "a rectangle has four numbers")]
pub struct CellSpan {
    /// Its row, from 0.
    pub row: u32,
    /// Its column, from 0.
    pub column: u32,
    /// How many rows it covers, itself included.
    pub rows: u32,
    /// How many columns it covers, itself included.
    pub columns: u32,
}

/// A range of a paragraph's text with a special meaning.
///
/// ```
/// use goldminer_core::document::{Mark, MarkKind};
///
/// let mark: Mark = serde_json::from_str(r#"{"start":3,"end":9,"mark":"a","target":"http://portal.example/"}"#)?;
/// assert_eq!(mark.mark, MarkKind::Link);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs, reason = "the document model decides its fields")]
pub struct Mark {
    /// The start, in Unicode characters of the text.
    pub start: u32,
    /// The end (exclusive), in Unicode characters.
    pub end: u32,
    /// The kind.
    pub mark: MarkKind,
    /// The absolute address of a link, or the label of the footnote that a reference points to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// The kind of a [`Mark`].
///
/// ```
/// use goldminer_core::document::MarkKind;
///
/// assert_eq!(serde_json::to_string(&MarkKind::Deleted)?, "\"del\"");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MarkKind {
    /// A link.
    #[serde(rename = "a")]
    Link,
    /// Emphasis: `em`, `i`.
    #[serde(rename = "em")]
    Emphasis,
    /// Strong emphasis: `strong`, `b`.
    Strong,
    /// Inline code.
    Code,
    /// Subscript.
    Sub,
    /// Superscript.
    Sup,
    /// Deleted text.
    #[serde(rename = "del")]
    Deleted,
    /// An inline formula, as TeX.
    Math,
    /// A line break of the page; it marks the one space where the line ends.
    #[serde(rename = "br")]
    LineBreak,
    /// A reference to a footnote.
    #[serde(rename = "note")]
    NoteReference,
}

/// Something between paragraphs that is not text.
///
/// ```
/// use goldminer_core::document::{Object, ObjectKind};
///
/// let object: Object = serde_json::from_str(r#"{"kind":"figure","before":2,"source":"http://portal.example/a.jpg"}"#)?;
/// assert_eq!((object.kind, object.before), (ObjectKind::Figure, 2));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Object {
    /// The kind.
    pub kind: ObjectKind,
    /// The index of the next paragraph; the number of paragraphs if there is none.
    pub before: u32,
    /// The absolute address of a figure or embed; of the largest picture, if there are several. It is never a `data:`
    /// URL. If the page's address is not known, the address is as written on the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The alternative text of a figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
    /// The caption of a figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The credit of a figure: who made or owns the picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit: Option<String>,
    /// The service that an embed comes from, such as `x` or `youtube`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The indexes of the paragraphs that are the text of an embed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quoted: Vec<u32>,
}

impl Object {
    /// An object before paragraph number `before`.
    #[must_use]
    pub fn new(kind: ObjectKind, before: u32) -> Self {
        let (source, alt, caption, credit, provider, quoted) = Default::default();
        Self { kind, before, source, alt, caption, credit, provider, quoted }
    }
}

/// The kind of an [`Object`].
///
/// ```
/// use goldminer_core::document::ObjectKind;
///
/// assert_eq!(serde_json::to_string(&ObjectKind::Rule)?, "\"rule\"");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ObjectKind {
    /// A picture.
    Figure,
    /// Content of another site that is shown on the page: a post, a video, a recording.
    Embed,
    /// A horizontal rule between two parts of the text.
    Rule,
}
