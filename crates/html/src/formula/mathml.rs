//! Converts presentation MathML to TeX. Unknown elements are replaced with their content.

use super::symbols;
use crate::tokens::{TokenKind, Tokens};

/// The deepest nesting of elements. Deeper elements are read as if they were on this level.
const MAX_DEPTH: usize = 48;
/// The most elements of a formula that are read; a formula with more is too long anyway.
const MAX_NODES: usize = 20_000;
/// The most letters in the name of a command.
const MAX_COMMAND: usize = 40;

/// A MathML element.
#[derive(Debug, Default)]
struct Node {
    name: String,
    text: String,
    /// The attributes that are used: `mathvariant`, `displaystyle`, `linethickness`, `width`, `open`, `close`,
    /// `separators`.
    attributes: Vec<(String, String)>,
    children: Vec<Node>,
}

/// Converts the content of a `math` element to TeX.
pub(super) fn tex(source: &str) -> String {
    let root = parse(source);
    let mut out = String::new();
    row(&root.children, &mut out);
    out
}

fn parse(source: &str) -> Node {
    let mut open = vec![Node::default()];
    let mut tokens = Tokens::new(source);
    tokens.set_foreign(true);
    let mut nodes = 0;
    for token in tokens {
        match token.kind {
            TokenKind::StartTag { self_closing, .. } => {
                nodes += 1;
                if nodes > MAX_NODES {
                    break;
                }
                let name = token.name(source).to_ascii_lowercase();
                let name = name.rsplit(':').next().unwrap_or_default().to_owned();
                let kept = ["mathvariant", "displaystyle", "linethickness", "width", "open", "close", "separators"];
                let attributes = token.attributes(source).filter(|own| kept.iter().any(|name| own.is(name)));
                let attributes =
                    attributes.map(|own| (own.name.to_ascii_lowercase(), own.value().into_owned())).collect();
                let node = Node { name, attributes, ..Node::default() };
                let is_leaf = self_closing || open.len() > MAX_DEPTH;
                match open.last_mut() {
                    Some(last) if is_leaf => last.children.push(node),
                    _ => open.push(node),
                }
            }
            TokenKind::EndTag { .. } => {
                let name = token.name(source).to_ascii_lowercase();
                let name = name.rsplit(':').next().unwrap_or_default();
                if let Some(at) = open.iter().rposition(|node| node.name == name).filter(|at| *at > 0) {
                    close_to(&mut open, at);
                }
            }
            TokenKind::Text | TokenKind::RawText => {
                if let Some(last) = open.last_mut() {
                    last.text.push_str(&token.text(source));
                }
            }
            _ => {}
        }
    }
    close_to(&mut open, 1);
    open.pop().unwrap_or_default()
}

/// Closes elements until `length` are open.
fn close_to(open: &mut Vec<Node>, length: usize) {
    while open.len() > length {
        let Some(node) = open.pop() else { return };
        if let Some(parent) = open.last_mut() {
            parent.children.push(node);
        }
    }
}

impl Node {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// The text of an operator (`mo`); None for other elements.
    fn operator(&self) -> Option<&str> {
        match &*self.name {
            "mo" => Some(self.text.trim()),
            // Elements that only wrap one element.
            "mrow" | "mstyle" | "texatom" if self.children.len() == 1 => self.children[0].operator(),
            _ => None,
        }
    }

    fn tex(&self) -> String {
        let mut out = String::new();
        write(self, &mut out);
        out
    }
}

/// Appends a piece of TeX to `out`. A space separates a command such as `\alpha` from a letter after it.
fn push(piece: &str, out: &mut String) {
    let ends_command = || {
        let name = out.bytes().rev().take(MAX_COMMAND).take_while(u8::is_ascii_alphabetic).count();
        name > 0 && out[..out.len() - name].ends_with('\\')
    };
    if piece.starts_with(|c: char| c.is_ascii_alphabetic()) && ends_command() {
        out.push(' ');
    }
    out.push_str(piece);
}

