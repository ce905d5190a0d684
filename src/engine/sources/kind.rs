//! What a source is: decided here and nowhere else, by what it holds and not by what it is called.
//!
//! A file is a WARC file (plain, gzip or zstd), a WACZ file, a page, or [`Foreign`]; a folder is a job, a folder of jobs, or
//! whatever lies below it: WARC files, else pages. What is none of these is refused with what to do.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::archive::{self, Entry, Record};
use crate::engine::job::JobDir;

use super::error::SourceError;
use super::foreign::{Foreign, HEAD_BYTES, recognise};
use super::warc::{self, has_name_of_warc};

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
    },
}

/// Ends of names that are pages.
pub(super) const PAGE_EXTENSIONS: &[&str] =
    &["html", "htm", "xhtml", "shtml", "xht", "php", "asp", "aspx", "jsp", "cfm"];

/// Records after which it is known what kind of WARC file it is.
const RECORDS_LOOKED_AT: usize = 16;

impl SourceKind {
    /// What lies at a path.
    pub(super) fn of(path: &Path) -> Result<Self, SourceError> {
        let unreadable = |cause| SourceError::Unreadable { path: path.to_owned(), cause };
        if fs::metadata(path).map_err(unreadable)?.is_dir() { Self::of_folder(path) } else { Self::of_file(path) }
    }

    fn of_file(path: &Path) -> Result<Self, SourceError> {
        let refused = |what| SourceError::Foreign { path: path.to_owned(), what };
        let head = head(path)?;
        if head.starts_with(b"PK\x03\x04") {
            let files =
                archive::wacz_members(path).map_err(|cause| SourceError::Wacz { path: path.to_owned(), cause })?;
            return if files.is_empty() { Err(refused(Foreign::Zip)) } else { Ok(Self::warcs(files)) };
        }
        let decoded = archive::decoded_head(path, HEAD_BYTES)?;
        if archive::is_table(path, &decoded) {
            return Ok(Self::Warcs { files: Vec::new(), tables: vec![path.to_owned()], aside: Vec::new() });
        }
        if decoded.starts_with(b"WARC/") {
            return match derived(path)? {
                Some(what) => Err(refused(what)),
                None => Ok(Self::warcs(vec![path.to_owned()])),
            };
        }
        // A torn beginning: there may be records behind it.
        if has_name_of_warc(path) && !head.is_empty() {
            return Ok(Self::warcs(vec![path.to_owned()]));
        }
        if is_compressed(&head) {
            return Err(refused(match recognise(&decoded) {
                _ if decoded.is_empty() => Foreign::Compressed,
                None => Foreign::CompressedPage,
                Some(what @ (Foreign::Corpus | Foreign::PageIndex | Foreign::Cdx | Foreign::Arc)) => what,
                Some(_) => Foreign::Compressed,
            }));
        }
        match recognise(&head) {
            Some(what) => Err(refused(what)),
            None => Ok(Self::Page),
        }
    }

    fn of_folder(path: &Path) -> Result<Self, SourceError> {
        let refused = |what| SourceError::Foreign { path: path.to_owned(), what };
        if JobDir::is_job(path) {
            return Ok(Self::Jobs { jobs: vec![path.to_owned()], aside: Vec::new() });
        }
        if path.join("manifest").join("plan.json").is_file() {
            return Err(refused(Foreign::Output));
        }
        // What lies beside the pages of a set (gold texts, lists) is no source.
        let pages = path.join("pages");
        let top = if pages.is_dir() { pages } else { path.to_owned() };
        let mut below = Below::default();
        below.walk(&top)?;
        if !below.jobs.is_empty() {
            below.jobs.sort_unstable();
            let others = below.warcs.len() + below.pages.len();
            let told = format!(
                "{} is read as a folder of {} jobs; {others} pages and WARC files in it belong to none and are not read",
                path.display(),
                below.jobs.len()
            );
            return Ok(Self::Jobs { jobs: below.jobs, aside: if others > 0 { vec![told] } else { Vec::new() } });
        }
        if !below.warcs.is_empty() {
            return below.warcs_or_refusal(path);
        }
        if below.pages.is_empty() {
            return Err(match below.foreign {
                Some((path, what)) => SourceError::Foreign { path, what },
                None => SourceError::NoPages { path: path.to_owned(), census: below.census() },
            });
        }
        let reports = below
            .pages
            .iter()
            .take(3)
            .filter(|page| head(page).is_ok_and(|head| recognise(&head) == Some(Foreign::Report)));
        if reports.count() == below.pages.len().min(3) {
            return Err(refused(Foreign::Report));
        }
        let mut files = below.pages;
        files.sort_unstable();
        Ok(Self::Pages { top, files })
    }

    fn warcs(files: Vec<PathBuf>) -> Self {
        Self::Warcs { files, tables: Vec::new(), aside: Vec::new() }
    }
}

/// What lies in a folder and below.
#[derive(Debug, Default)]
struct Below {
    jobs: Vec<PathBuf>,
    warcs: Vec<PathBuf>,
    pages: Vec<PathBuf>,
    /// The first of what a whole folder may consist of: something of ours, an index.
    foreign: Option<(PathBuf, Foreign)>,
    /// How many other files there are, by the ends of their names.
    others: BTreeMap<String, u64>,
}

