//! The effects of a changed profile on stored pages: the texts that their documents gain and lose, and their headline,
//! authors and date before and after. Each page is parsed once, even if several changes are tried.

use std::collections::{HashMap, HashSet};

use goldminer_core::goldminer::text_key;
use goldminer_core::{Document, DomainProfile, Extractor, StoredPage};
use goldminer_html::Page;
use rayon::prelude::*;

/// A text on more than this share of the pages, and on at least `REPEATED_ON` pages, is not part of an article. The
/// learner has the same rule.
const REPEATED_SHARE: f64 = 0.3;
const REPEATED_ON: usize = 3;

/// The effects of a changed profile on pages.
#[derive(Debug, Default)]
pub(super) struct Effect {
    /// The pages on which the changed profile was tried, each with the changes of its document.
    pub pages: Vec<PageChange>,
}

/// How a page's document differs with the changed profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageChange {
    pub page: String,
    /// The texts of a page's document with the old profile and with the changed one, in page order. For each text, says
    /// whether both documents or only one of them has it.
    pub lines: Vec<(Line, String)>,
    /// Headline, authors and date, before and after, where they change.
    pub metadata: [Option<(String, String)>; 3],
    /// Compares the texts that are kept with the changed profile and without any profile. The first number is the
    /// number of characters in common texts. The second is twice the first, plus the characters of texts that only one
    /// of the two keeps.
    pub agreed: (u64, u64),
}

/// Which documents have a text: both, only the changed one, or only the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Both,
    Gained,
    Lost,
}

/// The compared parts of a page's document: its texts, and its headline, authors and date. Empty without a document.
#[derive(Default)]
struct DocumentParts {
    texts: Vec<String>,
    metadata: [String; 3],
}

impl DocumentParts {
    fn of(read: &Page, page: &StoredPage, profile: Option<&DomainProfile>) -> Self {
        let Ok(document) = Extractor::default().extract_read(read, &page.source(), profile) else {
            return Self::default();
        };
        let metadata = metadata(&document);
        Self { texts: document.paragraphs.into_iter().map(|paragraph| paragraph.text).collect(), metadata }
    }

    /// The texts of this document and of the changed one, `after`, in page order.
    fn lines(&self, after: &Self, read: &Page) -> Vec<(Line, String)> {
        let (mut was, mut is) = (self.counted(), after.counted());
        let line = |text: &str| {
            let text = plain(text);
            let line = match (take(&mut was, &text), take(&mut is, &text)) {
                (true, true) => Line::Both,
                (false, true) => Line::Gained,
                (true, false) => Line::Lost,
                (false, false) => return None,
            };
            Some((line, text))
        };
        // Texts from the page's data (JSON-LD) are in no paragraph of the page.
        let others = self.texts.iter().chain(&after.texts).map(String::as_str);
        read.paragraphs().iter().map(|paragraph| &*paragraph.text).chain(others).filter_map(line).collect()
    }

    fn counted(&self) -> HashMap<String, usize> {
        let mut counted = HashMap::new();
        self.texts.iter().for_each(|text| *counted.entry(plain(text)).or_default() += 1);
        counted
    }

    /// The change from this document to `after`. If `alone` (the document that the page gives without a profile) is
    /// given, the texts of `after` are also compared with those of `alone`.
    fn change(&self, after: &Self, alone: Option<&Self>, read: &Page, page: &StoredPage) -> PageChange {
        let (was, is) = (&self.metadata, &after.metadata);
        let changed = |at: usize| (was[at] != is[at]).then(|| (was[at].clone(), is[at].clone()));
        let agreed = alone.map_or((0, 0), |alone| {
            let lines = alone.lines(after, read);
            let [both, less, more] = [Line::Both, Line::Lost, Line::Gained].map(|line| chars(&lines, line));
            (both, 2 * both + less + more)
        });
        let url = page.url.as_ref().map_or_else(String::new, |url| url.as_str().to_owned());
        PageChange { page: url, lines: self.lines(after, read), metadata: std::array::from_fn(changed), agreed }
    }
}

/// Headline, authors and date of publication of a document; empty if unknown.
pub(super) fn metadata(document: &Document) -> [String; 3] {
    let about = &document.metadata;
    let day: Option<String> = about.published.as_ref().map(|day| day.chars().take(10).collect());
    [about.title.clone().unwrap_or_default(), about.authors.join(", "), day.unwrap_or_default()]
}

