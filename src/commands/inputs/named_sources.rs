//! Expands the sources on the command line: paths, addresses of objects, patterns of both, and lists of them.
//!
//! A shell expands patterns itself. Patterns are expanded here if they are quoted, are in a list, or match more files
//! than fit on a command line.

use std::collections::HashSet;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context, bail};
use glob::MatchOptions;
use goldminer_batch::Settings;
use goldminer_batch::sources::{NAME_BY_NAME, is_pattern};
use goldminer_warc::objects::ObjectAddress;

use crate::commands::{UsageError, misuse};

/// The absolute paths of all given sources; those of `--list` come last. A pattern is replaced by its files in the order
/// of their names.
///
/// # Errors
/// When a list cannot be read, or nothing matches a pattern.
pub(crate) fn named(sources: &[PathBuf], list: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = sources.to_vec();
    if let Some(list) = list {
        let text = std::fs::read_to_string(list).with_context(|| format!("cannot read --list {}", list.display()))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let before = all.len();
        all.extend(lines.map(PathBuf::from));
        if all.len() == before {
            bail!("--list {} names no source: write one per line", list.display());
        }
    }
    let mut named = Vec::new();
    for source in all {
        // An address with a password or signature is refused before a message can show it.
        ObjectAddress::of(&source)?;
        // A file name may look like a pattern. Patterns in object stores are expanded later, by listing the store.
        if ObjectAddress::is_in(&source) || !is_pattern(&source.to_string_lossy()) || source.exists() {
            named.push(source);
            continue;
        }
        let before = named.len();
        let options = MatchOptions { require_literal_leading_dot: true, ..NAME_BY_NAME };
        let found = glob::glob_with(&source.to_string_lossy(), options)
            .with_context(|| format!("{} is not a valid pattern; use *, ? and [a-z]", source.display()))?;
        named.extend(found.flatten());
        if named.len() == before {
            return misuse(format!("no file matches {}: check the path and your current directory", source.display()));
        }
    }
    Ok(once_each(named).iter().map(|source| whole(source)).collect())
}

/// The paths without those that lead to the same file or folder as an earlier one.
pub(crate) fn once_each<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Vec<P> {
    let mut known = HashSet::new();
    let is_new = |path: &P| {
        let path = path.as_ref();
        let is_new = known.insert(path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        if !is_new {
            tracing::warn!("{} was given twice; it is read once", path.display());
        }
        is_new
    };
    paths.into_iter().filter(is_new).collect()
}

/// The absolute path of a source, without a slash at its end, because a later run may start in another folder or spell
/// the path in another way. The address of an object stays as it is.
pub(crate) fn whole(source: &Path) -> PathBuf {
    let path = absolute(source).ok().filter(|_| !ObjectAddress::is_in(source));
    path.map_or_else(|| source.to_owned(), |path| path.components().collect())
}

/// Refuses sources in object stores and on web servers, for commands that read sources twice.
///
/// # Errors
/// When there is such a source.
pub(crate) fn refuse_remote(sources: &[PathBuf]) -> Result<(), UsageError> {
    let Some(far) = sources.iter().find(|source| ObjectAddress::is_in(source)) else { return Ok(()) };
    Err(UsageError::of(format!(
        "{} is not on this machine: give local files (a job directory, WARC files, HTML files); only `goldminer sample` and \
         `goldminer extract --stream` read archives from buckets and web servers",
        far.display()
    )))
}

/// The sources, as settings of an output. The output stores its settings, so that a later run with other sources is
/// noticed.
pub(crate) fn settings(sources: &[PathBuf]) -> Settings {
    let setting = |(n, path): (usize, &PathBuf)| (format!("source {}", n + 1), path.display().to_string());
    sources.iter().enumerate().map(setting).collect()
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
    fn patterns_match_as_in_a_shell() {
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
    fn an_address_with_a_password_is_refused_without_showing_it() {
        for far in ["https://me:hunter2@b.example/a.warc.gz", "https://b.example/a.warc.gz?X-Amz-Signature=hunter2"] {
            let error = named(&[PathBuf::from(far), PathBuf::from(far)], None).unwrap_err().to_string();
            assert!(error.contains("would be saved") && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_list_has_one_source_per_line() {
        let dir = files();
        let list = dir.path().join("list");
        let line = dir.path().join("2026/*/a.*");
        std::fs::write(&list, format!("# of 2026\n\n  {}\n", line.display())).unwrap();
        assert_eq!(named(&[], Some(&list)).unwrap(), [dir.path().join("2026/01/a.warc.gz")]);
        std::fs::write(&list, "\n# nothing\n").unwrap();
        assert!(named(&[], Some(&list)).unwrap_err().to_string().contains("names no source"));
        let none = named(&[dir.path().join("2024/*")], None).unwrap_err().to_string();
        assert!(none.contains("no file matches") && none.contains("2024/*"), "{none}");
    }
}
