//! The addresses of the profile editor.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::extract::Query;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::get;
use goldminer_core::extract::domain::ProfileSet;
use maud::{Markup, PreEscaped};
use serde::Deserialize;

use crate::edit_action::EditAction;
use crate::editor_page::Pointed;
use crate::editor_parts::Edited;
use crate::guard::Fields;
use crate::portal_page::Said;
use crate::reply::Job;
use crate::saving::{Choice, NotSaved};
use crate::shared::Shared;
use crate::starts::What;
use crate::{again_page, editor, editor_page, effects, pages, saving, texts, try_page};

/// The addresses below a job.
pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/job/{job}/edit", get(look).post(act))
        .route("/job/{job}/try", get(attempt))
        .route("/job/{job}/again", get(again).post(extract_again))
        .route("/job/{job}/profile.toml", get(export))
}

/// What an address names.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Named {
    url: String,
    key: String,
    block: Option<usize>,
    action: String,
    pattern: String,
}

async fn look(job: Job, Query(named): Query<Named>) -> Response {
    job.page(move |shared, job, dir| show(shared, &job, &dir, &named, None)).await
}

/// Twelve pages before and after what was chosen.
async fn attempt(job: Job, Query(named): Query<Named>) -> Response {
    job.page(move |shared, job, dir| show_twelve(shared, &job, &dir, &named, None)).await
}

async fn act(job: Job, fields: Fields) -> Response {
    job.page(move |shared, job, dir| {
        let named = Named {
            url: fields.get("url").to_owned(),
            block: fields.get("block").parse().ok(),
            action: fields.get("action").to_owned(),
            pattern: fields.get("pattern").to_owned(),
            ..Named::default()
        };
        let done = change(&dir, &fields);
        shared.jobs.forget(&dir);
        match done {
            Ok(saved) => {
                let mut said = vec![texts::saved(fields.get("key"), saved)];
                if fields.get("again") == "1" {
                    shared.starts.start(What::Extract, &job)?;
                    said.push(texts::EXTRACTS_AGAIN.to_owned());
                }
                show(shared, &job, &dir, &Named { url: named.url, ..Named::default() }, Some(&Ok(said)))
            }
            // The choice is kept, and tried on what there is now.
            Err(NotSaved::Meanwhile { latest, changes }) => {
                let why = texts::other_version(fields.get("key"), latest, &changes);
                let has_chosen = EditAction::named(&named.action).is_some() && !named.pattern.is_empty();
                match has_chosen {
                    true => show_twelve(shared, &job, &dir, &named, Some(&Err(why))),
                    false => show(shared, &job, &dir, &named, Some(&Err(why))),
                }
            }
            Err(NotSaved::Failed(why)) => show(shared, &job, &dir, &named, Some(&Err(format!("{why:#}")))),
        }
    })
    .await
}

/// Saves or takes back; the number of the new version.
fn change(dir: &Path, fields: &Fields) -> Result<u32, NotSaved> {
    let (key, version) = (fields.get("key"), fields.get("version").parse().context(texts::NO_CHANGE)?);
    if fields.get("act") == "undo" {
        return saving::undo(dir, key, version);
    }
    let action = EditAction::named(fields.get("action")).context(texts::NO_CHANGE)?;
    let template = fields.get("template").parse().ok();
    let others = match action {
        EditAction::Article => {
            let page = pages::why(dir, fields.get("url")).and_then(|report| pages::stored(dir, &report))?;
            editor::others(dir, &page.context(texts::NO_PAGE)?)?
        }
        _ => Vec::new(),
    };
    saving::save(dir, &Choice { key, version, template, action, pattern: fields.get("pattern"), others: &others })
}

fn show(shared: &Shared, job: &str, dir: &Path, named: &Named, said: Option<&Said>) -> anyhow::Result<Markup> {
    on_page(shared, job, dir, &named.url, |page, edited| {
        let pointed = named.block.zip(EditAction::named(&named.action));
        let proposals = match pointed {
            Some((block, action)) => {
                let profile = (edited.profile, edited.template);
                editor::propose(page, &editor::others(dir, page)?, profile, block, action)
            }
            None => Vec::new(),
        };
        let pointed = pointed.map(|(block, action)| Pointed { block, action, proposals: &proposals });
        Ok(editor_page::editor(&shared.guard, edited, pointed.as_ref(), said))
    })
}

fn show_twelve(shared: &Shared, job: &str, dir: &Path, named: &Named, said: Option<&Said>) -> anyhow::Result<Markup> {
    on_page(shared, job, dir, &named.url, |page, edited| {
        let action = EditAction::named(&named.action).context(texts::NO_CHANGE)?;
        let changed = editor::changed(edited.profile, edited.template, action, &named.pattern);
        let others = editor::others(dir, page)?;
        let changed = changed.map(|changed| editor::completed(changed, action, &others));
        let twelve = changed.map(|changed| effects::twelve(edited.profile, &changed, &others));
        let chosen = try_page::Chosen { block: named.block, action, pattern: &named.pattern, tried: others.len() };
        Ok(try_page::twelve(&shared.guard, edited, &chosen, twelve.as_ref(), said))
    })
}

/// Makes a page about a stored page and the profile that cuts it.
fn on_page(
    shared: &Shared,
    job: &str,
    dir: &Path,
    url: &str,
    make: impl FnOnce(&goldminer_core::extract::domain::StoredPage, &Edited<'_>) -> anyhow::Result<Markup>,
) -> anyhow::Result<Markup> {
    let page = pages::stored(dir, &pages::why(dir, url)?)?.context(texts::NO_PAGE)?;
    let serving = pages::profiles(dir, page.domain.as_str())?;
    let (dissection, document) =
        pages::read(&page, &ProfileSet::of(serving.iter().cloned())).context(texts::NO_PAGE)?;
    let (profile, template) = editor::current(&page, &dissection, &serving);
    let has_extracted = shared.starts.has_extracted(job);
    let edited = Edited {
        job,
        url,
        domain: page.domain.as_str(),
        dissection: &dissection,
        document: document.as_ref().ok().map(AsRef::as_ref),
        profile: &profile,
        template,
        has_extracted,
    };
    make(&page, &edited)
}

async fn extract_again(job: Job, _fields: Fields) -> Response {
    job.page(move |shared, job, _| {
        shared.starts.start(What::Extract, &job)?;
        Ok(again_page::again(&job, shared.starts.extraction(&job).as_ref()))
    })
    .await
}

/// How the extraction of a job stands.
async fn again(job: Job) -> Response {
    job.page(move |shared, job, _| Ok(again_page::again(&job, shared.starts.extraction(&job).as_ref()))).await
}

/// The latest version of a profile, as a file.
async fn export(job: Job, Query(named): Query<Named>) -> Response {
    let mut response = job
        .page(move |_, _, dir| {
            let versions = saving::versions(&dir, &named.key)?;
            let latest = versions.last().context(texts::NO_PROFILE)?;
            Ok(PreEscaped(latest.profile.to_toml()))
        })
        .await;
    if response.status() == StatusCode::OK {
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/toml; charset=utf-8"));
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"profile.toml\""));
    }
    response
}
