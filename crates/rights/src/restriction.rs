//! Restrictions of a page's use, and the words for them in each rights vocabulary.

use serde::{Deserialize, Serialize};

/// A use that a page forbids or reserves.
///
/// ```
/// use goldminer_rights::Restriction;
///
/// assert_eq!(Restriction::named("noai"), Some(Restriction::Noai));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::VariantArray)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Restriction {
    /// The page must not be in an index: `noindex`, `none`.
    Noindex,
    /// Copies of the page must not be kept: `noarchive`.
    Noarchive,
    /// The page must not be quoted in search results: `nosnippet`, `max-snippet:0`.
    Nosnippet,
    /// The page must not be used to train models: `noai`, Content Signals `ai-train=no`, AI Preferences `train-ai=n`.
    Noai,
    /// The page's pictures must not be used to train models: `noimageai`.
    Noimageai,
    /// Models must not get the page as input: Content Signals `ai-input=no`, AI Preferences `ai-use=n`.
    NoAiInput,
    /// The page must not be used for search: Content Signals `search=no`, AI Preferences `search=n`.
    NoSearch,
    /// Text and data mining is reserved: `tdm-reservation: 1`.
    Tdm,
    /// Only subscribers can read the whole text: `isAccessibleForFree: false`.
    Paywall,
}

impl Restriction {
    /// All restrictions, in order.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The name of the restriction in documents, seeds and filters.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        serde_variant::to_variant_name(&self).expect("no variant has fields")
    }

    /// The restrictions of a robots rule, whatever its letter case.
    #[must_use]
    pub fn of_robots_rule(rule: &str) -> &'static [Self] {
        // Most rules are `index` or `follow`. This test skips them quickly.
        let may_restrict = rule.starts_with(['n', 'N', 'm', 'M']);
        let known = if may_restrict { directive(&rule.to_ascii_lowercase()) } else { None };
        known.filter(|(_, restricts)| *restricts).map_or(&[], |(restrictions, _)| restrictions)
    }

    /// The restriction with this name; None if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|restriction| restriction.as_str() == name)
    }
}

type Meaning = (&'static [Restriction], bool);

/// Returns the restrictions that a statement is about, and whether it makes them (true) or lifts them (false). None if
/// its name or value is not known.
pub(crate) fn meaning(name: &str, value: &str) -> Option<Meaning> {
    match name {
        "robots" | "x-robots-tag" => directive(value),
        // TDMRep: other values are errors and mean nothing.
        "tdm-reservation" => one_of(value, "1", "0").map(|reserved| (&[Restriction::Tdm][..], reserved)),
        "content-signal" => {
            let (key, value) = value.split_once('=')?;
            Some((of_content_signal(key)?, one_of(value, "no", "yes")?))
        }
        "content-usage" => {
            let (key, value) = value.split_once('=')?;
            Some((of_content_usage(key)?, one_of(value, "n", "y")?))
        }
        // In schema.org, the value is a Boolean: in JSON, as text, or as the URL of a value.
        "isaccessibleforfree" => {
            let bare = value.rsplit(['/', ':']).next()?.to_ascii_lowercase();
            let is_paid = one_of(&bare, "false", "true").or_else(|| one_of(&bare, "no", "yes"))?;
            Some((&[Restriction::Paywall], is_paid))
        }
        // OpenGraph for articles, as Facebook reads it. `metered` is left out, because it depends on the reader.
        "article:content_tier" => {
            one_of(&value.to_ascii_lowercase(), "locked", "free").map(|locked| (&[Restriction::Paywall][..], locked))
        }
        _ => None,
    }
}

/// Returns `Some(true)` for the word that restricts, `Some(false)` for the one that allows, and None for others.
fn one_of(value: &str, restricts: &str, allows: &str) -> Option<bool> {
    match value.trim() {
        value if value == restricts => Some(true),
        value if value == allows => Some(false),
        _ => None,
    }
}

/// The meaning of a robots rule in lower case; None if it is not about rights.
pub(crate) fn directive(rule: &str) -> Option<Meaning> {
    Some(match rule {
        "noindex" | "none" => (&[Restriction::Noindex], true),
        "index" | "all" => (&[Restriction::Noindex], false),
        // `nocache` is an early name of `noarchive`.
        "noarchive" | "nocache" => (&[Restriction::Noarchive], true),
        "archive" => (&[Restriction::Noarchive], false),
        "nosnippet" | "max-snippet:0" => (&[Restriction::Nosnippet], true),
        "noai" | "noml" => (&[Restriction::Noai], true),
        "noimageai" => (&[Restriction::Noimageai], true),
        _ => return None,
    })
}

fn of_content_signal(key: &str) -> Option<&'static [Restriction]> {
    Some(match key {
        "search" => &[Restriction::NoSearch],
        "ai-input" => &[Restriction::NoAiInput],
        "ai-train" => &[Restriction::Noai],
        _ => return None,
    })
}

/// The restrictions for a category of AI Preferences. Sites still send categories of earlier drafts.
fn of_content_usage(key: &str) -> Option<&'static [Restriction]> {
    Some(match key {
        "train-ai" | "ai" | "genai" | "train-genai" => &[Restriction::Noai],
        "ai-use" | "ai-output" | "inference" => &[Restriction::NoAiInput],
        "search" => &[Restriction::NoSearch],
        "tdm" => &[Restriction::Tdm],
        "bots" | "all" => &[Restriction::Noai, Restriction::NoAiInput, Restriction::NoSearch, Restriction::Tdm],
        _ => return None,
    })
}
