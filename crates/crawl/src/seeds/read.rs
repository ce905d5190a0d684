//! Reads seeds from a path: a seeds file, or a plain list of URLs (one per line, `#` begins a comment; the URLs of
//! one host become one portal). For a URL, a folder or a job directory, the error says what to give instead.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use super::mistake::line_of_key;
use super::{Portal, Seeds, SeedsError, of_host_name, seed_url};

/// The most files of a folder that a message names.
const FILES_NAMED: usize = 5;

impl Seeds {
    /// Reads and checks a seeds file, or a plain list of URLs.
    ///
    /// # Errors
    /// When the file cannot be read, or is invalid. The message names file, line and key, and says what to write.
    pub fn read(path: &Path) -> Result<Self, SeedsError> {
        let shown = path.display().to_string();
        if let Some(message) = not_a_file(path, &shown) {
            return Err(SeedsError(message));
        }
        let bytes = std::fs::read(path).map_err(|cause| {
            let missing = cause.kind() == std::io::ErrorKind::NotFound;
            let hint = if missing { beside(path) } else { "; give a file that you may read".to_owned() };
            SeedsError(format!("cannot read the seeds file {shown}: {cause}{hint}"))
        })?;
        let text = match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => text,
            _ => {
                return Err(SeedsError(format!(
                    "{shown} is not a text file in UTF-8; save it as UTF-8, or {WRITE_ONE}"
                )));
            }
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if text.trim_start().starts_with('<') {
            return Err(SeedsError(format!(
                "{shown} is a page, not a seeds file; {WRITE_ONE} (stored pages are read with: goldminer extract {shown} -o out)"
            )));
        }
        if let Some(other) = other_format(text) {
            return Err(SeedsError(format!(
                "{shown} is {other}, but a seeds file is TOML, or a list with a URL a line; {WRITE_ONE}"
            )));
        }
        if is_list(text) { parse_list(text, &shown) } else { Self::parse(text, &shown) }
    }
}

const WRITE_ONE: &str = "write a seeds file with: goldminer init portal.example";

/// Where a key of `[crawl]` is: file, line and key, if the file has it.
pub fn place_of(path: &Path, key: &str) -> Option<String> {
    let line = line_of_key(&std::fs::read_to_string(path).ok()?, key)?;
    Some(format!("{}, line {line}, `{key}`", path.display()))
}

/// Whether the file is a seeds file, and not a list of URLs.
pub fn has_settings(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| !is_list(text.trim_start_matches('\u{feff}')))
}

/// The error for a path that is not a file with seeds.
fn not_a_file(path: &Path, shown: &str) -> Option<String> {
    if path.is_dir() {
        if path.join("job.toml").is_file() {
            return Some(format!(
                "{shown} is a job directory; to continue, give the seeds file that it was started with, and --dir \
                 {shown} if it is not the default directory"
            ));
        }
        let files = seeds_files(path);
        let hint =
            if files.is_empty() { WRITE_ONE.to_owned() } else { format!("give one of its files: {}", named(&files)) };
        return Some(format!("{shown} is a folder, not a seeds file; {hint}"));
    }
    if path.exists() {
        let is_of_job = path.file_name().is_some_and(|name| name == "job.toml");
        return is_of_job.then(|| {
            format!("{shown} is what a crawl wrote about itself; give the seeds file that it was started with")
        });
    }
    if shown.contains("://") {
        return Some(format!("{shown} is a URL, not a seeds file; {}", portal_instead(shown)));
    }
    // `mine.tml` could be the name of a host, but next to `mine.toml` it is a typo.
    let may_be_host =
        of_host_name(shown).is_some() && path.extension().is_none_or(|e| !is_known(e)) && nearest(path).is_none();
    may_be_host.then(|| format!("there is no file {shown}; is it a portal's address? Then {}", portal_instead(shown)))
}

fn portal_instead(address: &str) -> String {
    let page = of_host_name(address).map_or_else(|| address.to_owned(), |url| url.as_str().to_owned());
    format!(
        "write its seeds file with: goldminer init {address} (or look at what one page gives: goldminer try {page})"
    )
}

