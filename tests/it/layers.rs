//! Who may import whom: the table is the architecture, and the sources are held against it. No files go in circles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each module with the modules of the crate that it may name. The pure ones come first, left never sees right.
const TABLE: &[(&str, &[&str])] = &[
    ("address", &[]),
    ("capture", &["address"]),
    ("rights", &["capture"]),
    ("document", &["capture", "rights"]),
    ("page", &["address", "capture", "document", "rights"]),
    ("justext", &["page"]),
    ("eval", &["document"]),
    ("classifier", &["eval", "page"]),
    ("goldminer", &["address", "capture", "document", "page", "classifier", "justext"]),
    ("baseline", &["document", "page", "justext"]),
    (
        "extract",
        &["address", "capture", "document", "page", "rights", "classifier", "justext", "goldminer", "baseline"],
    ),
    ("stats", &["document"]),
    // Numbers as people read them.
    ("figures", &[]),
    // What people look at: data in, HTML out.
    ("report", &["figures", "address", "capture", "document", "page", "classifier", "justext", "goldminer", "extract"]),
    ("caught", &[]),
    // How files come to their names.
    ("durable", &[]),
    // What the modules of the outside world share.
    ("failure", &[]),
    ("share", &[]),
    // The outside world: pure modules and what is shared, none knows another, but that archives may lie in object stores.
    ("archive", &["address", "capture", "durable", "objects", "rights"]),
    ("corpus", &["figures", "address", "capture", "caught", "document", "durable", "page", "rights"]),
    ("fetch", &["address", "capture", "caught", "failure", "page", "rights", "share"]),
    ("objects", &[]),
    ("seeds", &["address", "rights"]),
    ("profile_rules", &["address", "seeds"]),
    ("store", &["address", "capture", "durable", "extract", "failure", "goldminer"]),
    // Decisions and wiring.
    ("frontier", &["figures", "address", "capture", "failure", "rights", "seeds", "share", "store"]),
    ("config", &["durable", "fetch", "frontier", "goldminer", "rights", "seeds"]),
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
            "classifier",
            "justext",
            "objects",
            "page",
            "rights",
            "seeds",
            "share",
            "store",
        ],
    ),
    // What a job says in words.
    ("words", &["engine", "extract", "figures", "frontier"]),
    // A crawl on many machines.
    ("cluster", &["address", "archive", "config", "durable", "engine", "fetch", "frontier", "objects", "seeds"]),
    // What people look at and act in while it runs.
    (
        "console",
        &[
            "address",
            "archive",
            "capture",
            "cluster",
            "config",
            "corpus",
            "document",
            "durable",
            "engine",
            "eval",
            "extract",
            "figures",
            "frontier",
            "goldminer",
            "page",
            "report",
            "seeds",
            "store",
            "words",
        ],
    ),
    (
        "commands",
        &[
            "cluster",
            "figures",
            "address",
            "archive",
            "baseline",
            "capture",
            "cli",
            "config",
            "console",
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
            "classifier",
            "justext",
            "objects",
            "page",
            "rights",
            "profile_rules",
            "report",
            "seeds",
            "stats",
            "store",
            "words",
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

/// Where a folder's front file and the files in it know each other: they hold what the front file declares together, or
/// are its rooms. Elsewhere even that is a circle.
const FRONT_FILES: &[&str] =
    &["baseline", "cli", "commands", "extract", "fetch", "frontier", "classifier", "justext", "page", "stats"];

/// A file's place among the modules: `engine`, `sources`, `warc`.
type Module = Vec<String>;

/// What a source file says of other files.
struct Source {
    /// Paths that it names, from the crate's root.
    names: Vec<Vec<String>>,
    /// Names that it gives on, with what they are.
    gives_on: BTreeMap<String, Vec<String>>,
}

/// The paths of a tree of imports, as in `a::{b, c::{d, e}}`.
fn paths_of(tree: &str) -> Vec<Vec<String>> {
    let segments = |path: &str| -> Vec<String> {
        let path = path.split(" as ").next().unwrap();
        path.split("::").map(|segment| segment.trim().to_owned()).filter(|segment| !segment.is_empty()).collect()
    };
    let Some((above, inside)) = tree.split_once('{') else { return vec![segments(tree)] };
    let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
    let (mut paths, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, character) in inside.char_indices().chain([(inside.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = inside[from..at].trim();
                from = (at + 1).min(inside.len());
                if !part.is_empty() {
                    paths.extend(paths_of(part).into_iter().map(|path| [segments(above), path].concat()));
                }
            }
            _ => {}
        }
    }
    paths
}

/// The code of a source, without its unit tests, comments and texts.
fn code_of(source: &str) -> String {
    let production = source.split("#[cfg(test)]\nmod ").next().unwrap();
    let lines = production.lines().map(|line| line.split("//").next().unwrap());
    // Who may see something is said by paths, too.
    let text = lines.collect::<Vec<_>>().join("\n").replace("pub(in crate::", "pub(in ");
    text.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

fn read_source(module: &Module, code: &str, modules: &BTreeSet<Module>) -> Source {
    let absolute = |path: &[String]| -> Option<Vec<String>> {
        let ups = path.iter().take_while(|segment| *segment == "super").count();
        let below = [module.clone(), path.iter().take(1).cloned().collect()].concat();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([module.clone(), path[1..].to_vec()].concat()),
            "super" => Some([&module[..module.len().checked_sub(ups)?], &path[ups..]].concat()),
            _ if modules.contains(&below) => Some([module.clone(), path.to_vec()].concat()),
            _ => None,
        }
    };
    let mut source = Source { names: Vec::new(), gives_on: BTreeMap::new() };
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let import = statement.rsplit_once("use ").filter(|(before, _)| {
            let before = before.rsplit('\n').next().unwrap().trim();
            before.is_empty() || before.starts_with("pub")
        });
        let Some((before, tree)) = import else {
            rest.push_str(statement);
            continue;
        };
        let is_public = before.rsplit('\n').next().unwrap().trim().starts_with("pub");
        rest.push_str(before);
        for path in paths_of(tree.trim_end_matches(';')).iter().filter_map(|path| absolute(path)) {
            match path.last() {
                // What is given on from below is not known by the file that gives it on.
                Some(name) if is_public && path.starts_with(module) => {
                    source.gives_on.insert(name.clone(), path.clone());
                }
                _ => source.names.push(path),
            }
        }
    }
    let is_word = |character: char| character.is_alphanumeric() || character == '_' || character == ':';
    let words = rest.split(|character: char| !is_word(character)).filter(|word| word.contains("::"));
    source.names.extend(words.flat_map(paths_of).filter_map(|path| absolute(&path)));
    source
}

/// The file in which a path ends, behind all that is given on.
fn home_of(path: &[String], sources: &BTreeMap<Module, Source>, depth: u8) -> Option<Module> {
    let module = (0..=path.len()).rev().map(|length| &path[..length]).find(|module| sources.contains_key(*module))?;
    let given = path.get(module.len()).and_then(|name| sources[module].gives_on.get(name));
    match given.filter(|_| depth < 8) {
        Some(given) => home_of(&[given, &path[module.len() + 1..]].concat(), sources, depth + 1),
        None => Some(module.to_vec()),
    }
}

#[test]
fn no_files_of_a_stage_go_in_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut circles = Vec::new();
    for src in [root.join("src"), root.join("crates/core/src")] {
        let mut files = Vec::new();
        sources(&src, &mut files);
        let mut texts: BTreeMap<Module, String> = BTreeMap::new();
        for file in files {
            let below = file.strip_prefix(&src).unwrap().with_extension("");
            let mut module: Module = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if module.last().is_some_and(|last| last == "mod") {
                module.pop();
            }
            let is_test = module.last().is_some_and(|last| last.ends_with("tests") || last == "testing");
            if !is_test && !module.first().is_some_and(|first| first == "lib" || first == "main") {
                texts.insert(module, code_of(&std::fs::read_to_string(&file).unwrap()));
            }
        }
        let modules: BTreeSet<Module> = texts.keys().cloned().collect();
        let known: BTreeMap<Module, Source> =
            texts.iter().map(|(module, code)| (module.clone(), read_source(module, code, &modules))).collect();
        let mut knows: BTreeMap<&Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, source) in &known {
            let homes = source.names.iter().filter_map(|path| home_of(path, &known, 0));
            let may_name_front = FRONT_FILES.contains(&module[0].as_str());
            let counts = |home: &Module| {
                home != module && home.first() == module.first() && !(may_name_front && module.starts_with(home))
            };
            knows.insert(module, homes.filter(counts).collect());
        }
        // What is left when all that knows nobody is taken away, again and again, goes in circles or leads to one; what
        // nobody knows is taken away as well.
        loop {
            let before = knows.len();
            let left: BTreeSet<Module> = knows.keys().map(|module| (*module).clone()).collect();
            let named: BTreeSet<Module> = knows.values().flatten().cloned().collect();
            knows.retain(|module, homes| {
                homes.retain(|home| left.contains(home));
                !homes.is_empty() && named.contains(*module)
            });
            if knows.len() == before {
                break;
            }
        }
        for (module, homes) in &knows {
            let homes: Vec<String> = homes.iter().map(|home| home.join("/")).collect();
            circles.push(format!("{} knows {}", module.join("/"), homes.join(", ")));
        }
    }
    assert!(circles.is_empty(), "these files go in circles:\n{}", circles.join("\n"));
}
