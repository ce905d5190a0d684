//! Applies the current rights statements of hosts to a corpus that was crawled earlier. They come from files
//! (`--robots-now`), or from one or two requests to each host, as politely as in a crawl (`--refetch-robots`).

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use anyhow::{Context, bail};
use goldminer_core::{Document, Restriction, Rights};
use goldminer_crawl::health::probe::{Probe, ProbeAnswer, RobotsSeen};
use goldminer_crawl::{Config, JobDir};
use goldminer_fetch::Accept;
use goldminer_fetch::robots::{Robots, TDMREP_PATH, TdmRules};
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::{CrawlUrl, Host};

use super::{corpora, network};
use crate::cli::ConvertArgs;
use crate::commands::counted;

/// The most unreachable hosts that a message lists.
const TOLD: usize = 10;

/// The current rights statements of some hosts.
#[derive(Default)]
pub(crate) struct RobotsNow {
    /// Statements from files, by host name; they apply to http and https.
    hosts: HashMap<String, Says>,
    /// Statements from requests.
    asked: HashMap<Host, Says>,
}

/// The rules in the robots.txt and the tdmrep.json of one host.
#[derive(Default)]
struct Says {
    robots: Robots,
    tdm: TdmRules,
}

impl RobotsNow {
    /// Reads the rule files of `--robots-now`. With `--refetch-robots`, also requests robots.txt and tdmrep.json from
    /// all hosts in the corpora.
    ///
    /// # Errors
    /// When a file or a corpus cannot be read, or no user agent is given.
    pub(crate) fn of(args: &ConvertArgs) -> anyhow::Result<Self> {
        let mut now = Self::read(&args.robots_now, &args.robots_as)?;
        if args.refetch_robots {
            now.asked = refetch(args)?;
        }
        Ok(now)
    }

    /// Reads the files, for the crawler with this user agent or product token.
    fn read(files: &[(String, PathBuf)], user_agent: &str) -> anyhow::Result<Self> {
        // A user agent begins with the product token, and may go on with a version and a comment.
        let product_token = user_agent.split(['/', ' ']).next().unwrap_or_default();
        let mut hosts: HashMap<String, Says> = HashMap::new();
        for (host, file) in files {
            let body = std::fs::read(file).with_context(|| {
                format!("cannot read {}; give the robots.txt or tdmrep.json of {host} as a file", file.display())
            })?;
            let says = hosts.entry(host.clone()).or_default();
            match TdmRules::parse(&body) {
                Some(tdm) => says.tdm = tdm,
                None if is_robots(&body) => says.robots = Robots::parse(&body, product_token),
                None => bail!(
                    "{} is neither a robots.txt (it has no line such as `User-agent: *`) nor a tdmrep.json; save the \
                     file of {host} again",
                    file.display()
                ),
            }
        }
        Ok(Self { hosts, asked: HashMap::new() })
    }

    /// Adds the current rights statements of the document's host to the document. Returns the restrictions that are
    /// new; None if the host's robots.txt forbids the page.
    pub(crate) fn apply(&self, document: &mut Document) -> Option<Vec<Restriction>> {
        if self.hosts.is_empty() && self.asked.is_empty() {
            return Some(Vec::new());
        }
        let Ok(url) = CrawlUrl::parse(&document.url) else { return Some(Vec::new()) };
        let before = document.rights.restrictions.clone();
        for says in [self.hosts.get(url.host_name()), self.asked.get(&url.host())].into_iter().flatten() {
            let mut said = says.robots.signals(&url);
            said.extend(says.tdm.signals(&url));
            if !said.is_empty() {
                said.splice(0..0, std::mem::take(&mut document.rights.signals));
                document.rights = Rights::at(said, document.metadata.fetched);
            }
            if !says.robots.verdict(&url).allowed {
                return None;
            }
        }
        let after = document.rights.restrictions.iter().copied();
        Some(after.filter(|restriction| !before.contains(restriction)).collect())
    }
}

