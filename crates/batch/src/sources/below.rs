//! Finds the sources in a folder and all folders below it. Links are followed.
//!
//! A file or folder is used only once, however many links lead to it, so circular links do no harm. If a linked file is
//! itself below the folder, it keeps its own path. Files that users may take for sources, but that cannot be
//! read, are reported.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use goldminer_corpus::{CARD_FILES, is_own_card};
use goldminer_crawl::JobDir;
use goldminer_fetch::MediaKind;

use super::error::SourceError;
use super::file::{PAGE_EXTENSIONS, SourceFile, TABLE_ENDS, has_extension, has_name_of_warc, head, is_table};
use super::foreign::Foreign;

/// The most skipped files of a kind that are listed. The others are only counted.
const MOST_LISTED: usize = 20;

/// The sources in a folder and in those below it.
#[derive(Debug, Default)]
pub(super) struct FolderSources {
    pub jobs: Vec<PathBuf>,
    pub warcs: Vec<PathBuf>,
    pub pages: Vec<PathBuf>,
    /// The first file that is not a source but shows what the folder contains, such as a corpus or an index. It is
    /// reported if the folder has no sources.
    pub foreign: Option<(PathBuf, Foreign)>,
    /// Files and folders that are skipped, because their names are not UTF-8 or because they are broken links.
    lost: Vec<SourceError>,
    /// Files that users may take for sources, but that cannot be read: WET and WAT files, and files that are named like
    /// a table of pages but contain something else.
    no_sources: Vec<SourceError>,
    /// Number of other files, by extension.
    others: BTreeMap<String, u64>,
    /// The folders that were searched: the real path of each, and the path by which it was reached.
    walked: HashMap<PathBuf, PathBuf>,
    /// The links that will be followed next.
    links: Vec<PathBuf>,
}

impl FolderSources {
    pub(super) fn of(top: &Path) -> Result<Self, SourceError> {
        let mut below = Self::default();
        below.walk(top)?;
        let top = real(top)?;
        let mut known = HashSet::new();
        while !below.links.is_empty() {
            let mut links = std::mem::take(&mut below.links);
            links.sort_unstable();
            below.follow(links, &top, &mut known)?;
        }
        Ok(below)
    }

