//! The addresses of the profile editor, and saving. A version that was saved meanwhile, from another browser or by learning, is
//! not overwritten: the page says what it changed, and keeps the choice.

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

use super::page::{Edited, Pointed};
use super::propose;
use super::propose::EditAction;
use crate::pages::frame::JobLinks;
use crate::pages::parts::Said;
use crate::reply::{form, page};
use crate::shared::Shared;
use crate::words::profile::differences;
use crate::{stored_pages, texts};

/// The addresses below a job.
pub(crate) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/job/{job}/edit", page(look).merge(form(act)))
        .route("/job/{job}/profile.toml", page(profile_file))
}

/// What an address names.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    url: String,
    key: String,
    block: Option<usize>,
    action: String,
}

fn look(_: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<Markup> {
    show(links, dir, named, None)
}

fn act(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, fields: &Fields) -> anyhow::Result<Markup> {
    let key = fields.get("key");
    let said: Said = change(dir, key, fields).map_err(|why| format!("{why:#}")).map(|version| {
        vec![
            format!("Saved as version {version} of {key}. It applies to pages extracted from now on."),
            format!("To extract the stored pages again: goldminer extract {} -o OUT", dir.display()),
        ]
    });
    shared.jobs.forget(dir);
    let mut named = Named { url: fields.get("url").to_owned(), ..Named::default() };
    if said.is_err() {
        // The choice is kept, and tried on what there is now.
        named.block = fields.get("block").parse().ok();
        named.action = fields.get("action").to_owned();
    }
    show(links, dir, &named, Some(&said))
}

/// Saves a choice, or the version before the latest once more; the number of the new version.
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

/// The editor of a stored page and of the profile that cuts it.
fn show(links: JobLinks<'_>, dir: &Path, named: &Named, said: Option<&Said>) -> anyhow::Result<Markup> {
    let page = stored_pages::of_url(dir, &named.url)?;
    let serving = stored_pages::profiles(dir, page.domain.as_str())?;
    let (dissection, document) =
        stored_pages::read(&page, &ProfileSet::of(serving.iter().cloned())).context(texts::NO_PAGE)?;
    let (profile, template) = propose::current(&page, &dissection, &serving);
    let pointed = match named.block.zip(EditAction::named(&named.action)) {
        Some((block, action)) => {
            let proposals = propose::propose(&page, &propose::others(dir, &page)?, &profile, block, action);
            Some(Pointed { block, action, proposals })
        }
        None => None,
    };
    let document = document.as_ref().ok().map(AsRef::as_ref);
    let edited = Edited { links, url: &named.url, dissection: &dissection, document, profile: &profile, template };
    Ok(edited.editor(pointed.as_ref(), said))
}

/// The latest version of a profile, as a file that a browser saves.
fn profile_file(
    _: &Arc<Shared>,
    _: JobLinks<'_>,
    dir: &Path,
    named: &Named,
) -> anyhow::Result<impl IntoResponse + use<>> {
    let versions = versions(dir, &named.key)?;
    let latest = versions.last().context("there is no such profile")?;
    let name = (CONTENT_DISPOSITION, "attachment; filename=\"profile.toml\"");
    Ok(([(CONTENT_TYPE, "application/toml; charset=utf-8"), name], latest.profile.to_toml()))
}

/// Saves what is made of the versions of a profile, if the latest of them is still the expected one; the new version's number.
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

/// Every version of a profile, oldest first; none where there is no such profile.
fn versions(dir: &Path, key: &str) -> anyhow::Result<Vec<ServingProfile>> {
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
