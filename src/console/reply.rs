//! How an address answers: a page that is made apart from those who answer, or one that says why there is none.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;

use super::pages::frame::{self, JobLinks};
use super::shared::Shared;
use super::texts;

pub(super) type Console = State<Arc<Shared>>;

/// A page or a file of a job, from its folder.
pub(super) async fn of_job<R: IntoResponse + Send + 'static>(
    shared: Arc<Shared>,
    job: String,
    page: impl FnOnce(&Arc<Shared>, JobLinks<'_>, PathBuf) -> anyhow::Result<R> + Send + 'static,
) -> Response {
    apart(move || match shared.jobs.find(&job) {
        Some(dir) => page(&shared, JobLinks { job: &job, check: shared.guard.check() }, dir),
        None => anyhow::bail!(NotThere),
    })
    .await
}

/// A page that is not there.
#[derive(Debug, thiserror::Error)]
#[error("{}", texts::NOT_THERE)]
pub(super) struct NotThere;

/// Makes an answer where waiting keeps nobody else waiting.
pub(super) async fn apart<R: IntoResponse + Send + 'static>(
    answer: impl FnOnce() -> anyhow::Result<R> + Send + 'static,
) -> Response {
    match tokio::task::spawn_blocking(answer).await {
        Ok(Ok(answer)) => answer.into_response(),
        Ok(Err(error)) if error.is::<NotThere>() => failed(StatusCode::NOT_FOUND, texts::NOT_THERE),
        Ok(Err(error)) => failed(StatusCode::SERVICE_UNAVAILABLE, &format!("{error:#}")),
        Err(_) => failed(StatusCode::INTERNAL_SERVER_ERROR, texts::WENT_WRONG),
    }
}

/// A page that says why there is no other.
pub(super) fn failed(status: StatusCode, why: &str) -> Response {
    let body = html! { header { h1 { (texts::WENT_WRONG) } } p.said.bad { (why) } };
    (status, frame::live(texts::WENT_WRONG, &[], false, &body)).into_response()
}