/// The TeX environment for a table between the signs `open` and `close`, such as `pmatrix` for parentheses. None if TeX
/// has no environment for these signs.
fn environment(open: &str, close: &str) -> Option<&'static str> {
    Some(match (open, close) {
        ("(", ")") => "pmatrix",
        ("[", "]") => "bmatrix",
        ("|", "|") => "vmatrix",
        ("‖", "‖") => "Vmatrix",
        ("{", "" | ".") => "cases",
        _ => return None,
    })
}

fn row(nodes: &[Node], out: &mut String) {
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        let close = nodes.get(at + 2).and_then(Node::operator);
        let table = nodes.get(at + 1).filter(|table| table.is("mtable"));
        if let (Some(open), Some(table)) = (node.operator(), table)
            && let Some(name) = environment(open, close.unwrap_or_default())
        {
            push(&table_tex(table, name), out);
            at += if close.is_some() { 3 } else { 2 };
            continue;
        }
        write(node, out);
        at += 1;
    }
}

fn table_tex(table: &Node, name: &str) -> String {
    let rows = table.children.iter().filter(|row| matches!(&*row.name, "mtr" | "mlabeledtr")).map(|row| {
        let cells = row.children.iter().filter(|cell| cell.is("mtd"));
        cells.map(Node::tex).collect::<Vec<_>>().join(" & ")
    });
    format!("\\begin{{{name}}} {} \\end{{{name}}}", rows.collect::<Vec<_>>().join(" \\\\ "))
}

fn row_of(node: &Node, out: &mut String) {
    if node.children.is_empty() {
        push(node.text.trim(), out);
    } else {
        row(&node.children, out);
    }
}

fn write(node: &Node, out: &mut String) {
    let child = |at: usize| node.children.get(at).map(Node::tex).unwrap_or_default();
    match &*node.name {
        "mi" => push(&identifier(node), out),
        "mn" => push(&letters(node.text.trim()), out),
        "mo" => push(&operator(node.text.trim()), out),
        "mtext" | "ms" => {
            let text = node.text.replace(['{', '}', '\\', '$'], "");
            match text.trim() {
                "" if text.is_empty() => {}
                "" => push("\\ ", out),
                _ => push(&format!("\\text{{{}}}", text.replace('\u{a0}', " ")), out),
            }
        }
        "mspace" => push(space(node.attribute("width").unwrap_or_default()), out),
        "mfrac" => push(&fraction(node, "\\frac"), out),
        "mstyle" if node.children.len() == 1 && node.children[0].is("mfrac") => {
            let name = match node.attribute("displaystyle") {
                Some("false") => "\\tfrac",
                Some("true") => "\\dfrac",
                _ => "\\frac",
            };
            push(&fraction(&node.children[0], name), out);
        }
        "msqrt" => {
            let mut inner = String::new();
            row(&node.children, &mut inner);
            push(&format!("\\sqrt{{{inner}}}"), out);
        }
        "mroot" => push(&format!("\\sqrt[{}]{{{}}}", child(1), child(0)), out),
        "msub" => scripts(&child(0), Some(&child(1)), None, out),
        "msup" => scripts(&child(0), None, Some(&child(1)), out),
        "msubsup" => scripts(&child(0), Some(&child(1)), Some(&child(2)), out),
        "munder" => under_over(node, Some(1), None, out),
        "mover" => under_over(node, None, Some(1), out),
        "munderover" => under_over(node, Some(1), Some(2), out),
        "mmultiscripts" => multiscripts(node, out),
        "mtable" => {
            let is_aligned = node.children.iter().any(|row| row.children.len() > 1);
            push(&table_tex(node, if is_aligned { "aligned" } else { "gathered" }), out);
        }
        "mfenced" => {
            let parts: Vec<String> = node.children.iter().map(Node::tex).collect();
            push(&operator(node.attribute("open").unwrap_or("(")), out);
            push(&parts.join(node.attribute("separators").unwrap_or(",")), out);
            push(&operator(node.attribute("close").unwrap_or(")")), out);
        }
        "semantics" => node.children.iter().take(1).for_each(|child| write(child, out)),
        "annotation" | "annotation-xml" | "mphantom" | "none" | "mprescripts" => {}
        _ => row_of(node, out),
    }
}

