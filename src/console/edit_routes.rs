//! The addresses of the profile editor.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::extract::{self, Query};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, PreEscaped};
use serde::Deserialize;

use super::editor::{self, Choice};
use super::editor_page::{self, Edited, Pointed};
use super::guard::Fields;
use super::pages;
use super::portal_page::Said;
use super::reply::{Console, of_job};
use super::shared::Shared;
use super::texts;
use super::wish::Wish;
use crate::engine::Query as Question;
use crate::extract::domain::{ProfileSet, ServingProfile};
use crate::job_client;

/// The addresses below a job.
pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new().route("/job/{job}/edit", get(look).post(act)).route("/job/{job}/profile.toml", get(export))
}

/// What an address names.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    url: String,
    key: String,
    block: Option<usize>,
    wish: String,
}

async fn look(
    extract::State(shared): Console,
    extract::Path(job): extract::Path<String>,
    Query(named): Query<Named>,
) -> Response {
    of_job(shared, job, move |shared, job, dir| {
        let pointed = named.block.zip(Wish::named(&named.wish));
        show(shared, &job, &dir, &named.url, pointed, None)
    })
    .await
}

async fn act(extract::State(shared): Console, extract::Path(job): extract::Path<String>, fields: Fields) -> Response {
    of_job(shared, job, move |shared, job, dir| {
        let said = change(&dir, &fields).map(|done| vec![done]).map_err(|error| format!("{error:#}"));
        shared.jobs.forget(&dir);
        show(shared, &job, &dir, fields.get("url"), None, Some(&said))
    })
    .await
}

/// Saves or takes back; what was done.
fn change(dir: &Path, fields: &Fields) -> anyhow::Result<String> {
    let (key, version) = (fields.get("key"), fields.get("version").parse().context(texts::NO_CHANGE)?);
    let saved = match fields.get("act") {
        "undo" => editor::undo(dir, key, version)?,
        _ => {
            let wish = Wish::named(fields.get("wish")).context(texts::NO_CHANGE)?;
            let template = fields.get("template").parse().ok();
            editor::save(dir, &Choice { key, version, template, wish, pattern: fields.get("pattern") })?
        }
    };
    Ok(texts::saved(key, saved))
}

fn show(
    shared: &Shared,
    job: &str,
    dir: &Path,
    url: &str,
    pointed: Option<(usize, Wish)>,
    said: Option<&Said>,
) -> anyhow::Result<Markup> {
    let page = pages::stored(dir, &pages::why(dir, url)?)?.context(texts::NO_PAGE)?;
    let serving = pages::profiles(dir, page.domain.as_str())?;
    let (dissection, _) = pages::read(&page, &ProfileSet::of(serving.iter().cloned())).context(texts::NO_PAGE)?;
    let (profile, template) = editor::current(&page, &dissection, &serving);
    let proposals = match pointed {
        Some((block, wish)) => editor::propose(&page, &editor::others(dir, &page)?, (&profile, template), block, wish),
        None => Vec::new(),
    };
    let edited = Edited { job, url, dissection: &dissection, profile: &profile, template };
    let pointed = pointed.map(|(block, wish)| Pointed { block, wish, proposals: &proposals });
    Ok(editor_page::editor(&shared.guard, &edited, pointed.as_ref(), said))
}

/// The latest version of a profile, as a file.
async fn export(
    extract::State(shared): Console,
    extract::Path(job): extract::Path<String>,
    Query(named): Query<Named>,
) -> Response {
    let mut response = of_job(shared, job, move |_, _, dir| {
        let versions: Vec<ServingProfile> = job_client::ask(&dir, &Question::Profile { key: named.key })?;
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
