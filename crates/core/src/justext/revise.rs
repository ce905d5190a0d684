//! Revises classes by their context, like `revise_paragraph_classification` of the Python package jusText, pass by
//! pass. Its first pass is missing: in jusText 3.0.2 it has no effect, because it reads classes that are not set yet.
//!
//! The package walks from each paragraph to its neighbours, which takes quadratic time on a page of short paragraphs.
//! Here, one sweep in each direction finds the neighbours.

use goldminer_html::Paragraph;

use super::Class;

/// The classes of the nearest paragraphs on one side that decide about a paragraph.
#[derive(Debug, Clone, Copy)]
struct Neighbour {
    /// The class of the nearest good or bad paragraph.
    decided: Class,
    /// The class of the nearest paragraph that is not short.
    not_short: Class,
}

/// Makes short paragraphs good if they are between good ones. They also become good between a good and a bad one, if
/// the nearest paragraph on the bad side that is not short is near-good. Others become bad.
pub(super) fn short(classes: &mut [Class]) {
    let before = neighbours(classes.iter());
    let mut after = neighbours(classes.iter().rev());
    after.reverse();
    for (i, class) in classes.iter_mut().enumerate() {
        if *class == Class::Short {
            let (prev, next) = (before[i], after[i]);
            *class = match (prev.decided, next.decided) {
                (Class::Good, Class::Good) => Class::Good,
                (Class::Bad, Class::Bad) => Class::Bad,
                (Class::Bad, _) if prev.not_short == Class::NearGood => Class::Good,
                (_, Class::Bad) if next.not_short == Class::NearGood => Class::Good,
                _ => Class::Bad,
            };
        }
    }
}

/// Makes near-good paragraphs good, unless they are between bad ones. There must be no short ones left.
pub(super) fn near_good(classes: &mut [Class]) {
    let mut after: Vec<Class> = neighbours(classes.iter().rev()).into_iter().map(|n| n.decided).collect();
    after.reverse();
    let mut prev = Class::Bad;
    for (class, next) in classes.iter_mut().zip(after) {
        if *class == Class::NearGood {
            *class = if (prev, next) == (Class::Bad, Class::Bad) { Class::Bad } else { Class::Good };
        }
        prev = *class;
    }
}

/// Makes headings before good text good, if only their neighbours made them bad.
pub(super) fn good_headings(
    paragraphs: &[Paragraph],
    context_free: &[Class],
    classes: &mut [Class],
    max_distance: u32,
) {
    for i in 0..paragraphs.len() {
        if paragraphs[i].heading.is_some()
            && classes[i] == Class::Bad
            && context_free[i] != Class::Bad
            && good_follows(paragraphs, classes, i, max_distance)
        {
            classes[i] = Class::Good;
        }
    }
}

/// Whether a good paragraph begins at most `max_distance` characters after paragraph `i`.
fn good_follows(paragraphs: &[Paragraph], classes: &[Class], i: usize, max_distance: u32) -> bool {
    let mut distance = 0;
    for (paragraph, class) in paragraphs[i + 1..].iter().zip(&classes[i + 1..]) {
        if *class == Class::Good {
            return true;
        }
        distance += paragraph.chars;
        if distance > max_distance {
            return false;
        }
    }
    false
}

/// The neighbour before each paragraph, in the direction of `classes`. The edge of the page counts as bad.
fn neighbours<'a>(classes: impl Iterator<Item = &'a Class>) -> Vec<Neighbour> {
    let mut at = Neighbour { decided: Class::Bad, not_short: Class::Bad };
    classes
        .map(|class| {
            let before = at;
            match class {
                Class::Good | Class::Bad => at = Neighbour { decided: *class, not_short: *class },
                Class::NearGood => at.not_short = Class::NearGood,
                Class::Short => {}
            }
            before
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `g`ood, `n`ear-good, `s`hort, `b`ad.
    fn classes(letters: &str) -> Vec<Class> {
        letters
            .chars()
            .map(|letter| match letter {
                'g' => Class::Good,
                'n' => Class::NearGood,
                's' => Class::Short,
                _ => Class::Bad,
            })
            .collect()
    }

    fn revised(letters: &str) -> String {
        let mut classes = classes(letters);
        short(&mut classes);
        near_good(&mut classes);
        classes.iter().map(|class| if *class == Class::Good { 'g' } else { 'b' }).collect()
    }

    #[test]
    fn short_and_near_good_paragraphs_follow_their_neighbours() {
        for (given, expected) in [
            ("gsg", "ggg"),
            ("bsb", "bbb"),
            ("gsb", "gbb"),
            ("bsg", "bbg"),
            // Near-good on the bad side.
            ("bnsg", "bggg"),
            ("gsnb", "gggb"),
            ("bnb", "bbb"),
            ("gnb", "ggb"),
            ("bng", "bgg"),
            ("bnnnb", "bbbbb"),
            ("bnnng", "bgggg"),
            // The edges of the page count as bad.
            ("n", "b"),
            ("s", "b"),
            ("sg", "bg"),
        ] {
            assert_eq!(revised(given), expected, "{given}");
        }
    }
}
