//! Reads data tables as full grids: each cell is in its column, even if others span several columns or rows. Layout
//! tables are recognised by their content.

use std::ops::Range;

use goldminer_html::{ElementId, Page, Tag};

use super::inline::{ByteMark, Inline};
use super::pictures::shows_picture;
use super::reader::Reader;
use crate::document::{CellSpan, DocumentParagraph, MarkKind, ParagraphKind, Table};

/// The most characters in a data cell, if the table has no header cell and no caption.
const MAX_CELL: usize = 400;
/// The most characters on average in the data cells of such a table.
const MAX_MEAN_CELL: usize = 90;
/// The most paragraphs in a data cell of such a table.
const MAX_TEXTS: usize = 4;
/// The most cells in a grid. A cell whose span would exceed this gets a span of one.
const MAX_CELLS: usize = 1 << 17;
/// The most columns, as in browsers.
const MAX_COLUMNS: usize = 1_000;

/// A cell of the table on the page.
struct Cell {
    element: ElementId,
    is_head: bool,
    row: usize,
    rows: usize,
    columns: usize,
}

/// The cells of a table, row by row.
pub(crate) struct Cells {
    cells: Vec<Cell>,
    rows: usize,
    /// The number of rows in the table's `thead`.
    head_rows: usize,
    /// The first rows of the table's `thead`, `tbody` and `tfoot`. No cell spans from one of these into the next.
    groups: Vec<usize>,
    caption: Option<ElementId>,
    /// Whether any cell is a header cell.
    pub(crate) has_heads: bool,
    pub(crate) paragraphs: Range<usize>,
}

impl Cells {
    /// The cells of a data table; None for a layout table.
    pub(crate) fn of(page: &Page, table: ElementId) -> Option<Self> {
        let cells = Self::read(page, table);
        let has_heads = cells.has_heads;
        let is_layout = |id: ElementId| match page.element(id).tag {
            Tag::Table | Tag::H1 | Tag::H2 | Tag::Article | Tag::Form => true,
            Tag::Pre | Tag::Blockquote => !has_heads,
            _ => false,
        };
        if page.ids_in(table).any(is_layout) || cells.rows == 0 {
            return None;
        }
        let is_data_table = has_heads || cells.caption.is_some();
        let (mut texts, mut letters) = (0, 0);
        let mut full = vec![0_u8; cells.rows];
        for cell in &cells.cells {
            let held = &page.paragraphs()[page.paragraphs_in(cell.element)];
            let length: usize = held.iter().map(|paragraph| paragraph.chars as usize).sum();
            if !is_data_table && (held.len() > MAX_TEXTS || length > MAX_CELL) {
                return None;
            }
            texts += usize::from(length > 0);
            letters += length;
            let is_full = length > 0 || !is_data_table && page.ids_in(cell.element).any(|id| shows_picture(page, id));
            full[cell.row] = full[cell.row].saturating_add(u8::from(is_full));
        }
        let rows = full.iter().filter(|cells| **cells > 0).count();
        let full = full.iter().filter(|cells| **cells > 1).count();
        let is_data = match is_data_table {
            true => rows > 1 || full > 0,
            false => full > 1 && 2 * full >= rows && letters <= MAX_MEAN_CELL * texts,
        };
        is_data.then_some(cells)
    }

