//! Makes file names from domains and the ids of pages. The path of a page must never lead out of the output folder.
//!
//! A safe name is not changed, because outputs are paired with gold texts (reference texts made by people) by path. In
//! other names, characters are escaped.

use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use percent_encoding::percent_encode_byte;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// The most bytes of a file name that file systems accept.
const MAX_NAME_BYTES: usize = 255;
/// Names that become parts of other names are shortened to this length, to leave space for the rest.
const MAX_STEM_BYTES: usize = 200;

/// Makes the beginning of a file name from any text, short enough that an extension can be appended.
pub fn file_name(text: &str) -> String {
    shortened(text, MAX_STEM_BYTES)
}

/// Makes the name of a folder from any text, unchanged if file systems accept it.
fn folder_name(text: &str) -> String {
    shortened(text, MAX_NAME_BYTES)
}

fn shortened(text: &str, max_bytes: usize) -> String {
    let mut name = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') || c.is_control() {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| name.push_str(percent_encode_byte(byte)));
        } else {
            name.push(c);
        }
    }
    if name.is_empty() {
        name.push('%');
    } else if name.bytes().all(|b| b == b'.') {
        name = name.replace('.', "%2E");
    }
    if name.len() > max_bytes {
        let hash = xxh3_64(text.as_bytes());
        name.truncate(name.floor_char_boundary(max_bytes - 17));
        name.push_str(&format!("-{hash:016x}"));
    }
    name
}

/// Makes a relative path from the id of a page, with an extension. Slashes in the id separate folders.
fn relative_path(id: &str, extension: &str) -> PathBuf {
    let mut parts = id.split('/').filter(|part| !part.is_empty());
    let last = parts.next_back().unwrap_or_default();
    let mut path: PathBuf = parts.map(folder_name).collect();
    path.push(shortened(last, MAX_NAME_BYTES - extension.len()) + extension);
    path
}

/// The path of a page's file below the folder of a corpus or of gold texts.
pub(crate) fn page_path(domain: &str, id: &str, extension: &str) -> PathBuf {
    Path::new(&folder_name(domain)).join(relative_path(id, extension))
}

/// Remembers the names that are in use, by their hashes: 16 bytes per name, whatever its length.
#[derive(Default)]
pub(crate) struct UsedNames(FxHashMap<u64, u32>);

impl UsedNames {
    /// Returns the first unused name among `numbered(1)`, `numbered(2)` and so on, and remembers it as used.
    pub(crate) fn next<N: AsRef<OsStr>>(&mut self, numbered: impl Fn(u32) -> N) -> N {
        let hash = |name: &N| xxh3_64(name.as_ref().as_encoded_bytes());
        let mut own = numbered(1);
        let first = hash(&own);
        let mut number = self.0.get(&first).map_or(1, |last| last + 1);
        // Another document may have this name, with the number, as its own.
        while number > 1 {
            own = numbered(number);
            if let Entry::Vacant(free) = self.0.entry(hash(&own)) {
                free.insert(1);
                break;
            }
            number += 1;
        }
        self.0.insert(first, number);
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Component;

    #[test]
    fn ordinary_names_stay_and_dangerous_ones_are_escaped() {
        for name in ["portal.example", "indul_az_mszp_2014-ben", "árvíztűrő", "100%", ".hidden", "a b"] {
            assert_eq!(file_name(name), name);
        }
        let path = |id| relative_path(id, ".txt");
        assert_eq!(path("2009/01/a"), Path::new("2009/01/a.txt"));
        assert_eq!(path("../../etc/passwd"), Path::new("%2E%2E/%2E%2E/etc/passwd.txt"));
        assert_eq!(path("/etc/passwd"), Path::new("etc/passwd.txt"));
        assert_eq!(path("p.example/a?b=c\\d\0"), Path::new("p.example/a%3Fb=c%5Cd%00.txt"));
        assert_eq!(path("//"), Path::new("%.txt"));
        assert_eq!(file_name(""), "%");
        let (long, longer) = ("é".repeat(300), "é".repeat(301));
        assert!(file_name(&long).len() <= MAX_STEM_BYTES && file_name(&long) != file_name(&longer));
    }

    #[test]
    fn a_page_keeps_any_name_that_file_systems_accept() {
        // The longest names: 250 bytes and `.html` for a page, 255 bytes for a folder.
        let (page, folder) = ("p".repeat(250), "d".repeat(255));
        assert_eq!(relative_path(&page, ".txt"), Path::new(&format!("{page}.txt")));
        assert_eq!(relative_path(&format!("{folder}/{page}"), ".txt"), Path::new(&format!("{folder}/{page}.txt")));
        let long = relative_path(&"p".repeat(252), ".txt");
        assert_eq!(long.as_os_str().len(), 255);
    }

    proptest! {
        #[test]
        fn no_name_leads_out_of_the_folder(id in "[./\\\\a:\\PC]{0,300}") {
            let path = relative_path(&id, ".txt");
            prop_assert!(path.components().all(|part| matches!(part, Component::Normal(_))), "{:?}", path);
            prop_assert!(path.components().all(|part| part.as_os_str().len() <= 255));
            prop_assert!(path.components().next().is_some());
        }
    }
}
