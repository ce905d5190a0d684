//! The summary of a job for people: the state of each portal, and what needs attention. It is computed without I/O from
//! the data of `goldminer status`, the portals in the configuration, and the end of the last run.

use std::collections::{BTreeMap, BTreeSet};

use goldminer_core::Phase;
use goldminer_crawl::health::no_documents::NoDocuments;
use goldminer_crawl::{
    Config, Counts, DomainLine, HostStatus, LastRun, Portal, PortalStatus, ProfileLine, ScopeKind, StatusReport,
    WaitsFor, name_of,
};
use goldminer_html::{CrawlUrl, Domain};
use jiff::Timestamp;
use serde::Serialize;

use crate::survey::Timeline;
use crate::timelines::ResponsesSoFar;

/// A profile with at least this fitness (the estimated F-score of the text that it keeps) is called good. One below
/// `FAIR_FITNESS` is called weak and needs attention. The learner refuses templates below 0.5.
pub(crate) const GOOD_FITNESS: f64 = 0.9;
pub(crate) const FAIR_FITNESS: f64 = 0.8;
/// A profile whose templates match a smaller share of the pages that it was learned from needs attention.
const SURE_MATCHED: f64 = 0.5;
/// A portal with this many pages and no document needs attention.
const PAGES_ENOUGH: u64 = 20;

/// The summary of a job.
#[derive(Debug)]
pub struct JobSummary {
    /// Whether a crawl is running.
    pub(crate) is_running: bool,
    /// How the last run ended.
    pub(crate) last: Option<LastRun>,
    /// Number of URLs in each state.
    pub(crate) counts: Counts,
    /// Whether the counts of URLs add up: discovered = queued + in flight + done + rejected.
    pub(crate) identity_holds: bool,
    /// Number of documents in the corpus.
    pub(crate) documents: u64,
    /// All portals, in the order of the seeds.
    pub(crate) portals: Vec<PortalLine>,
    pub(crate) hosts: Vec<HostStatus>,
    /// Pages that were being read when a process crashed or was killed: the URL and what happened.
    pub(crate) suspects: Vec<String>,
    /// The free bytes on the job's disk.
    pub(crate) free_bytes: Option<u64>,
    /// The responses over time, as far as the archive's indexes were read.
    pub(crate) so_far: ResponsesSoFar,
    /// When this summary was made.
    pub(crate) at: Timestamp,
}

/// The state of a portal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PortalLine {
    pub name: String,
    pub state: State,
    /// The portal's hosts, as indexes into [`JobSummary::hosts`].
    pub hosts: Vec<usize>,
    pub queued: u64,
    pub pages: u64,
    pub documents: u64,
    pub bytes: u64,
    pub clean_bytes: u64,
    /// The fitness of the profile of the portal's domain; of several profiles, the lowest.
    pub fitness: Option<f64>,
    /// The share of the profile's training pages that match a template. For several profiles, the lowest share.
    matched: Option<f64>,
    /// Why the portal gave no document, if that is known.
    pub why_none: Option<String>,
    /// The URL to which a start page has moved, if it is out of the portal's scope.
    pub moved_to: Option<String>,
    pub last_news: Option<Timestamp>,
    /// Number of URLs in sitemaps that were left out because of the limits.
    pub left_out: u64,
}

/// The state of a portal. States that need more attention come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// Its hosts refuse requests.
    Refused,
    /// Its hosts do not answer.
    HostErrors,
    /// It gives pages but no documents.
    NoYield,
    /// A start page has moved out of its scope.
    Moved,
    /// Its profile has a low fitness, or few of its pages match a template.
    Unsure,
    /// No new URL was found for much longer than usual.
    Dry,
    Blocked,
    Paused,
    /// It has reached its page or byte limit.
    Spent,
    Learning,
    /// It has queued URLs, and a crawl is running.
    Crawling,
    /// It has queued URLs, and no crawl is running.
    Stopped,
    /// None of its URLs is queued.
    Idle,
}

impl State {
    /// Whether a person should look at a portal in this state.
    pub(super) fn needs_attention(self) -> bool {
        self <= Self::Dry
    }

    /// The state's name in URLs.
    pub(crate) fn name(self) -> String {
        name_of(&self)
    }
}

