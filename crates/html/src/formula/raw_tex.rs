//! Raw formulas in a text: TeX for a script to render, such as `\(x\)`, `$x$`, `\[x\]`, `$$x$$`,
//! `\begin{align}…\end{align}`.

use std::ops::Range;

use memchr::memmem;

use super::MAX_TEX;

/// Environments that are formulas by themselves.
const ENVIRONMENTS: [&str; 6] = ["equation", "align", "gather", "multline", "eqnarray", "displaymath"];

/// A formula in a text.
#[derive(Debug, PartialEq, Eq)]
pub struct RawFormula {
    /// Its bytes in the text, with delimiters.
    pub whole: Range<usize>,
    /// Its bytes without delimiters.
    pub tex: Range<usize>,
    /// Whether it is on a line of its own.
    pub display: bool,
}

/// Whether a page has a script that renders formulas.
pub fn draws_formulas(page: &str) -> bool {
    ["MathJax", "mathjax", "katex", "KaTeX"].iter().any(|name| memmem::find(page.as_bytes(), name.as_bytes()).is_some())
}

/// Whether a text may contain formulas. Most do not.
pub fn may_hold(text: &str) -> bool {
    let text = text.as_bytes();
    memchr::memchr2(b'$', b'\\', text).is_some()
}

/// The formulas of a text, in order. `is_drawn` says whether the page renders formulas. If it does not, dollar signs
/// are amounts of money.
pub fn find(text: &str, is_drawn: impl Fn() -> bool) -> Vec<RawFormula> {
    let mut found = Vec::new();
    let mut at = 0;
    // A kind of delimiter whose end was not found is not searched for again.
    let mut missing: [bool; 4] = [false; 4];
    while let Some(next) = memchr::memchr2(b'$', b'\\', &text.as_bytes()[at..]) {
        at += next;
        let rest = &text[at..];
        let escaped = rest.strip_prefix("\\\\").or_else(|| rest.strip_prefix("\\$"));
        let Some((kind, open, close, display)) = opener(rest).filter(|_| escaped.is_none()) else {
            at += if escaped.is_some() { 2 } else { 1 };
            continue;
        };
        let is_money = open == "$" && rest[1..].starts_with(char::is_whitespace);
        let body = at + open.len();
        let inside = if kind < missing.len() && missing[kind] || is_money { None } else { end_of(text, body, &close) };
        let Some(end) = inside else {
            // For single dollar signs, only the next one is checked.
            if (1..missing.len()).contains(&kind) {
                missing[kind] = true;
            }
            at += open.len();
            continue;
        };
        let tex = text[body..end].trim();
        let is_formula = tex.len() <= MAX_TEX
            && !tex.is_empty()
            && match kind {
                0 => reads_like_tex(tex) || is_drawn() && tex.split(' ').count() <= 24,
                1 => reads_like_tex(tex) || is_drawn(),
                _ => true,
            };
        if !is_formula {
            at += open.len();
            continue;
        }
        let whole = at..end + close.len();
        let begin = text[body..end].find(tex).unwrap_or(0) + body;
        // The environment is part of the formula.
        let tex = if kind == 4 { whole.clone() } else { begin..begin + tex.len() };
        at = whole.end;
        found.push(RawFormula { whole, tex, display });
    }
    found
}

/// The delimiter that opens a formula here: its kind, its text, the closing delimiter, and whether it opens a display
/// formula.
fn opener(rest: &str) -> Option<(usize, &'static str, String, bool)> {
    Some(match () {
        () if rest.starts_with("$$") => (1, "$$", "$$".to_owned(), true),
        () if rest.starts_with('$') => (0, "$", "$".to_owned(), false),
        () if rest.starts_with("\\(") => (2, "\\(", "\\)".to_owned(), false),
        () if rest.starts_with("\\[") => (3, "\\[", "\\]".to_owned(), true),
        () if rest.starts_with("\\begin{") => {
            let name = &rest["\\begin{".len()..];
            let name = &name[..name.find('}').filter(|end| *end <= 16)?];
            ENVIRONMENTS
                .contains(&name.trim_end_matches('*'))
                .then(|| (4, "\\begin{", format!("\\end{{{name}}}"), true))?
        }
        () => return None,
    })
}

/// The position of a formula's closing delimiter.
fn end_of(text: &str, body: usize, close: &str) -> Option<usize> {
    let limit = text.floor_char_boundary((body + MAX_TEX).min(text.len()));
    let mut from = body;
    loop {
        let end = from + memmem::find(&text.as_bytes()[from..limit], close.as_bytes())?;
        let is_escaped = text[body..end].ends_with('\\') && close != "\\)" && close != "\\]";
        // As in Pandoc: no white space before the dollar sign, and no digit after it.
        let ends = close != "$"
            || !text[body..end].ends_with(char::is_whitespace)
                && !text[end + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '$');
        if !is_escaped && ends {
            return Some(end);
        }
        from = end + close.len();
        if close == "$" && !is_escaped {
            return None;
        }
    }
}

/// Whether a text between two dollar signs is TeX, not a sentence about money.
fn reads_like_tex(tex: &str) -> bool {
    let has_command = tex.split('\\').skip(1).any(|command| command.starts_with(|c: char| c.is_ascii_alphabetic()));
    has_command || tex.contains(['^', '_', '{']) && !tex.contains(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formulas(text: &str, is_drawn: bool) -> Vec<&str> {
        find(text, || is_drawn).into_iter().map(|found| &text[found.tex]).collect()
    }

    #[test]
    fn raw_formulas_are_found_and_money_is_not() {
        assert_eq!(formulas(r"so \(x^2\) and \[ y \] or $$z$$ or $a_1$", false), ["x^2", "y", "a_1"]);
        assert_eq!(formulas(r"so $$z$$ and $n$ of $m$.", true), ["z", "n", "m"]);
        for text in [
            "It cost $5 and then $10.",
            "US$ 7, or $ 8, or $9",
            "from $5-$10",
            r"C:\(x",
            "$",
            "$$",
            r"\\(x\\)",
            r"\$x^2\$",
        ] {
            assert_eq!(formulas(text, false), [""; 0], "{text}");
            assert_eq!(formulas(text, true), [""; 0], "{text}");
        }
        assert_eq!(formulas(r"\begin{align*}x&=1\end{align*}", false), [r"\begin{align*}x&=1\end{align*}"]);
    }

    #[test]
    fn formulas_that_never_end_cost_little() {
        for open in ["$a", "\\(", "\\[", "$$ ", "\\begin{align}"] {
            assert!(find(&open.repeat(200_000), || true).len() < 200_000);
        }
    }
}
