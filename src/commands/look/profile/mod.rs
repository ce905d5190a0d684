//! `goldminer profile`: what was learned, with its evidence.

mod diff;
mod meant;
mod merge;
mod show;
mod trial;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::bail;
use goldminer_core::extract::domain::ServingProfile;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::api::query::Query;
use goldminer_crawl::api::status::ProfileLine;
use goldminer_crawl::extract::Domains;
use goldminer_crawl::job::JobDir;
use goldminer_crawl::store::profile_book::ProfileBook;
use goldminer_crawl::store::profiles::ProfileStore;
use serde_json::json;

use crate::cli::{ProfileExportArgs, ProfileImportArgs, ProfileListArgs};
use crate::commands::Exit;
use crate::commands::inputs::profile_files;
use crate::commands::terminal::output;

pub(crate) use diff::diff;
pub(crate) use meant::no_profile;
pub(crate) use merge::merge;
pub(crate) use show::show;
pub(crate) use trial::{read_page, test};

/// `goldminer profile list`
///
/// # Errors
/// When the directory can't be read.
pub(crate) fn list(args: &ProfileListArgs) -> anyhow::Result<Exit> {
    let lines: Vec<ProfileLine> = if JobDir::is_job(&args.dir) {
        job_client::ask(&args.dir, &Query::Profiles)?
    } else {
        profile_files::read(&args.dir)?.iter().map(ProfileLine::of).collect()
    };
    output::answer(args.json, &lines, || {
        if lines.is_empty() {
            let dir = args.dir.display();
            return format!("no profiles in {dir} yet: domains learn once they have enough article-like pages");
        }
        let mut text = format!(
            "{:<32} {:>7} {:>9} {:>6} {:>8} {:>7}  {:<12} learned\n",
            "profile", "version", "templates", "pages", "coverage", "fitness", "language"
        );
        for line in &lines {
            let ProfileLine { key, version, templates, taught, fitness, .. } = line;
            let (coverage, language) = (100.0 * line.coverage, line.language.as_deref().unwrap_or("-"));
            let learned = line.learned.map(|at| format!("{at:.0}")).unwrap_or_default();
            text += &format!(
                "{key:<32} {version:>7} {templates:>9} {taught:>6} {coverage:>7.0}% {fitness:>7.2}  {language:<12} {learned}\n"
            );
        }
        text
    })
}

/// `goldminer profile export`
///
/// # Errors
/// When the job can't be looked at, or a file can't be written.
pub(crate) fn export(args: &ProfileExportArgs) -> anyhow::Result<Exit> {
    let mut written: Vec<(String, String, u32)> = Vec::new();
    let mut write = |profile: &DomainProfile| -> anyhow::Result<()> {
        let file = profile_files::write(&args.profiles, profile)?.display().to_string();
        written.push((file, profile.key.clone(), profile.version));
        Ok(())
    };
    if ProfileBook::is_book(&args.dir) {
        for entry in ProfileBook::open(&args.dir)?.entries() {
            let entry = entry?;
            // Of each key the last one; those of a key stand in the order of time.
            let last: BTreeMap<&str, &DomainProfile> =
                entry.profiles.iter().map(|spanned| (spanned.profile.key.as_str(), &spanned.profile)).collect();
            last.into_values().try_for_each(&mut write)?;
        }
    } else {
        let lines: Vec<ProfileLine> = job_client::ask(&args.dir, &Query::Profiles)?;
        for line in &lines {
            let versions = versions(&args.dir, &line.key, "profile export")?;
            versions.last().map_or(Ok(()), |last| write(&last.profile))?;
        }
    }
    // Nothing is said before all is written: who stops reading does not stop the work.
    let json = |(file, key, version): &(String, String, u32)| json!({ "key": key, "version": version, "file": file });
    output::answer(args.json, &written.iter().map(json).collect::<Vec<_>>(), || match written.is_empty() {
        true => format!("no profiles in {} yet", args.dir.display()),
        false => written.iter().map(|(file, ..)| format!("{file}\n")).collect(),
    })
}

/// `goldminer profile import`
///
/// # Errors
/// When a profile is wrong, or the job is in use.
pub(crate) fn import(args: &ProfileImportArgs) -> anyhow::Result<Exit> {
    let job = JobDir::existing(&args.dir)?;
    let _lock = job.lock()?;
    let domains = Domains::new(ProfileStore::open(&job.profiles())?);
    let mut imported: Vec<(String, u32, bool)> = Vec::new();
    for path in &args.profiles {
        for profile in profile_files::read(path)? {
            let key = profile.key.clone();
            let (version, is_new) = domains.import_changed(profile)?;
            imported.push((key, version, is_new));
        }
    }
    let json = |(key, version, _): &(String, u32, bool)| json!({ "key": key, "version": version });
    output::answer(args.json, &imported.iter().map(json).collect::<Vec<_>>(), || {
        let line = |(key, version, is_new): &(String, u32, bool)| {
            format!("{key}: version {version}{}\n", if *is_new { "" } else { ", unchanged" })
        };
        imported.iter().map(line).collect::<String>()
    })
}

/// Every version of one profile; `command` is what asks, for the message where there is none.
fn versions(dir: &Path, key: &str, command: &str) -> anyhow::Result<Vec<ServingProfile>> {
    if JobDir::is_job(dir) {
        let known: Vec<ProfileLine> = job_client::ask(dir, &Query::Profiles)?;
        let keys: Vec<String> = known.into_iter().map(|line| line.key).collect();
        if !keys.iter().any(|known| known == key) {
            bail!(meant::no_profile(key, &keys, dir, command));
        }
        return job_client::ask(dir, &Query::Profile { key: key.to_owned() });
    }
    if ProfileBook::is_book(dir) {
        // Of a million domains one is looked up.
        let entry = ProfileBook::open(dir)?.entry_of(key)?;
        let mut found: Vec<DomainProfile> =
            entry.into_iter().flat_map(|entry| entry.profiles).map(|s| s.profile).collect();
        found.retain(|profile| profile.key == key);
        if !found.is_empty() {
            return Ok(found.into_iter().map(ServingProfile::everywhere).collect());
        }
    }
    let (found, others): (Vec<DomainProfile>, Vec<DomainProfile>) =
        profile_files::read(dir)?.into_iter().partition(|profile| profile.key == key);
    if found.is_empty() {
        let keys: Vec<String> = others.into_iter().map(|profile| profile.key).collect();
        bail!(meant::no_profile(key, &keys, dir, command));
    }
    Ok(found.into_iter().map(ServingProfile::everywhere).collect())
}
