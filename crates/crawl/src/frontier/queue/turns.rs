//! Decides what a host requests next: the kinds of requests take turns.

use jiff::Timestamp;

use super::queue_head::{QueueHead, QueueHeads, SITEMAP_CLASSES};
use crate::frontier::hosts::host::HostState;
use crate::store::frontier::{Area, PortalId};

/// The kinds of requests that a host may get next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// A sitemap that was not requested yet.
    Sitemap,
    /// A start page, feed or page that was not requested yet.
    Page,
    /// A URL whose next attempt is due.
    Retry,
    /// A start page, feed or sitemap that is due to be visited again.
    Revisit,
}

/// The order in which the kinds of requests to a host take turns. Half of all requests are for pages that were not
/// requested yet, so an index of fifty thousand sitemaps, or eighty feeds that are due again, does not delay articles.
const TURNS: [Choice; 4] = [Choice::Sitemap, Choice::Page, Choice::Revisit, Choice::Page];

impl Choice {
    pub(super) fn area(self) -> Area {
        match self {
            Self::Sitemap | Self::Page => Area::Ready,
            Self::Retry => Area::Retries,
            Self::Revisit => Area::Revisits,
        }
    }
}

/// What a host requests next: the index of the lane (the queue of one portal's URLs on this host), the kind of request,
/// and the position of the next turn. A start page or feed that was not requested yet comes first, then the kind whose
/// turn it is. Retries use the turns of pages. None if nothing is due.
///
/// A failing host gets few requests. Each is for a URL that may work: by turns a start page, feed or sitemap that was
/// requested before, and a page that was not.
pub(super) fn choose(
    host: &HostState,
    revisit: bool,
    now: Timestamp,
    is_open: impl Fn(PortalId) -> bool,
) -> Option<(usize, Choice, usize)> {
    let now = now.as_millisecond();
    let lanes = || (0..host.heads.len()).filter(|lane| is_open(host.row.lanes[*lane].portal));
    let due = |first: fn(&QueueHeads) -> i64| {
        let lane = lanes().min_by_key(|lane| first(&host.heads[*lane]))?;
        (first(&host.heads[lane]) <= now).then_some(lane)
    };
    // An empty head whose URLs are still on disk may have the best rank, so it goes first and is then filled.
    let ready = |part: fn(&QueueHeads) -> &QueueHead| {
        lanes().filter(|lane| !part(&host.heads[*lane]).is_empty()).min_by_key(|lane| part(&host.heads[*lane]).peek())
    };
    let page = ready(|heads| &heads.others);
    if host.is_failing {
        let is_visited = |lane: &usize| host.row.lanes[*lane].revisits > 0;
        let visited = lanes().filter(is_visited).min_by_key(|lane| host.heads[*lane].first_revisit);
        // The visited URLs may be broken themselves, so after every second wait a new page is tried first.
        let (visited, new) = (visited.map(|lane| (lane, Choice::Revisit)), page.map(|lane| (lane, Choice::Page)));
        let test = if host.row.clock.waits.is_multiple_of(2) { new.or(visited) } else { visited.or(new) };
        if let Some((lane, choice)) = test {
            return Some((lane, choice, host.next_turn));
        }
    }
    let is_first =
        |lane: &usize| host.heads[*lane].others.peek().is_some_and(|rank| rank.class < *SITEMAP_CLASSES.start());
    if let Some(lane) = page.filter(is_first) {
        return Some((lane, Choice::Page, host.next_turn));
    }
    let available = |choice| match choice {
        Choice::Sitemap => ready(|heads| &heads.sitemaps).map(|lane| (lane, choice)),
        Choice::Page => {
            due(|front| front.first_retry).map(|lane| (lane, Choice::Retry)).or(page.map(|lane| (lane, choice)))
        }
        Choice::Revisit if revisit => due(|front| front.first_revisit).map(|lane| (lane, choice)),
        Choice::Revisit | Choice::Retry => None,
    };
    (0..TURNS.len()).find_map(|later| {
        let turn = (host.next_turn + later) % TURNS.len();
        available(TURNS[turn]).map(|(lane, choice)| (lane, choice, turn + 1))
    })
}
