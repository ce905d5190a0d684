//! From `--format` to the form of a corpus.

use crate::cli::FormatArg;
use crate::corpus::Format;

/// The form that the argument names.
///
/// # Errors
/// When this program was built without it; the message says how to get it.
pub fn format(arg: FormatArg) -> anyhow::Result<Format> {
    Ok(match arg {
        FormatArg::Jsonl => Format::Jsonl,
        FormatArg::Text => Format::Text,
        FormatArg::Cleaneval => Format::Cleaneval,
        FormatArg::Vertical => Format::Vertical,
        FormatArg::Tei => Format::Tei,
    })
}
