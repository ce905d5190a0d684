//! The addresses of the profile editor and of teaching.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use axum::Router;
use axum::http::HeaderName;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use goldminer_core::extract::Extractor;
use goldminer_core::extract::domain::{ProfileSet, StoredPage};
use goldminer_crawl::api::guard::Fields;
use maud::Markup;
use serde::Deserialize;

use super::action::EditAction;
use super::effects::{self, Effect};
use super::page::{self as editor_page, Chosen, Edited, Pointed};
use super::saving::{self, Choice};
use super::teach_page::{Marking, Teaching};
use super::{annotations, propose, teach};
use crate::pages::frame::JobLinks;
use crate::pages::parts::Said;
use crate::reply::{form, page};
use crate::shared::Shared;
use crate::starts::What;
use crate::{stored_pages, texts};

/// The addresses below a job.
pub(crate) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/job/{job}/edit", page(look).merge(form(act)))
        .route("/job/{job}/try", page(attempt))
        .route("/job/{job}/again", page(again).merge(form(extract_again)))
        .route("/job/{job}/profile.toml", page(profile_file))
        .route("/job/{job}/teach", page(teaching).merge(form(save_taught)))
        .route("/job/{job}/mark", page(marking).merge(form(keep_marks)))
        .route("/job/{job}/gold.zip", page(gold_file))
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
    domain: String,
    learn: Option<u8>,
}

