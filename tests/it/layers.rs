//! Who may import whom: the table is the architecture, and the sources are held against it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each module with the modules of the crate that it may name. The pure ones come first, left never sees right.
const TABLE: &[(&str, &[&str])] = &[
    ("address", &[]),
    ("capture", &["address"]),
    ("document", &["capture"]),
    ("page", &["address", "capture", "document"]),
    ("justext", &["page"]),
    ("eval", &["document"]),
    ("judge", &["eval", "page"]),
    ("goldminer", &["address", "capture", "document", "page", "justext"]),
    ("baseline", &["document", "page", "justext"]),
    ("extract", &["address", "capture", "document", "page", "judge", "justext", "goldminer", "baseline"]),
    ("stats", &["document"]),
    // Numbers as people read them.
    ("figures", &[]),
    // What people look at: data in, HTML out.
    ("report", &["figures", "address", "capture", "document", "page", "judge", "justext", "goldminer", "extract"]),
    ("caught", &[]),
    // How files come to their names.
    ("durable", &[]),
    // What the modules of the outside world share.
    ("failure", &[]),
    // The outside world: pure modules and what is shared, none knows another.
    ("archive", &["address", "capture", "durable"]),
    ("corpus", &["capture", "caught", "document", "durable", "page"]),
    ("fetch", &["address", "capture", "caught", "failure", "page"]),
    ("seeds", &["address"]),
    ("profile_rules", &["address", "seeds"]),
    ("store", &["address", "capture", "extract", "failure"]),
    // Decisions and wiring.
    ("frontier", &["figures", "address", "capture", "failure", "store"]),
    ("config", &["durable", "fetch", "frontier", "goldminer", "seeds"]),
    ("cli", &["corpus", "engine", "seeds"]),
    (
        "engine",
        &[
            "figures",
            "address",
            "archive",
            "baseline",
            "capture",
            "caught",
            "config",
            "corpus",
            "document",
            "durable",
            "extract",
            "failure",
            "fetch",
            "frontier",
            "goldminer",
            "justext",
            "page",
            "seeds",
            "store",
        ],
    ),
    (
        "commands",
        &[
            "figures",
            "address",
            "archive",
            "baseline",
            "capture",
            "cli",
            "config",
            "corpus",
            "document",
            "durable",
            "engine",
            "eval",
            "extract",
            "failure",
            "fetch",
            "frontier",
            "goldminer",
            "judge",
            "justext",
            "page",
            "profile_rules",
            "report",
            "seeds",
            "stats",
            "store",
        ],
    ),
];

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// The crate's modules that a source names as `crate::<module>`, its unit tests left aside.
fn named(source: &str) -> BTreeSet<String> {
    let production = source.split("#[cfg(test)]\nmod ").next().unwrap_or(source);
    production
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>())
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn every_module_imports_only_what_its_line_in_the_table_allows() {
    let table: BTreeMap<&str, &[&str]> = TABLE.iter().copied().collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for src in [root.join("src"), root.join("crates/core/src")] {
        let mut found = Vec::new();
        sources(&src, &mut found);
        assert!(found.len() > 20, "the sources were not found");
        files.extend(found.into_iter().map(|file| (src.clone(), file)));
    }
    let mut offences = Vec::new();
    for (src, file) in files {
        let below = file.strip_prefix(&src).unwrap();
        let first = below.components().next().unwrap().as_os_str().to_string_lossy();
        let module = first.trim_end_matches(".rs");
        // Tests may look at anything.
        if matches!(module, "lib" | "main")
            || file.file_name().is_some_and(|name| name == "tests.rs" || name == "testing.rs")
        {
            continue;
        }
        let Some(allowed) = table.get(module) else {
            offences.push(format!("src/{module} has no line in the table of tests/it/layers.rs"));
            continue;
        };
        for name in named(&std::fs::read_to_string(&file).unwrap()) {
            if name != module && !allowed.contains(&name.as_str()) {
                offences.push(format!("{} names crate::{name}, which `{module}` may not", below.display()));
            }
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}
