//! Measures the memory of a page's model, and shortens a model that takes too much. The beginning of the page is kept,
//! so that the same page always gives the same model. Only the learner does this, because its sample has a memory
//! limit.

use goldminer_html::Page;

use super::{Block, Node, PageModel, good};

impl PageModel {
    pub(crate) fn bytes(&self) -> usize {
        let kept = self.kept.as_ref().map_or(0, |page| size_of::<Page>() + page.bytes());
        self.bytes_of(self.blocks.len()) + self.tags.bytes() + kept
    }

    /// Shortens the model of a page to at most `most` bytes. If it contains a copy of the whole page, the copy is
    /// dropped. At most half of the bytes go to the tags, the rest to the text blocks and the elements that hold them.
    pub(crate) fn shorten(&mut self, most: usize) {
        if self.bytes() <= most {
            return;
        }
        self.kept = None;
        self.tags.shorten(most / 2);
        let room = most.saturating_sub(self.tags.bytes());
        let mut kept = 0..self.blocks.len();
        while !kept.is_empty() {
            let middle = kept.end - kept.len() / 2;
            kept = if self.bytes_of(middle) <= room { middle..kept.end } else { kept.start..middle - 1 };
        }
        self.keep(kept.start);
        let titles = room / size_of::<(super::TitleShape, bool)>();
        self.teaser_titles.truncate(titles);
        self.card_titles.truncate(titles);
    }

    /// The bytes of the first `blocks` blocks and the nodes that hold them.
    fn bytes_of(&self, blocks: usize) -> usize {
        blocks * (size_of::<Block>() + size_of::<u32>()) + self.nodes_of(blocks) * size_of::<Node>()
    }

    /// The number of nodes (elements) that hold any of the first `blocks` text blocks. These nodes come first in page
    /// order.
    fn nodes_of(&self, blocks: usize) -> usize {
        self.nodes.partition_point(|node| node.blocks.start < blocks)
    }

    fn keep(&mut self, blocks: usize) {
        let nodes = self.nodes_of(blocks);
        // Copy instead of shrinking in place: the rest of a large allocation would block the space for the next one.
        self.blocks = self.blocks[..blocks].to_vec();
        self.good = good(&self.blocks);
        self.nodes = self.nodes[..nodes].to_vec();
        for node in &mut self.nodes {
            node.subtree_end = node.subtree_end.min(nodes as u32);
            node.blocks.end = node.blocks.end.min(blocks);
        }
        self.comment_rows.retain(|rows| rows.start < blocks);
        self.comment_rows.iter_mut().for_each(|rows| rows.end = rows.end.min(blocks));
        self.headline = self.headline.filter(|headline| *headline < blocks);
        self.tags.keep_before(blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goldminer::pattern::shape::Shapes;
    use crate::justext::Class;

    #[test]
    fn a_page_that_is_too_large_keeps_its_beginning_whole() {
        let html =
            format!("<h1>Title</h1><div id=a>{}</div><div id=b><p>z</div>", "<section><p>w</p></section>".repeat(500));
        let page = Page::parse(html);
        let classes = vec![Class::Good; page.paragraphs().len()];
        let mut model = PageModel::of_page(&page, None, &classes, &mut Shapes::default());
        let bare = model.bytes();
        model.kept = Some(Box::new(page.clone()));
        let whole = model.bytes();
        assert!(whole > bare + page.text().len(), "the page itself counts");
        model.shorten(whole);
        assert_eq!(model.bytes(), whole, "a model within the limit is unchanged");
        model.shorten(whole - 1);
        assert_eq!(model.bytes(), bare, "the copy of the page is dropped first");
        model.shorten(bare / 3);
        assert!(model.bytes() <= bare / 3 && model.bytes() > bare / 4, "{} of {bare}", model.bytes());
        assert_eq!(model.headline, Some(0));
        let blocks = model.blocks.len();
        assert!(model.nodes.iter().all(|node| !node.blocks.is_empty() && node.blocks.end <= blocks));
        assert!(model.blocks.iter().all(|block| block.node.is_none_or(|node| (node as usize) < model.nodes.len())));
        assert!(model.nodes.iter().all(|node| node.subtree_end as usize <= model.nodes.len()));
        model.shorten(0);
        assert!(model.blocks.is_empty() && model.nodes.is_empty());
    }
}
