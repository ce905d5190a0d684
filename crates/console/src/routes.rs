//! Which address shows what. Whatever reads a database or a file does so apart from those who answer.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::extract::{Query, State};
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use goldminer_core::extract::domain::ProfileSet;
use goldminer_crawl::api::{self, Command, client as job_client};
use goldminer_crawl::health::site::SiteReport;
use goldminer_crawl::job::JobDir;
use goldminer_crawl::seeds::typed_url;
use goldminer_html::encoding;
use jiff::SignedDuration;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use crate::guard::Fields;
use crate::jobs::{Look, PATIENCE};
use crate::jobs_page::Line;
use crate::live::Watchers;
use crate::portals_page::View;
use crate::reply::{Console, Job, NotThere, apart, failed};
use crate::shared::Shared;
use crate::starts::What;
use crate::{
    edit_routes, frame, guard, jobs_page, orders, pages, portal_page, portals_page, sanitize, teach_routes, texts,
    url_page,
};

/// The pages that people begin with wait no longer for a look: what is known is shown, and the rest when it is there.
const QUICK: Duration = Duration::from_millis(150);

/// Every address.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    let watchers = Watchers::default();
    let of_all = watchers.clone();
    let live = move |job: Job| async move { watchers.watch(job.shared, Some(job.name)) };
    let all_live = move |State(shared): Console| async move { of_all.watch(shared, None) };
    Router::new()
        .route("/", get(first))
        .route("/live", get(all_live))
        .route("/start", post(start))
        .route("/job/{job}", get(job))
        .route("/job/{job}/portals", get(portals))
        .route("/job/{job}/course", get(course))
        .route("/job/{job}/live", get(live))
        .route("/job/{job}/portal", get(portal))
        .route("/job/{job}/order", post(order))
        .route("/job/{job}/stop", post(stop))
        .route("/job/{job}/find", get(find))
        .route("/job/{job}/url", get(url))
        .route("/job/{job}/stored", get(stored))
        .merge(edit_routes::router())
        .merge(teach_routes::router())
        .merge(frame::files())
        .fallback(async || failed(StatusCode::NOT_FOUND, texts::NOT_THERE))
        .layer(middleware::from_fn_with_state(shared.guard.clone(), guard::watch))
        .with_state(shared)
}

async fn first(State(shared): Console) -> Response {
    apart(move || {
        let names = shared.jobs.names();
        let mut lines: Vec<Line> = names.into_iter().map(|name| line(&shared, name, Duration::ZERO)).collect();
        // All of them were asked for; whoever is quick is on the page.
        let until = shared.clock.now().checked_add(QUICK)?;
        for line in lines.iter_mut().filter(|line| matches!(line.look, Look::Before(_) | Look::UnderWay)) {
            let left = until.duration_since(shared.clock.now()).max(SignedDuration::ZERO).unsigned_abs();
            *line = self::line(&shared, std::mem::take(&mut line.name), left);
        }
        Ok(jobs_page::first(&shared, &lines, &shared.starts.all()))
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

async fn job(job: Job) -> Response {
    job.page(move |shared, name, _| Ok(jobs_page::job(shared, &line(shared, name, QUICK)))).await
}

async fn portals(job: Job, Query(view): Query<View>) -> Response {
    job.page(move |shared, name, dir| Ok(portals_page::all(&name, &*shared.jobs.whole_look(&dir)?, &view))).await
}

async fn course(job: Job) -> Response {
    job.page(|shared, name, dir| Ok(jobs_page::course(&name, &shared.timelines.of(&dir, PATIENCE)))).await
}

/// What an address names.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    name: String,
    url: String,
    q: String,
}

async fn portal(job: Job, Query(named): Query<Named>) -> Response {
    job.page(move |shared, job, dir| show_portal(shared, &job, &dir, &named.name, None)).await
}

async fn order(job: Job, fields: Fields) -> Response {
    job.page(move |shared, job, dir| {
        let standing = shared.jobs.whole_look(&dir)?;
        let said = orders::carry_out(&dir, &fields, &standing);
        shared.jobs.forget(&dir);
        show_portal(shared, &job, &dir, fields.get("portal"), Some(&said))
    })
    .await
}

async fn stop(job: Job, _fields: Fields) -> Response {
    let back = frame::address(&job.name, "", &[]);
    let stopped = job
        .page(|shared, _, dir| {
            job_client::execute(&dir, &[Command::Stop])?;
            shared.jobs.forget(&dir);
            Ok(html! {})
        })
        .await;
    if stopped.status().is_success() { Redirect::to(&back).into_response() } else { stopped }
}

fn show_portal(
    shared: &Shared,
    job: &str,
    dir: &std::path::Path,
    name: &str,
    said: Option<&Result<orders::Done, String>>,
) -> anyhow::Result<Markup> {
    let standing = shared.jobs.whole_look(dir)?;
    let line = standing.portals.iter().find(|line| line.name == name).ok_or(NotThere)?;
    let hosts = line.hosts.iter().filter_map(|number| standing.hosts.get(*number));
    let hosts: Vec<String> = hosts.map(|host| host.host.as_str().to_owned()).collect();
    let site: SiteReport = job_client::ask(dir, &api::Query::Site { hosts })?;
    Ok(portal_page::portal(job, &shared.guard, &standing, line, &site, said))
}

/// A URL leads to its page, words to the documents that have them.
async fn find(job: Job, Query(named): Query<Named>) -> Response {
    if let Ok(url) = typed_url(&named.q) {
        return Redirect::to(&frame::address(&job.name, "url", &[("url", url.as_str())])).into_response();
    }
    job.page(move |shared, job, dir| {
        let (found, is_whole) = pages::search(&dir, &named.q, &shared.clock)?;
        Ok(url_page::found(&job, &named.q, &found, is_whole))
    })
    .await
}

async fn url(job: Job, Query(named): Query<Named>) -> Response {
    job.page(move |_, job, dir| {
        let (report, profiles) = pages::why_and_profiles(&dir, &named.url)?;
        let page = pages::stored(&dir, &report)?;
        let read = page.and_then(|page| pages::read(&page, &ProfileSet::of(profiles)));
        Ok(url_page::url(&job, &report, read.as_ref()))
    })
    .await
}

/// The stored page by itself, for a frame without any right.
async fn stored(job: Job, Query(named): Query<Named>) -> Response {
    let mut response = job
        .page(move |_, _, dir| {
            let page = pages::stored(&dir, &pages::why(&dir, &named.url)?)?.context(texts::NO_PAGE)?;
            let text = encoding::decode(&page.bytes, page.content_type.as_deref());
            Ok(PreEscaped(sanitize::sanitize(&text.text)))
        })
        .await;
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(sanitize::POLICY));
    response
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
