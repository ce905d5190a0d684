//! Texts that many pages of a portal show in place of their articles: a consent form, a notice that the story has
//! moved. They are found among the domain's pages while the domain learns, and later recognised in the extracted text.
//!
//! One article at many URLs is not such a text: its pages have the same headline. Only for a text about consent, on
//! pages with a button, may the headline be the same.

use std::collections::BTreeMap;

use goldminer_html::address::CrawlUrl;
use goldminer_html::{Page, is_long};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use crate::document::{Document, ParagraphKind};
use crate::extract::walls::asks_consent;
use crate::goldminer::text_key;

/// Pages with more characters of running text have an article.
const MAX_CHARS: usize = 2_000;
/// The characters that a document's headings may have in addition.
const MAX_HEADINGS: usize = 400;
/// The fewest pages of a sample with the same text that are not a coincidence.
const LEAST_PAGES: usize = 5;
/// Headlines of different articles have at least this many words that most of the other headlines lack.
const OWN_WORDS: usize = 2;
/// The most pages with little text that are kept in memory.
const MAX_PAGES: usize = 2_000;

/// The hash of a document's running text (text in sentences) without headings. None if there is no running text, or if
/// the document is too long to be a text in place of an article.
pub(super) fn prose_key(document: &Document) -> Option<u64> {
    if document.text.chars().count() > MAX_CHARS + MAX_HEADINGS {
        return None;
    }
    let keys: Vec<u8> = running(document).flat_map(|text| key(text).to_le_bytes()).collect();
    (!keys.is_empty()).then(|| xxh3_64(&keys))
}

/// A hash of a text without its words with digits: notices name times, and the ids of sessions and requests.
fn key(text: &str) -> u64 {
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    text_key(&words.filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect::<String>())
}

/// The running text of a document without headings.
fn running(document: &Document) -> impl Iterator<Item = &str> {
    let parts = document.paragraphs.iter().filter(|part| part.kind != ParagraphKind::Heading);
    parts.map(|part| part.text.as_str()).filter(|text| is_long(text, text.split_whitespace().take(8).count()))
}

/// A page with little text.
#[derive(Debug)]
struct ShortPage {
    seq: u64,
    /// A hash of the path of the page's URL, without the query.
    path: u64,
    title: FxHashSet<u64>,
    /// Hashes of the running text, one for each paragraph.
    texts: Vec<u64>,
    asks_consent: bool,
}

/// The pages with little text, gathered while their domain learns.
#[derive(Debug, Default)]
pub(super) struct ShortPages(Vec<ShortPage>);

impl ShortPages {
    /// Adds a page if it has little text.
    pub(super) fn add_if_short(&mut self, seq: u64, page: &Page, url: Option<&CrawlUrl>) {
        if self.0.len() >= MAX_PAGES || page.running_text().next().is_none() || page.running_chars() > MAX_CHARS {
            return;
        }
        let heading = page.paragraphs().iter().find(|paragraph| paragraph.heading == Some(1));
        let titled = page.title_element().map(|id| page.inner_source(id));
        let title: String =
            heading.map(|heading| &*heading.text).into_iter().chain(titled).collect::<Vec<_>>().join(" ");
        let is_word = |word: &&str| word.chars().any(char::is_alphabetic) && !word.chars().any(|c| c.is_ascii_digit());
        let words = title.split(|c: char| !c.is_alphanumeric()).filter(is_word);
        self.0.push(ShortPage {
            seq,
            path: url.map_or(seq, |url| xxh3_64(url.path().as_bytes())),
            title: words.map(text_key).collect(),
            texts: page.running_text().map(|paragraph| key(&paragraph.text)).collect(),
            asks_consent: asks_consent(page),
        });
    }

    /// For each text that replaces articles, the number of a page that has it.
    pub(super) fn examples(&self) -> Vec<u64> {
        let mut pages_with: FxHashMap<u64, usize> = FxHashMap::default();
        for page in &self.0 {
            let texts: FxHashSet<u64> = page.texts.iter().copied().collect();
            texts.into_iter().for_each(|text| *pages_with.entry(text).or_default() += 1);
        }
        let mut groups: BTreeMap<Vec<u64>, Vec<&ShortPage>> = BTreeMap::new();
        for page in &self.0 {
            let shared = page.texts.iter().copied().filter(|text| pages_with[text] >= LEAST_PAGES).collect::<Vec<_>>();
            groups.entry(shared).or_default().push(page);
        }
        let walls = groups.into_iter().filter(|(shared, pages)| !shared.is_empty() && replace_articles(pages));
        walls.map(|(_, pages)| pages[0].seq).collect()
    }

