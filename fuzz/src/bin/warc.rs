//! Checks with random input that any bytes can be read as a WARC file, to their end or to an error.
#![no_main]

use std::io::Write;

use goldminer_warc::WarcReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::Builder::new().suffix(".warc").tempfile().expect("a file");
    file.write_all(bytes).expect("written");
    let mut records = 0;
    for record in WarcReader::open(file.path()).expect("opens") {
        records += 1;
        assert!(records <= bytes.len() + 2, "reading does not end");
        if record.is_err() {
            break;
        }
    }
});
