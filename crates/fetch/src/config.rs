//! The settings of a [`Fetcher`](crate::Fetcher). All their default values are here.

use std::net::IpAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use super::lease_deadline::LeaseDeadline;
use super::network::guard::PrivateAccess;
use super::network::proxy::ProxyChoice;
use super::network::resolve::ResolveRule;
use super::user_agent::UserAgent;

/// The default pause between two requests to one IP address: 250 ms.
///
/// An address may be a small machine with a hundred sites, or a content delivery network with a hundred thousand. The
/// delay of each host, which grows with its response time, protects the site. This pause spaces the requests to all
/// hosts of one machine.
///
/// Heritrix, Nutch and StormCrawler queue by host, and by address only as an option. BUbiNG's example uses 2 s for an
/// address and 10 s for a host, SpiderLing 1 s and 20 s. With 1 s, each of 100 portals behind 4 addresses of such a
/// network would get a request every 25 s instead of every 5 s. With 250 ms, each gets one every 6 s, and no address
/// gets more than 4 requests a second. 250 ms is a twentieth of the default delay of a host (5 s), which is
/// SpiderLing's ratio.
pub const IP_SPACING: Duration = Duration::from_millis(250);

/// The settings of a fetcher.
#[derive(Clone)]
pub struct FetchConfig {
    /// How the crawler identifies itself.
    pub user_agent: UserAgent,
    /// The `From` header: by default the user agent's e-mail address, if it has one.
    pub from: Option<String>,
    /// Rules that point a host name at an IP address. A rule for one host takes precedence over a rule for any host;
    /// if several rules apply, the first counts.
    pub resolve: Vec<ResolveRule>,
    /// The private addresses that are allowed besides the public internet: none by default.
    pub private: PrivateAccess,
    /// Limits on the size and the time of a response.
    pub limits: Limits,
    /// The least time between the starts of two requests to one IP address, over all hosts; zero for none.
    /// [`IP_SPACING`] by default.
    pub ip_spacing: Duration,
    /// The most requests a second over all hosts; no limit by default.
    pub max_requests_per_second: Option<NonZeroU32>,
    /// The most requests in flight over all hosts, for a fetcher that several crawls share; no limit by default.
    pub max_in_flight: Option<NonZeroUsize>,
    /// Where the IP addresses of names are looked up: the operating system by default.
    pub lookup: Lookup,
    /// How long an answer of `lookup` is cached: 10 minutes by default, because the system does not report the name
    /// server's own lifetime. A failed lookup is cached for a tenth of this time.
    pub lookup_lifetime: Duration,
    /// The proxy for requests: by default the one that the environment names.
    pub proxy: ProxyChoice,
    /// Requests may leave only before this deadline; no deadline by default.
    pub deadline: Option<Arc<LeaseDeadline>>,
    /// Certificates of authorities that are trusted besides those of the system, in DER.
    pub trusted: Vec<Vec<u8>>,
    /// The most idle connections that are kept, over all hosts: 1,024 by default. Beyond this number, a request uses a
    /// connection that is closed after its response.
    pub max_idle_connections: usize,
    /// How long an idle connection is kept, one per host: 15 s by default, so that it outlives a delay of 5 to 10 s.
    pub idle_connection: Duration,
}

impl FetchConfig {
    /// The default settings with this user agent.
    pub fn new(user_agent: UserAgent) -> Self {
        Self {
            from: user_agent.email().map(str::to_owned),
            user_agent,
            resolve: Vec::new(),
            private: PrivateAccess::NONE,
            limits: Limits::default(),
            ip_spacing: IP_SPACING,
            max_requests_per_second: None,
            max_in_flight: None,
            lookup: Lookup::System,
            lookup_lifetime: Duration::from_secs(600),
            proxy: ProxyChoice::default(),
            deadline: None,
            trusted: Vec::new(),
            max_idle_connections: 1024,
            idle_connection: Duration::from_secs(15),
        }
    }
}

/// Limits on the size and the time of a response. A body is kept up to the limit, and marked as truncated.
///
/// The decoded size and its ratio to the coded size are limited where bodies are decoded
/// ([`CodingLimits`](goldminer_html::capture::coding::CodingLimits)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a body as received, before decoding: 10 MiB.
    pub body_bytes: usize,
    /// The most bytes of a robots.txt as received: 512 KiB, a little more than the 500 KiB that are parsed.
    pub robots_bytes: usize,
    /// The most bytes of all header fields of a response: 64 KiB. A response with more is a failure.
    pub header_bytes: usize,
    /// The most header fields of a response: 512 (hyper's default is 100).
    pub header_fields: usize,
    /// The longest time to connect, TLS included, and to resolve a name: 10 s each.
    pub connect: Duration,
    /// The longest time from the connection to the end of the headers: 30 s.
    pub first_byte: Duration,
    /// The longest time of the whole exchange: 120 s.
    pub total: Duration,
    /// The fewest bytes that a body must receive in each [`Limits::speed_window`]: 20 KiB, which is 1 KiB a second.
    pub least_bytes_per_window: usize,
    /// The time over which the speed of a body is measured: 20 s.
    pub speed_window: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 10 << 20,
            robots_bytes: 512 << 10,
            header_bytes: 64 << 10,
            header_fields: 512,
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(30),
            total: Duration::from_secs(120),
            least_bytes_per_window: 20 << 10,
            speed_window: Duration::from_secs(20),
        }
    }
}

/// A function that returns the IP addresses of a name, or the reason why there are none.
pub type LookupFn = dyn Fn(&str) -> Result<Vec<IpAddr>, String> + Send + Sync;

/// Where names are looked up. The guard checks every address that a lookup returns.
#[derive(Clone, Default)]
pub enum Lookup {
    /// The operating system.
    #[default]
    System,
    /// A function, for tests and for custom resolvers.
    Custom(Arc<LookupFn>),
}