impl Below {
    fn walk(&mut self, folder: &Path) -> Result<(), SourceError> {
        let unreadable = |cause| SourceError::Unreadable { path: folder.to_owned(), cause };
        let mut folders = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let (kind, path) = (entry.file_type().map_err(unreadable)?, entry.path());
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                self.file(path)?;
            }
        }
        for path in folders {
            if JobDir::is_job(&path) {
                self.jobs.push(path);
            } else {
                self.walk(&path)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf) -> Result<(), SourceError> {
        if has_name_of_warc(&path) || has_extension(&path, &["wacz"]) {
            self.warcs.push(path);
        } else if has_extension(&path, PAGE_EXTENSIONS) {
            self.pages.push(path);
        } else if path.extension().is_none() || has_extension(&path, &["gz", "zst"]) || !is_short(&path) {
            // A mirror's pages often have no extension, and files of archives lose theirs.
            match SourceKind::of_file(&path) {
                Ok(SourceKind::Page) => self.pages.push(path),
                Ok(_) => self.warcs.push(path),
                Err(SourceError::Foreign { path, what }) => self.other(&path, Some(what)),
                Err(error) => return Err(error),
            }
        } else if has_extension(&path, &["jsonl", "json", "parquet"]) && is_table(&path)? {
            self.warcs.push(path);
        } else {
            let what = match () {
                () if has_extension(&path, &["toml"]) => head(&path).ok().and_then(|head| recognise(&head)),
                () if has_extension(&path, &["jsonl", "vert", "xml", "cdxj", "cdx", "parquet"]) => {
                    head(&path).ok().and_then(|head| recognise(&head))
                }
                () => None,
            };
            self.other(&path, what);
        }
        Ok(())
    }

    fn other(&mut self, path: &Path, what: Option<Foreign>) {
        let telling = [
            Foreign::Corpus,
            Foreign::Parquet,
            Foreign::Profile,
            Foreign::Seeds,
            Foreign::Cdx,
            Foreign::Wet,
            Foreign::Wat,
        ];
        if let Some(what) = what.filter(|what| telling.contains(what)) {
            self.foreign.get_or_insert_with(|| (path.to_owned(), what));
        }
        let extension = path.extension().map_or("no extension".to_owned(), |e| format!(".{}", e.to_string_lossy()));
        *self.others.entry(extension).or_default() += 1;
    }

    /// The WARC files that hold pages; those made from others, which do not, are told.
    fn warcs_or_refusal(mut self, folder: &Path) -> Result<SourceKind, SourceError> {
        warc::in_order_of_writing(&mut self.warcs);
        let (mut files, mut tables, mut aside, mut refusal) = (Vec::new(), Vec::new(), Vec::new(), None);
        for path in std::mem::take(&mut self.warcs) {
            match SourceKind::of_file(&path) {
                Ok(SourceKind::Warcs { files: found, tables: found_tables, .. }) => {
                    files.extend(found);
                    tables.extend(found_tables);
                }
                Ok(_) => {}
                Err(error @ (SourceError::Foreign { .. } | SourceError::Wacz { .. })) => {
                    aside.push(error.to_string());
                    refusal.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        if let (true, Some(refusal)) = (files.is_empty() && tables.is_empty(), refusal) {
            return Err(refusal);
        }
        if !self.pages.is_empty() {
            aside.push(format!(
                "{} holds WARC files, which are read; the {} other pages in it are not: name their folder as well",
                folder.display(),
                self.pages.len()
            ));
        }
        Ok(SourceKind::Warcs { files, tables, aside })
    }

    fn census(&self) -> String {
        let mut others: Vec<(&String, &u64)> = self.others.iter().collect();
        others.sort_by_key(|(name, number)| (std::cmp::Reverse(**number), *name));
        let told: Vec<String> = others.iter().take(5).map(|(name, number)| format!("{number} {name}")).collect();
        match self.others.values().sum() {
            0_u64 => "it holds no files".to_owned(),
            1 => format!("it holds one file, which is none ({})", told.join(", ")),
            all => format!("it holds {all} files, none of which is one ({})", told.join(", ")),
        }
    }
}

pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    extension.is_some_and(|extension| extensions.contains(&extension.as_str()))
}

/// Ends of names that are one: `index.php?id=7` and `v1.2 of the year` have none.
fn is_short(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        extension.len() <= 5 && extension.to_string_lossy().bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn is_compressed(head: &[u8]) -> bool {
    matches!(head, [0x1f, 0x8b, ..] | [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

fn head(path: &Path) -> Result<Vec<u8>, SourceError> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES as u64).read_to_end(&mut head));
    read.map_err(|cause| SourceError::Unreadable { path: path.to_owned(), cause })?;
    Ok(head)
}

fn is_table(path: &Path) -> Result<bool, SourceError> {
    Ok(archive::is_table(path, &archive::decoded_head(path, HEAD_BYTES)?))
}

/// What a WARC file without responses was made of: extracted text, or metadata.
fn derived(path: &Path) -> Result<Option<Foreign>, SourceError> {
    let mut found = None;
    for entry in archive::WarcReader::open(path)?.max_block_bytes(HEAD_BYTES).take(RECORDS_LOOKED_AT) {
        match entry? {
            Entry::Record { record: Record::Other(raw), .. } => match raw.kind().as_str() {
                "conversion" => found = Some(Foreign::Wet),
                "metadata"
                    if raw.fields.get("content-type").is_some_and(|kind| kind.starts_with("application/json")) =>
                {
                    found = found.or(Some(Foreign::Wat));
                }
                "warcinfo" => {}
                // A request stands beside its response.
                _ => return Ok(None),
            },
            _ => return Ok(None),
        }
    }
    Ok(found)
}
