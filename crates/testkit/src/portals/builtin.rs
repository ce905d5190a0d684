//! Creates the built-in webs of portals: the demo's five, or hundreds of small ones.

use std::sync::Arc;
use std::time::Duration;

use super::mastheads::{MASTHEADS, odd};
use super::traps::Trap;
use super::{Habit, Portal};
use crate::rng::mix;

/// The parameters of all portals of a web.
#[derive(Debug, Clone)]
pub struct Size {
    /// The seed from which everything is generated.
    pub seed: u64,
    /// The factor by which the numbers of articles are multiplied. With 1.0, the demo's portals have 70 to 120
    /// articles.
    pub scale: f64,
    /// Whether portals have an endless calendar and an endless archive.
    pub traps: bool,
    /// The `Crawl-delay` in every robots.txt. None if there is none.
    pub crawl_delay: Option<Duration>,
    /// The least bytes of an article's page. Shorter pages are filled up with links; 0 leaves them as they are (9 to 16
    /// kB).
    pub page_bytes: usize,
}

impl Default for Size {
    fn default() -> Self {
        Self { seed: 2019, scale: 1.0, traps: true, crawl_delay: None, page_bytes: 0 }
    }
}

/// A web of portals. Each portal has its own host name.
#[derive(Debug, Clone)]
pub struct Portals {
    size: Size,
    builtin: Vec<Arc<Portal>>,
    /// The small portals. A pair `(2, 3)` means two portals with three articles each.
    small: Vec<(usize, usize)>,
    /// One in this many small portals has `traps`; 0 for none.
    trapped_every: usize,
    traps: Vec<Trap>,
    under_www: bool,
}

impl Portals {
    /// Creates the five portals of the demo.
    pub fn demo(size: &Size) -> Self {
        Self::of(MASTHEADS.iter().map(|make| Arc::new(make(size))).collect(), &[], size)
    }

    fn of(builtin: Vec<Arc<Portal>>, small: &[(usize, usize)], size: &Size) -> Self {
        let (size, small) = (size.clone(), small.to_vec());
        Self { size, builtin, small, trapped_every: 0, traps: Vec::new(), under_www: false }
    }

    /// Creates plain portals, each with one [`Habit`] that is difficult for extractors.
    pub fn odd(size: &Size) -> Self {
        Self::of(Habit::ALL.iter().map(|habit| Arc::new(odd(*habit, size))).collect(), &[], size)
    }

    /// Creates many small portals, `portal-000.example` and so on, in all layouts and languages, each with its own
    /// texts. A portal is generated when it is requested, so they take no memory.
    pub fn many(hosts: usize, articles: usize, size: &Size) -> Self {
        Self::sized(&[(hosts, articles)], size)
    }

    /// Creates small portals of several sizes, like [`Self::many`]. With `[(2, 3), (1, 3000)]`, there are two portals
    /// with three articles each, and one with 3,000.
    pub fn sized(sizes: &[(usize, usize)], size: &Size) -> Self {
        Self::of(Vec::new(), sizes, size)
    }

    /// Adds traps to one in `every` small portals, beginning with the first.
    pub fn trapped(self, every: usize, traps: &[Trap]) -> Self {
        Self { trapped_every: every, traps: traps.to_vec(), ..self }
    }

    /// Makes each small portal also answer under its host name with `www.`, and link to both names on every page. So
    /// everything exists twice, as on real portals with a wrong configuration.
    pub fn under_www(self) -> Self {
        Self { under_www: true, ..self }
    }

    /// The portal of a host, or None.
    pub fn find(&self, host: &str) -> Option<Arc<Portal>> {
        let host = host.strip_prefix("www.").filter(|_| self.under_www).unwrap_or(host);
        if let Some(portal) = self.builtin.iter().find(|portal| portal.host == host) {
            return Some(portal.clone());
        }
        let number = host.strip_prefix("portal-")?.strip_suffix(".example")?.parse().ok()?;
        let articles = self.articles(number).filter(|_| host == small_host(number))?;
        Some(Arc::new(self.small_portal(number, articles)))
    }

    /// The names of all hosts.
    pub fn hosts(&self) -> Vec<String> {
        let builtin = self.builtin.iter().map(|portal| portal.host.clone());
        builtin.chain((0..self.small_count()).map(small_host)).collect()
    }

    /// All portals.
    pub fn iter(&self) -> impl Iterator<Item = Arc<Portal>> + '_ {
        let small = (0..self.small_count())
            .filter_map(|number| Some(Arc::new(self.small_portal(number, self.articles(number)?))));
        self.builtin.iter().cloned().chain(small)
    }

    fn small_count(&self) -> usize {
        self.small.iter().map(|(portals, _)| portals).sum()
    }

    /// The number of articles of the small portal with this number. None if there is no such portal.
    fn articles(&self, number: usize) -> Option<usize> {
        let mut first = 0;
        self.small.iter().find_map(|(portals, articles)| {
            first += portals;
            (number < first).then_some(*articles)
        })
    }

    fn small_portal(&self, number: usize, articles: usize) -> Portal {
        let size = Size { seed: mix(self.size.seed, number as u64 + 1), ..self.size.clone() };
        let mut portal = MASTHEADS[number % MASTHEADS.len()](&size);
        portal.newsroom.articles = articles;
        portal.host = small_host(number);
        portal.name = format!("{} {number}", portal.name);
        portal.old_skin = portal.old_skin.map(|(_, skin)| (articles / 2, skin));
        if self.trapped_every > 0 && number.is_multiple_of(self.trapped_every) {
            portal.traps.clone_from(&self.traps);
        }
        portal.under_www = self.under_www;
        portal
    }
}

fn small_host(number: usize) -> String {
    format!("portal-{number:03}.example")
}
