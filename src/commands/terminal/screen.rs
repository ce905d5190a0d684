//! Writes to standard error: permanent lines, and below them lines that change, such as progress bars. Before a
//! permanent line is written, the changing ones are removed, so that no old copy of them stays.

use std::io::{self, IsTerminal, Write};
use std::sync::LazyLock;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tracing_subscriber::fmt::MakeWriter;

use super::printable::printable;

static CHANGING: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Whether standard error is a terminal, where changing lines are possible.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// A changing line, with a bar if the total is known.
pub(crate) fn changing_line(total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (ProgressBar::new(total), "{bar:16} {percent:>3} %  {wide_msg}"),
        None => (ProgressBar::new_spinner(), "{spinner} {wide_msg}"),
    };
    let bar = CHANGING.add(bar);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// Writes a permanent line.
pub(crate) fn print(line: impl std::fmt::Display) {
    let _ = writeln!(Lines, "{}", printable(&line.to_string()));
}

/// A writer of permanent lines to standard error. Each write contains one or more whole lines.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lines;

impl Write for Lines {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        CHANGING.suspend(|| io::stderr().lock().write_all(text)).map(|()| text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self
    }
}