    fn read(page: &Page, table: ElementId) -> Self {
        let (mut cells, mut rows, mut head_rows, mut groups, mut caption) = (Vec::new(), 0_usize, 0, Vec::new(), None);
        // The current row: a `tr` element, or an inner None for cells outside any `tr`. None before the first row.
        let mut row: Option<Option<ElementId>> = None;
        let mut next = table.index() + 1;
        let end = page.element(table).subtree_end as usize;
        while let Some(id) = page.ids_from(next).next().filter(|id| id.index() < end) {
            let element = page.element(id);
            next = id.index() + 1;
            match element.tag {
                Tag::Tr => {
                    rows += 1;
                    row = Some(Some(id));
                    let is_head = element.parent.is_some_and(|parent| page.element(parent).tag == Tag::Thead);
                    head_rows += usize::from(is_head);
                }
                Tag::Td | Tag::Th => {
                    // Cells outside any row start a new one, as in browsers.
                    let is_in_row = row.is_some_and(|row| row.is_none_or(|row| page.is_within(id, row)));
                    if !is_in_row {
                        (rows, row) = (rows + 1, Some(None));
                    }
                    let span = |name: &str| page.attribute(id, name)?.trim().parse::<usize>().ok();
                    let (is_head, row) = (element.tag == Tag::Th, rows - 1);
                    // A `rowspan` of 0 means all rows of the group.
                    let rows = span("rowspan").map_or(1, |rows| if rows > 0 { rows } else { usize::MAX });
                    let columns = span("colspan").unwrap_or(1).clamp(1, MAX_COLUMNS);
                    cells.push(Cell { element: id, is_head, row, rows, columns });
                    next = element.subtree_end as usize;
                }
                Tag::Thead | Tag::Tbody | Tag::Tfoot => groups.push(rows),
                Tag::Caption => {
                    caption = caption.or(Some(id));
                    next = element.subtree_end as usize;
                }
                _ => {}
            }
        }
        let has_heads = cells.iter().any(|cell: &Cell| cell.is_head);
        Self { cells, rows, head_rows, groups, caption, has_heads, paragraphs: page.paragraphs_in(table) }
    }

    /// Makes a paragraph of a document from the table; None if no cell has text.
    pub(super) fn paragraph(&self, reader: &Reader<'_>, table: ElementId) -> Option<DocumentParagraph> {
        let page = reader.page;
        let grid = self.grid();
        let mut whole = Inline::default();
        let mut table_of = Table::default();
        let mut has_text = false;
        for (at, row) in grid.rows.iter().enumerate() {
            if at > 0 {
                whole.text.push('\n');
            }
            let mut column = 0;
            let mut move_to = |next: usize, text: &mut String| {
                text.extend(std::iter::repeat_n('\t', next - column));
                column = next;
            };
            for (next, cell) in row {
                move_to(*next, &mut whole.text);
                let text = cell_text(reader, page.paragraphs_in(self.cells[*cell].element));
                has_text |= !text.text.is_empty();
                whole.append(&text);
            }
            let last = row.last().map_or(0, |(column, _)| *column);
            move_to(last.max(grid.columns.saturating_sub(1)), &mut whole.text);
        }
        if !has_text {
            return None;
        }
        let mut paragraph = DocumentParagraph::new(ParagraphKind::Table, "");
        if reader.wants_marks {
            whole.order();
            paragraph.marks = whole.marks_by_chars();
            table_of.spans = grid.spans;
            table_of.head_rows = self.head_rows(&grid.rows) as u32;
            table_of.head_columns = self.head_columns(&grid.rows, table_of.head_rows as usize) as u32;
            let caption = self.caption(reader, table);
            table_of.caption = caption.map(|caption| cell_text(reader, page.paragraphs_in(caption)).text);
            paragraph.table = Some(table_of);
        }
        paragraph.text = whole.text;
        Some(paragraph)
    }

    pub(super) fn caption(&self, reader: &Reader<'_>, table: ElementId) -> Option<ElementId> {
        let has_text = |caption: &ElementId| !reader.page.paragraphs_in(*caption).is_empty();
        self.caption.or_else(|| reader.figcaption(table)).filter(has_text)
    }

    /// The number of header rows at the top.
    fn head_rows(&self, rows: &[Vec<(usize, usize)>]) -> usize {
        if self.head_rows > 0 && self.head_rows < rows.len() {
            return self.head_rows;
        }
        let is_head =
            |row: &&Vec<(usize, usize)>| !row.is_empty() && row.iter().all(|(_, cell)| self.cells[*cell].is_head);
        let heads = rows.iter().take_while(is_head).count();
        if heads < rows.len() { heads } else { 0 }
    }

