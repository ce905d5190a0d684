//! `goldminer try`: extracts one page, from a file or from the web (politely, robots.txt first), and explains the
//! result. It stores nothing.

use std::path::Path;

use anyhow::bail;
use goldminer_console::survey::Outcome;
use goldminer_core::{Document, Extractor, PageRead, ProfileSet, ServingProfile, StoredPage};
use goldminer_corpus::markdown_body;
use goldminer_crawl::health::probe::{ProbeAnswer, Probed, RobotsSeen, page_of};
use goldminer_crawl::{seeds, typed_url};
use goldminer_fetch::failure::Cause;
use goldminer_html::CrawlUrl;
use serde_json::{Value, json};

use super::profile::read_page;
use crate::cli::{NetworkArgs, TryArgs};
use crate::commands::terminal::style::{KEPT, TITLE, labelled, styled};
use crate::commands::{Exit, UsageError, counted, misuse, network, output, plain_bytes, profile_files, thousands};

/// Runs `goldminer try`.
///
/// # Errors
/// When there is no such file and the argument is not a URL, no user agent is given, or profiles cannot be read.
pub(crate) fn run(args: &TryArgs) -> anyhow::Result<Exit> {
    if Path::new(&args.page).is_file() {
        return run_on_file(args);
    }
    let url = page_url(&args.page)?;
    if args.url.is_some() {
        return misuse(
            "--url gives the URL of a page in a file; leave it out, because this page is requested by its URL",
        );
    }
    // Invalid profiles are reported before a request is sent.
    let profiles = profile_files::given(args.profiles.as_deref())?;
    let probed = network::page(&url, &args.network)?;
    let (document, outcome) = outcome_of(&probed, args.profiles.as_deref(), profiles)?;
    let document = document.as_deref();
    output::answer(args.json, &as_json(&probed, document, &outcome), || {
        described(&probed) + &article(document, &outcome)
    })?;
    Ok(if document.is_some() { Exit::Done } else { Exit::Failed })
}

fn run_on_file(args: &TryArgs) -> anyhow::Result<Exit> {
    let mut page = read_page(None, &args.page, args.url.as_deref())?;
    let path = args.profiles.as_deref();
    let profiles = profile_files::for_page(path, profile_files::given(path)?, &mut page)?;
    let (document, outcome) = outcome_of_page(&page, &profiles, path);
    let document = document.as_deref();
    let as_json = json!({ "file": args.page, "outcome": outcome, "document": document });
    output::answer(args.json, &as_json, || format!("{}\n{}", styled(TITLE, &args.page), article(document, &outcome)))?;
    Ok(if document.is_some() { Exit::Done } else { Exit::Failed })
}

/// The typed URL. If a file was meant, the error says that it does not exist.
fn page_url(typed: &str) -> anyhow::Result<CrawlUrl> {
    let path = Path::new(typed);
    if path.is_dir() {
        return misuse(format!("{typed} is a folder; give one page of it, or give the folder to `goldminer extract`"));
    }
    if path.exists() {
        return misuse(format!("{typed} is not a regular file; give a file, or the full URL of a page"));
    }
    let is_file_name = path.extension().is_some_and(|end| end == "html" || end == "htm");
    if !typed.is_empty() && !typed.contains("://") && (is_file_name || seeds::of_host_name(typed).is_none()) {
        return misuse(format!("there is no file {typed}; give an existing file, or the full URL of a page"));
    }
    typed_url(typed).map_err(|wrong| UsageError::of(wrong).into())
}

/// The document of the requested page, if there is one, and the outcome in words.
fn outcome_of(
    probed: &Probed,
    path: Option<&Path>,
    profiles: Vec<ServingProfile>,
) -> anyhow::Result<(Option<Box<Document>>, String)> {
    let capture = match &probed.answer {
        ProbeAnswer::Response(capture) => capture,
        other => return Ok((None, format!("nothing: {}", unanswered(other)))),
    };
    let mut page = match page_of(capture) {
        Ok(page) => page,
        Err(reason) => return Ok((None, format!("nothing: {reason}"))),
    };
    let profiles = profile_files::for_page(path, profiles, &mut page)?;
    Ok(outcome_of_page(&page, &profiles, path))
}

/// The document of a page, if there is one, and the outcome in words. `named` is the value of `--profiles`.
fn outcome_of_page(page: &StoredPage, profiles: &ProfileSet, named: Option<&Path>) -> (Option<Box<Document>>, String) {
    let candidates = profiles.candidates(&page.domain, page.url.as_ref(), None);
    if named.is_some() && page.url.is_some() && candidates.is_empty() {
        tracing::warn!("--profiles: no profile is for {}; the page is classified by itself", page.domain);
    }
    let Some(read) = Extractor::read(&page.source()) else {
        return (None, "no article: the page is not HTML".to_owned());
    };
    let (outcome, doubt) = Outcome::of(&read, &page.source(), &candidates);
    let doubt = doubt.map_or_else(String::new, |doubt| format!("; {doubt}"));
    match PageRead::of(&Extractor::default(), profiles, page, false).result {
        Err(reason) => (None, format!("no article: {}{doubt}", outcome.in_words_with(Some(reason)))),
        Ok(document) => {
            let kept = counted(document.paragraphs.len() as u64, "paragraph", "paragraphs");
            let (blocks, characters) = (read.paragraphs().len(), thousands(document.text.chars().count() as u64));
            let confidence = document.provenance.confidence.map(|confidence| confidence.probability());
            let confidence = confidence.map_or_else(String::new, |share| format!(", confidence {share:.2} of 1"));
            let outcome = format!(
                "an article: {}; {kept} of {blocks} blocks of text, {characters} characters{confidence}{doubt}",
                outcome.in_words()
            );
            (Some(document), outcome)
        }
    }
}

