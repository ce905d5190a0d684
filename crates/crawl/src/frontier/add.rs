//! The verb `add`: discovered → queued, or rejected by a named rule.
//!
//! A URL is counted once however often it is found. One that was rejected is decided anew when it is found again: it
//! may be found nearer to a start page, for another portal, or without nofollow.

use goldminer_html::address::CrawlUrl;
use jiff::Timestamp;

use super::changes::Changes;
use super::discovery::Discovery;
use super::patterns::{TrapRule, falls_into, is_pattern};
use super::queue_head::read_places;
use super::scope::ScopeRule;
use super::{Frontier, traps};
use crate::store::frontier::{
    Account, Area, Done, LaneKey, PortalId, PrefixState, QueuePosition, Rank, Rejection, RowKey, Source, UrlKind,
    UrlRow,
};
use crate::store::{Durability, StoreError};

/// Redirects in a row.
const MAX_REDIRECTS: u8 = 10;
/// Where links of depth 0 stand in the order of a host; deeper ones follow.
const FIRST_LINK_CLASS: u8 = 16;
/// Added to the class of links below prefixes that give hardly any text.
const POOR_CLASS: u8 = 128;

impl Frontier {
    /// Adds what was found; durable when it returns.
    ///
    /// # Errors
    /// When our own disk fails; the frontier stops then.
    pub fn add(&mut self, discoveries: &[Discovery], now: Timestamp) -> Result<(), StoreError> {
        self.transaction(Durability::Disk, |this, changes| {
            for found in discoveries {
                this.discover(changes, found, None, now)?;
            }
            Ok(())
        })
    }

