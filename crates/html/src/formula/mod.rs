//! Reads the formulas in the elements of a page as TeX: from the TeX that a renderer such as MathJax keeps on the page,
//! or converted from MathML.
//!
//! `outline` looks for a formula at each start tag that may begin one, reads its TeX as text, and skips its
//! rendering. TeX in the text itself (`$x$`) stays text; see [`raw_tex`].

mod mathml;
pub mod raw_tex;
mod symbols;

use std::borrow::Cow;

use crate::attributes::Attributes;
use crate::tag::Tag;
use crate::tokens::{Token, TokenKind, Tokens, decoded};

/// The most bytes of HTML in a formula; a longer one is read as text. MathML is about twenty times as long as its TeX.
const MAX_SOURCE: usize = 1 << 18;
/// The most bytes of TeX in a formula.
pub(crate) const MAX_TEX: usize = 1 << 14;
/// The most other renderings between a MathJax rendering and the script with its TeX.
const MAX_BETWEEN: usize = 3;
/// The most searches for formulas that may read the same byte of the page. On real pages, renderings are nested at most
/// a few levels deep.
const MAX_SEARCHES: usize = 4;
/// Every page with a formula contains one of these words. On pages without them, no tag is checked.
const SIGNS: [&str; 4] = ["math", "Math", "katex", "latex"];
/// Class names of the renderings that MathJax 2 puts before the script with the TeX.
const DRAWN: [&str; 7] = [
    "MathJax",
    "MathJax_Display",
    "MathJax_Preview",
    "MathJax_SVG",
    "MathJax_SVG_Display",
    "MathJax_CHTML",
    "MJXc-display",
];

/// The position of a formula on a page.
///
/// ```
/// use goldminer_html::Page;
///
/// let page = Page::parse("<p>So <math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>.".to_owned());
/// let formula = page.formula_at(page.runs(&page.paragraphs()[0])[1].at).unwrap();
/// assert!(!formula.display);
/// assert_eq!(&*page.paragraphs()[0].text, "So E=mc^2.");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Formula {
    /// The byte offset on the page at which it begins.
    pub at: u32,
    /// Whether it is on a line of its own.
    pub display: bool,
}

/// A formula, or one of its renderings, that begins at a start tag.
pub(crate) struct Rendering {
    /// The TeX; None for a rendering that is followed by the script with the TeX.
    pub tex: Option<String>,
    pub display: bool,
    /// The start of the element's end tag.
    pub close: usize,
    /// The end of the formula, where the page continues.
    pub end: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Finder {
    /// Whether the page may have formulas at all.
    pub may_find: bool,
    /// The ends of the searches that found no formula and read beyond the current position.
    searched_until: Vec<usize>,
}

impl Finder {
    pub(crate) fn of(page: &str) -> Self {
        let may_find = SIGNS.iter().any(|sign| memchr::memmem::find(page.as_bytes(), sign.as_bytes()).is_some());
        Self { may_find, searched_until: Vec::new() }
    }

    /// The formula that begins at a start tag, or None. `class` is the tag's class as written.
    #[inline]
    pub(crate) fn find(&mut self, page: &str, tag: Tag, token: &Token, class: Option<&str>) -> Option<Rendering> {
        let is_math = matches!(tag, Tag::Math | Tag::Script | Tag::Other);
        let names_math = |class: &str| class.as_bytes().windows(3).any(|part| matches!(part, b"ath" | b"tex"));
        if !is_math && !class.is_some_and(names_math) {
            return None;
        }
        self.read(page, tag, token, class.unwrap_or_default())
    }

    fn read(&mut self, page: &str, tag: Tag, token: &Token, class: &str) -> Option<Rendering> {
        let has = |name: &str| class.split_ascii_whitespace().any(|own| own == name);
        let attribute = |name: &str| token.attributes(page).find(|own| own.is(name)).map(|own| own.value());
        let start = token.span.end as usize;
        if tag == Tag::Img {
            let tex = image_tex(token.attributes(page))?;
            return Some(Rendering { tex: Some(tex), display: class.contains("-display"), close: start, end: start });
        }
        if tag == Tag::Script {
            let kind = attribute("type").filter(|kind| kind.starts_with("math/tex"))?;
            let (close, end) = self.end(page, start, token)?;
            let tex = Some(clean(&page[start..close])?);
            return Some(Rendering { tex, display: kind.contains("display"), close, end });
        }
        let is_drawn = DRAWN.iter().any(|name| has(name));
        let is_container = tag == Tag::Other && token.name(page).eq_ignore_ascii_case("mjx-container");
        let is_pandoc = has("math") && (has("inline") || has("display") || has("block"));
        let is_wrapper = has("katex") || has("katex-display") || has("mwe-math-element");
        if !(tag == Tag::Math || is_container || is_drawn || is_pandoc || is_wrapper) {
            return None;
        }
        let (close, end) = self.end(page, start, token)?;
        let inside = &page[start..close];
        if is_drawn && source_follows(&page[end..]) {
            return Some(Rendering { tex: None, display: false, close, end });
        }
        let mut display = has("katex-display") || has("display") || has("block") || class.contains("isplay");
        display |= attribute("display").is_some_and(|display| display == "true" || display == "block");
        let tex = if tag == Tag::Math {
            math_tex(token.attributes(page), inside)
        } else if is_pandoc {
            if Tokens::new(inside).any(|token| token.kind != TokenKind::Text) { None } else { clean(&decoded(inside)) }
        } else {
            let (is_block, tex) = first_math(attribute("data-mathml").as_deref().unwrap_or(inside))?;
            display |= is_block;
            tex
        };
        Some(Rendering { tex: Some(tex?), display, close, end })
    }

