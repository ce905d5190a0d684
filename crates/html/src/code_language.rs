//! Finds the programming language of a listing in its attributes. It knows the spellings of common syntax highlighters
//! and site generators: highlight.js, Prism, Pygments, Rouge, Chroma, Shiki, SyntaxHighlighter, Pandoc, Org, Hexo,
//! GitHub.

use crate::{ElementId, Page, Tag};

/// The most ancestors of a listing that are searched for its language.
const MAX_AROUND: usize = 6;
/// The most bytes of a language's name.
const MAX_NAME: usize = 24;
/// Attributes whose value is the language.
const ATTRIBUTES: [&str; 5] =
    ["data-lang", "data-language", "data-code-language", "data-enlighter-language", "data-lexer"];
/// Prefixes of classes that name the language, such as `language-rust`.
const PREFIXES: [&str; 7] =
    ["language-", "lang-", "highlight-source-", "highlight-text-", "src-", "brush:", "highlight-"];
/// Classes that mark an element as a listing. Another class of the same element is then the language.
const BESIDE: [&str; 5] = ["sourceCode", "hljs", "highlight", "code", "syntaxhighlighter"];
/// Common class names and attribute values that are not languages.
const NO_LANGUAGE: [&str; 38] = [
    "syntaxhighlighter",
    "nogutter",
    "collapsed",
    "ie",
    "none",
    "nohighlight",
    "no-highlight",
    "fallback",
    "default",
    "auto",
    "undefined",
    "plain",
    "notranslate",
    "wrapper",
    "highlighter-rouge",
    "rouge",
    "hljs",
    "highlight",
    "sourcecode",
    "code",
    "numbersource",
    "numberlines",
    "table",
    "line-numbers",
    "copyable",
    "block",
    "chroma",
    "linenos",
    "literal-block",
    "container",
    "content",
    "pre",
    "source",
    "lines",
    "body",
    "toolbar",
    "unknown",
    "output",
];

/// See [`Page::code_language`].
pub(crate) fn of(page: &Page, listing: ElementId) -> Option<String> {
    let inside = page.ids_in(listing).take(MAX_AROUND).filter(|id| page.element(*id).tag == Tag::Code).take(1);
    let own = page.paragraphs_in(listing).len();
    let holds_nothing_else = |id: &ElementId| {
        let element = page.element(*id);
        !matches!(element.tag, Tag::Body | Tag::Article | Tag::Main | Tag::Li)
            && page.paragraphs_in(*id).len() <= own + 2
    };
    // The innermost name is the most precise.
    let around = page.ancestors_and_self(listing).take(1 + MAX_AROUND).enumerate();
    let around = around.take_while(|(at, id)| *at == 0 || holds_nothing_else(id)).map(|(_, id)| id);
    inside.chain(around).find_map(|id| named(page, id))
}

fn named(page: &Page, id: ElementId) -> Option<String> {
    let element = page.element(id);
    let start_tag = page.start_tag(id);
    if !element.is_marked && !start_tag.contains("data-") && !start_tag.contains("lang") {
        return None;
    }
    let is_code = matches!(element.tag, Tag::Pre | Tag::Code);
    page.attributes(id).find_map(|attribute| {
        if ATTRIBUTES.iter().any(|name| attribute.is(name)) || is_code && attribute.is("lang") {
            language(&attribute.value())
        } else if attribute.is("class") || attribute.is("data-syntaxhighlighter-params") {
            of_class(&attribute.value(), element.tag)
        } else {
            None
        }
    })
}

fn of_class(class: &str, tag: Tag) -> Option<String> {
    let mut names = class.split_ascii_whitespace();
    let named = PREFIXES.into_iter().find_map(|prefix| {
        let mut behind = class.split_ascii_whitespace().filter_map(|name| name.strip_prefix(prefix));
        // SyntaxHighlighter writes a space after the colon.
        behind.find_map(|rest| match rest {
            "" => names.clone().skip_while(|name| *name != prefix).nth(1).and_then(language),
            rest => language(rest),
        })
    });
    if named.is_some() {
        return named;
    }
    let is_frame = matches!(tag, Tag::Pre | Tag::Code | Tag::Figure)
        || ["sourceCode", "syntaxhighlighter"].iter().any(|name| class.contains(name));
    (is_frame && names.any(|name| BESIDE.contains(&name)))
        .then(|| class.split_ascii_whitespace().filter(|name| !name.contains(['_', ':'])).find_map(language))
        .flatten()
}

/// The language's name in lower case, or None if `name` cannot be a language.
fn language(name: &str) -> Option<String> {
    let name = name.trim().trim_matches(['{', '}', '.', ';', ',']);
    let name = name.split([';', ',', ' ', '{', ':']).next().unwrap_or_default().to_ascii_lowercase();
    let is_name = !name.is_empty()
        && name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+#-._".contains(&byte));
    (is_name && !NO_LANGUAGE.contains(&&*name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_highlighter_names_the_language_in_its_way() {
        for html in [
            "<pre><code class='hljs language-rust'>x</code></pre>",
            "<pre><code class='rust hljs'>x</code></pre>",
            "<pre class='language-rust line-numbers'><code>x</code></pre>",
            "<div class='highlight-rust notranslate'><div class=highlight><pre><span></span>x</pre></div></div>",
            "<div class='language-rust highlighter-rouge'><div class=highlight><pre class=highlight><code>x</code></pre></div></div>",
            "<div class=highlight><pre tabindex=0 class=chroma><code class=language-rust data-lang=rust>x</code></pre></div>",
            "<pre class='shiki nord' data-language=Rust><code>x</code></pre>",
            "<pre class='brush: rust; title: ; notranslate'>x</pre>",
            "<div class='highlight highlight-source-rust'><pre>x</pre></div>",
            "<div class=sourceCode id=cb1><pre class='sourceCode rust'><code class='sourceCode rust'>x</code></pre></div>",
            "<figure class='highlight rust'><table><tr><td class=gutter><pre>1</pre><td class=code><pre>x</pre></table></figure>",
            "<pre class='src src-rust'>x</pre>",
            "<pre lang=rust>x</pre>",
            "<div id=highlighter_1 class='syntaxhighlighter nogutter rust ie'><table><tr><td class=code><pre>x</pre></table></div>",
        ] {
            let page = Page::parse(format!("<article><p>So:</p>{html}<p>It rained.</p></article>"));
            let listing = page.elements_of(Tag::Pre).last().unwrap();
            assert_eq!(of(&page, listing).as_deref(), Some("rust"), "{html}");
        }
        for html in [
            "<pre class=hljs>x</pre>",
            "<pre><code class=language-none>x</code></pre>",
            "<pre class='wp-block-code'>x</pre>",
        ] {
            let page = Page::parse(html.to_owned());
            assert_eq!(of(&page, page.elements_of(Tag::Pre).next().unwrap()), None, "{html}");
        }
    }
}
