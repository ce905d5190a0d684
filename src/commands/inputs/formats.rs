//! Opens the output for documents: a folder or a file in some format, or standard output.

use std::path::{Path, PathBuf};

use goldminer_corpus::{Format, Sink, refuse_archives, refuse_used};
use goldminer_crawl::JobDir;
use goldminer_warc::objects::ObjectAddress;

use crate::commands::terminal::printable::printable;
use crate::commands::{UsageError, misuse};

/// Whether `-o` means standard output.
pub(crate) fn is_standard_output(out: &Path) -> bool {
    out == Path::new("-")
}

/// The output format: the given one, else that of the file name, else JSON lines.
pub(crate) fn chosen(format: Option<Format>, out: &Path) -> Format {
    format.or_else(|| Format::of_file(out)).unwrap_or(Format::Jsonl)
}

/// Whether `-o` names a single file.
pub(crate) fn is_one_file(out: &Path) -> bool {
    Format::of_file(out).is_some() && !out.is_dir()
}

/// Refuses a file name with an extension that belongs to no corpus format, because a folder of that name would be
/// made. An extension has at most 8 ASCII letters and digits, at least one of them a letter. So `corpus.2024` and
/// names that end in `/` are folders.
///
/// # Errors
/// When the name has such an extension. The message says what to write.
pub(crate) fn refuse_other_file(out: &Path) -> Result<(), UsageError> {
    let Some(end) = other_end(out).filter(|_| Format::of_file(out).is_none()) else { return Ok(()) };
    Err(UsageError::of(format!(
        "-o {name}: GoldMiner does not write .{end} files; name a .jsonl, .jsonl.zst, .txt, .vert (.vrt), .xml (.tei) or \
         .parquet file; for a folder of this name (as for Markdown or HTML with --format markdown or html), write {name}/",
        name = out.display()
    )))
}

/// The extension of a new file; None if the name is that of a folder.
fn other_end(out: &Path) -> Option<String> {
    let end = out.extension()?.to_string_lossy().to_ascii_lowercase();
    let is_of_file =
        end.len() <= 8 && end.bytes().all(|byte| byte.is_ascii_alphanumeric()) && end.contains(char::is_alphabetic);
    let is_of_folder = out.to_string_lossy().ends_with('/') || ObjectAddress::is_in(out) || out.is_dir();
    (is_of_file && !is_of_folder).then_some(end)
}

/// Refuses the name of a file where the output of `command` is a folder of JSON lines.
///
/// # Errors
/// When the name has the extension of a file, of a corpus or another one. The message says what to write.
pub(crate) fn refuse_file_name(out: &Path, command: &str) -> Result<(), UsageError> {
    let name = out.display();
    let then = match (is_one_file(out), other_end(out)) {
        (true, _) => format!("Name a folder OUT without such an ending, then `goldminer convert OUT -o {name}`"),
        (false, Some(_)) => format!("For a folder of this name, write {name}/"),
        (false, None) => return Ok(()),
    };
    Err(UsageError::of(format!("-o {name}: {command} writes JSON lines into a folder. {then}")))
}

/// Refuses an output that is a job directory, or in one of the folders that belong to the job.
///
/// # Errors
/// When it is one of these.
pub(crate) fn refuse_job(out: &Path) -> Result<(), UsageError> {
    let is_own = |folder: &Path| {
        let job = folder.parent().filter(|parent| JobDir::is_job(parent)).map(JobDir::new);
        job.is_some_and(|job| job.parts().iter().any(|part| part == folder))
    };
    let path = resolved(out);
    if JobDir::is_job(&path) || path.ancestors().any(is_own) {
        return Err(UsageError::of(format!("-o {} is part of a job directory: name another folder", out.display())));
    }
    Ok(())
}

/// Refuses an output that is a source, the folder of one, or a folder that belongs to a job, because documents and
/// sources would be mixed in one folder.
///
/// # Errors
/// When the output is a source, or contains one.
pub(crate) fn refuse_among_sources(out: &Path, sources: &[PathBuf]) -> Result<(), UsageError> {
    if is_standard_output(out) || is_one_file(out) || ObjectAddress::is_in(out) {
        return Ok(());
    }
    refuse_job(out)?;
    let written = resolved(out);
    for source in sources.iter().filter(|source| source.exists() && !ObjectAddress::is_in(source)) {
        let read = resolved(source);
        let folder = std::path::absolute(source).ok().and_then(|path| path.parent().map(resolved));
        let is = match read.is_dir() {
            true if written == read => "is a source itself".to_owned(),
            false if [folder.as_deref(), read.parent()].contains(&Some(&*written)) => {
                format!("is the folder of the source {}", source.display())
            }
            _ => continue,
        };
        return Err(UsageError::of(format!(
            "-o {} {is}: documents and sources would be mixed; name another folder",
            out.display()
        )));
    }
    Ok(())
}

/// An absolute path. Links and `..` are resolved in the part of it that exists.
fn resolved(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = absolute.ancestors().find_map(|above| {
        let rest = absolute.strip_prefix(above).unwrap_or(Path::new(""));
        Some(above.canonicalize().ok()?.components().chain(rest.components()).collect())
    });
    known.unwrap_or(absolute)
}

/// Starts a copy of a whole corpus in another format, in the same folder.
///
/// # Errors
/// When it cannot be written, or exists already in that format.
pub(crate) fn second_form(out: &Path, format: Format) -> anyhow::Result<Sink> {
    refuse_job(out)?;
    Ok(Sink::create(out, format)?)
}

/// Starts a corpus in a folder or a file, or on standard output.
///
/// # Errors
/// When it cannot be written, exists already, or is for standard output and not JSON lines.
pub(crate) fn sink(out: &Path, format: Format, wants_summary: bool) -> anyhow::Result<Sink> {
    if !is_standard_output(out) {
        refuse_job(out)?;
        if !is_one_file(out) {
            refuse_used(out)?;
            refuse_archives(out)?;
        }
        if let Some(named) = Format::of_file(out).filter(|named| *named != format && !out.is_dir()) {
            let (out, named, given) = (out.display(), named.as_str(), format.as_str());
            return misuse(format!(
                "-o {out} names a file of --format {named}, but --format {given} was given: name a folder, or leave out --format"
            ));
        }
        return Ok(Sink::create(out, format)?);
    }
    if !matches!(format, Format::Jsonl | Format::Text) {
        let name = format.as_str();
        return misuse(format!(
            "standard output takes only --format jsonl or text: name a folder for --format {name}, as in -o {name}"
        ));
    }
    if wants_summary {
        return misuse(
            "the documents and the --json summary would both go to standard output: name a folder or a file for the \
            documents with -o, or leave out --json",
        );
    }
    Ok(Sink::standard_output(format, printable))
}
