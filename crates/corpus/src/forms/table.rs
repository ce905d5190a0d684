//! Arranges the cells of a table in a grid, and marks header cells and cells that another cell covers.

use goldminer_core::document::{CellSpan, DocumentParagraph};

use super::runs::{Marked, Run};

/// A table, row by row.
pub(crate) struct Grid<'t> {
    pub rows: Vec<Vec<Cell<'t>>>,
    pub head_rows: usize,
    pub head_columns: usize,
}

pub(crate) struct Cell<'t> {
    pub runs: Vec<Run<'t>>,
    /// Whether another cell covers this one.
    pub is_covered: bool,
    pub is_head: bool,
    pub rows: u32,
    pub columns: u32,
}

/// The grid of a table. Spans are cut to the size of the grid. A span that would cover text or another span's cells
/// is ignored.
pub(crate) fn grid(paragraph: &DocumentParagraph) -> Grid<'_> {
    let rows = Marked::new(paragraph, None).rows();
    let cell = |runs| Cell { runs, is_covered: false, is_head: false, rows: 1, columns: 1 };
    let mut rows: Vec<Vec<Cell<'_>>> = rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
    // In corpora without structure, the first row is taken as the header, as in most tables.
    let table = paragraph.table.as_ref();
    let (head_rows, head_columns) =
        table.map_or((1, 0), |table| (table.head_rows as usize, table.head_columns as usize));
    for (number, row) in rows.iter_mut().enumerate() {
        let heads = if number < head_rows { row.len() } else { head_columns.min(row.len()) };
        row[..heads].iter_mut().for_each(|cell| cell.is_head = true);
    }
    // The number of cells that may be checked for spans, whatever sizes these declare.
    let mut budget = rows.iter().map(Vec::len).sum::<usize>() * 4;
    for span in table.map(|table| table.spans.as_slice()).unwrap_or_default() {
        cover(&mut rows, *span, &mut budget);
    }
    Grid { rows, head_rows, head_columns }
}

fn cover(rows: &mut [Vec<Cell<'_>>], span: CellSpan, budget: &mut usize) {
    let (top, left) = (span.row as usize, span.column as usize);
    if rows.get(top).and_then(|row| row.get(left)).is_none_or(|cell| cell.is_covered || cell.rows * cell.columns > 1) {
        return;
    }
    let bottom = top.saturating_add(span.rows.max(1) as usize).min(rows.len());
    let right = left.saturating_add(span.columns.max(1) as usize).min(rows[top].len());
    let is_free = |place: (usize, usize)| {
        let cell = rows[place.0].get(place.1);
        cell.is_some_and(|cell| !cell.is_covered && cell.rows * cell.columns == 1 && cell.runs.is_empty())
    };
    let mut places = (top..bottom).flat_map(|row| (left..right).map(move |column| (row, column))).skip(1);
    let area = (bottom - top) * (right - left);
    if area > *budget || !places.all(is_free) {
        *budget = budget.saturating_sub(area);
        return;
    }
    *budget -= area;
    for row in &mut rows[top..bottom] {
        row[left..right].iter_mut().for_each(|cell| cell.is_covered = true);
    }
    let cell = &mut rows[top][left];
    (cell.is_covered, cell.rows, cell.columns) = (false, (bottom - top) as u32, (right - left) as u32);
}
