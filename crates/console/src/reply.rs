//! How an address answers: a page that is made apart from those who answer, or one that says why there is none.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};
use maud::{Markup, html};

use crate::shared::Shared;
use crate::{frame, texts};

pub(super) type Console = State<Arc<Shared>>;

/// The job that an address names.
pub(super) struct Job {
    pub shared: Arc<Shared>,
    pub name: String,
}

impl FromRequestParts<Arc<Shared>> for Job {
    type Rejection = PathRejection;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, PathRejection> {
        let Path(name) = Path::from_request_parts(parts, shared).await?;
        Ok(Self { shared: Arc::clone(shared), name })
    }
}

impl Job {
    /// A page of the job, from its name and its folder.
    pub(super) async fn page(
        self,
        page: impl FnOnce(&Arc<Shared>, String, PathBuf) -> anyhow::Result<Markup> + Send + 'static,
    ) -> Response {
        apart(move || match self.shared.jobs.find(&self.name) {
            Some(dir) => page(&self.shared, self.name, dir),
            None => anyhow::bail!(NotThere),
        })
        .await
    }
}

/// A page that is not there.
#[derive(Debug, thiserror::Error)]
#[error("{}", texts::NOT_THERE)]
pub(super) struct NotThere;

/// Makes a page where waiting keeps nobody else waiting.
pub(super) async fn apart(page: impl FnOnce() -> anyhow::Result<Markup> + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(page).await {
        Ok(Ok(page)) => Html(page.into_string()).into_response(),
        Ok(Err(error)) if error.is::<NotThere>() => failed(StatusCode::NOT_FOUND, texts::NOT_THERE),
        Ok(Err(error)) => failed(StatusCode::SERVICE_UNAVAILABLE, &format!("{error:#}")),
        Err(_) => failed(StatusCode::INTERNAL_SERVER_ERROR, texts::WENT_WRONG),
    }
}

/// A page that says why there is no other.
pub(super) fn failed(status: StatusCode, why: &str) -> Response {
    let body = html! { header { h1 { (texts::WENT_WRONG) } } p.said.bad { (why) } };
    let page = frame::page(texts::WENT_WRONG, &[], false, &body);
    (status, Html(page.into_string())).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_fails_one_page_alone() {
        assert_eq!(apart(|| panic!("a damaged database")).await.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(apart(|| Ok(html! { "another page" })).await.status(), StatusCode::OK);
    }
}
