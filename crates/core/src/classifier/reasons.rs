//! Explains the classifier's decision in words: how much each kind of feature added to the log odds, compared with an
//! average paragraph.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use goldminer_html::Page;

use super::Classifier;
use super::features::kind::PAGE_WIDTH;
use super::features::{self, ancestors, names, titles};
use super::forest::Tree;
use super::model::{self, Model, UNIT};
use super::training::PageFeatures;

/// Reasons that change the log odds by less than this, up or down, are left out.
const LEAST: i32 = UNIT / 4;

/// A reason why a paragraph is text or not, or why a page is an article or not. It displays as a clause with a number
/// of log odds: `is in an element whose attributes suggest comments (-1.9)`.
///
/// ```
/// use goldminer_core::classifier::{Classifier, Convention};
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<div class=comments><p>First! And I had an umbrella on that day.</div>".to_owned());
/// let reasons = Classifier::of(Convention::Article).explain(&page);
/// let against = reasons[0].iter().filter(|reason| !reason.is_for());
/// assert!(against.map(ToString::to_string).any(|reason| reason.contains("suggest comments (-")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    what: String,
    odds: i32,
}

impl Reason {
    /// Whether it is a reason for text, or for an article. Otherwise it is a reason against.
    pub fn is_for(&self) -> bool {
        self.odds > 0
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:+.1})", self.what, f64::from(self.odds) / f64::from(UNIT))
    }
}

impl Classifier {
    /// For each paragraph, the reasons why it is or is not text, the strongest first.
    pub fn explain(&self, page: &Page) -> Vec<Vec<Reason>> {
        let (features, explainer) = (PageFeatures::of(page), Explainer::new(&self.model));
        (0..page.paragraphs().len()).map(|at| explainer.reasons(features.row(at))).collect()
    }

    /// The reasons why the page is or is not an article, the strongest first.
    pub fn explain_page(&self, page: &Page) -> Vec<Reason> {
        let row = PageFeatures::of(page).of_page(&self.model.linear);
        Explainer::new(&self.model).reasons_of_page(&row)
    }
}

/// Reasons for and against a page being an article, besides those from its average paragraph.
const OF_PAGE: [(&str, &str); 6] = [
    ("has as much running text as an article", "has less running text than an article"),
    ("is mostly running text", "has more around its running text than an article has"),
    ("has few links in its running text", "has many links in its running text"),
    ("is written in whole sentences", "is not written in whole sentences"),
    ("has its running text in one place", "has its running text in many places"),
    ("declares itself an article", "does not declare itself an article"),
];

/// The index in `OF_PAGE` (wordings of reasons) of a feature of the whole page. Features that say what the page
/// declares about itself have the last index.
fn of_page(feature: usize) -> usize {
    const KEYS: [usize; 8] = [0, 1, 2, 0, 3, 0, 3, 4];
    KEYS.get(feature).copied().unwrap_or(OF_PAGE.len() - 1)
}

/// A reason for text and a reason against it, from a group of features.
fn theme(group: &str) -> (&'static str, &'static str) {
    const POSITIONS: [&str; 6] =
        ["position", "heading", "from the", "since the headline", "paragraphs around", "text around"];
    let has = |word: &str| group.contains(word);
    match group {
        _ if has("container") || group == "good text around" => {
            ("is near most of the running text", "is far from most of the running text")
        }
        "readability" => {
            ("is among paragraphs that read like an article", "the text around it does not read like an article")
        }
        _ if has("link") => ("has few links around", "is among links"),
        _ if has("neighbour") || has("good paragraph") || group.starts_with("good text") => {
            ("its neighbours look like text", "its neighbours do not look like text")
        }
        _ if has("shape") || has("unit") || has("inside") => {
            ("is built like the text", "looks like many elements that are not text")
        }
        _ if POSITIONS.iter().any(|word| has(word)) => ("is where text usually is", "is where text seldom is"),
        _ if has("page") => ("the page is rich in text", "the page is poor in text"),
        _ => ("reads like running text", "does not read like running text"),
    }
}

struct Explainer<'m> {
    model: &'m Model,
    /// The words for each paragraph feature, then for each page feature. Features with the same words give one reason.
    words: Vec<Words>,
    /// For each tree and each of its splits, the mean of the values that its two ways lead to.
    means: Vec<Vec<i32>>,
}

struct Words {
    yes: String,
    /// The wording of a reason against. If None, `yes` is the wording for both, and paragraphs without the feature get
    /// no such reason: it would help nobody to read that an element is not named like a table of contents.
    no: Option<&'static str>,
}

impl Words {
    fn of((group, index): (&str, i32), categories: &[&str]) -> Self {
        let at = index as usize;
        let yes = match group {
            "near" | "text in" if at < categories.len() => {
                format!("is in an element whose attributes suggest {}", categories[at])
            }
            "near" => format!("is {}", ancestors::kind(at)),
            "says" => format!("speaks of {}", titles::name(at)),
            "below a title" | "good text around that title" => format!("is below a title for {}", titles::name(at)),
            group => {
                let (yes, no) = theme(group);
                return Self { yes: yes.to_owned(), no: Some(no) };
            }
        };
        Self { yes, no: None }
    }

    fn of_page(feature: usize) -> Self {
        let (yes, no) = OF_PAGE[of_page(feature)];
        Self { yes: yes.to_owned(), no: Some(no) }
    }
}