    /// Whether each paragraph of a document's running text is on many of these pages.
    pub(super) fn has_all_of(&self, document: &Document) -> bool {
        running(document).all(|text| {
            let key = key(text);
            self.0.iter().filter(|page| page.texts.contains(&key)).take(LEAST_PAGES).count() == LEAST_PAGES
        })
    }
}

/// Whether pages with the same text replace different articles, by their paths and headlines.
fn replace_articles(pages: &[&ShortPage]) -> bool {
    let places: FxHashSet<u64> = pages.iter().map(|page| page.path).collect();
    if places.len() < LEAST_PAGES {
        return false;
    }
    let mut titles_with: FxHashMap<u64, usize> = FxHashMap::default();
    pages.iter().flat_map(|page| &page.title).for_each(|word| *titles_with.entry(*word).or_default() += 1);
    let own =
        |page: &&&ShortPage| page.title.iter().filter(|word| 2 * titles_with[word] <= pages.len()).count() >= OWN_WORDS;
    let differing = pages.iter().filter(own).count();
    let asking = pages.iter().filter(|page| page.asks_consent).count();
    2 * differing >= pages.len() || 2 * asking >= pages.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOVED: &str = "This story has moved into our archive, and members may ask for it at the desk on Tuesday.";

    fn examples(page: impl Fn(usize) -> (String, String)) -> usize {
        let mut short = ShortPages::default();
        for number in 0..12 {
            let (url, html) = page(number);
            short.add_if_short(number as u64, &Page::parse(html), CrawlUrl::parse(&url).ok().as_ref());
        }
        short.examples().len()
    }

    const NAMES: [&str; 12] = [
        "harbour wall",
        "school roof",
        "market hall",
        "library night",
        "station clock",
        "river ferry",
        "winter road",
        "old bridge",
        "town choir",
        "bread price",
        "summer fair",
        "mountain hut",
    ];

    #[test]
    fn one_text_under_many_headlines_is_a_wall() {
        let url = |n: usize| format!("http://portal.example/story/{n}");
        let wall = |n: usize| (url(n), format!("<title>{}</title><h1>{0}</h1><p>{MOVED}</p>", NAMES[n]));
        assert_eq!(examples(wall), 1);
        let again = |n: usize| (url(n), format!("<title>Rain</title><h1>Rain in town</h1><p>{MOVED}</p>"));
        assert_eq!(examples(again), 0, "the same headline");
        let session =
            |n: usize| (url(n), format!("<title>Rain s{n}f7</title><h1>Rain in town sid={n}ab3</h1><p>{MOVED}</p>"));
        assert_eq!(examples(session), 0, "the headlines differ only in a session number");
        for id in ["Request 7d{n}a1-{n}f.", "Reference #18.{n}c.1b{n}", "編號8f{n}a22，請聯絡"] {
            let id = |n: usize| id.replace("{n}", &n.to_string());
            let with_id =
                |n: usize| (url(n), wall(n).1 + &format!("<p>Please tell our desk on the telephone: {}</p>", id(n)));
            assert_eq!(examples(with_id), 1, "{}", id(1));
        }
        let query = |n: usize| (format!("http://portal.example/story?n={n}"), wall(n).1);
        assert_eq!(examples(query), 0, "all pages have the same path");
        let own =
            |n: usize| (url(n), format!("<title>{}</title><p>{}</p>", NAMES[n], MOVED.replace("story", NAMES[n])));
        assert_eq!(examples(own), 0, "each page has its own text");
    }

    #[test]
    fn a_question_for_consent_may_have_one_headline_everywhere() {
        let ask = "<p>We and our partners store cookies on your device, if you agree to that.</p>";
        let page =
            |n: usize| (format!("http://portal.example/{n}"), format!("<title>Wait</title>{ask}<button>Yes</button>"));
        assert_eq!(examples(page), 1);
    }
}