/// Takes one copy of a text out of a multiset of texts. Returns false if none is left.
fn take(texts: &mut HashMap<String, usize>, text: &str) -> bool {
    texts.get_mut(text).filter(|left| **left > 0).map(|left| *left -= 1).is_some()
}

/// The text with single spaces. Documents keep the white space of code listings, the page's paragraphs do not.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The number of characters of the texts with the tag `wanted`.
fn chars(lines: &[(Line, String)], wanted: Line) -> u64 {
    lines.iter().filter(|(line, _)| *line == wanted).map(|(_, text)| text.chars().count() as u64).sum()
}

impl PageChange {
    pub(super) fn is_changed(&self) -> bool {
        self.metadata.iter().any(Option::is_some) || self.lines.iter().any(|(line, _)| *line != Line::Both)
    }
}

impl Effect {
    /// The pages whose document changes.
    pub(super) fn changed(&self) -> Vec<&PageChange> {
        self.pages.iter().filter(|page| page.is_changed()).collect()
    }

    /// The numbers of characters that all documents together gain and lose.
    pub(super) fn gained_and_lost(&self) -> (u64, u64) {
        let sum = |line| self.pages.iter().map(|page| chars(&page.lines, line)).sum();
        (sum(Line::Gained), sum(Line::Lost))
    }

    /// The number of pages whose headline changes, whose authors change, and whose date changes.
    pub(super) fn metadata(&self) -> [usize; 3] {
        std::array::from_fn(|at| self.pages.iter().filter(|page| page.metadata[at].is_some()).count())
    }

    /// How well the kept texts agree with those that each page gives without a profile, in per cent: the F-score over
    /// the characters of texts that are equal as a whole.
    pub(super) fn agreement_percent(&self) -> u32 {
        let sum = |of: fn((u64, u64)) -> u64| self.pages.iter().map(|page| of(page.agreed)).sum::<u64>();
        let (both, all) = (sum(|agreed| agreed.0), sum(|agreed| agreed.1));
        (200.0 * both as f64 / all.max(1) as f64).round() as u32
    }
}

/// The effect of each of the `changed` profiles on pages, compared with the profile `before`. With `compares`, also how
/// well the kept texts agree with those that each page gives without a profile.
pub(super) fn of_each(
    before: &DomainProfile,
    changed: &[DomainProfile],
    pages: &[StoredPage],
    compares: bool,
) -> Vec<Effect> {
    let of_page = |page: &StoredPage| -> Option<Vec<PageChange>> {
        let read = Extractor::read(&page.source())?;
        let seen = DocumentParts::of(&read, page, Some(before));
        let alone = compares.then(|| DocumentParts::of(&read, page, None));
        let after = changed.iter().map(|changed| DocumentParts::of(&read, page, Some(changed)));
        Some(after.map(|after| seen.change(&after, alone.as_ref(), &read, page)).collect())
    };
    let of_pages: Vec<Vec<PageChange>> = pages.par_iter().filter_map(of_page).collect();
    let mut effects: Vec<Effect> = changed.iter().map(|_| Effect::default()).collect();
    for of_page in of_pages {
        effects.iter_mut().zip(of_page).for_each(|(effect, change)| effect.pages.push(change));
    }
    effects
}

/// Hashes of the texts, except headlines, that a profile keeps on so many pages that they cannot be part of an article.
pub(super) fn repeated(profile: &DomainProfile, pages: &[StoredPage]) -> Vec<u64> {
    let kept_on = |page: &StoredPage| -> Option<HashSet<u64>> {
        let read = Extractor::read(&page.source())?;
        let cut = Extractor::default().cut(&read, &page.source(), Some(profile)).trimmed.ok()?;
        let texts = cut.paragraphs.iter().filter(|at| cut.headline != Some(**at));
        Some(texts.map(|at| text_key(&read.paragraphs()[*at].text)).collect())
    };
    let kept: Vec<HashSet<u64>> = pages.par_iter().filter_map(kept_on).collect();
    let mut pages_with: HashMap<u64, usize> = HashMap::new();
    kept.iter().flatten().for_each(|text| *pages_with.entry(*text).or_default() += 1);
    let least = ((kept.len() as f64 * REPEATED_SHARE) as usize + 1).max(REPEATED_ON);
    pages_with.into_iter().filter(|(_, pages)| *pages >= least).map(|(text, _)| text).collect()
}