fn identifier(node: &Node) -> String {
    let text = node.text.trim();
    let plain = letters(text);
    if symbols::is_function(text) {
        return format!("\\{text}");
    }
    let is_one = text.chars().count() == 1;
    let font = match node.attribute("mathvariant") {
        Some("bold" | "bold-italic") => "\\mathbf",
        Some("double-struck") => "\\mathbb",
        Some("script" | "-tex-calligraphic") => "\\mathcal",
        Some("fraktur") => "\\mathfrak",
        Some("sans-serif") => "\\mathsf",
        Some("monospace") => "\\mathtt",
        Some("normal") if is_one && text.is_ascii() => "\\mathrm",
        None if !is_one && text.chars().all(char::is_alphabetic) => "\\mathrm",
        _ => return plain,
    };
    format!("{font}{{{plain}}}")
}

fn letters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match symbols::command(c) {
            Some(command) => push(command, &mut out),
            None => push(c.encode_utf8(&mut [0; 4]), &mut out),
        }
    }
    out
}

fn operator(text: &str) -> String {
    if symbols::is_function(text) {
        return format!("\\{text}");
    }
    if text.chars().count() > 1 && text.chars().all(char::is_alphabetic) {
        return format!("\\operatorname{{{text}}}");
    }
    letters(text)
}

fn space(width: &str) -> &'static str {
    let em = width.trim_end_matches("em").parse::<f32>().unwrap_or_default();
    match em {
        _ if em <= 0.0 => "",
        _ if em < 0.2 => "\\,",
        _ if em < 0.9 => "\\;",
        _ => "\\quad ",
    }
}

fn fraction(node: &Node, name: &str) -> String {
    let part = |at: usize| node.children.get(at).map(Node::tex).unwrap_or_default();
    match node.attribute("linethickness") {
        Some("0" | "0pt" | "0px" | "0em") => format!("{{{} \\atop {}}}", part(0), part(1)),
        _ => format!("{name}{{{}}}{{{}}}", part(0), part(1)),
    }
}

/// Whether TeX reads a piece as a single argument without braces around it: one character or one command.
fn is_one(piece: &str) -> bool {
    let mut chars = piece.chars();
    match chars.next() {
        Some('\\') => {
            let name_end = piece[1..].find(|c: char| !c.is_ascii_alphabetic()).map_or(piece.len(), |at| at + 1);
            name_end == piece.len() && piece.len() > 1
        }
        Some(_) => chars.next().is_none(),
        None => true,
    }
}

fn grouped(piece: &str) -> String {
    if is_one(piece) && !piece.is_empty() { piece.to_owned() } else { format!("{{{piece}}}") }
}

fn scripts(base: &str, below: Option<&str>, above: Option<&str>, out: &mut String) {
    // A base that begins with a bracket, or is a command with its arguments, needs no braces.
    let is_held = |base: &str| base.starts_with(['(', '[']) || (base.starts_with('\\') && !base.contains(' '));
    if base.is_empty() {
        push("{}", out);
    } else if is_one(base) || is_held(base) || base.chars().all(|c| c.is_ascii_digit()) {
        push(base, out);
    } else {
        push(&format!("{{{base}}}"), out);
    }
    if let Some(below) = below {
        out.push('_');
        out.push_str(&grouped(below));
    }
    match above {
        Some(above) if !above.is_empty() && above.bytes().all(|byte| byte == b'\'') => out.push_str(above),
        Some(above) => {
            out.push('^');
            out.push_str(&grouped(above));
        }
        None => {}
    }
}

