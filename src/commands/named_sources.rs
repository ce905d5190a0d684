//! The sources that a command line names: paths, patterns of paths, and lists of both.
//!
//! A shell expands patterns itself; those that were quoted, stand in a list, or name more files than a command line
//! takes, are expanded here.

use std::path::{Component, Path, PathBuf, absolute};

use anyhow::{Context, bail};
use regex::Regex;

use super::Misuse;
use crate::engine::offline::Settings;

/// Every source that is named: patterns expanded, in the order of their names, and a list's behind the others.
///
/// # Errors
/// When a list can't be read, or nothing fits a pattern.
pub(super) fn named(sources: &[PathBuf], list: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = sources.to_vec();
    if let Some(list) = list {
        let text = std::fs::read_to_string(list).with_context(|| format!("cannot read --list {}", list.display()))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let before = all.len();
        all.extend(lines.map(PathBuf::from));
        if all.len() == before {
            bail!("--list {} names no source: write one a line", list.display());
        }
    }
    let mut named = Vec::new();
    for source in all {
        // A file may be called like a pattern.
        if !is_pattern(&source.to_string_lossy()) || source.exists() {
            named.push(source);
            continue;
        }
        let found = expanded(&source)?;
        if found.is_empty() {
            return Err(
                Misuse::of(format!("nothing fits {}: check the path, and where you are", source.display())).into()
            );
        }
        named.extend(found);
    }
    Ok(named)
}

/// Sources as an output remembers them.
///
/// # Errors
/// When the current folder is gone.
pub(super) fn settings(sources: &[PathBuf]) -> anyhow::Result<Settings> {
    let mut settings = Settings::new();
    for (n, source) in sources.iter().enumerate() {
        let path = absolute(source).with_context(|| format!("cannot read {}", source.display()))?;
        settings.insert(format!("source {}", n + 1), path.display().to_string());
    }
    Ok(settings)
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The paths that fit a pattern, in the order of their names.
fn expanded(pattern: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = match component {
            Component::Normal(name) if is_pattern(&name.to_string_lossy()) => name.to_string_lossy(),
            other => {
                found.iter_mut().for_each(|path| path.push(other));
                found.retain(|path| path.exists());
                continue;
            }
        };
        let fits = regex_of(&name)
            .with_context(|| format!("{} is no pattern: *, ? and [a-z] stand for others", pattern.display()))?;
        let mut next = Vec::new();
        for folder in found {
            let at = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            let Ok(entries) = std::fs::read_dir(at) else { continue };
            let names = entries.flatten().map(|entry| entry.file_name()).filter(|name| {
                let name = name.to_string_lossy();
                fits.is_match(&name) && !name.starts_with('.')
            });
            next.extend(names.map(|name| folder.join(name)));
        }
        next.sort_unstable();
        found = next;
    }
    Ok(found)
}

/// A pattern of a name, as shells know it.
fn regex_of(pattern: &str) -> Result<Regex, regex::Error> {
    let mut regex = String::from("^");
    let mut is_set = false;
    for character in pattern.chars() {
        match character {
            '*' if !is_set => regex.push_str(".*"),
            '?' if !is_set => regex.push('.'),
            '[' if !is_set => {
                is_set = true;
                regex.push('[');
            }
            ']' if is_set => {
                is_set = false;
                regex.push(']');
            }
            '!' if is_set && regex.ends_with('[') => regex.push('^'),
            '-' if is_set => regex.push('-'),
            other => regex.push_str(&regex::escape(&other.to_string())),
        }
    }
    regex.push('$');
    Regex::new(&regex)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in
            ["2026/01/a.warc.gz", "2026/02/b.warc.gz", "2026/02/.hidden.warc.gz", "2025/01/c.warc.gz", "a[1].warc"]
        {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        dir
    }

    #[test]
    fn patterns_fit_as_in_a_shell() {
        let dir = files();
        let fits = |pattern: &str| -> Vec<String> {
            let found = named(&[dir.path().join(pattern)], None).unwrap_or_default();
            found.iter().map(|path| path.strip_prefix(dir.path()).unwrap().display().to_string()).collect()
        };
        assert_eq!(fits("2026/*/*.warc.gz"), ["2026/01/a.warc.gz", "2026/02/b.warc.gz"]);
        assert_eq!(fits("202[0-5]/0?/*"), ["2025/01/c.warc.gz"]);
        assert_eq!(fits("202[!5]"), ["2026"]);
        assert_eq!(fits("a[1].warc"), ["a[1].warc"], "a file that is called like a pattern");
        assert!(fits("*.zip").is_empty());
    }

    #[test]
    fn a_list_names_a_source_a_line() {
        let dir = files();
        let list = dir.path().join("list");
        let line = dir.path().join("2026/*/a.*");
        std::fs::write(&list, format!("# of 2026\n\n  {}\n", line.display())).unwrap();
        assert_eq!(named(&[], Some(&list)).unwrap(), [dir.path().join("2026/01/a.warc.gz")]);
        std::fs::write(&list, "\n# nothing\n").unwrap();
        assert!(named(&[], Some(&list)).unwrap_err().to_string().contains("names no source"));
        let none = named(&[dir.path().join("2024/*")], None).unwrap_err().to_string();
        assert!(none.contains("nothing fits") && none.contains("2024/*"), "{none}");
    }
}
