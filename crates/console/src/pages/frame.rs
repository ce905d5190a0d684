//! The frame of every page, and the links between pages. On the console, style sheet and script are separate files. A
//! saved page contains both and loads nothing; its content policy forbids all requests and all other scripts.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use goldminer_core::goldminer::PROGRAM;
use goldminer_corpus::figures::minute;
use goldminer_crawl::api::guard::CHECK;
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use sha2::{Digest, Sha256};

/// The style sheet of all pages.
pub(super) const STYLE: &str = include_str!("assets/style.css");
const SCRIPT: &str = include_str!("assets/script.js");

/// A job on the console: the job's name, as in URLs, and the secret that its forms must contain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JobLinks<'a> {
    pub job: &'a str,
    pub check: &'a str,
}

/// Where a page is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Medium<'a> {
    /// On the console: the page has forms, and links to other pages of the job.
    Live(JobLinks<'a>),
    /// In a file: the page has no element that needs a server.
    Saved,
}

impl<'a> Medium<'a> {
    /// On the console a link to a page of the job; in a file only the text of the link.
    pub(crate) fn link(self, what: &str, parameters: &[(&str, &str)], words: impl Render) -> Markup {
        match self {
            Self::Live(links) => html! { a href=(links.to(what, parameters)) { (words) } },
            Self::Saved => html! { (words) },
        }
    }

    /// The job's links on the console; none in a file.
    pub(crate) fn links(self) -> Option<JobLinks<'a>> {
        match self {
            Self::Live(links) => Some(links),
            Self::Saved => None,
        }
    }
}

impl JobLinks<'_> {
    /// The URL of one of the job's pages or files on the console; of its first page if `what` is empty.
    pub(crate) fn to(&self, what: &str, parameters: &[(&str, &str)]) -> String {
        address(self.job, what, parameters)
    }

    /// A form that sends a command about the job. `fields` are hidden, `rest` is the visible content.
    pub(crate) fn form(&self, what: &str, class: &str, fields: &[(&str, &str)], rest: &Markup) -> Markup {
        form(&self.to(what, &[]), class, &[&[(CHECK, self.check)], fields].concat(), rest)
    }

    /// A page about the job, with links to the pages above it.
    pub(crate) fn page(&self, title: &str, trail: &[(String, &str)], body: &Markup) -> Markup {
        let job = [(self.to("", &[]), self.job)];
        live(title, &[&job[..], trail].concat(), false, body)
    }
}

/// A form that sends a command by POST. `fields` are hidden, `rest` is the visible content.
pub(crate) fn form(action: &str, class: &str, fields: &[(&str, &str)], rest: &Markup) -> Markup {
    html! {
        form class=[Some(class).filter(|class| !class.is_empty())] method="post" action=(action) {
            @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
            (rest)
        }
    }
}

/// The URL of one of a job's pages or files on the console; of the job's first page if `what` is empty.
pub(crate) fn address(job: &str, what: &str, parameters: &[(&str, &str)]) -> String {
    let encoded =
        |part: &str| percent_encoding::utf8_percent_encode(part, percent_encoding::NON_ALPHANUMERIC).to_string();
    let mut address = format!("/job/{}", encoded(job));
    if !what.is_empty() {
        address = format!("{address}/{what}");
    }
    for (at, (name, value)) in parameters.iter().enumerate() {
        address += &format!("{}{name}={}", if at == 0 { '?' } else { '&' }, encoded(value));
    }
    address
}

/// The routes of the style sheet and the script.
pub(crate) fn files<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let style = async || ([(CONTENT_TYPE, "text/css; charset=utf-8")], STYLE);
    let script = async || ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], SCRIPT);
    Router::new().route("/console.css", get(style)).route("/console.js", get(script))
}

/// A page of the console. `trail` has the URLs and titles of the pages above it, the topmost first. With
/// `is_about_to_change`, the page reloads itself every two seconds.
pub(crate) fn live(title: &str, trail: &[(String, &str)], is_about_to_change: bool, body: &Markup) -> Markup {
    let head = html! {
        @if is_about_to_change { meta http-equiv="refresh" content="2"; }
        link rel="stylesheet" href="/console.css";
    };
    let frame = html! {
        a.skip href="#main" { "Skip to content" }
        nav.back aria-label="Breadcrumb" {
            a href="/" { "GoldMiner" }
            @for (href, words) in trail { " / " a href=(href) { (words) } }
        }
        main #main tabindex="-1" { (body) }
        footer { "GoldMiner console. Its pages load nothing from other servers." }
        script src="/console.js" defer {}
    };
    page(title, &head, &frame)
}

/// A page in a file. `back` is the URL and title of the report to which it links at the top, if there is one.
pub(crate) fn saved(title: &str, back: Option<(&str, &str)>, made: Timestamp, body: &Markup) -> String {
    let head = html! {
        meta http-equiv="Content-Security-Policy" content=(policy());
        meta name="generator" content=(PROGRAM);
        meta name="referrer" content="no-referrer";
        style { (PreEscaped(STYLE)) }
    };
    let frame = html! {
        @if let Some((href, words)) = back { nav.back { a href=(href) { "← " (words) } } }
        main { (body) }
        footer { "Made by " (PROGRAM) " on " (minute(made)) " UTC. This page loads nothing from other servers." }
        script { (PreEscaped(SCRIPT)) }
    };
    page(title, &head, &frame).into_string()
}

fn page(title: &str, head: &Markup, frame: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (title) " – GoldMiner" }
                (head)
            }
            body { (frame) }
        }
    }
}

/// The content policy of a saved page: no requests, and no script except its own, known by its digest. So text of a
/// crawled page can run and load nothing, even if it were inserted as markup (Content Security Policy Level 3, 2.3.1).
fn policy() -> String {
    let script = data_encoding::BASE64.encode(&Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'; img-src data:; base-uri 'none'; \
        form-action 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_pages_forbid_all_requests() {
        let page = saved("</title><script>", None, Timestamp::UNIX_EPOCH, &html! {});
        assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"), "{page}");
        assert!(page.contains("&lt;/title&gt;&lt;script&gt;"), "{page}");
        assert!(!page.contains("http://") && !page.contains("https://"), "nothing is loaded");
    }

    #[test]
    fn hostile_names_are_escaped_in_text_and_urls() {
        let page = live("</title><script>", &[], false, &html! { ("<img onerror=x>") }).into_string();
        assert!(page.contains("&lt;/title&gt;&lt;script&gt;") && page.contains("&lt;img onerror=x&gt;"), "{page}");
        assert_eq!(page.matches("<script").count(), 1, "our own");
        assert_eq!(
            address("a/../b?c", "portal", &[("name", "x&y=\"z")]),
            "/job/a%2F%2E%2E%2Fb%3Fc/portal?name=x%26y%3D%22z"
        );
    }
}