fn look(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<Markup> {
    show(shared, links, dir, named, None)
}

/// Twelve pages before and after what was chosen.
fn attempt(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<Markup> {
    show_twelve(shared, links, dir, named, None)
}

fn act(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, fields: &Fields) -> anyhow::Result<Markup> {
    let named = Named {
        url: fields.get("url").to_owned(),
        block: fields.get("block").parse().ok(),
        action: fields.get("action").to_owned(),
        pattern: fields.get("pattern").to_owned(),
        ..Named::default()
    };
    let mut said = said_of(fields.get("key"), change(dir, fields));
    shared.jobs.forget(dir);
    if let (Ok(lines), "1") = (&mut said, fields.get("again")) {
        shared.starts.start(What::Extract, links.job)?;
        lines.push("The pages of the domain are being extracted again.".to_owned());
    }
    match said {
        Ok(_) => show(shared, links, dir, &Named { url: named.url, ..Named::default() }, Some(&said)),
        // The choice is kept, and tried on what there is now.
        Err(_) if EditAction::named(&named.action).is_some() && !named.pattern.is_empty() => {
            show_twelve(shared, links, dir, &named, Some(&said))
        }
        Err(_) => show(shared, links, dir, &named, Some(&said)),
    }
}

/// What saving came to.
fn said_of(key: &str, saved: anyhow::Result<u32>) -> Said {
    let version = saved.map_err(|why| format!("{why:#}"))?;
    Ok(vec![format!(
        "Saved as version {version} of {key}. Documents of pages that are extracted from now on follow it."
    )])
}

/// Saves or takes back; the number of the new version.
fn change(dir: &Path, fields: &Fields) -> anyhow::Result<u32> {
    let (key, version) = (fields.get("key"), fields.get("version").parse().context(texts::NO_CHANGE)?);
    if fields.get("act") == "undo" {
        return saving::undo(dir, key, version);
    }
    let action = EditAction::named(fields.get("action")).context(texts::NO_CHANGE)?;
    let others = match action {
        EditAction::Article => propose::others(dir, &stored_pages::of_url(dir, fields.get("url"))?)?,
        _ => Vec::new(),
    };
    saving::save(dir, &Choice { key, version, action, pattern: fields.get("pattern"), others: &others })
}

fn show(
    shared: &Shared,
    links: JobLinks<'_>,
    dir: &Path,
    named: &Named,
    said: Option<&Said>,
) -> anyhow::Result<Markup> {
    on_page(shared, links, dir, &named.url, |page, edited| {
        let pointed = named.block.zip(EditAction::named(&named.action));
        let proposals = match pointed {
            Some((block, action)) => {
                propose::propose(page, &propose::others(dir, page)?, edited.profile, block, action)
            }
            None => Vec::new(),
        };
        let pointed = pointed.map(|(block, action)| Pointed { block, action, proposals: &proposals });
        Ok(edited.editor(pointed.as_ref(), said))
    })
}

fn show_twelve(
    shared: &Shared,
    links: JobLinks<'_>,
    dir: &Path,
    named: &Named,
    said: Option<&Said>,
) -> anyhow::Result<Markup> {
    on_page(shared, links, dir, &named.url, |page, edited| {
        let action = EditAction::named(&named.action).context(texts::NO_CHANGE)?;
        let others = propose::others(dir, page)?;
        let changed = propose::changed(edited.profile, action, &named.pattern);
        let effect = changed.and_then(|changed| {
            effects::of_each(edited.profile, &[propose::completed(changed, action, &others)], &others, false).pop()
        });
        Ok(edited.twelve(&Chosen { block: named.block, action, pattern: &named.pattern }, effect.as_ref(), said))
    })
}

/// Makes a page about a stored page and the profile that cuts it.
fn on_page(
    shared: &Shared,
    links: JobLinks<'_>,
    dir: &Path,
    url: &str,
    make: impl FnOnce(&StoredPage, &Edited<'_>) -> anyhow::Result<Markup>,
) -> anyhow::Result<Markup> {
    let page = stored_pages::of_url(dir, url)?;
    let serving = stored_pages::profiles(dir, page.domain.as_str())?;
    let (dissection, document) =
        stored_pages::read(&page, &ProfileSet::of(serving.iter().cloned())).context(texts::NO_PAGE)?;
    let (profile, template) = propose::current(&page, &dissection, &serving);
    let edited = Edited {
        links,
        url,
        domain: page.domain.as_str(),
        dissection: &dissection,
        document: document.as_ref().ok().map(AsRef::as_ref),
        profile: &profile,
        template,
        has_extracted: shared.starts.has_extracted(links.job),
    };
    make(&page, &edited)
}

fn extract_again(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, _: &Fields) -> anyhow::Result<Markup> {
    shared.starts.start(What::Extract, links.job)?;
    again(shared, links, dir, &Named::default())
}

/// How the extraction of a job stands.
fn again(shared: &Arc<Shared>, links: JobLinks<'_>, _: &Path, _: &Named) -> anyhow::Result<Markup> {
    Ok(editor_page::again(links.job, shared.starts.extraction(links.job).as_ref()))
}

/// A file that a browser saves.
type File<T> = ([(HeaderName, &'static str); 2], T);

/// The latest version of a profile.
fn profile_file(_: &Arc<Shared>, _: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<File<String>> {
    let versions = saving::versions(dir, &named.key)?;
    let latest = versions.last().context("there is no such profile")?;
    let name = (CONTENT_DISPOSITION, "attachment; filename=\"profile.toml\"");
    Ok(([(CONTENT_TYPE, "application/toml; charset=utf-8"), name], latest.profile.to_toml()))
}

/// The marked pages of a domain as an evaluation set.
fn gold_file(_: &Arc<Shared>, _: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<File<Vec<u8>>> {
    let zip = annotations::exported(&annotations::of_domain(dir, &named.domain)?)?;
    let name = (CONTENT_DISPOSITION, "attachment; filename=\"gold.zip\"");
    Ok(([(CONTENT_TYPE, "application/zip"), name], zip))
}

fn teaching(_: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<Markup> {
    show_teaching(links, dir, &named.domain, named.learn.is_some(), None)
}

fn show_teaching(
    links: JobLinks<'_>,
    dir: &Path,
    domain: &str,
    learns: bool,
    said: Option<&Said>,
) -> anyhow::Result<Markup> {
    let annotations = annotations::of_domain(dir, domain)?;
    if annotations.marked.is_empty() && annotations.others.is_empty() {
        bail!("there are no stored pages of this domain");
    }
    let before = saving::latest(domain, &saving::versions(dir, domain)?);
    let with_effect = |taught: teach::Taught| {
        let changed = std::slice::from_ref(&taught.profile);
        let effect: Effect = effects::of_each(&before, changed, &annotations.others, false).pop().unwrap_or_default();
        (taught, effect)
    };
    let learned = || teach::learned(domain, &annotations, &before).map(with_effect);
    let taught = (learns && !annotations.marked.is_empty()).then(learned);
    let teaching = Teaching {
        links,
        domain,
        profile: &before,
        picks: &teach::picks(&annotations, &before),
        marked: &annotations.marked,
        f: teach::f_on(&annotations.marked, |_| Some(&before)),
        taught: taught.as_ref(),
    };
    Ok(teaching.page(said))
}

/// Learns once more, which gives the same, and saves it.
fn save_taught(shared: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, fields: &Fields) -> anyhow::Result<Markup> {
    let domain = fields.get("domain");
    let version: u32 = fields.get("version").parse().context(texts::NO_CHANGE)?;
    let saved = saving::replace(dir, domain, version, |versions| {
        let annotations = annotations::of_domain(dir, domain)?;
        Ok(teach::learned(domain, &annotations, &saving::latest(domain, versions))?.profile)
    });
    shared.jobs.forget(dir);
    let said = said_of(domain, saved);
    show_teaching(links, dir, domain, said.is_err(), Some(&said))
}

fn marking(_: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, named: &Named) -> anyhow::Result<Markup> {
    let page = stored_pages::of_url(dir, &named.url)?;
    let (domain, read) = (page.domain.as_str(), Extractor::read(&page.source()).context(texts::NO_PAGE)?);
    let gold = annotations::of_page(dir, &page);
    let is_text = match &gold {
        Some(gold) => annotations::marks(&read, gold),
        None => teach::kept(&read, &page, Some(&saving::latest(domain, &saving::versions(dir, domain)?))),
    };
    let (url, is_marked) = (&named.url, gold.is_some());
    Ok(Marking { links, url, domain, page: &read, is_text: &is_text, is_marked }.page())
}

/// Keeps or forgets the marks of a page.
fn keep_marks(_: &Arc<Shared>, links: JobLinks<'_>, dir: &Path, fields: &Fields) -> anyhow::Result<Markup> {
    let page = stored_pages::of_url(dir, fields.get("url"))?;
    let blocks = Extractor::read(&page.source()).context(texts::NO_PAGE)?.paragraphs().len();
    if fields.get("blocks") != blocks.to_string() {
        bail!("the page was fetched again meanwhile, and has changed: mark it anew");
    }
    let said = match fields.get("act") {
        "forget" => annotations::forget(dir, &page).map(|()| "The marks are forgotten."),
        act => {
            let is_text = |at: usize| act != "none" && fields.get(&format!("b{at}")) == "1";
            annotations::keep(dir, &page, &(0..blocks).map(is_text).collect::<Vec<_>>())
                .map(|()| "The marks are kept, in the folder gold of the job.")
        }
    };
    let said: Said = said.map(|said| vec![said.to_owned()]).map_err(|why| format!("{why:#}"));
    show_teaching(links, dir, page.domain.as_str(), false, Some(&said))
}
