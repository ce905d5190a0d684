//! Pages that a person has marked, as gold: `gold/<domain>/<id>.txt` in the job, in CleanEval's markup, so that
//! `goldminer eval` scores against them what `goldminer extract --format cleaneval` writes.
//!
//! The file is all there is: which paragraphs of the page are text is found again from it.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context;
use goldminer_batch::sources::page_name;
use goldminer_core::extract::Extractor;
use goldminer_core::extract::domain::StoredPage;
use goldminer_corpus as corpus;
use goldminer_crawl::job::JobDir;
use goldminer_html::Page;
use goldminer_warc::durable;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::effects::plain;
use crate::{stored_pages, texts};

/// Pages of a domain that are looked at beside the marked ones.
const OTHERS: u64 = 100;

/// The stored pages of a domain as far as teaching wants them.
pub(super) struct AnnotationSet {
    /// Each with its gold text.
    pub marked: Vec<(StoredPage, String)>,
    /// Some that nobody has marked.
    pub others: Vec<StoredPage>,
}

/// The folder of gold texts of a job.
fn folder(dir: &Path) -> PathBuf {
    JobDir::new(dir).marked()
}

fn path_of(dir: &Path, page: &StoredPage) -> Option<PathBuf> {
    let id = page.url.as_ref().map(page_name)?;
    Some(folder(dir).join(corpus::page_path(page.domain.as_str(), &id)))
}

/// Looks the pages of a domain up: all marked ones, and some others, evenly over them.
pub(super) fn of_domain(dir: &Path, domain: &str) -> anyhow::Result<AnnotationSet> {
    let any_page = folder(dir).join(corpus::page_path(domain, "-"));
    let mut golds: Vec<String> = Vec::new();
    for path in files(any_page.parent().unwrap_or(dir))? {
        golds.push(fs::read_to_string(&path).with_context(|| unreadable(&path))?);
    }
    golds.retain(|gold| url_of(gold).is_some());
    let urls: Vec<&str> = golds.iter().filter_map(|gold| url_of(gold)).collect();
    let pages = stored_pages::of_urls(dir, &urls)?;
    // A page that was dropped from the job is no page to learn from.
    let marked = pages.into_iter().zip(golds).filter_map(|(page, gold)| Some((page?, gold)));
    let marked: Vec<(StoredPage, String)> = marked.collect();
    let mut others = stored_pages::of_domain(dir, domain, OTHERS)?;
    others.retain(|page| marked.iter().all(|(marked, _)| marked.url != page.url));
    Ok(AnnotationSet { marked, others })
}

/// The address of the page that a gold text is of.
fn url_of(gold: &str) -> Option<&str> {
    gold.lines().next()?.strip_prefix("URL: ")
}

/// The files below a folder, in the order of their paths; none where there is no folder.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop().filter(|folder| folder.is_dir()) {
        for entry in fs::read_dir(&folder).with_context(|| unreadable(&folder))? {
            let path = entry.with_context(|| unreadable(&folder))?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

/// The gold text of a page, if it was marked.
pub(super) fn of_page(dir: &Path, page: &StoredPage) -> Option<String> {
    fs::read_to_string(path_of(dir, page)?).ok()
}

/// Keeps what of a page is text by a person's word.
pub(super) fn keep(dir: &Path, page: &StoredPage, is_text: &[bool]) -> anyhow::Result<()> {
    let read = Extractor::read(&page.source()).context(texts::NO_PAGE)?;
    let path = path_of(dir, page).context(texts::NO_PAGE)?;
    let paragraphs = read.paragraphs().iter().zip(is_text).filter(|(_, is_text)| **is_text);
    let url = page.url.as_ref().map_or("", |url| url.as_str());
    let text = corpus::marked_up(url, paragraphs.map(|(paragraph, _)| (read.kind(paragraph), &*paragraph.text)));
    let parent = path.parent().unwrap_or(dir);
    fs::create_dir_all(parent).with_context(|| unwritable(parent))?;
    durable::write(&path, text).with_context(|| unwritable(&path))
}

/// Forgets the marks of a page.
pub(super) fn forget(dir: &Path, page: &StoredPage) -> anyhow::Result<()> {
    let path = path_of(dir, page).context(texts::NO_PAGE)?;
    fs::remove_file(&path).with_context(|| unwritable(&path))
}

/// Which paragraphs of a page a gold text has. Of a text that the page has several times, the one that is nearest to the
/// gold's next line of which there is no doubt.
pub(super) fn marks(page: &Page, gold: &str) -> Vec<bool> {
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, paragraph) in page.paragraphs().iter().enumerate() {
        places.entry(plain(&paragraph.text)).or_default().push(at);
    }
    let lines: Vec<Vec<usize>> = segments(gold).iter().filter_map(|line| places.get(line).cloned()).collect();
    let mut is_text = vec![false; page.paragraphs().len()];
    for (number, line) in lines.iter().enumerate() {
        let sure = |lines: &[Vec<usize>]| lines.iter().find(|line| line.len() == 1).map(|line| line[0]);
        let near = sure(&lines[number..]).or_else(|| lines[..number].iter().rev().find(|l| l.len() == 1).map(|l| l[0]));
        let free = line.iter().copied().filter(|at| !is_text[*at]);
        let place = free.min_by_key(|at| near.map_or(*at, |near| near.abs_diff(*at)));
        place.into_iter().for_each(|at| is_text[at] = true);
    }
    is_text
}