impl<'m> Explainer<'m> {
    fn new(model: &'m Model) -> Self {
        let categories: Vec<&str> = names::names().collect();
        let words = features::names().into_iter().map(|name| Words::of(name, &categories));
        let words = words.chain((0..PAGE_WIDTH - features::WIDTH).map(Words::of_page)).collect();
        Self { model, words, means: model.trees.iter().map(means).collect() }
    }

    /// The reasons for and against a paragraph, the strongest first.
    fn reasons(&self, row: &[i16]) -> Vec<Reason> {
        self.strongest(&self.contributions(row), row, "")
    }

    /// The reasons for and against a page being an article, the strongest first. Most page features describe the
    /// average paragraph of its text; their reasons begin with `its text:`.
    fn reasons_of_page(&self, row: &[i16]) -> Vec<Reason> {
        let mut added = vec![0; row.len()];
        self.model.kind.iter().for_each(|tree| add(tree, &means(tree), row, &mut added));
        self.strongest(&added, row, "its text: ")
    }

    fn strongest(&self, added: &[i32], row: &[i16], of_paragraphs: &str) -> Vec<Reason> {
        let mut by_words: BTreeMap<&str, (i32, usize)> = BTreeMap::new();
        for (at, (words, added)) in self.words.iter().zip(added).enumerate() {
            by_words.entry(&words.yes).or_insert((0, at)).0 += added;
        }
        let is_kept = |&(odds, at): &(i32, usize)| odds.abs() >= LEAST && (self.words[at].no.is_some() || row[at] > 0);
        let mut strongest: Vec<(i32, usize)> = by_words.into_values().filter(is_kept).collect();
        strongest.sort_by_key(|(odds, _)| -odds.abs());
        let reason = |(odds, at): (i32, usize)| {
            let Words { yes, no } = &self.words[at];
            let wording = no.filter(|_| odds < 0).unwrap_or(yes);
            Reason { what: format!("{}{wording}", if at < features::WIDTH { of_paragraphs } else { "" }), odds }
        };
        strongest.into_iter().map(reason).collect()
    }

    /// How much each feature adds, compared with the average paragraph.
    fn contributions(&self, row: &[i16]) -> Vec<i32> {
        let mut added = vec![0; row.len()];
        let trees = self.model.trees.iter().zip(&self.means);
        trees.for_each(|(tree, means)| add(tree, means, row, &mut added));
        let linear = self.model.linear.contributions(row);
        added.into_iter().zip(linear).map(|(trees, linear)| model::mixed(trees, linear)).collect()
    }
}

/// Follows a row of feature values down a tree. For each split on the way, adds to `added`, at the split's feature, how
/// much the split changes the expected value. `means` has the expected value at each split.
fn add(tree: &Tree, means: &[i32], row: &[i16], added: &mut [i32]) {
    let mut at = 0_i8;
    while let Some(split) = usize::try_from(at).ok().and_then(|at| tree.splits.get(at)) {
        let before = means[at as usize];
        at = split.next[usize::from(row[split.feature as usize] > split.at_most)];
        let after = if at < 0 { i32::from(tree.leaves[!at as usize]) } else { means[at as usize] };
        added[split.feature as usize] += after - before;
    }
}

/// For each split, the mean of the two values that its ways lead to.
fn means(tree: &Tree) -> Vec<i32> {
    let mut means = vec![0; tree.splits.len()];
    for (at, split) in tree.splits.iter().enumerate().rev() {
        let worth = |next: i8| if next < 0 { i32::from(tree.leaves[!next as usize]) } else { means[next as usize] };
        means[at] = (worth(split.next[0]) + worth(split.next[1])) / 2;
    }
    means
}

#[cfg(test)]
mod tests {
    use crate::classifier::{Classifier, Convention};
    use goldminer_html::Page;

    #[test]
    fn reasons_for_paragraphs_are_given_in_words() {
        let story =
            "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others. ".repeat(6);
        let html = format!(
            "<nav class=menu><a href=/a>News</a></nav><article class=article-body><h1>Rain</h1>{story}</article>\
             <div class=comments><p>I had an umbrella, and I lent it to two people on that day.</div>"
        );
        let page = Page::parse(html);
        let reasons = Classifier::of(Convention::Article).explain(&page);
        let joined = |at: usize| reasons[at].iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        assert!(joined(3).contains("is near most of the running text (+"), "{}", joined(3));
        let comment = page.paragraphs().len() - 1;
        assert!(joined(comment).contains("suggest comments (-"), "{}", joined(comment));
        assert!(reasons[comment].iter().any(|reason| !reason.is_for()));
    }

    #[test]
    fn reasons_against_an_article_are_given_in_words() {
        let teasers =
            "<li class=card><h3><a href=/a>Rain in Rome</a></h3><p>It rained again. <a href=/a>Read more</a></li>";
        let page = Page::parse(format!("<title>News</title><ul class=list>{}</ul>", teasers.repeat(20)));
        let classifier = Classifier::of(Convention::Article);
        assert!(classifier.classify(&page).article < 500);
        let against = classifier.explain_page(&page).into_iter().find(|reason| !reason.is_for()).unwrap().to_string();
        assert!(
            against.starts_with("has ") || against.starts_with("its text: ") || against.contains("declare"),
            "{against}"
        );
    }
}
