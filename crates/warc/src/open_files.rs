//! Files of archives that stay open while many of their records are read: looking a file up and opening it takes as long
//! as reading a page from it.
//!
//! For one pass over an archive, not for the life of a process: a file that was replaced meanwhile is not seen.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use goldminer_html::address::HostKey;
use goldminer_html::capture::ArchivePosition;

use crate::bytes::part::Part;
use crate::bytes::random_read::Buffers;
use crate::error::ArchiveError;
use crate::format::record::Record;
use crate::index::index_lines::{HostFiles, host_files};
use crate::reader::{locate, read_known};

/// So many files at most; a gigabyte each, they hold the pages of a large crawl.
const MOST: usize = 64;

/// Open files, for any number of threads.
#[derive(Default)]
pub struct OpenFiles {
    files: RwLock<Vec<Arc<Opened>>>,
    /// Of those who are not reading just now.
    buffers: Mutex<Vec<Buffers>>,
    /// The files of hosts in each directory that somebody asked for.
    hosts: Mutex<HashMap<PathBuf, Arc<FilesByHost>>>,
}

type FilesByHost = HashMap<HostKey, HostFiles>;

struct Opened {
    dir: PathBuf,
    name: String,
    part: Part,
}

impl OpenFiles {
    /// Reads the record at a position as it is: revisits are not followed.
    ///
    /// # Errors
    /// When the file cannot be read, or no whole record stands there.
    pub fn read_record_at(&self, dir: &Path, position: &ArchivePosition) -> Result<Record, ArchiveError> {
        let opened = match self.find(dir, &position.file) {
            Some(opened) => opened,
            None => self.open(dir, &position.file)?,
        };
        let mut buffers = self.buffers().pop().unwrap_or_default();
        let record = read_known(&opened.part, dir, position, &mut buffers);
        self.buffers().push(buffers);
        record
    }

    /// The robots.txt and the like that the indexes in a directory name, by host. Read once.
    ///
    /// # Errors
    /// When an index cannot be read.
    pub fn host_files(&self, dir: &Path) -> Result<Arc<FilesByHost>, ArchiveError> {
        let mut known = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hosts) = known.get(dir) {
            return Ok(Arc::clone(hosts));
        }
        let hosts = Arc::new(host_files(dir)?);
        known.insert(dir.to_owned(), Arc::clone(&hosts));
        Ok(hosts)
    }

    fn buffers(&self) -> MutexGuard<'_, Vec<Buffers>> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, dir: &Path, name: &str) -> Option<Arc<Opened>> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        files.iter().find(|file| file.name == name && file.dir == dir).cloned()
    }

    fn open(&self, dir: &Path, name: &str) -> Result<Arc<Opened>, ArchiveError> {
        let path = locate(dir, name)?;
        let part = Part::open(&path).map_err(ArchiveError::disk("open", &path))?;
        let opened = Arc::new(Opened { dir: dir.to_owned(), name: name.to_owned(), part });
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.truncate(MOST - 1);
        files.insert(0, Arc::clone(&opened));
        Ok(opened)
    }
}
