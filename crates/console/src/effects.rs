//! What changed profiles would do to stored pages: texts that their documents gain and lose, and what they say of headline,
//! authors and day, before and after. Each page is read once, whatever is tried on it.

use std::collections::{HashMap, HashSet};

use goldminer_core::extract::domain::StoredPage;
use goldminer_core::extract::{Extraction, Extractor};
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_core::goldminer::text_key;
use goldminer_html::Page;
use rayon::prelude::*;

/// Pages that are shown of what a profile changes, and texts of a page.
pub(super) const SHOWN: usize = 12;
const TEXTS: usize = 3;

/// What a changed profile would do to pages.
#[derive(Debug, Default)]
pub(super) struct Effect {
    /// Pages that it was tried on.
    pub tried: usize,
    /// Pages whose document changes.
    pub changed: usize,
    /// Characters of text that they gain and lose.
    pub gained: u64,
    pub lost: u64,
    /// Pages that say another headline, other authors, another day.
    pub told: [usize; 3],
    /// Some of the changed pages.
    pub examples: Vec<Example>,
    shared: Shared,
}

/// Characters of texts that two documents of a page share, and those of either.
#[derive(Debug, Clone, Copy, Default)]
struct Shared {
    both: usize,
    all: usize,
}

/// What would become of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Example {
    pub page: String,
    /// Texts that come and go.
    pub gained: Vec<String>,
    pub lost: Vec<String>,
    /// Where the document says something else: before and after.
    pub told: [Option<(String, String)>; 3],
}

/// A page's document before and after, as lines in the page's order.
#[derive(Debug)]
pub(super) struct Beside {
    pub page: String,
    pub lines: Vec<(Line, String)>,
    pub told: [Option<(String, String)>; 3],
    pub is_changed: bool,
}

/// Whose document has a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Both,
    Gained,
    Lost,
}

/// A page's document: its texts, and headline, authors, day.
struct DocumentParts {
    texts: Vec<String>,
    told: [String; 3],
}

impl DocumentParts {
    fn of(read: &Page, page: &StoredPage, profile: Option<&DomainProfile>) -> Self {
        match Extractor::default().extract_read(read, &page.source(), profile) {
            Extraction::Document(document) => {
                let about = document.metadata;
                let day = about.published.map(|day| day.chars().take(10).collect());
                Self {
                    texts: document.paragraphs.into_iter().map(|paragraph| paragraph.text).collect(),
                    told: [about.title.unwrap_or_default(), about.authors.join(", "), day.unwrap_or_default()],
                }
            }
            Extraction::NoArticle(_) => Self { texts: Vec::new(), told: Default::default() },
        }
    }

    /// What of `other` is not here.
    fn missing(&self, other: &Self) -> Vec<String> {
        let mut here: HashMap<&str, usize> = HashMap::new();
        self.texts.iter().for_each(|text| *here.entry(text).or_default() += 1);
        let is_missing = |text: &&String| match here.get_mut(text.as_str()) {
            Some(times) if *times > 0 => {
                *times -= 1;
                false
            }
            _ => true,
        };
        other.texts.iter().filter(is_missing).cloned().collect()
    }

    /// What it has in common with another document of the page.
    fn shared_with(&self, other: &Self) -> Shared {
        let chars = |texts: &[String]| texts.iter().map(|text| text.chars().count()).sum::<usize>();
        let missing = chars(&other.missing(self));
        Shared { both: chars(&self.texts) - missing, all: chars(&self.texts) + chars(&other.texts) }
    }

    fn against(&self, after: &Self, page: &StoredPage) -> Example {
        Example {
            page: address(page),
            gained: self.missing(after),
            lost: after.missing(self),
            told: self.told_otherwise(after),
        }
    }

    fn told_otherwise(&self, after: &Self) -> [Option<(String, String)>; 3] {
        std::array::from_fn(|at| {
            (self.told[at] != after.told[at]).then(|| (self.told[at].clone(), after.told[at].clone()))
        })
    }
}

impl Example {
    fn is_changed(&self) -> bool {
        !self.gained.is_empty() || !self.lost.is_empty() || self.told.iter().any(Option::is_some)
    }
}

/// Text on more than this share of the pages, and on three at least, is none of an article's: as for learning.
const REPEATED_SHARE: f64 = 0.3;
const REPEATED_ON: usize = 3;

/// The texts that a profile keeps on many pages.
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

