//! Opens the corpora in arguments: files and folders of JSON lines or Parquet, and job directories.

use std::path::{Path, PathBuf};

use anyhow::bail;
use goldminer_core::Document;
use goldminer_corpus::{CorpusError, Documents};
use goldminer_crawl::{JobDir, LastRun};

use super::named_sources::once_each;

/// Number of documents in memory at a time.
const CHUNK: usize = 512;
/// The most broken lines of a corpus that are listed. The others are only counted.
const MAX_WARNINGS: u64 = 20;

/// Opens some corpora. Files that are written into their folders later are not read. An incomplete output of `extract`
/// or `dedup` is refused; with `incomplete`, it is read with a warning.
///
/// # Errors
/// When one of them is not a corpus, or is incomplete.
pub(crate) fn open(paths: &[PathBuf], incomplete: bool) -> anyhow::Result<Vec<(&Path, Documents)>> {
    let open = |path: &'_ PathBuf| {
        let folder = JobDir::corpus_of(path);
        match goldminer_batch::incomplete(&folder)? {
            Some(what) if incomplete => tracing::warn!("{what}"),
            Some(what) => bail!("{what}, or give --incomplete to read what is there"),
            None => {}
        }
        let documents = match goldminer_corpus::read(&folder) {
            Err(CorpusError::NoCorpus(_)) if JobDir::is_job(path) => bail!(
                "{} has no documents yet: a portal's first ones appear when its profile is learned (goldminer status {0})",
                path.display()
            ),
            documents => documents?,
        };
        note_unfinished(path);
        Ok(documents)
    };
    once_each(paths).into_iter().map(|path| Ok((path.as_path(), open(path)?))).collect()
}

/// Logs that a job has not finished, because its corpus is then incomplete.
fn note_unfinished(job: &Path) {
    // A job that `cluster jobs` wrote has neither a frontier nor a record of its last run.
    let is_crawl = JobDir::is_job(job) && JobDir::new(job).frontier().exists();
    if is_crawl && !LastRun::of_job(job).is_some_and(|last| last.is_finished()) {
        tracing::info!("the crawl in {} has not finished; these are its documents so far", job.display());
    }
}

/// Whether `out` is the folder of the only corpus, however its path is spelled.
pub(crate) fn is_folder_of(paths: &[PathBuf], out: &Path) -> bool {
    let [path] = paths else { return false };
    out.is_dir() && out.canonicalize().ok() == JobDir::corpus_of(path).canonicalize().ok()
}

/// Reads all documents, and passes them to `take` in chunks. A line that is not a document is reported as a warning.
/// Returns the number of such lines.
///
/// # Errors
/// When a corpus cannot be read, or `take` fails.
pub(crate) fn read(
    corpora: Vec<(&Path, Documents)>,
    mut take: impl FnMut(Vec<Document>) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let mut unreadable = 0;
    for (path, documents) in corpora {
        let (mut good, mut broken) = (0_u64, 0_u64);
        let mut chunk = Vec::with_capacity(CHUNK);
        for document in documents {
            match document {
                Ok(document) => {
                    good += 1;
                    chunk.push(document);
                }
                Err(error @ (CorpusError::Line { .. } | CorpusError::CutOff { .. })) => {
                    broken += 1;
                    if broken <= MAX_WARNINGS {
                        tracing::warn!("{error}");
                    }
                }
                Err(error) => return Err(error.into()),
            }
            if chunk.len() == CHUNK {
                take(std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK)))?;
            }
        }
        take(chunk)?;
        if broken > MAX_WARNINGS {
            tracing::warn!("{}: skipped {broken} lines in total that are not documents", path.display());
        }
        if good == 0 && broken > 0 {
            let path = path.display();
            bail!("no line of {path} is a document; give a corpus written by `crawl`, `extract` or `convert`");
        }
        unreadable += broken;
    }
    Ok(unreadable)
}