    /// Accounts for one discovery. `stands_for` is the rank of the URL that it is another name of, so that the target
    /// of a redirect keeps its place. True when the URL is queued that was not before.
    pub(super) fn discover(
        &mut self,
        changes: &mut Changes,
        found: &Discovery,
        stands_for: Option<Rank>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let key = RowKey::of(&found.url);
        if self.seen_cache.contains(key) {
            return Ok(false);
        }
        let known = self.url_row(changes, &key)?;
        let was_rejected = match known.as_ref().map(|row| row.account) {
            None => None,
            Some(Account::Rejected(reason)) => Some(reason),
            Some(account @ (Account::Pending | Account::Done(_))) => {
                self.seen_cache.insert(key);
                if let (Account::Done(Done::Redirected), Some(row)) = (account, known) {
                    self.revive(changes, key, &row, now)?;
                }
                return Ok(false);
            }
        };
        let decision = self.decide(found, now);
        let rejection = decision.rejection();
        // The same page without the parameter that changes nothing, or under its site's canonical name, takes its place.
        let instead = match decision {
            Decision::Closed(Closed { without: Some(without), .. }) => self.bare(found, &without),
            Decision::HostAlias(url) => Some(Discovery { url, ..found.clone() }),
            _ => None,
        };
        if let Some(instead) = instead {
            self.discover(changes, &instead, stands_for, now)?;
        }
        if rejection == Some(Rejection::TooManyHosts) {
            self.remark_many_hosts(&found.url);
        }
        match (rejection, was_rejected) {
            (Some(_), Some(_)) => {}
            (Some(reason), None) => {
                self.counters.discovered += 1;
                self.counters.rejected[reason.index()] += 1;
                changes.put_url(key, new_row(found, Account::Rejected(reason), Rank { class: 0, discovery: 0 }, now));
            }
            (None, _) if self.is_beyond_sitemaps(changes, found) => {}
            (None, was_rejected) => {
                match was_rejected {
                    Some(reason) => self.counters.rejected[reason.index()] -= 1,
                    None => self.counters.discovered += 1,
                }
                self.accept(changes, key, found, stands_for, now);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The URL without a parameter that changes nothing, unless that page has come under another value of it.
    pub(super) fn bare(&self, found: &Discovery, without: &str) -> Option<Discovery> {
        let has_come = self.walks.was_fetched(found.url.host().key(), without);
        found.at(without).filter(|_| !has_come)
    }

    /// A start page, feed or sitemap that once led elsewhere is visited again, though an earlier version left it for good.
    fn revive(&mut self, changes: &mut Changes, key: RowKey, row: &UrlRow, now: Timestamp) -> Result<(), StoreError> {
        if !row.kind.is_revisited() {
            return Ok(());
        }
        let lane = LaneKey { host: key.host(), portal: row.portal };
        let prefix = lane.prefix(Area::Revisits);
        let waiting = read_places(&self.tables, lane, Area::Revisits, &prefix, usize::MAX)?;
        let is_out = self.hosts.get(&key.host()).and_then(|host| host.out).is_some_and(|out| out.url == Some(key));
        if !is_out && !waiting.iter().any(|(_, waiting)| waiting.url == key.url()) {
            self.enqueue(changes, key, row, QueuePosition::Revisit(QueuePosition::due(now), row.rank));
        }
        Ok(())
    }

    fn accept(
        &mut self,
        changes: &mut Changes,
        key: RowKey,
        found: &Discovery,
        stands_for: Option<Rank>,
        now: Timestamp,
    ) {
        if !self.hosts.contains_key(&key.host()) {
            let born = self.new_host_from_sibling(found.url.host(), Some(found.portal), now);
            self.insert_host(key.host(), born);
        }
        let verdicts = self.hosts.get(&key.host()).map_or(&[][..], |host| &host.verdicts);
        let class = stands_for.map_or_else(|| class_of(found, verdicts), |rank| rank.class);
        let rank = Rank { class, discovery: self.counters.next_rank };
        self.counters.next_rank += 1;
        self.counters.pending += 1;
        self.seen_cache.insert(key);
        let row = new_row(found, Account::Pending, rank, now);
        self.enqueue(changes, key, &row, QueuePosition::Ready(rank));
        changes.put_url(key, row);
    }

    /// Which rule decides on a discovery. Nothing is changed: `why` asks it too.
    pub(super) fn decide(&self, found: &Discovery, now: Timestamp) -> Decision {
        if self.config.withdrawn.hold(&found.url) {
            return Decision::Withdrawn;
        }
        if found.nofollow {
            return Decision::Nofollow;
        }
        if found.hops > MAX_REDIRECTS {
            return Decision::RedirectChain;
        }
        if found.source == Source::Seed {
            return Decision::Seed;
        }
        let is_sitemap = matches!(found.kind, UrlKind::Sitemap | UrlKind::NewsSitemap);
        if is_sitemap && found.depth >= self.config.sitemaps.depth {
            return Decision::SitemapTooDeep(self.config.sitemaps.depth);
        }
        let Some(portal) = self.portals.get(found.portal).and_then(|portal| portal.in_seeds.as_ref()) else {
            return Decision::NoPortal(found.portal);
        };
        let rule = portal.decide(&found.url, found.kind, found.depth);
        if rule != ScopeRule::Wanted {
            return Decision::Scope(rule);
        }
        if let Some(trap) = traps::check(&found.url, now) {
            return Decision::Trap(trap);
        }
        if self.is_beyond_hosts(&found.url) {
            return Decision::TooManyHosts(self.config.hosts_of_domain);
        }
        if let Some(canonical) = self.canonical_url(&found.url).filter(|_| found.kind == UrlKind::Page) {
            return Decision::HostAlias(canonical);
        }
        let verdicts = self.hosts.get(&found.url.host().key()).map_or(&[][..], |host| &host.verdicts);
        match closed_by(verdicts, found.url.path_and_query()) {
            Some(closed) if found.kind == UrlKind::Page => Decision::Closed(closed),
            _ => Decision::Wanted,
        }
    }
}

/// Which rule decided on a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It is wanted: in scope, and no trap.
    Wanted,
    /// It was taken out of the job for good.
    Withdrawn,
    /// The seeds file or the operator names it.
    Seed,
    /// rel=nofollow, or nofollow of the page.
    Nofollow,
    /// Too many redirects in a row.
    RedirectChain,
    /// The seeds file has no such portal.
    NoPortal(PortalId),
    /// A sitemap with so many others before it.
    SitemapTooDeep(u16),
    /// A rule of the portal's scope.
    Scope(ScopeRule),
    /// It looks like a trap.
    Trap(Rejection),
    /// The domain has so many hosts already.
    TooManyHosts(usize),
    /// The same page of the same site, under its canonical name.
    HostAlias(CrawlUrl),
    /// This path prefix or pattern was closed.
    Closed(Closed),
}

/// What closes a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// A path prefix, or a pattern.
    pub pattern: String,
    /// The rule that closed it.
    pub rule: TrapRule,
    /// The same page without the parameter that changes nothing.
    pub(super) without: Option<String>,
}

impl Decision {
    /// The account that the decision sends a URL to; none when it is wanted.
    #[must_use]
    pub fn rejection(&self) -> Option<Rejection> {
        match self {
            Self::Wanted | Self::Seed => None,
            Self::Withdrawn => Some(Rejection::Withdrawn),
            Self::Nofollow => Some(Rejection::Nofollow),
            Self::RedirectChain => Some(Rejection::RedirectChain),
            Self::NoPortal(_) => Some(Rejection::OutOfScope),
            Self::SitemapTooDeep(_) => Some(Rejection::SitemapTooDeep),
            Self::Scope(rule) => rule.rejection(),
            Self::Trap(reason) => Some(*reason),
            Self::TooManyHosts(_) => Some(Rejection::TooManyHosts),
            Self::HostAlias(_) => Some(Rejection::HostAlias),
            Self::Closed(closed) => Some(closed.rejection()),
        }
    }
}

impl Closed {
    pub(super) fn rejection(&self) -> Rejection {
        match self.rule {
            TrapRule::UselessPrefix => Rejection::ClosedPrefix,
            TrapRule::DateWalk => Rejection::DateWalk,
            TrapRule::SessionParameter => Rejection::SessionParameter,
            TrapRule::Facets => Rejection::Facets,
            TrapRule::RelativeLoop => Rejection::RelativeLoop,
            TrapRule::SamePage => Rejection::SamePage,
        }
    }
}

/// The closed prefix that a path lies below, or the closed pattern that it falls into.
pub(super) fn closed_by(verdicts: &[PrefixState], path: &str) -> Option<Closed> {
    let closed = || verdicts.iter().filter(|verdict| verdict.closed).map(|verdict| verdict.prefix.as_str());
    let of = |pattern: &str, without| Closed { pattern: pattern.to_owned(), rule: TrapRule::of(pattern), without };
    if let Some(prefix) = closed().find(|prefix| path.starts_with(prefix)) {
        return Some(of(prefix, None));
    }
    // Of several patterns the one that knows what to ask for instead: the page is not lost with the parameter.
    let patterns = closed().filter(|prefix| is_pattern(prefix));
    let held = patterns.filter_map(|pattern| Some(of(pattern, falls_into(path, pattern)?.without)));
    held.min_by_key(|closed| closed.without.is_none())
}

/// The order within a host: start pages, feeds, news sitemaps, sitemaps; then pages named by them; then links by depth;
/// then links below prefixes that give hardly any text.
fn class_of(found: &Discovery, verdicts: &[PrefixState]) -> u8 {
    match (found.kind, found.source) {
        (UrlKind::Start, _) => 0,
        (UrlKind::Feed, _) => 1,
        (UrlKind::NewsSitemap, _) => 2,
        (UrlKind::Sitemap, _) => 3,
        (UrlKind::Page, Source::Seed) => 4,
        (UrlKind::Page, Source::Feed) => 8,
        (UrlKind::Page, Source::NewsSitemap) => 9,
        (UrlKind::Page, Source::Sitemap) => 10,
        (UrlKind::Page, Source::Link | Source::Redirect | Source::Canonical | Source::Refresh) => {
            let depth = u8::try_from(found.depth).unwrap_or(u8::MAX).min(POOR_CLASS - FIRST_LINK_CLASS - 1);
            let path = found.url.path_and_query();
            let is_poor = verdicts.iter().any(|verdict| path.starts_with(&verdict.prefix));
            FIRST_LINK_CLASS + depth + if is_poor { POOR_CLASS } else { 0 }
        }
    }
}

fn new_row(found: &Discovery, account: Account, rank: Rank, now: Timestamp) -> UrlRow {
    let is_rejected = matches!(account, Account::Rejected(_));
    UrlRow {
        path: if is_rejected { String::new() } else { found.url.path_and_query().to_owned() },
        kind: found.kind,
        source: found.source,
        via: found.via.as_ref().map(RowKey::of),
        depth: found.depth,
        hops: found.hops,
        portal: found.portal,
        found: now,
        rank,
        attempts: 0,
        account,
        visit: None,
    }
}
