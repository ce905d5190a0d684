//! `goldminer try`: one page asked for politely, robots.txt first, and what comes out of it, and why. Nothing is kept.

use anyhow::bail;
use goldminer_console::survey::{Dissection, Outcome};
use goldminer_core::document::Document;
use goldminer_core::extract::Extractor;
use goldminer_core::extract::domain::{PageRead, ProfileSet, StoredPage};
use goldminer_corpus::markdown_body;
use goldminer_crawl::failure::Cause;
use goldminer_crawl::health::probe::{ProbeAnswer, Probed, RobotsSeen, page_of};
use goldminer_crawl::seeds::typed_url;
use serde_json::{Value, json};

use crate::cli::{NetworkArgs, TryArgs};
use crate::commands::inputs::{network, profile_files};
use crate::commands::terminal::output;
use crate::commands::terminal::style::{KEPT, TITLE, labelled, styled};
use crate::commands::{Exit, UsageError, counted, plain_bytes, thousands};

/// Runs the command.
///
/// # Errors
/// When the URL is none, nobody says who asks, or profiles can't be read.
pub(crate) fn run(args: &TryArgs) -> anyhow::Result<Exit> {
    let url = typed_url(&args.url).map_err(UsageError::of)?;
    let profiles = profile_files::set(args.profiles.as_deref())?;
    let probed = network::page(&url, &args.network)?;
    let (document, outcome) = came_out(&probed, &profiles);
    let document = document.as_deref();
    output::answer(args.json, &as_json(&probed, document, &outcome), || describe(&probed, document, &outcome))?;
    Ok(if document.is_some() { Exit::Done } else { Exit::Failed })
}

/// The document that came out of an answer; and what came out and why, for people.
fn came_out(probed: &Probed, profiles: &ProfileSet) -> (Option<Box<Document>>, String) {
    let capture = match &probed.answer {
        ProbeAnswer::Response(capture) => capture,
        other => return (None, format!("nothing: {}", unanswered(other))),
    };
    let page = match page_of(capture) {
        Ok(page) => page,
        Err(reason) => return (None, format!("nothing: {reason}")),
    };
    let candidates = profiles.candidates(&page.domain, page.url.as_ref(), None);
    let Some(Dissection { outcome, doubt, blocks, .. }) = Dissection::of(&page.source(), &candidates) else {
        return (None, "no article: it is no HTML".to_owned());
    };
    let because = reason(&outcome, !candidates.is_empty());
    let doubt = doubt.map_or_else(String::new, |doubt| format!("; {doubt}"));
    match PageRead::of(&Extractor::default(), profiles, &page, false).gave {
        Err(_) => (None, format!("no article: {because}{doubt}")),
        Ok(document) => {
            let kept = counted(document.paragraphs.len() as u64, "paragraph", "paragraphs");
            let (blocks, characters) = (blocks.len(), thousands(document.text.chars().count() as u64));
            let outcome =
                format!("an article: {because}; {kept} of {blocks} blocks of text, {characters} characters{doubt}");
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

/// A page from the web, asked for as by `try`.
///
/// # Errors
/// When the URL or the user agent is missing or wrong, or there is no page.
pub(crate) fn page_of_web(typed: &str, asking: &NetworkArgs) -> anyhow::Result<StoredPage> {
    let url = typed_url(typed).map_err(UsageError::of)?;
    match &network::page(&url, asking)?.answer {
        ProbeAnswer::Response(capture) => match page_of(capture) {
            Ok(page) => Ok(page),
            Err(reason) => bail!("{url}: {reason}"),
        },
        other => bail!("{url}: {}", unanswered(other)),
    }
}

/// What came in place of an answer, in words.
pub(crate) fn unanswered(answer: &ProbeAnswer) -> String {
    match answer {
        ProbeAnswer::Response(capture) => format!("status {}", capture.status),
        ProbeAnswer::NoPage(capture) => {
            format!("it is {}, and no page", capture.content_type().unwrap_or("without a content type"))
        }
        ProbeAnswer::Disallowed(rule) => format!("robots.txt forbids it ({rule}), so it was not asked for"),
        ProbeAnswer::NoRobots(reason) => {
            let hint = if reason.starts_with(&Cause::PrivateAddress.to_string()) { PRIVATE } else { "" };
            format!("robots.txt could not be had ({reason}), and until it can be nothing may be asked for{hint}")
        }
        ProbeAnswer::Failed(failure) => {
            let hint = if failure.cause == Cause::PrivateAddress { PRIVATE } else { "" };
            format!("{failure}{hint}")
        }
        ProbeAnswer::TooManyRedirects => "it redirects again and again".to_owned(),
        ProbeAnswer::TooSlow(pause) => {
            format!("its host asks for a pause of {} s between two requests; a crawl waits that long", pause.as_secs())
        }
    }
}

const PRIVATE: &str = "; --allow-private lets it through, if it is yours";

/// Why a page gave what it gave.
fn reason(outcome: &Outcome, has_profile: bool) -> String {
    let why = match outcome {
        Outcome::Cut { key, version, template } => {
            return format!("template {template} of {key} version {version} cuts it");
        }
        Outcome::Abstained if has_profile => "no template of the profile matches, so it is judged by itself",
        Outcome::Abstained => "judged by itself (a crawl learns the portal from about 100 pages, and cuts better)",
        Outcome::NoTemplate => "no template of the profile matches, and it does not look like an article",
        Outcome::NothingLeft => "what the template cuts out announces other pages, or is boilerplate",
        Outcome::NoDate => "it has no date of publication, and all articles of the domain have one",
        Outcome::TooLarge => "it is too large for the rules in [manual] of the profile; write simpler selectors",
        Outcome::NoText => "nothing in it is running text: a front page, a list, or a page that only a browser fills",
    };
    why.to_owned()
}

fn describe(probed: &Probed, document: Option<&Document>, outcome: &str) -> String {
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
    line("outcome", outcome);
    let Some(document) = document else { return text };
    let metadata = &document.metadata;
    let authors = Some(metadata.authors.join(", ")).filter(|authors| !authors.is_empty());
    let told = [("title", &metadata.title), ("authors", &authors), ("published", &metadata.published)];
    for (name, value) in told.into_iter().chain([("language", &metadata.language)]) {
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
        RobotsSeen::Unavailable(reason) => format!("not now: it could not be had ({reason})"),
        RobotsSeen::Rules(rules) => {
            let verdict = rules.verdict(&probed.url);
            let word = if verdict.allowed { "allowed" } else { "forbidden" };
            let rule = verdict.rule.unwrap_or_else(|| "no rule applies".to_owned());
            format!("{word}: {rule}{pause}")
        }
    }
}
