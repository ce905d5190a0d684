//! Answers requests. The page is made on a thread that may block; if that fails, the answer is a page with the reason.

use std::path::Path;
use std::sync::Arc;

use axum::extract::{self, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use goldminer_crawl::api::guard::Fields;
use maud::html;
use serde::de::DeserializeOwned;

use super::pages::frame::{self, JobLinks};
use super::shared::ConsoleState;
use super::texts;

pub(super) type Console = State<Arc<ConsoleState>>;

/// A function that makes a job's page or file from the job, the job's directory, and the parameters of the URL or form.
type Make<Q, R> = fn(&Arc<ConsoleState>, JobLinks<'_>, &Path, &Q) -> anyhow::Result<R>;

/// The route of a page of a job.
pub(super) fn page<Q, R>(make: Make<Q, R>) -> MethodRouter<Arc<ConsoleState>>
where
    Q: DeserializeOwned + Send + Sync + 'static,
    R: IntoResponse + Send + 'static,
{
    let answer = move |State(shared): Console, extract::Path(job): extract::Path<String>, Query(named): Query<Q>| {
        of_job(shared, job, make, named)
    };
    get(answer)
}

/// The route of a form of a job.
pub(super) fn form<R: IntoResponse + Send + 'static>(make: Make<Fields, R>) -> MethodRouter<Arc<ConsoleState>> {
    let answer = move |State(shared): Console, extract::Path(job): extract::Path<String>, fields: Fields| {
        of_job(shared, job, make, fields)
    };
    post(answer)
}

async fn of_job<Q, R>(shared: Arc<ConsoleState>, job: String, make: Make<Q, R>, named: Q) -> Response
where
    Q: Send + Sync + 'static,
    R: IntoResponse + Send + 'static,
{
    apart(move || match shared.jobs.find(&job) {
        Some(dir) => make(&shared, JobLinks { job: &job, check: shared.guard.check() }, &dir, &named),
        None => anyhow::bail!(NoSuchPage(texts::NOT_THERE)),
    })
    .await
}

/// The error of a page that does not exist.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoSuchPage(pub(super) &'static str);

/// A text that a user typed and that is not a URL. The message says what to write.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct InvalidUrl(pub(super) String);

/// Makes an answer on a thread that may block, so that it delays no other request.
pub(super) async fn apart<R: IntoResponse + Send + 'static>(
    answer: impl FnOnce() -> anyhow::Result<R> + Send + 'static,
) -> Response {
    match tokio::task::spawn_blocking(answer).await {
        Ok(Ok(answer)) => answer.into_response(),
        Ok(Err(error)) => failed(status_of(&error), &format!("{error:#}")),
        Err(_) => failed(StatusCode::INTERNAL_SERVER_ERROR, texts::WENT_WRONG),
    }
}

/// The HTTP status of an error: 404 or 400 if the request is wrong, or else 503.
pub(super) fn status_of(error: &anyhow::Error) -> StatusCode {
    match () {
        () if error.is::<NoSuchPage>() => StatusCode::NOT_FOUND,
        () if error.is::<InvalidUrl>() => StatusCode::BAD_REQUEST,
        () => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// A page that says why the requested one is not available.
pub(super) fn failed(status: StatusCode, why: &str) -> Response {
    let body = html! { header { h1 { (texts::WENT_WRONG) } } p.result.bad { (why) } };
    (status, frame::live(texts::WENT_WRONG, &[], false, &body)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_fails_one_page_alone() {
        assert_eq!(apart::<String>(|| panic!("a damaged database")).await.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(apart(|| Ok("another page")).await.status(), StatusCode::OK);
    }
}
