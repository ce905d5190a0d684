//! The two decision trees as published, thresholds included.

use super::DecisionTree;
use super::blocks::{Block, Measures};

/// Decides for each block whether it is content. Beyond the ends of the page there are blocks without words.
pub(crate) fn classify(blocks: &mut [Block], classifier: DecisionTree) {
    let measures: Vec<Measures> = blocks.iter().map(|block| block.measures).collect();
    for (at, block) in blocks.iter_mut().enumerate() {
        let before = at.checked_sub(1).map(|before| measures[before]).unwrap_or_default();
        let after = measures.get(at + 1).copied().unwrap_or_default();
        block.is_content = match classifier {
            DecisionTree::TextDensity => by_text_density(before, measures[at], after),
            DecisionTree::NumberOfWords => by_number_of_words(before, measures[at], after),
        };
    }
}

/// Algorithm 1.
fn by_text_density(before: Measures, block: Measures, after: Measures) -> bool {
    if block.link_density > 0.333_333 {
        false
    } else if before.link_density > 0.555_556 {
        after.text_density > 11.0
    } else if block.text_density > 9.0 {
        after.text_density > 0.0
    } else {
        after.text_density > 10.0 || before.text_density > 4.0
    }
}

/// Algorithm 2.
fn by_number_of_words(before: Measures, block: Measures, after: Measures) -> bool {
    if block.link_density > 0.333_333 {
        false
    } else if before.link_density > 0.555_556 {
        block.words > 40 || after.words > 17
    } else {
        block.words > 16 || after.words > 15 || before.words > 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measures(words: u32, link_density: f64) -> Measures {
        Measures { words, link_density, text_density: f64::from(words.min(12)) }
    }

    #[test]
    fn the_leaves_of_algorithm_1() {
        let tree = |before, block, after| by_text_density(before, block, after);
        let (text, short) = (measures(12, 0.0), measures(3, 0.0));
        assert!(!tree(text, measures(12, 0.34), text), "links are boilerplate");
        assert!(tree(measures(9, 1.0), short, text), "behind a menu only what stands before dense text");
        assert!(!tree(measures(9, 1.0), text, measures(11, 0.0)));
        assert!(tree(short, text, short), "dense text is content");
        assert!(!tree(text, text, measures(0, 0.0)), "unless it is the page's last block");
        assert!(tree(short, short, text), "a short block before dense text");
        assert!(tree(measures(5, 0.0), short, short), "or behind text");
        assert!(!tree(measures(4, 0.0), short, measures(10, 0.0)), "but not among short ones");
    }

    #[test]
    fn the_leaves_of_algorithm_2() {
        let tree = |before, block, after| by_number_of_words(before, block, after);
        let (text, short) = (measures(50, 0.0), measures(3, 0.0));
        assert!(!tree(text, measures(50, 0.34), text), "links are boilerplate");
        assert!(tree(measures(9, 1.0), measures(41, 0.0), short), "behind a menu only long blocks");
        assert!(tree(measures(9, 1.0), short, measures(18, 0.0)), "or such as stand before one");
        assert!(!tree(measures(9, 1.0), measures(40, 0.0), measures(17, 0.0)));
        assert!(tree(short, measures(17, 0.0), short), "elsewhere shorter ones are enough");
        assert!(tree(short, short, measures(16, 0.0)));
        assert!(tree(measures(5, 0.0), short, short));
        assert!(!tree(measures(4, 0.0), measures(16, 0.0), measures(15, 0.0)));
    }

    #[test]
    fn what_is_beyond_the_ends_of_the_page_measures_nothing() {
        let mut alone = blocks(&[12]);
        classify(&mut alone, DecisionTree::NumberOfWords);
        assert!(!alone[0].is_content);
        let mut pair = blocks(&[12, 20]);
        classify(&mut pair, DecisionTree::NumberOfWords);
        assert!(pair[0].is_content && pair[1].is_content);
    }

    fn blocks(words: &[usize]) -> Vec<Block> {
        let html = words.iter().map(|words| format!("<p>{}", "word ".repeat(*words))).collect();
        super::super::blocks::blocks_of(&goldminer_html::Page::parse(html))
    }
}
