//! The TeX commands of characters that formulas are made of.

/// By character.
const COMMANDS: &[(char, &str)] = &[
    ('\u{a0}', " "), ('¬', "\\neg"), ('±', "\\pm"), ('·', "\\cdot"), ('×', "\\times"), ('÷', "\\div"), ('Γ', "\\Gamma"),
    ('Δ', "\\Delta"), ('Θ', "\\Theta"), ('Λ', "\\Lambda"), ('Ξ', "\\Xi"), ('Π', "\\Pi"), ('Σ', "\\Sigma"),
    ('Υ', "\\Upsilon"), ('Φ', "\\Phi"), ('Ψ', "\\Psi"), ('Ω', "\\Omega"), ('α', "\\alpha"), ('β', "\\beta"),
    ('γ', "\\gamma"), ('δ', "\\delta"), ('ε', "\\varepsilon"), ('ζ', "\\zeta"), ('η', "\\eta"), ('θ', "\\theta"),
    ('ι', "\\iota"), ('κ', "\\kappa"), ('λ', "\\lambda"), ('μ', "\\mu"), ('ν', "\\nu"), ('ξ', "\\xi"), ('π', "\\pi"),
    ('ρ', "\\rho"), ('ς', "\\varsigma"), ('σ', "\\sigma"), ('τ', "\\tau"), ('υ', "\\upsilon"), ('φ', "\\varphi"),
    ('χ', "\\chi"), ('ψ', "\\psi"), ('ω', "\\omega"), ('ϑ', "\\vartheta"), ('ϕ', "\\phi"), ('ϖ', "\\varpi"),
    ('ϱ', "\\varrho"), ('ϵ', "\\epsilon"), ('‖', "\\|"), ('†', "\\dagger"), ('‡', "\\ddagger"), ('…', "\\dots"),
    ('′', "'"), ('″', "''"), ('\u{2061}', ""), ('\u{2062}', ""), ('\u{2063}', ""), ('\u{2064}', ""), ('ℏ', "\\hbar"),
    ('ℑ', "\\Im"), ('ℓ', "\\ell"), ('ℜ', "\\Re"), ('ℕ', "\\mathbb{N}"), ('ℚ', "\\mathbb{Q}"), ('ℝ', "\\mathbb{R}"),
    ('ℤ', "\\mathbb{Z}"), ('ℂ', "\\mathbb{C}"), ('ℵ', "\\aleph"), ('←', "\\leftarrow"), ('↑', "\\uparrow"),
    ('→', "\\to"), ('↓', "\\downarrow"), ('↔', "\\leftrightarrow"), ('↦', "\\mapsto"), ('⇐', "\\Leftarrow"),
    ('⇒', "\\Rightarrow"), ('⇔', "\\Leftrightarrow"), ('∀', "\\forall"), ('∂', "\\partial"), ('∃', "\\exists"),
    ('∅', "\\emptyset"), ('∇', "\\nabla"), ('∈', "\\in"), ('∉', "\\notin"), ('∋', "\\ni"), ('∏', "\\prod"),
    ('∐', "\\coprod"), ('∑', "\\sum"), ('−', "-"), ('∓', "\\mp"), ('∖', "\\setminus"), ('∗', "*"), ('∘', "\\circ"),
    ('√', "\\surd"), ('∝', "\\propto"), ('∞', "\\infty"), ('∠', "\\angle"), ('∣', "\\mid"), ('∥', "\\parallel"),
    ('∧', "\\land"), ('∨', "\\lor"), ('∩', "\\cap"), ('∪', "\\cup"), ('∫', "\\int"), ('∬', "\\iint"), ('∭', "\\iiint"),
    ('∮', "\\oint"), ('∴', "\\therefore"), ('∼', "\\sim"), ('≃', "\\simeq"), ('≅', "\\cong"), ('≈', "\\approx"),
    ('≔', ":="), ('≠', "\\neq"), ('≡', "\\equiv"), ('≤', "\\leq"), ('≥', "\\geq"), ('≪', "\\ll"), ('≫', "\\gg"),
    ('≺', "\\prec"), ('≻', "\\succ"), ('⊂', "\\subset"), ('⊃', "\\supset"), ('⊆', "\\subseteq"), ('⊇', "\\supseteq"),
    ('⊕', "\\oplus"), ('⊗', "\\otimes"), ('⊢', "\\vdash"), ('⊤', "\\top"), ('⊥', "\\perp"), ('⋀', "\\bigwedge"),
    ('⋁', "\\bigvee"), ('⋂', "\\bigcap"), ('⋃', "\\bigcup"), ('⋅', "\\cdot"), ('⋆', "\\star"), ('⋮', "\\vdots"),
    ('⋯', "\\cdots"), ('⋱', "\\ddots"), ('⌈', "\\lceil"), ('⌉', "\\rceil"), ('⌊', "\\lfloor"), ('⌋', "\\rfloor"),
    ('□', "\\square"), ('◦', "\\circ"), ('⟨', "\\langle"), ('⟩', "\\rangle"), ('⟶', "\\longrightarrow"),
    ('⟹', "\\implies"), ('⟺', "\\iff"), ('⩽', "\\leqslant"), ('⩾', "\\geqslant"), ('⪯', "\\preceq"), ('⪰', "\\succeq"),
];

/// Names that TeX knows as functions.
const FUNCTIONS: [&str; 32] = [
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd", "hom",
    "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr", "sec", "sin", "sinh", "sup", "tan", "tanh",
];

/// What TeX writes for a character, if it is not the character itself.
pub(super) fn command(c: char) -> Option<&'static str> {
    match c {
        '{' => Some("\\{"),
        '}' => Some("\\}"),
        '%' => Some("\\%"),
        '#' => Some("\\#"),
        '&' => Some("\\&"),
        '$' => Some("\\$"),
        '_' => Some("\\_"),
        _ if c.is_ascii() => None,
        _ => COMMANDS.iter().find(|(own, _)| *own == c).map(|(_, command)| *command),
    }
}

/// Whether TeX has a command of this name for a function.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// What TeX writes for a sign above what it belongs to; whether that is more than one letter matters to some.
pub(super) fn accent(sign: &str, is_wide: bool) -> Option<&'static str> {
    Some(match sign {
        "^" | "ˆ" | "\u{302}" if is_wide => "\\widehat",
        "^" | "ˆ" | "\u{302}" => "\\hat",
        "~" | "˜" | "∼" | "\u{303}" if is_wide => "\\widetilde",
        "~" | "˜" | "∼" | "\u{303}" => "\\tilde",
        "¯" | "ˉ" | "‾" | "―" | "_" | "\u{304}" | "\u{305}" if is_wide => "\\overline",
        "¯" | "ˉ" | "‾" | "―" | "_" | "\u{304}" | "\u{305}" => "\\bar",
        "→" | "\u{20d7}" if is_wide => "\\overrightarrow",
        "→" | "\u{20d7}" => "\\vec",
        "˙" | "." | "\u{307}" => "\\dot",
        "¨" | "\u{308}" => "\\ddot",
        "ˇ" | "\u{30c}" => "\\check",
        "⏞" | "\u{fe37}" => "\\overbrace",
        _ => return None,
    })
}
