//! What was learned of a domain: a [`DomainProfile`] with its templates and the evidence for them.
//!
//! The learner makes it, `store` keeps it by key and version, `trim` cuts pages by it, people read and edit it as TOML.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::pattern::ElementPattern;
use crate::capture::ArchivePosition;

/// How to cut the pages of a domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DomainProfile {
    /// Domain, host, or host and path prefix.
    pub key: String,
    /// From 1; a domain that changed gets the next.
    pub version: u32,
    /// The name of the stoplist that most pages of the sample were judged with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// When; the learner has no clock, its caller sets this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned_at: Option<Timestamp>,
    /// Name and version of the program that learned it.
    pub program: String,
    /// Learned from so few pages that the web's own names are believed more.
    pub is_small: bool,
    /// Layouts, the most frequent first: the first one that matches cuts the page.
    #[serde(rename = "template")]
    pub templates: Vec<Template>,
    /// What the titles of teasers look like: linked, they announce another page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teasers: Vec<ElementPattern>,
    /// Hashes of texts inside of articles that come again and again.
    pub repeated: Vec<u64>,
    /// What speaks for it.
    pub evidence: Evidence,
    /// The pages it was learned from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sample: Vec<ArchivePosition>,
}

impl DomainProfile {
    /// Whether a text (by the hash of its normal form) comes again and again inside of articles.
    pub(super) fn is_repeated(&self, text: u64) -> bool {
        self.repeated.binary_search(&text).is_ok()
    }
}

/// One layout of a domain's articles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Template {
    /// The elements that hold the article.
    pub start: ElementPattern,
    /// Elements between headline and article that belong to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leads: Vec<ElementPattern>,
    /// Elements inside of the article that do not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<ElementPattern>,
    /// Its articles declare when they were published; a page that does not is no article.
    #[serde(default)]
    pub dated: bool,
    /// The most matches on one page of the sample.
    pub matches: u32,
    /// How many pages of the sample it cuts.
    pub pages: u32,
    /// Their share.
    pub share: f64,
    /// The mean agreement of its cut with the unique good text, from 0 to 1.
    pub fitness: f64,
}

/// What a profile rests on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Pages in the sample.
    pub pages: u32,
    /// Of these, different from each other.
    pub distinct: u32,
    /// Of these, with unique good text.
    pub taught: u32,
    /// Of these, cut by a template.
    pub covered: u32,
    /// The mean agreement over all that taught, from 0 to 1.
    pub fitness: f64,
}
