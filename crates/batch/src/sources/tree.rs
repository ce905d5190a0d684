//! Lists HTML files in folders: `pages/<domain>/<id>.html`, `<host>/<path>.html`, or the folder of one website. Also
//! lists a single file.
//!
//! Pages are grouped into learning units, which share a profile. Below `pages/`, each first folder is a unit. In other
//! trees, everything is one unit if there are no folders, or if the root is named like a host and no folder is. If the
//! tree looks like one website (pages beside folders, folders that are numbers, or pages that name the same site), the
//! user must say what it is. Otherwise each first folder is a unit. URLs and languages may be listed in `meta.tsv`
//! beside `pages/`. A file may also begin with its URL, `<text id="URL">`, as in CleanEval's files.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use goldminer_html::{CrawlUrl, Domain};
use xxhash_rust::xxh3::xxh3_64;

use super::error::SourceError;
use super::file::{PAGE_EXTENSIONS, has_extension};
use super::page_ref::{PageLocation, PageRef};

/// Number of pages that are read to find the site's URL.
const PAGES_ASKED: usize = 20;

/// The grouping of the pages of a tree into learning units.
enum Layout {
    /// Each page belongs to the unit that its first folder names.
    ByFolder,
    /// All pages belong to this unit.
    One(String),
    /// All pages belong to the website with this URL.
    Website(CrawlUrl),
}

pub(super) fn single(file: &Path, prefix: Option<&CrawlUrl>) -> Vec<PageRef> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let name = folder.file_name().map_or("pages".into(), |name| name.to_string_lossy());
    let layout = prefix.map_or_else(|| Layout::One(name.into_owned()), |prefix| Layout::Website(prefix.clone()));
    found(folder, file.to_owned(), &layout, &Meta::new()).into_iter().collect()
}

/// The pages in `files`, which are all below `top`, in the same order.
pub(super) fn list(top: &Path, files: Vec<PathBuf>, prefix: Option<&CrawlUrl>) -> Result<Vec<PageRef>, SourceError> {
    let is_set = top.file_name().is_some_and(|name| name == "pages");
    let meta = top.with_file_name("meta.tsv");
    let meta = if is_set && meta.is_file() { read_meta(&meta)? } else { Meta::new() };
    let layout = match prefix {
        Some(prefix) => Layout::Website(prefix.clone()),
        None if is_set => Layout::ByFolder,
        None => layout(top, &files)?,
    };
    let mut pages: Vec<PageRef> = files.into_iter().filter_map(|file| found(top, file, &layout, &meta)).collect();
    make_ids_unique(&mut pages);
    Ok(pages)
}

/// Adds the extensions to the ids of pages whose paths differ only in them.
fn make_ids_unique(pages: &mut [PageRef]) {
    let hash = |page: &PageRef| xxh3_64(format!("{}/{}", page.domain, page.id).as_bytes());
    let mut known = HashSet::new();
    let shared: HashSet<u64> = pages.iter().map(hash).filter(|hash| !known.insert(*hash)).collect();
    for page in pages.iter_mut().filter(|page| shared.contains(&hash(page))) {
        if let PageLocation::File(path) = &page.place
            && has_extension(path, PAGE_EXTENSIONS)
            && let Some(extension) = path.extension()
        {
            page.id = format!("{}.{}", page.id, extension.to_string_lossy());
        }
    }
}

