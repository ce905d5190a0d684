//! Checks with random input that any bytes with any declared type become text, and that decoding any content coding
//! ends within its limits.
#![no_main]

use goldminer_core::capture::coding::{self, CodingLimits};
use goldminer_core::page::encoding;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, &[u8])| {
    let (content_type, codings, bytes) = input;
    for declared in [None, Some(content_type)] {
        let decoded = encoding::decode(bytes, declared);
        assert!(decoded.text.len() <= 3 * bytes.len() + 3, "a byte became more than a character");
    }
    let limits = CodingLimits::default();
    for codings in [codings, "gzip", "deflate", "br", "zstd", "gzip, br"] {
        let _ = coding::decode(bytes, codings, limits);
    }
});
