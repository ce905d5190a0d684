//! Reads the structure around a paragraph (lists, quotes, notes) from the elements around it.

use std::cell::{OnceCell, RefCell};

use goldminer_html::address::{CrawlUrl, Targets};
use goldminer_html::{ElementId, Page, Paragraph, Tag, raw_tex};
use rustc_hash::FxHashMap;

use super::notes::Notes;
use crate::document::{Item, ItemPart};
use crate::goldminer::sums::Sums;

/// An element with at least this many tenths of the article's text only serves the layout, whatever its tag is.
const MOST_OF_TEXT: u32 = 9;
/// The largest depth of lists and quotes; deeper ones get this depth.
const MAX_DEPTH: u8 = 32;

/// The most elements in a list item before its checkbox.
const MAX_BEFORE_BOX: usize = 4;

/// Settings for making the paragraphs of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings<'a> {
    /// The index of the article's headline among the page's paragraphs.
    pub(crate) headline: Option<usize>,
    /// How many thirds of a table's text must be kept for the whole table to be kept; if 2, less is enough for tables
    /// with header cells or few links. A listing (program code) is kept whole if any of its text is kept; if this
    /// number is 3, it is kept whole only if all of its text is kept.
    pub(crate) least_thirds: u32,
    pub(crate) address: Option<&'a CrawlUrl>,
    /// Whether all structure is wanted, or only the kinds and texts of paragraphs.
    pub(crate) structure: bool,
}

/// Reads the lists, quotes and notes around the paragraphs of a page.
pub(super) struct Reader<'p> {
    pub(super) page: &'p Page,
    pub(super) wants_marks: bool,
    pub(super) targets: Targets,
    pub(super) notes: Notes,
    /// Running sums of the kept characters of the page's paragraphs.
    pub(super) kept: Sums,
    headline: Option<usize>,
    draws_formulas: OnceCell<bool>,
    known: RefCell<Known>,
}

/// Results for elements, so that each is computed only once.
#[derive(Default)]
struct Known {
    /// The number of each list in the document, from 0.
    numbers: FxHashMap<ElementId, u32>,
    /// The number of each item of the ordered lists.
    items: FxHashMap<ElementId, i32>,
    /// The `figcaption` of each figure that was checked.
    captions: FxHashMap<ElementId, Option<ElementId>>,
}

/// The lists and quotes around a paragraph.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    pub(super) item: Option<Item>,
    pub(super) item_element: Option<ElementId>,
    pub(super) quote: Option<u8>,
    /// Whether a quote is nearer to the text than any list item.
    pub(super) is_quoted: bool,
    pub(super) quote_element: Option<ElementId>,
    pub(super) note: Option<String>,
}

impl<'p> Reader<'p> {
    /// `kept` are running sums of the kept characters. Links and footnotes are read only if structure is wanted.
    pub(super) fn new(page: &'p Page, kept: Sums, settings: Settings<'_>) -> Self {
        let Settings { headline, address, structure: wants_marks, .. } = settings;
        let (mut targets, mut notes) = (Targets::default(), Notes::default());
        if wants_marks {
            targets = Targets::of(page, address);
            notes = Notes::of(page, &targets, |link| kept.within(&around(page, link)) > 0);
        }
        let (draws_formulas, known) = (OnceCell::new(), RefCell::default());
        Self { page, wants_marks, targets, notes, kept, headline, draws_formulas, known }
    }

    pub(super) fn draws_formulas(&self) -> bool {
        *self.draws_formulas.get_or_init(|| raw_tex::draws_formulas(self.page.text()))
    }

    /// Returns what a link leads to: the label of a note (`Ok`), or a URL (`Err`). None if it leads to this page
    /// itself, or nowhere.
    pub(super) fn link(&self, id: ElementId) -> Option<Result<&str, String>> {
        if let Some(label) = self.notes.reference(id) {
            return Some(Ok(label));
        }
        let href = self.page.attribute(id, "href")?;
        if href.contains('#') && self.targets.place(&href).is_some() {
            return None;
        }
        self.targets.resolve(&href).filter(|address| !self.targets.is_own(address)).map(Err)
    }

    /// Whether an element holds the headline or nearly all of the article, and so only serves the layout.
    pub(super) fn is_layout(&self, id: ElementId) -> bool {
        let inside = self.page.paragraphs_in(id);
        self.headline.is_some_and(|headline| inside.contains(&headline))
            || 10 * self.kept.within(&inside) >= MOST_OF_TEXT * self.kept.all()
    }

    /// The `figcaption` of the `figure` around an element.
    pub(super) fn figcaption(&self, id: ElementId) -> Option<ElementId> {
        let page = self.page;
        let is = |id: &ElementId, tag: Tag| page.element(*id).tag == tag;
        let figure = page.ancestors_and_self(id).take(4).find(|id| is(id, Tag::Figure))?;
        let find = || children(page, figure).find(|id| is(id, Tag::Figcaption));
        *self.known.borrow_mut().captions.entry(figure).or_insert_with(find)
    }

