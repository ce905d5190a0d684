//! What the robots.txt in archives say of the use of their pages: of each page the one that was known when it was fetched.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use crate::address::CrawlUrl;
use crate::archive::{self, OpenFiles, RobotsLine};
use crate::capture::ArchivePosition;
use crate::config::Config;
use crate::fetch::Fetched as Answer;
use crate::fetch::robots::{self, Robots};
use crate::rights::Signal;

/// Who is spoken to where no job says under which name it crawled.
const PRODUCT_TOKEN: &str = "goldminer";

/// The robots.txt of archives, as far as somebody asked.
pub struct ArchivedRobots<'f> {
    files: &'f OpenFiles,
    known: Mutex<FxHashMap<ArchivePosition, Option<Arc<Says>>>>,
}

struct Says {
    robots: Robots,
    fetched: Timestamp,
}

impl<'f> ArchivedRobots<'f> {
    /// Of whatever archives these files are.
    #[must_use]
    pub fn new(files: &'f OpenFiles) -> Self {
        Self { files, known: Mutex::default() }
    }

    /// What the host of a page of an archive says of its use. Archives without an index beside them say nothing, as do those
    /// that hold no robots.txt.
    #[must_use]
    pub fn signals(&self, folder: &Path, url: &CrawlUrl, fetched: Option<Timestamp>) -> Vec<Signal> {
        let Ok(hosts) = self.files.robots_lines(folder) else { return Vec::new() };
        let Some(line) = hosts.get(&url.host().key()).and_then(|lines| current(lines, fetched)) else {
            return Vec::new();
        };
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&line.position).cloned();
        let says = known.unwrap_or_else(|| {
            let says = read(folder, &line.position).map(Arc::new);
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(line.position.clone(), says.clone());
            says
        });
        let Some(says) = says else { return Vec::new() };
        let mut said = says.robots.signals(url);
        for signal in &mut said {
            (signal.warc, signal.fetched) = (Some(line.position.clone()), Some(says.fetched));
        }
        said
    }
}

/// The last one before a page was fetched, else the first; of several that say the same in a row, the first, as a crawl
/// names it.
fn current(lines: &[RobotsLine], fetched: Option<Timestamp>) -> Option<&RobotsLine> {
    let before = lines.iter().rposition(|line| fetched.is_none_or(|fetched| line.fetched <= fetched));
    let mut at = before.unwrap_or(0);
    while at > 0 && lines[at].digest.is_some() && lines[at - 1].digest == lines[at].digest {
        at -= 1;
    }
    lines.get(at)
}

/// Nothing where it says nothing of use.
fn read(folder: &Path, position: &ArchivePosition) -> Option<Says> {
    let capture = archive::read_at(folder, position).ok()?;
    let fetched = capture.fetched;
    let robots::Answer::Rules(body) = robots::Answer::of(&Answer::Response(Box::new(capture)), 0, fetched) else {
        return None;
    };
    let job = folder.parent().and_then(|job| Config::of_job(job).ok().flatten());
    let user_agent = job.and_then(|config| config.user_agent().ok());
    let token = user_agent.as_ref().map_or(PRODUCT_TOKEN, |agent| agent.product_token());
    let robots = Robots::parse(&body, token);
    robots.speaks_of_usage().then_some(Says { robots, fetched })
}
