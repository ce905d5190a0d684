//! The standard output of commands. Text from outside can never send control sequences to a terminal (`printable`).
//! With `--quiet` no text for people is printed; requested data (JSON, documents, a script) are printed all the same.
//!
//! A reader who closes the pipe (`goldminer profile list … | head`) ends a command without an error:
//! [`main`](crate::commands::main) treats [`OutputClosed`] as success. Output that cannot be written for another
//! reason, such as a full disk, is an error.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use serde::Serialize;

use super::printable::{printable, printable_json};
use super::style::styled_pieces;
use crate::commands::Exit;

/// Whether text for people is suppressed.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Suppresses text for people, or allows it again.
pub(crate) fn be_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// The error if the program that reads standard output has closed it.
#[derive(Debug, thiserror::Error)]
#[error("standard output was closed by the program that reads it")]
pub(crate) struct OutputClosed;

/// Prints a line.
///
/// # Errors
/// [`OutputClosed`], or when the output cannot be written.
pub(crate) fn line(line: impl Display) -> anyhow::Result<()> {
    text(format_args!("{line}\n"))
}

/// Prints the last line of a command, and returns [`Exit::Done`].
///
/// # Errors
/// As for [`line()`].
pub(crate) fn done(message: impl Display) -> anyhow::Result<Exit> {
    line(message)?;
    Ok(Exit::Done)
}

/// Prints a text that includes its line ends. Without a terminal, colours are left out.
///
/// # Errors
/// As for [`line()`].
pub(crate) fn text(text: impl Display) -> anyhow::Result<()> {
    if QUIET.load(Ordering::Relaxed) { Ok(()) } else { product(text) }
}

/// Prints requested data, also with `--quiet`.
///
/// # Errors
/// As for [`line()`].
pub(crate) fn product(text: impl Display) -> anyhow::Result<()> {
    let text = text.to_string();
    let rendered: String = styled_pieces(&text).map(|(sequence, piece)| sequence + &printable(piece)).collect();
    write_out(&rendered)
}

fn write_out(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    let written = write!(out, "{text}").and_then(|()| out.flush());
    written.or_else(|e| match e.kind() {
        io::ErrorKind::BrokenPipe => Err(OutputClosed.into()),
        _ => Err(e).context("cannot write to standard output"),
    })
}

/// Prints a value as JSON, for programs.
///
/// # Errors
/// As for [`line()`].
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(value)?;
    write_out(&format!("{}\n", printable_json(&json)))
}

/// Prints a value as JSON if `as_json` is set, or else as text that includes its line ends.
///
/// # Errors
/// As for [`line()`].
pub(crate) fn answer<W: Display>(
    as_json: bool,
    value: &impl Serialize,
    words: impl FnOnce() -> W,
) -> anyhow::Result<Exit> {
    if as_json {
        json(value)?;
    } else {
        let words = words().to_string();
        line(words.strip_suffix('\n').unwrap_or(&words))?;
    }
    Ok(Exit::Done)
}

/// Prints a value as JSON on one line.
///
/// # Errors
/// As for [`line()`].
pub(crate) fn json_line(value: &impl Serialize) -> anyhow::Result<()> {
    write_out(&format!("{}\n", printable_json(&serde_json::to_string(value)?)))
}

/// A text as it is printed without a terminal.
#[cfg(test)]
pub(crate) fn without_styles(text: &str) -> String {
    styled_pieces(text).map(|(_, piece)| printable(piece)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::terminal::style::KEPT;
    use crate::commands::terminal::style::TITLE;
    use crate::commands::terminal::style::styled;

    #[test]
    fn only_our_own_styles_reach_the_terminal() {
        let stranger = "red \u{1b}[31m \u{fdd0}00000000000000001 \u{202e}";
        let text = format!("{} by {}", styled(TITLE, stranger), styled(KEPT, "us"));
        let rendered: String = styled_pieces(&text).map(|(sequence, piece)| sequence + &printable(piece)).collect();
        assert_eq!(
            rendered,
            "\u{1b}[1mred \\u{1b}[31m \\u{fdd0}00000000000000001 \\u{202e}\u{1b}[0m by \u{1b}[32mus\u{1b}[0m"
        );
        assert_eq!(without_styles(&text), "red \\u{1b}[31m \\u{fdd0}00000000000000001 \\u{202e} by us");
    }
}
