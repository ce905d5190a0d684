//! Reads and writes profiles as TOML files that people review, compare and edit: one per domain, in
//! `domain-profiles/`.
//!
//! When the program rewrites a file, it replaces the learned parts and keeps the manual ones. These are comments,
//! `[manual]`, the tables `[politeness]` and `[scope]` for the crawler, and each `[[template]]` with `hand_made =
//! true`. Hand-made templates are put before the learned ones. The pages of the sample are not in the file.

use std::str::FromStr;

use super::DomainProfile;
use crate::goldminer::rules::CssSelector;
use crate::goldminer::sequence::StartPattern;

/// The most bytes of a profile's key. A host name has at most 253, and a path prefix is short.
const MAX_KEY_BYTES: usize = 1_000;

/// An error: a text is not a valid profile.
///
/// ```
/// use goldminer_core::goldminer::profile::DomainProfile;
///
/// let error = DomainProfile::from_toml("key = 'portal.example'\ntemplate = 1").unwrap_err();
/// assert_eq!(error.line, 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
#[non_exhaustive]
pub struct ProfileError {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// A description of the mistake, with the key that has it.
    pub message: String,
}

impl FromStr for DomainProfile {
    type Err = ProfileError;

    fn from_str(toml: &str) -> Result<Self, ProfileError> {
        Self::from_toml(toml)
    }
}

impl DomainProfile {
    /// Reads a profile from TOML.
    ///
    /// # Errors
    /// Fails if the text is not TOML, or has an unknown key or an invalid value. The error names line and key.
    pub fn from_toml(text: &str) -> Result<Self, ProfileError> {
        let mut profile: Self = toml::from_str(text).map_err(|error| {
            let wrong = wrong_selector(text, &error);
            let place = wrong.map(|(selector, _)| selector).or(error.span().map(|span| span.start));
            ProfileError { line: place.map_or(1, |at| line_of(text, at)), message: message(text, &error, wrong) }
        })?;
        profile.repeated.sort_unstable();
        profile.templates.sort_by_key(|template| !template.hand_made);
        match profile.mistake() {
            Some((key, what)) => Err(ProfileError { line: line_of_key(text, key), message: format!("{key}: {what}") }),
            None => Ok(profile),
        }
    }

    /// Writes the profile as a TOML file.
    pub fn to_toml(&self) -> String {
        self.merged_into("").expect("an empty file is TOML")
    }

    /// Returns the first key with an invalid value, and what is wrong with the value.
    fn mistake(&self) -> Option<(&'static str, String)> {
        if self.key.trim().is_empty() {
            let what = "is empty; it is the domain, host, or host and path that the profile is for";
            return Some(("key", what.to_owned()));
        }
        if let Some(wrong) = self.key.chars().find(|c| !c.is_ascii_graphic()) {
            let what = format!(
                "has the character {wrong:?} in it; a key is a domain, a host, or a host and a path, in the ASCII form of \
                 URLs (xn--… for other letters, %… in paths)"
            );
            return Some(("key", what));
        }
        if self.key.len() > MAX_KEY_BYTES {
            let bytes = self.key.len();
            let what = format!("has {bytes} bytes; a domain, a host, or a host and a path has at most {MAX_KEY_BYTES}");
            return Some(("key", what));
        }
        if self.version == 0 {
            return Some(("version", "must be at least 1".to_owned()));
        }
        if !self.sample.is_empty() {
            return Some(("sample", "is stored by a crawl, and is not for files".to_owned()));
        }
        self.templates.iter().find_map(|template| match (&template.start, &template.end) {
            (StartPattern::Tags(_), None) => {
                Some(("start", "a start of tags also needs an end = \"…\" of tags".to_owned()))
            }
            (StartPattern::Element(_), Some(_)) => {
                let what = "an element ends with its own end tag; leave end out, or write start as tags: \"<td> <p>\"";
                Some(("end", what.to_owned()))
            }
            _ => {
                let mut shares = [("fitness", template.fitness), ("share", template.share)].into_iter();
                let (key, value) = shares.find(|(_, value)| !(0.0..=1.0).contains(value))?;
                Some((key, format!("{value} is not between 0 and 1")))
            }
        })
    }
}

pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

fn line_of_key(text: &str, key: &str) -> usize {
    let is_key =
        |line: &str| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
    text.lines().position(is_key).map_or(1, |line| line + 1)
}

/// Returns where an invalid selector begins, in bytes, and how many of its characters precede the mistake.
fn wrong_selector(text: &str, error: &toml::de::Error) -> Option<(usize, usize)> {
    let span = error.span()?;
    // The item of a list with the mistake.
    let value = text.get(span.clone())?;
    value.match_indices(['"', '\'']).find_map(|(at, quote)| {
        let item = value[at + 1..].split(quote).next()?;
        let wrong = item.parse::<CssSelector>().err().filter(|wrong| wrong.to_string() == error.message().trim())?;
        Some((span.start + at + 1, wrong.at))
    })
}

/// The parser's message with the key, and with the column of a mistake in a selector.
fn message(text: &str, error: &toml::de::Error, wrong: Option<(usize, usize)>) -> String {
    // Files have no sample, see `mistake`.
    let mut message = error.message().trim().replace("`sample`, ", "");
    let Some(span) = error.span() else { return message };
    if let Some((start, at)) = wrong {
        let line = text[..start].rsplit('\n').next().unwrap_or_default();
        message = format!("column {}: {message}", line.chars().count() + at + 1);
    }
    // A list may span several lines.
    let mut lines = text[..span.start].lines().rev();
    let own = text.lines().nth(line_of(text, span.start) - 1);
    let is_item = own.is_some_and(|line| line.trim_start().starts_with(['"', '\'']));
    let key = |line: &str| line.split_once('=').map(|(key, _)| key.trim().to_owned());
    let is_bare = |key: &String| key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let key = if is_item { lines.find_map(|line| key(line).filter(is_bare)) } else { own.and_then(key) };
    match key {
        Some(key) if message.ends_with("expected a sequence") => {
            format!("{key}: a list is expected; write {key} = [{}]", &text[span])
        }
        Some(key) if !message.contains(&key) => format!("{key}: {message}"),
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Evidence, Template};
    use super::*;
    use crate::goldminer::places::Places;
    use crate::goldminer::rules::ManualRules;

    fn profile() -> DomainProfile {
        DomainProfile {
            key: "portal.example".to_owned(),
            version: 3,
            language: Some("Hungarian".to_owned()),
            learned_at: Some("2026-11-20T09:15:00Z".parse().unwrap()),
            program: "goldminer/0.1.0".to_owned(),
            is_small: false,
            templates: vec![Template {
                end: None,
                start: "div#content > div.post-*".parse().unwrap(),
                leads: vec!["div.lead".parse().unwrap()],
                parts: Vec::new(),
                drops: vec!["div.promo:exact".parse().unwrap()],
                dated: true,
                matches: 1,
                pages: 90,
                share: 0.9,
                fitness: 0.97,
                hand_made: false,
            }],
            teasers: vec!["h2.teaser".parse().unwrap()],
            places: Places {
                published: vec!["span.date".parse().unwrap()],
                day_first: Some(true),
                ..Places::default()
            },
            manual: ManualRules { comments: vec!["div.replies > p:not(.own)".parse().unwrap()], ..Default::default() },
            repeated: vec![1, u64::MAX],
            evidence: Evidence { pages: 120, distinct: 100, taught: 95, covered: 90, fitness: 0.95 },
            ..DomainProfile::default()
        }
    }

    #[test]
    fn a_written_profile_is_read_back() {
        assert_eq!(DomainProfile::from_toml(&profile().to_toml()), Ok(profile()));
    }

    #[test]
    fn manual_parts_survive_learning_again() {
        let manual = "# Reviewed by Éva.\nkey = \"portal.example\" # the whole portal\nversion = 2\n\n[politeness]\ndelay = \"20s\" # they asked for it\n\n\
            [scope]\nexclude = [\"/games/\"]\n\n# The 2009 archive.\n[[template]]\nhand_made = true\nstart = \"td.story\"\n\n[[template]]\nstart = \"div.old\"\n";
        let merged = profile().merged_into(manual).unwrap();
        for kept in [
            "# Reviewed by Éva.",
            "# the whole portal",
            "delay = \"20s\" # they asked for it",
            "/games/",
            "# The 2009 archive.",
        ] {
            assert!(merged.contains(kept), "{kept} is lost:\n{merged}");
        }
        assert!(!merged.contains("div.old"), "{merged}");
        let read = DomainProfile::from_toml(&merged).unwrap();
        assert_eq!(read.version, 3);
        let starts: Vec<String> = read.templates.iter().map(|template| template.start.to_string()).collect();
        assert_eq!(starts, ["td.story", "div#content > div.post-*"]);
        assert_eq!(read.merged_into(&merged).unwrap(), merged, "a second rewrite changes nothing");
    }

    #[test]
    fn a_later_hand_made_template_replaces_the_one_in_the_file() {
        let mut manual = profile();
        manual.templates[0].hand_made = true;
        assert_eq!(DomainProfile::from_toml(&manual.to_toml()), Ok(manual.clone()));
        let file = manual.to_toml();
        manual.version += 1;
        manual.templates[0].drops.push("div.promo".parse().unwrap());
        let read = DomainProfile::from_toml(&manual.merged_into(&file).unwrap()).unwrap();
        assert_eq!(read.templates, manual.templates);
    }

    #[test]
    fn a_file_may_have_rules_without_a_template() {
        let read = DomainProfile::from_toml("key = \"a.example\"\n[manual]\nexclude = [\"h4\"]\n").unwrap();
        assert!(read.templates.is_empty() && !read.manual.is_empty());
    }

    #[test]
    fn a_broken_file_is_refused_with_line_and_key() {
        for (text, line, key) in [
            ("key = \"a.example\"\n[[template]]\nstart = \"div..x\"\n", 3, "start"),
            ("key = \"a.example\"\n[[template]]\nstart = \"div\"\nmatchs = 1\n", 4, "matchs"),
            ("key = \"a.example\"\n\n[[template]]\nstart = \"div\"\nfitness = 7.0\n", 5, "fitness"),
            ("key = \"a.example\"\nversion = \"two\"\ntemplate = []\n", 2, "version"),
            ("key = \"a.example\"\nrepeated = [\"xyz\"]\ntemplate = []\n", 2, "repeated"),
            ("key = \n", 1, "key"),
            ("# mine\nkey = \"a\\u001B[31m.example\"\ntemplate = []\n", 2, "key"),
            ("key = \"a.example\\u0000\"\ntemplate = []\n", 1, "key"),
            ("key = \"bücher.example\"\ntemplate = []\n", 1, "xn--"),
            (&format!("key = \"{}\"\ntemplate = []\n", "a".repeat(100_000)), 1, "100000 bytes"),
            (
                "key = \"a.example\"\n[manual]\nexclude = \"h4\"\n",
                3,
                "exclude: a list is expected; write exclude = [\"h4\"]",
            ),
            (
                "key = \"a.example\"\ntemplate = []\n[manual]\nexclude = [\"nav\", 'div..x']\n",
                4,
                "exclude: column 23: ",
            ),
            ("key = \"a.example\"\ntemplate = []\n[manual]\nkeep = [\n  \"p:hover\",\n]\n", 5, "keep: column 5: "),
            ("key = \"a.example\"\ntemplate = []\n[manual]\ncomments = [\"ol.say-*\"]\n", 4, "ol[class*=\"say-\"]"),
        ] {
            let error = DomainProfile::from_toml(text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(key), "{error}");
        }
    }
}