/// Whether these bytes look like a robots.txt: text with a `User-agent`, `Sitemap` or `License` line, or with comments
/// alone. A saved error page would otherwise be taken for a robots.txt that allows everything.
pub(crate) fn is_robots(body: &[u8]) -> bool {
    let names = ["user-agent", "sitemap", "license"];
    let name = |line: &[u8]| line.split(|byte| *byte == b':').next().map(|name| name.trim_ascii().to_ascii_lowercase());
    let is_known = |line: &&[u8]| {
        line.contains(&b':') && name(line).is_some_and(|name| names.iter().any(|known| name == known.as_bytes()))
    };
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let lines = body.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    let has_comments_alone = !lines.is_empty() && lines.iter().all(|line| line.starts_with(b"#"));
    !body.contains(&0) && (has_comments_alone || lines.iter().any(is_known))
}

/// Requests robots.txt and tdmrep.json from the hosts of all documents.
fn refetch(args: &ConvertArgs) -> anyhow::Result<HashMap<Host, Says>> {
    let config = config(args)?;
    let mut hosts = BTreeSet::new();
    corpora::read(corpora::open(&args.corpora, args.incomplete)?, |documents| {
        let roots = documents.iter().filter_map(|document| CrawlUrl::parse(&document.url).ok());
        hosts.extend(roots.map(|url| url.host().root().to_string()));
        Ok(())
    })?;
    let number = counted(hosts.len() as u64, "host", "hosts");
    tracing::info!("requesting robots.txt and tdmrep.json of {number}, one request at a time to each");
    let roots = hosts.iter().filter_map(|root| CrawlUrl::parse(root).ok());
    let answers = network::ask_each(Probe::new(&config)?, roots, |probe, root| async move {
        (root.host(), ask(&probe, &root).await)
    })?;
    let (mut asked, mut silent) = (HashMap::new(), 0);
    for (host, says) in answers {
        match says {
            Ok(says) => drop(asked.insert(host, says)),
            Err(why) => {
                silent += 1;
                if silent <= TOLD {
                    tracing::warn!(
                        "cannot fetch the robots.txt and tdmrep.json of {host}, so its documents keep their rights as \
                         they are: {why}"
                    );
                }
            }
        }
    }
    if silent > TOLD {
        tracing::warn!("{silent} hosts in total could not be reached");
    }
    Ok(asked)
}

/// Requests the statements of a host. `Err` says why robots.txt is unreachable.
async fn ask(probe: &Probe, root: &CrawlUrl) -> Result<Says, String> {
    let robots = match probe.robots(&root.host()).await.as_ref() {
        RobotsSeen::Unavailable(why) => return Err(why.clone()),
        RobotsSeen::AllowAll => Robots::default(),
        RobotsSeen::Rules(rules) => rules.clone(),
    };
    let url = root.join(TDMREP_PATH).map_err(|error| error.to_string())?;
    let tdm = match probe.get(&url, Accept::Robots).await.answer {
        ProbeAnswer::Response(capture) | ProbeAnswer::NoPage(capture) if capture.status == 200 => {
            let body = capture.decoded_body(CodingLimits::default()).ok();
            body.and_then(|body| TdmRules::parse(&body))
        }
        // If the host forbids requesting this file, or has none, there are no statements.
        _ => None,
    };
    Ok(Says { robots, tdm: tdm.unwrap_or_default() })
}

/// The configuration of the requests: from the options, or else from the first job among the corpora.
fn config(args: &ConvertArgs) -> anyhow::Result<Config> {
    let jobs = args.corpora.iter().filter(|path| args.network.user_agent.is_none() && JobDir::is_job(path));
    for job in jobs {
        if let Some(mut config) = Config::of_job(job)? {
            config.crawl.delay = args.network.delay.unwrap_or(config.crawl.delay);
            return Ok(config);
        }
    }
    Ok(network::without_seeds(&[], &args.network)?)
}
