//! Reads the rights that a host states for its pages from its archived robots.txt and `/.well-known/tdmrep.json`. A
//! page gets the rights in the last version that was fetched before the page, as listed in the archive's index. If the
//! index lists no such file, earlier records of the same WARC file are used ([`RightsSoFar`]).

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use goldminer_core::{Signal, StoredPage};
use goldminer_crawl::Config;
use goldminer_crawl::extract::HostRights;
use goldminer_fetch::robots::TDMREP_PATH;
use goldminer_fetch::{Fetched as Answer, robots};
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::{ArchivePosition, Capture, CrawlUrl, HostKey};
use goldminer_warc::{IndexLine, OpenFiles, read_at};
use jiff::Timestamp;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::page_ref::PageRef;

/// The crawler's name (product token) to which rules in robots.txt apply, for archives that belong to no job.
const PRODUCT_TOKEN: &str = "goldminer";

/// The most hosts whose rights are remembered while a WARC file is read. When there are more, all are forgotten, until
/// later records state rights again.
const MAX_HOSTS: usize = 50_000;

/// The rights in a captured robots.txt or tdmrep.json; None if it states none.
fn host_rights(capture: Capture, position: ArchivePosition, product_token: &str) -> Option<HostRights> {
    let fetched = capture.fetched;
    let proof = || Some((position, fetched));
    if capture.url.path_and_query() == TDMREP_PATH {
        return HostRights::of_tdmrep(&capture.decoded_body(CodingLimits::default()).ok()?, proof);
    }
    let answer = robots::Answer::of(&Answer::Response(Box::new(capture)), 0, fetched);
    let robots::Answer::Rules(body) = answer else { return None };
    HostRights::of_robots(&body, product_token, proof)
}

/// Looks up the rights that hosts state in archives. Each robots.txt and tdmrep.json is read when it is first needed.
pub(crate) struct ArchivedRights<'f> {
    files: &'f OpenFiles,
    known: Mutex<FxHashMap<(PathBuf, ArchivePosition), ReadOnce>>,
}

type ReadOnce = Arc<OnceLock<Option<HostRights>>>;

impl<'f> ArchivedRights<'f> {
    /// Creates a look-up that reads archives through `files`.
    pub(crate) fn new(files: &'f OpenFiles) -> Self {
        Self { files, known: Mutex::default() }
    }

    /// The rights that a page's host states for the page; empty if the archive has no robots.txt and no tdmrep.json of
    /// this host.
    pub(crate) fn signals(&self, from: &PageRef, page: &StoredPage) -> Vec<Signal> {
        let (Some(folder), Some(url)) = (from.archive(), &page.url) else { return Vec::new() };
        let index = self.files.host_files(folder).ok();
        let records: Vec<&ArchivePosition> = match index.as_ref().and_then(|hosts| hosts.get(&url.host().key())) {
            Some(host) => {
                let lines = [&host.robots, &host.tdmrep].into_iter().filter_map(|lines| current(lines, page.fetched));
                lines.map(|line| &line.position).collect()
            }
            None => from.rights().iter().collect(),
        };
        let mut signals = Vec::new();
        for position in records {
            let rights = {
                let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(known.entry((folder.to_owned(), position.clone())).or_default())
            };
            // Reading from a bucket is slow, so the map is not locked meanwhile.
            let rights = rights
                .get_or_init(|| host_rights(read_at(folder, position).ok()?, position.clone(), &product_token(folder)));
            signals.extend(rights.iter().flat_map(|rights| rights.signals(url)));
        }
        signals
    }
}

/// The last version of a file that was fetched before a page, or else the first version. If this version and those just
/// before it are equal, the first of them is returned, as in a crawl.
fn current(lines: &[IndexLine], fetched: Option<Timestamp>) -> Option<&IndexLine> {
    let before = lines.iter().rposition(|line| fetched.is_none_or(|fetched| line.fetched <= fetched));
    let mut at = before.unwrap_or(0);
    while at > 0 && lines[at].digest.is_some() && lines[at - 1].digest == lines[at].digest {
        at -= 1;
    }
    lines.get(at)
}

/// The rights that hosts have stated in those records of a WARC file that were read so far.
pub(crate) struct RightsSoFar {
    product_token: String,
    hosts: FxHashMap<HostKey, [LastAnswer; 2]>,
}

/// A hash of a host's last robots.txt or tdmrep.json with status 200, and the rights in it.
type LastAnswer = (u64, Option<Arc<HostRights>>);

impl RightsSoFar {
    /// Starts reading a WARC file in this folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { product_token: product_token(folder), hosts: FxHashMap::default() }
    }

    /// Remembers the rights in a capture (stored response) of robots.txt or tdmrep.json. Other captures, and repeated
    /// versions, change nothing.
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
        let known = self.hosts.get(&key).map(|answers| &answers[place]);
        if known.is_some_and(|(known, _)| *known == digest) {
            return;
        }
        let rights = host_rights(capture.clone(), position.clone(), &self.product_token).map(Arc::new);
        if rights.is_none() && known.is_none() {
            return;
        }
        if self.hosts.len() >= MAX_HOSTS {
            self.hosts.clear();
        }
        self.hosts.entry(key).or_default()[place] = (digest, rights);
    }

    /// The rights that the host of a URL has stated so far.
    pub(crate) fn of(&self, url: &CrawlUrl) -> Vec<Arc<HostRights>> {
        let answers = self.hosts.get(&url.host().key());
        answers.into_iter().flatten().filter_map(|(_, rights)| rights.clone()).collect()
    }

    /// The records of robots.txt and tdmrep.json that state rights for the URL.
    pub(crate) fn records(&self, url: &CrawlUrl) -> Vec<ArchivePosition> {
        let first = |rights: Arc<HostRights>| rights.signals(url).into_iter().find_map(|signal| signal.warc);
        self.of(url).into_iter().filter_map(first).collect()
    }
}

/// The product token of the job that an archive belongs to.
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
    fn rights_name_the_first_of_equal_versions() {
        let mut rights = RightsSoFar::new(Path::new("/nowhere/archive"));
        let page: CrawlUrl = "https://portal.example/a".parse().unwrap();
        assert!(rights.of(&page).is_empty());
        let robots = answer("https://portal.example/robots.txt", "User-agent: *\nContent-Signal: ai-train=no\n");
        let at = |offset| ArchivePosition::new("a.warc.gz", offset, 1);
        rights.note(&robots, &at(7));
        rights.note(&answer("https://portal.example/a", "<p>"), &at(8));
        rights.note(&robots, &at(9));
        let tdmrep = r#"[{"location": "/", "tdm-reservation": 1}]"#;
        rights.note(&answer("https://portal.example/.well-known/tdmrep.json", tdmrep), &at(10));
        let signals: Vec<Signal> = rights.of(&page).iter().flat_map(|rights| rights.signals(&page)).collect();
        let values: Vec<_> =
            signals.iter().map(|s| (s.value.as_str(), s.warc.as_ref().map(|warc| warc.offset))).collect();
        assert_eq!(values, [("ai-train=no", Some(7)), ("1", Some(10))]);
        assert!(rights.of(&"https://other.example/a".parse().unwrap()).is_empty());
        rights.note(&answer("https://portal.example/robots.txt", "User-agent: *\nDisallow:\n"), &at(11));
        assert_eq!(rights.of(&page).len(), 1, "the new robots.txt states no rights");
    }
}
