//! The routes of the profile editor, and saving. A version that another browser or the learner has saved meanwhile is
//! not overwritten: the page then lists that version's changes and keeps the user's choice.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use axum::Router;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse;
use goldminer_core::{DomainProfile, ProfileSet, ServingProfile};
use goldminer_crawl::api::guard::Fields;
use goldminer_crawl::api::{Query, client as job_client};
use maud::Markup;
use serde::Deserialize;

use super::page::{EditedPage, UserChoice};
use super::propose;
use super::propose::EditAction;
use crate::pages::frame::JobLinks;
use crate::pages::parts::FormResult;
use crate::reply::{form, page};
use crate::shared::ConsoleState;
use crate::words::profile::differences;
use crate::{stored_pages, texts};

/// The routes of the editor, relative to those of a job.
pub(crate) fn router() -> Router<Arc<ConsoleState>> {
    Router::new()
        .route("/job/{job}/edit", page(open).merge(form(submit)))
        .route("/job/{job}/profile.toml", page(profile_file))
}

/// The parameters of a request. `block` and `action` are the user's choice, if there is one.
#[derive(Default, Deserialize)]
#[serde(default)]
struct EditorQuery {
    url: String,
    key: String,
    block: Option<usize>,
    action: String,
}

fn open(_: &Arc<ConsoleState>, links: JobLinks<'_>, dir: &Path, named: &EditorQuery) -> anyhow::Result<Markup> {
    show(links, dir, named, None)
}

fn submit(shared: &Arc<ConsoleState>, links: JobLinks<'_>, dir: &Path, fields: &Fields) -> anyhow::Result<Markup> {
    let key = fields.get("key");
    let result: FormResult = change(dir, key, fields).map_err(|why| format!("{why:#}")).map(|version| {
        vec![
            format!("Saved as version {version} of {key}. It applies to pages extracted from now on."),
            format!("To extract the stored pages again: goldminer extract {} -o OUT", dir.display()),
        ]
    });
    shared.jobs.forget(dir);
    let mut named = EditorQuery { url: fields.get("url").to_owned(), ..EditorQuery::default() };
    if result.is_err() {
        // The choice stays selected, so that the user sees its effect on the current version and can save again.
        named.block = fields.get("block").parse().ok();
        named.action = fields.get("action").to_owned();
    }
    show(links, dir, &named, Some(&result))
}

/// Saves the user's choice as a new version of a profile; or, to undo the latest version, saves the one before it
/// again. Returns the number of the new version.
fn change(dir: &Path, key: &str, fields: &Fields) -> anyhow::Result<u32> {
    let version = fields.get("version").parse().context(texts::NO_CHANGE)?;
    if fields.get("act") == "undo" {
        return save(dir, key, version, |versions| {
            let before = versions.len().checked_sub(2).context("there is no version before this one")?;
            Ok(versions[before].profile.clone())
        });
    }
    let action = EditAction::named(fields.get("action")).context(texts::NO_CHANGE)?;
    let others = match action {
        EditAction::Article => propose::others(dir, &stored_pages::of_url(dir, fields.get("url"))?)?,
        _ => Vec::new(),
    };
    save(dir, key, version, |versions| {
        let latest = versions.last().map_or_else(|| propose::empty(key), |serving| serving.profile.clone());
        let changed = propose::changed(&latest, action, fields.get("pattern"));
        Ok(propose::completed(changed.context(texts::NO_CHANGE)?, action, &others))
    })
}

/// The editor's page, for a stored page and the profile that applies to it.
fn show(links: JobLinks<'_>, dir: &Path, named: &EditorQuery, result: Option<&FormResult>) -> anyhow::Result<Markup> {
    let page = stored_pages::of_url(dir, &named.url)?;
    let serving = stored_pages::profiles(dir, page.domain.as_str())?;
    let (dissection, document) =
        stored_pages::read(&page, &ProfileSet::of(serving.iter().cloned())).context(texts::NO_PAGE)?;
    let (profile, template) = propose::current(&page, &dissection, &serving);
    let pointed = match named.block.zip(EditAction::named(&named.action)) {
        Some((block, action)) => {
            let proposals = propose::propose(&page, &propose::others(dir, &page)?, &profile, block, action);
            Some(UserChoice { block, action, proposals })
        }
        None => None,
    };
    let document = document.as_ref().ok().map(AsRef::as_ref);
    let edited = EditedPage { links, url: &named.url, dissection: &dissection, document, profile: &profile, template };
    Ok(edited.editor(pointed.as_ref(), result))
}

/// The latest version of a profile as a download.
fn profile_file(
    _: &Arc<ConsoleState>,
    _: JobLinks<'_>,
    dir: &Path,
    named: &EditorQuery,
) -> anyhow::Result<impl IntoResponse + use<>> {
    let versions = versions(dir, &named.key)?;
    let latest = versions.last().context("this domain has no profile: go back and reload")?;
    let name = (CONTENT_DISPOSITION, "attachment; filename=\"profile.toml\"");
    Ok(([(CONTENT_TYPE, "application/toml; charset=utf-8"), name], latest.profile.to_toml()))
}

/// Saves a new version of a profile if the latest is still `expected`. `make` derives the new version from the existing
/// ones. Returns the number of the new version.
fn save(
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

/// All versions of a profile, oldest first; empty if there is no such profile.
fn versions(dir: &Path, key: &str) -> anyhow::Result<Vec<ServingProfile>> {
    job_client::ask(dir, &Query::Profile { key: key.to_owned() })
}

/// A message that another version was saved in the meantime, with its changes; None if the latest version is
/// `expected`.
fn meanwhile(versions: &[ServingProfile], expected: u32) -> Option<String> {
    let latest = versions.last().map(|serving| &serving.profile);
    let (key, number) = latest.map_or(("the profile", 0), |latest| (&latest.key, latest.version));
    if number == expected {
        return None;
    }
    let known = versions.iter().map(|serving| &serving.profile).find(|profile| profile.version == expected);
    let changes = known.zip(latest).map(|(known, latest)| differences(known, latest)).unwrap_or_default();
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
    fn changes_saved_in_the_meantime_are_listed() {
        let serving = |version: u32, rest: &str| {
            let text = format!("key = 'a.example'\nversion = {version}\n[[template]]\nstart = 'div.story'\n{rest}");
            ServingProfile::everywhere(DomainProfile::from_toml(&text).unwrap())
        };
        let versions = [serving(1, ""), serving(2, "drops = ['div.ad']\n[manual]\ncomments = ['ol.say']\n")];
        assert!(meanwhile(&versions, 2).is_none());
        let message = meanwhile(&versions, 1).unwrap();
        assert!(message.contains("version 2 of a.example"), "{message}");
        assert!(message.lines().any(|line| line.starts_with('+') && line.ends_with("div.ad")), "{message}");
        assert!(message.lines().any(|line| line.ends_with("comments: ol.say")), "{message}");
        assert!(meanwhile(&[], 0).is_none() && meanwhile(&[], 3).is_some());
    }
}
