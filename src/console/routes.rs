//! Which address shows what. Whatever reads a database or a file does so apart from those who answer.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};

use super::frame;
use super::guard::{self, Fields};
use super::jobs::Jobs;
use super::jobs_page::{self, Line};
use super::live::Watchers;
use super::portals_page::{self, View};
use super::shared::Shared;
use super::standing::Standing;
use super::starts::What;
use super::texts;
use crate::engine::job::JobDir;

type Console = State<Arc<Shared>>;

/// Every address.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    let watchers = Watchers::default();
    let live = move |State(shared): Console, Path(job): Path<String>| async move { watchers.watch(&shared.jobs, &job) };
    Router::new()
        .route("/", get(first))
        .route("/start", post(start))
        .route("/job/{job}", get(job))
        .route("/job/{job}/portals", get(portals))
        .route("/job/{job}/course", get(course))
        .route("/job/{job}/live", get(live))
        .route("/console.css", get(async || ([(CONTENT_TYPE, "text/css; charset=utf-8")], frame::style())))
        .route("/console.js", get(async || ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], frame::SCRIPT)))
        .fallback(async || failed(StatusCode::NOT_FOUND, texts::NOT_THERE))
        .layer(middleware::from_fn_with_state(shared.guard.clone(), guard::watch))
        .with_state(shared)
}

async fn first(State(shared): Console) -> Response {
    apart(move || {
        let names = shared.jobs.names();
        let lines: Vec<Line> = names.into_iter().map(|name| line(&shared, name)).collect();
        let course = match lines.as_slice() {
            [only] => shared.jobs.find(&only.name).and_then(|dir| Jobs::course(&dir, false).ok().flatten()),
            _ => None,
        };
        Ok(jobs_page::first(&shared, &lines, &shared.starts.all(), course.as_ref()))
    })
    .await
}

async fn start(State(shared): Console, fields: Fields) -> Response {
    let started = tokio::task::spawn_blocking(move || {
        let seeds = PathBuf::from(fields.get("seeds"));
        let what = if fields.get("what") == "demo" { What::Demo } else { What::Seeds(&seeds) };
        shared.starts.start(what, fields.get("name"))
    });
    match started.await {
        Ok(Ok(_)) => Redirect::to("/").into_response(),
        Ok(Err(error)) => failed(StatusCode::BAD_REQUEST, &format!("{error:#}")),
        Err(_) => failed(StatusCode::INTERNAL_SERVER_ERROR, texts::WENT_WRONG),
    }
}

async fn job(State(shared): Console, Path(name): Path<String>) -> Response {
    of_job(shared, name, |shared, name, dir| {
        let course = Jobs::course(&dir, false).ok().flatten();
        Ok(jobs_page::job(&line(shared, name), course.as_ref()))
    })
    .await
}

async fn portals(State(shared): Console, Path(name): Path<String>, Query(view): Query<View>) -> Response {
    standing(shared, name, move |name, standing| Ok(portals_page::all(name, standing, &view))).await
}

async fn course(State(shared): Console, Path(name): Path<String>) -> Response {
    of_job(shared, name, |_, name, dir| Ok(jobs_page::course(&name, &Jobs::course(&dir, true)?.unwrap_or_default())))
        .await
}

fn line(shared: &Shared, name: String) -> Line {
    let dir = shared.jobs.find(&name);
    let standing = match &dir {
        Some(dir) => shared.jobs.look(dir, shared.clock.now()).map_err(|error| format!("{error:#}")),
        None => Err(texts::NOT_THERE.to_owned()),
    };
    let is_beginning = dir.is_some_and(|dir| JobDir::is_beginning(&dir));
    Line { name, standing, is_beginning }
}

/// A page of a job, from how it stands.
async fn standing(
    shared: Arc<Shared>,
    name: String,
    page: impl FnOnce(&str, &Standing) -> anyhow::Result<Markup> + Send + 'static,
) -> Response {
    of_job(shared, name, |shared, name, dir| page(&name, &*shared.jobs.look(&dir, shared.clock.now())?)).await
}

/// A page of a job, from its folder.
async fn of_job(
    shared: Arc<Shared>,
    name: String,
    page: impl FnOnce(&Shared, String, PathBuf) -> anyhow::Result<Markup> + Send + 'static,
) -> Response {
    apart(move || match shared.jobs.find(&name) {
        Some(dir) => page(&shared, name, dir),
        None => anyhow::bail!(NotThere),
    })
    .await
}

/// A page that is not there.
#[derive(Debug, thiserror::Error)]
#[error("{}", texts::NOT_THERE)]
struct NotThere;

/// Makes a page where waiting keeps nobody else waiting.
async fn apart(page: impl FnOnce() -> anyhow::Result<Markup> + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(page).await {
        Ok(Ok(page)) => Html(page.into_string()).into_response(),
        Ok(Err(error)) if error.is::<NotThere>() => failed(StatusCode::NOT_FOUND, texts::NOT_THERE),
        Ok(Err(error)) => failed(StatusCode::SERVICE_UNAVAILABLE, &format!("{error:#}")),
        Err(_) => failed(StatusCode::INTERNAL_SERVER_ERROR, texts::WENT_WRONG),
    }
}

/// A page that says why there is no other.
fn failed(status: StatusCode, why: &str) -> Response {
    let body = html! { header { h1 { (texts::WENT_WRONG) } } p.said.bad { (why) } };
    let page = frame::page(texts::WENT_WRONG, &[], false, &body);
    (status, Html(page.into_string())).into_response()
}