    /// The lists and quotes around the text in an element.
    pub(super) fn place(&self, element: ElementId) -> Nesting {
        let page = self.page;
        let mut place = Nesting::default();
        let (mut depth, mut quotes) = (0_u8, 0_u8);
        for id in page.ancestors_and_self(element) {
            match page.element(id).tag {
                Tag::Li | Tag::Dt | Tag::Dd if !self.is_layout(id) => {
                    depth = MAX_DEPTH.min(depth + 1);
                    place.item_element = place.item_element.or(Some(id));
                }
                // Many pages nest a list directly in a list.
                Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir if depth > 0 && self.is_directly_in_list(id) => {
                    depth = MAX_DEPTH.min(depth + 1);
                }
                Tag::Blockquote if !self.is_layout(id) => {
                    quotes = MAX_DEPTH.min(quotes + 1);
                    place.is_quoted |= depth == 0;
                    place.quote_element = Some(id);
                }
                _ => {}
            }
            place.note = place.note.or_else(|| self.notes.label(id).map(str::to_owned));
        }
        place.quote = (quotes > 0).then_some(quotes);
        if place.note.is_some() {
            place.item_element = None;
        }
        place.item = place.item_element.map(|item| self.item(item, depth));
        place
    }

    fn is_directly_in_list(&self, list: ElementId) -> bool {
        let parent = self.page.element(list).parent;
        parent.is_some_and(|parent| is_list(self.page, parent)) && !self.is_layout(list)
    }

    fn item(&self, item: ElementId, depth: u8) -> Item {
        let page = self.page;
        let list = page.ancestors_and_self(item).skip(1).take(3).find(|id| is_list(page, *id));
        let ordered = list.is_some_and(|list| page.element(list).tag == Tag::Ol);
        let mut known = self.known.borrow_mut();
        let next = known.numbers.len() as u32;
        if let Some(list) = list.filter(|list| ordered && !known.numbers.contains_key(list)) {
            number_items(page, list, &mut known.items);
        }
        let number = known.items.get(&item).copied();
        let part = match page.element(item).tag {
            Tag::Dt => Some(ItemPart::Term),
            Tag::Dd => Some(ItemPart::Definition),
            _ => None,
        };
        let list = *known.numbers.entry(list.unwrap_or(item)).or_insert(next);
        Item { depth, ordered, number, list, part, checked: checked(page, item), ..Item::default() }
    }
}

fn is_list(page: &Page, id: ElementId) -> bool {
    matches!(page.element(id).tag, Tag::Ul | Tag::Ol | Tag::Dl | Tag::Menu | Tag::Dir)
}

/// Whether the checkbox at the beginning of a list item is checked; None if there is no checkbox.
fn checked(page: &Page, item: ElementId) -> Option<bool> {
    let text = page.paragraphs_in(item).next().map(|first| page.paragraphs()[first].span.start)?;
    let inside = page.ids_in(item).take(MAX_BEFORE_BOX).take_while(|id| page.element(*id).start < text);
    let mut boxes = inside.filter(|id| {
        page.element(*id).tag == Tag::Input
            && page.attribute(*id, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox"))
    });
    boxes.next().map(|found| page.attributes(found).any(|attribute| attribute.is("checked")))
}

fn number_items(page: &Page, list: ElementId, items: &mut FxHashMap<ElementId, i32>) {
    let int = |id: ElementId, name: &str| page.attribute(id, name).and_then(|value| value.trim().parse::<i32>().ok());
    let children = || children(page, list).filter(|id| page.element(*id).tag == Tag::Li);
    let is_reversed = page.attributes(list).any(|attribute| attribute.is("reversed"));
    let step = if is_reversed { -1 } else { 1 };
    let first = int(list, "start").unwrap_or_else(|| if is_reversed { children().count() as i32 } else { 1 });
    let mut next = first;
    for item in children() {
        let number = int(item, "value").unwrap_or(next);
        items.insert(item, number);
        next = number.saturating_add(step);
    }
}

pub(super) fn children(page: &Page, id: ElementId) -> impl Iterator<Item = ElementId> + '_ {
    let end = page.element(id).subtree_end as usize;
    let next = move |index: usize| (index < end).then(|| page.ids_from(index).next()).flatten();
    std::iter::successors(next(id.index() + 1), move |child| next(page.element(*child).subtree_end as usize))
}

pub(super) fn around(page: &Page, id: ElementId) -> std::ops::Range<usize> {
    let at = page.paragraphs().partition_point(|paragraph: &Paragraph| paragraph.span.end <= page.element(id).content);
    at..(at + 1).min(page.paragraphs().len())
}