fn under_over(node: &Node, below: Option<usize>, above: Option<usize>, out: &mut String) {
    let child = |at: Option<usize>| at.and_then(|at| node.children.get(at));
    let base = node.children.first().map(Node::tex).unwrap_or_default();
    let sign = child(above).filter(|_| below.is_none()).and_then(Node::operator);
    if let Some(accent) = sign.and_then(|sign| symbols::accent(sign, !is_one(&base))) {
        return push(&format!("{accent}{{{base}}}"), out);
    }
    let line = child(below).filter(|_| above.is_none()).and_then(Node::operator);
    if let Some(name) = line.and_then(|line| match line {
        "⏟" | "\u{fe38}" => Some("\\underbrace"),
        "_" | "̲" | "‾" | "¯" => Some("\\underline"),
        _ => None,
    }) {
        return push(&format!("{name}{{{base}}}"), out);
    }
    let tex = |at| child(at).map(Node::tex);
    let takes_limits = base.starts_with('\\') && !base.contains(['{', ' ']) || is_one(&base) && !base.is_ascii();
    if takes_limits || base.starts_with("\\overbrace") || base.starts_with("\\underbrace") {
        return scripts(&base, tex(below).as_deref(), tex(above).as_deref(), out);
    }
    let base = match tex(below) {
        Some(below) => format!("\\underset{{{below}}}{{{base}}}"),
        None => base,
    };
    match tex(above) {
        Some(above) => push(&format!("\\overset{{{above}}}{{{base}}}"), out),
        None => push(&base, out),
    }
}

fn multiscripts(node: &Node, out: &mut String) {
    let behind = node.children.iter().position(|child| child.is("mprescripts")).unwrap_or(node.children.len());
    let pairs = |from: usize, to: usize| node.children.get(from..to).unwrap_or_default().chunks(2);
    let script = |node: Option<&Node>| node.map(Node::tex).filter(|tex| !tex.is_empty());
    for pair in pairs(behind + 1, node.children.len()) {
        scripts("", script(pair.first()).as_deref(), script(pair.get(1)).as_deref(), out);
    }
    let base = node.children.first().map(Node::tex).unwrap_or_default();
    match pairs(1, behind).next() {
        Some(pair) => scripts(&base, script(pair.first()).as_deref(), script(pair.get(1)).as_deref(), out),
        None => push(&base, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_become_the_tex_commands_that_they_show() {
        for (mathml, expected) in [
            ("<mi mathvariant=normal>Δ</mi><mi>T</mi><mo>≈</mo><mn>3.4</mn>", "\\Delta T\\approx3.4"),
            ("<msup><mrow><mi mathvariant=double-struck>R</mi></mrow><mi>n</mi></msup>", "\\mathbb{R}^n"),
            ("<mfrac><mrow><mo>−</mo><mi>b</mi></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>", "\\frac{-b}{2a}"),
            (
                "<munder><mrow><mi>lim</mi><mo>⁡</mo></mrow><mrow><mi>n</mi><mo>→</mo><mi>∞</mi></mrow></munder><mi>x</mi>",
                "\\lim_{n\\to\\infty}x",
            ),
            (
                "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
                "\\sum_{i=1}^ni",
            ),
            ("<mover><mi>x</mi><mo>ˉ</mo></mover>", "\\bar{x}"),
            (
                "<mrow><mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo>)</mo></mrow>",
                "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
            ),
            (
                "<mrow><mo>{</mo><mtable><mtr><mtd><mn>0</mn></mtd></mtr></mtable></mrow>",
                "\\begin{cases} 0 \\end{cases}",
            ),
            ("<msup><mi>f</mi><mo>′</mo></msup><mo>(</mo><mi>x</mi><mo>)</mo>", "f'(x)"),
            ("<msup><mi>sin</mi><mn>2</mn></msup><mi>θ</mi>", "\\sin^2\\theta"),
            ("<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}"),
            ("<mi>α</mi><mi>x</mi><mi>y</mi><mo>≈</mo><mn>1</mn><mi>é</mi><mi>x</mi>", "\\alpha xy\\approx1éx"),
        ] {
            assert_eq!(tex(mathml), expected, "{mathml}");
        }
    }

    #[test]
    fn deep_and_broken_formulas_are_bounded() {
        assert!(tex(&"<mrow>".repeat(100_000)).is_empty());
        assert_eq!(tex("<msup><mi>x</mi>"), "x^{}");
        assert_eq!(tex("</mi></msup><mi>x"), "x");
    }
}
