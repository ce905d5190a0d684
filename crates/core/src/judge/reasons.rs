//! Why the judge decided as it did, in words: what each kind of feature added to the log odds, against a usual paragraph.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use super::features;
use super::model::{Model, Tree, UNIT};
use super::names;

/// Reasons that add less are not worth a word.
const LEAST: i32 = UNIT / 4;

/// One reason. Displays as a clause: `stands in an element named for comments (-1.9)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    what: String,
    odds: i32,
}

impl Reason {
    /// Whether it speaks for the paragraph.
    #[must_use]
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
    ("container", "stands with most of the running text", "stands apart from most of the running text"),
    (
        "readability",
        "stands among paragraphs that read like an article",
        "what stands around it does not read like an article",
    ),
    ("links", "has few links around", "stands among links"),
    ("text", "reads like running text", "does not read like running text"),
    ("shape", "is built like the text", "is one of many alike that are no text"),
    ("position", "stands where text stands", "stands where text seldom stands"),
    ("neighbours", "its neighbours look like text", "its neighbours do not look like text"),
    ("page", "the page is rich in text", "the page is poor in text"),
];

fn theme(group: &str) -> usize {
    let name = match group {
        "up to container" | "down from container" | "side of container" | "good text around" => "container",
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

/// What weighed most, first.
pub(super) fn reasons(model: &Model, row: &[i16]) -> Vec<Reason> {
    let added = contributions(model, row);
    let categories: Vec<&str> = names::names().collect();
    let mut by_theme: BTreeMap<(usize, usize), i32> = BTreeMap::new();
    for ((group, index), added) in features::names().into_iter().zip(added) {
        let key = match group {
            "near" | "text in" if (index as usize) < categories.len() => (0, index as usize),
            "near" => (1, index as usize),
            group => (2, theme(group)),
        };
        *by_theme.entry(key).or_default() += added;
    }
    let mut reasons: Vec<Reason> = by_theme
        .into_iter()
        .filter(|(_, odds)| odds.abs() >= LEAST)
        .map(|((kind, index), odds)| Reason { what: said(kind, index, odds, &categories, row), odds })
        .collect();
    reasons.sort_by_key(|reason| -reason.odds.abs());
    reasons
}

fn said(kind: usize, index: usize, odds: i32, categories: &[&str], row: &[i16]) -> String {
    // The first features of a row tell how near an element of each kind is.
    let stands_in = row[index] > 0;
    match kind {
        0 if stands_in => format!("stands in an element named for {}", categories[index]),
        0 => format!("stands in no element named for {}", categories[index]),
        1 => format!("{} {}", if stands_in { "stands" } else { "does not stand" }, features::kind(index)),
        _ if odds > 0 => THEMES[index].1.to_owned(),
        _ => THEMES[index].2.to_owned(),
    }
}

/// What each feature added, against a usual paragraph.
fn contributions(model: &Model, row: &[i16]) -> Vec<i32> {
    let linear = model.linear.contributions(row);
    let mut added = if linear.is_empty() { vec![0; row.len()] } else { linear };
    for tree in &model.trees {
        let means = means(tree);
        let mut at = 0_i8;
        while let Some(split) = tree.splits.get(at as usize) {
            let side = usize::from(row[split.feature as usize] > split.at_most);
            let before = means[at as usize];
            at = split.next[side];
            let after = if at < 0 { i32::from(tree.leaves[!at as usize]) } else { means[at as usize] };
            added[split.feature as usize] += after - before;
            if at < 0 {
                break;
            }
        }
    }
    added.iter_mut().for_each(|added| *added /= 2);
    added
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
