//! Counts the contents of a corpus: documents, words, languages and so on. Each document is counted when it is written,
//! in a few microseconds. The counts of files and domains are added up, and written by `card`. This module does not
//! access files.

use std::collections::BTreeMap;

use goldminer_core::document::Document;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// When twice as many domains are listed by name, at most this many stay. The others, which have the fewest documents,
/// are counted together.
const MAX_DOMAINS: usize = 20_000;
/// The most licences, or other names from pages, that are listed.
const MAX_NAMES: usize = 500;
/// The BCP 47 subtag for an undetermined language (section 2.2.1).
const UNDETERMINED: &str = "und";

/// The numbers of documents and words of a part of a corpus, such as a domain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, derive_more::AddAssign)]
pub struct PartSize {
    /// The number of documents.
    pub documents: u64,
    /// The number of words in these documents, separated by white space.
    pub words: u64,
}

/// Counts of a corpus or a part of it, which can be added up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Holdings {
    /// The number of documents.
    pub documents: u64,
    /// The number of words in these documents, separated by white space.
    pub words: u64,
    /// The number of paragraphs in these documents.
    pub paragraphs: u64,
    /// The number of bytes of the documents' texts, in UTF-8.
    pub text_bytes: u64,
    /// The first and the last publication date, as on the pages: `2026-11-20`, or less precise.
    pub published: Option<(String, String)>,
    /// The number of documents by year of publication.
    pub years: BTreeMap<String, u64>,
    /// The times of the first and the last fetch.
    pub fetched: Option<(Timestamp, Timestamp)>,
    /// The numbers of documents and words by domain.
    pub domains: BTreeMap<String, PartSize>,
    /// The numbers of documents and words of the domains that are not listed by name.
    pub elsewhere: PartSize,
    /// The number of domains removed from [`Holdings::domains`]. A domain that is removed twice is counted twice.
    pub other_domains: u64,
    /// The number of documents by language.
    pub languages: BTreeMap<String, u64>,
    /// The number of documents by restriction on the use of their texts.
    pub restrictions: BTreeMap<String, u64>,
    /// The number of documents by licence.
    pub licenses: BTreeMap<String, u64>,
    /// The number of documents with a licence that lets everybody use and change the text.
    pub open: u64,
    /// The number of documents without any rights statement.
    pub undeclared: u64,
    /// The number of documents with contradictory rights signals.
    pub contradictory: u64,
    /// The number of documents by extraction method.
    pub methods: BTreeMap<String, u64>,
    /// The number of documents by the program version that made them.
    pub programs: BTreeMap<String, u64>,
    /// The number of documents by the version of the profile that was used.
    pub profiles: BTreeMap<u32, u64>,
    /// The number of documents that are marked as nearly the same as an earlier one.
    pub near_duplicates: u64,
}

/// Counts of one domain in a growing corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DomainHoldings {
    /// Counts of the documents that are final.
    pub kept: Holdings,
    /// Counts of the documents that may be retracted.
    pub early: Holdings,
}

impl Holdings {
    /// Counts a document.
    pub fn add(&mut self, document: &Document) {
        let Document { metadata, provenance, rights, .. } = document;
        let words = document.words();
        self.documents += 1;
        self.words += words;
        self.paragraphs += document.paragraphs.len() as u64;
        self.text_bytes += document.text.len() as u64;
        if let Some(day) = metadata.published.as_deref().map(day) {
            widen(&mut self.published, &day.to_owned());
            count(&mut self.years, day.get(..4).unwrap_or(day), 1);
        }
        if let Some(fetched) = &metadata.fetched {
            widen(&mut self.fetched, fetched);
        }
        self.add_domain(&metadata.domain, PartSize { documents: 1, words });
        count(&mut self.languages, metadata.language.as_deref().unwrap_or(UNDETERMINED), 1);
        for restriction in &rights.restrictions {
            count(&mut self.restrictions, restriction.as_str(), 1);
        }
        if let Some(license) = &rights.license {
            count(&mut self.licenses, &one_license(license), 1);
        }
        self.open += u64::from(rights.is_open());
        self.undeclared += u64::from(rights.is_empty());
        self.contradictory += u64::from(!rights.contradictions.is_empty());
        count(&mut self.methods, provenance.method.as_str(), 1);
        count(&mut self.programs, &provenance.program, 1);
        if let Some(profile) = &provenance.profile {
            *self.profiles.entry(profile.version).or_default() += 1;
        }
        self.near_duplicates += u64::from(provenance.near_duplicate_of.is_some());
    }

