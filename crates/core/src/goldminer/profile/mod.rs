//! Profiles: a [`DomainProfile`] tells how to cut the pages of a domain, and from which evidence this was learned.
//!
//! The learner makes a profile, and `store` saves it by key and version. `trim` cuts pages with it, and people edit it
//! as TOML.

mod digests;
mod file;
mod merge;

use goldminer_html::capture::ArchivePosition;
use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::pattern::ElementPattern;
use super::places::Places;
use super::rules::ManualRules;
use super::sequence::{StartPattern, TagSequence};
use super::thresholds::SOME_PAGES;

pub use file::ProfileError;

/// How to cut the pages of a domain: templates, rules, and the evidence for them.
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)] // In a file, a mistyped key would have no effect.
#[non_exhaustive]
pub struct DomainProfile {
    /// The pages that the profile is for: a domain, a host, or a host with a path prefix.
    pub key: String,
    /// The version, from 1. If the domain has changed, its next profile gets the next version.
    #[serde(default = "first_version")]
    pub version: u32,
    /// The language of most pages in the sample, as a BCP 47 primary subtag.
    pub language: Option<String>,
    /// When the profile was learned. The learner has no clock, so its caller sets this.
    pub learned_at: Option<Timestamp>,
    /// The name and version of the program that learned the profile.
    #[serde(default)]
    pub program: String,
    /// Whether the profile was learned from very few pages. If so, paragraphs that are mostly links are removed
    /// everywhere.
    #[serde(default)]
    pub is_small: bool,
    /// The templates, one for each layout: hand-made ones first, then the fittest first. The first one that matches and
    /// leaves text cuts the page.
    #[serde(default, rename = "template")]
    pub templates: Vec<Template>,
    /// Patterns for titles of teasers. A matching title that is a link announces another page.
    #[serde(default)]
    pub teasers: Vec<ElementPattern>,
    /// Hashes of texts that are often repeated inside of articles, and of labels of announcements ("Read also"), in
    /// ascending order.
    #[serde(default, with = "digests")]
    pub repeated: Vec<u64>,
    /// Where the domain's pages show the publication date and the authors.
    #[serde(default, skip_serializing_if = "Places::is_empty")]
    pub places: Places,
    /// The manual rules. They take precedence over learned rules and machine-readable metadata, and learning does not
    /// change them.
    #[serde(default, skip_serializing_if = "ManualRules::is_empty")]
    pub manual: ManualRules,
    /// How many pages the profile was learned from, and how well it fits them.
    #[serde(default)]
    pub evidence: Evidence,
    /// The archived pages that the profile was learned from.
    #[serde(default)]
    pub sample: Vec<ArchivePosition>,
    /// Tables for the crawler, which reads them from the file itself.
    #[serde(default, skip_serializing)]
    pub(crate) politeness: IgnoredAny,
    #[serde(default, skip_serializing)]
    pub(crate) scope: IgnoredAny,
}

fn first_version() -> u32 {
    1
}

impl DomainProfile {
    /// Whether a text (given by [`text_key`](super::text_key)) is often repeated inside articles.
    pub(crate) fn is_repeated(&self, text: u64) -> bool {
        self.repeated.binary_search(&text).is_ok()
    }

    /// Whether the profile was learned from so few pages that it may lack templates for some layouts of the portal.
    pub(crate) fn may_miss_layouts(&self) -> bool {
        (1..SOME_PAGES).contains(&(self.evidence.distinct as usize))
    }
}

/// How to cut one layout of a domain's articles.
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
    /// The tags just after the article. None if `start` matches elements, because then the element's end tag is the
    /// end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TagSequence>,
    /// Elements between headline and article that belong to the article.
    #[serde(default)]
    pub leads: Vec<ElementPattern>,
    /// Elements inside the article that belong to it, although their names suggest boilerplate. The elements around
    /// them belong to it, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ElementPattern>,
    /// Elements inside the article that do not belong to it.
    #[serde(default)]
    pub drops: Vec<ElementPattern>,
    /// Whether the articles of this layout declare a publication date. If so, a page without one is not cut with this
    /// template.
    #[serde(default)]
    pub dated: bool,
    /// The most elements that the start matches on a single page of the sample.
    #[serde(default)]
    pub matches: u32,
    /// The number of pages of the sample that the template cuts.
    #[serde(default)]
    pub pages: u32,
    /// The share of the sample that the template cuts.
    #[serde(default)]
    pub share: f64,
    /// How well the template's cuts agree with the silver labels (automatic estimates of the wanted text): the mean
    /// estimated F-score, from 0 to 1. A document from a page that is no article counts as 0, if most of its text is
    /// also in articles.
    #[serde(default)]
    pub fitness: f64,
    /// Whether a person wrote the template. If so, learning does not change it.
    #[serde(default)]
    pub hand_made: bool,
}

impl Template {
    /// The start and the end, in one line.
    pub fn bounds(&self) -> String {
        match &self.end {
            Some(end) => format!("{} … {end}", self.start),
            None => self.start.to_string(),
        }
    }
}

/// The evidence for a profile: numbers of pages, and how well the templates fit them.
///
/// ```
/// use goldminer_core::Learner;
///
/// // Five pages with unique texts, which one template cuts.
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
    /// The number of pages in the sample.
    pub pages: u32,
    /// The number of pages among these that look like articles, without duplicates. If hardly any page looks like an
    /// article, all pages with text of their own count.
    pub distinct: u32,
    /// The number of distinct pages with good text that no other page has.
    pub taught: u32,
    /// The number of pages in `taught` that a template cuts.
    pub covered: u32,
    /// The mean estimated F-score over all pages in `taught`, from 0 to 1. It measures the agreement with the silver
    /// labels (automatic estimates of the wanted text). Documents from pages that are no articles lower it.
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
            parts: vec!["aside.rating".parse().unwrap()],
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
            ..DomainProfile::default()
        };
        let bytes = serde_json::to_vec(&profile).unwrap();
        assert_eq!(serde_json::from_slice::<DomainProfile>(&bytes).unwrap(), profile);
    }
}
