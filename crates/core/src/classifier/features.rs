//! The features of a paragraph: [`WIDTH`] numbers about its text, its neighbours, its place on the page and the
//! elements around it. They do not depend on the language: the only word lists are common class names, and phrases that
//! are fixed on the web, such as "Read also". *Good* text is in paragraphs with at least 80 characters and few links.
//!
//! The time is linear in the size of the page. Features that depend only on an element are computed once for the
//! element. The names and values of features come from the same code ([`Sink`]), so that they always agree.

pub(crate) mod ancestors;
pub(crate) mod below;
pub(crate) mod containers;
pub(crate) mod declared;
pub(crate) mod headline;
pub(crate) mod kind;
pub(crate) mod names;
pub(crate) mod text;
pub(crate) mod titles;
pub(crate) mod view;

use goldminer_html::Page;

use super::scale::{log, nearness, share, small};
use super::tree::{NodeId, ROOT};

use ancestors::{Ancestors, KINDS, Nearest};
use names::CATEGORIES;
use view::{OF_LEVEL, OF_UNIT, SiblingCounts, View, shape};

/// How many features a paragraph has.
pub const WIDTH: usize = 255;

/// Receives the names and values of features one by one.
trait Sink {
    fn put(&mut self, group: &'static str, index: i32, value: i16);

    /// Receives several features at once.
    fn put_all(&mut self, values: &[i16], name: impl Fn(usize) -> (&'static str, i32)) {
        for (at, value) in values.iter().enumerate() {
            let (group, index) = name(at);
            self.put(group, index, *value);
        }
    }
}

/// Writes features into a row, from position `at` on.
struct RowSink<'r> {
    row: &'r mut [i16; WIDTH],
    at: usize,
}

impl Sink for RowSink<'_> {
    fn put(&mut self, _: &'static str, _: i32, value: i16) {
        self.row[self.at] = value;
        self.at += 1;
    }