    /// Adds the counts of another part of the corpus.
    pub fn merge(&mut self, other: &Self) {
        self.documents += other.documents;
        self.words += other.words;
        self.paragraphs += other.paragraphs;
        self.text_bytes += other.text_bytes;
        other.published.iter().flat_map(|(first, last)| [first, last]).for_each(|day| widen(&mut self.published, day));
        other.fetched.iter().flat_map(|(first, last)| [first, last]).for_each(|time| widen(&mut self.fetched, time));
        other.domains.iter().for_each(|(name, size)| self.add_domain(name, *size));
        self.elsewhere += other.elsewhere;
        self.other_domains += other.other_domains;
        let names = [
            (&mut self.years, &other.years),
            (&mut self.languages, &other.languages),
            (&mut self.restrictions, &other.restrictions),
            (&mut self.licenses, &other.licenses),
            (&mut self.methods, &other.methods),
            (&mut self.programs, &other.programs),
        ];
        for (mine, theirs) in names {
            theirs.iter().for_each(|(name, documents)| count(mine, name, *documents));
        }
        for (version, documents) in &other.profiles {
            *self.profiles.entry(*version).or_default() += documents;
        }
        self.open += other.open;
        self.undeclared += other.undeclared;
        self.contradictory += other.contradictory;
        self.near_duplicates += other.near_duplicates;
    }

    /// The number of documents with a publication date.
    pub fn dated(&self) -> u64 {
        self.years.values().sum()
    }

    /// The number of documents with a licence.
    pub fn licensed(&self) -> u64 {
        self.licenses.values().sum()
    }

    /// The domains, those with the most documents first.
    pub fn largest_domains(&self) -> Vec<(&str, PartSize)> {
        let mut domains: Vec<(&str, PartSize)> =
            self.domains.iter().map(|(name, size)| (name.as_str(), *size)).collect();
        domains.sort_by_key(|(_, size)| std::cmp::Reverse(size.documents));
        domains
    }

    fn add_domain(&mut self, name: &str, size: PartSize) {
        if let Some(known) = self.domains.get_mut(name) {
            *known += size;
            return;
        }
        self.domains.insert(name.to_owned(), size);
        if self.domains.len() >= 2 * MAX_DOMAINS {
            let mut sizes: Vec<u64> = self.domains.values().map(|size| size.documents).collect();
            sizes.sort_unstable_by_key(|documents| std::cmp::Reverse(*documents));
            let least = sizes[MAX_DOMAINS];
            let (stay, go): (BTreeMap<_, _>, _) =
                std::mem::take(&mut self.domains).into_iter().partition(|(_, size)| size.documents > least);
            self.domains = stay;
            self.other_domains += go.len() as u64;
            go.into_values().for_each(|size| self.elsewhere += size);
        }
    }
}

/// Returns the names and their counts, the largest count first.
pub(super) fn most_first(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut counts: Vec<(&str, u64)> = counts.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    counts
}

/// Adds to the count of a name. Beyond a limit, further names are counted together.
fn count(counts: &mut BTreeMap<String, u64>, name: &str, documents: u64) {
    if let Some(known) = counts.get_mut(name) {
        *known += documents;
        return;
    }
    let name = if counts.len() < MAX_NAMES { name } else { "others" };
    *counts.entry(name.to_owned()).or_default() += documents;
}

/// The day of a date, or its less precise form.
fn day(published: &str) -> &str {
    published.get(..10).unwrap_or(published)
}

/// Extends a range to a value. `2026` sorts before `2026-03`, but does not mean an earlier day.
fn widen<T: Ord + Clone>(range: &mut Option<(T, T)>, value: &T) {
    let (first, last) = range.get_or_insert_with(|| (value.clone(), value.clone()));
    if value < first {
        first.clone_from(value);
    }
    if value > last {
        last.clone_from(value);
    }
}

