//! Finds elements that are kept whole even if only a part of them is in the article's text: listings with all lines,
//! data tables with all cells.

use std::ops::Range;

use goldminer_html::{ElementId, Page, Tag, numbers_lines};
use rustc_hash::FxHashMap;

use super::table::Cells;
use crate::goldminer::is_listing;
use crate::goldminer::sums::Sums;

/// The listing or data table around a paragraph, if it is kept whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    Nothing,
    Listing(ElementId),
    /// The line numbers beside a listing.
    LineNumbers,
    Table(ElementId),
}

/// The elements of a page that may be kept as a whole.
pub(super) struct Wholes<'p> {
    page: &'p Page,
    headline: Option<usize>,
    least_thirds: u32,
    /// The listings, in page order.
    listings: Vec<ElementId>,
    /// The tables that were checked, with their cells if they are kept as a whole.
    tables: FxHashMap<ElementId, Option<Cells>>,
    /// For each table that was checked, whether it is a listing with one row per line.
    of_lines: FxHashMap<ElementId, bool>,
}

impl<'p> Wholes<'p> {
    pub(super) fn of(page: &'p Page, headline: Option<usize>, least_thirds: u32) -> Self {
        let mut listings: Vec<ElementId> = Vec::new();
        for pre in page.elements_of(Tag::Pre) {
            if listings.last().is_none_or(|last| !page.is_within(pre, *last)) && is_listing(page, pre) {
                listings.push(pre);
            }
        }
        let (tables, of_lines) = Default::default();
        Self { page, headline, least_thirds, listings, tables, of_lines }
    }

    /// Returns the listing or data table that a paragraph is in, if it is kept whole. This is the innermost one, but a
    /// listing takes precedence over anything inside it.
    pub(super) fn around(&mut self, at: usize, kept: &Sums) -> Around {
        let page = self.page;
        let paragraph = &page.paragraphs()[at];
        let Some(element) = paragraph.element else { return Around::Nothing };
        let behind = self.listings.partition_point(|pre| *pre <= element);
        if let Some(pre) = behind.checked_sub(1).map(|at| self.listings[at])
            && page.is_within(element, pre)
        {
            let inside = page.paragraphs_in(pre);
            return match () {
                () if numbers_lines(&paragraph.text) && inside.len() == 1 && self.is_beside(pre) => Around::LineNumbers,
                () if self.least_thirds < 3 || kept.within(&inside) == self.chars(&inside) => Around::Listing(pre),
                () => Around::Nothing,
            };
        }
        for id in page.ancestors_and_self(element) {
            match page.element(id).tag {
                Tag::Table if *self.of_lines.entry(id).or_insert_with(|| is_listing_of_lines(page, id)) => {
                    return Around::Listing(id);
                }
                Tag::Table if self.is_whole_table(id, kept) => return Around::Table(id),
                // The line numbers of a listing are in a separate cell.
                Tag::Tr if numbers_lines(&paragraph.text) && self.holds_listing(id) => return Around::LineNumbers,
                _ => {}
            }
        }
        Around::Nothing
    }

    /// Whether a listing is one of two in the same table row. The first of them has the line numbers.
    fn is_beside(&self, pre: ElementId) -> bool {
        let page = self.page;
        let row = page.ancestors_and_self(pre).take(5).find(|id| page.element(*id).tag == Tag::Tr);
        row.is_some_and(|row| {
            let next = self.listings.partition_point(|pre| *pre < row);
            self.listings.get(next + 1).is_some_and(|second| page.is_within(*second, row))
        })
    }

    fn chars(&self, paragraphs: &Range<usize>) -> u32 {
        self.page.paragraphs()[paragraphs.clone()].iter().map(|paragraph| paragraph.chars).sum()
    }

    fn holds_listing(&self, id: ElementId) -> bool {
        let next = self.listings.partition_point(|pre| *pre < id);
        self.listings.get(next).is_some_and(|pre| self.page.is_within(*pre, id))
    }

    /// Whether a table is a data table, and enough of its text is kept.
    fn is_whole_table(&mut self, id: ElementId, kept: &Sums) -> bool {
        if let Some(known) = self.tables.get(&id) {
            return known.is_some();
        }
        let cells = Cells::of(self.page, id).filter(|cells| {
            let has_headline = self.headline.is_some_and(|headline| cells.paragraphs.contains(&headline));
            // If two thirds are required: for a table with header cells, any kept text is enough. One without header
            // cells and with few links needs a third, one of mostly links two thirds.
            let linked = self.page.paragraphs()[cells.paragraphs.clone()].iter().map(|paragraph| paragraph.link_chars);
            let all = self.chars(&cells.paragraphs);
            let least = match self.least_thirds {
                2 if cells.has_heads => 0,
                2 if 2 * linked.sum::<u32>() < all => 1,
                least => least,
            };
            3 * kept.within(&cells.paragraphs) >= least * all && !has_headline
        });
        let is_whole = cells.is_some();
        self.tables.insert(id, cells);
        is_whole
    }

    /// The cells of a table that is kept as a whole; None for other tables.
    pub(super) fn cells(&self, table: ElementId) -> Option<&Cells> {
        self.tables.get(&table)?.as_ref()
    }
}

/// Whether a table has a line of code in each row, with its number beside it, as the listings of GitHub have.
pub(crate) fn is_listing_of_lines(page: &Page, table: ElementId) -> bool {
    let is_named = |id: ElementId, names: &[&str]| {
        page.marks_values(id).any(|value| names.iter().any(|name| value.contains(name)))
    };
    let mut rows = page.ids_in(table).filter(|id| page.element(*id).tag == Tag::Tr).take(3).peekable();
    let is_line = |row: ElementId| {
        let mut cells = page.ids_in(row).filter(|id| matches!(page.element(*id).tag, Tag::Td | Tag::Th));
        let (number, line) = (cells.next(), cells.next());
        let has_number = number.is_some_and(|number| {
            page.attributes(number).any(|attribute| attribute.is("data-line-number"))
                || is_named(number, &["blob-num", "line-number", "lineno", "line-num", "gutter"])
        });
        has_number && line.is_some_and(|line| is_named(line, &["code", "line"])) && cells.next().is_none()
    };
    rows.peek().is_some() && rows.all(is_line)
}
