//! Any bytes are walked as a WARC file to their end, or to a fault that says where.
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
        assert!(records <= bytes.len() + 2, "the walk does not end");
        if record.is_err() {
            break;
        }
    }
});
