//! Answers queries about a job. A query changes nothing; commands do (`admin`).

use std::collections::BTreeMap;

use anyhow::Error;
use goldminer_html::{ArchivePosition, CrawlUrl, Domain};
use serde_json::to_string;

use super::query::Query;
use super::service::{JobService, View, WhyReport};
use super::status::{DomainLine, LiveReport, ProfileLine, StatusReport};
use crate::frontier::yield_of;
use crate::health::url_result::ResultLookup;
use crate::job::history::marks;
use crate::job::url_list;
use crate::store::frontier::DomainRow;
use crate::{Counters, HostStatus, LastRun, SiteReport, StoreError, typed_url};

impl JobService {
    /// Answers a query with JSON as text, because for a large crawl the hosts alone would be a hundred megabytes as
    /// JSON values. Blocks while the databases are read.
    pub(crate) fn answer(&self, query: &Query) -> anyhow::Result<String> {
        let tables = self.store.frontier();
        Ok(match query {
            Query::Status => to_string(&self.status()?),
            Query::Live => to_string(&self.live()),
            Query::Why { url } => to_string(&self.why(url)?),
            Query::Profiles => to_string(&self.profiles()?),
            Query::Profile { key } => to_string(&self.profiles.versions(key)?),
            Query::Urls { which, after } => to_string(&url_list::portion(&self.store, *which, after.as_deref())?),
            Query::Sites => to_string(&SiteReport::of_all(&tables)?),
            Query::ProfilesOf { domain } => to_string(&self.profiles.profiles_of(&Domain::named(domain))?),
            Query::PagesOf { domain, most } => to_string(&self.pages_of(&Domain::named(domain), *most)?),
            Query::Site { hosts } => to_string(&SiteReport::of(&tables, hosts)?),
            Query::Learned => {
                let domains = tables.all_domains().map(|row| Ok(Domain::named(&row?.name)));
                let domains: Vec<Domain> = domains.collect::<Result<_, StoreError>>()?;
                to_string(&self.profiles.learned_so_far(domains)?)
            }
        }?)
    }

    fn why(&self, url: &str) -> anyhow::Result<Option<WhyReport>> {
        let url = typed_url(url).map_err(Error::msg)?;
        let suspects = marks::suspects(&self.job).into_iter().filter(|suspect| suspect.is_of(&url)).collect();
        let Some(report) = self.snapshot(Some(url.clone()))?.why else { return Ok(None) };
        let lookup = ResultLookup { job: &self.job, store: &self.store, profiles: &self.profiles };
        let gave = report.explanation.life.as_ref().map(|life| lookup.result(&url, life)).transpose()?.flatten();
        Ok(Some(WhyReport { suspects, gave, ..report }))
    }

    fn pages_of(&self, domain: &Domain, most: u64) -> Result<Vec<(CrawlUrl, ArchivePosition)>, StoreError> {
        let tables = self.store.frontier();
        let pages = tables.domain(domain)?.map_or(0, |row| row.pages);
        let step = pages.div_ceil(most.max(1)).max(1) as usize;
        let some = (0..pages).step_by(step).filter_map(|seq| tables.pages_from(domain, seq).next());
        some.map(|entry| entry.map(|entry| (entry.url, entry.position))).collect()
    }

    /// The counters of the crawl, if it is running.
    fn counters(&self) -> Option<Counters> {
        match &self.view {
            View::Running(running) => Some(running.live.counters()),
            View::Stopped(_) => None,
        }
    }

    fn live(&self) -> LiveReport {
        let live = self.counters();
        LiveReport { running: live.is_some(), live, uptime_seconds: live.map(|_| self.clock.uptime().as_secs()) }
    }

    /// The state of the job.
    pub(crate) fn status(&self) -> anyhow::Result<StatusReport> {
        let snapshot = self.snapshot(None)?;
        let extraction = self.store.extraction();
        let mut received: BTreeMap<Domain, (u64, u64)> = BTreeMap::new();
        let tables = self.store.frontier();
        for HostStatus { host, .. } in &snapshot.hosts {
            let (of_host, sum) = (yield_of(&tables, host.key())?, received.entry(host.site()).or_default());
            *sum = (sum.0 + of_host.bytes, sum.1 + of_host.clean_bytes);
        }
        let mut domains = Vec::new();
        for row in tables.all_domains() {
            let DomainRow { name, pages, article_like } = row?;
            let domain = Domain::named(&name);
            let progress = extraction.progress(&domain)?;
            let (bytes, clean_bytes) = received.get(&domain).copied().unwrap_or_default();
            domains.push(DomainLine {
                bytes,
                clean_bytes,
                phase: self.profiles.learning_state(&domain)?.phase,
                domain: name,
                pages,
                article_pages: article_like,
                extracted: progress.next_page,
                documents: progress.documents,
                tally: progress.tally,
            });
        }
        let LiveReport { running, live, uptime_seconds } = self.live();
        let mut hosts = snapshot.hosts;
        hosts.sort_by_key(|host| (host.next_due.is_none(), host.next_due));
        Ok(StatusReport {
            running,
            identity_holds: snapshot.counts.check().is_ok(),
            counts: snapshot.counts,
            live,
            uptime_seconds,
            domains,
            hosts,
            portals: snapshot.portals,
            no_yield: match running {
                true => snapshot.no_yield,
                false => LastRun::of_job(self.job.root()).map(LastRun::no_yield).unwrap_or_default(),
            },
            suspects: marks::suspects(&self.job),
            at: self.clock.now(),
        })
    }

    fn profiles(&self) -> anyhow::Result<Vec<ProfileLine>> {
        self.profiles.all_latest()?.map(|serving| Ok(ProfileLine::of(&serving?.profile))).collect()
    }
}
