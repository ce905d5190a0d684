//! Resolves host names to IP addresses that may be connected to. The connector uses this resolver too, so it connects
//! to the address that was checked, even if a name server changes its answer in between.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use super::guard::{self, PrivateAccess};
use crate::clock;
use crate::config::Lookup;
use crate::failure::{Cause, Failure};

/// The most names in the cache: several times the hosts of a large crawl.
const MAX_KNOWN_NAMES: usize = 50_000;

/// The most lookups at a time: each takes a thread and file descriptors.
const LOOKUPS_AT_A_TIME: usize = 64;

/// The most addresses of one family (IPv4, IPv6) that a request tries. Otherwise a name with hundreds of addresses
/// could turn each request into as many connections to other machines.
const ADDRESSES_A_FAMILY: usize = 3;

/// Looks names up, caches the answers, and checks the addresses.
pub(crate) struct Resolver {
    lookup: Lookup,
    access: PrivateAccess,
    patience: Duration,
    lifetime: Duration,
    cache: Cache<String, CachedName>,
    lookups: Semaphore,
}

#[derive(Clone)]
struct CachedName {
    until: Instant,
    addresses: Result<Arc<[IpAddr]>, Failure>,
}

impl Resolver {
    pub(crate) fn new(lookup: Lookup, access: PrivateAccess, patience: Duration, lifetime: Duration) -> Self {
        Self {
            lookup,
            access,
            patience,
            lifetime,
            cache: Cache::new(MAX_KNOWN_NAMES),
            lookups: Semaphore::new(LOOKUPS_AT_A_TIME),
        }
    }

    /// The allowed addresses of a name; never empty.
    pub(crate) async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, Failure> {
        let all = self.cached_or_looked_up(name).await?;
        let checked = all.iter().map(|address| guard::check(*address, self.access).map(|()| *address));
        let (allowed, refused): (Vec<_>, Vec<_>) = checked.partition(Result::is_ok);
        match refused.into_iter().find_map(Result::err) {
            Some(refusal) if allowed.is_empty() => Err(refusal.into()),
            _ => Ok(allowed.into_iter().flatten().collect()),
        }
    }

    async fn cached_or_looked_up(&self, name: &str) -> Result<Arc<[IpAddr]>, Failure> {
        if let Some(cached) = self.cache.get(name).filter(|cached| cached.until > clock::now()) {
            return cached.addresses;
        }
        let found = self.look_up(name).await;
        // A lookup that failed for lack of descriptors is not cached.
        if !matches!(&found, Err(failure) if failure.cause == Cause::NoDescriptors) {
            let lifetime = if found.is_ok() { self.lifetime } else { self.lifetime / 10 };
            self.cache.insert(name.to_owned(), CachedName { until: clock::now() + lifetime, addresses: found.clone() });
        }
        found
    }

    async fn look_up(&self, name: &str) -> Result<Arc<[IpAddr]>, Failure> {
        // The semaphore is never closed.
        let _one_of_few = self.lookups.acquire().await;
        let found: Vec<IpAddr> = match &self.lookup {
            Lookup::Custom(lookup) => lookup(name).map_err(|reason| Failure::new(Cause::UnknownName, reason))?,
            Lookup::System => match timeout(self.patience, tokio::net::lookup_host((name, 0))).await {
                Ok(Ok(sockets)) => sockets.map(|socket| socket.ip()).collect(),
                Ok(Err(error)) => return Err(Failure::new(cause(&error), format!("{name}: {error}"))),
                Err(_) => {
                    let waited = format!("{name}: nothing within {:?}", self.patience);
                    return Err(Failure::new(Cause::NameServer, waited));
                }
            },
        };
        if found.is_empty() {
            return Err(Failure::new(Cause::UnknownName, format!("{name} has no address")));
        }
        Ok(found.into())
    }
}

/// The cause of a failed lookup. The system reports all failures with one kind of error, so the message decides: the
/// message of glibc's `EAI_AGAIN` and of similar errors on other systems means that no name server answered.
fn cause(error: &std::io::Error) -> Cause {
    let text = error.to_string().to_ascii_lowercase();
    if is_out_of_descriptors(error) {
        Cause::NoDescriptors
    } else if text.contains("temporary failure") || text.contains("try again") {
        Cause::NameServer
    } else {
        Cause::UnknownName
    }
}

/// Makes the resolver available to the connector of an HTTP client.
pub(crate) struct ConnectorResolver {
    pub(crate) resolver: Arc<Resolver>,
    /// Whether the guard checks the addresses. It does not check the addresses of a proxy, which the operator chose.
    pub(crate) is_guarded: bool,
}

impl Resolve for ConnectorResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, is_guarded) = (Arc::clone(&self.resolver), self.is_guarded);
        Box::pin(async move {
            let addresses = match is_guarded {
                true => resolver.addresses(name.as_str()).await?,
                false => resolver.cached_or_looked_up(name.as_str()).await?.to_vec(),
            };
            // Port 0 stands for the URL's port.
            Ok(Box::new(few(addresses).map(|ip| SocketAddr::new(ip, 0))) as Addrs)
        })
    }
}

/// The first addresses of each family, in the order of the name server, which shuffles them.
fn few(addresses: Vec<IpAddr>) -> impl Iterator<Item = IpAddr> + Send {
    let (mut v4, mut v6) = (0, 0);
    addresses.into_iter().filter(move |address| {
        let count = if address.is_ipv4() { &mut v4 } else { &mut v6 };
        *count += 1;
        *count <= ADDRESSES_A_FAMILY
    })
}

/// Whether this process, or the whole machine, has no file descriptors left.
pub(crate) fn is_out_of_descriptors(error: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let code = error.raw_os_error();
    [Errno::MFILE, Errno::NFILE].iter().any(|errno| code == Some(errno.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_tries_only_a_few_addresses_of_a_name() {
        let v4 = (1..=250).map(|last| IpAddr::from([93, 184, 216, last]));
        let v6 = (1..=250).map(|last| IpAddr::from([0x2606, 0x2800, 0x220, 1, 0, 0, 0, last]));
        let all: Vec<IpAddr> = v4.chain(v6).collect();
        let lookup = Lookup::Custom(Arc::new(move |_| Ok(all.clone())));
        let patience = Duration::from_secs(1);
        let resolver = Arc::new(Resolver::new(lookup, PrivateAccess::NONE, patience, patience));
        let tried: Vec<SocketAddr> =
            match (ConnectorResolver { resolver, is_guarded: true }).resolve("many.example".parse().unwrap()).await {
                Ok(addresses) => addresses.collect(),
                Err(error) => panic!("{error}"),
            };
        let of_v4 = tried.iter().filter(|address| address.is_ipv4()).count();
        assert_eq!((tried.len(), of_v4), (2 * ADDRESSES_A_FAMILY, ADDRESSES_A_FAMILY), "{tried:?}");
    }
}
