//! A paragraph of a document: its kind, its text, and the marks (such as links and emphasis) in the text.
//!
//! The JSON keys are those of version 1 of the document model. A program that knows only `kind` and `text` can use the
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
    /// The text, never empty, with white space folded and character references decoded. Code keeps its line breaks. A
    /// table is a full grid: one line per row, tabs between cells. Cells that a merged cell covers are empty. A formula
    /// is TeX.
    pub text: String,
    /// The level of a heading on its page, 1 to 6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// The place of the paragraph in a list. Paragraphs of any kind may be in a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Item>,
    /// The number of nested quotes that contain the paragraph. None if it is in no quote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<u8>,
    /// The language of code as the page names it, in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The details of a table that its text does not show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
    /// The label of the footnote, if the paragraph is the text of a footnote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The marks in the text, sorted by their start. If two start together, the outer one comes first. Marks are
    /// nested: no two overlap in part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

impl DocumentParagraph {
    /// Creates a paragraph with only a kind and a text.
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
    /// How deep the list is nested: 1 for a list that is in no other list.
    pub depth: u8,
    /// Whether the list is numbered.
    pub ordered: bool,
    /// The number of the item, if the list is numbered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<i32>,
    /// The number of the list in the document, from 0. It tells two consecutive lists apart.
    #[serde(default)]
    pub list: u32,
    /// Whether the paragraph continues the previous item instead of beginning a new one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continues: bool,
    /// Whether the box of a task list's item is checked. None if the item has no checkbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// Whether the paragraph is a term or a definition. None outside definition lists.
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
    /// A term that is defined.
    Term,
    /// The definition of a term.
    Definition,
}

/// The details of a table that its text does not show: caption, header cells and merged cells.
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
    /// The caption of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The number of header rows at the top.
    #[serde(default)]
    pub head_rows: u32,
    /// The number of header columns at the left.
    #[serde(default)]
    pub head_columns: u32,
    /// The merged cells: those that cover more than one row or column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<CellSpan>,
}

/// A merged cell, which also covers cells to its right or below. These are empty in the table's text.
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
    /// The row in which the cell begins, from 0.
    pub row: u32,
    /// The column in which the cell begins, from 0.
    pub column: u32,
    /// How many rows the cell covers, the first included.
    pub rows: u32,
    /// How many columns the cell covers, the first included.
    pub columns: u32,
}

/// A range of a paragraph's text with a special meaning, such as a link.
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
    /// The number of Unicode characters in the text before the mark.
    pub start: u32,
    /// The number of Unicode characters in the text up to the end of the mark.
    pub end: u32,
    /// The meaning of the range.
    pub mark: MarkKind,
    /// The absolute URL of a link, or the label of the footnote that a reference points to.
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
    /// A line break (`<br>`). The mark covers the space that stands for it in the text.
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
    /// Whether the object is a figure, an embed or a rule.
    pub kind: ObjectKind,
    /// The index of the paragraph after the object. If there is none, the number of paragraphs.
    pub before: u32,
    /// The absolute URL of a figure or embed. If there are several pictures, that of the largest. It is never a `data:`
    /// URL. If the page's own URL is not known, it is as written on the page.
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
    /// Creates an object before the paragraph with the index `before`.
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
