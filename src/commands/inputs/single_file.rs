//! Protects files: the output file of `-o` replaces only an earlier file of the same kind.

use std::io::ErrorKind;
use std::path::Path;

use goldminer_warc::durable::advice_on_writing;

use crate::commands::UsageError;

/// The error of an output that cannot be written.
pub(crate) fn unwritable(path: &Path, cause: &std::io::Error) -> anyhow::Error {
    let words = format!("cannot write {}: {cause}. {}", path.display(), advice_on_writing(cause));
    let is_of_path = matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory);
    if is_of_path { UsageError::of(words).into() } else { anyhow::anyhow!(words) }
}

/// Whether this is a pipe, a terminal or a device, which is written to and not replaced.
pub(crate) fn is_stream(out: &Path) -> bool {
    out.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Refuses to replace an existing file that is not `what`, such as "an earlier report". Returns whether an earlier file
/// will be replaced.
///
/// # Errors
/// When another file or a folder has the name of the output.
pub(crate) fn refuse_other(out: &Path, what: &str, is_one: impl Fn(&Path) -> bool) -> Result<bool, UsageError> {
    let is_there = out.symlink_metadata().is_ok();
    if !is_there || out.is_file() && is_one(out) {
        return Ok(is_there);
    }
    let out = out.display();
    Err(UsageError::of(format!("-o {out} already exists and is not {what}: name another file")))
}

/// Refuses to replace an existing file whose content is not of the kind `what`. Pipes and devices are accepted.
///
/// # Errors
/// When a file with other content has the name of the output.
pub(crate) fn refuse_other_content(out: &Path, what: &str, is_one: impl Fn(&[u8]) -> bool) -> Result<(), UsageError> {
    if !is_stream(out) {
        refuse_other(out, what, |out| std::fs::read(out).is_ok_and(|bytes| is_one(&bytes)))?;
    }
    Ok(())
}
