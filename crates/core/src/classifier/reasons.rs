//! Why the classifier decided as it did, in words: what each kind of feature added to the log odds, against a usual paragraph.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use super::features;
use super::features::{ancestors, names, titles};
use super::forest::Tree;
use super::model::{self, Model, UNIT};

/// Reasons that add less are not worth a word.
const LEAST: i32 = UNIT / 4;

/// One reason why [`Classifier::explain`](super::Classifier::explain) takes a paragraph for text or not. It displays as a clause:
/// `is in an element named for comments (-1.9)`, the number in units of log odds.
///
/// ```
/// use goldminer_core::classifier::{Classifier, Convention};
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<div class=comments><p>First! And I had an umbrella on that day.</div>".to_owned());
/// let reasons = Classifier::of(Convention::Article).explain(&page);
/// let against = reasons[0].iter().filter(|reason| !reason.is_for());
/// assert!(against.map(ToString::to_string).any(|reason| reason.contains("named for comments (-")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    what: String,
    odds: i32,
}

impl Reason {
    /// Whether it speaks for the paragraph.
    pub fn is_for(&self) -> bool {
        self.odds > 0
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:+.1})", self.what, f64::from(self.odds) / f64::from(UNIT))
    }
}

/// Kinds of features as readers know them, each with what is said where it speaks for a paragraph and against one.
const THEMES: [(&str, &str, &str); 8] = [
    ("container", "is near most of the running text", "is far from most of the running text"),
    (
        "readability",
        "is among paragraphs that read like an article",
        "the text around it does not read like an article",
    ),
    ("links", "has few links around", "is among links"),
    ("text", "reads like running text", "does not read like running text"),
    ("shape", "is built like the text", "looks like many elements that are not text"),
    ("position", "is where text usually is", "is where text seldom is"),
    ("neighbours", "its neighbours look like text", "its neighbours do not look like text"),
    ("page", "the page is rich in text", "the page is poor in text"),
];

/// What is told of a page beside its average paragraph, for and against: by the order of what `kind` measures of the whole.
const OF_PAGE: [(&str, &str); 6] = [
    ("has as much running text as an article", "has less running text than an article"),
    ("is mostly running text", "has more around its running text than an article has"),
    ("has few links in its running text", "has many links in its running text"),
    ("is written in whole sentences", "is not written in whole sentences"),
    ("has its running text in one place", "has its running text in many places"),
    ("declares itself an article", "does not declare itself an article"),
];

/// Which of those each feature of the whole belongs to; what pages declare comes last.
fn of_page(feature: usize) -> usize {
    const KEYS: [usize; 8] = [0, 1, 2, 0, 3, 0, 3, 4];
    KEYS.get(feature).copied().unwrap_or(OF_PAGE.len() - 1)
}

fn theme(group: &str) -> usize {
    let name = match group {
        "good text around" => "container",
        _ if group.contains("container") => "container",
        "readability" => "readability",
        _ if group.starts_with("links") || group.contains("link") => "links",
        _ if group.contains("neighbour") || group.contains("good paragraph") || group.starts_with("good text") => {
            "neighbours"
        }
        _ if group.contains("shape") || group.contains("unit") || group.contains("inside") => "shape",
        _ if group.contains("position") || group.contains("heading") || group.contains("from the") => "position",
        "since the headline" | "paragraphs around" | "text around" => "position",
        _ if group.contains("page") => "page",
        _ => "text",
    };
    THEMES.iter().position(|(theme, ..)| *theme == name).unwrap_or(0)
}

/// Reads reasons out of a model.
pub(super) struct Reader<'m> {
    model: &'m Model,
    names: Vec<(&'static str, i32)>,
    /// For each feature, what kind of reason it belongs to.
    keys: Vec<Key>,
    categories: Vec<&'static str>,
    /// For each tree and split, what is between both of its ways.
    means: Vec<Vec<i32>>,
}

/// What features have in common that are told as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// The names of an element around, by category.
    Named(usize),
    /// An element around, by the number of its kind.
    Within(usize),
    /// A standing phrase in the paragraph, by its kind.
    Says(usize),
    /// A title above with one.
    Below(usize),
    /// One of [`THEMES`].
    Theme(usize),
    /// One of [`OF_PAGE`].
    Page(usize),
}

