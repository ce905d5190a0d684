//! Finds asides and footers that belong to the article: notes, facts and corrections between its paragraphs.
//!
//! Many other asides inside articles are promotions, links to related pages or pull quotes. They are boilerplate.

use std::ops::Range;

use goldminer_html::Tag;

use super::super::page_model::Node;
use super::inside::Inside;
use super::reason::ParagraphReason;
use crate::justext::Class;

/// The most asides of a page that are compared with its article.
const MAX_ASIDES: usize = 32;
/// The most paragraphs before and after an aside that are searched for text of the article.
const MAX_BETWEEN: usize = 32;
/// The number of letters and digits in a piece of a pull quote that is searched for in the article.
const PIECE: usize = 16;
/// The most pieces of an aside that are searched for.
const MAX_PIECES: usize = 64;
/// The most bytes of the article that are searched.
const MAX_ARTICLE: usize = 100_000;

/// The asides and footers of a cut that may belong to its article.
pub(super) struct Callouts<'i> {
    inside: &'i Inside<'i>,
    /// For each block, whether it is text of the article outside all boxes.
    own: Vec<bool>,
    /// The letters and digits of the article's text outside all boxes.
    article: String,
    /// How many asides may still be compared with the article.
    left: usize,
}

impl<'i> Callouts<'i> {
    pub(super) fn of(inside: &'i Inside<'i>, reasons: &[ParagraphReason]) -> Self {
        let mut own = vec![false; inside.blocks.len()];
        if let Some(core) = inside.core {
            let nodes = &inside.model.nodes;
            let Node { blocks, subtree_end, .. } = &nodes[core as usize];
            blocks.clone().for_each(|at| own[at] = reasons[at].is_kept() && inside.boilerplate(at).is_none());
            for node in &nodes[core as usize + 1..*subtree_end as usize] {
                let meaning = inside.shapes.meaning(node.shape);
                // The template's drops below the first aside are not in `reasons` yet.
                let drops = &inside.cut.template.drops;
                let is_dropped = || drops.iter().any(|drop| drop.matches(inside.cut.page, node.element));
                if meaning.boilerplate || meaning.comments || is_dropped() {
                    own[node.blocks.clone()].fill(false);
                }
            }
        }
        let mut article = String::new();
        for at in (0..own.len()).filter(|at| own[*at]) {
            if article.len() < MAX_ARTICLE {
                article.extend(letters(inside, at));
            }
        }
        Self { inside, own, article, left: MAX_ASIDES }
    }

    /// Whether an aside or footer belongs to the article.
    pub(super) fn holds(&mut self, node: &Node) -> bool {
        self.inside.holds_own_text(node)
            && self.is_between(node)
            && !self.leads_away(node)
            && self.adds_text(&node.blocks)
    }

    /// Whether text of the article is before and after the element, in the element around it.
    fn is_between(&self, node: &Node) -> bool {
        let Some(parent) = node.parent.map(|parent| &self.inside.model.nodes[parent as usize].blocks) else {
            return false;
        };
        let is_text = |at: usize| self.own[at] && self.inside.model.blocks[at].class == Class::Good;
        (parent.start..node.blocks.start).rev().take(MAX_BETWEEN).any(is_text)
            && (node.blocks.end..parent.end).take(MAX_BETWEEN).any(is_text)
    }

    /// Whether the element has lines that are links, or a form, such as that of a newsletter.
    fn leads_away(&self, node: &Node) -> bool {
        let page = self.inside.cut.page;
        let is_link = |at: usize| self.inside.model.blocks[at].link_share >= 0.5;
        node.blocks.clone().any(is_link)
            || page.ids_in(node.element).any(|id| matches!(page.element(id).tag, Tag::Form | Tag::Input | Tag::Button))
    }

    /// Whether the blocks have running text that is not in the article. The text of a pull quote is also in the article.
    fn adds_text(&mut self, blocks: &Range<usize>) -> bool {
        if self.left == 0 {
            return false;
        }
        let paragraphs = &self.inside.cut.page.paragraphs()[self.inside.cut.scope.clone()];
        let is_running = |at: &usize| paragraphs[*at].is_running_text() && self.inside.boilerplate(*at).is_none();
        let text: Vec<char> = blocks.clone().filter(is_running).flat_map(|at| letters(self.inside, at)).collect();
        let pieces = text.chunks_exact(PIECE).take(MAX_PIECES).map(|piece| piece.iter().collect::<String>());
        if text.is_empty() {
            return false;
        }
        self.left -= 1;
        let (mut all, mut copied) = (0, 0);
        for piece in pieces {
            (all, copied) = (all + 1, copied + usize::from(self.article.contains(&piece)));
        }
        3 * copied < all
    }
}

/// The letters and digits of a block, in lower case.
fn letters<'i>(inside: &Inside<'i>, at: usize) -> impl Iterator<Item = char> + use<'i> {
    let text = &inside.cut.page.paragraphs()[inside.cut.scope.start + at].text;
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}
