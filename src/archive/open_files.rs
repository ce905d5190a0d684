//! Files of archives that stay open while many of their records are read: looking a file up and opening it takes as long
//! as reading a page from it.
//!
//! For one pass over an archive, not for the life of a process: a file that was replaced meanwhile is not seen.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::error::ArchiveError;
use super::part::Part;
use super::random_read::Buffers;
use super::reader::{locate, read_known};
use super::record::Record;
use super::robots_lines::{RobotsLine, robots_lines};
use crate::address::HostKey;
use crate::capture::ArchivePosition;

/// So many files at most; a gigabyte each, they hold the pages of a large crawl.
const MOST: usize = 64;

/// Open files, for any number of threads.
#[derive(Default)]
pub struct OpenFiles {
    files: RwLock<Vec<Arc<Opened>>>,
    /// Of those who are not reading just now.
    buffers: Mutex<Vec<Buffers>>,
    /// The robots.txt of each directory that somebody asked for.
    robots: Mutex<HashMap<PathBuf, Arc<RobotsByHost>>>,
}

type RobotsByHost = HashMap<HostKey, Vec<RobotsLine>>;

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

    /// The robots.txt that the indexes in a directory name, by host, oldest first. Read once.
    ///
    /// # Errors
    /// When an index cannot be read.
    pub fn robots_lines(&self, dir: &Path) -> Result<Arc<RobotsByHost>, ArchiveError> {
        let mut known = self.robots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hosts) = known.get(dir) {
            return Ok(Arc::clone(hosts));
        }
        let hosts = Arc::new(robots_lines(dir)?);
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
