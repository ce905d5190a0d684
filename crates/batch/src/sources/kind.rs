//! What a source is: decided here and nowhere else, by what it holds and not by what it is called.
//!
//! A file is a WARC file (plain, gzip or zstd), a WACZ file, a page, or [`Foreign`]; a folder is a job, a folder of jobs, or
//! whatever lies below it: WARC files, else pages. Where all of that lies in a folder `pages`, or `meta.tsv` lies beside
//! that folder, it is a set of pages. What is none of these is refused with what to do.

use std::fs;
use std::path::{Path, PathBuf};

use goldminer_crawl::job::JobDir;

use super::below::{Archived, Below};
use super::error::SourceError;
use super::file::{SourceFile, head};
use super::foreign::{Foreign, recognise};

/// What stored pages are read from.
#[derive(Debug)]
pub(super) enum SourceKind {
    /// Job directories, in the order of their names.
    Jobs {
        jobs: Vec<PathBuf>,
        /// What lies beside them and is not read, for people.
        aside: Vec<String>,
    },
    /// WARC files, in the order of their names; those in a WACZ file are paths through it.
    Warcs {
        files: Vec<PathBuf>,
        /// Tables with a page a row, which can only be read from end to end.
        tables: Vec<PathBuf>,
        /// What lies beside them and is not read, for people.
        aside: Vec<String>,
    },
    /// A page.
    Page,
    /// Pages in folders.
    Pages {
        /// The folder whose subfolders may name learning units.
        top: PathBuf,
        files: Vec<PathBuf>,
        /// What lies beside them and is not read, for people.
        aside: Vec<String>,
    },
}

impl SourceKind {
    /// What lies at a path; `is_website` where whoever gave it says that its pages are of one website.
    pub(super) fn of(path: &Path, is_website: bool) -> Result<Self, SourceError> {
        let unreadable = |cause| SourceError::Unreadable { path: path.to_owned(), cause };
        if path.to_str().is_none() {
            return Err(SourceError::Name { path: path.to_owned() });
        }
        let what = fs::metadata(path).map_err(unreadable)?;
        if what.is_dir() {
            return Self::of_folder(path, is_website);
        }
        if !what.is_file() {
            return Err(SourceError::NoFile { path: path.to_owned() });
        }
        Ok(match SourceFile::of(path)? {
            SourceFile::Warcs(files) => Self::Warcs { files, tables: Vec::new(), aside: Vec::new() },
            SourceFile::Table => Self::Warcs { files: Vec::new(), tables: vec![path.to_owned()], aside: Vec::new() },
            SourceFile::Page => Self::Page,
        })
    }

    fn of_folder(path: &Path, is_website: bool) -> Result<Self, SourceError> {
        let refused = |what| SourceError::Foreign { path: path.to_owned(), what };
        if JobDir::is_job(path) {
            return Ok(Self::Jobs { jobs: vec![path.to_owned()], aside: Vec::new() });
        }
        if path.join("manifest").join("plan.json").is_file() {
            return Err(refused(Foreign::Output));
        }
        let (mut top, mut below) = (path.to_owned(), Below::of(path)?);
        let pages = path.join("pages");
        if !is_website && pages.is_dir() && (path.join("meta.tsv").is_file() || below.lie_all_in(&pages)) {
            // What lies beside the pages of a set (gold texts, lists) is no source.
            below = Below::of(&pages)?;
            top = pages;
        }
        if !below.jobs.is_empty() {
            below.jobs.sort_unstable();
            let mut aside = below.passed_over();
            let others = below.warcs.len() + below.pages.len();
            let told = format!(
                "{} is read as a folder of {} jobs; {others} pages and WARC files in it belong to none and are not read",
                path.display(),
                below.jobs.len()
            );
            aside.extend((others > 0).then_some(told));
            return Ok(Self::Jobs { jobs: below.jobs, aside });
        }
        if !below.warcs.is_empty() {
            let Archived { files, tables, aside } = below.archived(path)?;
            return Ok(Self::Warcs { files, tables, aside });
        }
        if below.pages.is_empty() {
            return Err(below.nothing(path));
        }
        let reports = below
            .pages
            .iter()
            .take(3)
            .filter(|page| head(page).is_ok_and(|head| recognise(&head) == Some(Foreign::Report)));
        if reports.count() == below.pages.len().min(3) {
            return Err(refused(Foreign::Report));
        }
        let aside = below.passed_over();
        let mut files = below.pages;
        files.sort_unstable();
        Ok(Self::Pages { top, files, aside })
    }
}