fn is_known(extension: &std::ffi::OsStr) -> bool {
    ["toml", "txt", "csv", "lst", "list", "json", "yaml", "yml"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

/// The hint for a missing file: a file in its folder that may be meant.
fn beside(path: &Path) -> String {
    match nearest(path) {
        Some(nearest) => format!("; did you mean {}?", nearest.display()),
        None => match seeds_files(folder_of(path)) {
            files if files.is_empty() => format!("; {WRITE_ONE}"),
            files => format!("; there are {}", named(&files)),
        },
    }
}

/// The seeds file in the same folder with the most similar name, if one is similar enough.
fn nearest(path: &Path) -> Option<PathBuf> {
    let typed = path.file_stem().unwrap_or_default().to_string_lossy();
    let distance =
        |file: &PathBuf| strsim::damerau_levenshtein(&typed, &file.file_stem().unwrap_or_default().to_string_lossy());
    let nearest = seeds_files(folder_of(path)).into_iter().min_by_key(distance)?;
    (distance(&nearest) <= 1 + typed.len() / 3).then_some(nearest)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn seeds_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter(|path| !matches!(path.file_name().and_then(|name| name.to_str()), Some("job.toml" | "Cargo.toml")))
        .map(|path| path.strip_prefix("./").map_or_else(|_| path.clone(), Path::to_path_buf))
        .collect();
    files.sort_unstable();
    files
}

fn named(files: &[PathBuf]) -> String {
    let mut names: Vec<String> = files.iter().take(FILES_NAMED).map(|file| file.display().to_string()).collect();
    if files.len() > FILES_NAMED {
        names.push("…".to_owned());
    }
    names.join(", ")
}

/// The format of a text that is JSON or YAML: neither TOML nor a list of URLs begins like these.
fn other_format(text: &str) -> Option<&'static str> {
    let (_, line) = lines(text).next()?;
    let is_array = || line.starts_with('[') && serde_json::from_str::<IgnoredAny>(text).is_ok();
    if line.starts_with('{') || is_array() {
        return Some("JSON");
    }
    let key =
        line.trim_start_matches("- ").split_once(':').filter(|(_, rest)| rest.is_empty() || rest.starts_with(' '));
    let is_key = key.is_some_and(|(key, _)| key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')));
    (line == "---" || line.starts_with("- ") || is_key).then_some("YAML")
}

/// Whether a text is a list of URLs and not TOML, by its first line: it neither sets a key nor opens a table.
fn is_list(text: &str) -> bool {
    lines(text).next().is_some_and(|(_, line)| {
        let begins_key = line.split_once('=').is_some_and(|(key, _)| {
            key.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '"' | '.'))
        });
        !line.starts_with('[') && !begins_key
    })
}

/// The portals of a list of URLs.
///
/// # Errors
/// When a line is not a URL.
fn parse_list(text: &str, name: &str) -> Result<Seeds, SeedsError> {
    let mut portals: Vec<Portal> = Vec::new();
    let mut place: HashMap<String, usize> = HashMap::new();
    for (number, line) in lines(text) {
        let url = seed_url(line).map_err(|message| {
            let hint = "a list of seeds has a URL a line (a seeds file with settings begins with [crawl])";
            SeedsError::at(name, Some(number), None, &format!("{message}; {hint}"))
        })?;
        let host = url.host_name().to_owned();
        match place.get(&host) {
            Some(&at) if portals[at].start.contains(&url) => {}
            Some(&at) => portals[at].start.push(url),
            None => {
                place.insert(host.clone(), portals.len());
                portals.push(Portal::around(host, url));
            }
        }
    }
    Ok(Seeds { portals, ..Seeds::default() })
}

/// The lines without comments, with their numbers from 1. Empty lines are left out. A URL is cut at `#`, too, because
/// its fragment is not used.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let uncommented = |line: &str| line.find('#').unwrap_or(line.len());
    let numbered = text.lines().enumerate().map(move |(at, line)| (at + 1, line[..uncommented(line)].trim()));
    numbered.filter(|(_, line)| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_urls_of_a_host_are_one_portal_and_comments_are_none() {
        let text = "# mine\nhttps://a.example/ # its front page\n\nhttps://b.example/news\nhttps://a.example/sport\nhttps://a.example\n";
        assert!(is_list(text));
        let seeds = parse_list(text, "urls.txt").unwrap();
        let names: Vec<(&str, usize)> = seeds.portals.iter().map(|p| (p.name.as_str(), p.start.len())).collect();
        assert_eq!(names, [("a.example", 2), ("b.example", 1)]);
    }

    #[test]
    fn a_url_with_a_query_is_a_list_and_a_seeds_file_is_not() {
        for toml in ["[crawl]\n", "# x\n[[portal]]\n", "user_agent = \"x\"\n", "crawl.delay = \"5s\"\n", ""] {
            assert!(!is_list(toml), "{toml:?}");
        }
        assert!(is_list("https://a.example/?q=1\n"));
    }

    #[test]
    fn json_and_yaml_are_recognised() {
        for (text, format) in [
            ("{\"portal\": [", Some("JSON")),
            ("[\"https://a.example/\"]\n", Some("JSON")),
            ("[\n  {\"start\": []}\n]", Some("JSON")),
            ("# mine\ncrawl:\n  delay: 5s\n", Some("YAML")),
            ("---\n- https://a.example/\n", Some("YAML")),
            ("- https://a.example/\n", Some("YAML")),
            ("user_agent: \"x\"\n", Some("YAML")),
            ("[crawl]\n", None),
            ("[[portal]]\nstart = []\n", None),
            ("\"user_agent\" = \"a: b\"\n", None),
            ("https://a.example/\n", None),
            ("a.example:8080\n", None),
            ("", None),
        ] {
            assert_eq!(other_format(text), format, "{text}");
        }
    }

    #[test]
    fn a_line_that_is_no_url_is_reported_with_its_number() {
        let said = parse_list("https://a.example/\nportal.example\n", "urls.txt").unwrap_err().to_string();
        assert!(said.starts_with("urls.txt, line 2: \"portal.example\" has no scheme"), "{said}");
    }
}
