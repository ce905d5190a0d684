//! Sanitizes a stored page: keeps its text and structure, and nothing that runs, loads, or links anywhere. As a second
//! barrier, the sandbox of its frame and its content policy forbid all of this, too.
//!
//! The page is composed anew from its tokens: only elements and attributes that are known to be safe, and escaped
//! texts. Unknown elements and attributes are left out, so that new ones in HTML are no risk.

use std::fmt::Write as _;

use goldminer_html::{Tag, TokenKind, Tokens};
use maud::Escaper;

/// The content policy of stored pages (Content Security Policy Level 3; HTML Living Standard, section 7.1.5).
pub(crate) const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'self'";

/// The elements that are kept. A link is kept without its URL.
const ELEMENTS: &str = "a abbr address article aside b blockquote br caption cite code dd del dfn div dl dt em figcaption \
    figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q s samp section small \
    span strong sub sup table tbody td tfoot th thead time tr u ul var wbr";
const ATTRIBUTES: &[&str] = &["class", "colspan", "dir", "id", "lang", "rowspan"];
/// The most characters of an attribute's value. Longer values are cut off.
const VALUE_CHARS: usize = 200;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:16px;overflow-wrap:anywhere;color:#20201d;background:#fff}\
    a{color:#1a5fd0;text-decoration:underline}table{border-collapse:collapse}td,th{padding:2px 8px;text-align:left}\
    .goldminer-image{color:#66645d}";

pub(crate) fn sanitize(page: &str) -> String {
    let mut html = format!("<!DOCTYPE html><meta charset=\"utf-8\"><title>-</title><style>{STYLE}</style><body>");
    // Whether the current element's text is left out: a title or the content of a text field is not text of the page.
    let mut is_silent = false;
    for token in Tokens::new(page) {
        match token.kind {
            TokenKind::StartTag { tag, .. } => {
                is_silent = matches!(tag, Tag::Title | Tag::Textarea);
                let name = token.name(page).to_ascii_lowercase();
                if tag == Tag::Img {
                    let alt = token.attributes(page).find(|attribute| attribute.is("alt")).map(|alt| alt.value());
                    let alt = alt.filter(|alt| !alt.trim().is_empty());
                    html.push_str("<span class=\"goldminer-image\">[");
                    escape(&mut html, alt.as_deref().unwrap_or("…"));
                    html.push_str("]</span>");
                } else if is_kept(&name) {
                    let _ = write!(html, "<{name}");
                    for attribute in token.attributes(page) {
                        if let Some(known) = ATTRIBUTES.iter().find(|known| attribute.is(known)) {
                            let value: String = attribute.value().chars().take(VALUE_CHARS).collect();
                            let _ = write!(html, " {known}=\"");
                            escape(&mut html, &value);
                            html.push('"');
                        }
                    }
                    html.push('>');
                }
            }
            TokenKind::EndTag { .. } => {
                is_silent = false;
                let name = token.name(page).to_ascii_lowercase();
                if is_kept(&name) {
                    let _ = write!(html, "</{name}>");
                }
            }
            TokenKind::Text if !is_silent => escape(&mut html, &token.text(page)),
            TokenKind::Text | TokenKind::RawText | TokenKind::Comment { .. } | TokenKind::Doctype => {}
        }
    }
    html
}

fn is_kept(element: &str) -> bool {
    ELEMENTS.split(' ').any(|known| known == element)
}

/// Escapes a text as the HTML templates do.
fn escape(html: &mut String, text: &str) {
    let _ = Escaper::new(html).write_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_and_scripts_resources_and_links_go() {
        let hostile = r#"<!doctype html><title>T<script>x</script></title><base href=//evil.example>
            <meta http-equiv=refresh content="0;url=//evil.example"><link rel=stylesheet href=//evil.example/a.css>
            <style>@import url(//evil.example)</style><body onload=run() background=//evil.example>
            <p class='lead" onclick="run()' onclick=run() style="background:url(//evil.example)">Rain &lt;b&gt; <b>all</b> day
            <a href="javascript:run()" ping=//evil.example>more</a><img src=//evil.example alt="A <b>river</b>" onerror=run()>
            <iframe src=//evil.example srcdoc="<script>run()</script>">in</iframe><object data=//evil.example>o</object>
            <svg onload=run()><script>run()</script><use href=//evil.example></svg><math><mtext></p><style><img src=x></style>
            <form action=//evil.example><button formaction=//evil.example>send</button><textarea>t</textarea></form>
            <video src=//evil.example autoplay></video><x-evil onclick=run()>own</x-evil><SCRIPT>run()</SCRIPT>
            <a xlink:href=//evil.example data-x=1>l</a><noscript><img src=//evil.example></noscript>&#60;script&#62;"#;
        let html = sanitize(hostile);
        let body = html.split_once("<body>").unwrap().1;
        for gone in [
            "<script",
            "evil",
            "onload",
            "onerror",
            "<iframe",
            "<style",
            "<meta",
            "<link",
            "<base",
            "<form",
            "<object",
            "<svg",
            "<img",
            "href",
            "javascript",
            "style=",
        ] {
            assert!(!body.contains(gone), "{gone} is in\n{body}");
        }
        for kept in
            ["Rain &lt;b&gt; <b>all</b> day", "[A &lt;b&gt;river&lt;/b&gt;]", ">more</a>", "own", "&lt;script&gt;"]
        {
            assert!(body.contains(kept), "{kept} is missing in\n{body}");
        }
        assert!(
            body.contains("<p class=\"lead&quot; onclick=&quot;run()\">"),
            "a quote in a class stays in it: {body}"
        );
    }
}
