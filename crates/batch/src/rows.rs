//! Rows of numbers in files of the program's own: written one behind the other, read in that order.

use std::io::{self, BufRead, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Writes a row; how many bytes it takes.
pub(super) fn put(file: &mut impl Write, row: &impl Serialize) -> io::Result<u64> {
    let bytes = postcard::to_stdvec(row).map_err(io::Error::other)?;
    file.write_all(&bytes)?;
    Ok(bytes.len() as u64)
}

/// The next row; nothing at the end of the file.
pub(super) fn take<T: DeserializeOwned>(file: &mut impl BufRead) -> io::Result<Option<T>> {
    if file.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let (row, _) = postcard::from_io((file, &mut [])).map_err(io::Error::other)?;
    Ok(Some(row))
}