fn as_json(probed: &Probed, document: Option<&Document>, outcome: &str) -> Value {
    let hops: Vec<Value> = probed.hops.iter().map(|(status, to)| json!({ "status": status, "to": to })).collect();
    let capture = match &probed.answer {
        ProbeAnswer::Response(capture) | ProbeAnswer::NoPage(capture) => Some(capture),
        _ => None,
    };
    json!({
        "url": probed.url,
        "redirects": hops,
        "robots": robots_line(probed),
        "status": capture.map(|capture| capture.status),
        "content_type": capture.and_then(|capture| capture.content_type()),
        "outcome": outcome,
        "document": document,
    })
}

/// A page from the web, requested as by `try`.
///
/// # Errors
/// When the URL or the user agent is missing or invalid, or there is no page.
pub(crate) fn page_of_web(typed: &str, asking: &NetworkArgs) -> anyhow::Result<StoredPage> {
    let url = page_url(typed)?;
    match &network::page(&url, asking)?.answer {
        ProbeAnswer::Response(capture) => match page_of(capture) {
            Ok(page) => Ok(page),
            Err(reason) => bail!("{url}: {reason}"),
        },
        other => bail!("{url}: {}", unanswered(other)),
    }
}

/// Describes why there was no response.
pub fn unanswered(answer: &ProbeAnswer) -> String {
    match answer {
        ProbeAnswer::Response(capture) => format!("status {}", capture.status),
        ProbeAnswer::NoPage(capture) => {
            format!("it is {}, not a page", capture.content_type().unwrap_or("without a content type"))
        }
        ProbeAnswer::Disallowed(rule) => format!("robots.txt forbids it ({rule}), so it was not requested"),
        ProbeAnswer::NoRobots(reason) => {
            let hint = if reason.starts_with(&Cause::PrivateAddress.to_string()) { PRIVATE } else { "" };
            format!("robots.txt is unreachable ({reason}), so nothing may be requested{hint}")
        }
        ProbeAnswer::Failed(failure) => {
            let hint = if failure.cause == Cause::PrivateAddress { PRIVATE } else { "" };
            format!("{failure}{hint}")
        }
        ProbeAnswer::TooManyRedirects => "too many redirects".to_owned(),
        ProbeAnswer::TooSlow(pause) => {
            format!("its host asks for {} s between two requests; use a crawl, which waits that long", pause.as_secs())
        }
    }
}

const PRIVATE: &str = "; if it is your own network, use --allow-private";

/// Describes the request and its response.
fn described(probed: &Probed) -> String {
    let mut text = format!("{}\n", styled(TITLE, &probed.url));
    let mut line = |name: &str, what: &str| text += &labelled(9, name, what);
    for (status, to) in &probed.hops {
        line("redirect", &format!("{status} to {to}"));
    }
    line("robots", &robots_line(probed));
    if let ProbeAnswer::Response(capture) | ProbeAnswer::NoPage(capture) = &probed.answer {
        let media = capture.content_type().unwrap_or("no content type");
        let (bytes, seconds) = (plain_bytes(capture.body.len() as u64), capture.elapsed.as_secs_f64());
        line("answer", &format!("status {}, {media}, {bytes} in {seconds:.1} s", capture.status));
    }
    text
}

fn article(document: Option<&Document>, outcome: &str) -> String {
    let mut text = String::new();
    let mut line = |name: &str, what: &str| text += &labelled(9, name, what);
    line("outcome", outcome);
    let Some(document) = document else { return text };
    let metadata = &document.metadata;
    let authors = Some(metadata.authors.join(", ")).filter(|authors| !authors.is_empty());
    let values = [("title", &metadata.title), ("authors", &authors), ("published", &metadata.published)];
    for (name, value) in values.into_iter().chain([("language", &metadata.language)]) {
        value.iter().for_each(|value| line(name, value));
    }
    text + &format!("\n{}\n", styled(KEPT, markdown_body(document).trim_end()))
}

fn robots_line(probed: &Probed) -> String {
    let pause = probed
        .robots
        .crawl_delay()
        .map_or_else(String::new, |delay| format!("; it asks for {} s between two requests", delay.as_secs_f64()));
    match probed.robots.as_ref() {
        RobotsSeen::AllowAll => "allowed: the host has no robots.txt".to_owned(),
        RobotsSeen::Unavailable(reason) => format!("not now: it is unreachable ({reason})"),
        RobotsSeen::Rules(rules) => {
            let verdict = rules.verdict(&probed.url);
            let word = if verdict.allowed { "allowed" } else { "forbidden" };
            let rule = verdict.rule.unwrap_or_else(|| "no rule applies".to_owned());
            format!("{word}: {rule}{pause}")
        }
    }
}
