//! Creates the built-in web of portals: the demo's five.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::Portal;
use super::mastheads::MASTHEADS;

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
}

impl Default for Size {
    fn default() -> Self {
        Self { seed: 2019, scale: 1.0, traps: true, crawl_delay: None }
    }
}

/// A web of portals. Each portal has its own host name.
#[derive(Debug, Clone)]
pub struct Portals {
    pub(crate) portals: Vec<Arc<Portal>>,
    pub(crate) by_host: FxHashMap<String, Arc<Portal>>,
}

impl Portals {
    /// Creates the five portals of the demo.
    pub fn demo(size: &Size) -> Self {
        Self::of(MASTHEADS.iter().map(|make| make(size)))
    }

    pub(crate) fn of(portals: impl IntoIterator<Item = Portal>) -> Self {
        let portals: Vec<Arc<Portal>> = portals.into_iter().map(Arc::new).collect();
        let by_host = portals.iter().map(|portal| (portal.host.clone(), portal.clone())).collect();
        Self { portals, by_host }
    }

    /// The portal of a host, or None.
    pub fn find(&self, host: &str) -> Option<Arc<Portal>> {
        self.by_host.get(host).cloned()
    }

    /// The names of all hosts.
    pub fn hosts(&self) -> Vec<String> {
        self.portals.iter().map(|portal| portal.host.clone()).collect()
    }

    /// All portals.
    pub fn iter(&self) -> impl Iterator<Item = Arc<Portal>> + '_ {
        self.portals.iter().cloned()
    }
}