impl PortalLine {
    /// Bytes of clean text for each byte received.
    pub(super) fn text_yield(&self) -> f64 {
        self.clean_bytes as f64 / self.bytes.max(1) as f64
    }
}

/// What `status` and the profiles say about a domain.
#[derive(Default)]
struct DomainFacts<'a> {
    line: Option<&'a DomainLine>,
    profile: Option<&'a ProfileLine>,
    hosts: Vec<usize>,
}

impl JobSummary {
    /// The summary of a job, from its status, its profiles, its configuration, and the end of its last run.
    pub fn of(
        report: StatusReport,
        profiles: &[ProfileLine],
        config: &Config,
        last: Option<LastRun>,
        free_bytes: Option<u64>,
    ) -> Self {
        let mut known: BTreeMap<&str, DomainFacts<'_>> = BTreeMap::new();
        for line in &report.domains {
            known.entry(&line.domain).or_default().line = Some(line);
        }
        for profile in profiles {
            known.entry(&profile.key).or_default().profile = Some(profile);
        }
        let hosts: Vec<Domain> = report.hosts.iter().map(|host| host.host.site()).collect();
        for (number, domain) in hosts.iter().enumerate() {
            known.entry(domain.as_str()).or_default().hosts.push(number);
        }
        let mut within: BTreeMap<Domain, Vec<&str>> = BTreeMap::new();
        for name in known.keys() {
            within.entry(Domain::named(name).registrable()).or_default().push(name);
        }
        let statuses: BTreeMap<&str, &PortalStatus> = report.portals.iter().map(|p| (p.name.as_str(), p)).collect();
        let why_none: BTreeMap<&str, String> = report
            .no_yield
            .iter()
            .filter(|outcome| !matches!(outcome.nothing, Some(NoDocuments::NotYet { .. })))
            .filter_map(|outcome| Some((outcome.portal.as_str(), outcome.nothing.as_ref()?.to_string())))
            .collect();
        let line = |portal: &Portal| {
            let of_start = |url: &CrawlUrl| -> Vec<String> {
                match portal.scope {
                    ScopeKind::Domain => {
                        within.get(&url.domain()).into_iter().flatten().map(ToString::to_string).collect()
                    }
                    ScopeKind::Host | ScopeKind::Prefix => vec![url.site().as_str().to_owned()],
                }
            };
            let domains: BTreeSet<String> = portal.start.iter().flat_map(of_start).collect();
            let known: Vec<&DomainFacts<'_>> = domains.iter().filter_map(|domain| known.get(domain.as_str())).collect();
            let lines: Vec<&DomainLine> = known.iter().filter_map(|known| known.line).collect();
            let sum = |of: fn(&DomainLine) -> u64| lines.iter().map(|line| of(line)).sum::<u64>();
            let profiles: Vec<&ProfileLine> = known.iter().filter_map(|known| known.profile).collect();
            let worst = |of: fn(&ProfileLine) -> f64| profiles.iter().map(|line| of(line)).min_by(f64::total_cmp);
            let hosts: Vec<usize> = known.iter().flat_map(|known| known.hosts.iter().copied()).collect();
            let own: Vec<&HostStatus> = hosts.iter().map(|number| &report.hosts[*number]).collect();
            let status = statuses.get(portal.name.as_str()).copied();
            let why_none = why_none.get(portal.name.as_str()).cloned();
            let mut line = PortalLine {
                name: portal.name.clone(),
                state: State::Idle,
                hosts,
                queued: own.iter().map(|host| host.queued).sum(),
                pages: sum(|line| line.pages),
                // If the portal shares its domain and gave no document, these documents are another portal's.
                documents: if why_none.is_some() { 0 } else { sum(|line| line.documents) },
                bytes: sum(|line| line.bytes),
                clean_bytes: sum(|line| line.clean_bytes),
                fitness: worst(|profile| profile.fitness),
                matched: worst(|profile| profile.matched),
                why_none,
                moved_to: status.and_then(|status| status.moved_to.clone()),
                last_news: status.and_then(|status| status.last_news),
                left_out: status.map_or(0, |status| status.left_out),
            };
            line.state = match state(&line, &own, &lines, status.is_some_and(|status| status.is_dry)) {
                State::Crawling if !report.running => State::Stopped,
                state => state,
            };
            line
        };
        // A portal that is no longer in the seeds file has `max_pages` 0.
        let portals = config.portals.iter().filter(|portal| portal.max_pages != Some(0)).map(line).collect();
        Self {
            is_running: report.running,
            last,
            documents: report.domains.iter().map(|line| line.documents).sum(),
            portals,
            identity_holds: report.identity_holds,
            suspects: report.suspects.iter().map(|suspect| format!("{}: {}", suspect.url, suspect.reason())).collect(),
            counts: report.counts,
            free_bytes,
            so_far: ResponsesSoFar::default(),
            hosts: report.hosts,
            at: report.at,
        }
    }

