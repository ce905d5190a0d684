//! Finds formulas that are written as TeX in a text, so that a script can render them: `\(x\)`, `$x$`, `\[x\]`,
//! `$$x$$`, `\begin{align}…\end{align}`.

use std::ops::Range;

use memchr::memmem;

use super::MAX_TEX;

/// TeX environments that are formulas without other delimiters.
const ENVIRONMENTS: [&str; 6] = ["equation", "align", "gather", "multline", "eqnarray", "displaymath"];

/// The position of a TeX formula in a text.
#[derive(Debug, PartialEq, Eq)]
pub struct RawFormula {
    /// The range of bytes in the text, with the delimiters.
    pub whole: Range<usize>,
    /// The range of bytes in the text, without the delimiters.
    pub tex: Range<usize>,
    /// Whether it is on a line of its own.
    pub display: bool,
}

/// Whether a page uses MathJax or KaTeX, the scripts that render formulas.
pub fn draws_formulas(page: &str) -> bool {
    ["MathJax", "mathjax", "katex", "KaTeX"].iter().any(|name| memmem::find(page.as_bytes(), name.as_bytes()).is_some())
}

/// Returns false if a text certainly contains no TeX formula. This is a fast test.
pub fn may_hold(text: &str) -> bool {
    let text = text.as_bytes();
    memchr::memchr2(b'$', b'\\', text).is_some()
}

/// The TeX formulas in a text, in order. `is_drawn` returns whether the page renders formulas. If it does not, a text
/// between dollar signs is a formula only if it reads like TeX: it may be about amounts of money.
pub fn find(text: &str, is_drawn: impl Fn() -> bool) -> Vec<RawFormula> {
    let mut found = Vec::new();
    let mut at = 0;
    // Kinds of delimiters whose end was not found. They are not searched for again, so that this takes linear time.
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
            // Kind 0, a single `$`, is never marked as missing: its search stops at the next `$` anyway.
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
        // An environment's `\begin` and `\end` are part of the formula.
        let tex = if kind == 4 { whole.clone() } else { begin..begin + tex.len() };
        at = whole.end;
        found.push(RawFormula { whole, tex, display });
    }
    found
}

/// The opening delimiter at the beginning of `rest`: the number of its kind, its text, the closing delimiter, and
/// whether it opens a display formula. None if there is no delimiter.
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

/// The position of the closing delimiter of a formula whose TeX begins at `body`; None if there is none.
fn end_of(text: &str, body: usize, close: &str) -> Option<usize> {
    let limit = text.floor_char_boundary((body + MAX_TEX).min(text.len()));
    let mut from = body;
    loop {
        let end = from + memmem::find(&text.as_bytes()[from..limit], close.as_bytes())?;
        let is_escaped = text[body..end].ends_with('\\') && close != "\\)" && close != "\\]";
        // As in Pandoc, a closing dollar sign has no white space before it and no digit after it.
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

/// Whether a text between two dollar signs looks like TeX and not like a sentence about money.
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
    fn formulas_without_an_end_take_linear_time() {
        for open in ["$a", "\\(", "\\[", "$$ ", "\\begin{align}"] {
            assert!(find(&open.repeat(200_000), || true).len() < 200_000);
        }
    }
}
