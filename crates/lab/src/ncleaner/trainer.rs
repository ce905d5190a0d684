//! Training from pages and their cleaned texts.

use goldminer_html::Page;
use rustc_hash::FxHashMap;

use super::model::{Counts, Model};
use super::{Parameters, ngrams, segment, symbols};

/// Learns a [`Model`] of NCleaner: counts the n-grams of pages as they are and as somebody cleaned them.
///
/// ```
/// use goldminer_lab::ncleaner::{Parameters, Trainer};
///
/// let mut trainer = Trainer::new(Parameters::standard());
/// trainer.add_clean("It rained in Rome for a week.");
/// trainer.add_raw("Home | News | Sport");
/// assert!(!trainer.train().is_clean("News | Sport"));
/// ```
#[derive(Debug, Clone)]
pub struct Trainer {
    parameters: Parameters,
    /// By n-gram: how often in clean text, and in raw text.
    counts: FxHashMap<u64, [u32; 2]>,
}

impl Trainer {
    /// A trainer that has seen nothing.
    ///
    /// Parameters that are not [valid](Parameters::are_valid) are brought into their bounds.
    pub fn new(parameters: Parameters) -> Self {
        let parameters = Parameters {
            n: parameters.n.clamp(1, super::MAX_N),
            q: if parameters.q > 0.0 && parameters.q < 1.0 { parameters.q } else { 0.5 },
            ..parameters
        };
        Self { parameters, counts: FxHashMap::default() }
    }

    /// Adds a page with its cleaned text, as gold standards have it: a segment a line, each with its marker; lines that
    /// begin with `URL` are passed over.
    pub fn add(&mut self, page: &Page, gold: &str) {
        for paragraph in page.paragraphs() {
            self.add_raw(&segment(page.kind(paragraph), &paragraph.text));
        }
        let gold = htmlize::unescape(gold);
        let lines = gold.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("URL"));
        lines.for_each(|line| self.add_clean(line));
    }

    /// Adds a marked segment of clean text.
    pub fn add_clean(&mut self, segment: &str) {
        self.count(segment, 0);
    }

    /// Adds a marked segment of a raw dump, clean or dirty.
    pub fn add_raw(&mut self, segment: &str) {
        self.count(segment, 1);
    }

    /// Adds what another trainer with the same parameters has seen.
    pub fn absorb(&mut self, other: &Self) {
        for (ngram, [clean, raw]) in &other.counts {
            let counts = self.counts.entry(*ngram).or_default();
            *counts = [counts[0].saturating_add(*clean), counts[1].saturating_add(*raw)];
        }
    }

    /// The model: dirty text is what the raw dumps have more often than the clean texts.
    pub fn train(&self) -> Model {
        let counts = self.counts.iter();
        let mut ngrams: Vec<_> =
            counts.map(|(ngram, [clean, raw])| (*ngram, *clean, raw.saturating_sub(*clean))).collect();
        ngrams.sort_unstable();
        Model::of(Counts { parameters: self.parameters, ngrams })
    }

    /// Counts on the side of clean text (0) or of raw text (1).
    fn count(&mut self, segment: &str, side: usize) {
        let symbols = symbols(segment, self.parameters.alphabet);
        let mut window = 0;
        for (at, symbol) in symbols.iter().enumerate() {
            window = window << 8 | u64::from(*symbol);
            for ngram in ngrams(window, usize::from(self.parameters.n).min(at + 1)) {
                let count = &mut self.counts.entry(ngram).or_default()[side];
                *count = count.saturating_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use goldminer_core::extract::PageSystem;

    use super::*;

    #[test]
    fn what_a_page_has_beyond_its_cleaned_text_is_dirty() {
        let page = |n: usize| {
            let text = format!("The council of town number {n} met on Monday, and the mayor spoke for an hour.");
            let html = format!("<ul><li>Home<li>Login | Register<li>RSS 2.0</ul><p>{text}</p><p>Copyright © 20{n}");
            (Page::parse(html), format!("URL: http://p.example/{n}\n\n<p>{text}\n"))
        };
        let mut trainer = Trainer::new(Parameters::standard());
        for n in 10..30 {
            let (page, gold) = page(n);
            trainer.add(&page, &gold);
        }
        let (unknown, _) = page(77);
        let texts: Vec<String> = trainer.train().paragraphs(&unknown).into_iter().map(|p| p.text).collect();
        assert_eq!(texts, ["The council of town number 77 met on Monday, and the mayor spoke for an hour."]);
    }

    #[test]
    fn parameters_out_of_bounds_are_brought_into_them() {
        let trainer = Trainer::new(Parameters { n: 200, q: 7.0, ..Parameters::standard() });
        assert_eq!(trainer.train().parameters(), Parameters { n: 8, q: 0.5, ..Parameters::standard() });
    }
}
