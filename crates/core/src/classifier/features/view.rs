//! The counts on a page from which `features` makes the classifier's features. Everything is counted once, so that each
//! feature is a lookup.

use goldminer_html::{Page, Tag};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::below::below;
use super::containers::{Container, containers, score_elements};
use super::headline;
use super::text::Counts;
use super::titles::{REPLY, TITLES};
use crate::classifier::scale::{log, share};
use crate::classifier::tree::{ElementTree, NodeId, ROOT, TextSums};

/// A link to answer a comment has fewer characters than this.
const SHORT: u32 = 40;
/// Counts of sibling block elements with the same tag: all of them, and those with a date, a linked heading, a
/// paragraph of mostly links, or a short line for replying. If there are at least three of them, each is called a
/// repeated unit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SiblingCounts {
    pub(crate) members: u32,
    pub(crate) dated: u32,
    pub(crate) headed: u32,
    pub(crate) linked: u32,
    pub(crate) answered: u32,
}

/// The number of features of a repeated unit (one of at least three sibling block elements with the same tag).
/// `OF_LEVEL` is the number of features of an element around a paragraph.
pub(crate) const OF_UNIT: usize = 10;
pub(crate) const OF_LEVEL: usize = 5;

/// Everything that the features are made of.
pub(crate) struct View<'p> {
    pub(crate) page: &'p Page,
    pub(crate) counts: Vec<Counts>,
    pub(crate) tree: ElementTree,
    pub(crate) headline: Option<usize>,
    pub(crate) containers: [Container; 5],
    /// Readability's scores of nodes, as shares of the best score, in thousandths.
    pub(crate) scores: Vec<i16>,
    /// Sums over paragraphs, by the shapes (tag and class) of their block and of its parent.
    pub(crate) shapes: FxHashMap<(u64, u64), TextSums>,
    /// The number of nodes, by parent and shape.
    pub(crate) alike: FxHashMap<(NodeId, u64), u32>,
    /// Sibling block elements with the same tag, by parent and tag.
    pub(crate) families: FxHashMap<(NodeId, Tag), SiblingCounts>,
    /// For each block element, the number of earlier siblings with the same tag; 0 for other nodes.
    pub(crate) nth: Vec<u32>,
    /// For each node, two repeated units (each is one of at least three sibling block elements with the same tag): the
    /// nearest one, and the nearest one with several paragraphs; the root if there is none.
    pub(crate) units: Vec<[NodeId; 2]>,
    /// For each repeated unit, and the root, the features from [`Self::of_unit`].
    pub(crate) of_units: Vec<[i16; OF_UNIT]>,
    /// For each node that holds several paragraphs, and the root, the features from [`Self::of_level`].
    pub(crate) of_levels: Vec<[i16; OF_LEVEL]>,
    /// For each paragraph, whether its text has occurred before.
    pub(crate) came_before: Vec<bool>,
    /// How often each text occurs, by its hash.
    pub(crate) repeats: FxHashMap<u64, u32>,
    /// For each paragraph, the sums over all paragraphs before it.
    pub(crate) before: Vec<TextSums>,
    /// For each paragraph, the last heading before it and the next one after it.
    pub(crate) headings: Vec<[Option<u32>; 2]>,
    /// For each paragraph, the last good paragraph before it and the next one after it.
    pub(crate) good: Vec<[Option<u32>; 2]>,
    /// For each paragraph, the titles above it, from `below`.
    pub(crate) below: Vec<[Option<(u32, NodeId)>; TITLES]>,
    pub(crate) h1: u32,
}

impl<'p> View<'p> {
    pub(crate) fn of(page: &'p Page) -> Self {
        let counts: Vec<Counts> = page.paragraphs().iter().map(Counts::of).collect();
        let tree = ElementTree::of(page, &counts);
        let headline = headline::find(page);
        let scores = score_elements(&tree, &counts);
        let best = scores.iter().copied().max().unwrap_or(0);
        let containers = containers(&tree, &scores, headline);
        let scores = scores.into_iter().map(|score| share(score, best)).collect();
        let mut before = Vec::with_capacity(counts.len() + 1);
        before.push(TextSums::default());
        let mut repeats: FxHashMap<u64, u32> = FxHashMap::with_capacity_and_hasher(counts.len(), FxBuildHasher);
        let mut came_before = Vec::with_capacity(counts.len());
        let mut shapes: FxHashMap<(u64, u64), TextSums> = FxHashMap::default();
        for (at, count) in counts.iter().enumerate() {
            let own = TextSums::of(count);
            let mut sums = before[at];
            sums += own;
            before.push(sums);
            let times = repeats.entry(count.key).or_default();
            came_before.push(*times > 0);
            *times += 1;
            *shapes.entry(shape(&tree, tree.block[at])).or_default() += own;
        }
        let is_heading = |at: usize| page.paragraphs()[at].heading.is_some();
        let (headings, good) = (around(counts.len(), is_heading), around(counts.len(), |at| counts[at].good > 0));
        let below = below(&tree, &counts);
        let h1 = page.elements_of(Tag::H1).count() as u32;
        let mut view = Self {
            alike: FxHashMap::with_capacity_and_hasher(tree.nodes.len() / 2, FxBuildHasher),
            families: FxHashMap::with_capacity_and_hasher(tree.nodes.len() / 4, FxBuildHasher),
            nth: vec![0],
            units: vec![[ROOT; 2]],
            of_units: Vec::new(),
            of_levels: Vec::new(),
            came_before,
            page,
            counts,
            tree,
            headline,
            containers,
            scores,
            shapes,
            repeats,
            before,
            headings,
            good,
            below,
            h1,
        };
        view.count_siblings();
        view.find_units();
        view.fill_levels();
        view
    }

