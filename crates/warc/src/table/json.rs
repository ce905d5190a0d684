//! Reads pages from files of JSON lines, plain or compressed with gzip or zstd.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use super::row::{CaptureRow, RowError, TIMES, time_of_float, time_of_number};
use crate::bytes::part::is_zstd;
use crate::error::ArchiveError;
use crate::format::record::parse_date;

/// The most bytes of a line that are read. No page is longer.
const MAX_LINE_BYTES: u64 = 64 << 20;

pub(super) struct JsonRows {
    path: PathBuf,
    lines: Box<dyn BufRead + Send>,
    line: Vec<u8>,
}

/// Whether a file that begins with `head` may consist of JSON lines with pages: it begins with an object, and has the
/// key `html`.
pub(super) fn is_head(head: &[u8]) -> bool {
    let text = without_mark(head).trim_ascii_start();
    let has_key = |key: &[u8]| {
        memchr::memmem::find(text, key).is_some_and(|at| text[at + key.len()..].trim_ascii_start().starts_with(b":"))
    };
    text.starts_with(b"{") && has_key(b"\"html\"")
}

/// Removes a byte order mark at the beginning of a line. Some editors and shells write one; concatenated files have
/// several.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

impl JsonRows {
    pub(super) fn open(path: &Path) -> Result<Self, ArchiveError> {
        let disk = || ArchiveError::disk("read", path);
        let mut file = BufReader::with_capacity(256 << 10, File::open(path).map_err(disk())?);
        let head = file.fill_buf().map_err(disk())?;
        let lines: Box<dyn BufRead + Send> = if head.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::with_capacity(256 << 10, MultiGzDecoder::new(file)))
        } else if is_zstd(head) {
            let decoder = zstd::Decoder::with_buffer(file).map_err(disk())?;
            Box::new(BufReader::with_capacity(256 << 10, decoder))
        } else {
            Box::new(file)
        };
        Ok(Self { path: path.to_owned(), lines, line: Vec::new() })
    }

    /// Skips the rest of a line that is too long. Returns the error for this line.
    fn pass_over(&mut self) -> RowError {
        loop {
            let (length, is_end) = match self.lines.fill_buf() {
                Ok(bytes) => match memchr::memchr(b'\n', bytes) {
                    Some(end) => (end + 1, true),
                    None => (bytes.len(), bytes.is_empty()),
                },
                Err(cause) => return self.failed(cause),
            };
            self.lines.consume(length);
            if is_end {
                return RowError::Broken(format!("a line of more than {MAX_LINE_BYTES} bytes"));
            }
        }
    }

    /// Converts an I/O error. An error with a number comes from the system; others mean that the compressed data are
    /// damaged.
    fn failed(&self, cause: io::Error) -> RowError {
        match cause.raw_os_error() {
            Some(_) => RowError::Disk(ArchiveError::disk("read", &self.path)(cause)),
            None => RowError::Last(format!("the compressed file is cut off or broken ({cause})")),
        }
    }
}

impl Iterator for JsonRows {
    type Item = Result<CaptureRow, RowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.line.clear();
            let read = (&mut self.lines).take(MAX_LINE_BYTES).read_until(b'\n', &mut self.line);
            match read {
                Ok(0) => return None,
                Ok(read) if read as u64 == MAX_LINE_BYTES => return Some(Err(self.pass_over())),
                Ok(_) if without_mark(&self.line).trim_ascii().is_empty() => {}
                Ok(_) => return Some(parse(&mut self.line).map_err(RowError::Broken)),
                Err(cause) => return Some(Err(self.failed(cause))),
            }
        }
    }
}

fn parse(line: &mut [u8]) -> Result<CaptureRow, String> {
    let value: Value = serde_json::from_slice(without_mark(line))
        .or_else(
            |why| if replace_lone_surrogates(line) { serde_json::from_slice(without_mark(line)) } else { Err(why) },
        )
        .map_err(|why| format!("no JSON: {why}"))?;
    let Value::Object(mut fields) = value else { return Err("no JSON object".to_owned()) };
    let mut text = |key: &str| match fields.remove(key) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(format!("no text under {key:?}")),
    };
    let (url, html) = (text("url")?, text("html")?);
    let fetched = TIMES.iter().find_map(|key| match fields.get(*key)? {
        Value::String(text) => parse_date(text),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| number.as_f64().and_then(time_of_float), time_of_number)
        }
        _ => None,
    });
    Ok(CaptureRow { url, html: html.into_bytes(), is_text: true, fetched })
}

/// Replaces each escape of a lone surrogate (`\ud83d` without a second half) by that of U+FFFD. Programs write such
/// escapes for text that was cut off within a character. Returns whether there were any.
fn replace_lone_surrogates(line: &mut [u8]) -> bool {
    let unit = |line: &[u8], at: usize| {
        let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut at, mut replaced) = (0, false);
    while let Some(escape) = line.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += escape;
        at += match (unit(line, at), unit(line, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                line[at + 2..at + 6].copy_from_slice(b"fffd");
                replaced = true;
                6
            }
            _ => 2,
        };
    }
    replaced
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn row(html: &str) -> Result<CaptureRow, String> {
        parse(&mut format!(r#"{{"url":"https://a.example/","html":"{html}","date":1794000000.5}}"#).into_bytes())
    }

    #[test]
    fn half_of_a_surrogate_pair_is_a_replacement_character() {
        for (html, expected) in [
            (r"rain \ud83d", "rain \u{fffd}"),
            (r"\uD83D\ude00 \ud83d\ud83d\ude00 \ude00!", "\u{1f600} \u{fffd}\u{1f600} \u{fffd}!"),
            (r"\\ud83d \ud83d\\ude00", "\\ud83d \u{fffd}\\ude00"),
        ] {
            assert_eq!(row(html).unwrap().html, expected.as_bytes(), "{html}");
        }
        assert!(row(r"\ud83").is_err() && row(r"\ud83d \x").is_err());
    }

    #[test]
    fn a_time_may_have_a_fraction() {
        assert_eq!(row("").unwrap().fetched.map(Timestamp::as_second), Some(1_794_000_000));
    }
}
