//! The colours of terminal views, as in the paper's Figure 1 and the HTML reports: green is kept, red is dropped, blue
//! is the cut. Printed with `anstream`, which leaves them out where there is no terminal or `NO_COLOR` is set.

use std::fmt::{self, Display};

use anstyle::{AnsiColor, Style};

/// Text of the corpus; what came.
pub const KEPT: Style = AnsiColor::Green.on_default();
/// Boilerplate; what went.
pub const DROPPED: Style = AnsiColor::Red.on_default();
/// Where it is cut: patterns.
pub const CUT: Style = AnsiColor::Blue.on_default();
/// What a stretch is about.
pub const TITLE: Style = Style::new().bold();
/// What may be passed over.
pub const FAINT: Style = Style::new().dimmed();

/// Something in a style.
pub struct Inked<T>(Style, T);

/// Something in a style.
pub const fn ink<T: Display>(style: Style, what: T) -> Inked<T> {
    Inked(style, what)
}

impl<T: Display> Display for Inked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.render())?;
        self.1.fmt(f)?;
        write!(f, "{}", self.0.render_reset())
    }
}