    fn put_all(&mut self, values: &[i16], _: impl Fn(usize) -> (&'static str, i32)) {
        self.row[self.at..][..values.len()].copy_from_slice(values);
        self.at += values.len();
    }
}

struct NameSink(Vec<(&'static str, i32)>);

impl Sink for NameSink {
    fn put(&mut self, group: &'static str, index: i32, _: i16) {
        self.0.push((group, index));
    }
}

/// The names of the features, in order: each is the name of a group, and a number in the group.
pub(super) fn names() -> Vec<(&'static str, i32)> {
    let page = Page::parse("<p>a".to_owned());
    let view = View::of(&page);
    let mut names = NameSink(Vec::new());
    view.element(view.tree.innermost[0], &Nearest::default(), &mut names);
    view.paragraph(0, &mut names);
    view.page(&mut names);
    names.0
}

/// Computes the features of a page's paragraphs as rows, one for each paragraph. Only one row is stored: a table of all
/// rows would take twice the time because of its size, and most pages are read once.
pub(super) struct FeatureRows<'p> {
    pub(super) view: View<'p>,
    ancestors: Ancestors,
    /// The row that was computed last. The features at its end are the same for all paragraphs of the page.
    row: [i16; WIDTH],
    /// The element that the first features of `row` describe.
    element: Option<NodeId>,
}

impl<'p> FeatureRows<'p> {
    /// Prepares the features of a page.
    pub(super) fn of(page: &'p Page) -> Self {
        let view = View::of(page);
        let mut row = [0; WIDTH];
        view.page(&mut RowSink { row: &mut row, at: WIDTH - PAGE_WIDTH });
        let first = view.headline.map_or(0, |headline| headline + 1);
        let beginning = (first..view.counts.len()).find(|at| view.counts[*at].good > 0).unwrap_or(first);
        Self { ancestors: Ancestors::of(page, &view.tree, beginning as u32), view, row, element: None }
    }

    /// The features of one paragraph.
    pub(super) fn row(&mut self, paragraph: usize) -> &[i16; WIDTH] {
        let element = self.view.tree.innermost[paragraph];
        if self.element != Some(element) {
            let held = self.ancestors.nearest(&self.view, element);
            self.view.element(element, &held, &mut RowSink { row: &mut self.row, at: 0 });
            self.element = Some(element);
        }
        self.view.paragraph(paragraph, &mut RowSink { row: &mut self.row, at: ELEMENT_WIDTH });
        &self.row
    }

    /// The features for what the page declares about its own kind, such as an article or a product.
    pub(super) fn declared(&self) -> [i16; declared::WIDTH] {
        declared::read(self.view.page)
    }
}

/// The number of features that depend only on the innermost element around a paragraph.
const ELEMENT_WIDTH: usize = KINDS + CATEGORIES + 5 * 3 + 5 + LEVELS * OF_LEVEL + 6 + 2 * OF_UNIT;
/// The number of features that are the same for all paragraphs of a page.
const PAGE_WIDTH: usize = 8;
/// The number of a paragraph's ancestors that have features. Each holds more paragraphs than the one inside it.
const LEVELS: usize = 5;

impl View<'_> {
    /// Adds the features that depend only on the innermost element around a paragraph.
    fn element(&self, id: NodeId, held: &Nearest, sink: &mut impl Sink) {
        sink.put_all(&held.near, |kind| ("near", kind as i32));
        sink.put_all(&held.text, |kind| ("text in", kind as i32));
        for (which, container) in self.containers.iter().enumerate() {
            let [up, down, side] = container.to(id);
            sink.put("up to container", which as i32, small(up));
            sink.put("down from container", which as i32, small(down));
            sink.put("side of container", which as i32, small(side));
        }
        self.scores(id, sink);
        self.levels(id, sink);
        self.shape(id, sink);
        self.units(id, sink);
    }

    fn scores(&self, id: NodeId, sink: &mut impl Sink) {
        let mut at = self.tree.block_of(id);
        for level in 0..5 {
            sink.put("readability", level, self.scores[at as usize]);
            at = self.tree.get(at).parent;
        }
    }

    fn levels(&self, id: NodeId, sink: &mut impl Sink) {
        let mut levels = self.tree.widening(id);
        for level in 0..LEVELS {
            let values = &self.of_levels[levels.next().unwrap_or(ROOT) as usize];
            sink.put_all(values, |at| (self.of_level(ROOT)[at].0, level as i32));
        }
    }

    fn shape(&self, id: NodeId, sink: &mut impl Sink) {
        let block = self.tree.block_of(id);
        let sums = self.shapes.get(&shape(&self.tree, block)).copied().unwrap_or_default();
        let node = self.tree.get(block);
        let alike = self.alike.get(&(node.parent, node.shape)).copied().unwrap_or(0);
        let elements = node.element.map_or(0, |id| self.page.element(id).subtree_end - id.index() as u32);
        sink.put("of this shape", 0, log(sums.paragraphs));
        sink.put("text of this shape", 0, log(sums.length / sums.paragraphs.max(1)));
        sink.put("links of this shape", 0, sums.links());
        sink.put("good text of this shape", 0, share(sums.good, self.tree.get(ROOT).sums.good));
        sink.put("siblings of this shape", 0, log(alike));
        sink.put("elements inside", 0, log(elements));
    }

    /// Adds the features of two repeated units around an element: the nearest one, and the nearest one with several
    /// paragraphs. A repeated unit is one of at least three sibling block elements with the same tag.
    fn units(&self, id: NodeId, sink: &mut impl Sink) {
        for (index, unit) in self.units[id as usize].into_iter().enumerate() {
            let values = &self.of_units[unit as usize];
            sink.put_all(values, |at| (self.of_unit(ROOT, SiblingCounts::default())[at].0, index as i32 + 1));
        }
    }

    /// Adds the features that depend on the paragraph.
    fn paragraph(&self, at: usize, sink: &mut impl Sink) {
        self.text(at, sink);
        self.position(at, sink);
        self.neighbours(at, sink);
        self.nearby_headings(at, sink);
        self.phrases(at, sink);
        self.within_unit(at, sink);
    }

    /// Adds the features for the paragraph's place in the nearest repeated unit (one of at least three sibling block
    /// elements with the same tag) that has several paragraphs.
    fn within_unit(&self, at: usize, sink: &mut impl Sink) {
        let unit = self.units[self.tree.innermost[at] as usize][1];
        let node = self.tree.get(unit);
        let (first, whole) = (node.first as usize, &node.sums);
        let is_one = unit != ROOT;
        let of_unit = |part: u32| if is_one { share(part, whole.length) } else { -1 };
        sink.put("text before in the unit", 0, of_unit(self.before[at].length - self.before[first.min(at)].length));
        sink.put("part of the unit", 0, of_unit(self.counts[at].length));
        sink.put("paragraph of the unit", 0, if is_one { small(at as u32 - node.first) } else { -1 });
        sink.put("paragraphs left in the unit", 0, if is_one { small(node.end - at as u32) } else { -1 });
    }

    /// Adds the features for fixed phrases, such as "Read also": which of them the paragraph contains, and how near the
    /// last title above it with such a phrase is.
    fn phrases(&self, at: usize, sink: &mut impl Sink) {
        let phrases = self.counts[at].phrases.unwrap_or_else(|| titles::phrases(&self.page.paragraphs()[at]));
        (0..titles::KINDS).for_each(|kind| sink.put("says", kind as i32, i16::from(phrases >> kind & 1)));
        let whole = &self.tree.get(ROOT).sums;
        for (kind, title) in self.below[at].iter().enumerate() {
            let around = title.map(|(_, scope)| share(self.tree.get(scope).sums.good, whole.good));
            sink.put("below a title", kind as i32, nearness(title.map(|(steps, _)| steps / 4)));
            sink.put("good text around that title", kind as i32, around.unwrap_or(-1));
        }
    }

    fn text(&self, at: usize, sink: &mut impl Sink) {
        let (paragraph, counts) = (&self.page.paragraphs()[at], &self.counts[at]);
        let parts = [
            ("length", log(counts.length)),
            ("words", log(counts.words)),
            ("links", counts.links as i16),
            ("heading level", paragraph.heading.map_or(0, |level| 8 - i16::from(level))),
            ("sentences", log(counts.sentences)),
            ("commas", log(counts.commas)),
            ("commas by length", share(10 * counts.commas, counts.length)),
            ("bars", log(counts.bars)),
            ("digits", share(counts.digits, counts.length)),
            ("capitals", share(counts.capitals, counts.length)),
            ("quotes", log(counts.quotes)),
            ("ends like a sentence", i16::from(counts.ends_in_stop)),
            ("ends in a colon", i16::from(counts.ends_in_colon)),
            ("has a date", i16::from(counts.has_date)),
            ("has a copyright sign", i16::from(counts.has_copyright)),
            ("inline tags", log(paragraph.tags)),
            ("inline tags by words", share(paragraph.tags, counts.words)),
            ("length of words", log(counts.length * 4 / counts.words.max(1))),
            ("repeated", small(self.repeats.get(&counts.key).copied().unwrap_or(0))),
            ("came before", i16::from(self.came_before[at])),
            ("source by text", log((paragraph.span.end - paragraph.span.start) * 8 / counts.length.max(1))),
        ];
        parts.into_iter().for_each(|(name, value)| sink.put(name, 0, value));
    }

    fn position(&self, at: usize, sink: &mut impl Sink) {
        let (paragraphs, whole) = (self.counts.len(), &self.tree.get(ROOT).sums);
        sink.put("position", 0, share(at as u32, paragraphs as u32));
        sink.put("position in text", 0, share(self.before[at].length, whole.length));
        sink.put("position in good text", 0, share(self.before[at].good, whole.good));
        sink.put("from the beginning", 0, log(at as u32));
        sink.put("from the end", 0, log((paragraphs - at) as u32));
        let since = self.headline.map_or(0, |headline| {
            let between = |a: usize, b: usize| log(self.before[b].length - self.before[a].length);
            if headline <= at { between(headline, at) + 1 } else { -between(at, headline) - 1 }
        });
        sink.put("since the headline", 0, since);
        // How much of the container's good text is before and after the paragraph. The container holds 60 % of the
        // page's good text.
        let container = self.tree.get(self.containers[1].node);
        let (first, end) = (container.first as usize, container.end as usize);
        let good = |from: usize, to: usize| if from < to { self.before[to].good - self.before[from].good } else { 0 };
        let inside = at.clamp(first, end);
        sink.put("good text of the container before", 0, share(good(first, inside), container.sums.good));
        sink.put("good text of the container behind", 0, share(good(inside, end), container.sums.good));
        let mut levels = self.tree.widening(self.tree.innermost[at]);
        for level in 0..LEVELS {
            let node = self.tree.get(levels.next().unwrap_or(ROOT));
            sink.put("position around", level as i32, share(at as u32 - node.first, node.sums.paragraphs));
        }
    }

    fn neighbours(&self, at: usize, sink: &mut impl Sink) {
        let own = self.tree.get(self.tree.block[at]).shape;
        for step in [-3, -2, -1, 1, 2, 3_i32] {
            let other = at.checked_add_signed(step as isize).filter(|other| *other < self.counts.len());
            let counts = other.map(|other| &self.counts[other]);
            sink.put("neighbour's length", step, counts.map_or(-1, |counts| log(counts.length)));
            sink.put("neighbour's links", step, counts.map_or(-1, |counts| counts.links as i16));
            if step.abs() > 2 {
                continue;
            }
            let is_heading = other.is_some_and(|other| self.page.paragraphs()[other].heading.is_some());
            let same = other.is_some_and(|other| self.tree.get(self.tree.block[other]).shape == own);
            sink.put("neighbour is a heading", step, i16::from(is_heading));
            sink.put("neighbour of this shape", step, i16::from(same));
            sink.put("neighbour ends like a sentence", step, i16::from(counts.is_some_and(|c| c.ends_in_stop)));
        }
        for reach in [5, 10_usize] {
            let (first, end) = (at.saturating_sub(reach), (at + reach + 1).min(self.counts.len()));
            let (length, own) = (self.within(first, end, |s| s.length), self.within(first, end, |s| s.own));
            sink.put("links nearby", reach as i32, share(length - own, length));
            sink.put("good text before", reach as i32, log(self.within(first, at, |sums| sums.good)));
            sink.put("good text behind", reach as i32, log(self.within(at + 1, end, |sums| sums.good)));
        }
        let [before, behind] = self.good[at];
        sink.put("last good paragraph", 0, before.map_or(1_000, |before| log(at as u32 - before)));
        sink.put("next good paragraph", 0, behind.map_or(1_000, |behind| log(behind - at as u32)));
    }

    fn nearby_headings(&self, at: usize, sink: &mut impl Sink) {
        for (side, other) in self.headings[at].iter().enumerate() {
            let side = side as i32;
            let distance = other.map(|other| other.abs_diff(at as u32));
            sink.put("paragraphs to a heading", side, distance.map_or(1_000, log));
            let links = other.map_or(-1, |other| self.counts[other as usize].links as i16);
            sink.put("links of that heading", side, links);
            let level = other.and_then(|other| self.page.paragraphs()[other as usize].heading);
            sink.put("level of that heading", side, level.map_or(0, |level| 8 - i16::from(level)));
        }
    }

    /// Adds the features that are the same for all paragraphs of the page.
    fn page(&self, sink: &mut impl Sink) {
        let whole = &self.tree.get(ROOT).sums;
        let parts = [
            ("paragraphs of the page", log(whole.paragraphs)),
            ("text of the page", log(whole.length)),
            ("good text of the page", log(whole.good)),
            ("share of good text", share(whole.good, whole.length)),
            ("links of the page", whole.links()),
            ("good paragraphs of the page", log(whole.good_paragraphs)),
            ("main headings of the page", small(self.h1)),
            ("text in the container", share(self.tree.get(self.containers[0].node).sums.good, whole.good)),
        ];
        parts.into_iter().for_each(|(name, value)| sink.put(name, 0, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_features_as_the_width_says() {
        assert_eq!(names().len(), WIDTH);
        let page = Page::parse("<p>a".to_owned());
        let (mut of_element, mut of_page) = (NameSink(Vec::new()), NameSink(Vec::new()));
        View::of(&page).element(ROOT, &Nearest::default(), &mut of_element);
        View::of(&page).page(&mut of_page);
        assert_eq!((of_element.0.len(), of_page.0.len()), (ELEMENT_WIDTH, PAGE_WIDTH));
    }

    #[test]
    fn parts_with_most_of_the_article_are_not_comments() {
        let text =
            "<p>It rained on that day in the town, and nobody lent an umbrella to those who had none at all.</p>";
        let are_comments = |before: usize, row: &str| {
            let html = format!("<main><h1>Rain</h1><div>{}{row}</div></main>", text.repeat(before));
            let page = Page::parse(html.replace("TEXT", text));
            let last = page.paragraphs().len() - 1;
            FeatureRows::of(&page).row(last)[names::COMMENTS.trailing_zeros() as usize] > 0
        };
        for name in ["feedback", "discussion-item", "comment"] {
            let part = format!("<div class={name}>TEXT</div>");
            assert!(!are_comments(0, &part.repeat(5)) && !are_comments(1, &part.repeat(5)), "{name}");
            assert!(are_comments(0, &part.repeat(2)), "two {name}: too few");
            assert!(are_comments(6, &part.repeat(20)), "{name} below an article");
            assert!(are_comments(1, &format!("<div>{}</div>", part.repeat(5))), "{name} in an element of their own");
            let dated = format!("<div class={name}><b>12.05.2026</b>TEXT</div>");
            assert!(are_comments(1, &dated.repeat(5)), "{name} with a date");
            let answered = format!("<div class={name}>TEXT <a href=#r>Reply</a></div>");
            assert!(are_comments(1, &answered.repeat(5)), "{name} with a link to reply");
        }
    }
}