    /// The summary with another timeline of responses, which was read completely.
    pub fn with_timeline(self, timeline: Timeline) -> Self {
        Self { so_far: ResponsesSoFar { timeline, ..ResponsesSoFar::default() }, ..self }
    }

    /// Number of portals in each state.
    pub(super) fn states(&self) -> BTreeMap<State, usize> {
        let mut states = BTreeMap::new();
        self.portals.iter().for_each(|portal| *states.entry(portal.state).or_default() += 1);
        states
    }
}

fn state(line: &PortalLine, hosts: &[&HostStatus], domains: &[&DomainLine], is_dry: bool) -> State {
    let all_wait = |why: &[WaitsFor]| !hosts.is_empty() && hosts.iter().all(|host| why.contains(&host.waits_for));
    let fails = |host: &&HostStatus| host.trouble.is_some() || host.waits_for == WaitsFor::GivenUp;
    let read: u64 = domains.iter().map(|line| line.extracted).sum();
    let is_unsure = line.fitness.is_some_and(|fitness| fitness < FAIR_FITNESS)
        || line.matched.is_some_and(|matched| matched < SURE_MATCHED);
    let learns = domains.iter().any(|line| line.phase == Phase::Learning && line.pages > 0);
    match () {
        () if all_wait(&[WaitsFor::Blocked]) => State::Blocked,
        () if all_wait(&[WaitsFor::Paused, WaitsFor::Blocked]) => State::Paused,
        () if hosts.iter().any(|host| host.waits_for == WaitsFor::Refusals) => State::Refused,
        () if hosts.iter().any(|host| host.queued > 0 && fails(host)) => State::HostErrors,
        () if line.moved_to.is_some() => State::Moved,
        () if line.documents == 0 && (line.why_none.is_some() || read >= PAGES_ENOUGH) => State::NoYield,
        () if is_unsure => State::Unsure,
        () if is_dry => State::Dry,
        () if all_wait(&[WaitsFor::Budget]) => State::Spent,
        () if line.fitness.is_none() && learns => State::Learning,
        () if line.queued > 0 => State::Crawling,
        () => State::Idle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, host, summary};

    #[test]
    fn a_portal_with_queued_urls_has_no_problem_yet() {
        let hosts = [host("https://a.example", 8, "delay")];
        let mut report = testing::report(&hosts);
        report["running"] = false.into();
        report["no_yield"] = serde_json::json!([{ "portal": "a.example", "documents": 0,
            "nothing": { "why": "not-yet", "queued": 8, "unextracted": 0 } }]);
        let portal = testing::summary_of(&report, &hosts).portals.remove(0);
        assert_eq!((portal.state, portal.why_none), (State::Stopped, None));
    }

    #[test]
    fn the_state_of_a_portal_follows_its_hosts() {
        let cases = [
            ("blocked", State::Blocked),
            ("paused", State::Paused),
            ("refusals", State::Refused),
            ("given-up", State::HostErrors),
            ("budget", State::Spent),
            ("delay", State::Crawling),
        ];
        let hosts: Vec<_> =
            cases.iter().map(|(waits, _)| host(&format!("https://{waits}.example"), 3, waits)).collect();
        let mut report = testing::report(&hosts);
        let states = |report: &serde_json::Value| testing::summary_of(report, &hosts).portals;
        report["running"] = false.into();
        assert_eq!(states(&report).last().map(|line| line.state), Some(State::Stopped), "no crawl runs");
        let summary = summary(&hosts);
        for (line, (waits, state)) in summary.portals.iter().zip(cases) {
            assert_eq!((line.name.as_str(), line.state, line.queued), (&*format!("{waits}.example"), state, 3));
        }
        assert_eq!(summary.states().len(), 6);
    }
}
