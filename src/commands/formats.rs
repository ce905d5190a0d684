//! From `--format` to the form of a corpus.

use crate::cli::FormatArg;
use crate::corpus::Format;

/// The form that the argument names.
#[must_use]
pub fn format(arg: FormatArg) -> Format {
    match arg {
        FormatArg::Jsonl => Format::Jsonl,
        FormatArg::Text => Format::Text,
        FormatArg::Cleaneval => Format::Cleaneval,
        FormatArg::Vertical => Format::Vertical,
        FormatArg::Tei => Format::Tei,
        FormatArg::Parquet => Format::Parquet,
    }
}
