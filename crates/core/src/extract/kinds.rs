//! From the paragraphs that are kept of a page to those of a document: listings and tables as wholes with their lines,
//! quotes told from other text.

use std::ops::Range;

use goldminer_html::{ElementId, Page, Rows, Tag, numbers_lines};
use rustc_hash::{FxHashMap, FxHashSet};

use super::lengths;
use crate::document::{DocumentParagraph, ParagraphKind};
use crate::goldminer::is_listing;
use crate::goldminer::sums::Sums;

/// The paragraphs of a document, of those that are `kept` of a page. A table is said as a whole where so many thirds of its
/// text are kept, a listing always, or, if all thirds of a table are asked for, where all of it is kept.
pub(super) fn paragraphs(
    page: &Page,
    kept: &[usize],
    headline: Option<usize>,
    least_thirds: u32,
) -> Vec<DocumentParagraph> {
    let mut wholes = Wholes::of(page, kept, headline, least_thirds);
    let mut paragraphs = Vec::with_capacity(kept.len());
    for at in kept {
        let paragraph = &page.paragraphs()[*at];
        let plain = || DocumentParagraph::new(page.kind(paragraph), &*paragraph.text);
        let made = match wholes.around(*at) {
            _ if headline == Some(*at) => Some(DocumentParagraph::new(ParagraphKind::Heading, &*paragraph.text)),
            Around::Nothing => Some(plain()),
            Around::Listing(pre) => wholes.listing(pre),
            Around::LineNumbers => None,
            Around::Table(table) => wholes.table(table),
            Around::Quote if page.kind(paragraph) == ParagraphKind::Paragraph => {
                Some(DocumentParagraph { kind: ParagraphKind::Quote, ..plain() })
            }
            Around::Quote => Some(plain()),
        };
        paragraphs.extend(made);
    }
    paragraphs
}

/// What a paragraph is a part of.
#[derive(Debug, Clone, Copy)]
enum Around {
    Nothing,
    Listing(ElementId),
    /// The numbers beside one.
    LineNumbers,
    Table(ElementId),
    Quote,
}

/// The elements of a page that are said as wholes.
struct Wholes<'p> {
    page: &'p Page,
    /// The characters that are kept, if there are any such elements: most pages have none.
    kept: Option<Sums>,
    headline: Option<usize>,
    least_thirds: u32,
    /// The listings, in page order.
    listings: Vec<ElementId>,
    /// The tables of data that were met; those said already have no rows.
    tables: FxHashMap<ElementId, Option<Rows>>,
    quotes: FxHashMap<ElementId, bool>,
    /// Listings and tables that stand in the document.
    said: FxHashSet<ElementId>,
}

impl<'p> Wholes<'p> {
    fn of(page: &'p Page, kept: &[usize], headline: Option<usize>, least_thirds: u32) -> Self {
        let is_whole = |tag| matches!(tag, Tag::Pre | Tag::Table | Tag::Blockquote);
        let has_any = page.elements().iter().any(|element| is_whole(element.tag));
        let kept = has_any.then(|| lengths::of(page, kept, |_| true));
        let mut listings: Vec<ElementId> = Vec::new();
        for pre in page.elements_of(Tag::Pre) {
            if listings.last().is_none_or(|last| !page.is_within(pre, *last)) && is_listing(page, pre) {
                listings.push(pre);
            }
        }
        let (tables, quotes, said) = Default::default();
        Self { page, kept, headline, least_thirds, listings, tables, quotes, said }
    }

    fn kept_in(&self, paragraphs: &Range<usize>) -> u32 {
        self.kept.as_ref().map_or(0, |kept| kept.within(paragraphs))
    }

    /// What a paragraph is a part of; of several the innermost, but a listing is one whatever is in it.
    fn around(&mut self, at: usize) -> Around {
        let paragraph = &self.page.paragraphs()[at];
        let Some(element) = paragraph.element.filter(|_| self.kept.is_some()) else { return Around::Nothing };
        let page = self.page;
        let behind = self.listings.partition_point(|pre| *pre <= element);
        if let Some(pre) = behind.checked_sub(1).map(|at| self.listings[at])
            && page.is_within(element, pre)
        {
            return match () {
                () if numbers_lines(&paragraph.text) => Around::LineNumbers,
                () if self.least_thirds < 3 || self.is_kept(pre) => Around::Listing(pre),
                () => Around::Nothing,
            };
        }
        for id in page.ancestors_and_self(element) {
            let tag = page.element(id).tag;
            match tag {
                Tag::Table if self.is_whole_table(id) => return Around::Table(id),
                // The numbers beside a listing stand in a cell of their own.
                Tag::Tr if numbers_lines(&paragraph.text) && self.holds_listing(id) => return Around::LineNumbers,
                Tag::Blockquote if self.is_quote(id) => return Around::Quote,
                _ => {}
            }
        }
        Around::Nothing
    }

