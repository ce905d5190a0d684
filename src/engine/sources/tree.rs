//! HTML files in folders: `pages/<domain>/<id>.html`, `<host>/<path>.html`, or a single file.
//!
//! The first folder below the root (or below its `pages/`) names the learning unit. `meta.tsv` beside `pages/` may give
//! URLs and languages; so does a leading `<text id="URL">`, as CleanEval's files have it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::address::{CrawlUrl, Domain};

use super::{Found, Place, SourceError};

/// Ends of names that are pages.
const PAGE_EXTENSIONS: &[&str] = &["html", "htm", "xhtml", "shtml", "xht", "php", "asp", "aspx", "jsp", "cfm"];

/// Lists the pages below `root`, in order of their paths.
pub(super) fn list(root: &Path) -> Result<Vec<Found>, SourceError> {
    if root.is_file() {
        let domain = root.parent().and_then(Path::file_name).map_or("pages".into(), |n| n.to_string_lossy());
        let id = stem(Path::new(root.file_name().unwrap_or_default()));
        return Ok(vec![Found {
            domain: Domain::named(&domain),
            id,
            url: None,
            language: None,
            place: Place::File(root.to_owned()),
        }]);
    }
    let pages = root.join("pages");
    let (top, meta) = if pages.is_dir() { (pages, Some(root.join("meta.tsv"))) } else { (root.to_owned(), None) };
    let meta = meta.filter(|m| m.is_file()).map(|m| read_meta(&m)).transpose()?.unwrap_or_default();
    let mut files = Vec::new();
    walk(&top, &mut files)?;
    files.sort_unstable();
    Ok(files.into_iter().filter_map(|file| found(&top, file, &meta)).collect())
}

/// Takes CleanEval's leading `<text id="URL">` off a page: its URL, and where the page begins.
pub(super) fn cleaneval_header(bytes: &[u8]) -> (Option<CrawlUrl>, usize) {
    let white = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let rest = &bytes[white..];
    let Some(inner) = rest.strip_prefix(b"<text ") else { return (None, 0) };
    let Some(end) = memchr::memchr(b'>', &inner[..inner.len().min(4096)]) else { return (None, 0) };
    let tag = String::from_utf8_lossy(&inner[..end]);
    let url = tag.split("id=\"").nth(1).and_then(|v| v.split('"').next());
    (url.and_then(|u| CrawlUrl::parse(u).ok()), white + b"<text ".len() + end + 1)
}

#[derive(Debug, Default)]
struct MetaLine {
    url: Option<CrawlUrl>,
    language: Option<String>,
}

type Meta = HashMap<(String, String), MetaLine>;

fn read_meta(path: &Path) -> Result<Meta, SourceError> {
    let text =
        std::fs::read_to_string(path).map_err(|cause| SourceError::Unreadable { path: path.to_owned(), cause })?;
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| columns.iter().position(|c| *c == name);
    let (Some(id), Some(domain)) = (column("id"), column("domain")) else {
        return Err(SourceError::Meta { path: path.to_owned() });
    };
    let (url, language) = (column("url"), column("language"));
    let mut meta = Meta::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let field = |i: Option<usize>| i.and_then(|i| fields.get(i)).filter(|f| !f.is_empty());
        if let (Some(id), Some(domain)) = (field(Some(id)), field(Some(domain))) {
            let line = MetaLine {
                url: field(url).and_then(|u| CrawlUrl::parse(u).ok()),
                language: field(language).map(|l| (*l).to_owned()),
            };
            meta.insert(((*domain).to_owned(), (*id).to_owned()), line);
        }
    }
    Ok(meta)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), SourceError> {
    let unreadable = |cause| SourceError::Unreadable { path: folder.to_owned(), cause };
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() {
            folders.push(entry.path());
        } else if kind.is_file() && is_page(&entry.path()) {
            files.push(entry.path());
        }
    }
    folders.iter().try_for_each(|f| walk(f, files))
}

fn is_page(path: &Path) -> bool {
    match path.extension() {
        Some(extension) => {
            let extension = extension.to_string_lossy().to_ascii_lowercase();
            PAGE_EXTENSIONS.contains(&extension.as_str())
        }
        None => begins_like_html(path),
    }
}

/// A mirror's files often have no extension: their first bytes decide.
fn begins_like_html(path: &Path) -> bool {
    let mut head = [0; 512];
    let read = std::fs::File::open(path).and_then(|mut f| std::io::Read::read(&mut f, &mut head)).unwrap_or(0);
    let head = head[..read].to_ascii_lowercase();
    [b"<!doctype html".as_slice(), b"<html", b"<head", b"<body", b"<text id="]
        .iter()
        .any(|mark| memchr::memmem::find(&head, mark).is_some())
}

fn found(top: &Path, file: PathBuf, meta: &Meta) -> Option<Found> {
    let below = file.strip_prefix(top).ok()?;
    let mut parts = below.components();
    let first = parts.next()?.as_os_str().to_string_lossy().into_owned();
    let rest = parts.as_path();
    // A file directly below the root belongs to the unit that the root itself names.
    let (domain, id) = if rest.as_os_str().is_empty() {
        let root = top.file_name().map_or("pages".into(), |n| n.to_string_lossy().into_owned());
        (root, stem(below))
    } else {
        (first, stem(rest))
    };
    let line = meta.get(&(domain.clone(), id.clone()));
    Some(Found {
        url: line.and_then(|l| l.url.clone()),
        language: line.and_then(|l| l.language.clone()),
        domain: Domain::named(&domain),
        id,
        place: Place::File(file),
    })
}

/// A relative path without its extension, with `/` between folders.
fn stem(path: &Path) -> String {
    let known = path.extension().is_some_and(|e| {
        let extension = e.to_string_lossy().to_ascii_lowercase();
        PAGE_EXTENSIONS.contains(&extension.as_str())
    });
    let path = if known { path.with_extension("") } else { path.to_owned() };
    path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
