//! Recognises sites that answer under several names (`http` and `https`, with and without `www.`) and link to both,
//! so that their pages are requested only once. When enough pages were the same under two names, or one name
//! redirects to the other, one name becomes canonical, and the URLs of the other are fetched under it.
//!
//! The evidence is counted in memory; the decision is saved. Start pages, feeds and sitemaps keep the names under
//! which they are found.

use goldminer_html::{CrawlUrl, Host, HostKey};
use rustc_hash::FxHashMap;

use crate::StoreError;
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::accounts::events::{EventKind, FrontierEvent};
use crate::frontier::queue::outcome::{Fetched, Outcome};
use crate::frontier::queue::work::{Discovery, PageWork};
use crate::store::frontier::{Account, Done, HostRow, RowKey, Source};

/// Number of pages after which a name counts as an alias: pages that were the same under both names, or that led to the
/// same path under the other name.
const SAME_PAGES: u32 = 5;

/// The evidence for pairs of host names that may belong to one site.
#[derive(Default)]
pub(crate) struct HostAliases {
    /// Number of pages that were the same under both names; the pair is sorted.
    same: FxHashMap<[HostKey; 2], u32>,
    /// Number of pages of the first name that led to the same path of the second, by a redirect or `rel=canonical`.
    sent: FxHashMap<[HostKey; 2], u32>,
}

