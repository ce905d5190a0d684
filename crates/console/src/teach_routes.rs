//! The addresses of teaching.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::body::Body;
use axum::extract::Query;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use goldminer_core::extract::Extractor;
use goldminer_core::extract::domain::StoredPage;
use goldminer_core::goldminer::profile::DomainProfile;
use maud::Markup;
use serde::Deserialize;

use crate::guard::Fields;
use crate::portal_page::Said;
use crate::reply::{Job, failed};
use crate::saving::NotSaved;
use crate::shared::Shared;
use crate::teach_page::{Marking, Teaching};
use crate::{annotations, editor, effects, pages, saving, teach, teach_page, texts};

/// The addresses below a job.
pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/job/{job}/teach", get(look).post(save))
        .route("/job/{job}/mark", get(mark).post(keep))
        .route("/job/{job}/gold.zip", get(export))
}

/// What an address names.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Named {
    domain: String,
    url: String,
    learn: Option<u8>,
}

async fn look(job: Job, Query(named): Query<Named>) -> Response {
    job.page(move |shared, job, dir| show(shared, &job, &dir, &named.domain, named.learn.is_some(), None)).await
}

fn show(
    shared: &Shared,
    job: &str,
    dir: &Path,
    domain: &str,
    learns: bool,
    said: Option<&Said>,
) -> anyhow::Result<Markup> {
    let annotations = annotations::of_domain(dir, domain)?;
    if annotations.marked.is_empty() && annotations.others.is_empty() {
        anyhow::bail!(texts::NO_PAGES_OF_DOMAIN);
    }
    let before = latest(dir, domain)?;
    let taught = (learns && !annotations.marked.is_empty()).then(|| teach::learned(domain, &annotations, &before));
    let effect = taught.as_ref().and_then(|taught| taught.as_ref().ok()).and_then(|taught| {
        let changed = std::slice::from_ref(&taught.profile);
        effects::of_each(&before, changed, &annotations.others, false).pop()
    });
    let teaching = Teaching {
        job,
        domain,
        profile: &before,
        picks: &teach::picks(&annotations, &before),
        marked: &annotations.marked,
        f: teach::f_on(&annotations.marked, |_| Some(&before)),
        taught: taught.as_ref(),
        effect: effect.as_ref(),
    };
    Ok(teach_page::teaching(&shared.guard, &teaching, said))
}

fn latest(dir: &Path, domain: &str) -> anyhow::Result<DomainProfile> {
    let versions = saving::versions(dir, domain)?;
    Ok(versions.last().map_or_else(|| editor::empty(domain), |serving| serving.profile.clone()))
}

/// Learns once more, which gives the same, and saves it.
async fn save(job: Job, fields: Fields) -> Response {
    job.page(move |shared, job, dir| {
        let domain = fields.get("domain");
        let version: u32 = fields.get("version").parse().context(texts::NO_CHANGE)?;
        let saved = saving::replace(&dir, domain, version, |versions| {
            let before = versions.last().map_or_else(|| editor::empty(domain), |serving| serving.profile.clone());
            Ok(teach::learned(domain, &annotations::of_domain(&dir, domain)?, &before)?.profile)
        });
        shared.jobs.forget(&dir);
        let said: Said = match saved {
            Ok(version) => Ok(vec![texts::saved(domain, version)]),
            Err(NotSaved::Meanwhile { latest, changes }) => Err(texts::other_version(domain, latest, &changes)),
            Err(NotSaved::Failed(why)) => Err(format!("{why:#}")),
        };
        show(shared, &job, &dir, domain, said.is_err(), Some(&said))
    })
    .await
}

async fn mark(job: Job, Query(named): Query<Named>) -> Response {
    job.page(move |shared, job, dir| {
        let page = stored(&dir, &named.url)?;
        let read = Extractor::read(&page.source()).context(texts::NO_PAGE)?;
        let gold = annotations::of_page(&dir, &page);
        let is_text = match &gold {
            Some(gold) => annotations::marks(&read, gold),
            None => teach::kept(&read, &page, &latest(&dir, page.domain.as_str())?),
        };
        let marking = Marking {
            job: &job,
            url: &named.url,
            domain: page.domain.as_str(),
            page: &read,
            is_text: &is_text,
            is_marked: gold.is_some(),
        };
        Ok(teach_page::marking(&shared.guard, &marking))
    })
    .await
}

/// Keeps or forgets the marks of a page.
async fn keep(job: Job, fields: Fields) -> Response {
    job.page(move |shared, job, dir| {
        let page = stored(&dir, fields.get("url"))?;
        let read = Extractor::read(&page.source()).context(texts::NO_PAGE)?;
        let blocks = read.paragraphs().len();
        if fields.get("blocks") != blocks.to_string() {
            anyhow::bail!(texts::PAGE_CHANGED);
        }
        let said = match fields.get("act") {
            "forget" => annotations::forget(&dir, &page).map(|()| texts::FORGOTTEN),
            act => {
                let is_text = |at: usize| act != "none" && fields.get(&format!("b{at}")) == "1";
                annotations::keep(&dir, &page, &(0..blocks).map(is_text).collect::<Vec<_>>()).map(|()| texts::MARKED)
            }
        };
        let said: Said = said.map(|said| vec![said.to_owned()]).map_err(|why| format!("{why:#}"));
        show(shared, &job, &dir, page.domain.as_str(), false, Some(&said))
    })
    .await
}

fn stored(dir: &Path, url: &str) -> anyhow::Result<StoredPage> {
    pages::stored(dir, &pages::why(dir, url)?)?.context(texts::NO_PAGE)
}

/// The marked pages of a domain as an evaluation set.
async fn export(job: Job, Query(named): Query<Named>) -> Response {
    let Some(dir) = job.shared.jobs.find(&job.name) else { return failed(StatusCode::NOT_FOUND, texts::NOT_THERE) };
    let made =
        tokio::task::spawn_blocking(move || annotations::exported(&annotations::of_domain(&dir, &named.domain)?)).await;
    match made {
        Ok(Ok(bytes)) => {
            let mut response = Body::from(bytes).into_response();
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
            headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"gold.zip\""));
            response
        }
        Ok(Err(why)) => failed(StatusCode::SERVICE_UNAVAILABLE, &format!("{why:#}")),
        Err(_) => failed(StatusCode::INTERNAL_SERVER_ERROR, texts::WENT_WRONG),
    }
}
