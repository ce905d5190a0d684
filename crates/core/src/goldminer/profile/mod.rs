//! Profiles: a [`DomainProfile`] has the learned templates of a domain and the evidence for them.
//!
//! The learner makes it, `store` keeps it by key and version, `trim` cuts pages by it, people read and edit it as TOML.

pub mod diff;

mod digests;
mod file;
mod merge;

use goldminer_html::capture::ArchivePosition;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::pattern::ElementPattern;
use super::places::Places;
use super::rules::ManualRules;
use super::sequence::{StartPattern, TagSequence};
use super::thresholds::SOME_PAGES;

pub use file::ProfileError;

/// How to cut the pages of a domain.
///
/// ```
/// use goldminer_core::goldminer::profile::DomainProfile;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// assert_eq!(profile.templates[0].bounds(), "div.story");
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DomainProfile {
    /// Domain, host, or host and path prefix.
    pub key: String,
    /// The version, from 1; a domain that changed gets the next.
    pub version: u32,
    /// The language of most pages of the sample, as a primary subtag of BCP 47.
    #[serde(default)]
    pub language: Option<String>,
    /// When it was learned; the learner has no clock, its caller sets this.
    #[serde(default)]
    pub learned_at: Option<Timestamp>,
    /// Name and version of the program that learned it.
    pub program: String,
    /// Learned from so few pages that paragraphs that are mostly links are removed everywhere.
    pub is_small: bool,
    /// Layouts, the most frequent first: the first one that matches cuts the page.
    #[serde(rename = "template")]
    pub templates: Vec<Template>,
    /// What the titles of teasers look like: linked, they announce another page.
    #[serde(default)]
    pub teasers: Vec<ElementPattern>,
    /// Hashes of texts that are often repeated inside of articles, ascending.
    #[serde(default, with = "digests")]
    pub repeated: Vec<u64>,
    /// Where its pages name the day of publication and the authors.
    #[serde(default, skip_serializing_if = "Places::is_empty")]
    pub places: Places,
    /// The manual rules for its elements: they have precedence over learned rules and machine-readable metadata, and
    /// learning does not change them.
    #[serde(default, skip_serializing_if = "ManualRules::is_empty")]
    pub manual: ManualRules,
    /// What it rests on.
    pub evidence: Evidence,
    /// The pages it was learned from.
    #[serde(default)]
    pub sample: Vec<ArchivePosition>,
}

impl DomainProfile {
    /// Whether a text (by the hash of its normal form) is often repeated inside of articles.
    pub(crate) fn is_repeated(&self, text: u64) -> bool {
        self.repeated.binary_search(&text).is_ok()
    }

    /// Whether it was learned from so few pages that layouts of the portal may be missing.
    pub(crate) fn may_miss_layouts(&self) -> bool {
        (1..SOME_PAGES).contains(&(self.evidence.distinct as usize))
    }
}

/// One layout of a domain's articles.
///
/// ```
/// use goldminer_core::goldminer::profile::DomainProfile;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// assert_eq!(profile.templates[0].drops[0].to_string(), "div.related");
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Template {
    /// The elements that hold the article, or the tags just before it.
    pub start: StartPattern,
    /// The tags just after it; if an element holds the article, its own end tag is the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TagSequence>,
    /// Elements between headline and article that belong to it.
    #[serde(default)]
    pub leads: Vec<ElementPattern>,
    /// Elements inside of the article that do not.
    #[serde(default)]
    pub drops: Vec<ElementPattern>,
    /// Whether its articles declare when they were published; a page that does not is no article.
    #[serde(default)]
    pub dated: bool,
    /// The most matches on one page of the sample.
    #[serde(default)]
    pub matches: u32,
    /// How many pages of the sample it cuts.
    #[serde(default)]
    pub pages: u32,
    /// The share of the sample that it cuts.
    #[serde(default)]
    pub share: f64,
    /// The mean agreement of its cut with the unique good text, from 0 to 1.
    #[serde(default)]
    pub fitness: f64,
    /// Written by a person: learning leaves it alone.
    #[serde(default)]
    pub hand_made: bool,
}

impl Template {
    /// Where it cuts, in a line.
    pub fn bounds(&self) -> String {
        match &self.end {
            Some(end) => format!("{} … {end}", self.start),
            None => self.start.to_string(),
        }
    }
}

/// The evidence for a profile.
///
/// ```
/// use goldminer_core::Learner;
///
/// // Five pages with a text of their own, which one template cuts.
/// let mut learner = Learner::new("portal.example")?;
/// for topic in ["bridge", "school", "market", "library", "station"] {
///     let text = format!("It was then that the council met and asked what the people there thought of the {topic}. ");
///     let story = format!("<p>{}</p>", text.repeat(3)).repeat(3);
///     learner.add(format!("<div class=story>{story}</div>"), &format!("http://portal.example/{topic}"))?;
/// }
/// let evidence = learner.learn()?.evidence;
/// assert_eq!((evidence.pages, evidence.taught, evidence.covered), (5, 5, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Evidence {
    /// Pages in the sample.
    pub pages: u32,
    /// How many of these differ from each other.
    pub distinct: u32,
    /// How many of those have good text that no other page has.
    pub taught: u32,
    /// How many of those a template cuts.
    pub covered: u32,
    /// The mean agreement over all that taught, from 0 to 1.
    pub fitness: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_survives_the_database() {
        let template = Template {
            start: "</h1> <br>".parse().unwrap(),
            end: Some("<hr>".parse().unwrap()),
            leads: Vec::new(),
            drops: vec!["div.box > p".parse().unwrap()],
            dated: false,
            matches: 2,
            pages: 9,
            share: 0.9,
            fitness: 0.5,
            hand_made: false,
        };
        let profile = DomainProfile {
            key: "portal.example".to_owned(),
            version: 1,
            language: None,
            learned_at: None,
            program: "goldminer/0.1.0".to_owned(),
            is_small: true,
            templates: vec![template],
            teasers: Vec::new(),
            places: Places::default(),
            manual: ManualRules::default(),
            repeated: vec![7],
            evidence: Evidence::default(),
            sample: vec![ArchivePosition::new("a.warc.gz", 1, 2)],
        };
        let bytes = serde_json::to_vec(&profile).unwrap();
        assert_eq!(serde_json::from_slice::<DomainProfile>(&bytes).unwrap(), profile);
    }
}
