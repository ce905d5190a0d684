//! Where documents go: a folder in some form, or standard output.

use std::path::Path;

use crate::corpus::{Format, Sink};

use super::Misuse;

/// Whether `-o` means standard output.
#[must_use]
pub(super) fn is_standard_output(out: &Path) -> bool {
    out == Path::new("-")
}

/// Begins a corpus in a folder, or on standard output.
///
/// # Errors
/// When the folder can't be written, or another form than JSON lines is to go to standard output.
pub(super) fn sink(out: &Path, format: Format, wants_summary: bool) -> anyhow::Result<Sink> {
    if !is_standard_output(out) {
        return Ok(Sink::create(out, format)?);
    }
    if format != Format::Jsonl {
        let name = format.as_str();
        return Err(
            Misuse::of(format!("-o - writes JSON lines: name a folder for --format {name}, as in -o {name}")).into()
        );
    }
    if wants_summary {
        return Err(Misuse::of(
            "-o - writes documents to standard output, and --json the summary: name a folder for one of them",
        )
        .into());
    }
    Ok(Sink::standard_output())
}
