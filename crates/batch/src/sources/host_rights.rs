//! What hosts say of the use of their pages in files of their own, as archives hold them: robots.txt and
//! `/.well-known/tdmrep.json`. Of each page the ones that were known when it was fetched: by the indexes of an archive
//! ([`ArchivedWords`]), or as far as a file was read ([`WordsSoFar`]).

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use goldminer_core::Signal;
use goldminer_crawl::Config;
use goldminer_crawl::extract::HostWords;
use goldminer_fetch::robots::TDMREP_PATH;
use goldminer_fetch::{Fetched as Answer, robots};
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::{ArchivePosition, Capture, CrawlUrl, HostKey};
use goldminer_warc::{IndexLine, OpenFiles, read_at};
use jiff::Timestamp;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Who is spoken to where no job says under which name it crawled.
const PRODUCT_TOKEN: &str = "goldminer";

/// Hosts whose words are remembered while a file is read. Beyond them all are forgotten, and those that come again count.
const MAX_HOSTS: usize = 50_000;

/// Reads an answer to the request for a file of a host that speaks of the use of its pages; nothing where it says nothing.
fn host_words(capture: Capture, position: ArchivePosition, product_token: &str) -> Option<HostWords> {
    let fetched = capture.fetched;
    let proof = || Some((position, fetched));
    if capture.url.path_and_query() == TDMREP_PATH {
        return HostWords::of_tdmrep(&capture.decoded_body(CodingLimits::default()).ok()?, proof);
    }
    let answer = robots::Answer::of(&Answer::Response(Box::new(capture)), 0, fetched);
    let robots::Answer::Rules(body) = answer else { return None };
    HostWords::of_robots(&body, product_token, proof)
}

/// The words of hosts in archives with indexes, as far as somebody asked.
pub(crate) struct ArchivedWords<'f> {
    files: &'f OpenFiles,
    known: Mutex<FxHashMap<ArchivePosition, Arc<OnceLock<Option<HostWords>>>>>,
}

impl<'f> ArchivedWords<'f> {
    /// Of whatever archives these files are.
    pub(crate) fn new(files: &'f OpenFiles) -> Self {
        Self { files, known: Mutex::default() }
    }

    /// What the host of a page of an archive says of its use. Archives without an index beside them say nothing, as do those
    /// that hold no such file.
    pub(crate) fn signals(&self, folder: &Path, url: &CrawlUrl, fetched: Option<Timestamp>) -> Vec<Signal> {
        let Ok(hosts) = self.files.host_files(folder) else { return Vec::new() };
        let Some(host) = hosts.get(&url.host().key()) else { return Vec::new() };
        let mut said = Vec::new();
        for line in [&host.robots, &host.tdmrep].into_iter().filter_map(|lines| current(lines, fetched)) {
            let words = {
                let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(known.entry(line.position.clone()).or_default())
            };
            // A file in a bucket is waited for by those who need it alone.
            let words = words.get_or_init(|| {
                let read = read_at(folder, &line.position).ok()?;
                host_words(read, line.position.clone(), &product_token(folder))
            });
            said.extend(words.iter().flat_map(|words| words.signals(url)));
        }
        said
    }
}

/// The last one before a page was fetched, else the first; of several that say the same in a row, the first, as a crawl
/// names it.
fn current(lines: &[IndexLine], fetched: Option<Timestamp>) -> Option<&IndexLine> {
    let before = lines.iter().rposition(|line| fetched.is_none_or(|fetched| line.fetched <= fetched));
    let mut at = before.unwrap_or(0);
    while at > 0 && lines[at].digest.is_some() && lines[at - 1].digest == lines[at].digest {
        at -= 1;
    }
    lines.get(at)
}

/// The words of hosts as far as a file of an archive was read.
pub(crate) struct WordsSoFar {
    product_token: String,
    hosts: FxHashMap<HostKey, [Heard; 2]>,
}

/// The digest of the last answer of 200 to the request for a file of a host, and what it says.
type Heard = (u64, Option<Arc<HostWords>>);

impl WordsSoFar {
    /// At the beginning of a file in a folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { product_token: product_token(folder), hosts: FxHashMap::default() }
    }

    /// Takes note of an answer, if it is one of those files; an answer that repeats an earlier one changes nothing.
    pub(crate) fn note(&mut self, capture: &Capture, position: &ArchivePosition) {
        let place = match capture.url.path_and_query() {
            "/robots.txt" => 0,
            TDMREP_PATH => 1,
            _ => return,
        };
        if capture.status != 200 {
            return;
        }
        let digest = xxh3_64(&capture.body);
        let key = capture.url.host().key();
        let known = self.hosts.get(&key).map(|heard| &heard[place]);
        if known.is_some_and(|(known, _)| *known == digest) {
            return;
        }
        let words = host_words(capture.clone(), position.clone(), &self.product_token).map(Arc::new);
        if words.is_none() && known.is_none() {
            return;
        }
        if self.hosts.len() >= MAX_HOSTS {
            self.hosts.clear();
        }
        self.hosts.entry(key).or_default()[place] = (digest, words);
    }

    /// What the host of a URL has said until now.
    pub(crate) fn of(&self, url: &CrawlUrl) -> Vec<Arc<HostWords>> {
        let heard = self.hosts.get(&url.host().key());
        heard.into_iter().flatten().filter_map(|(_, words)| words.clone()).collect()
    }
}

/// Under which name a job crawled whose archive lies in a folder.
fn product_token(archive: &Path) -> String {
    let job = archive.parent().and_then(|job| Config::of_job(job).ok().flatten());
    let user_agent = job.and_then(|config| config.user_agent().ok());
    user_agent.map_or(PRODUCT_TOKEN.to_owned(), |agent| agent.product_token().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(url: &str, body: &str) -> Capture {
        let mut capture = Capture::new(url.parse().unwrap(), "2026-11-20T09:15:00Z".parse().unwrap(), 200);
        capture.body = body.as_bytes().to_vec();
        capture
    }

    #[test]
    fn what_a_host_says_counts_for_the_pages_behind_it_and_a_repetition_is_proven_by_the_first() {
        let mut words = WordsSoFar::new(Path::new("/nowhere/archive"));
        let page: CrawlUrl = "https://portal.example/a".parse().unwrap();
        assert!(words.of(&page).is_empty());
        let robots = answer("https://portal.example/robots.txt", "User-agent: *\nContent-Signal: ai-train=no\n");
        let at = |offset| ArchivePosition::new("a.warc.gz", offset, 1);
        words.note(&robots, &at(7));
        words.note(&answer("https://portal.example/a", "<p>"), &at(8));
        words.note(&robots, &at(9));
        let tdmrep = r#"[{"location": "/", "tdm-reservation": 1}]"#;
        words.note(&answer("https://portal.example/.well-known/tdmrep.json", tdmrep), &at(10));
        let said: Vec<Signal> = words.of(&page).iter().flat_map(|words| words.signals(&page)).collect();
        let told: Vec<_> = said.iter().map(|s| (s.value.as_str(), s.warc.as_ref().map(|warc| warc.offset))).collect();
        assert_eq!(told, [("ai-train=no", Some(7)), ("1", Some(10))]);
        assert!(words.of(&"https://other.example/a".parse().unwrap()).is_empty());
        words.note(&answer("https://portal.example/robots.txt", "User-agent: *\nDisallow:\n"), &at(11));
        assert_eq!(words.of(&page).len(), 1, "robots.txt says nothing of it any more");
    }
}
