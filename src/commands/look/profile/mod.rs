//! `goldminer profile`: shows, exports and imports learned profiles, with their evidence.

mod diff;
mod merge;
mod show;
mod trial;
mod unknown_key;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::bail;
use goldminer_core::{DomainProfile, ServingProfile};
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::store::profile_book::ProfileBook;
use goldminer_crawl::store::profiles::ProfileStore;
use goldminer_crawl::{JobDir, ProfileLine, Query};
use serde_json::json;

use crate::cli::{ProfileExportArgs, ProfileImportArgs, ProfileListArgs};
use crate::commands::{Exit, output, profile_files};
use goldminer_console::words::table::row;

pub(crate) use diff::diff;
pub(crate) use merge::merge;
pub(crate) use show::show;
pub(crate) use trial::{read_page, test};
pub(crate) use unknown_key::no_profile;

/// Runs `goldminer profile list`.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn list(args: &ProfileListArgs) -> anyhow::Result<Exit> {
    let lines: Vec<ProfileLine> = if JobDir::is_job(&args.dir) {
        job_client::ask(&args.dir, &Query::Profiles)?
    } else {
        profile_files::read(&args.dir)?.iter().map(ProfileLine::of).collect()
    };
    output::answer(args.json, &lines, || {
        if lines.is_empty() {
            let dir = args.dir.display();
            return format!("no profiles in {dir} yet: domains need enough article-like pages first");
        }
        let widths = [-32, 7, 9, 12, 8, 7, -13, 0];
        let names = ["version", "templates", "learned from", "matched", "fitness"];
        let [version, templates, learned_from, matched, fitness] = &names;
        let head =
            row(widths, [&"profile", version, templates, learned_from, matched, fitness, &" language", &"learned"]);
        let rows = lines.iter().map(|line| {
            let ProfileLine { key, version, templates, learned_from, .. } = line;
            let (matched, fitness) = (format!("{:.0} %", 100.0 * line.matched), format!("{:.2}", line.fitness));
            let language = format!(" {}", line.language.as_deref().unwrap_or("-"));
            let learned = line.learned.map(|at| format!("{at:.0}")).unwrap_or_default();
            row(widths, [key, version, templates, learned_from, &matched, &fitness, &language, &learned])
        });
        let legend = "learned from: pages with text that no other page has; matched: the share that a template \
            matches\nfitness: the estimated F-score of the text that the profile keeps\nlearned: if from a sample, when the \
            last sampled page was fetched\n";
        head + &rows.collect::<String>() + legend
    })
}

/// Runs `goldminer profile export`.
///
/// # Errors
/// When the job cannot be read, or a file cannot be written.
pub(crate) fn export(args: &ProfileExportArgs) -> anyhow::Result<Exit> {
    // Everything is written before anything is printed, so that a reader who closes the output does not stop the work.
    let (mut written, mut words) = (Vec::new(), String::new());
    let mut write = |profile: &DomainProfile| -> anyhow::Result<()> {
        let file = profile_files::write(&args.out, profile)?.display().to_string();
        words += &format!("{file}\n");
        written.push(json!({ "key": profile.key, "version": profile.version, "file": file }));
        Ok(())
    };
    if ProfileBook::is_book(&args.dir) {
        for entry in ProfileBook::open(&args.dir)?.entries() {
            let entry = entry?;
            // Keeps the last profile of each key; the profiles of a key are in the order of time.
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
    output::answer(args.json, &written, || match words.is_empty() {
        true => format!("no profiles in {} yet", args.dir.display()),
        false => words,
    })
}

/// Runs `goldminer profile import`.
///
/// # Errors
/// When a profile is invalid, or the job is in use.
pub(crate) fn import(args: &ProfileImportArgs) -> anyhow::Result<Exit> {
    let job = JobDir::existing(&args.dir)?;
    let _lock = job.lock()?;
    let store = ProfileStore::open(&job.profiles())?;
    let (mut imported, mut words, mut is_any_new) = (Vec::new(), String::new(), false);
    for path in &args.profiles {
        for profile in profile_files::read(path)? {
            let key = profile.key.clone();
            let (version, is_new) = store.import_changed(profile)?;
            is_any_new |= is_new;
            words += &format!("{key}: version {version}{}\n", if is_new { "" } else { ", unchanged" });
            imported.push(json!({ "key": key, "version": version }));
        }
    }
    if is_any_new {
        let job = args.dir.display();
        words += &format!(
            "New documents use these profiles. An earlier version is used only for a page that the new one does not match.\n\
                 To see what they keep of a page: goldminer profile test {job} URL\n\
                 To extract the stored pages again: goldminer extract {job} -o OUT\n"
        );
    }
    output::answer(args.json, &imported, || words)
}

/// All versions of one profile. If there are none, the error suggests another key for `command`, the current command.
fn versions(dir: &Path, key: &str, command: &str) -> anyhow::Result<Vec<ServingProfile>> {
    let keys: Vec<String> = if JobDir::is_job(dir) {
        let versions: Vec<ServingProfile> = job_client::ask(dir, &Query::Profile { key: key.to_owned() })?;
        if !versions.is_empty() {
            return Ok(versions);
        }
        job_client::ask::<Vec<ProfileLine>>(dir, &Query::Profiles)?.into_iter().map(|line| line.key).collect()
    } else {
        // A book may have a million domains, so only one is looked up.
        let entry = if ProfileBook::is_book(dir) { ProfileBook::open(dir)?.entry_of(key)? } else { None };
        let entry = entry.into_iter().flat_map(|entry| entry.profiles).map(|spanned| spanned.profile);
        let of_book: Vec<DomainProfile> = entry.filter(|profile| profile.key == key).collect();
        let all = if of_book.is_empty() { profile_files::read(dir)? } else { of_book };
        let (found, others): (Vec<DomainProfile>, Vec<_>) = all.into_iter().partition(|profile| profile.key == key);
        if !found.is_empty() {
            return Ok(found.into_iter().map(ServingProfile::everywhere).collect());
        }
        others.into_iter().map(|profile| profile.key).collect()
    };
    bail!(unknown_key::no_profile(key, &keys, dir, command))
}