impl Frontier {
    /// Whether the same path was fetched under another name of the same site.
    pub(crate) fn is_at_alias(&self, changes: &Changes, url: &CrawlUrl) -> Result<bool, StoreError> {
        for name in self.known_names(&url.host()) {
            if self.was_fetched(changes, &name, url)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts a new page as evidence for or against other names of its site.
    pub(crate) fn note_names(
        &mut self,
        changes: &mut Changes,
        work: &PageWork,
        outcome: &Outcome,
        original: Option<&CrawlUrl>,
        found: &[Discovery],
    ) {
        let (own, url) = (work.url.host(), &work.url);
        if self.hosts.get(&own.key()).is_none_or(|host| host.row.alias_of.is_some()) {
            return;
        }
        let names = self.known_names(&own);
        let mut canonical = found.iter().filter(|found| found.source == Source::Canonical).map(|found| &found.url);
        let sent_to = match outcome {
            Outcome::Redirect { to } => to.as_ref(),
            _ => canonical.next_back(),
        };
        for name in names {
            let (pair, sorted) = pair(&own, &name);
            let is_there = |other: &CrawlUrl| other.host() == name && same_path(other, url);
            if sent_to.is_some_and(is_there) {
                *self.aliases.sent.entry(pair).or_default() += 1;
            }
            if let Outcome::Fetched(Fetched { text, .. }) = outcome {
                let is_same_text = text.is_some_and(|text| self.walks.has_page(name.key(), text, url));
                if original.is_some_and(is_there) || is_same_text {
                    *self.aliases.same.entry(sorted).or_default() += 1;
                } else if text.is_some() && self.walks.knows_page(name.key(), url) {
                    // The path has two different pages: these are two sites, or the page changed between two visits.
                    self.aliases.same.remove(&sorted);
                }
            }
            self.compare_names(changes, &own, &name);
        }
    }

    /// The canonical form of a URL, if its host is another name of a site.
    pub(crate) fn canonical_url(&self, url: &CrawlUrl) -> Option<CrawlUrl> {
        let of = self.hosts.get(&url.host().key())?.row.alias_of.as_ref()?;
        CrawlUrl::parse(&format!("{of}{}", url.path_and_query())).ok()
    }

    /// Decides whether one of two names is an alias of the other.
    fn compare_names(&mut self, changes: &mut Changes, own: &Host, name: &Host) {
        let ([a, b], sorted) = pair(own, name);
        let count = |counts: &FxHashMap<[HostKey; 2], u32>, pair| counts.get(&pair).copied().unwrap_or(0);
        let (there, back) = (count(&self.aliases.sent, [a, b]), count(&self.aliases.sent, [b, a]));
        let same = count(&self.aliases.same, sorted);
        let (alias, of) = match (there, back) {
            (1.., 1..) => return,
            (SAME_PAGES.., 0) => (own, name),
            (0, SAME_PAGES..) => (name, own),
            _ if same < SAME_PAGES => return,
            (1.., 0) => (own, name),
            (0, 1..) => (name, own),
            (0, 0) if self.is_before(own, name) => (name, own),
            (0, 0) => (own, name),
        };
        self.join(changes, alias, of);
    }

    /// Whether `a`, and not `b`, is the canonical one of two names of the same site. That is the one in the seeds, else
    /// the one with TLS, else the one that has sent more bytes.
    fn is_before(&self, a: &Host, b: &Host) -> bool {
        let rank = |host: &Host| {
            let is_named = self.portals.starts_at(host.key());
            let bytes = self.hosts.get(&host.key()).map_or(0, |host| host.row.bytes);
            (is_named, host.as_str().starts_with("https:"), bytes)
        };
        rank(a) >= rank(b)
    }

    fn join(&mut self, changes: &mut Changes, alias: &Host, of: &Host) {
        // The canonical name may itself be an alias.
        let of = self.hosts.get(&of.key()).and_then(|host| host.row.alias_of.clone()).unwrap_or_else(|| of.clone());
        let answers = self.hosts.get(&of.key()).is_some_and(|host| host.row.bytes > 0 && host.row.hold.is_none());
        let Some(host) = self.hosts.get(&alias.key()) else { return };
        if of == *alias || !answers || host.row.alias_of.is_some() {
            return;
        }
        let is_renamed = |row: &HostRow| row.host == *alias || row.alias_of.as_ref() == Some(alias);
        for (key, host) in self.hosts.iter_mut().filter(|(_, host)| is_renamed(&host.row)) {
            host.row.alias_of = Some(of.clone());
            changes.hosts.insert(*key);
        }
        let text = format!("{alias} is another name of {of}: its pages are requested from {of}, only once");
        self.events.push(FrontierEvent::new(EventKind::HostAlias, alias, text));
    }

    /// The other names of a site that are hosts of this job.
    fn known_names(&self, host: &Host) -> Vec<Host> {
        let names = self.hosts.get(&host.key()).map_or(&[][..], |host| &host.names);
        names.iter().filter_map(|name| Some(self.hosts.get(name)?.row.host.clone())).collect()
    }

    fn was_fetched(&self, changes: &Changes, name: &Host, url: &CrawlUrl) -> Result<bool, StoreError> {
        let Ok(there) = CrawlUrl::parse(&format!("{name}{}", url.path_and_query())) else { return Ok(false) };
        let row = self.url_row(changes, &RowKey::of(&there))?;
        Ok(row.is_some_and(|row| matches!(row.account, Account::Done(Done::Fetched | Done::NotModified))))
    }
}

/// Whether two URLs are the same path under two names of one site.
pub(crate) fn is_under_other_name(a: &CrawlUrl, b: &CrawlUrl) -> bool {
    same_path(a, b) && other_names(&a.host()).contains(&b.host())
}

fn same_path(a: &CrawlUrl, b: &CrawlUrl) -> bool {
    a.path_and_query() == b.path_and_query()
}

fn pair(a: &Host, b: &Host) -> ([HostKey; 2], [HostKey; 2]) {
    let pair = [a.key(), b.key()];
    let mut sorted = pair;
    sorted.sort_unstable();
    (pair, sorted)
}

/// The names under which the same site may answer: with the other scheme, and with or without `www.`, on default
/// ports.
pub(crate) fn other_names(host: &Host) -> Vec<Host> {
    let Some((scheme, name)) = host.as_str().split_once("://") else { return Vec::new() };
    if host.root().given_port().is_some() || host.root().ip().is_some() {
        return Vec::new();
    }
    let other_scheme = if scheme == "http" { "https" } else { "http" };
    let other_name = name.strip_prefix("www.").map_or_else(|| format!("www.{name}"), str::to_owned);
    [(other_scheme, name), (scheme, other_name.as_str()), (other_scheme, other_name.as_str())]
        .into_iter()
        .filter_map(|(scheme, name)| Host::try_from(format!("{scheme}://{name}")).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_four_names_and_a_port_or_an_address_has_one() {
        let names = |url: &str| -> Vec<String> {
            other_names(&CrawlUrl::parse(url).unwrap().host()).into_iter().map(String::from).collect()
        };
        assert_eq!(names("http://p.example/"), ["https://p.example", "http://www.p.example", "https://www.p.example"]);
        assert_eq!(names("https://www.p.example/"), ["http://www.p.example", "https://p.example", "http://p.example"]);
        assert!(names("https://p.example:8443/").is_empty() && names("http://127.0.0.1/").is_empty());
    }
}
