//! A file's bytes, read forward and counted, with a look at what comes.

use std::io::{self, BufRead, Read};

use super::part::Part;
use crate::write::stored_file::StoredFile;

/// Bytes that are held at once: some ten members of news sites.
const WINDOW_BYTES: usize = 256 << 10;
/// Bytes that are read at once, where nobody looks ahead.
const READ_BYTES: usize = 64 << 10;

/// A stretch of a file, read forward.
#[derive(Default)]
pub(crate) struct FileBytes {
    file: Option<StoredFile>,
    /// Where in the file the stretch begins that is read.
    base: u64,
    /// How long it is, if it ends before the file.
    end: Option<u64>,
    /// Where in the stretch the next byte stands.
    pub(crate) consumed: u64,
    window: Vec<u8>,
    /// What of the window is read but not consumed.
    from: usize,
    until: usize,
}

impl FileBytes {
    /// A part from an offset on.
    pub(crate) fn at(part: Part, offset: u64) -> io::Result<Self> {
        let window = vec![0; WINDOW_BYTES];
        let mut bytes = Self { file: Some(part.file), base: part.base, end: part.end, window, ..Self::default() };
        bytes.go_to(offset)?;
        Ok(bytes)
    }

    /// Goes elsewhere in the stretch. What is held is not read again: whoever looks for the next whole member in a broken
    /// file goes back a few bytes many times.
    pub(crate) fn seek(&mut self, offset: u64) -> io::Result<()> {
        let held_from = self.consumed - self.from as u64;
        if (held_from..=held_from + self.until as u64).contains(&offset) {
            (self.consumed, self.from) = (offset, (offset - held_from) as usize);
            return Ok(());
        }
        self.go_to(offset)
    }

    fn go_to(&mut self, offset: u64) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.go_to(self.base + offset)?;
            (self.consumed, self.from, self.until) = (offset, 0, 0);
        }
        Ok(())
    }

    /// What comes, at least `count` bytes of it if there are as many and they can be held, and whether nothing follows it.
    pub(crate) fn ahead(&mut self, count: usize) -> io::Result<(&[u8], bool)> {
        let mut is_end = false;
        if self.until - self.from < count {
            self.window.copy_within(self.from..self.until, 0);
            (self.from, self.until) = (0, self.until - self.from);
            while self.until < self.window.len() && !is_end {
                is_end = self.read_more(WINDOW_BYTES)? == 0;
            }
        }
        Ok((&self.window[self.from..self.until], is_end))
    }

    /// Reads on behind the window's bytes. Nothing at the end of the stretch.
    fn read_more(&mut self, most: usize) -> io::Result<usize> {
        let Some(file) = &mut self.file else { return Ok(0) };
        let at = self.consumed + (self.until - self.from) as u64;
        let left = self.end.map_or(usize::MAX, |end| usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX));
        let room = (self.window.len() - self.until).min(most).min(left);
        loop {
            match file.read(&mut self.window[self.until..self.until + room]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    let read = read?;
                    self.until += read;
                    return Ok(read);
                }
            }
        }
    }
}

impl BufRead for FileBytes {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.from == self.until {
            (self.from, self.until) = (0, 0);
            self.read_more(READ_BYTES)?;
        }
        Ok(&self.window[self.from..self.until])
    }

    fn consume(&mut self, count: usize) {
        self.from += count;
        self.consumed += count as u64;
    }
}

impl Read for FileBytes {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}
