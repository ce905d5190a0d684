//! The web of portals that comes with the program: the demo's five, or hundreds of small ones.

use std::sync::Arc;
use std::time::Duration;

use super::Portal;
use super::mastheads::MASTHEADS;
use crate::dice::mix;

/// What portals are made by.
#[derive(Debug, Clone)]
pub struct Size {
    /// Everything follows from it.
    pub seed: u64,
    /// How large: 1.0 gives each portal its own number of articles (40 to 130).
    pub scale: f64,
    /// A calendar and an archive that have no end.
    pub traps: bool,
    /// `Crawl-delay` in every robots.txt.
    pub crawl_delay: Option<Duration>,
    /// Articles are filled up to so many bytes of HTML, before encoding; 0: as they come (9 to 16 kB).
    pub page_bytes: usize,
}

impl Default for Size {
    fn default() -> Self {
        Self { seed: 2019, scale: 1.0, traps: true, crawl_delay: None, page_bytes: 0 }
    }
}

/// A web of portals, found by the name of the host.
#[derive(Debug, Clone)]
pub struct Portals {
    size: Size,
    builtin: Vec<Arc<Portal>>,
    /// How many small portals there are, and with how many articles each.
    small: (usize, usize),
}

impl Portals {
    /// The portals of the demo.
    #[must_use]
    pub fn demo(size: &Size) -> Self {
        let builtin = MASTHEADS.iter().map(|make| Arc::new(make(size))).collect();
        Self { size: size.clone(), builtin, small: (0, 0) }
    }

    /// Many small portals, `portal-000.example` and so on, of all layouts and languages, each with its own texts. They
    /// are made when they are asked for, and hold no memory.
    #[must_use]
    pub fn many(hosts: usize, articles: usize, size: &Size) -> Self {
        Self { size: size.clone(), builtin: Vec::new(), small: (hosts, articles) }
    }

    /// The portal of a host.
    #[must_use]
    pub fn find(&self, host: &str) -> Option<Arc<Portal>> {
        if let Some(portal) = self.builtin.iter().find(|portal| portal.host == host) {
            return Some(portal.clone());
        }
        let number = host.strip_prefix("portal-")?.strip_suffix(".example")?.parse().ok()?;
        (number < self.small.0 && host == small_host(number)).then(|| Arc::new(self.small_portal(number)))
    }

    /// The names of all hosts.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        let builtin = self.builtin.iter().map(|portal| portal.host.clone());
        builtin.chain((0..self.small.0).map(small_host)).collect()
    }

    /// All portals, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = Arc<Portal>> + '_ {
        let small = (0..self.small.0).map(|number| Arc::new(self.small_portal(number)));
        self.builtin.iter().cloned().chain(small)
    }

    fn small_portal(&self, number: usize) -> Portal {
        let size = Size { seed: mix(self.size.seed, number as u64 + 1), ..self.size.clone() };
        let mut portal = MASTHEADS[number % MASTHEADS.len()](&size);
        portal.newsroom.articles = self.small.1;
        portal.host = small_host(number);
        portal.name = format!("{} {number}", portal.name);
        portal.old_skin = portal.old_skin.map(|(_, skin)| (self.small.1 / 2, skin));
        portal
    }
}

fn small_host(number: usize) -> String {
    format!("portal-{number:03}.example")
}