/// Chooses the grouping of pages by the names of the folders. If the tree looks like one website, the error says how to
/// state its URL.
fn layout(top: &Path, files: &[PathBuf]) -> Result<Layout, SourceError> {
    let below = |file: &PathBuf| file.strip_prefix(top).ok().map(Path::to_owned);
    let (mut folders, mut has_files) = (BTreeSet::new(), false);
    for path in files.iter().filter_map(below) {
        let mut parts = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        match (parts.next(), parts.next()) {
            (Some(folder), Some(_)) => drop(folders.insert(folder)),
            _ => has_files = true,
        }
    }
    if folders.iter().any(|folder| is_host(folder)) {
        return Ok(Layout::ByFolder);
    }
    let root = top.file_name().map_or_else(|| "pages".to_owned(), |name| name.to_string_lossy().into_owned());
    if folders.is_empty() || is_host(&root) {
        return Ok(Layout::One(root));
    }
    let is_number = |folder: &String| folder.bytes().all(|byte| byte.is_ascii_digit());
    let address = common_address(files);
    if has_files || folders.iter().any(is_number) || address.is_some() {
        let why = match (has_files, &address) {
            (true, _) => "pages are beside them",
            (false, Some(_)) => "their pages name the same site",
            (false, None) => "some are numbers",
        };
        let folders = folders.iter().take(3).map(|folder| format!("{folder}/")).collect::<Vec<_>>().join(", ");
        let address = address.as_deref().unwrap_or("https://www.example.com/");
        let what = format!(
            "looks like the folder of one website: its folders ({folders}) are not named like hosts, and {why}. Give \
             the URL that it was saved from, with --url-prefix {address}; or, if each folder is a portal of its own, put them into a folder \
             named pages/"
        );
        return Err(SourceError::refused(top, &what));
    }
    Ok(Layout::ByFolder)
}

/// Whether a folder is named like a host, as in a mirror.
fn is_host(name: &str) -> bool {
    let host = name.split(':').next().unwrap_or_default();
    let reserved = [".example", ".test", ".invalid", ".localhost"];
    host == "localhost"
        || host.parse::<IpAddr>().is_ok()
        || reserved.iter().any(|end| host.ends_with(end))
        || Domain::has_known_suffix(host)
}

/// The URL of the website, if pages in several folders state that they belong to it, and none names another one.
fn common_address(files: &[PathBuf]) -> Option<String> {
    let step = files.len().div_ceil(PAGES_ASKED).max(1);
    let mut origins = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for file in files.iter().step_by(step) {
        let Some(url) = std::fs::read(file).ok().and_then(|bytes| named_address(&bytes)) else { continue };
        folders.insert(file.parent()?.to_owned());
        origins.insert(url.join("/").ok()?.as_str().to_owned());
    }
    origins.pop_first().filter(|_| origins.is_empty() && folders.len() > 1)
}

/// The URL that a page states as its own (canonical) URL.
fn named_address(bytes: &[u8]) -> Option<CrawlUrl> {
    let page = goldminer_html::Page::parse(String::from_utf8_lossy(bytes).into_owned());
    CrawlUrl::parse(&goldminer_core::metadata::of_page(&page, None).canonical?).ok()
}

#[derive(Debug, Default)]
struct MetaLine {
    url: Option<CrawlUrl>,
    language: Option<String>,
    note: Option<Box<str>>,
}

type Meta = HashMap<(String, String), MetaLine>;

fn read_meta(path: &Path) -> Result<Meta, SourceError> {
    let text =
        std::fs::read_to_string(path).map_err(|cause| SourceError::Unreadable { path: path.to_owned(), cause })?;
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| columns.iter().position(|c| *c == name);
    let (Some(id), Some(domain)) = (column("id"), column("domain")) else {
        let what = "the first line must name the columns, with `id` and `domain` among them";
        return Err(SourceError::Refused(format!("{}: {what}", path.display())));
    };
    let (url, language, note) = (column("url"), column("language"), column("note"));
    let mut meta = Meta::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let field = |i: Option<usize>| i.and_then(|i| fields.get(i)).filter(|f| !f.is_empty());
        if let (Some(id), Some(domain)) = (field(Some(id)), field(Some(domain))) {
            let line = MetaLine {
                url: field(url).and_then(|u| CrawlUrl::parse(u).ok()),
                language: field(language).map(|l| (*l).to_owned()),
                note: field(note).map(|n| (*n).into()),
            };
            meta.insert(((*domain).to_owned(), (*id).to_owned()), line);
        }
    }
    Ok(meta)
}

