//! The files of a crate have no circular imports: a reader of a file knows which ones to read before. The dependencies
//! between crates are in the manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// A file's place among the modules: `fetch`, `list`, `feed`.
type Module = Vec<String>;

/// The references of a source file to other files.
struct Source {
    /// Paths that it uses, from the crate's root.
    names: Vec<Vec<String>>,
    /// Names that it re-exports, with their targets.
    re_exports: BTreeMap<String, Vec<String>>,
}

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

/// Matches comments, strings and characters, which are not code. One pattern must match them all: a string may contain
/// `//`, and a comment or a character may contain a quotation mark.
static NO_CODE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r###"(?s)//[^\n]*|r#+".*?"#+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.[^']*)'"###).unwrap());

/// The code of a source, without its unit tests, comments and texts.
fn code_of(source: &str) -> String {
    let production = source.split("#[cfg(test)]\nmod ").next().unwrap();
    // Visibility is declared by paths, too.
    NO_CODE.replace_all(production, "").replace("pub(in crate::", "pub(in ")
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
    let mut source = Source { names: Vec::new(), re_exports: BTreeMap::new() };
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
                // A file does not depend on the items from below that it re-exports.
                Some(name) if is_public && path.starts_with(module) => {
                    source.re_exports.insert(name.clone(), path.clone());
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

/// The file that a path leads to, after all re-exports.
fn home_of(path: &[String], sources: &BTreeMap<Module, Source>, depth: u8) -> Option<Module> {
    let module = (0..=path.len()).rev().map(|length| &path[..length]).find(|module| sources.contains_key(*module))?;
    let given = path.get(module.len()).and_then(|name| sources[module].re_exports.get(name));
    match given.filter(|_| depth < 8) {
        Some(given) => home_of(&[given, &path[module.len() + 1..]].concat(), sources, depth + 1),
        None => Some(module.to_vec()),
    }
}

/// The code of a crate's files except tests, and except the root, which connects everything.
fn read_crate(src: &Path) -> BTreeMap<Module, String> {
    let (mut files, mut texts) = (Vec::new(), BTreeMap::new());
    sources(src, &mut files);
    for file in files {
        let below = file.strip_prefix(src).unwrap().with_extension("");
        let mut module: Module = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if module.last().is_some_and(|last| last == "mod") {
            module.pop();
        }
        let is_test = module.last().is_some_and(|last| last.ends_with("tests") || last == "testing");
        if !is_test && !module.first().is_some_and(|first| first == "lib" || first == "main") {
            texts.insert(module, code_of(&std::fs::read_to_string(&file).unwrap()));
        }
    }
    texts
}

/// Finds the files of a crate that import each other in a circle, and the files between two circles. The main file of a
/// folder and the other files in it may use each other, because they share its declarations.
fn circles(texts: &BTreeMap<Module, String>) -> Vec<String> {
    let modules: BTreeSet<Module> = texts.keys().cloned().collect();
    let known: BTreeMap<Module, Source> =
        texts.iter().map(|(module, code)| (module.clone(), read_source(module, code, &modules))).collect();
    let mut imports: BTreeMap<&Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, source) in &known {
        let homes = source.names.iter().filter_map(|path| home_of(path, &known, 0));
        imports.insert(module, homes.filter(|home| !module.starts_with(home)).collect());
    }
    // Files without imports, and those that nobody imports, are removed repeatedly.
    loop {
        let before = imports.len();
        let left: BTreeSet<Module> = imports.keys().map(|module| (*module).clone()).collect();
        let named: BTreeSet<Module> = imports.values().flatten().cloned().collect();
        imports.retain(|module, homes| {
            homes.retain(|home| left.contains(home));
            !homes.is_empty() && named.contains(*module)
        });
        if imports.len() == before {
            break;
        }
    }
    let joined = |homes: &BTreeSet<Module>| homes.iter().map(|home| home.join("/")).collect::<Vec<_>>().join(", ");
    imports.iter().map(|(module, homes)| format!("{} imports {}", module.join("/"), joined(homes))).collect()
}

#[test]
fn the_files_of_a_crate_have_no_circular_imports() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = ["html", "core", "lab", "warc", "corpus", "crawl", "batch", "console", "cluster"];
    let folders = crates.map(|name| root.join("crates").join(name).join("src"));
    for src in folders.into_iter().chain([root.join("src")]) {
        let texts = read_crate(&src);
        assert!(texts.len() > 10, "the sources of {} were not found", src.display());
        let circles = circles(&texts);
        assert!(circles.is_empty(), "these files of {} go in circles:\n{}", src.display(), circles.join("\n"));
    }
}

#[test]
fn circular_imports_through_re_exports_are_found() {
    let crate_of = |files: &[(&str, &str)]| -> BTreeMap<Module, String> {
        let module = |path: &str| -> Module { path.split('/').map(str::to_owned).collect() };
        files.iter().map(|(path, code)| (module(path), code_of(code))).collect()
    };
    let front = ("a", "pub use one::One;\nmod one;\n");
    let one = ("a/one", "use crate::b::{self, Two as Other};\npub struct One;\n");
    let found = circles(&crate_of(&[front, one, ("b", "use crate::a::One;\npub struct Two(One);\n")]));
    assert_eq!(found, ["a/one imports b", "b imports a/one"]);
    // Comments, texts and unit tests are not code.
    let unlike = "// use crate::a::One;\npub const TWO: &str = \"crate::a::One\";\n\
        #[cfg(test)]\nmod tests { use crate::a::One; }\n";
    assert!(circles(&crate_of(&[front, one, ("b", unlike)])).is_empty());
    let behind_texts = "pub const URL: &str = \"https://a.example/\";\npub struct Two(crate::a::One);\n";
    assert_eq!(circles(&crate_of(&[front, one, ("b", behind_texts)])), found);
}
