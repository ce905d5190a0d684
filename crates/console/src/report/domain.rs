//! What a report about a domain holds.

use goldminer_core::extract::domain::Tally;
use goldminer_core::goldminer::profile::DomainProfile;
use jiff::Timestamp;

use super::dissection::{Dissection, Outcome};
use super::findings::Findings;

/// Everything on the page of a domain.
#[derive(Debug, Clone, PartialEq)]
pub struct DomainReport {
    /// The domain, or the key of its profile.
    pub domain: String,
    /// Where it stands.
    pub standing: DomainPhase,
    /// Its profile's versions, oldest first.
    pub versions: Vec<VersionInUse>,
    /// Pages stored.
    pub stored: u64,
    /// What the crawl's books say, if a crawl made the pages.
    pub totals: Option<Totals>,
    /// What the pages looked at say.
    pub findings: Findings,
    /// Pages that are shown.
    pub samples: Vec<Sample>,
    /// Pages that no template cut, as far as they are listed.
    pub uncut: Vec<UncutPage>,
    /// When the report was made.
    pub made: Timestamp,
}

/// Where a domain stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainPhase {
    /// It has a profile.
    Profiled,
    /// Its pages wait until enough of them are article-like.
    Learning {
        /// Article-like pages so far.
        teachers: u64,
    },
    /// Too few pages, or they did not speak clearly: jusText and each page's own structure.
    Unprofiled,
}

/// A version of a profile and since when it serves.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionInUse {
    /// The version.
    pub profile: DomainProfile,
    /// The first page that it serves, if not all: a place in the archive.
    pub serves_from: Option<String>,
}

/// What the crawl's books say of a domain.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Pages read by the extraction.
    pub extracted: u64,
    /// Documents in the corpus.
    pub documents: u64,
    /// What became of the pages, by the extraction's words.
    pub tally: Tally,
    /// Bytes of text in the corpus for each byte received.
    pub text_yield: f64,
}

/// A page that is shown, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Why it was chosen.
    pub why: String,
    /// Whether the profile was learned from it.
    pub taught: bool,
    /// The page.
    pub page: Dissection,
}

/// A page that no template cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncutPage {
    /// Its URL or path.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// Why.
    pub outcome: Outcome,
}

impl DomainReport {
    /// The profile in use.
    #[must_use]
    pub(crate) fn profile(&self) -> Option<&DomainProfile> {
        self.versions.last().map(|version| &version.profile)
    }

    /// The name of the domain's file: letters, digits, dots and hyphens of its key.
    #[must_use]
    pub fn file_name(&self) -> String {
        file_name(&self.domain)
    }
}

/// The name of a domain's file. Unlike the corpus's names it needs no escape in a link.
#[must_use]
pub(super) fn file_name(domain: &str) -> String {
    let safe: String =
        domain.chars().map(|c| if c.is_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' }).collect();
    let safe = safe.trim_start_matches('.');
    // The index and the crawl's report have these names.
    if matches!(safe, "index" | "crawl" | "") { format!("_{safe}.html") } else { format!("{safe}.html") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_stays_in_its_folder() {
        assert_eq!(file_name("portal.example"), "portal.example.html");
        assert_eq!(file_name("portal.example/blog"), "portal.example_blog.html");
        assert_eq!(file_name("../../etc/passwd"), "_.._etc_passwd.html");
        assert_eq!(file_name("index"), "_index.html");
    }
}