/// What each of some changes of a profile would do to pages; `compares`: also how well what they keep agrees with what reads
/// like an article on each page alone.
pub(super) fn of_each(
    before: &DomainProfile,
    changed: &[DomainProfile],
    pages: &[StoredPage],
    compares: bool,
) -> Vec<Effect> {
    let of_page = |page: &StoredPage| -> Option<Vec<(Example, Shared)>> {
        let read = Extractor::read(&page.source())?;
        let seen = DocumentParts::of(&read, page, Some(before));
        let alone = compares.then(|| DocumentParts::of(&read, page, None));
        let of_change = |changed: &DomainProfile| {
            let after = DocumentParts::of(&read, page, Some(changed));
            let shared = alone.as_ref().map(|alone| alone.shared_with(&after)).unwrap_or_default();
            (seen.against(&after, page), shared)
        };
        Some(changed.iter().map(of_change).collect())
    };
    let of_pages: Vec<Vec<(Example, Shared)>> = pages.par_iter().filter_map(of_page).collect();
    let mut effects: Vec<Effect> = changed.iter().map(|_| Effect::default()).collect();
    for of_page in of_pages {
        for (effect, (example, shared)) in effects.iter_mut().zip(of_page) {
            effect.shared.add(shared);
            effect.take(example);
        }
    }
    effects
}

impl Shared {
    fn add(&mut self, other: Self) {
        self.both += other.both;
        self.all += other.all;
    }
}

impl Effect {
    /// How well what is kept agrees with what reads like an article on each page alone, from 0 to 1: F over the characters of
    /// whole texts.
    pub(super) fn agreement(&self) -> f64 {
        2.0 * self.shared.both as f64 / self.shared.all.max(1) as f64
    }

    fn take(&mut self, mut example: Example) {
        self.tried += 1;
        if !example.is_changed() {
            return;
        }
        let chars = |texts: &[String]| texts.iter().map(|text| text.chars().count() as u64).sum::<u64>();
        self.changed += 1;
        self.gained += chars(&example.gained);
        self.lost += chars(&example.lost);
        self.told.iter_mut().zip(&example.told).for_each(|(pages, told)| *pages += usize::from(told.is_some()));
        if self.examples.len() < SHOWN {
            example.gained.truncate(TEXTS);
            example.lost.truncate(TEXTS);
            self.examples.push(example);
        }
    }
}

/// Twelve pages before and after a change: as many changed ones as there are, evenly over them, then others. And how many
/// of all pages change.
pub(super) fn twelve(before: &DomainProfile, changed: &DomainProfile, pages: &[StoredPage]) -> (Vec<Beside>, usize) {
    let beside = |page: &StoredPage| Beside::of(before, changed, page);
    let all: Vec<Beside> = pages.par_iter().filter_map(beside).collect();
    let (changed, others): (Vec<Beside>, Vec<Beside>) = all.into_iter().partition(|beside| beside.is_changed);
    let number = changed.len();
    let step = number.div_ceil(SHOWN).max(1);
    (changed.into_iter().step_by(step).chain(others).take(SHOWN).collect(), number)
}

impl Beside {
    fn of(before: &DomainProfile, changed: &DomainProfile, page: &StoredPage) -> Option<Self> {
        let read = Extractor::read(&page.source())?;
        let (was, is) = (DocumentParts::of(&read, page, Some(before)), DocumentParts::of(&read, page, Some(changed)));
        let example = was.against(&is, page);
        let set = |texts: &[String]| texts.iter().map(|text| plain(text)).collect::<HashSet<String>>();
        let (was, is) = (set(&was.texts), set(&is.texts));
        let lines = read.paragraphs().iter().filter_map(|paragraph| {
            let text = plain(&paragraph.text);
            let line = match (was.contains(&text), is.contains(&text)) {
                (true, true) => Line::Both,
                (false, true) => Line::Gained,
                (true, false) => Line::Lost,
                (false, false) => return None,
            };
            Some((line, paragraph.text.to_string()))
        });
        let is_changed = example.is_changed();
        Some(Self { page: example.page, lines: lines.collect(), told: example.told, is_changed })
    }
}

/// Listings keep their white space in documents.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn address(page: &StoredPage) -> String {
    page.url.as_ref().map_or_else(|| page.path.clone().unwrap_or_default(), |url| url.as_str().to_owned())
}
