//! `goldminer profile diff`: what changed between two versions of a profile.

use std::path::Path;

use anyhow::bail;
use goldminer_console::words::profile::differences;
use goldminer_core::DomainProfile;
use serde_json::{Value, json};

use super::versions;
use crate::cli::ProfileDiffArgs;
use crate::commands::terminal::style::{DROPPED, FAINT, KEPT, TITLE, styled};
use crate::commands::{Exit, misuse, output, profile_files};

/// Runs `goldminer profile diff`.
///
/// # Errors
/// When there are no two versions to compare.
pub(crate) fn diff(args: &ProfileDiffArgs) -> anyhow::Result<Exit> {
    let (old, new) = match Path::new(&args.domain).exists() {
        true => between_sources(args)?,
        false => between_versions(args)?,
    };
    let differences: Vec<Value> =
        differences(&old, &new).iter().map(|(sign, rule)| json!({ "sign": sign, "rule": rule })).collect();
    let versions = [old.version, new.version];
    let summary = json!({ "key": new.key, "versions": versions, "differences": differences });
    output::answer(args.json, &summary, || describe(&old, &new))
}

fn between_versions(args: &ProfileDiffArgs) -> anyhow::Result<(DomainProfile, DomainProfile)> {
    let versions = versions(&args.dir, &args.domain, "profile diff")?;
    let known = || versions.iter().map(|v| v.profile.version.to_string()).collect::<Vec<_>>().join(", ");
    if versions.len() < 2 && args.earlier.is_none() {
        bail!(
            "{} has only one version ({}); to compare two directories or files of profiles: goldminer profile diff OLD \
             NEW [DOMAIN]",
            args.domain,
            known()
        );
    }
    let find = |wanted: &str| -> anyhow::Result<DomainProfile> {
        let found = wanted.parse().ok().and_then(|wanted: u32| versions.iter().find(|v| v.profile.version == wanted));
        match found {
            Some(found) => Ok(found.profile.clone()),
            None => bail!("{} has no version {wanted:?}; it has: {}", args.domain, known()),
        }
    };
    let at = |from_end: usize| versions[versions.len().saturating_sub(from_end)].profile.clone();
    let old = args.earlier.as_deref().map_or_else(|| Ok(at(2)), find)?;
    let new = args.later.as_deref().map_or_else(|| Ok(at(1)), find)?;
    Ok((old, new))
}

/// The two profiles to compare, from two folders or files.
fn between_sources(args: &ProfileDiffArgs) -> anyhow::Result<(DomainProfile, DomainProfile)> {
    let (old, new) = (profile_files::read(&args.dir)?, profile_files::read(Path::new(&args.domain))?);
    let key = match (&args.earlier, old.as_slice()) {
        (Some(key), _) => key.clone(),
        (None, [only]) => only.key.clone(),
        (None, _) => {
            return misuse("which domain? Name it: goldminer profile diff OLD NEW DOMAIN");
        }
    };
    let find = |profiles: Vec<DomainProfile>, place: &str| match profiles.into_iter().find(|p| p.key == key) {
        Some(profile) => Ok(profile),
        None => bail!("there is no profile {key:?} in {place}; see `goldminer profile list {place}`"),
    };
    Ok((find(old, &args.dir.display().to_string())?, find(new, &args.domain)?))
}

/// The differences in lines of text.
pub(crate) fn describe(old: &DomainProfile, new: &DomainProfile) -> String {
    let mut text = format!("{}\n", styled(TITLE, format!("  from version {} to {}:", old.version, new.version)));
    let differences = differences(old, new);
    for (sign, rule) in &differences {
        let style = if *sign == '-' { DROPPED } else { KEPT };
        text += &format!("  {} {rule}\n", styled(style, sign));
    }
    if differences.is_empty() {
        text += &format!("    {}\n", styled(FAINT, "the same rules"));
    }
    text
}
