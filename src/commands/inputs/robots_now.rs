//! Applies the current rights statements of hosts (`--robots-now`) to a corpus that was crawled earlier.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context, bail};
use goldminer_core::{Document, Restriction, Rights};
use goldminer_fetch::robots::{Robots, TdmRules};
use goldminer_html::CrawlUrl;

/// The current rights statements of some hosts.
#[derive(Default)]
pub(crate) struct RobotsNow {
    /// By host name; they apply to http and https.
    hosts: HashMap<String, HostStatements>,
}

/// The rules in the robots.txt and the tdmrep.json of one host.
#[derive(Default)]
struct HostStatements {
    robots: Robots,
    tdm: TdmRules,
}

impl RobotsNow {
    /// Reads the files, for the crawler with this user agent or product token.
    ///
    /// # Errors
    /// When a file cannot be read, or is of neither kind.
    pub(crate) fn read(files: &[(String, PathBuf)], user_agent: &str) -> anyhow::Result<Self> {
        // A user agent begins with the product token, and may go on with a version and a comment.
        let product_token = user_agent.split(['/', ' ']).next().unwrap_or_default();
        let mut hosts: HashMap<String, HostStatements> = HashMap::new();
        for (host, file) in files {
            let body = std::fs::read(file).with_context(|| {
                format!("cannot read {}; give the robots.txt or tdmrep.json of {host} as a file", file.display())
            })?;
            let statements = hosts.entry(host.clone()).or_default();
            match TdmRules::parse(&body) {
                Some(tdm) => statements.tdm = tdm,
                None if is_robots(&body) => statements.robots = Robots::parse(&body, product_token),
                None => bail!(
                    "{} is neither a robots.txt (it has no line such as `User-agent: *`) nor a tdmrep.json; save the \
                     file of {host} again",
                    file.display()
                ),
            }
        }
        Ok(Self { hosts })
    }

    /// Adds the current rights statements of the document's host to the document. Returns the restrictions that are
    /// new; None if the host's robots.txt forbids the page.
    pub(crate) fn apply(&self, document: &mut Document) -> Option<Vec<Restriction>> {
        if self.hosts.is_empty() {
            return Some(Vec::new());
        }
        let Ok(url) = CrawlUrl::parse(&document.url) else { return Some(Vec::new()) };
        let before = document.rights.restrictions.clone();
        if let Some(statements) = self.hosts.get(url.host_name()) {
            let mut signals = statements.robots.signals(&url);
            signals.extend(statements.tdm.signals(&url));
            if !signals.is_empty() {
                signals.splice(0..0, std::mem::take(&mut document.rights.signals));
                document.rights = Rights::at(signals, document.metadata.fetched);
            }
            if !statements.robots.verdict(&url).allowed {
                return None;
            }
        }
        let after = document.rights.restrictions.iter().copied();
        Some(after.filter(|restriction| !before.contains(restriction)).collect())
    }
}

/// Whether these bytes look like a robots.txt: text with a `User-agent`, `Sitemap` or `License` line, or with nothing but
/// comments and white space, which allows everything. A saved error page would otherwise be taken for such a file.
pub(crate) fn is_robots(body: &[u8]) -> bool {
    let names = ["user-agent", "sitemap", "license"];
    let name = |line: &[u8]| line.split(|byte| *byte == b':').next().map(|name| name.trim_ascii().to_ascii_lowercase());
    let is_known = |line: &&[u8]| {
        line.contains(&b':') && name(line).is_some_and(|name| names.iter().any(|known| name == known.as_bytes()))
    };
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let lines = body.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#")).collect();
    !body.contains(&0) && (lines.is_empty() || lines.iter().any(is_known))
}
