//! Classifies only some paragraphs of a page, for callers that are in doubt about these. The probabilities are the same
//! as for the whole page, at a part of the cost. The text and the kind of the page are not computed.

use goldminer_html::Page;

use super::features::FeatureRows;
use super::{Classifier, probability};

impl Classifier {
    /// For each paragraph that `is_selected` selects, the probability that it belongs to the text, in thousandths.
    pub(crate) fn probabilities(&self, page: &Page, is_selected: impl Fn(usize) -> bool) -> Vec<Option<u16>> {
        let (mut rows, mut scoring) = (FeatureRows::of(page), self.model.start_scoring());
        let selected: Vec<usize> = (0..page.paragraphs().len()).filter(|at| is_selected(*at)).collect();
        for at in &selected {
            scoring.add(rows.row(*at));
        }
        let mut probabilities = vec![None; page.paragraphs().len()];
        for (at, odds) in selected.into_iter().zip(scoring.odds()) {
            probabilities[at] = Some(probability(odds));
        }
        probabilities
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use proptest::prelude::*;

    use super::*;
    use crate::classifier::Convention;
    use goldminer_html::{TokenKind, Tokens};

    /// All pages below a folder, at most `most` from each of its folders.
    fn pages(folder: &Path, most: usize) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| path.is_dir());
        let is_page = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "html");
        let files = files.iter().filter(is_page).take(most).filter_map(|path| std::fs::read(path).ok());
        let own = files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        own.chain(folders.iter().flat_map(|folder| pages(folder, most)).collect::<Vec<_>>()).collect()
    }

    /// Changes a page at one of its tags: drops the tag, doubles it, reverses its attributes, or ends the page before
    /// it.
    fn mutated(page: &str, change: usize, nth: usize) -> String {
        let is_tag = |kind: &TokenKind| matches!(kind, TokenKind::StartTag { .. } | TokenKind::EndTag { .. });
        let tags: Vec<_> = Tokens::new(page).filter(|token| is_tag(&token.kind)).collect();
        let Some(tag) = tags.get(nth % tags.len().max(1)) else { return page.to_owned() };
        let (before, behind) = (&page[..tag.span.start as usize], &page[tag.span.end as usize..]);
        let source = tag.source(page);
        let attributes =
            || tag.attributes(page).map(|attribute| format!(" {}='{}'", attribute.name, attribute.raw_value));
        match (change % 4, tag.kind) {
            (0, _) => format!("{before}{behind}"),
            (1, _) => format!("{before}{source}{source}{behind}"),
            (2, TokenKind::StartTag { .. }) => {
                let reversed: Vec<String> = attributes().collect();
                let reversed: String = reversed.into_iter().rev().collect();
                format!("{before}<{}{reversed}>{behind}", tag.name(page))
            }
            _ => before.to_owned(),
        }
    }

    /// Checks that every `step`-th paragraph, classified alone, gets the same probability as among all paragraphs.
    fn agrees(page: &Page, step: usize) {
        let classifier = Classifier::of(Convention::Article);
        let (all, some) = (classifier.classify(page), classifier.probabilities(page, |at| at % step == 0));
        for (at, probability) in some.iter().enumerate() {
            assert_eq!(*probability, (at % step == 0).then_some(all.probabilities[at]), "paragraph {at} of {step}");
        }
    }

    #[test]
    fn selected_paragraphs_get_the_probabilities_of_all() {
        let made_up = pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gold"), usize::MAX);
        assert!(made_up.len() > 3);
        let lab = std::env::var_os("GOLDMINER_LAB").map(|lab| pages(Path::new(&lab), 2));
        for (number, html) in made_up.into_iter().chain(lab.unwrap_or_default()).enumerate() {
            agrees(&Page::parse(mutated(&html, number, 7 * number)), 1 + number % 5);
            agrees(&Page::parse(html), 3);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn selected_paragraphs_agree_on_broken_pages(
            number in 0..64_usize,
            changes in prop::collection::vec((0..4_usize, 0..2_000_usize), 1..4),
            step in 1..6_usize,
        ) {
            let all = pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gold"), usize::MAX);
            let page = changes.iter().fold(all[number % all.len()].clone(), |page, (change, nth)| mutated(&page, *change, *nth));
            agrees(&Page::parse(page), step);
        }
    }
}