/// Returns the same URL for all URLs of a Creative Commons licence, without the deed and its language. Other licences
/// are not changed.
fn one_license(license: &str) -> String {
    let Some((_, path)) = license.split_once("creativecommons.org/") else { return license.to_owned() };
    let is_text = |part: &&str| !part.is_empty() && !part.starts_with("deed") && !part.starts_with("legalcode");
    let parts: Vec<&str> = path.split('/').take_while(is_text).collect();
    format!("https://creativecommons.org/{}/", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::document;
    use goldminer_core::rights::Rights;
    use goldminer_core::rights::RightsSource;
    use goldminer_core::rights::Signal;

    fn of(documents: &[Document]) -> Holdings {
        let mut holdings = Holdings::default();
        documents.iter().for_each(|document| holdings.add(document));
        holdings
    }

    fn some() -> Vec<Document> {
        let mut rich = document("a", "Flood in\u{a0}Győr\n\nIt rained.");
        rich.metadata.published = Some("2026-11-20T09:15:00+01:00".to_owned());
        rich.metadata.language = Some("hu".to_owned());
        rich.metadata.fetched = Some("2026-11-21T00:00:00Z".parse().unwrap());
        rich.rights = Rights::of(vec![
            Signal::new(RightsSource::Meta, "license", "https://creativecommons.org/licenses/by/4.0/"),
            Signal::new(RightsSource::Header, "tdm-reservation", "0"),
            Signal::new(RightsSource::Meta, "tdm-reservation", "1"),
        ]);
        let mut early = document("b", "Long ago");
        early.metadata.published = Some("1999".to_owned());
        early.metadata.domain = "other.example".to_owned();
        vec![rich, early, document("c", "")]
    }

    #[test]
    fn the_contents_of_documents_are_counted() {
        let holdings = of(&some());
        assert_eq!((holdings.documents, holdings.words, holdings.paragraphs), (3, 6, 3));
        assert_eq!(holdings.published, Some(("1999".to_owned(), "2026-11-20".to_owned())));
        assert_eq!((holdings.dated(), holdings.undeclared, holdings.contradictory, holdings.open), (2, 2, 1, 1));
        assert_eq!(holdings.languages, BTreeMap::from([("hu".to_owned(), 1), ("und".to_owned(), 2)]));
        assert_eq!(holdings.restrictions, BTreeMap::from([("tdm".to_owned(), 1)]));
        assert_eq!(holdings.largest_domains()[0].0, "portal.example");
    }

    #[test]
    fn all_urls_of_a_creative_commons_licence_count_as_one() {
        for link in ["http://", "https://www.", "//"].iter().flat_map(|start| {
            ["by/4.0", "by/4.0/", "by/4.0/deed.de", "by/4.0/legalcode"]
                .map(|end| format!("{start}creativecommons.org/licenses/{end}"))
        }) {
            assert_eq!(one_license(&link), "https://creativecommons.org/licenses/by/4.0/", "{link}");
        }
        let (ported, own) = ("https://creativecommons.org/licenses/by/3.0/at/", "https://portal.example/terms");
        assert_eq!((one_license(ported).as_str(), one_license(own).as_str()), (ported, own));
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let all = some();
        let mut sum = of(&all[..1]);
        sum.merge(&of(&all[1..]));
        assert_eq!(sum, of(&all));
        let json = serde_json::to_string(&sum).unwrap();
        assert_eq!(serde_json::from_str::<Holdings>(&json).unwrap(), sum);
    }

    #[test]
    fn of_too_many_domains_only_the_largest_are_listed() {
        let mut holdings = Holdings::default();
        for number in 0..3 * MAX_DOMAINS {
            holdings.add_domain(&format!("{number}.example"), PartSize { documents: 1, words: 2 });
            holdings.add_domain("large.example", PartSize { documents: 1, words: 2 });
        }
        assert!(holdings.domains.len() < 2 * MAX_DOMAINS);
        assert_eq!(holdings.largest_domains()[0].0, "large.example");
        let listed: u64 = holdings.domains.values().map(|size| size.documents).sum();
        assert_eq!(listed + holdings.elsewhere.documents, 6 * MAX_DOMAINS as u64);
    }
}
