//! Which address shows what. Databases and files are read on threads that may block, not on those that serve connections.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{self, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use goldminer_core::extract::domain::ProfileSet;
use goldminer_crawl::api::guard::{self, Fields};
use goldminer_crawl::api::{Command, Query, client as job_client};
use goldminer_crawl::health::site::SiteReport;
use goldminer_crawl::job::JobDir;
use goldminer_crawl::seeds::typed_url;
use goldminer_html::encoding;
use jiff::SignedDuration;
use maud::{Markup, PreEscaped};
use serde::Deserialize;

use super::jobs::{Look, PATIENCE};
use super::live::Watchers;
use super::pages::frame::{self, JobLinks};
use super::pages::jobs::Line;
use super::pages::parts::Said;
use super::pages::portals::View;
use super::reply::{Console, NotThere, apart, failed, form, page};
use super::shared::Shared;
use super::starts::What;
use super::stored_pages::{self, sanitize};
use super::timelines::{SoFar, TIMELINE_PATIENCE};
use super::{editor, orders, pages, texts};

/// The pages that people begin with wait no longer for a look: what is known is shown, and the rest when it is there.
const QUICK: Duration = Duration::from_millis(150);

/// Every address.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    let watchers = Watchers::default();
    let of_all = watchers.clone();
    let live = move |State(shared): Console, extract::Path(job): extract::Path<String>| async move {
        watchers.watch(shared, Some(job)).await
    };
    let all_live = move |State(shared): Console| async move { of_all.watch(shared, None).await };
    Router::new()
        .route("/", get(first))
        .route("/live", get(all_live))
        .route("/start", post(start))
        .route("/job/{job}", page(job))
        .route("/job/{job}/portals", page(portals))
        .route("/job/{job}/course", page(course))
        .route("/job/{job}/live", get(live))
        .route("/job/{job}/portal", page(portal))
        .route("/job/{job}/order", form(order))
        .route("/job/{job}/stop", form(stop))
        .route("/job/{job}/find", page(find))
        .route("/job/{job}/url", page(url))
        .route("/job/{job}/stored", page(stored))
        .merge(editor::routes::router())
        .merge(frame::files())
        .fallback(async || failed(StatusCode::NOT_FOUND, texts::NOT_THERE))
        .layer(middleware::from_fn_with_state(shared.guard.clone(), guard::watch))
        .with_state(shared)
}

async fn first(State(shared): Console) -> Response {
    apart(move || {
        let names = shared.jobs.names();
        let mut lines: Vec<Line> = names.into_iter().map(|name| line(&shared, name, Duration::ZERO)).collect();
        // All looks have begun: those that end in time are on the page.
        let until = shared.clock.now().checked_add(QUICK)?;
        for line in lines.iter_mut().filter(|line| matches!(line.look, Look::Before(_) | Look::UnderWay)) {
            let left = until.duration_since(shared.clock.now()).max(SignedDuration::ZERO).unsigned_abs();
            *line = self::line(&shared, std::mem::take(&mut line.name), left);
        }
        let course = match lines.as_slice() {
            [only] => course_of(&shared, only),
            _ => SoFar::default(),
        };
        let (check, folder) = (shared.guard.check(), shared.starts.folder());
        Ok(pages::jobs::first(check, &lines, &shared.starts.all(), &folder, &course))
    })
    .await
}

async fn start(State(shared): Console, fields: Fields) -> Response {
    let started = tokio::task::spawn_blocking(move || {
        let seeds = PathBuf::from(fields.get("seeds"));
        let what = match fields.get("what") {
            "demo" => What::Demo,
            "extract" => What::Extract,
            _ => What::Seeds(&seeds),
        };
        let job = shared.starts.start(what, fields.get("name"))?;
        shared.jobs.note(&job);
        anyhow::Ok(job)
    });
    match started.await {
        Ok(Ok(_)) => Redirect::to("/").into_response(),
        Ok(Err(error)) => failed(StatusCode::BAD_REQUEST, &format!("{error:#}")),
        Err(_) => failed(StatusCode::INTERNAL_SERVER_ERROR, texts::WENT_WRONG),
    }
}

