//! Converts the flat paragraphs of a document into nested blocks, for formats with nesting.
//!
//! A paragraph states the number of its list and the depth of its quotes. From these, containers (lists and quotes) are
//! opened and closed, in the same way for every format. A list continues while paragraphs have its number, and a quote
//! while they have its depth. An object (figure, embed or rule) is inside the containers that are open both before and
//! after it.

use goldminer_core::document::{Document, DocumentParagraph, Item, ItemPart, Object, ObjectKind, ParagraphKind};

/// A part of a document in reading order: the start or end of a container (list, item, quote or footnote), a paragraph,
/// or an object (figure, embed or rule).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Block<'d> {
    Open(Container<'d>),
    Close(Container<'d>),
    /// A paragraph; for a table, with its caption.
    Paragraph(&'d DocumentParagraph, Option<Caption<'d>>),
    /// An object; for a figure, with its caption.
    Object(&'d Object, Option<&'d DocumentParagraph>),
}

/// The caption of a table, and whether it is above the table.
pub(crate) type Caption<'d> = (&'d DocumentParagraph, bool);

/// The greatest depth of lists and quotes. It is limited because each line of Markdown repeats its containers.
const MAX_DEPTH: usize = 32;

/// A block that contains other blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Container<'d> {
    /// A footnote, by its label.
    Note(&'d str),
    /// A quote; if it is the content of an embed, with the index of the embed.
    Quote(Option<usize>),
    /// A list, with its number in the document; no number for a list that only contains another list.
    List(ListKind, Option<u32>),
    /// An item, with its part in a definition list and its number in a numbered list.
    Item(Option<ItemPart>, Option<i32>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListKind {
    Bullets,
    Numbers,
    Definitions,
}

/// The blocks of a document in reading order.
pub(crate) fn blocks(document: &Document) -> Vec<Block<'_>> {
    let paragraphs = &document.paragraphs;
    let owners = Owners::of(document);
    let mut objects: Vec<(usize, &Object)> = document.objects.iter().enumerate().collect();
    objects.sort_by_key(|(_, object)| object.before);
    let mut objects = objects.into_iter().peekable();
    let mut stack = Stack { open: Vec::new(), blocks: Vec::with_capacity(paragraphs.len() * 2) };
    for (index, paragraph) in paragraphs.iter().enumerate().filter(|(index, _)| !owners.is_caption[*index]) {
        let owner = owners.embeds[index];
        let (kept, opened) = stack.fit(&BlockNesting::of(document, paragraph, owner));
        let mut shown = None;
        while let Some((number, object)) = objects.next_if(|(_, object)| object.before as usize <= index) {
            // The content of an embed is written around it.
            if owner == Some(number) {
                shown = Some(object);
            } else {
                stack.close_around(kept);
                stack.blocks.push(Block::Object(object, owners.caption(document, number)));
            }
        }
        stack.close(kept);
        opened.into_iter().for_each(|container| stack.open(container));
        stack.blocks.extend(shown.map(|embed| Block::Object(embed, None)));
        let caption = owners.of_tables[index].map(|at| (&paragraphs[at], at < index));
        stack.blocks.push(Block::Paragraph(paragraph, caption));
    }
    stack.close(0);
    let rest = objects.map(|(number, object)| Block::Object(object, owners.caption(document, number)));
    stack.blocks.extend(rest);
    stack.blocks
}

/// The paragraphs that belong to a figure, a table or an embed.
struct Owners {
    /// For each paragraph, whether it is written as the caption of another part.
    is_caption: Vec<bool>,
    /// For each paragraph that is a table, its caption.
    of_tables: Vec<Option<usize>>,
    /// For each object, its caption.
    of_figures: Vec<Option<usize>>,
    /// For each paragraph, the embed whose content it is.
    embeds: Vec<Option<usize>>,
}

impl Owners {
    fn of(document: &Document) -> Self {
        let (paragraphs, objects) = (&document.paragraphs, &document.objects);
        let none = || vec![None; paragraphs.len()];
        let (is_caption, of_figures) = (vec![false; paragraphs.len()], vec![None; objects.len()]);
        let mut owners = Self { is_caption, of_figures, of_tables: none(), embeds: none() };
        for (number, object) in objects.iter().enumerate() {
            let before = object.before as usize;
            match object.kind {
                ObjectKind::Figure => {
                    owners.of_figures[number] =
                        owners.take(paragraphs, [Some(before), before.checked_sub(1)], object.caption.as_deref());
                }
                ObjectKind::Embed => {
                    let quoted = object.quoted.iter().map(|at| *at as usize).filter(|at| *at >= before);
                    quoted.for_each(|at| owners.embeds.get_mut(at).into_iter().for_each(|owner| *owner = Some(number)));
                }
                _ => {}
            }
        }
        for (index, paragraph) in paragraphs.iter().enumerate() {
            let table_caption = paragraph.table.as_ref().and_then(|table| table.caption.as_deref());
            owners.of_tables[index] = owners.take(paragraphs, [index.checked_sub(1), Some(index + 1)], table_caption);
        }
        owners
    }

    /// Finds the caption of a figure or table: the one among `beside` that equals `said`. One of the two may also be
    /// only the beginning of the other. Marks this paragraph as written together with the figure or table.
    fn take(
        &mut self,
        paragraphs: &[DocumentParagraph],
        beside: [Option<usize>; 2],
        caption: Option<&str>,
    ) -> Option<usize> {
        let caption = caption?;
        let is_it = |at: &usize| {
            let is_same = |paragraph: &DocumentParagraph| {
                let text = paragraph.text.as_str();
                paragraph.kind == ParagraphKind::Caption && (text.starts_with(caption) || caption.starts_with(text))
            };
            paragraphs.get(*at).is_some_and(is_same) && !self.is_caption[*at]
        };
        let found = beside.into_iter().flatten().find(is_it)?;
        self.is_caption[found] = true;
        Some(found)
    }

    fn caption<'d>(&self, document: &'d Document, object: usize) -> Option<&'d DocumentParagraph> {
        self.of_figures[object].map(|at| &document.paragraphs[at])
    }
}

