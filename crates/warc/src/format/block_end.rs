//! Whether a record ends where its length says.
//!
//! By the standard two line ends stand behind a block (WARC/1.1, section 4), and then the next record or nothing. Many
//! writers are sloppy with them, so one line end, or none, will do, unless the block holds what looks like a record: then
//! it is likelier that a wrong length has swallowed that one. A block that ends properly may hold what it wants: a WARC file, or a
//! page about them.

use super::record_bytes::{begins_record, may_begin_record};

/// Looks at a block, as far as it is kept, and at what stands behind it. A plain file may have garbage behind the end of a
/// record; in a compressed one that means that the member is torn.
///
/// # Errors
/// What is wrong with the record, which is said to have so many bytes.
pub(crate) fn check(block: &[u8], behind: &[u8], length: u64, is_plain: bool) -> Result<(), String> {
    let blank = behind.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let is_proper = behind.starts_with(b"\r\n\r\n") || behind.starts_with(b"\n\n");
    let is_followed = blank == behind.len() || may_begin_record(&behind[blank..]);
    let why = match (is_proper, is_followed) {
        (true, true) => return Ok(()),
        (true, false) if !is_plain => "does not end there",
        (false, false) => "does not end there",
        // It ends, after a fashion, and there is another record in it.
        _ if holds_record(block) => "reaches over others",
        _ => return Ok(()),
    };
    Err(format!("a record of {length} bytes that {why}: its Content-Length is wrong"))
}

/// Looks no further than to the first record: the reader goes on there, so that each byte is looked at once.
fn holds_record(block: &[u8]) -> bool {
    begins_record(block) || memchr::memmem::find_iter(block, b"\nWARC/").any(|at| begins_record(&block[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(block: &[u8], behind: &[u8], is_plain: bool) -> &'static str {
        match check(block, behind, 7, is_plain) {
            Ok(()) => "ends",
            Err(why) if why.starts_with("a record of 7 bytes that reaches over others") => "holds a record",
            Err(why) if why.starts_with("a record of 7 bytes that does not end there") => "goes on",
            Err(why) => panic!("{why}"),
        }
    }

    #[test]
    fn a_sloppy_end_will_do_unless_a_record_was_swallowed() {
        let (page, swallowing) = (b"<p>rain", b"<p>rain\r\n\r\nWARC/1.0\r\n");
        for proper in [&b"\r\n\r\nWARC/1.0"[..], b"\n\nWARC/0.18", b"\r\n\r\n", b"\r\n\r\n\r\n\r\nWARC/1.1"] {
            assert_eq!((ends(page, proper, true), ends(swallowing, proper, false)), ("ends", "ends"), "{proper:?}");
        }
        for sloppy in [&b"\nWARC/1.0"[..], b"\r\nWARC/1.0", b"WARC/1.0", b"", b"\r\n"] {
            assert_eq!(ends(page, sloppy, false), "ends", "{sloppy:?}");
            assert_eq!(ends(swallowing, sloppy, true), "holds a record", "{sloppy:?}");
        }
        for none in [&b" and sun"[..], b"\r\nand sun", b"\r\nWARC files"] {
            assert_eq!(ends(page, none, true), "goes on", "{none:?}");
        }
        let garbage = b"\r\n\r\n\0\0\0\0\0\0\0\0";
        assert_eq!((ends(page, garbage, true), ends(page, garbage, false)), ("ends", "goes on"));
        assert_eq!(ends(swallowing, garbage, true), "holds a record");
    }
}