/// The segments of a gold text without their marks; a listing's lines belong together.
fn segments(gold: &str) -> Vec<String> {
    let mut segments: Vec<String> = Vec::new();
    for line in gold.lines().filter(|line| !line.starts_with("URL: ")) {
        match line.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            Some((mark, text)) if mark.len() == 1 => segments.push(text.to_owned()),
            _ => segments.iter_mut().last().into_iter().for_each(|last| *last += &format!(" {line}")),
        }
    }
    segments.iter().map(|text| plain(text)).collect()
}

/// All marked pages of a domain as an evaluation set: `pages/`, `gold/`, and `meta.tsv` with id, domain and address.
pub(super) fn exported(annotations: &AnnotationSet) -> anyhow::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    let mut lines = BTreeSet::new();
    for (page, gold) in &annotations.marked {
        let Some(url) = &page.url else { continue };
        let (domain, id) = (page.domain.as_str(), page_name(url));
        let path = corpus::page_path(domain, &id);
        let name = |folder: &str, path: &Path| format!("{folder}/{}", path.display());
        zip.start_file(name("pages", &path.with_extension("html")), options)?;
        zip.write_all(&page.bytes)?;
        zip.start_file(name("gold", &path), options)?;
        zip.write_all(gold.as_bytes())?;
        lines.insert(format!("{id}\t{domain}\t{url}\n"));
    }
    zip.start_file("meta.tsv", options)?;
    zip.write_all(format!("id\tdomain\turl\n{}", lines.into_iter().collect::<String>()).as_bytes())?;
    Ok(zip.finish()?.into_inner())
}

fn unreadable(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

fn unwritable(path: &Path) -> String {
    format!("cannot write {}: mend its permissions, or free space", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::address::{CrawlUrl, Domain};

    #[test]
    fn what_was_marked_is_found_again_from_the_gold_text() {
        let html =
            "<p>Rain</p><ul><li>Sport</ul><h1>Rain</h1><p>It rained.</p><pre>a\n  b</pre><p>Subscribe</p><p>Rain</p>";
        let mut page = StoredPage::new(Domain::named("a.example"), html.into());
        page.url = CrawlUrl::parse("http://a.example/x?y=1").ok();
        let dir = tempfile::tempdir().unwrap();
        let parsed = page.parse();
        let is_text: Vec<bool> = (0..parsed.paragraphs().len()).map(|at| (2..=4).contains(&at)).collect();
        keep(dir.path(), &page, &is_text).unwrap();
        let gold = of_page(dir.path(), &page).unwrap();
        assert!(gold.contains("<h>Rain\n") && gold.contains("<p>It rained.\n"), "{gold}");
        assert_eq!(marks(&parsed, &gold), is_text, "{gold}");
        let annotations = AnnotationSet { marked: vec![(page.clone(), gold)], others: Vec::new() };
        assert!(exported(&annotations).unwrap().starts_with(b"PK"));
        forget(dir.path(), &page).unwrap();
        assert_eq!(of_page(dir.path(), &page), None);
    }
}