impl<'m> Reader<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let categories: Vec<&str> = names::names().collect();
        let key = |(group, index): (&str, i32)| match group {
            "near" | "text in" if (index as usize) < categories.len() => Key::Named(index as usize),
            "near" => Key::Within(index as usize),
            "says" => Key::Says(index as usize),
            "below a title" | "good text around that title" => Key::Below(index as usize),
            group => Key::Theme(theme(group)),
        };
        let names = features::names();
        let keys = names.iter().copied().map(key).collect();
        Self { model, names, keys, categories, means: model.trees.iter().map(means).collect() }
    }

    /// What weighed most for a paragraph or against it, first.
    pub(super) fn reasons(&self, row: &[i16]) -> Vec<Reason> {
        self.told(self.contributions(row), |key, odds| self.said(key, odds, row))
    }

    /// What weighed most for a page's being an article or against it, first. Most of its features are those of its average
    /// paragraph of text.
    pub(super) fn reasons_of_page(&self, row: &[i16]) -> Vec<Reason> {
        let mut added = vec![0; row.len()];
        self.model.kind.iter().for_each(|tree| add(tree, &means(tree), row, &mut added));
        self.told(added, |key, odds| match key {
            Key::Page(theme) if odds > 0 => OF_PAGE[theme].0.to_owned(),
            Key::Page(theme) => OF_PAGE[theme].1.to_owned(),
            key => format!("its text: {}", self.said(key, odds, row)),
        })
    }

    fn told(&self, added: Vec<i32>, said: impl Fn(Key, i32) -> String) -> Vec<Reason> {
        let mut by_key: BTreeMap<Key, i32> = BTreeMap::new();
        let of_page = (0..).map(|feature| Key::Page(of_page(feature)));
        for (key, added) in self.keys.iter().copied().chain(of_page).zip(added) {
            *by_key.entry(key).or_default() += added;
        }
        let worth_a_word = by_key.into_iter().filter(|(_, odds)| odds.abs() >= LEAST);
        let mut reasons: Vec<Reason> = worth_a_word.map(|(key, odds)| Reason { what: said(key, odds), odds }).collect();
        reasons.sort_by_key(|reason| -reason.odds.abs());
        reasons
    }

    fn said(&self, key: Key, odds: i32, row: &[i16]) -> String {
        // The first features of a row tell how near an element of each kind is.
        let stands = |kind: usize| row[kind] > 0;
        match key {
            Key::Named(category) if stands(category) => {
                format!("is in an element named for {}", self.categories[category])
            }
            Key::Named(category) => format!("is not in an element named for {}", self.categories[category]),
            Key::Within(kind) if stands(kind) => format!("is {}", ancestors::kind(kind)),
            Key::Within(kind) => format!("is not {}", ancestors::kind(kind)),
            Key::Says(kind) => {
                let says = if self.is_set("says", kind, row) { "speaks of" } else { "does not speak of" };
                format!("{says} {}", titles::name(kind))
            }
            Key::Below(kind) => {
                let stands = if self.is_set("below a title", kind, row) { "is" } else { "is not" };
                format!("{stands} below a title for {}", titles::name(kind))
            }
            Key::Theme(theme) if odds > 0 => THEMES[theme].1.to_owned(),
            Key::Theme(theme) => THEMES[theme].2.to_owned(),
            Key::Page(theme) => OF_PAGE[theme].0.to_owned(),
        }
    }

    /// Whether a feature of a row is more than nothing.
    fn is_set(&self, group: &str, kind: usize, row: &[i16]) -> bool {
        self.names.iter().zip(row).any(|(name, value)| *name == (group, kind as i32) && *value > 0)
    }

    /// What each feature added, against a usual paragraph.
    fn contributions(&self, row: &[i16]) -> Vec<i32> {
        let mut added = vec![0; row.len()];
        let trees = self.model.trees.iter().zip(&self.means);
        trees.for_each(|(tree, means)| add(tree, means, row, &mut added));
        let linear = self.model.linear.contributions(row);
        added.into_iter().zip(linear).map(|(trees, linear)| model::mixed(trees, linear)).collect()
    }
}

/// Adds to each feature what a tree's questions about it changed.
fn add(tree: &Tree, means: &[i32], row: &[i16], added: &mut [i32]) {
    let mut at = 0_i8;
    while let Some(split) = usize::try_from(at).ok().and_then(|at| tree.splits.get(at)) {
        let before = means[at as usize];
        at = split.next[usize::from(row[split.feature as usize] > split.at_most)];
        let after = if at < 0 { i32::from(tree.leaves[!at as usize]) } else { means[at as usize] };
        added[split.feature as usize] += after - before;
    }
}

/// For each split what is between both of its ways.
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
    fn reasons_are_told_in_words() {
        let story =
            "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others. ".repeat(6);
        let html = format!(
            "<nav class=menu><a href=/a>News</a></nav><article class=article-body><h1>Rain</h1>{story}</article>\
             <div class=comments><p>I had an umbrella, and I lent it to two people on that day.</div>"
        );
        let page = Page::parse(html);
        let reasons = Classifier::of(Convention::Article).explain(&page);
        let said = |at: usize| reasons[at].iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        assert!(said(3).contains("is near most of the running text (+"), "{}", said(3));
        let comment = page.paragraphs().len() - 1;
        assert!(said(comment).contains("named for comments (-"), "{}", said(comment));
        assert!(reasons[comment].iter().any(|reason| !reason.is_for()));
    }

    #[test]
    fn why_a_page_is_no_article_is_told_in_words() {
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
