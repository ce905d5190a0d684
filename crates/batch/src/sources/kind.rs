//! Detects the type of a source from its content, not from its name.
//!
//! A file is a WARC file (plain, gzip or zstd), a WACZ file, a table of pages, a page, or [`Foreign`] (not a source). A
//! folder is a job; or else a folder of jobs; or else a folder of WARC files; or else a folder of pages, at any depth.
//! If all pages are in its folder `pages`, or `meta.tsv` is beside that folder, only that folder is read. Anything else
//! is refused, with an error that says what to do.

use std::fs;
use std::path::{Path, PathBuf};

use goldminer_corpus::figures::counted;
use goldminer_crawl::JobDir;

use super::below::FolderSources;
use super::error::SourceError;
use super::file::{SourceFile, head};
use super::foreign::Foreign;
use super::warc;

/// A source of stored pages, and its type.
#[derive(Debug)]
pub(super) struct Source {
    pub kind: SourceKind,
    /// Messages about files in the same folders that are not read.
    pub aside: Vec<String>,
}

#[derive(Debug)]
pub(super) enum SourceKind {
    /// Job directories, ordered by name.
    Jobs(Vec<PathBuf>),
    /// WARC files in the order of writing. The path of a file in a WACZ file begins with the path of the WACZ file.
    Warcs {
        files: Vec<PathBuf>,
        /// Tables with a page in each row, which can only be read from start to end.
        tables: Vec<PathBuf>,
    },
    /// A single page.
    Page,
    /// Pages in folders.
    Pages {
        /// The folder whose subfolders may be named after hosts or domains.
        top: PathBuf,
        files: Vec<PathBuf>,
    },
}

impl Source {
    /// Detects the type of a source. With `is_website`, its pages are known to be of one website.
    pub(super) fn of(path: &Path, is_website: bool) -> Result<Self, SourceError> {
        let unreadable = |cause| SourceError::Unreadable { path: path.to_owned(), cause };
        if path.to_str().is_none() {
            return Err(SourceError::name_is_not_utf8(path));
        }
        let what = fs::metadata(path).map_err(unreadable)?;
        if what.is_dir() {
            return Self::of_folder(path, is_website);
        }
        if !what.is_file() {
            let what = "is a pipe or a device, but sources are read more than once: save its content to a file, and \
                        give that file";
            return Err(SourceError::refused(path, what));
        }
        let kind = match SourceFile::of(path)? {
            SourceFile::Warcs(files) => SourceKind::Warcs { files, tables: Vec::new() },
            SourceFile::Table => SourceKind::Warcs { files: Vec::new(), tables: vec![path.to_owned()] },
            SourceFile::Page => SourceKind::Page,
        };
        Ok(Self { kind, aside: Vec::new() })
    }

    fn of_folder(path: &Path, is_website: bool) -> Result<Self, SourceError> {
        let refused = |what| SourceError::Foreign { path: path.to_owned(), what };
        if JobDir::is_job(path) {
            return Ok(Self { kind: SourceKind::Jobs(vec![path.to_owned()]), aside: Vec::new() });
        }
        if path.join("manifest").join("plan.json").is_file() {
            return Err(refused(Foreign::Output));
        }
        let (mut top, mut below) = (path.to_owned(), FolderSources::of(path)?);
        let pages = path.join("pages");
        if !is_website && pages.is_dir() && (path.join("meta.tsv").is_file() || below.are_all_in(&pages)) {
            // Other files beside the pages of a set, such as gold standards and lists, are not sources.
            below = FolderSources::of(&pages)?;
            top = pages;
        }
        if !below.jobs.is_empty() {
            below.jobs.sort_unstable();
            let mut aside = below.passed_over();
            let others = below.warcs.len() + below.pages.len();
            let message = format!(
                "{} is read as a folder of {}; {} outside of jobs and not read",
                path.display(),
                counted(below.jobs.len() as u64, "job", "jobs"),
                counted(others as u64, "page or WARC file is", "pages and WARC files are")
            );
            aside.extend((others > 0).then_some(message));
            return Ok(Self { kind: SourceKind::Jobs(below.jobs), aside });
        }
        if !below.warcs.is_empty() {
            return Self::of_archives(path, below);
        }
        if below.pages.is_empty() {
            return Err(below.nothing(path));
        }
        let is_report = |page: &PathBuf| head(page).is_ok_and(|head| Foreign::of(&head) == Some(Foreign::Report));
        if below.pages.iter().take(3).all(is_report) {
            return Err(refused(Foreign::Report));
        }
        let aside = below.passed_over();
        let mut files = below.pages;
        files.sort_unstable();
        Ok(Self { kind: SourceKind::Pages { top, files }, aside })
    }

    /// The WARC files of a folder that have pages. WARC files without pages (WET, WAT) are reported.
    fn of_archives(folder: &Path, mut below: FolderSources) -> Result<Self, SourceError> {
        warc::in_order_of_writing(&mut below.warcs);
        let (mut files, mut tables, mut aside, mut refusal) = (Vec::new(), Vec::new(), below.passed_over(), None);
        for path in below.warcs {
            match SourceFile::of(&path) {
                Ok(SourceFile::Warcs(found)) => files.extend(found),
                Ok(SourceFile::Table) => tables.push(path),
                Ok(SourceFile::Page) => {
                    aside.push(format!("{} is named like an archive but is a page: it is not read", path.display()));
                }
                Err(error @ (SourceError::Foreign { .. } | SourceError::NoRecord { .. } | SourceError::Refused(_))) => {
                    aside.push(error.to_string());
                    refusal.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        if let (true, Some(refusal)) = (files.is_empty() && tables.is_empty(), refusal) {
            return Err(refusal);
        }
        if !below.pages.is_empty() {
            aside.push(format!(
                "{} contains WARC files, which are read, and {} not: give the folder of the pages as well",
                folder.display(),
                counted(below.pages.len() as u64, "other page, which is", "other pages, which are")
            ));
        }
        Ok(Self { kind: SourceKind::Warcs { files, tables }, aside })
    }
}
