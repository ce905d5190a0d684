//! Saving a corrected profile as a new version, and taking one back. Whoever has saved meanwhile, another browser or the
//! domain by learning, is not overwritten: what they changed is told, and the choice stays with whoever made it.

use std::path::Path;

use anyhow::Context;
use goldminer_core::extract::domain::{ServingProfile, StoredPage};
use goldminer_core::goldminer::profile::diff::{Change, ProfileDiff};
use goldminer_core::goldminer::profile::{DomainProfile, Template};
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::api::query::Query;

use crate::edit_action::EditAction;
use crate::{editor, texts};

/// A change that somebody has chosen.
pub(super) struct Choice<'a> {
    pub key: &'a str,
    /// The version that it was chosen on.
    pub version: u32,
    pub template: Option<usize>,
    pub action: EditAction,
    pub pattern: &'a str,
    /// Other pages of the domain.
    pub others: &'a [StoredPage],
}

/// Why nothing was saved.
#[derive(Debug)]
pub(super) enum NotSaved {
    /// There is another version by now, which differs so from the one that the choice was made on.
    Meanwhile {
        latest: u32,
        changes: Vec<String>,
    },
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for NotSaved {
    fn from(cause: anyhow::Error) -> Self {
        Self::Failed(cause)
    }
}

/// Saves a choice as a new version; its number.
pub(super) fn save(dir: &Path, choice: &Choice<'_>) -> Result<u32, NotSaved> {
    replace(dir, choice.key, choice.version, |versions| {
        let latest = versions.last().map_or_else(|| editor::empty(choice.key), |latest| latest.profile.clone());
        let changed = editor::changed(&latest, choice.template, choice.action, choice.pattern);
        Ok(editor::completed(changed.context(texts::NO_CHANGE)?, choice.action, choice.others))
    })
}

/// Saves the version before the latest once more, as a new one.
pub(super) fn undo(dir: &Path, key: &str, version: u32) -> Result<u32, NotSaved> {
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
) -> Result<u32, NotSaved> {
    let versions = versions(dir, key)?;
    if let Some(meanwhile) = meanwhile(&versions, expected) {
        return Err(meanwhile);
    }
    let profile = make(&versions)?;
    job_client::save(dir, profile, expected).map_err(|cause| {
        let now = self::versions(dir, key).unwrap_or_default();
        meanwhile(&now, expected).unwrap_or(NotSaved::Failed(cause))
    })
}

/// Every version of a profile, oldest first; none where there is no such profile.
pub(super) fn versions(dir: &Path, key: &str) -> anyhow::Result<Vec<ServingProfile>> {
    job_client::ask(dir, &Query::Profile { key: key.to_owned() })
}

fn meanwhile(versions: &[ServingProfile], expected: u32) -> Option<NotSaved> {
    let latest = versions.last().map(|serving| &serving.profile);
    let number = latest.map_or(0, |latest| latest.version);
    if number == expected {
        return None;
    }
    let known = versions.iter().map(|serving| &serving.profile).find(|profile| profile.version == expected);
    let changes = known.zip(latest).map(|(known, latest)| changes(&known.diff(latest)));
    Some(NotSaved::Meanwhile { latest: number, changes: changes.unwrap_or_default() })
}

/// What differs between two versions, a line each.
fn changes(diff: &ProfileDiff) -> Vec<String> {
    let mut lines = Vec::new();
    let patterns = |lines: &mut Vec<String>, what: &str, change: &Change| {
        lines.extend(change.gone.iter().map(|gone| format!("− {what} {gone}")));
        lines.extend(change.come.iter().map(|come| format!("+ {what} {come}")));
    };
    lines.extend(diff.gone.iter().map(|gone| format!("− {} {}", texts::TEMPLATE, Template::bounds(gone))));
    lines.extend(diff.come.iter().map(|come| format!("+ {} {}", texts::TEMPLATE, Template::bounds(come))));
    for template in &diff.changed {
        patterns(&mut lines, &format!("{}: {}", template.bounds, texts::CUT_INSIDE), &template.drops);
        patterns(&mut lines, &format!("{}: {}", template.bounds, texts::LEADS), &template.leads);
    }
    patterns(&mut lines, texts::MANUAL, &diff.manual);
    if diff.repeated != (0, 0) {
        lines.push(texts::repeated_texts(diff.repeated));
    }
    lines
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
        match meanwhile(&versions, 1) {
            Some(NotSaved::Meanwhile { latest: 2, changes }) => {
                assert!(changes.iter().any(|line| line.starts_with('+') && line.ends_with("div.ad")), "{changes:?}");
                assert!(changes.iter().any(|line| line.ends_with("comments in ol.say")), "{changes:?}");
            }
            other => panic!("{other:?}"),
        }
        assert!(meanwhile(&[], 0).is_none() && meanwhile(&[], 3).is_some());
    }
}
