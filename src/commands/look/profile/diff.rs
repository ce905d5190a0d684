//! `goldminer profile diff`: what changed between two versions of a profile.

use std::path::Path;

use anyhow::bail;
use goldminer_console::words::profile::differences;
use goldminer_console::words::profile_diff::ProfileDiff;
use goldminer_core::DomainProfile;

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
    let diff = ProfileDiff::of(&old, &new);
    output::answer(args.json, &diff, || describe(&diff))
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
pub(crate) fn describe(diff: &ProfileDiff) -> String {
    let (old, new) = diff.versions;
    let mut text = format!("{}\n", styled(TITLE, format!("  from version {old} to {new}:")));
    if let Some((old, new)) = &diff.language {
        let name = |language: &Option<String>| language.clone().unwrap_or_else(|| "unknown".to_owned());
        text += &format!("    language {} → {}\n", name(old), name(new));
    }
    let (old, new) = &diff.evidence;
    text += &format!(
        "    learned from {} → {} pages, {} → {} cut, fitness {:.3} → {:.3}\n",
        old.taught, new.taught, old.covered, new.covered, old.fitness, new.fitness
    );
    for (sign, what) in differences(diff) {
        let style = match sign {
            '-' => DROPPED,
            '+' => KEPT,
            _ => FAINT,
        };
        text += &format!("  {} {what}\n", styled(style, sign));
    }
    if !diff.cuts_differently() {
        text += &format!("    {}\n", styled(FAINT, "every page is cut as before"));
    }
    text
}
