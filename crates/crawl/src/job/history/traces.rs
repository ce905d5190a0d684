//! What a job directory still says of a page or a host when archive, databases and corpus say nothing any more: reports,
//! marked pages, logs, how the last run ended. All of it goes, or the lines of it that name what was withdrawn.

use std::path::{Path, PathBuf};
use std::{fs, io};

use goldminer_html::CrawlUrl;
use goldminer_warc::durable;
use serde_json::Value;
use walkdir::{DirEntry, WalkDir};

use crate::frontier::Withdrawals;
use crate::{CrawlError, JobDir, JobError};

/// Removes them. `what` is what was withdrawn, as it was typed; `aside` are old databases, which still know it.
pub(crate) fn remove(job: &JobDir, what: &str, meant: &Withdrawals, aside: &[PathBuf]) -> Result<(), CrawlError> {
    each(aside.to_vec(), |path| fs::remove_dir_all(path))?;
    // Reports are made anew by the command that made them. A checkpoint is written when the job is lent again.
    each(files(&job.reports()).into_iter().chain([job.checkpoint()]), remove_file)?;
    each(files(&job.marked()).into_iter().filter(|path| is_marked_page_of(path, meant)), remove_file)?;
    each(files(&job.log()), |path| keep_lines_without(path, what))?;
    each([job.outcome(), job.suspects()], |path| keep_items_without(path, what))
}

fn each(paths: impl IntoIterator<Item = PathBuf>, change: impl Fn(&Path) -> io::Result<()>) -> Result<(), CrawlError> {
    let changed = |path: PathBuf| change(&path).map_err(|cause| JobError::Unwritable { path, cause });
    Ok(paths.into_iter().try_for_each(changed)?)
}

/// A marked page has its URL in its first line.
fn is_marked_page_of(path: &Path, meant: &Withdrawals) -> bool {
    let text = fs::read(path).unwrap_or_default();
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let url = std::str::from_utf8(first).ok().and_then(|line| line.strip_prefix("URL: "));
    url.is_some_and(|url| CrawlUrl::parse(url.trim()).is_ok_and(|url| meant.hold(&url)))
}

fn keep_lines_without(path: &Path, what: &str) -> io::Result<()> {
    let text = fs::read(path)?;
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let kept: Vec<&[u8]> = lines.filter(|line| memchr::memmem::find(line, what.as_bytes()).is_none()).collect();
    let kept = kept.concat();
    if kept.len() == text.len() { Ok(()) } else { durable::write(path, kept) }
}

/// Of a JSON file that is a list, or has lists, the items that do not name it.
fn keep_items_without(path: &Path, what: &str) -> io::Result<()> {
    let Ok(text) = fs::read(path) else { return Ok(()) };
    let Ok(mut value) = serde_json::from_slice::<Value>(&text) else { return remove_file(path) };
    let keep = |list: &mut Vec<Value>| list.retain(|item| !item.to_string().contains(what));
    match &mut value {
        Value::Array(list) => keep(list),
        Value::Object(fields) => fields.values_mut().filter_map(Value::as_array_mut).for_each(keep),
        _ => {}
    }
    durable::write(path, serde_json::to_vec_pretty(&value)?)
}

/// The files below a folder, which may not be there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(folder).into_iter().flatten().filter(|entry| !entry.file_type().is_dir());
    entries.map(DirEntry::into_path).collect()
}

fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}
