//! `goldminer profile diff`: what changed between two versions of a profile.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::bail;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_core::goldminer::profile::diff::{Change, ProfileDiff, TemplateDiff};

use crate::cli::ProfileDiffArgs;
use crate::commands::style::{CUT, DROPPED, FAINT, KEPT, TITLE, styled};
use crate::commands::{Exit, UsageError, output, profile_files};

/// `goldminer profile diff`
///
/// # Errors
/// When there are no two versions to compare.
pub(crate) fn diff(args: &ProfileDiffArgs) -> anyhow::Result<Exit> {
    let (old, new) = match Path::new(&args.domain).exists() {
        true => between_sources(args)?,
        false => between_versions(args)?,
    };
    let diff = old.diff(&new);
    if args.json {
        output::json(&diff)?;
    } else {
        output::text(describe(&diff))?;
    }
    Ok(Exit::Done)
}

fn between_versions(args: &ProfileDiffArgs) -> anyhow::Result<(DomainProfile, DomainProfile)> {
    let versions = crate::commands::profile::versions(&args.dir, &args.domain, "profile diff")?;
    let known = || versions.iter().map(|v| v.profile.version.to_string()).collect::<Vec<_>>().join(", ");
    if versions.len() < 2 && args.earlier.is_none() {
        bail!(
            "{} has one version only ({}); to compare two directories or files of profiles: goldminer profile diff OLD \
             NEW [DOMAIN]",
            args.domain,
            known()
        );
    }
    let find = |wanted: &str| -> anyhow::Result<DomainProfile> {
        let found = wanted.parse().ok().and_then(|wanted: u32| versions.iter().find(|v| v.profile.version == wanted));
        match found {
            Some(found) => Ok(found.profile.clone()),
            None => bail!("{} has no version {wanted:?}, but these: {}", args.domain, known()),
        }
    };
    let at = |from_end: usize| versions[versions.len().saturating_sub(from_end)].profile.clone();
    let old = args.earlier.as_deref().map_or_else(|| Ok(at(2)), find)?;
    let new = args.later.as_deref().map_or_else(|| Ok(at(1)), find)?;
    Ok((old, new))
}

/// Of two directories or files.
fn between_sources(args: &ProfileDiffArgs) -> anyhow::Result<(DomainProfile, DomainProfile)> {
    let (old, new) = (profile_files::read(&args.dir)?, profile_files::read(Path::new(&args.domain))?);
    let key = match (&args.earlier, old.as_slice()) {
        (Some(key), _) => key.clone(),
        (None, [only]) => only.key.clone(),
        (None, _) => {
            return Err(UsageError::of("which domain? Name it: goldminer profile diff OLD NEW DOMAIN").into());
        }
    };
    let find = |profiles: Vec<DomainProfile>, place: &str| match profiles.into_iter().find(|p| p.key == key) {
        Some(profile) => Ok(profile),
        None => bail!("there is no profile {key:?} in {place}; `goldminer profile list {place}` names them"),
    };
    Ok((find(old, &args.dir.display().to_string())?, find(new, &args.domain)?))
}

/// The differences in lines.
pub(super) fn describe(diff: &ProfileDiff) -> String {
    let mut text = String::new();
    let (old, new) = diff.versions;
    let _ = writeln!(text, "{}", styled(TITLE, format!("  from version {old} to {new}:")));
    if let Some((old, new)) = &diff.language {
        let name = |language: &Option<String>| language.clone().unwrap_or_else(|| "unknown".to_owned());
        let _ = writeln!(text, "    language {} → {}", name(old), name(new));
    }
    let (old, new) = &diff.evidence;
    let _ = writeln!(
        text,
        "    learned from {} → {} pages, {} → {} cut, fitness {:.3} → {:.3}",
        old.taught, new.taught, old.covered, new.covered, old.fitness, new.fitness
    );
    for gone in &diff.gone {
        let _ = writeln!(
            text,
            "  {} template {} ({:.0} %)",
            styled(DROPPED, "-"),
            styled(CUT, gone.bounds()),
            100.0 * gone.share
        );
    }
    for come in &diff.come {
        let _ = writeln!(
            text,
            "  {} template {} ({:.0} %)",
            styled(KEPT, "+"),
            styled(CUT, come.bounds()),
            100.0 * come.share
        );
    }
    diff.changed.iter().for_each(|template| template_lines(&mut text, template));
    change(&mut text, "    ", "teasers under", &diff.teasers);
    if diff.repeated != (0, 0) {
        let (gone, come) = diff.repeated;
        let _ = writeln!(text, "    repeated texts: {gone} no longer known, {come} new");
    }
    change(&mut text, "    ", "the day in", &diff.published);
    change(&mut text, "    ", "the authors in", &diff.authors);
    if let Some((old, new)) = diff.day_first {
        let order = |day_first: Option<bool>| match day_first {
            Some(true) => "day before month",
            Some(false) => "month before day",
            None => "not known",
        };
        let _ = writeln!(text, "    dates: {} → {}", order(old), order(new));
    }
    change(&mut text, "    ", "by hand:", &diff.manual);
    if !diff.cuts_differently() {
        let _ = writeln!(text, "    {}", styled(FAINT, "every page is cut as before"));
    }
    text
}

fn template_lines(text: &mut String, diff: &TemplateDiff) {
    let _ = write!(text, "  {} template {}", styled(FAINT, "~"), styled(CUT, &diff.bounds));
    let _ = write!(text, "  {:.0} → {:.0} % of the sample", 100.0 * diff.shares.0, 100.0 * diff.shares.1);
    let _ = write!(text, ", fitness {:.3} → {:.3}", diff.fitness.0, diff.fitness.1);
    if diff.places.0 != diff.places.1 {
        let _ = write!(text, ", tried as number {} instead of {}", diff.places.1, diff.places.0);
    }
    if diff.dated.0 != diff.dated.1 {
        let _ = write!(text, ", {}", if diff.dated.1 { "now only dated pages" } else { "undated pages, too" });
    }
    text.push('\n');
    change(text, "      ", "with", &diff.leads);
    change(text, "      ", "without", &diff.drops);
}

fn change(text: &mut String, indent: &str, what: &str, change: &Change) {
    for gone in &change.gone {
        let _ = writeln!(text, "{indent}{} {what} {gone}", styled(DROPPED, "-"));
    }
    for come in &change.come {
        let _ = writeln!(text, "{indent}{} {what} {come}", styled(KEPT, "+"));
    }
}
