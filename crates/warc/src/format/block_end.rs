//! Whether a record ends where its length says.
//!
//! By the standard two line ends stand behind a block (WARC/1.1, section 4), and then the next record or nothing. Many
//! writers are sloppy with them, so one line end, or none, will do, unless the block holds what looks like a record: then
//! it is likelier that a wrong length has swallowed that one. A block that ends properly may hold what it wants: a WARC file, or a
//! page about them.

use super::record_bytes::{begins_record, may_begin_record};

/// Why a record does not end there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoEnd {
    /// Something else goes on there.
    GoesOn,
    /// It ends, after a fashion, and there is another record in it.
    HoldsRecord,
}

impl NoEnd {
    /// What is wrong with a record of so many bytes, for people.
    pub(crate) fn of(&self, length: u64) -> String {
        match self {
            Self::GoesOn => format!("a record of {length} bytes that does not end there: its Content-Length is wrong"),
            Self::HoldsRecord => {
                format!("a record of {length} bytes that reaches over others: its Content-Length is wrong")
            }
        }
    }
}

/// Looks at a block, as far as it is kept, and at what stands behind it. A plain file may have garbage behind the end of a
/// record; in a compressed one that means that the member is torn.
pub(crate) fn check(block: &[u8], behind: &[u8], is_plain: bool) -> Result<(), NoEnd> {
    let blank = behind.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let is_proper = behind.starts_with(b"\r\n\r\n") || behind.starts_with(b"\n\n");
    let is_followed = blank == behind.len() || may_begin_record(&behind[blank..]);
    match (is_proper, is_followed) {
        (true, true) => Ok(()),
        (true, false) if !is_plain => Err(NoEnd::GoesOn),
        (false, false) => Err(NoEnd::GoesOn),
        _ if holds_record(block) => Err(NoEnd::HoldsRecord),
        _ => Ok(()),
    }
}

/// Looks no further than to the first record: the reader goes on there, so that each byte is looked at once.
fn holds_record(block: &[u8]) -> bool {
    begins_record(block) || memchr::memmem::find_iter(block, b"\nWARC/").any(|at| begins_record(&block[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sloppy_end_will_do_unless_a_record_was_swallowed() {
        let (page, swallowing) = (b"<p>rain", b"<p>rain\r\n\r\nWARC/1.0\r\n");
        for proper in [&b"\r\n\r\nWARC/1.0"[..], b"\n\nWARC/0.18", b"\r\n\r\n", b"\r\n\r\n\r\n\r\nWARC/1.1"] {
            assert_eq!((check(page, proper, true), check(swallowing, proper, false)), (Ok(()), Ok(())), "{proper:?}");
        }
        for sloppy in [&b"\nWARC/1.0"[..], b"\r\nWARC/1.0", b"WARC/1.0", b"", b"\r\n"] {
            assert_eq!(check(page, sloppy, false), Ok(()), "{sloppy:?}");
            assert_eq!(check(swallowing, sloppy, true), Err(NoEnd::HoldsRecord), "{sloppy:?}");
        }
        for none in [&b" and sun"[..], b"\r\nand sun", b"\r\nWARC files"] {
            assert_eq!(check(page, none, true), Err(NoEnd::GoesOn), "{none:?}");
        }
        let garbage = b"\r\n\r\n\0\0\0\0\0\0\0\0";
        assert_eq!((check(page, garbage, true), check(page, garbage, false)), (Ok(()), Err(NoEnd::GoesOn)));
        assert_eq!(check(swallowing, garbage, true), Err(NoEnd::HoldsRecord));
    }
}
