//! The judge.
mod containers;
mod features;
mod headline;
mod names;
mod scale;
mod text;
mod tree;

use crate::page::Page;
#[doc(hidden)]
pub fn lab_names() -> Vec<String> {
    let cats: Vec<&str> = names::names().collect();
    features::names().into_iter().map(|(g, i)| if (g == "near" || g == "text in") && (i as usize) < cats.len() { format!("{g} {}", cats[i as usize]) } else { format!("{g} {i}") }).collect()
}
#[doc(hidden)]
pub fn lab(page: &Page) -> (Vec<i16>, Option<usize>) {
    let f = features::Features::of(page);
    let mut v = Vec::new();
    for at in 0..page.paragraphs().len() { v.extend_from_slice(f.row(at)); }
    (v, f.headline)
}
