//! Gives the program a name for its build: a digest of its sources, so that the same sources give the same bytes, and two
//! states of them are told apart though their version is the same. It needs no version control.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    let own = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    // In the repository the whole program counts; a package of the registry has its own sources, and names the versions of
    // all others in its manifest.
    let root = if own.join("../core").exists() { own.join("../..") } else { own };
    let mut files = Vec::new();
    for part in ["src", "crates", "Cargo.toml", "Cargo.lock"] {
        gather(&root.join(part), &mut files);
        if root.join(part).exists() {
            println!("cargo::rerun-if-changed={}", root.join(part).display());
        }
    }
    // The folder that the repository lies in may be named so, too.
    files.retain(|file| !file.strip_prefix(&root).unwrap_or(file).components().any(|part| part.as_os_str() == "tests"));
    files.sort();
    let mut digest = DefaultHasher::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        name.hash(&mut digest);
        fs::read(&file).unwrap_or_default().hash(&mut digest);
    }
    println!("cargo::rustc-env=GOLDMINER_BUILD={:016x}", digest.finish());
}

fn gather(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(folder) => folder.flatten().for_each(|entry| gather(&entry.path(), files)),
        Err(_) => files.push(path.to_owned()),
    }
}
