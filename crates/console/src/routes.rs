//! The HTTP routes of the console. Databases and files are read on threads that may block, not on the threads that
//! serve connections.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{self, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use goldminer_core::ProfileSet;
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::api::guard::{self, Fields};
use goldminer_crawl::{Command, JobDir, Query, SiteReport};
use goldminer_html::encoding;
use jiff::SignedDuration;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use super::jobs::JobState;
use super::pages::frame::{self, JobLinks};
use super::pages::jobs::Line;
use super::pages::parts::FormResult;
use super::pages::portals::View;
use super::reply::{Console, NoSuchPage, apart, failed, form, page, status_of};
use super::shared::ConsoleState;
use super::stored_pages::{self, sanitize};
use super::{commands, editor, live, pages, texts};

/// How long the page of all jobs and the page of a job wait for a new state. After that they show the previous state,
/// and the script updates them later.
const QUICK: Duration = Duration::from_millis(150);

pub(super) fn router(shared: Arc<ConsoleState>) -> Router {
    Router::new()
        .route("/", get(first))
        .route("/live", get(live))
        .route("/start", post(start))
        .route("/job/{job}", page(job))
        .route("/job/{job}/portals", page(portals))
        .route("/job/{job}/live", get(live))
        .route("/job/{job}/portal", page(portal))
        .route("/job/{job}/command", form(command))
        .route("/job/{job}/stop", form(stop))
        .route("/job/{job}/url", page(url))
        .route("/job/{job}/stored", page(stored))
        .merge(editor::routes::router())
        .merge(frame::files())
        .fallback(async || failed(StatusCode::NOT_FOUND, texts::NOT_THERE))
        .layer(middleware::from_fn_with_state(shared.guard.clone(), guard::admit))
        .with_state(shared)
}

/// Sends the live numbers of a job, or of all jobs.
async fn live(State(shared): Console, job: Option<extract::Path<String>>) -> Response {
    live::watch(shared, job.map(|job| job.0)).await
}

async fn first(State(shared): Console) -> Response {
    apart(move || {
        let names = shared.jobs.names();
        let mut lines: Vec<Line> = names.into_iter().map(|name| line(&shared, name, Duration::ZERO)).collect();
        // The states of all jobs are being read now. The page shows those that are ready in time.
        let until = shared.clock.now().checked_add(QUICK)?;
        for line in lines.iter_mut().filter(|line| matches!(line.state, JobState::Before(_) | JobState::Pending)) {
            let left = until.duration_since(shared.clock.now()).max(SignedDuration::ZERO).unsigned_abs();
            *line = self::line(&shared, std::mem::take(&mut line.name), left);
        }
        Ok(pages::jobs::first(shared.guard.check(), &lines, &shared.starts.all(), &shared.starts.folder()))
    })
    .await
}

async fn start(State(shared): Console, fields: Fields) -> Response {
    let started = tokio::task::spawn_blocking(move || {
        let seeds = Some(Path::new(fields.get("seeds"))).filter(|_| fields.get("what") != "demo");
        let job = shared.starts.start(seeds, fields.get("name"))?;
        shared.jobs.note(&job);
        anyhow::Ok(())
    });
    match started.await {
        Ok(Ok(())) => Redirect::to("/").into_response(),
        Ok(Err(error)) => failed(StatusCode::BAD_REQUEST, &format!("{error:#}")),
        Err(_) => failed(StatusCode::INTERNAL_SERVER_ERROR, texts::WENT_WRONG),
    }
}

/// The parameters of a page's URL: the name of a portal, or a crawled URL.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PageQuery {
    name: String,
    url: String,
}

fn job(shared: &Arc<ConsoleState>, links: JobLinks<'_>, _: &Path, _: &PageQuery) -> anyhow::Result<Markup> {
    Ok(pages::jobs::job(links.check, &line(shared, links.job.to_owned(), QUICK)))
}

fn portals(shared: &Arc<ConsoleState>, links: JobLinks<'_>, dir: &Path, view: &View) -> anyhow::Result<Markup> {
    Ok(pages::portals::all(links, &*shared.jobs.wait_for_state(dir)?, view))
}

fn portal(shared: &Arc<ConsoleState>, links: JobLinks<'_>, dir: &Path, named: &PageQuery) -> anyhow::Result<Markup> {
    show_portal(shared, links, dir, &named.name, None)
}

fn command(shared: &Arc<ConsoleState>, links: JobLinks<'_>, dir: &Path, fields: &Fields) -> anyhow::Result<Markup> {
    let result = commands::execute(dir, |name| fields.get(name));
    shared.jobs.forget(dir);
    show_portal(shared, links, dir, fields.get("portal"), Some(&result))
}

fn stop(shared: &Arc<ConsoleState>, links: JobLinks<'_>, dir: &Path, _: &Fields) -> anyhow::Result<Redirect> {
    job_client::execute(dir, &[Command::Stop])?;
    shared.jobs.forget(dir);
    Ok(Redirect::to(&links.to("", &[])))
}

fn show_portal(
    shared: &Arc<ConsoleState>,
    links: JobLinks<'_>,
    dir: &Path,
    name: &str,
    result: Option<&FormResult>,
) -> anyhow::Result<Markup> {
    let summary = shared.jobs.wait_for_state(dir)?;
    let line = summary.portals.iter().find(|line| line.name == name).ok_or(NoSuchPage(texts::NOT_THERE))?;
    let hosts = line.hosts.iter().map(|number| summary.hosts[*number].host.as_str().to_owned()).collect();
    let site: SiteReport = job_client::ask(dir, &Query::Site { hosts })?;
    Ok(pages::portal::portal(links, &summary, line, &site, result))
}

fn url(_: &Arc<ConsoleState>, links: JobLinks<'_>, dir: &Path, named: &PageQuery) -> anyhow::Result<Markup> {
    let (report, profiles) = stored_pages::why_and_profiles(dir, &named.url)?;
    let page = stored_pages::stored(dir, &report)?;
    let read = page.and_then(|page| stored_pages::read(&page, &ProfileSet::of(profiles)));
    Ok(pages::url::url(links, &report, read.as_ref()))
}

/// The stored page, or a note why there is none, for an `<iframe>` without any permissions.
fn stored(
    _: &Arc<ConsoleState>,
    _: JobLinks<'_>,
    dir: &Path,
    named: &PageQuery,
) -> anyhow::Result<impl IntoResponse + use<>> {
    let (status, html) = match stored_pages::of_url(dir, &named.url) {
        Ok(page) => {
            let text = encoding::decode(&page.bytes, page.content_type.as_deref());
            (StatusCode::OK, sanitize::sanitize(&text.text))
        }
        Err(why) => {
            let (status, html) = (status_of(&why), html! { p { (format!("{why:#}")) } }.into_string());
            (status, sanitize::sanitize(&html))
        }
    };
    Ok((status, [(CONTENT_SECURITY_POLICY, sanitize::POLICY)], PreEscaped(html)))
}

fn line(shared: &ConsoleState, name: String, patience: Duration) -> Line {
    let dir = shared.jobs.find(&name);
    let state = match &dir {
        Some(dir) if JobDir::is_beginning(dir) => JobState::Beginning,
        Some(dir) => shared.jobs.state(dir, patience),
        None => JobState::Failed(texts::NOT_THERE.to_owned()),
    };
    let dir = dir.unwrap_or_default();
    let renewed_after = live::renewed_after(shared.jobs.took(&dir));
    Line { name, dir, state, renewed_after }
}
