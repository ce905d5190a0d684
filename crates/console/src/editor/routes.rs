//! The addresses of the profile editor.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse;
use goldminer_core::{ProfileSet, StoredPage};
use goldminer_crawl::api::guard::Fields;
use maud::Markup;
use serde::Deserialize;

use super::action::EditAction;
use super::page::{Chosen, Edited, Pointed};
use super::{effects, propose, saving};
use crate::pages::frame::JobLinks;
use crate::pages::parts::Said;
use crate::reply::{form, page};
use crate::shared::Shared;
use crate::{stored_pages, texts};

/// The addresses below a job.
pub(crate) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/job/{job}/edit", page(look).merge(form(act)))
        .route("/job/{job}/try", page(attempt))
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
    pattern: String,
}

fn look(_: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<Markup> {
    show(links, dir, named, None)
}

/// Twelve pages before and after what was chosen.
fn attempt(_: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<Markup> {
    show_twelve(links, dir, named, None)
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
        named.pattern = fields.get("pattern").to_owned();
    }
    match EditAction::named(&named.action).is_some() && !named.pattern.is_empty() {
        true => show_twelve(links, dir, &named, Some(&said)),
        false => show(links, dir, &named, Some(&said)),
    }
}

/// Saves a choice, or the version before the latest once more; the number of the new version.
fn change(dir: &Path, key: &str, fields: &Fields) -> anyhow::Result<u32> {
    let version = fields.get("version").parse().context(texts::NO_CHANGE)?;
    if fields.get("act") == "undo" {
        return saving::save(dir, key, version, |versions| {
            let before = versions.len().checked_sub(2).context("there is no version before this one")?;
            Ok(versions[before].profile.clone())
        });
    }
    let action = EditAction::named(fields.get("action")).context(texts::NO_CHANGE)?;
    let others = match action {
        EditAction::Article => propose::others(dir, &stored_pages::of_url(dir, fields.get("url"))?)?,
        _ => Vec::new(),
    };
    saving::save(dir, key, version, |versions| {
        let latest = versions.last().map_or_else(|| propose::empty(key), |serving| serving.profile.clone());
        let changed = propose::changed(&latest, action, fields.get("pattern"));
        Ok(propose::completed(changed.context(texts::NO_CHANGE)?, action, &others))
    })
}

fn show(links: JobLinks<'_>, dir: &Path, named: &Named, said: Option<&Said>) -> anyhow::Result<Markup> {
    on_page(links, dir, &named.url, |page, edited| {
        let pointed = match named.block.zip(EditAction::named(&named.action)) {
            Some((block, action)) => {
                let proposals = propose::propose(page, &propose::others(dir, page)?, edited.profile, block, action);
                Some(Pointed { block, action, proposals })
            }
            None => None,
        };
        Ok(edited.editor(pointed.as_ref(), said))
    })
}

fn show_twelve(links: JobLinks<'_>, dir: &Path, named: &Named, said: Option<&Said>) -> anyhow::Result<Markup> {
    on_page(links, dir, &named.url, |page, edited| {
        let action = EditAction::named(&named.action).context(texts::NO_CHANGE)?;
        let others = propose::others(dir, page)?;
        let changed = propose::changed(edited.profile, action, &named.pattern);
        let effect = changed.and_then(|changed| {
            effects::of_each(edited.profile, &[propose::completed(changed, action, &others)], &others, false).pop()
        });
        Ok(edited.twelve(&Chosen { block: named.block, action, pattern: &named.pattern }, effect.as_ref(), said))
    })
}

/// Makes a page about a stored page and the profile that cuts it.
fn on_page(
    links: JobLinks<'_>,
    dir: &Path,
    url: &str,
    make: impl FnOnce(&StoredPage, &Edited<'_>) -> anyhow::Result<Markup>,
) -> anyhow::Result<Markup> {
    let page = stored_pages::of_url(dir, url)?;
    let serving = stored_pages::profiles(dir, page.domain.as_str())?;
    let (dissection, document) =
        stored_pages::read(&page, &ProfileSet::of(serving.iter().cloned())).context(texts::NO_PAGE)?;
    let (profile, template) = propose::current(&page, &dissection, &serving);
    let document = document.as_ref().ok().map(AsRef::as_ref);
    make(&page, &Edited { links, url, dissection: &dissection, document, profile: &profile, template })
}

/// The latest version of a profile, as a file that a browser saves.
fn profile_file(
    _: &Arc<Shared>,
    _: JobLinks<'_>,
    dir: &Path,
    named: &Named,
) -> anyhow::Result<impl IntoResponse + use<>> {
    let versions = saving::versions(dir, &named.key)?;
    let latest = versions.last().context("there is no such profile")?;
    let name = (CONTENT_DISPOSITION, "attachment; filename=\"profile.toml\"");
    Ok(([(CONTENT_TYPE, "application/toml; charset=utf-8"), name], latest.profile.to_toml()))
}
