//! The colours in the terminal, as in Figure 1 of the GoldMiner paper and the HTML reports. Green text is kept, and red
//! text is dropped. Blue marks the cut (the places where the article begins and ends).
//!
//! A style is written as a mark, which [`output`](crate::commands::terminal::output) replaces by the terminal's
//! control sequence. Text from outside cannot contain a mark, because marks contain a number that is drawn at random
//! in each process.

use std::fmt::{self, Display};
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use anstyle::{AnsiColor, Style};

/// Text that is kept, or was added.
pub(crate) const KEPT: Mark = Mark(0);
/// Text that is dropped, or was removed.
pub(crate) const DROPPED: Mark = Mark(1);
/// Patterns that define a cut.
pub(crate) const CUT: Mark = Mark(2);
/// The title of a section.
pub(crate) const TITLE: Mark = Mark(3);
/// Less important text.
pub(crate) const FAINT: Mark = Mark(4);

const STYLES: [Style; 5] = [
    AnsiColor::Green.on_default(),
    AnsiColor::Red.on_default(),
    AnsiColor::Blue.on_default(),
    Style::new().bold(),
    Style::new().dimmed(),
];

/// The beginning of every mark: a character that no text may contain, and a secret number.
static MARK: LazyLock<String> = LazyLock::new(|| format!("\u{fdd0}{:016x}", RandomState::new().hash_one(0)));

/// One of the styles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(usize);

/// A value that is printed in a style.
pub(crate) struct Styled<T>(Mark, T);

pub(crate) const fn styled<T: Display>(style: Mark, what: T) -> Styled<T> {
    Styled(style, what)
}

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", *MARK, self.0.0)?;
        self.1.fmt(f)?;
        write!(f, "{}.", *MARK)
    }
}

/// A line that begins with `name`, in a column of `width` characters.
pub(crate) fn labelled(width: usize, name: &str, what: impl Display) -> String {
    format!("  {} {what}\n", styled(FAINT, format!("{name:<width$}")))
}

/// The parts of a text between marks, each with the control sequence of the mark before it.
pub(crate) fn styled_pieces(text: &str) -> impl Iterator<Item = (String, &str)> {
    let mut pieces = text.split(MARK.as_str());
    let first = pieces.next().unwrap_or_default();
    let mut open = Style::new();
    std::iter::once((String::new(), first)).chain(pieces.map(move |piece| {
        // Every mark ends with one ASCII character.
        let (style, rest) = piece.split_at(piece.len().min(1));
        let sequence = match style.parse::<usize>().ok().and_then(|number| STYLES.get(number)) {
            Some(style) => {
                open = *style;
                style.render().to_string()
            }
            None => open.render_reset().to_string(),
        };
        (sequence, rest)
    }))
}
