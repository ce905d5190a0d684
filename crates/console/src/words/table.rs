//! Formats tables for the terminal.

use std::fmt::Display;

/// A row with a line break at the end. `widths` are minimum widths in characters; a negative one aligns to the left.
pub fn row<const COLUMNS: usize>(widths: [i8; COLUMNS], cells: [&dyn Display; COLUMNS]) -> String {
    let cells = widths.into_iter().zip(cells).map(|(width, cell)| {
        let (cell, at_least) = (cell.to_string(), usize::from(width.unsigned_abs()));
        if width < 0 { format!("{cell:<at_least$}") } else { format!("{cell:>at_least$}") }
    });
    cells.collect::<Vec<_>>().join(" ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_aligned_in_columns() {
        assert_eq!(row([-6, 4, 0], [&"name", &12, &" why"]), "name     12  why\n");
    }
}