    fn walk(&mut self, folder: &Path) -> Result<(), SourceError> {
        if self.walked.insert(real(folder)?, folder.to_owned()).is_some() {
            return Ok(());
        }
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
            } else if kind.is_symlink() {
                self.links.push(path);
            }
        }
        folders.into_iter().try_for_each(|path| self.folder(path))
    }

    fn folder(&mut self, path: PathBuf) -> Result<(), SourceError> {
        if path.to_str().is_none() {
            self.lost.push(SourceError::name_is_not_utf8(&path));
        } else if is_output(&path) {
            // Documents of an output inside a source would be taken for pages, and pages of a sample would count twice.
            self.no_sources.push(SourceError::Foreign { path, what: Foreign::Output });
        } else if !JobDir::is_job(&path) {
            self.walk(&path)?;
        } else if self.walked.insert(real(&path)?, path.clone()).is_none() {
            self.jobs.push(path);
        }
        Ok(())
    }

    /// Adds the targets of links. Links in these targets are followed in the next call. `known` are the files to which
    /// links have led so far.
    fn follow(&mut self, links: Vec<PathBuf>, top: &Path, known: &mut HashSet<PathBuf>) -> Result<(), SourceError> {
        let mut files = Vec::new();
        for link in links {
            match fs::canonicalize(&link) {
                // The link leads to a folder that contains the searched one.
                Ok(real) if top.starts_with(&real) => {}
                Ok(real) if real.is_dir() => {
                    if !self.walked.contains_key(&real) {
                        self.folder(link)?;
                    }
                }
                Ok(real) if real.is_file() => files.push((link, real)),
                Ok(_) => {}
                Err(cause) => {
                    let what = format!("is a broken link ({cause}) and was skipped: repair or remove it");
                    self.lost.push(SourceError::refused(&link, &what));
                }
            }
        }
        let taken: HashSet<PathBuf> = self.warcs.iter().chain(&self.pages).cloned().collect();
        for (link, real) in files {
            let below = real.parent().and_then(|parent| self.walked.get(parent));
            let by_its_own_name = below.zip(real.file_name()).map(|(folder, name)| folder.join(name));
            if by_its_own_name.is_none_or(|path| !taken.contains(&path)) && known.insert(real) {
                self.file(link)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf) -> Result<(), SourceError> {
        // Pages of a mirror often have no extension, and archive files may have lost theirs.
        let may_be_any =
            path.extension().is_none() || has_extension(&path, &["gz", "zst", "wet", "wat"]) || !is_short(&path);
        if has_name_of_warc(&path) || has_extension(&path, &["wacz"]) {
            self.take(path, false);
        } else if has_extension(&path, PAGE_EXTENSIONS) {
            self.take(path, true);
        } else if may_be_any || has_extension(&path, &["jsonl", "parquet"]) {
            match SourceFile::of(&path) {
                Ok(SourceFile::Table) => self.take(path, false),
                Ok(kind) if may_be_any => self.take(path, matches!(kind, SourceFile::Page)),
                Ok(_) => self.other(path, Some(Foreign::Json)),
                Err(SourceError::Foreign { path, what }) => self.other(path, Some(what)),
                Err(error) => return Err(error),
            }
        } else if has_extension(&path, &["json"]) && is_table(&path)? {
            self.take(path, false);
        } else if is_warc_of_other_name(&path) {
            // Download programs give such names to second and unfinished copies.
            let what =
                "is a WARC file, but its name ends otherwise, so it was skipped: rename it, or give it by itself";
            self.lost.push(SourceError::refused(&path, what));
        } else {
            let is_checked = has_extension(&path, &["toml", "vert", "xml", "cdxj", "cdx"]);
            let what = if is_checked { head(&path).ok().and_then(|head| Foreign::of(&head)) } else { None };
            self.other(path, what);
        }
        Ok(())
    }

    fn take(&mut self, path: PathBuf, is_page: bool) {
        if path.to_str().is_none() {
            self.lost.push(SourceError::name_is_not_utf8(&path));
        } else if is_page {
            self.pages.push(path);
        } else {
            self.warcs.push(path);
        }
    }

    fn other(&mut self, path: PathBuf, what: Option<Foreign>) {
        use Foreign::{Cdx, Corpus, PageIndex, Parquet, Profile, Seeds, Wat, Wet};
        if let Some(what @ (Corpus | Parquet | Profile | Seeds | Cdx | Wet | Wat)) = what {
            self.foreign.get_or_insert_with(|| (path.clone(), what));
        }
        let extension = path.extension().map_or("no extension".to_owned(), |e| format!(".{}", e.to_string_lossy()));
        *self.others.entry(extension).or_default() += 1;
        let reported = what.filter(|what| match what {
            Wet | Wat => true,
            // Files of this program, and indexes, are expected beside archives.
            Corpus | Cdx | PageIndex => false,
            _ => has_name_of_table(&path),
        });
        self.no_sources.extend(reported.map(|what| SourceError::Foreign { path, what }));
    }

    /// Whether there are sources and all of them are in this folder. Plain text files outside of it (`README`) are
    /// ignored.
    pub(super) fn are_all_in(&self, folder: &Path) -> bool {
        let is_markup = |path: &Path| head(path).is_ok_and(|head| MediaKind::of(None, &head) == MediaKind::Html);
        let is_text = |path: &Path| !has_extension(path, PAGE_EXTENSIONS) && !is_markup(path);
        let is_in = |path: &PathBuf| path.starts_with(folder);
        let all = [&self.jobs, &self.warcs, &self.pages];
        all.into_iter().flatten().any(is_in)
            && self.jobs.iter().chain(&self.warcs).all(is_in)
            && self.pages.iter().all(|page| is_in(page) || is_text(page))
    }

    /// The error that the folder contains nothing that can be read.
    pub(super) fn nothing(self, folder: &Path) -> SourceError {
        let contents = self.contents();
        if let Some((path, what)) = self.foreign {
            return SourceError::Foreign { path, what };
        }
        let first = self.lost.into_iter().chain(self.no_sources).next();
        first.unwrap_or_else(|| SourceError::NoPages { path: folder.to_owned(), contents })
    }

    /// Messages about skipped files that users may take for sources.
    pub(super) fn passed_over(&self) -> Vec<String> {
        let mut messages = Vec::new();
        for errors in [&self.lost, &self.no_sources] {
            let mut of_kind: Vec<String> = errors.iter().map(ToString::to_string).collect();
            // The order in which the system lists folders is not fixed.
            of_kind.sort_unstable();
            messages.extend(of_kind.into_iter().take(MOST_LISTED));
            if errors.len() > MOST_LISTED {
                messages.push(format!("and {} more files are not read for such reasons", errors.len() - MOST_LISTED));
            }
        }
        messages
    }

    fn contents(&self) -> String {
        let mut others: Vec<(&String, &u64)> = self.others.iter().collect();
        others.sort_by_key(|(name, number)| (std::cmp::Reverse(**number), *name));
        let names: Vec<String> = others.iter().take(5).map(|(name, number)| format!("{number} {name}")).collect();
        match self.others.values().sum() {
            0_u64 => "it has no files".to_owned(),
            1 => format!("it has one file, which is not a page ({})", names.join(", ")),
            all => format!("it has {all} files, none of which is a page ({})", names.join(", ")),
        }
    }
}

/// Whether a file is a WARC file with a name such as `a.warc.gz.1`.
fn is_warc_of_other_name(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    name.is_some_and(|name| name.contains(".warc")) && matches!(SourceFile::of(path), Ok(SourceFile::Warcs(_)))
}

/// Whether a folder is an output of this program: it has a plan (as a sample has), or a card (description).
fn is_output(folder: &Path) -> bool {
    let manifest = folder.join("manifest");
    ["plan.json", "files.json"].iter().any(|plan| manifest.join(plan).is_file())
        || CARD_FILES.iter().any(|card| is_own_card(&folder.join(card)))
}

fn real(folder: &Path) -> Result<PathBuf, SourceError> {
    fs::canonicalize(folder).map_err(|cause| SourceError::Unreadable { path: folder.to_owned(), cause })
}

/// Whether a file is named like a table of pages.
fn has_name_of_table(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    TABLE_ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether a path has a real extension: at most five letters and digits. `index.php?id=7` has none.
fn is_short(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        extension.len() <= 5 && extension.to_string_lossy().bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