fn found(top: &Path, file: PathBuf, layout: &Layout, meta: &Meta) -> Option<PageRef> {
    let below = file.strip_prefix(top).ok()?;
    let (domain, id, url) = match layout {
        Layout::One(domain) => (Domain::named(domain), stem(below), None),
        Layout::Website(prefix) => (prefix.site(), stem(below), address(prefix, below)),
        Layout::ByFolder => {
            let mut parts = below.components();
            let first = parts.next()?.as_os_str().to_string_lossy().into_owned();
            let rest = parts.as_path();
            // A file directly below the root belongs to the root's unit.
            if rest.as_os_str().is_empty() {
                let root = top.file_name().map_or("pages".into(), |name| name.to_string_lossy());
                (Domain::named(&root), stem(below), None)
            } else {
                (Domain::named(&first), stem(rest), None)
            }
        }
    };
    let name = joined(below);
    let line = meta.get(&(domain.as_str().to_owned(), id.clone()));
    Some(PageRef {
        url: url.or_else(|| line.and_then(|l| l.url.clone())),
        language: line.and_then(|l| l.language.clone()),
        note: line.and_then(|l| l.note.clone()),
        domain,
        id,
        file: Some(name),
        place: PageLocation::File(file),
    })
}

/// The URL of a page in the folder of a website. For `index.html`, it is the URL of the folder.
fn address(prefix: &CrawlUrl, below: &Path) -> Option<CrawlUrl> {
    let mut parts: Vec<String> =
        below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| matches!(last.as_str(), "index.html" | "index.htm")) {
        parts.pop();
        parts.push(String::new());
    }
    // A `#` in a file name was part of the path; a `?` starts the query, as in the URL.
    prefix.join(&format!("./{}", parts.join("/").replace('#', "%23"))).ok()
}

/// A relative path without its extension, with `/` between folders.
fn stem(path: &Path) -> String {
    let path = if has_extension(path, PAGE_EXTENSIONS) { path.with_extension("") } else { path.to_owned() };
    joined(&path)
}

/// A relative path with `/` between folders.
fn joined(path: &Path) -> String {
    path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_named_like_hosts_are_recognised() {
        for host in ["www.portal.hu", "portal.example", "blog.portal.co.uk", "localhost", "127.0.0.1:8080", "[::1]"] {
            assert_eq!(is_host(host), host != "[::1]", "{host}");
        }
        for folder in ["2024", "about", "index.files", "v1.2", "news", "images", "co.uk"] {
            assert!(!is_host(folder), "{folder}");
        }
    }

    #[test]
    fn pages_that_differ_in_their_extension_have_distinct_ids() {
        let ids = |files: &[&str]| -> Vec<String> {
            let files = files.iter().map(|file| Path::new("pages/a.example").join(file)).collect();
            list(Path::new("pages"), files, None).unwrap().into_iter().map(|page| page.id).collect()
        };
        assert_eq!(
            ids(&["rain.html", "a.HTM", "a.php", "b/a", "b/a.htm"]),
            ["rain", "a.HTM", "a.php", "b/a", "b/a.htm"]
        );
    }

    #[test]
    fn a_file_of_a_mirror_has_the_url_it_was_saved_from() {
        let prefix = CrawlUrl::parse("https://www.portal.example/blog/").unwrap();
        let of = |below: &str| address(&prefix, Path::new(below)).unwrap().as_str().to_owned();
        assert_eq!(of("2024/01/a.html"), "https://www.portal.example/blog/2024/01/a.html");
        assert_eq!(of("2024/index.html"), "https://www.portal.example/blog/2024/");
        assert_eq!(of("index.html"), "https://www.portal.example/blog/");
        assert_eq!(of("a:b"), "https://www.portal.example/blog/a:b");
        assert_eq!(of("page?n=2"), "https://www.portal.example/blog/page?n=2");
    }
}