    /// The number of header columns at the left.
    fn head_columns(&self, rows: &[Vec<(usize, usize)>], head_rows: usize) -> usize {
        let heads = |row: &Vec<(usize, usize)>| {
            let behind = row.iter().find(|(_, cell)| !self.cells[*cell].is_head).map(|(column, _)| *column);
            let first = row.first().map_or(0, |(column, _)| *column);
            if first > 0 { None } else { behind }
        };
        rows.iter().skip(head_rows).filter_map(heads).min().unwrap_or(0)
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid { rows: vec![Vec::new(); self.rows], columns: 0, spans: Vec::new() };
        // For each column, the first row that is not covered by a cell from above.
        let mut covered: Vec<usize> = Vec::new();
        let mut spans: Vec<[usize; 4]> = Vec::with_capacity(self.cells.len());
        let (mut row, mut column, mut room) = (0, 0, MAX_CELLS);
        for (at, cell) in self.cells.iter().enumerate() {
            if cell.row != row {
                (row, column) = (cell.row, 0);
            }
            while covered.get(column).is_some_and(|until| *until > row) {
                column += 1;
            }
            let group = self.groups.partition_point(|begin| *begin <= row);
            let mut rows = cell.rows.min(self.groups.get(group).unwrap_or(&self.rows) - row);
            let mut columns = cell.columns;
            if rows * columns > room {
                (rows, columns) = (1, 1);
            }
            // If another cell covers a column from above, this cell ends before it.
            let is_covered = |column: &usize| covered.get(*column).is_some_and(|until| *until > row);
            columns = (column..column + columns).find(is_covered).unwrap_or(column + columns) - column;
            room = room.saturating_sub(rows * columns);
            if covered.len() < column + columns {
                covered.resize(column + columns, 0);
            }
            covered[column..column + columns].fill(row + rows);
            grid.rows[row].push((column, at));
            spans.push([row, column, rows, columns]);
            column += columns;
        }
        // A column in which no cell starts does not count: one cell may span a thousand.
        let mut begun: Vec<usize> = spans.iter().map(|[_, column, ..]| *column).collect();
        begun.sort_unstable();
        begun.dedup();
        grid.columns = begun.len();
        let place = |column: usize| begun.partition_point(|known| *known < column);
        grid.rows.iter_mut().flatten().for_each(|(column, _)| *column = place(*column));
        for [row, column, rows, columns] in spans {
            let [column, end] = [column, column + columns].map(place);
            if rows > 1 || end - column > 1 {
                let [row, column, rows, columns] = [row, column, rows, end - column].map(|n| n as u32);
                grid.spans.push(CellSpan { row, column, rows, columns });
            }
        }
        // Rows are filled up to the width of the widest, unless that gives far too many cells.
        if grid.columns * grid.rows.len() > 4 * MAX_CELLS {
            grid.columns = 0;
        }
        grid
    }
}

/// The indexes of the cells with their columns, row by row.
struct Grid {
    rows: Vec<Vec<(usize, usize)>>,
    columns: usize,
    spans: Vec<CellSpan>,
}

/// The text of these paragraphs in one line, with marks for line breaks between them.
pub(super) fn cell_text(reader: &Reader<'_>, paragraphs: Range<usize>) -> Inline {
    let mut text = Inline::default();
    for paragraph in &reader.page.paragraphs()[paragraphs] {
        if !text.text.is_empty() {
            let at = text.text.len();
            text.text.push(' ');
            if reader.wants_marks {
                text.marks.push(ByteMark { range: at..at + 1, kind: MarkKind::LineBreak, target: None });
            }
        }
        text.append(&Inline::of(reader, paragraph));
    }
    text
}