    fn count_siblings(&mut self) {
        for node in &self.tree.nodes[1..] {
            *self.alike.entry((node.parent, node.shape)).or_default() += 1;
            if !node.tag.is_block() {
                self.nth.push(0);
                continue;
            }
            let family = self.families.entry((node.parent, node.tag)).or_default();
            self.nth.push(family.members);
            family.members += 1;
            // The first paragraphs are enough, and keep the time linear.
            let first = (node.first as usize..node.end as usize).take(4);
            family.dated += u32::from(first.clone().any(|at| self.counts[at].has_date));
            family.headed += u32::from(
                first.clone().any(|at| self.page.paragraphs()[at].heading.is_some() && self.counts[at].links > 500),
            );
            family.linked += u32::from(first.clone().any(|at| self.counts[at].links > 500));
            let is_answer = |at: usize| self.counts[at].has_phrase(REPLY) && self.counts[at].length < SHORT;
            family.answered +=
                u32::from((node.first.max(node.end.saturating_sub(4))..node.end).any(|at| is_answer(at as usize)));
        }
    }

    /// Finds the repeated unit around each node.
    fn find_units(&mut self) {
        self.of_units = vec![[0; OF_UNIT]; self.tree.nodes.len()];
        self.of_units[ROOT as usize] = values(self.of_unit(ROOT, SiblingCounts::default()));
        for (at, node) in self.tree.nodes.iter().enumerate().skip(1) {
            let mut units = self.units[node.parent as usize];
            let family = self.families.get(&(node.parent, node.tag)).filter(|family| family.members >= 3);
            if let (true, Some(family)) = (node.tag.is_block(), family) {
                units[0] = at as NodeId;
                units[1] = if node.sums.paragraphs > 1 { at as NodeId } else { units[1] };
                self.of_units[at] = values(self.of_unit(at as NodeId, *family));
            }
            self.units.push(units);
        }
    }

    /// The features of a repeated unit.
    pub(crate) fn of_unit(&self, unit: NodeId, family: SiblingCounts) -> [(&'static str, i16); OF_UNIT] {
        let (node, whole) = (self.tree.get(unit), &self.tree.get(ROOT).sums);
        let parent = self.tree.get(node.parent);
        let holds_headline = self.headline.is_some_and(|at| (node.first..node.end).contains(&(at as u32)));
        [
            ("units", log(family.members)),
            ("text of the unit", log(node.sums.length)),
            ("unit among its own", share(node.sums.length, parent.sums.length)),
            ("dated units", share(family.dated, family.members)),
            ("units with linked headings", share(family.headed, family.members)),
            ("units with links", share(family.linked, family.members)),
            ("units with answers", share(family.answered, family.members)),
            ("unit holds the headline", i16::from(holds_headline && unit != ROOT)),
            ("text around units", share(parent.sums.length, whole.length)),
            ("units before", share(self.nth[unit as usize], family.members)),
        ]
    }

    fn fill_levels(&mut self) {
        self.of_levels = vec![[0; OF_LEVEL]; self.tree.nodes.len()];
        for (at, node) in self.tree.nodes.iter().enumerate() {
            if node.sums.paragraphs > 1 || at as NodeId == ROOT {
                self.of_levels[at] = values(self.of_level(at as NodeId));
            }
        }
    }

    /// The features of an element around a paragraph.
    pub(crate) fn of_level(&self, at: NodeId) -> [(&'static str, i16); OF_LEVEL] {
        let (sums, whole) = (&self.tree.get(at).sums, &self.tree.get(ROOT).sums);
        [
            ("paragraphs around", log(sums.paragraphs)),
            ("text around", log(sums.length)),
            ("links around", sums.links()),
            ("good text around", share(sums.good, whole.good)),
            ("good paragraphs around", share(sums.good_paragraphs, sums.paragraphs)),
        ]
    }

    /// The sum of `part` over a range of paragraphs.
    pub(crate) fn within(&self, first: usize, end: usize, part: impl Fn(&TextSums) -> u32) -> u32 {
        part(&self.before[end]) - part(&self.before[first.min(end)])
    }
}

fn values<const N: usize>(named: [(&'static str, i16); N]) -> [i16; N] {
    named.map(|(_, value)| value)
}

/// Hashes of the shapes of a block and its parent. They are equal for similar paragraphs.
pub(crate) fn shape(tree: &ElementTree, block: NodeId) -> (u64, u64) {
    let node = tree.get(block);
    (node.shape, tree.get(node.parent).shape)
}

/// For each position, the nearest selected one before it and the nearest after it.
fn around(length: usize, is_one: impl Fn(usize) -> bool) -> Vec<[Option<u32>; 2]> {
    let mut around = vec![[None; 2]; length];
    let mut last = None;
    for (at, around) in around.iter_mut().enumerate() {
        around[0] = last;
        last = if is_one(at) { Some(at as u32) } else { last };
    }
    last = None;
    for (at, around) in around.iter_mut().enumerate().rev() {
        around[1] = last;
        last = if is_one(at) { Some(at as u32) } else { last };
    }
    around
}
