//! The frame of every report: head, style, script, the line at the foot. One file, nothing loaded from anywhere.

use goldminer_core::goldminer::PROGRAM;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::figure::{minute, thousands};

/// What every page looks like.
pub const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// A whole page.
pub(super) fn page(title: &str, back: Option<(&str, &str)>, made: jiff::Timestamp, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="generator" content=(PROGRAM);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                @if let Some((href, words)) = back { nav.back { a href=(href) { "← " (words) } } }
                main { (body) }
                footer { "Made by " (PROGRAM) " on " (minute(made)) " UTC. This page loads nothing from anywhere." }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

/// No request at all, and no script but our own, by its digest: should a page's text ever get through as markup, it
/// could still do nothing (Content Security Policy Level 3, section 2.3.1).
fn policy() -> String {
    let script = data_encoding::BASE64.encode(&Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'; img-src data:; base-uri 'none'; \
        form-action 'none'"
    )
}

/// A text shortened visibly, after so many characters.
pub fn shortened(text: &str, chars: usize) -> Markup {
    match text.char_indices().nth(chars) {
        None => html! { (text) },
        Some((end, _)) => {
            let rest = text[end..].chars().count();
            html! { (text[..end]) "…" span.rest { " +" (rest) " characters" } }
        }
    }
}

/// The columns of a sortable table, each with its class (`number` or none); `sorted` names the one that the lines are
/// in the order of, and whether `ascending` or `descending`.
pub(super) fn heads(columns: &[(&str, &str)], sorted: (&str, &str)) -> Markup {
    let class = |class| Some(class).filter(|class: &&str| !class.is_empty());
    let order = |name| (name == sorted.0).then_some(sorted.1);
    html! {
        thead { tr {
            @for &(name, kind) in columns {
                th class=[class(kind)] scope="col" aria-sort=[order(name)] { button type="button" { (name) } }
            }
        } }
    }
}

/// How many lines a list has beyond those that are shown.
pub(super) fn more(all: usize, shown: usize) -> Markup {
    html! { @if all > shown { p.note { "… and " (thousands((all - shown) as u64)) " more." } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_say_how_much_is_missing_and_are_escaped() {
        assert_eq!(shortened("<b>", 3).into_string(), "&lt;b&gt;");
        assert_eq!(shortened("áéíóű<", 3).into_string(), "áéí…<span class=\"rest\"> +3 characters</span>");
    }

    #[test]
    fn a_page_forbids_itself_every_request() {
        let page = page("</title><script>", None, jiff::Timestamp::UNIX_EPOCH, &html! {});
        assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"), "{page}");
        assert!(page.contains("&lt;/title&gt;&lt;script&gt;"), "{page}");
        assert!(!page.contains("http://") && !page.contains("https://"), "nothing is loaded");
    }
}