/// The containers of a paragraph.
struct BlockNesting<'d> {
    note: Option<&'d str>,
    item: Option<Item>,
    quotes: usize,
    /// Whether the innermost quote is inside the item.
    is_quoted_in_item: bool,
    embed: Option<usize>,
}

impl<'d> BlockNesting<'d> {
    fn of(document: &Document, paragraph: &'d DocumentParagraph, embed: Option<usize>) -> Self {
        // Corpora without structure only have the kind.
        let plain_item = (document.structure.is_none() && paragraph.kind == ParagraphKind::ListItem).then(|| {
            let mut item = Item::default();
            item.depth = 1;
            item
        });
        let is_quote = paragraph.kind == ParagraphKind::Quote;
        let quotes = paragraph.quote.unwrap_or(0).max(u8::from(is_quote || embed.is_some()));
        let quotes = usize::from(quotes).min(MAX_DEPTH);
        let item = paragraph.item.or(plain_item);
        Self { note: paragraph.note.as_deref(), item, quotes, is_quoted_in_item: is_quote, embed }
    }
}

struct Stack<'d> {
    open: Vec<Container<'d>>,
    blocks: Vec<Block<'d>>,
}

impl<'d> Stack<'d> {
    fn open(&mut self, container: Container<'d>) {
        self.open.push(container);
        self.blocks.push(Block::Open(container));
    }

    /// Closes all containers except this many outer ones.
    fn close(&mut self, kept: usize) {
        while self.open.len() > kept
            && let Some(container) = self.open.pop()
        {
            self.blocks.push(Block::Close(container));
        }
    }

    /// Closes all containers except the outermost `kept`. If the innermost of these is a list, its last item stays
    /// open, too.
    fn close_around(&mut self, kept: usize) {
        let is_list = kept > 0 && matches!(self.open.get(kept - 1), Some(Container::List(..)));
        self.close(kept + usize::from(is_list));
    }

