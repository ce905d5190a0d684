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

/// The pause of an address: 250 ms.
///
/// An address may be a small machine with a hundred sites, or a content delivery network with a hundred thousand. The
/// delay of each host, which grows with its response time, protects the site; this pause keeps the sum of their
/// requests from reaching one machine at once. Heritrix, Nutch and StormCrawler queue by host and know addresses as an
/// option only. BUbiNG's example has 2 s for an address with 10 s for a host, SpiderLing 1 s with 20 s. With 1 s, each
/// of 100 portals behind 4 addresses of a network would get a request every 25 s instead of every 5 s. With a twentieth
/// of the host's delay, SpiderLing's ratio, each gets one every 6 s, and no address gets more than 4 requests a second.
pub const IP_SPACING: Duration = Duration::from_millis(250);

/// Options of fetching.
#[derive(Clone)]
pub struct FetchConfig {
    /// How the crawler identifies itself.
    pub user_agent: UserAgent,
    /// The `From` header; the user agent's e-mail address by default, none if it has none.
    pub from: Option<String>,
    /// Names that are pointed at an address. A rule for one host precedes a rule for any host; of several that apply,
    /// the first counts.
    pub resolve: Vec<ResolveRule>,
    /// The addresses that are allowed besides the public internet: none by default.
    pub private: PrivateAccess,
    /// Limits on the size and the time of a response.
    pub limits: Limits,
    /// The least time between the starts of two requests to one IP address, over all hosts; zero for none.
    /// [`IP_SPACING`] by default.
    pub ip_spacing: Duration,
    /// Requests a second over all hosts; no ceiling by default.
    pub max_requests_per_second: Option<NonZeroU32>,
    /// Requests in flight over all hosts, for a fetcher that several crawls share; no ceiling by default.
    pub max_in_flight: Option<NonZeroUsize>,
    /// Where the addresses of names are looked up: the operating system by default.
    pub lookup: Lookup,
    /// How long an answer of `lookup` is valid: 10 minutes by default. The system does not report the name server's own
    /// lifetime. A name without an address is looked up again after a tenth of this time.
    pub lookup_lifetime: Duration,
    /// The proxy for requests: by default the one that the environment names.
    pub proxy: ProxyChoice,
    /// The time until which requests may leave; no deadline by default.
    pub deadline: Option<Arc<LeaseDeadline>>,
    /// Certificates of authorities that are trusted besides those of the system, in DER.
    pub trusted: Vec<Vec<u8>>,
    /// Idle connections that are kept, over all hosts: 1,024 by default. A host beyond them gets a connection that is
    /// closed after its answer.
    pub max_idle_connections: usize,
    /// How long an idle connection is kept, one per host: 15 s by default, so that it outlives a delay of 5 to 10 s.
    pub idle_connection: Duration,
}

impl FetchConfig {
    /// The defaults, under a name.
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

/// Limits on what is received. What came until a limit was reached is kept, and marked as cut.
///
/// Decoded bytes and their ratio to the coded ones are limited where bodies are decoded
/// ([`CodingLimits`](goldminer_html::capture::coding::CodingLimits)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a body as it comes over the wire: 10 MiB.
    pub body_bytes: usize,
    /// Bytes of a robots.txt as it comes over the wire: 512 KiB, a little more than is read of it.
    pub robots_bytes: usize,
    /// Bytes of all header fields of a response: 64 KiB. A response with more gives nothing.
    pub header_bytes: usize,
    /// Header fields of a response: 512 (hyper alone refuses more than 100).
    pub header_fields: usize,
    /// The time until a connection is established, TLS included, and the time until a name is resolved: 10 s each.
    pub connect: Duration,
    /// The time from the connection to the end of the headers: 30 s.
    pub first_byte: Duration,
    /// The time of the whole exchange: 120 s.
    pub total: Duration,
    /// The fewest bytes that a body must receive in each [`Limits::speed_window`]: 20 KiB, which is 1 KiB a second.
    pub least_bytes_per_window: usize,
    /// The time over which the speed is measured: 20 s.
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

/// A function from a name to its addresses, or to the reason why there are none.
pub type LookupFn = dyn Fn(&str) -> Result<Vec<IpAddr>, String> + Send + Sync;

/// Where names are looked up. The guard checks every address that is returned.
#[derive(Clone, Default)]
pub enum Lookup {
    /// The operating system.
    #[default]
    System,
    /// A function, for tests and for resolvers of one's own.
    Given(Arc<LookupFn>),
}
