//! Saving a corrected profile as a new version, and taking one back. A version that was saved meanwhile, from another browser or
//! by learning, is not overwritten: the page says what it changed, and keeps the choice.

use std::path::Path;

use anyhow::{Context, bail};
use goldminer_core::extract::domain::{ServingProfile, StoredPage};
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::api::query::Query;

use super::action::EditAction;
use super::propose;
use crate::texts;
use crate::words::profile::differences;

/// A change that somebody has chosen.
pub(super) struct Choice<'a> {
    pub key: &'a str,
    /// The version that it was chosen on.
    pub version: u32,
    pub action: EditAction,
    pub pattern: &'a str,
    /// Other pages of the domain.
    pub others: &'a [StoredPage],
}

/// Saves a choice as a new version; its number.
pub(super) fn save(dir: &Path, choice: &Choice<'_>) -> anyhow::Result<u32> {
    replace(dir, choice.key, choice.version, |versions| {
        let changed = propose::changed(&latest(choice.key, versions), choice.action, choice.pattern);
        Ok(propose::completed(changed.context(texts::NO_CHANGE)?, choice.action, choice.others))
    })
}

/// Saves the version before the latest once more, as a new one.
pub(super) fn undo(dir: &Path, key: &str, version: u32) -> anyhow::Result<u32> {
    replace(dir, key, version, |versions| {
        let before = versions.len().checked_sub(2).and_then(|at| versions.get(at));
        before.map(|before| before.profile.clone()).context(texts::NOTHING_TO_UNDO)
    })
}

/// Saves a profile that was made from its latest version, if that is still the latest.
pub(super) fn replace(
    dir: &Path,
    key: &str,
    expected: u32,
    make: impl FnOnce(&[ServingProfile]) -> anyhow::Result<DomainProfile>,
) -> anyhow::Result<u32> {
    let versions = versions(dir, key)?;
    if let Some(meanwhile) = meanwhile(&versions, expected) {
        bail!(meanwhile);
    }
    let profile = make(&versions)?;
    job_client::save(dir, profile, expected).map_err(|cause| {
        let now = self::versions(dir, key).unwrap_or_default();
        meanwhile(&now, expected).map_or(cause, anyhow::Error::msg)
    })
}

/// Every version of a profile, oldest first; none where there is no such profile.
pub(super) fn versions(dir: &Path, key: &str) -> anyhow::Result<Vec<ServingProfile>> {
    job_client::ask(dir, &Query::Profile { key: key.to_owned() })
}

/// The latest version, or of a domain without a profile an empty one.
pub(super) fn latest(key: &str, versions: &[ServingProfile]) -> DomainProfile {
    versions.last().map_or_else(|| propose::empty(key), |serving| serving.profile.clone())
}

/// That there is another version by now, and how it differs from the one that a choice was made on.
fn meanwhile(versions: &[ServingProfile], expected: u32) -> Option<String> {
    let latest = versions.last().map(|serving| &serving.profile);
    let (key, number) = latest.map_or(("the profile", 0), |latest| (&latest.key, latest.version));
    if number == expected {
        return None;
    }
    let known = versions.iter().map(|serving| &serving.profile).find(|profile| profile.version == expected);
    let changes = known.zip(latest).map(|(known, latest)| differences(&known.diff(latest))).unwrap_or_default();
    let changes: Vec<String> = changes.into_iter().map(|(sign, what)| format!("{sign} {what}")).collect();
    Some(format!(
        "Nothing was saved: meanwhile there is version {number} of {key}, with these changes. Your choice is kept below, tried \
         on that version.\n{}",
        changes.join("\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_meanwhile_is_told_line_by_line() {
        let serving = |version: u32, rest: &str| {
            let text = format!("key = 'a.example'\nversion = {version}\n[[template]]\nstart = 'div.story'\n{rest}");
            ServingProfile::everywhere(DomainProfile::from_toml(&text).unwrap())
        };
        let versions = [serving(1, ""), serving(2, "drops = ['div.ad']\n[manual]\ncomments = ['ol.say']\n")];
        assert!(meanwhile(&versions, 2).is_none());
        let told = meanwhile(&versions, 1).unwrap();
        assert!(told.contains("version 2 of a.example"), "{told}");
        assert!(told.lines().any(|line| line.starts_with('+') && line.ends_with("div.ad")), "{told}");
        assert!(told.lines().any(|line| line.ends_with("comments: ol.say")), "{told}");
        assert!(meanwhile(&[], 0).is_none() && meanwhile(&[], 3).is_some());
    }
}
