//! The operation `add`: queues a discovered URL, or rejects it and stores which rule decided.
//!
//! A URL is counted once, however often it is found. A rejected URL is decided on again when it is found again,
//! because it may be nearer to a start page, for another portal, or without nofollow.

use jiff::Timestamp;

use super::work::Discovery;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::scope::Refusal;
use crate::frontier::traps::patterns::{self, is_pattern};
use crate::frontier::{Frontier, traps};
use crate::store::frontier::{
    Account, PrefixState, QueuePosition, Rank, Rejection, RowKey, Source, UrlKind, UrlRow, name_of,
};
use crate::store::{Durability, StoreError};

/// The name of the rule that rejects withdrawn URLs and hosts.
pub const WITHDRAWN: &str = "withdrawn from the job (goldminer drop)";
/// The most redirects in a row that are followed.
const MAX_REDIRECTS: u8 = 10;
/// The class of links at depth 0; links of each greater depth have the next class. URLs of lower classes are requested
/// first.
const FIRST_LINK_CLASS: u8 = 16;
/// Added to the class of links under path prefixes that give hardly any text.
const POOR_CLASS: u8 = 128;

impl Frontier {
    /// Adds discovered URLs, and saves them to disk.
    ///
    /// # Errors
    /// When the local disk fails; the frontier stops then.
    pub fn add(&mut self, discoveries: &[Discovery], now: Timestamp) -> Result<(), StoreError> {
        self.transaction(Durability::Disk, |this, changes| {
            for found in discoveries {
                this.discover(changes, found, None, now)?;
            }
            Ok(())
        })
    }

