//! Saving a corrected profile as a new version. A version that was saved meanwhile, from another browser or by learning, is not
//! overwritten: the page says what it changed, and keeps the choice.

use std::path::Path;

use anyhow::bail;
use goldminer_core::{DomainProfile, ServingProfile};
use goldminer_crawl::api::{Query, client as job_client};

use crate::words::profile::differences;

/// Saves what is made of the versions of a profile, if the latest of them is still the expected one; the new version's number.
pub(super) fn save(
    dir: &Path,
    key: &str,
    expected: u32,
    make: impl FnOnce(&[ServingProfile]) -> anyhow::Result<DomainProfile>,
) -> anyhow::Result<u32> {
    let versions = versions(dir, key)?;
    if let Some(meanwhile) = meanwhile(&versions, expected) {
        bail!(meanwhile);
    }
    job_client::save(dir, make(&versions)?, expected).map_err(|cause| {
        let now = self::versions(dir, key).unwrap_or_default();
        meanwhile(&now, expected).map_or(cause, anyhow::Error::msg)
    })
}

/// Every version of a profile, oldest first; none where there is no such profile.
pub(super) fn versions(dir: &Path, key: &str) -> anyhow::Result<Vec<ServingProfile>> {
    job_client::ask(dir, &Query::Profile { key: key.to_owned() })
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
        "Nothing was saved: version {number} of {key} was saved in the meantime, with these changes. Your choice is still \
         selected below and shows its effect on that version.\n{}",
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
