//! What hosts say now of a corpus that was crawled before: `--robots-now`.

use std::collections::HashMap;

use anyhow::Context;

use crate::address::CrawlUrl;
use crate::cli;
use crate::document::Document;
use crate::fetch::robots::{Robots, TdmRules};
use crate::rights::Rights;

/// The files that some hosts have now.
pub(super) struct RobotsNow {
    hosts: HashMap<String, Says>,
}

/// What one host says.
#[derive(Default)]
struct Says {
    robots: Robots,
    tdm: TdmRules,
}

impl RobotsNow {
    /// Reads the files, for the crawler of that name.
    ///
    /// # Errors
    /// When one can't be read.
    pub(super) fn read(files: &[cli::RobotsNow], product_token: &str) -> anyhow::Result<Self> {
        let mut hosts: HashMap<String, Says> = HashMap::new();
        for now in files {
            let body = std::fs::read(&now.file).with_context(|| {
                format!(
                    "cannot read {}; give the robots.txt or tdmrep.json of {} as a file",
                    now.file.display(),
                    now.host
                )
            })?;
            let says = hosts.entry(now.host.clone()).or_default();
            // No robots.txt is JSON.
            match TdmRules::parse(&body) {
                Some(tdm) => says.tdm = tdm,
                None => says.robots = Robots::parse(&body, product_token),
            }
        }
        Ok(Self { hosts })
    }

    /// Whether the document's host allows its page now; one that it allows gets what the host says of its use.
    pub(super) fn allows(&self, document: &mut Document) -> bool {
        if self.hosts.is_empty() {
            return true;
        }
        let Ok(url) = CrawlUrl::parse(&document.url) else { return true };
        let Some(says) = self.hosts.get(url.host_name()) else { return true };
        let mut said = says.robots.signals(&url);
        said.extend(says.tdm.signals(&url));
        if !said.is_empty() {
            said.splice(0..0, std::mem::take(&mut document.rights.signals));
            document.rights = Rights::of(said);
        }
        says.robots.verdict(&url).allowed
    }
}