    /// Whether all of an element's text is kept.
    fn is_kept(&self, id: ElementId) -> bool {
        let inside = self.page.paragraphs_in(id);
        let all: u32 = self.page.paragraphs()[inside.clone()].iter().map(|paragraph| paragraph.chars).sum();
        self.kept_in(&inside) == all
    }

    fn holds_listing(&self, id: ElementId) -> bool {
        let next = self.listings.partition_point(|pre| *pre < id);
        self.listings.get(next).is_some_and(|pre| self.page.is_within(*pre, id))
    }

    /// Whether a table is one of data, and enough of its text is kept.
    fn is_whole_table(&mut self, id: ElementId) -> bool {
        if let Some(known) = self.tables.get(&id) {
            return known.is_some() || self.said.contains(&id);
        }
        let rows = self.page.rows(id).filter(|rows| {
            let all: u32 =
                self.page.paragraphs()[rows.paragraphs.clone()].iter().map(|paragraph| paragraph.chars).sum();
            let has_headline = self.headline.is_some_and(|headline| rows.paragraphs.contains(&headline));
            3 * self.kept_in(&rows.paragraphs) >= self.least_thirds * all && !has_headline
        });
        let is_whole = rows.is_some();
        self.tables.insert(id, rows);
        is_whole
    }

    /// Whether a block quote is one: where it holds most of the article, it only moves it to the right.
    fn is_quote(&mut self, id: ElementId) -> bool {
        if let Some(known) = self.quotes.get(&id) {
            return *known;
        }
        let inside = self.page.paragraphs_in(id);
        let has_headline = self.headline.is_some_and(|headline| inside.contains(&headline));
        let is_quote = 2 * self.kept_in(&inside) < self.kept.as_ref().map_or(0, Sums::all) && !has_headline;
        self.quotes.insert(id, is_quote);
        is_quote
    }

    /// A listing, the first time that it is met.
    fn listing(&mut self, pre: ElementId) -> Option<DocumentParagraph> {
        if !self.said.insert(pre) {
            return None;
        }
        let text = self.page.preformatted(pre);
        (!text.trim().is_empty()).then(|| DocumentParagraph::new(ParagraphKind::Code, text))
    }

    /// A table, the first time that it is met.
    fn table(&mut self, table: ElementId) -> Option<DocumentParagraph> {
        let rows = self.tables.get_mut(&table)?.take()?;
        self.said.insert(table);
        let lines: Vec<String> = rows.cells.iter().map(|row| row.join("\t")).collect();
        Some(DocumentParagraph::new(ParagraphKind::Table, lines.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(html: &str) -> Vec<(&'static str, String)> {
        let page = Page::parse(html.to_owned());
        let kept: Vec<usize> = (0..page.paragraphs().len()).collect();
        paragraphs(&page, &kept, Some(0), 2).into_iter().map(|part| (part.kind.as_str(), part.text)).collect()
    }

    #[test]
    fn a_listing_with_numbers_beside_it_is_one_paragraph_with_its_lines() {
        let html = "<h1>Sum</h1><p>So:<table class=highlight><tr><td><pre>1\n2\n3</pre><td><pre><code>a = 1\n\nprint(a)</code></pre></table><p>Done.";
        let expected = [("h", "Sum"), ("p", "So:"), ("code", "a = 1\n\nprint(a)"), ("p", "Done.")];
        assert_eq!(made(html), expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn a_table_of_results_is_one_paragraph_with_a_line_a_row() {
        let html =
            "<h1>Cup</h1><p>Results:<table><tr><th>Team<th>Points<tr><td>Pécs<td>9<tr><td>Győr<td>7</table><p>End.";
        assert_eq!(made(html)[2], ("table", "Team\tPoints\nPécs\t9\nGyőr\t7".to_owned()));
    }

    #[test]
    fn a_block_quote_is_a_quote_unless_it_holds_the_article() {
        let html =
            "<h1>Rain</h1><p>It rained all day in the town.<blockquote><p>Nobody came.</blockquote><p>So he said.";
        assert_eq!(made(html)[2], ("quote", "Nobody came.".to_owned()));
        let html = "<h1>Rain</h1><blockquote><p>It rained all day in the town.<p>Nobody came.</blockquote>";
        assert!(made(html).iter().all(|(kind, _)| *kind != "quote"));
    }
}
