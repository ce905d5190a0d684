//! What commands say on standard output.
//!
//! A reader who has seen enough (`goldminer profile list … | head`) ends a command quietly: [`run`](super::run) takes
//! [`NobodyReads`] for a good end. Output that cannot be written for another reason, as to a full disk, is an error.

use std::fmt::Display;
use std::io::{self, Write as _};

use anyhow::Context as _;
use serde::Serialize;

/// Nobody reads standard output any more.
#[derive(Debug, thiserror::Error)]
#[error("nobody reads what is printed")]
pub struct NobodyReads;

/// Says a line.
///
/// # Errors
/// [`NobodyReads`], or when the output cannot be written.
pub fn line(line: impl Display) -> anyhow::Result<()> {
    text(format_args!("{line}\n"))
}

/// Says a text that ends its own lines. Colours are left out where there is no terminal.
///
/// # Errors
/// As [`line`].
pub fn text(text: impl Display) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    let said = write!(out, "{text}").and_then(|()| out.flush());
    said.or_else(|e| match e.kind() {
        io::ErrorKind::BrokenPipe => Err(NobodyReads.into()),
        _ => Err(e).context("cannot write to standard output"),
    })
}

/// Says a value as JSON, for programs.
///
/// # Errors
/// As [`line`].
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(serde_json::to_string_pretty(value)?)
}