    /// Returns how many of the open containers, counted from the outermost, the paragraph is in, and which containers
    /// to open for it.
    fn fit(&self, place: &BlockNesting<'d>) -> (usize, Vec<Container<'d>>) {
        let mut opened: Vec<Container<'_>> = Vec::new();
        let depth = place.item.map_or(0, |item| usize::from(item.depth).clamp(1, MAX_DEPTH));
        let (mut kept, mut lists, mut quotes) = (0, 0, 0);
        let mut is_in_item = false;
        if let Some(note) = place.note {
            if self.open.first() == Some(&Container::Note(note)) {
                kept = 1;
            } else {
                opened.push(Container::Note(note));
            }
        }
        let open = if opened.is_empty() { &self.open[kept..] } else { &[] };
        let inside = usize::from(place.is_quoted_in_item);
        for container in open {
            let limit = if lists < depth { place.quotes.saturating_sub(inside) } else { place.quotes };
            match container {
                Container::Quote(embed) if quotes < limit && *embed == place.embed => quotes += 1,
                Container::List(..) if lists + 1 < depth => lists += 1,
                Container::List(kind, number)
                    if lists + 1 == depth && place.item.is_some_and(|item| (*kind, *number) == list_of(item)) =>
                {
                    lists += 1;
                }
                Container::Item(part, _)
                    if lists < depth || place.item.is_some_and(|item| item.continues && item.part == *part) =>
                {
                    is_in_item |= lists == depth;
                }
                _ => break,
            }
            kept += 1;
        }
        let quote = Container::Quote(place.embed);
        if let Some(item) = place.item {
            if lists < depth {
                while quotes + inside < place.quotes {
                    opened.push(quote);
                    quotes += 1;
                }
                for _ in lists + 1..depth {
                    opened.extend([Container::List(ListKind::Bullets, None), Container::Item(None, None)]);
                }
                let (kind, number) = list_of(item);
                opened.push(Container::List(kind, number));
            }
            if !is_in_item {
                opened.push(Container::Item(item.part, item.number));
            }
        }
        opened.extend((quotes..place.quotes).map(|_| quote));
        (kept, opened)
    }
}

fn list_of(item: Item) -> (ListKind, Option<u32>) {
    let kind = match (item.part, item.ordered) {
        (Some(_), _) => ListKind::Definitions,
        (None, true) => ListKind::Numbers,
        (None, false) => ListKind::Bullets,
    };
    (kind, Some(item.list))
}

/// The index after the end of the container that opens at `at`.
pub(crate) fn behind_container(blocks: &[Block<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    let ends = |block: &Block<'_>| {
        match block {
            Block::Open(_) => depth += 1,
            Block::Close(_) => depth -= 1,
            _ => {}
        }
        depth == 0
    };
    blocks[at..].iter().position(ends).map_or(blocks.len(), |length| at + length + 1)
}

/// Whether each term of a definition list is one line of text and has definitions after it. If `one_each` is true, each
/// term must have exactly one definition.
pub(crate) fn has_terms(list: &[Block<'_>], one_each: bool) -> bool {
    let (mut at, mut before) = (1, None);
    while let Block::Open(Container::Item(part, _)) = list[at] {
        let end = behind_container(list, at);
        let is_term = part == Some(ItemPart::Term);
        let is_line = matches!(list[at + 1..end - 1], [Block::Paragraph(paragraph, _)] if is_text(paragraph));
        let is_second = !is_term && (before.is_none() || one_each && before == Some(false));
        if is_term && (!is_line || before == Some(true)) || is_second {
            return false;
        }
        (at, before) = (end, Some(is_term));
    }
    before == Some(false)
}

/// Whether a paragraph is running text, perhaps in a list or a quote.
pub(crate) fn is_text(paragraph: &DocumentParagraph) -> bool {
    matches!(paragraph.kind, ParagraphKind::Paragraph | ParagraphKind::ListItem | ParagraphKind::Quote)
}
