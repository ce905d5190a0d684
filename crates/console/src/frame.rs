//! The frame of every page: head, way back, foot, and a word that explains itself. Style and script are files of the console;
//! the style begins with the reports'.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use maud::{DOCTYPE, Markup, html};

use crate::report::STYLE as REPORTS;
use crate::texts;

const OWN_STYLE: &str = include_str!("console.css");
const SCRIPT: &str = include_str!("console.js");

/// The style sheet of all pages.
pub(super) fn style() -> String {
    format!("{REPORTS}\n{OWN_STYLE}")
}

/// The addresses of style and script.
pub(super) fn files<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let style = async || ([(CONTENT_TYPE, "text/css; charset=utf-8")], style());
    let script = async || ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], SCRIPT);
    Router::new().route("/console.css", get(style)).route("/console.js", get(script))
}

/// A whole page, with where it leads back to: addresses and words, from the first page on. One that is about to change loads
/// itself again.
pub(super) fn page(title: &str, trail: &[(String, String)], is_about_to_change: bool, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @if is_about_to_change { meta http-equiv="refresh" content="2"; }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/console.css";
                title { (title) " – " (texts::TITLE) }
            }
            body {
                a.skip href="#main" { (texts::SKIP) }
                nav.back aria-label=(texts::WAY_BACK) {
                    a href="/" { (texts::TITLE) }
                    @for (href, words) in trail { " / " a href=(href) { (words) } }
                }
                main #main tabindex="-1" { (body) }
                footer { (texts::FOOTER) }
                script src="/console.js" defer {}
            }
        }
    }
}

/// A word with what it means: shown where the pointer rests, and to whoever gets there by keyboard or finger.
pub(super) fn word((word, meaning): (&str, &str)) -> Markup {
    html! { abbr tabindex="0" title=(meaning) { (word) } }
}

/// A part of an address as it stands there.
pub(super) fn encoded(part: &str) -> String {
    percent_encoding::utf8_percent_encode(part, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// The address of something of a job.
pub(super) fn address(job: &str, what: &str, parameters: &[(&str, &str)]) -> String {
    let mut address = format!("/job/{}", encoded(job));
    if !what.is_empty() {
        address = format!("{address}/{what}");
    }
    for (at, (name, value)) in parameters.iter().enumerate() {
        address += &format!("{}{name}={}", if at == 0 { '?' } else { '&' }, encoded(value));
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_text_and_stay_in_their_place_of_an_address() {
        let page = page("</title><script>", &[], false, &html! { ("<img onerror=x>") }).into_string();
        assert!(page.contains("&lt;/title&gt;&lt;script&gt;") && page.contains("&lt;img onerror=x&gt;"), "{page}");
        assert_eq!(page.matches("<script").count(), 1, "our own");
        assert_eq!(
            address("a/../b?c", "portal", &[("name", "x&y=\"z")]),
            "/job/a%2F%2E%2E%2Fb%3Fc/portal?name=x%26y%3D%22z"
        );
    }
}
