//! Features for the titles above a paragraph, such as "Read also" or "3 Kommentare".

use super::text::Counts;
use super::titles::TITLES;
use crate::classifier::tree::{ElementTree, NodeId, ROOT};

/// For each paragraph and each kind of title (such as "Read also"), two values about the last title of this kind above.
/// They are the distance to it in paragraphs, and the nearest element that holds more than this title. None if there is
/// no such title, or if the paragraph is after that element.
pub(crate) fn below(tree: &ElementTree, counts: &[Counts]) -> Vec<[Option<(u32, NodeId)>; TITLES]> {
    let mut last = [None; TITLES];
    let mut below = Vec::with_capacity(counts.len());
    for (at, count) in counts.iter().enumerate() {
        below.push(std::array::from_fn(|kind| {
            let (title, scope): (usize, NodeId) = last[kind]?;
            ((at as u32) < tree.get(scope).end).then(|| ((at - title) as u32, scope))
        }));
        for (_, last) in last.iter_mut().enumerate().filter(|(kind, _)| count.has_phrase(1 << kind)) {
            *last = Some((at, scope(tree, tree.innermost[at])));
        }
    }
    below
}

/// The nearest element around a title that holds more than the title.
fn scope(tree: &ElementTree, title: NodeId) -> NodeId {
    tree.widening(title).next().unwrap_or(ROOT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    #[test]
    fn paragraphs_below_a_title_in_its_element_are_found() {
        let page = Page::parse("<p>text<div><h3>Read also</h3><p>one<p>two</div><p>more text".to_owned());
        let counts: Vec<Counts> = page.paragraphs().iter().map(Counts::of).collect();
        let below = below(&ElementTree::of(&page, &counts), &counts);
        let steps: Vec<Option<u32>> = below.iter().map(|below| below[1].map(|(steps, _)| steps)).collect();
        assert_eq!(steps, [None, None, Some(1), Some(2), None]);
    }
}
