//! What the web's standing phrases say of a paragraph ("Read also", "3 Kommentare", "Subscribe to our newsletter"), and which
//! titles a paragraph stands below. The phrases come on the pages of all sites, in a few wordings a language; a model that
//! knows one language's pages so knows what stands below them in the others. A prior for the model, which weighs it by data;
//! never a rule about a site.

use goldminer_html::Paragraph;

use super::text::Counts;
use crate::classifier::tree::{NodeId, ROOT, Tree};
use crate::phrases;
use crate::phrases::{PHRASES, category};

/// Kinds of phrases as bits.
pub(crate) type PhraseKinds = u8;

/// How many kinds there are, and how many of these, the first ones, are titles.
pub(crate) const KINDS: usize = 7;
pub(crate) const TITLES: usize = 3;
/// The place of the first kind in the table.
const FIRST: u32 = category("title/comments").trailing_zeros();
/// Above a paragraph that answers another.
pub(crate) const REPLY: PhraseKinds = (category("title/a reply") >> FIRST) as PhraseKinds;

/// What phrases of a kind are about.
pub(crate) fn name(kind: usize) -> &'static str {
    phrases::categories().filter_map(|name| name.strip_prefix("title/")).nth(kind).unwrap_or_default()
}

/// What a paragraph says.
pub(crate) fn said(paragraph: &Paragraph) -> PhraseKinds {
    const ALL: PhraseKinds = 2 * REPLY - 1;
    (PHRASES.of_text(&paragraph.text) >> FIRST) as PhraseKinds & ALL
}

/// For each paragraph and each kind of title the last such title that it stands below: how many paragraphs above, and the
/// element that both lie in.
pub(crate) fn below(tree: &Tree, counts: &[Counts]) -> Vec<[Option<(u32, NodeId)>; TITLES]> {
    let mut last = [None; TITLES];
    let mut below = Vec::with_capacity(counts.len());
    for (at, count) in counts.iter().enumerate() {
        below.push(std::array::from_fn(|kind| {
            let (title, scope): (usize, NodeId) = last[kind]?;
            ((at as u32) < tree.get(scope).end).then(|| ((at - title) as u32, scope))
        }));
        for (_, last) in last.iter_mut().enumerate().filter(|(kind, _)| count.says(1 << kind)) {
            *last = Some((at, scope(tree, tree.innermost[at])));
        }
    }
    below
}

/// The nearest element around a title in which more stands.
fn scope(tree: &Tree, title: NodeId) -> NodeId {
    tree.widening(title).next().unwrap_or(ROOT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    #[test]
    fn what_stands_below_a_title_in_its_element_is_told() {
        let page = Page::parse("<p>text<div><h3>Read also</h3><p>one<p>two</div><p>more text".to_owned());
        let counts: Vec<Counts> = page.paragraphs().iter().map(Counts::of).collect();
        let below = below(&Tree::of(&page, &counts), &counts);
        let steps: Vec<Option<u32>> = below.iter().map(|below| below[1].map(|(steps, _)| steps)).collect();
        assert_eq!(steps, [None, None, Some(1), Some(2), None]);
    }

    fn kinds_in(text: &str) -> Vec<&'static str> {
        let page = Page::parse(format!("<p>{text}"));
        let phrases = super::said(&page.paragraphs()[0]);
        (0..KINDS).filter(|kind| phrases >> kind & 1 == 1).map(name).collect()
    }

    #[test]
    fn standing_phrases_are_known_in_many_languages() {
        for (text, kind) in [
            ("12 Kommentare", "comments"),
            ("Комментарии (3)", "comments"),
            ("Lesen Sie auch", "other articles"),
            ("Читайте также:", "other articles"),
            ("相关阅读", "other articles"),
            ("Iratkozzon fel hírlevelünkre! Hírlevél", "a subscription"),
            ("Reply", "a reply"),
        ] {
            assert_eq!(kinds_in(text), [kind], "{text}");
        }
        assert_eq!(kinds_in("It rained in the north."), [""; 0]);
    }
}
