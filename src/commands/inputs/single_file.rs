//! One file that `-o` names: an earlier one of its kind is replaced, nothing else is.

use std::path::Path;

use crate::commands::UsageError;

/// Whether something is there that takes what is written without becoming a file: a pipe, a terminal, a device.
pub(crate) fn is_stream(out: &Path) -> bool {
    out.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Refuses to replace what is not such a file, `what` in words.
///
/// # Errors
/// When anything else has the name.
pub(crate) fn refuse_other(out: &Path, what: &str, is_one: impl Fn(&Path) -> bool) -> Result<(), UsageError> {
    if out.symlink_metadata().is_err() || out.is_file() && is_one(out) {
        return Ok(());
    }
    let out = out.display();
    Err(UsageError::of(format!("-o {out} already exists and is not {what}: name another file, or remove it")))
}