    /// Processes one discovery. `stands_for` is the rank of the URL that it replaces, so that the target of a
    /// redirect keeps its place. Returns true if this queued a URL that was not queued before.
    pub(crate) fn discover(
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
            Some(Account::Pending | Account::Done(_)) => {
                self.seen_cache.insert(key);
                return Ok(false);
            }
        };
        let refusal = self.decide(found, now).err();
        let has_probes = |why: &Refusal| is_closed(why.reason) && why.instead.is_none();
        let refusal = refusal.filter(|why| !has_probes(why) || !self.choose_probe(found, now));
        let rejection = refusal.as_ref().map(|refusal| refusal.reason);
        // If the page has a better URL, without a useless parameter or under the site's canonical name, that URL is
        // added instead.
        if let Some(instead) = refusal.and_then(|refusal| refusal.instead) {
            self.discover(changes, &instead, stands_for, now)?;
        }
        if rejection == Some(Rejection::TooManyHosts) {
            self.remark_many_hosts(&found.url);
        }
        match (rejection, was_rejected) {
            // The first reason counts. Only a rule of the seeds file is replaced by another one, because the file may
            // have changed. The text of a URL is kept from the time when it is announced.
            (Some(reason), Some(before)) => match known.filter(|row| !row.path.is_empty()) {
                Some(row)
                    if row.portal == found.portal
                        && before.is_of_seeds()
                        && reason.is_of_seeds()
                        && reason != before =>
                {
                    self.counters.rejected[before.index()] -= 1;
                    self.counters.rejected[reason.index()] += 1;
                    changes.put_url(key, UrlRow { account: Account::Rejected(reason), depth: found.depth, ..row });
                }
                Some(_) => {}
                None => {
                    let row = new_row(found, Account::Rejected(before), Rank { class: 0, discovery: 0 }, now);
                    if !row.path.is_empty() {
                        changes.put_url(key, row);
                    }
                }
            },
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

    fn accept(
        &mut self,
        changes: &mut Changes,
        key: RowKey,
        found: &Discovery,
        stands_for: Option<Rank>,
        now: Timestamp,
    ) {
        // This is a hot path: a known host's name is not copied.
        if !self.hosts.contains_key(&key.host()) {
            self.ensure_host(found.url.host(), Some(found.portal), now);
        }
        let verdicts = self.hosts.get(&key.host()).map_or(&[][..], |host| &host.verdicts);
        let class = stands_for.map_or_else(|| class_of(found, verdicts), |rank| rank.class);
        let rank = Rank { class, discovery: self.counters.next_rank };
        self.counters.next_rank += 1;
        self.counters.pending += 1;
        self.seen_cache.insert(key);
        let row = new_row(found, Account::Pending, rank, now);
        self.enqueue(changes, key, &row, QueuePosition::ready(rank));
        changes.put_url(key, row);
    }

    /// Decides whether a discovery is wanted: returns the deciding rule in words, or the refusal. Changes nothing,
    /// because `why` calls it too.
    pub(crate) fn decide(&self, found: &Discovery, now: Timestamp) -> Result<&'static str, Refusal> {
        let refuse = |reason, rule: &'static str| Err(Refusal::of(reason, rule));
        if self.config.withdrawn.hold(&found.url) {
            return refuse(Rejection::Withdrawn, WITHDRAWN);
        }
        if found.nofollow {
            return refuse(Rejection::Nofollow, "nofollow");
        }
        if found.hops > MAX_REDIRECTS {
            return refuse(Rejection::RedirectChain, "too many redirects in a row");
        }
        if found.source == Source::Seed {
            return Ok("the seeds name it");
        }
        let (is_sitemap, most) =
            (matches!(found.kind, UrlKind::Sitemap | UrlKind::NewsSitemap), self.config.sitemaps.depth);
        if is_sitemap && found.depth >= most {
            let rule = format!("it exceeds the limit of {most} sitemaps in a chain");
            return Err(Refusal::of(Rejection::SitemapTooDeep, rule));
        }
        let Some(portal) = self.portals.get(found.portal).and_then(|portal| portal.in_seeds.as_ref()) else {
            let rule = format!("the seeds file has no portal number {}", found.portal.0);
            return Err(Refusal::of(Rejection::OutOfScope, rule));
        };
        portal.decide_found(found)?;
        if let Some(trap) = traps::check(&found.url, now) {
            return Err(Refusal::of(trap, format!("looks like a trap: {}", name_of(&trap))));
        }
        if self.is_beyond_hosts(&found.url) {
            let rule = format!("a new host, but its domain already has {} hosts", self.config.hosts_of_domain);
            return Err(Refusal::of(Rejection::TooManyHosts, rule));
        }
        self.closed(found).map_or(Ok("in scope, no trap"), Err)
    }

    /// Checks a queued URL by the rules of its portal, which may have changed since it was queued.
    pub(crate) fn ruled_out(&self, found: &Discovery) -> Option<Refusal> {
        let portal = self.portals.get(found.portal)?.in_seeds.as_ref().filter(|_| found.source != Source::Seed)?;
        portal.decide_found(found).err()
    }

    /// Checks the URL of a page by what earlier pages of its host have shown. Returns a refusal if the host is another
    /// name of a site, or if a closed path prefix or pattern matches (see `prefix_yield` and `walks`).
    pub(crate) fn closed(&self, found: &Discovery) -> Option<Refusal> {
        if found.kind != UrlKind::Page {
            return None;
        }
        if let Some(url) = self.canonical_url(&found.url).filter(|_| found.source != Source::Seed) {
            let rule = format!("another name of the same site: {url} is used instead");
            let instead = Some(Box::new(Discovery { url, ..found.clone() }));
            return Some(Refusal { instead, ..Refusal::of(Rejection::HostAlias, rule) });
        }
        let host = found.url.host().key();
        let (pattern, without) = closed_by(&self.hosts.get(&host)?.verdicts, found.url.path_and_query())?;
        let rule = patterns::rule_of(pattern);
        let name = name_of(&rule);
        let words = match (rule, &without) {
            (Rejection::ClosedPrefix, _) => {
                let place = if is_pattern(pattern) { "like" } else { "below" };
                format!("URLs {place} {pattern} are skipped: they gave too little text")
            }
            (_, Some(without)) => {
                format!("URLs like {pattern} are skipped ({name}): {without} is the same page and is used instead")
            }
            (Rejection::SamePage, _) => {
                format!("URLs like {pattern} are skipped ({name}): their pages are known under other URLs")
            }
            (_, None) => format!("URLs like {pattern} are skipped ({name}): they lead only to more such URLs"),
        };
        // The page without the parameter is not queued if it was fetched with another value of the parameter.
        let has_come = |without: &String| self.walks.was_fetched(host, without);
        let instead = without.filter(|without| !has_come(without)).and_then(|without| found.at(&without));
        Some(Refusal { instead: instead.map(Box::new), ..Refusal::of(rule, words) })
    }
}

