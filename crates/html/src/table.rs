//! Tables of data, as rows of cells: results, prices, figures. Tables that only lay a page out are told from them by what
//! their cells hold.

use std::ops::Range;

use crate::Page;
use crate::element::ElementId;
use crate::tag::Tag;

/// Cells of data have no more characters, …
const MAX_CELL: usize = 400;
/// … and no more on average.
const MAX_MEAN_CELL: usize = 90;
/// How many texts a cell of data may have.
const MAX_TEXTS: usize = 4;

/// The rows of a table with its paragraphs.
pub struct Rows {
    /// The texts of the cells, row by row; empty cells at the end of a row are left out.
    pub cells: Vec<Vec<String>>,
    /// The paragraphs inside.
    pub paragraphs: Range<usize>,
}

impl Page {
    /// The rows of a table of data; nothing of one that lays the page out.
    pub fn rows(&self, table: ElementId) -> Option<Rows> {
        let element = self.element(table);
        let inside = table.index() + 1..element.subtree_end as usize;
        let is_layout =
            |tag| matches!(tag, Tag::Table | Tag::H1 | Tag::H2 | Tag::Article | Tag::Form | Tag::Pre | Tag::Blockquote);
        if self.elements()[inside.clone()].iter().any(|element| is_layout(element.tag)) {
            return None;
        }
        let paragraphs = self.paragraphs_in(table);
        let (mut cells, mut texts, mut letters): (Vec<Vec<String>>, _, _) = (Vec::new(), 0, 0);
        for id in inside.map(|at| ElementId(at as u32)) {
            match self.element(id).tag {
                Tag::Tr => cells.push(Vec::new()),
                Tag::Td | Tag::Th => {
                    let held = &self.paragraphs()[self.paragraphs_in(id)];
                    let text = held.iter().map(|paragraph| &*paragraph.text).collect::<Vec<_>>().join(" ");
                    let length = text.chars().count();
                    if held.len() > MAX_TEXTS || length > MAX_CELL {
                        return None;
                    }
                    texts += usize::from(length > 0);
                    letters += length;
                    // A cell that nothing was said of a row for.
                    if cells.is_empty() {
                        cells.push(Vec::new());
                    }
                    cells.last_mut()?.push(text);
                }
                _ => {}
            }
        }
        for row in &mut cells {
            row.truncate(row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1));
        }
        cells.retain(|row| !row.is_empty());
        let full = cells.iter().filter(|row| row.iter().filter(|cell| !cell.is_empty()).count() > 1).count();
        let is_data = full > 1 && 2 * full >= cells.len() && letters <= MAX_MEAN_CELL * texts;
        is_data.then_some(Rows { cells, paragraphs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(html: &str) -> Option<Vec<Vec<String>>> {
        let page = Page::parse(html.to_owned());
        page.rows(page.elements_of(Tag::Table).next().unwrap()).map(|rows| rows.cells)
    }

    #[test]
    fn results_are_rows_of_cells() {
        let html = "<table><caption>Group A</caption><tr><th>Team<th>Points<tr><td><a href=/g>Győr</a><td>12<tr><td>Pécs<td>9<td></table>";
        assert_eq!(rows(html).unwrap(), [["Team", "Points"], ["Győr", "12"], ["Pécs", "9"]]);
    }

    #[test]
    fn a_table_that_lays_a_page_out_is_no_data() {
        let story = "It rained all day in the town, and nobody who had an umbrella lent it. ".repeat(3);
        for html in [
            format!("<table><tr><td>Menu<td>{story}<tr><td>More<td>{story}</table>"),
            format!("<table><tr><td>{story}</table>"),
            "<table><tr><td>a<td><table><tr><td>1<td>2<tr><td>3<td>4</table></table>".to_owned(),
        ] {
            assert_eq!(rows(&html), None, "{html}");
        }
    }
}
