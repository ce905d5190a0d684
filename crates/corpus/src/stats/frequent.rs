//! The texts of the sentences that come most often.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::Sentence;

/// So many texts are kept; when there are twice as many, the rarer half goes, and may come back.
const KEPT: usize = 200;

/// A sentence that comes more than once.
///
/// ```
/// use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
/// use goldminer_corpus::stats::CorpusStats;
///
/// let mut document = Document::default();
/// document.metadata.domain = "portal.example".to_owned();
/// document.paragraphs = vec![DocumentParagraph::new(ParagraphKind::Paragraph, "It rained. It rained.")];
/// let mut stats = CorpusStats::default();
/// stats.add(&document);
/// let most = &stats.repeated("portal.example", 1)[0];
/// assert_eq!((most.times, most.text.as_str()), (2, "It rained."));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Repeated {
    /// How often it comes.
    pub times: u32,
    /// The sentence.
    pub text: String,
}

/// The most frequent sentences of a domain.
#[derive(Debug, Default)]
pub(super) struct Frequent {
    texts: FxHashMap<u64, (u32, Box<str>)>,
    /// Rarer ones are not kept.
    floor: u32,
}

impl Frequent {
    /// A sentence came for the so many-th time.
    pub(super) fn saw(&mut self, sentence: &Sentence, times: u32) {
        if times < 2 || times <= self.floor {
            return;
        }
        self.texts.entry(sentence.hash).or_insert_with(|| (0, sentence.text.clone())).0 = times;
        if self.texts.len() >= 2 * KEPT {
            let mut all: Vec<u32> = self.texts.values().map(|(times, _)| *times).collect();
            all.sort_unstable_by(|a, b| b.cmp(a));
            self.floor = all[KEPT];
            let floor = self.floor;
            self.texts.retain(|_, (times, _)| *times > floor);
        }
    }

    pub(super) fn most(&self, at_most: usize) -> Vec<Repeated> {
        let mut all: Vec<Repeated> =
            self.texts.values().map(|(times, text)| Repeated { times: *times, text: text.to_string() }).collect();
        all.sort_unstable_by(|a, b| b.times.cmp(&a.times).then_with(|| a.text.cmp(&b.text)));
        all.truncate(at_most);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_often_is_found_among_what_comes_twice() {
        let mut frequent = Frequent::default();
        let sentence = |n: u64| Sentence { hash: n, characters: 1, text: n.to_string().into() };
        for n in 0..5_000 {
            frequent.saw(&sentence(n), 1);
            frequent.saw(&sentence(n), 2);
            frequent.saw(&sentence(7), 2 + n as u32);
        }
        assert!(frequent.texts.len() < 2 * KEPT);
        assert_eq!(frequent.most(1), [Repeated { times: 5_001, text: "7".to_owned() }]);
    }
}
