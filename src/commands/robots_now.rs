//! What hosts say now of a corpus that was crawled before: `--robots-now`.

use std::collections::HashMap;

use anyhow::Context;

use crate::address::CrawlUrl;
use crate::cli;
use crate::document::Document;
use crate::fetch::robots::Robots;
use crate::rights::Rights;

/// The robots.txt that some hosts have now.
pub(super) struct RobotsNow {
    hosts: HashMap<String, Robots>,
}

impl RobotsNow {
    /// Reads the files, for the crawler of that name.
    ///
    /// # Errors
    /// When one can't be read.
    pub(super) fn read(files: &[cli::RobotsNow], product_token: &str) -> anyhow::Result<Self> {
        let read = |now: &cli::RobotsNow| {
            let body = std::fs::read(&now.file).with_context(|| {
                format!("cannot read {}; give the robots.txt of {} as a file", now.file.display(), now.host)
            })?;
            Ok((now.host.clone(), Robots::parse(&body, product_token)))
        };
        Ok(Self { hosts: files.iter().map(read).collect::<anyhow::Result<_>>()? })
    }

    /// Whether the document's host allows its page now; one that it allows gets what the host says of its use.
    pub(super) fn allows(&self, document: &mut Document) -> bool {
        if self.hosts.is_empty() {
            return true;
        }
        let Ok(url) = CrawlUrl::parse(&document.url) else { return true };
        let Some(robots) = self.hosts.get(url.host_name()) else { return true };
        let mut said = robots.signals(&url);
        if !said.is_empty() {
            said.splice(0..0, std::mem::take(&mut document.rights.signals));
            document.rights = Rights::of(said);
        }
        robots.verdict(&url).allowed
    }
}