/// Whether a URL was rejected because of a prefix or pattern that may be opened again.
pub(crate) fn is_closed(why: Rejection) -> bool {
    matches!(why, Rejection::ClosedPrefix | Rejection::SessionParameter | Rejection::Facets)
}

/// Returns the closed prefix or pattern that a path matches: its URLs are no longer requested. If it is a pattern of a
/// useless parameter, also returns the path without this parameter. None if nothing matches.
pub(crate) fn closed_by<'v>(verdicts: &'v [PrefixState], path: &str) -> Option<(&'v str, Option<String>)> {
    let closed = || verdicts.iter().filter(|verdict| verdict.closed).map(|verdict| verdict.prefix.as_str());
    if let Some(prefix) = closed().find(|prefix| path.starts_with(prefix))
        && !is_kept_open(verdicts, path)
    {
        return Some((prefix, None));
    }
    // Of several patterns, one with a replacement is preferred, so that the page is not lost.
    let closed: Vec<&str> = closed().filter(|prefix| is_pattern(prefix)).collect();
    let own = if closed.is_empty() { Vec::new() } else { patterns::all(path) };
    let held =
        own.into_iter().filter_map(|own| Some((*closed.iter().find(|closed| **closed == own.text)?, own.without)));
    let held =
        held.filter(|(pattern, _)| patterns::rule_of(pattern) != Rejection::Facets || !is_kept_open(verdicts, path));
    held.min_by_key(|(_, without)| without.is_none())
}

/// Whether a path is of a kind that gives articles, so that it is requested although its prefix is closed.
fn is_kept_open(verdicts: &[PrefixState], path: &str) -> bool {
    let mut open = verdicts.iter().filter(|verdict| !verdict.closed && is_pattern(&verdict.prefix)).peekable();
    if open.peek().is_none() {
        return false;
    }
    let kind = patterns::kind(path);
    open.any(|verdict| verdict.prefix == kind)
}

/// The class of a URL in the order within its host: start pages, feeds, news sitemaps, sitemaps; then pages that the
/// seeds, feeds or sitemaps name; then links by depth; then links under prefixes that give hardly any text.
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
            let is_below = verdicts.iter().any(|verdict| path.starts_with(&verdict.prefix));
            let is_poor = is_below && !is_kept_open(verdicts, path);
            FIRST_LINK_CLASS + depth + if is_poor { POOR_CLASS } else { 0 }
        }
    }
}

fn new_row(found: &Discovery, account: Account, rank: Rank, now: Timestamp) -> UrlRow {
    // The text of a rejected URL is needed only if it may be admitted later: by a change of the portal's rules, or
    // because its prefix is opened again. Traps have any number of links, but they are rarely announced.
    let has_text = match account {
        Account::Rejected(why) if is_closed(why) => {
            matches!(found.source, Source::Feed | Source::NewsSitemap | Source::Sitemap)
        }
        Account::Rejected(why) => matches!(why, Rejection::NotIncluded | Rejection::Excluded | Rejection::TooDeep),
        _ => true,
    };
    UrlRow {
        path: if has_text { found.url.path_and_query().to_owned() } else { String::new() },
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
