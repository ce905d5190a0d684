//! File names from names of the web: what a page calls itself must never lead out of the output folder.
//!
//! A name that is safe stays as it is, because outputs are paired with gold by path. Everything else is escaped.

use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

/// Names longer than this are shortened: file systems take 255 bytes, with the extension.
const MAX_NAME_BYTES: usize = 200;

/// One folder or file name from any text.
#[must_use]
pub fn file_name(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') || c.is_control() {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|b| name.push_str(&format!("%{b:02X}")));
        } else {
            name.push(c);
        }
    }
    if name.is_empty() {
        name.push('%');
    } else if name.bytes().all(|b| b == b'.') {
        name = name.replace('.', "%2E");
    }
    if name.len() > MAX_NAME_BYTES {
        let hash = xxh3_64(text.as_bytes());
        name.truncate(name.floor_char_boundary(MAX_NAME_BYTES - 17));
        name.push_str(&format!("-{hash:016x}"));
    }
    name
}

/// A relative path from an id, whose slashes make folders.
pub(super) fn relative_path(id: &str) -> PathBuf {
    let path: PathBuf = id.split('/').filter(|part| !part.is_empty()).map(file_name).collect();
    if path.as_os_str().is_empty() { PathBuf::from("%") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::{Component, Path};

    #[test]
    fn ordinary_names_stay_and_dangerous_ones_are_escaped() {
        for name in ["portal.example", "indul_az_mszp_2014-ben", "árvíztűrő", "100%", ".hidden", "a b"] {
            assert_eq!(file_name(name), name);
        }
        assert_eq!(relative_path("2009/01/a"), Path::new("2009/01/a"));
        assert_eq!(relative_path("../../etc/passwd"), Path::new("%2E%2E/%2E%2E/etc/passwd"));
        assert_eq!(relative_path("/etc/passwd"), Path::new("etc/passwd"));
        assert_eq!(relative_path("p.example/a?b=c\\d\0"), Path::new("p.example/a%3Fb=c%5Cd%00"));
        assert_eq!(relative_path("//"), Path::new("%"));
        assert_eq!(file_name(""), "%");
        let (long, longer) = ("é".repeat(300), "é".repeat(301));
        assert!(file_name(&long).len() <= MAX_NAME_BYTES && file_name(&long) != file_name(&longer));
    }

    proptest! {
        #[test]
        fn no_name_leads_out_of_the_folder(id in "[./\\\\a:\\PC]{0,300}") {
            let path = relative_path(&id);
            prop_assert!(path.components().all(|part| matches!(part, Component::Normal(_))), "{:?}", path);
            prop_assert!(path.components().all(|part| part.as_os_str().len() <= 255));
            prop_assert!(path.components().next().is_some());
        }
    }
}
