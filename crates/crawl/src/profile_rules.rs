//! Reads the tables `[politeness]` and `[scope]` from profile files. A portal in the seeds takes missing settings from
//! the file of its host, or of its domain.
//!
//! ```toml
//! [politeness]
//! delay = "20s"              # they asked for it
//! [scope]
//! exclude = ["/games/"]      # also: include, max_pages, max_depth, max_bytes
//! ```
//!
//! The rest of such a file is a learned profile (`goldminer::profile`), which is not read here.

use std::path::{Path, PathBuf};

use goldminer_html::CrawlUrl;
use serde::Deserialize;

use crate::seeds::{ByteSize, HumanDuration, Pattern, Portal, explain};

/// The tables `[politeness]` and `[scope]` of a profile file; the rest of the file is ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ProfileRules {
    politeness: PolitenessTable,
    scope: ScopeTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolitenessTable {
    delay: Option<HumanDuration>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ScopeTable {
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
    max_pages: Option<u64>,
    max_depth: Option<u32>,
    max_bytes: Option<ByteSize>,
}

/// A profile file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {message}; correct the file, or remove it from the folder", path.display(), line.map(|l| format!(", line {l}")).unwrap_or_default())]
pub struct ProfileRulesError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// Adds missing settings of portals from the profile files in a folder, which need not exist. Settings in the seeds
/// are not changed. Returns the files that were used, with the portals' names.
///
/// # Errors
/// When a file exists but cannot be used.
pub fn complete(portals: &mut [Portal], folder: &Path) -> Result<Vec<(String, PathBuf)>, ProfileRulesError> {
    let mut used = Vec::new();
    for portal in portals {
        let paths = portal.start.first().into_iter().flat_map(names).map(|name| folder.join(format!("{name}.toml")));
        for path in paths {
            let Some(rules) = read(&path)? else { continue };
            if rules.complete(portal) {
                used.push((portal.name.clone(), path));
            }
            break;
        }
    }
    Ok(used)
}

/// The file names of the profiles for a start page, the most specific first.
fn names(start: &CrawlUrl) -> Vec<String> {
    let host = start.host_name();
    let bare = host.strip_prefix("www.").unwrap_or(host);
    let mut names = vec![host.to_owned(), bare.to_owned(), start.domain().as_str().to_owned()];
    names.dedup();
    names
}

fn read(path: &Path) -> Result<Option<ProfileRules>, ProfileRulesError> {
    let wrong = |line, message| ProfileRulesError { path: path.to_owned(), line, message };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(wrong(None, format!("cannot be read: {e}"))),
    };
    toml::from_str(&text).map(Some).map_err(|e| {
        let line = e.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let (message, hint) = explain(e.message());
        wrong(line, format!("{message}{hint}"))
    })
}

impl ProfileRules {
    /// Adds the missing settings of a portal. Returns whether this has changed the portal.
    fn complete(self, portal: &mut Portal) -> bool {
        let before = portal.clone();
        portal.delay = portal.delay.or(self.politeness.delay);
        if portal.include.is_empty() {
            portal.include = self.scope.include;
        }
        if portal.exclude.is_empty() {
            portal.exclude = self.scope.exclude;
        }
        portal.max_pages = portal.max_pages.or(self.scope.max_pages);
        portal.max_depth = portal.max_depth.or(self.scope.max_depth);
        portal.max_bytes = portal.max_bytes.or(self.scope.max_bytes);
        *portal != before
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const FILE: &str = "key = \"portal.example\"\nversion = 2\n\n[politeness]\ndelay = \"20s\" # they asked for it\n\n\
        [scope]\nexclude = [\"/games/\"]\nmax_depth = 7\n\n[[template]]\nstart = \"div.story\"\n";

    fn portal(start: &str) -> Portal {
        Portal::around("p".to_owned(), CrawlUrl::parse(start).unwrap())
    }

    #[test]
    fn settings_of_profile_files_apply_unless_the_seeds_set_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("portal.example.toml"), FILE).unwrap();
        let patient =
            Portal { delay: Some(HumanDuration(Duration::from_secs(60))), ..portal("https://portal.example/") };
        let mut portals = [portal("https://www.portal.example/"), patient, portal("https://other.example/")];
        let used = complete(&mut portals, folder.path()).unwrap();
        assert_eq!(used.len(), 2, "{used:?}");
        assert_eq!(portals[0].delay, Some(HumanDuration(Duration::from_secs(20))));
        assert_eq!((portals[0].exclude.len(), portals[0].max_depth), (1, Some(7)));
        assert_eq!(portals[1].delay, Some(HumanDuration(Duration::from_secs(60))), "the seeds take precedence");
        assert_eq!(portals[2], portal("https://other.example/"));
    }

    #[test]
    fn a_wrong_key_is_named_with_its_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("p.example.toml"), "key = \"p.example\"\n[politeness]\ndelai = \"5s\"\n")
            .unwrap();
        let said = complete(&mut [portal("https://p.example/")], folder.path()).unwrap_err().to_string();
        assert!(said.contains("p.example.toml, line 3") && said.contains("did you mean `delay`?"), "{said}");
    }
}