    /// The start and the end of an element's end tag. The element's content begins at `start`. None if there is no end
    /// tag, or after [`MAX_SEARCHES`] searches of this part of the page.
    fn end(&mut self, page: &str, start: usize, token: &Token) -> Option<(usize, usize)> {
        self.searched_until.retain(|until| *until > start);
        if self.searched_until.len() >= MAX_SEARCHES {
            return None;
        }
        let found = element_end(page, start, token);
        // If this is a formula, the page continues behind it, and the search no longer counts.
        self.searched_until.push(found.map_or(start + MAX_SOURCE, |(_, end)| end));
        found
    }
}

fn element_end(page: &str, start: usize, token: &Token) -> Option<(usize, usize)> {
    let TokenKind::StartTag { tag, self_closing, .. } = token.kind else { return None };
    if self_closing && tag == Tag::Math {
        return None;
    }
    let source = &page[start..page.floor_char_boundary((start + MAX_SOURCE).min(page.len()))];
    if tag == Tag::Script {
        let close = crate::outline::raw_text::script_end(source.as_bytes(), 0);
        let end = close + memchr::memchr(b'>', &source.as_bytes()[close..])? + 1;
        return Some((start + close, start + end));
    }
    let (name, mut depth) = (token.name(page), 1_u32);
    for inner in Tokens::new(source) {
        let is_same = |own: Tag| own == tag && (tag != Tag::Other || inner.name(source).eq_ignore_ascii_case(name));
        match inner.kind {
            TokenKind::StartTag { tag: own, .. } if is_same(own) => depth += 1,
            TokenKind::EndTag { tag: own, .. } if is_same(own) => {
                depth -= 1;
                if depth == 0 {
                    return Some((start + inner.span.start as usize, start + inner.span.end as usize));
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a script with the TeX of a formula follows, directly or after other renderings of the formula.
fn source_follows(behind: &str) -> bool {
    let mut rest = behind;
    for _ in 0..=MAX_BETWEEN {
        rest = rest.trim_ascii_start();
        let Some(token) = Tokens::new(rest).next() else { return false };
        let TokenKind::StartTag { tag, .. } = token.kind else { return false };
        let mut attributes = token.attributes(rest);
        if tag == Tag::Script {
            return attributes.any(|kind| kind.is("type") && kind.raw_value.starts_with("math/tex"));
        }
        let is_drawn =
            attributes.any(|class| class.is("class") && class.raw_value.split(' ').any(|name| DRAWN.contains(&name)));
        let Some((_, end)) = element_end(rest, token.span.end as usize, &token).filter(|_| is_drawn) else {
            return false;
        };
        rest = &rest[end..];
    }
    false
}

/// Whether the first formula in a piece of HTML is on a line of its own, and its TeX. None if there is no formula.
fn first_math(source: &str) -> Option<(bool, Option<String>)> {
    let mut tokens = Tokens::new(source);
    let token = tokens.find(|token| matches!(token.kind, TokenKind::StartTag { tag: Tag::Math | Tag::Img, .. }))?;
    let attributes = || token.attributes(source);
    if matches!(token.kind, TokenKind::StartTag { tag: Tag::Img, .. }) {
        return Some((false, image_tex(attributes())));
    }
    let start = token.span.end as usize;
    let close = element_end(source, start, &token).map_or(source.len(), |(close, _)| close);
    let is_block = attributes().any(|display| display.is("display") && display.raw_value == "block");
    Some((is_block, math_tex(attributes(), &source[start..close])))
}

/// The TeX of a formula that is shown as a picture; None if the picture is not a formula.
fn image_tex(attributes: Attributes<'_>) -> Option<String> {
    let (mut is_formula, mut alt) = (false, Cow::Borrowed(""));
    for attribute in attributes {
        let value = attribute.raw_value;
        if attribute.is("class") {
            let names_tex = |name: &str| matches!(name, "tex" | "latex" | "mathtex") || name.starts_with("mwe-math-");
            is_formula |= value.split_ascii_whitespace().any(names_tex);
        } else if attribute.is("src") {
            is_formula |= value.contains("latex.php?") || value.contains("latex.codecogs.com");
        } else if attribute.is("alt") {
            alt = attribute.value();
        }
    }
    if is_formula { clean(&alt) } else { None }
}

/// The TeX of a `math` element: from its TeX annotation, else from its `alttext`, else converted from its MathML.
fn math_tex(mut attributes: Attributes<'_>, inside: &str) -> Option<String> {
    let noted = || {
        let mut tokens = Tokens::new(inside);
        tokens.find(|token| {
            let is_annotation = token.name(inside).eq_ignore_ascii_case("annotation");
            let is_tex = |encoding: &str| encoding.to_ascii_lowercase().contains("tex");
            is_annotation && token.attributes(inside).any(|own| own.is("encoding") && is_tex(own.raw_value))
        })?;
        let text: String =
            tokens.take_while(|token| token.kind == TokenKind::Text).map(|token| token.text(inside)).collect();
        clean(&text)
    };
    let as_tex = |alt: &str| clean(alt).filter(|_| alt.contains(['\\', '^', '_']) || alt.len() <= 2);
    noted()
        .or_else(|| attributes.find(|own| own.is("alttext")).and_then(|own| as_tex(&own.value())))
        .or_else(|| clean(&mathml::tex(inside)))
}

/// Returns TeX in one line, without delimiters such as `$` that only tell a renderer that it is TeX. None if it is
/// empty or too long.
fn clean(tex: &str) -> Option<String> {
    if tex.len() > MAX_TEX {
        return None;
    }
    let tex = tex.trim().trim_start_matches("% <![CDATA[").trim_end_matches("%]]>");
    let mut tex = tex.split_whitespace().collect::<Vec<_>>().join(" ");
    for (open, close) in
        [("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$"), ("{\\displaystyle ", "}"), ("{\\textstyle ", "}")]
    {
        let inner = tex.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        if let Some(inner) = inner.filter(|inner| !inner.contains('$') && is_balanced(inner)) {
            tex = inner.trim().to_owned();
        }
    }
    (!tex.is_empty()).then_some(tex)
}

/// Whether all braces are balanced.
fn is_balanced(tex: &str) -> bool {
    let (mut depth, mut is_escaped) = (0_i32, false);
    for c in tex.chars() {
        depth += match c {
            '{' if !is_escaped => 1,
            '}' if !is_escaped => -1,
            _ => 0,
        };
        is_escaped = c == '\\' && !is_escaped;
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use crate::Page;

    fn read(html: &str) -> Vec<String> {
        Page::parse(html.to_owned()).paragraphs().iter().map(|paragraph| paragraph.text.to_string()).collect()
    }

    #[test]
    fn every_rendering_of_a_formula_is_read_once_as_tex() {
        let mathml = "<math><semantics><mrow><mi>x</mi><mn>2</mn></mrow><annotation encoding='application/x-tex'>x^2\n</annotation></semantics></math>";
        for html in [
            mathml.to_owned(),
            format!("<span class=katex><span class=katex-mathml>{mathml}</span><span class=katex-html aria-hidden=true><span>x</span>2</span></span>"),
            "<span class=MathJax_Preview>x2</span><span class=MathJax role=presentation><nobr>x<span>2</span></nobr></span><script type='math/tex'>x^2</script>".to_owned(),
            "<mjx-container class=MathJax jax=SVG><svg></svg><mjx-assistive-mml><math><msup><mi>x</mi><mn>2</mn></msup></math></mjx-assistive-mml></mjx-container>".to_owned(),
            format!("<span class=mwe-math-element><span style='display:none'>{mathml}</span><img class=mwe-math-fallback-image-inline alt='{{\\displaystyle x^2}}'></span>"),
            "<img class=mwe-math-fallback-image-inline alt='{\\displaystyle x^2}'>".to_owned(),
            "<math alttext='x^2'><mi>x</mi></math>".to_owned(),
            "<span class='math inline'>\\(x^2\\)</span>".to_owned(),
            "<img class=latex alt='x^2' src='/latex.php?latex=x'>".to_owned(),
        ] {
            assert_eq!(read(&format!("<p>So {html} is it.")), ["So x^2 is it."], "{html}");
        }
    }

    #[test]
    fn a_formula_behind_a_rendering_that_never_ends_is_found() {
        let formula = "<math><msup><mi>x</mi><mn>2</mn></msup></math>";
        assert_eq!(read(&format!("<p><i class=katex>So <b>{formula}</b> is it.")), ["So x^2 is it."]);
    }

    #[test]
    fn elements_that_are_not_formulas_are_read_as_usual() {
        assert_eq!(
            read("<p>Aftermath <span class=math-tutor>of rain</span>."),
            ["Aftermath of rain ."].map(|s| s.replace(" .", "."))
        );
        assert_eq!(read("<p>So <span class=katex>x2 <p>on and on katex"), ["So x2", "on and on katex"]);
        assert_eq!(read("<p>It <math><mi>x</mi> goes on"), ["It x goes on"]);
    }
}
