//! Turns the kept paragraphs of a page into those of a document, with their structure (levels, lists, quotes,
//! listings, tables, formulas, notes, links) and the objects between them (figures, embeds, rules).
//!
//! Which text stays was decided before; here, only line numbers of listings are dropped, because they are not text.
//! Parts that belong together are kept together: a listing, a table, a figure with its caption.

mod embeds;
mod figures;
mod inline;
mod notes;
mod pictures;
mod reader;
mod table;
mod wholes;

use std::ops::Range;

use goldminer_html::address::{CrawlUrl, Targets};
use goldminer_html::{ElementId, Page, ParagraphKind as Kind, raw_tex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::document::{DocumentParagraph, Object, ObjectKind};
use crate::goldminer::leads_to_editing;
use crate::goldminer::sums::Sums;

use figures::MAX_IN_CAPTION;
use inline::{Inline, text_between};
use notes::Notes;
use reader::{Nesting, Reader};
use wholes::{Around, Wholes};

pub(crate) use figures::caption_around;
pub(crate) use reader::Settings;
pub(crate) use table::Cells;
pub(crate) use wholes::is_listing_of_lines;

/// The most paragraphs in a footnote.
const MAX_NOTE: usize = 16;

/// The paragraphs of a document, and the objects between them.
#[derive(Debug, Default)]
pub(crate) struct Structured {
    pub(crate) paragraphs: Vec<DocumentParagraph>,
    pub(crate) objects: Vec<Object>,
}

/// Makes the paragraphs of a document from the `kept` paragraphs of a page.
pub(crate) fn of(page: &Page, kept: &[usize], settings: Settings<'_>) -> Structured {
    let kept = &*embeds::with_whole_posts(page, kept);
    let mut lengths = vec![0; page.paragraphs().len()];
    kept.iter().for_each(|at| lengths[*at] = page.paragraphs()[*at].chars);
    let reader = Reader::new(page, Sums::of(lengths), settings);
    let figures = if settings.structure { figures::find(&reader, kept, settings.headline) } else { Vec::new() };
    let wholes = Wholes::of(page, settings.headline, settings.least_thirds);
    let (made, added, items, embeds) = Default::default();
    let begins = Vec::with_capacity(kept.len());
    let captions = figures.iter().filter_map(|figure| Some((figure.caption?, true))).collect();
    let mut builder = Builder { reader: &reader, wholes, settings, made, begins, added, items, captions, embeds };
    // A figure's caption is added with it, even if the text was cut without the caption.
    let captions = figures.iter().filter_map(|figure| figure.caption).flat_map(|caption| page.paragraphs_in(caption));
    let mut captions: Vec<usize> = captions.filter(|at| reader.kept.within(&(*at..*at + 1)) == 0).collect();
    captions.sort_unstable();
    captions.dedup();
    let mut captions = captions.into_iter().peekable();
    for at in kept {
        while settings.headline != Some(*at)
            && let Some(caption) = captions.next_if(|caption| caption < at)
        {
            builder.text(caption);
        }
        builder.paragraph(*at);
    }
    captions.for_each(|caption| builder.text(caption));
    builder.add_objects(figures);
    builder.made
}

/// The paragraphs of the footnotes that the text refers to, one range per note. `is_text` says whether the paragraph
/// with this index belongs to the article's text.
pub(crate) fn notes(page: &Page, address: Option<&CrawlUrl>, is_text: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let targets = Targets::of(page, address);
    let notes = Notes::of(page, &targets, |link| reader::around(page, link).any(&is_text));
    notes.holders().map(|note| page.paragraphs_in(note)).filter(|inside| inside.len() <= MAX_NOTE).collect()
}

/// Whether a paragraph is part of a caption of a picture or a table.
pub(crate) fn is_caption(page: &Page, at: usize) -> bool {
    page.paragraphs()[at].element.and_then(|element| figures::caption_around(page, element)).is_some()
}

/// Whether more than half of a text is one formula in TeX, which a script draws on a line of its own.
pub(crate) fn is_raw_formula(text: &str) -> bool {
    let is_all = |formula: &raw_tex::RawFormula| formula.display && 2 * formula.whole.len() > text.len();
    raw_tex::may_hold(text) && raw_tex::find(text, || false).iter().any(is_all)
}

struct Builder<'r, 'p> {
    reader: &'r Reader<'p>,
    wholes: Wholes<'p>,
    settings: Settings<'r>,
    made: Structured,
    /// The byte position on the page where each paragraph of the document begins.
    begins: Vec<u32>,
    /// Listings, tables and captions that are already in the document.
    added: FxHashSet<ElementId>,
    /// List items with a paragraph that is already in the document.
    items: FxHashSet<ElementId>,
    /// For each element that was checked, whether it is the caption of a picture.
    captions: FxHashMap<ElementId, bool>,
    /// Quotes that are posts of other sites, each with the indexes of its paragraphs in the document.
    embeds: FxHashMap<ElementId, Vec<u32>>,
}

impl Builder<'_, '_> {
    fn paragraph(&mut self, at: usize) {
        let page = self.reader.page;
        let paragraph = &page.paragraphs()[at];
        if self.settings.headline == Some(at) {
            let inline = Inline::of(self.reader, paragraph);
            let level = paragraph.heading.unwrap_or(1);
            let made = DocumentParagraph { level: Some(level), ..DocumentParagraph::new(Kind::Heading, "") };
            return self.add(paragraph.span.start, made, inline, &Nesting::default());
        }
        match self.wholes.around(at, &self.reader.kept) {
            Around::LineNumbers => {}
            Around::Listing(listing) => self.listing(listing),
            Around::Table(table) => self.table(table),
            Around::Nothing => self.text(at),
        }
    }

    fn text(&mut self, at: usize) {
        let page = self.reader.page;
        let paragraph = &page.paragraphs()[at];
        if let Some(caption) = self.caption_of(at) {
            return self.caption(caption);
        }
        let place = paragraph.element.map(|element| self.reader.place(element)).unwrap_or_default();
        let kind = match page.kind(paragraph) {
            Kind::Heading => Kind::Heading,
            _ if place.is_quoted => Kind::Quote,
            _ if place.item.is_some() => Kind::ListItem,
            _ => Kind::Paragraph,
        };
        let mut inline = Inline::of(self.reader, paragraph);
        if paragraph.link_chars > 0 {
            self.without_editing(&mut inline, at);
        }
        if place.note.is_some() {
            self.without_way_back(&mut inline, at);
        }
        if inline.text.is_empty() || place.item.is_some_and(|item| is_marker(&inline.text, item.number)) {
            return;
        }
        for (part, is_display) in inline.parts() {
            let is_formula = is_display || (kind == Kind::Paragraph && part.is_formula());
            let kind = if is_formula { Kind::Formula } else { kind };
            let level = paragraph.heading.filter(|_| kind == Kind::Heading);
            let part = if is_formula { Inline { text: part.text, ..Inline::default() } } else { part };
            let made = DocumentParagraph { level, ..DocumentParagraph::new(kind, "") };
            self.add(paragraph.span.start, made, part, &place);
        }
    }

    /// Removes a link for editing a section: in brackets after its heading, or alone.
    fn without_editing(&self, inline: &mut Inline, at: usize) {
        let page = self.reader.page;
        let edits = |(link, _)| leads_to_editing(page, link);
        let is_heading = page.paragraphs()[at].heading.is_some();
        let begin = inline.text.rfind('[').filter(|_| inline.text.ends_with(']'));
        if let Some(begin) = begin.filter(|begin| (*begin > 0) == is_heading)
            && page.links_in(&page.paragraphs()[at..=at]).last().is_some_and(edits)
        {
            let begin = inline.text[..begin].trim_end().len();
            inline.cut(std::slice::from_ref(&(begin..inline.text.len())));
        }
    }

    /// Removes from a note the links back to the text, and the signs around its number.
    fn without_way_back(&self, inline: &mut Inline, at: usize) {
        let page = self.reader.page;
        let paragraph = &page.paragraphs()[at];
        let runs = page.runs(paragraph);
        let links = page.links_in(&page.paragraphs()[at..=at]).filter(|(link, _)| self.reader.notes.leads_back(*link));
        let back: Vec<_> = links
            .filter_map(|(link, _)| text_between(runs, page.element(link).content, page.element(link).close))
            .filter(|range| range.end <= inline.text.len() && range.len() <= 16)
            .collect();
        if let Some(first) = back.first().filter(|_| paragraph.text.len() == inline.text.len()) {
            let is_sign = |c: char| matches!(c, ' ' | '.' | ':' | '^' | ')' | ']' | '[' | '\u{a0}');
            let is_at_start = inline.text[..first.start].chars().all(is_sign);
            inline.cut(&back);
            let begin = inline.text.len() - inline.text.trim_start_matches(is_sign).len();
            if is_at_start && begin > 0 {
                inline.cut(std::slice::from_ref(&(0..begin)));
            }
        }
        // The sign of a back link that leads somewhere else.
        if inline.text.starts_with('^') {
            let begin = inline.text.len() - inline.text.trim_start_matches(['^', ' ', '\u{a0}']).len();
            inline.cut(std::slice::from_ref(&(0..begin)));
        }
        let end = inline.text.trim_end().len();
        if end < inline.text.len() {
            let all = inline.text.len();
            inline.cut(std::slice::from_ref(&(end..all)));
        }
    }

    /// The caption that a paragraph is part of, if any.
    fn caption_of(&mut self, at: usize) -> Option<ElementId> {
        let page = self.reader.page;
        let element = page.paragraphs()[at].element?;
        let is_known = |id: &ElementId| self.captions.get(id) == Some(&true);
        let known = page.ancestors_and_self(element).take(MAX_IN_CAPTION).filter(is_known).last();
        let caption = known.or_else(|| figures::caption_around(page, element))?;
        let is_caption = self.captions.entry(caption).or_insert_with(|| figures::is_of_picture(page, caption));
        is_caption.then_some(caption)
    }

    /// Adds a caption when it first occurs.
    fn caption(&mut self, caption: ElementId) {
        let page = self.reader.page;
        if self.added.insert(caption) {
            let inline = table::cell_text(self.reader, page.paragraphs_in(caption));
            let start = page.element(caption).start;
            self.add(start, DocumentParagraph::new(Kind::Caption, ""), inline, &Nesting::default());
        }
    }

    /// Adds a listing when it first occurs.
    fn listing(&mut self, listing: ElementId) {
        if !self.added.insert(listing) {
            return;
        }
        let page = self.reader.page;
        let text = page.preformatted(listing);
        if text.trim().is_empty() {
            return;
        }
        let mut made = DocumentParagraph::new(Kind::Code, "");
        let mut place = Nesting::default();
        if self.settings.structure {
            made.language = page.code_language(listing);
            place = self.reader.place(listing);
        }
        self.add(page.element(listing).start, made, Inline { text, ..Inline::default() }, &place);
    }

    /// Adds a table when it first occurs.
    fn table(&mut self, table: ElementId) {
        if !self.added.insert(table) {
            return;
        }
        let Some(cells) = self.wholes.cells(table) else { return };
        let Some(made) = cells.paragraph(self.reader, table) else { return };
        let place = if self.settings.structure { self.reader.place(table) } else { Nesting::default() };
        let page = self.reader.page;
        let caption = cells.caption(self.reader, table).filter(|_| self.settings.structure);
        let (start, end) = (page.element(table).start, page.element(table).end);
        let (above, below) = (caption.filter(|id| page.element(*id).start < end), caption);
        above.into_iter().for_each(|caption| self.caption(caption));
        self.add(start, made, Inline::default(), &place);
        below.into_iter().for_each(|caption| self.caption(caption));
    }

    fn add(&mut self, start: u32, mut made: DocumentParagraph, inline: Inline, place: &Nesting) {
        if self.settings.structure {
            if made.kind != Kind::Table {
                made.marks = inline.marks_by_chars();
            }
            made.item = place.item;
            made.quote = place.quote;
            made.note.clone_from(&place.note);
            if let (Some(item), Some(element)) = (&mut made.item, place.item_element) {
                item.continues = !self.items.insert(element);
            }
            if let Some(quote) = place.quote_element
                && embeds::post_of(self.reader.page, quote).is_some()
            {
                self.embeds.entry(quote).or_default().push(self.made.paragraphs.len() as u32);
            }
        } else {
            made.level = None;
        }
        if made.kind != Kind::Table {
            made.text = inline.text;
        }
        self.begins.push(start);
        self.made.paragraphs.push(made);
    }

    /// Puts each object before the paragraph that follows it.
    fn add_objects(&mut self, figures: Vec<figures::Figure>) {
        // A headline that was moved to the front is skipped, because it is not in page order.
        let mut next = 0;
        for figure in figures {
            while self.begins.get(next).is_some_and(|begin| *begin < figure.start || self.is_moved(next)) {
                next += 1;
            }
            let mut object = figure.object;
            // A caption above a picture is written after it, like all captions.
            let is_own = |at: &usize| {
                let above = &self.made.paragraphs[*at];
                above.kind == Kind::Caption && object.caption.as_deref() == Some(&*above.text)
            };
            let last = self.made.objects.last().map_or(0, |last| last.before as usize);
            object.before = next.checked_sub(1).filter(|at| *at >= last && is_own(at)).unwrap_or(next) as u32;
            if object.kind == ObjectKind::Embed {
                object.quoted = self.embeds.remove(&figure.element).unwrap_or_default();
            }
            self.made.objects.push(object);
        }
    }

    /// Whether the paragraph was moved before some that precede it on the page.
    fn is_moved(&self, at: usize) -> bool {
        self.made.paragraphs[at].kind == Kind::Heading
            && self.begins.get(at + 1).is_some_and(|next| *next < self.begins[at])
    }
}

/// Whether a text is a marker that browsers draw before a list item: a bullet, or the item's number.
fn is_marker(text: &str, number: Option<i32>) -> bool {
    let is_number = || text.strip_suffix(['.', ')']).and_then(|text| text.parse().ok()) == number;
    matches!(text, "•" | "·" | "‣" | "◦" | "▪" | "●" | "○" | "■") || number.is_some() && is_number()
}

#[cfg(test)]
mod tests;