/// What an address names.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    name: String,
    url: String,
    q: String,
}

fn job(shared: &Arc<Shared>, links: JobLinks<'_>, _: &Path, _: &Named) -> anyhow::Result<Markup> {
    let line = line(shared, links.job.to_owned(), QUICK);
    Ok(pages::jobs::job(links.check, &line, &course_of(shared, &line)))
}

fn portals(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, view: &View) -> anyhow::Result<Markup> {
    Ok(pages::portals::all(links, &*shared.jobs.whole_look(dir)?, view))
}

fn course(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, _: &Named) -> anyhow::Result<Markup> {
    Ok(pages::jobs::course(links, &shared.timelines.of(dir, PATIENCE)))
}

fn portal(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<Markup> {
    show_portal(shared, links, dir, &named.name, None, None)
}

fn order(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, fields: &Fields) -> anyhow::Result<Markup> {
    let standing = shared.jobs.whole_look(dir)?;
    let (said, undo) = orders::carry_out(dir, fields, &standing);
    shared.jobs.forget(dir);
    show_portal(shared, links, dir, fields.get("portal"), Some(&said), undo.as_ref())
}

fn stop(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, _: &Fields) -> anyhow::Result<Redirect> {
    job_client::execute(dir, &[Command::Stop])?;
    shared.jobs.forget(dir);
    Ok(Redirect::to(&links.to("", &[])))
}

fn show_portal(
    shared: &Arc<Shared>,
    links: JobLinks<'_>,
    dir: &Path,
    name: &str,
    said: Option<&Said>,
    undo: Option<&orders::Order>,
) -> anyhow::Result<Markup> {
    let standing = shared.jobs.whole_look(dir)?;
    let line = standing.portals.iter().find(|line| line.name == name).ok_or(NotThere)?;
    let hosts = line.hosts.iter().filter_map(|number| standing.hosts.get(*number));
    let hosts: Vec<String> = hosts.map(|host| host.host.as_str().to_owned()).collect();
    let site: SiteReport = job_client::ask(dir, &Query::Site { hosts })?;
    Ok(pages::portal::portal(links, &standing, line, &site, said, undo))
}

/// A URL leads to its page, words to the documents that have them.
fn find(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<Response> {
    if let Ok(url) = typed_url(&named.q) {
        return Ok(Redirect::to(&links.to("url", &[("url", url.as_str())])).into_response());
    }
    let (found, is_whole) = stored_pages::search(dir, &named.q, &shared.clock)?;
    Ok(pages::url::found(links, &named.q, &found, is_whole).into_response())
}

fn url(_: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<Markup> {
    let (report, profiles) = stored_pages::why_and_profiles(dir, &named.url)?;
    let page = stored_pages::stored(dir, &report)?;
    let read = page.and_then(|page| stored_pages::read(&page, &ProfileSet::of(profiles)));
    Ok(pages::url::url(links, &report, read.as_ref()))
}

/// The stored page by itself, for a frame without any right.
fn stored(_: &Arc<Shared>, _: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<impl IntoResponse + use<>> {
    let page = stored_pages::of_url(dir, &named.url)?;
    let text = encoding::decode(&page.bytes, page.content_type.as_deref());
    let sanitized: Markup = PreEscaped(sanitize::sanitize(&text.text));
    Ok(([(CONTENT_SECURITY_POLICY, sanitize::POLICY)], sanitized))
}

/// What came when in a job that is shown.
fn course_of(shared: &Arc<Shared>, line: &Line) -> SoFar {
    match line.look.standing() {
        Some(_) => shared.timelines.of(&line.dir, TIMELINE_PATIENCE),
        None => SoFar::default(),
    }
}

fn line(shared: &Shared, name: String, patience: Duration) -> Line {
    let dir = shared.jobs.find(&name);
    let is_beginning = dir.as_ref().is_some_and(|dir| JobDir::is_beginning(dir));
    let look = match &dir {
        Some(dir) if !is_beginning => shared.jobs.look(dir, patience),
        _ => Look::Failed(texts::NOT_THERE.to_owned()),
    };
    Line { name, dir: dir.unwrap_or_default(), look, is_beginning }
}
