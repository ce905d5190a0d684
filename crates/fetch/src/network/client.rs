//! The fetcher sends one request and returns its capture. It returns redirects like any other response, because the
//! next host has its own robots.txt and delay. It neither keeps nor sends cookies, repeats no request, and keeps
//! bodies in their content coding.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use goldminer_html::capture::Headers;
use goldminer_html::{Capture, CrawlUrl, HostKey};
use http::header::{HOST, HeaderValue};
use http::response::Parts;
use jiff::Timestamp;
use reqwest::Response;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::clients::Clients;
use super::guard::{GuardRefusal, PrivateAccess};
use super::idle::IdleBudget;
use super::proxy::Proxies;
use super::resolve_overrides::ResolveOverrides;
use super::resolver::{ConnectorResolver, Resolver};
use super::{failure, guard, proxy};
use crate::config::{FetchConfig, Limits};
use crate::failure::{Cause, Failure};
use crate::lease_deadline::{LeaseDeadline, LeaseEnded, Recall};
use crate::rate_limits::{RateLimits, SharedAddress};
use crate::request::Request;
use crate::response::body;
use crate::response::kind::MediaKind;
use crate::response::long_files::LongFileSlots;
use crate::{clock, request};

/// The result of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// A response with any status. Its body may be truncated ([`Capture::truncated`]).
    Response(Box<Capture>),
    /// A successful response of a media type that is not wanted. The capture has the headers, but no body was
    /// downloaded.
    Unwanted(Box<Capture>, MediaKind),
    /// There was no response.
    Failed(Failure),
}

impl Fetched {
    /// The response, if there was one.
    pub fn capture(&self) -> Option<&Capture> {
        match self {
            Self::Response(capture) | Self::Unwanted(capture, _) => Some(capture),
            Self::Failed(_) => None,
        }
    }
}

/// Whether a request may leave now, by the pause of its IP address and the limits over all hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// The request may leave now, and its permit is taken.
    Go,
    /// The request may leave after this time: another host of this address had a request just now, or a limit over
    /// all hosts is reached.
    Wait(Duration, Option<SharedAddress>),
    /// The request would fail: the name has no address, or the guard refuses it.
    Refused(Failure),
}

/// A setting with which no HTTP client can be built.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A header value that cannot be sent.
    #[error("{header} can't be {value:?}: a header carries printable ASCII only")]
    Header {
        /// The header's name.
        header: &'static str,
        /// The configured value.
        value: String,
    },
    /// The HTTP client cannot be built.
    #[error("the HTTP client can't be built: {0}")]
    Client(#[from] reqwest::Error),
}

/// Sends requests. A crawl has one fetcher, shared by its tasks.
pub struct Fetcher {
    user_agent: HeaderValue,
    from: Option<HeaderValue>,
    access: PrivateAccess,
    limits: Limits,
    resolver: Arc<Resolver>,
    deadline: Option<Arc<LeaseDeadline>>,
    /// Pauses by IP address, and limits over all hosts.
    pub rate_limits: RateLimits,
    in_flight: Option<Semaphore>,
    idle: IdleBudget,
    long_files: Arc<LongFileSlots>,
    direct: Clients,
    resolve_overrides: ResolveOverrides,
    proxies: Proxies,
    proxied: Vec<(http::Uri, Clients)>,
}

/// The target of a URL, before names are looked up.
enum Route<'a> {
    Rule(SocketAddr, &'a Clients),
    Proxy(&'a Clients),
    Literal(IpAddr),
    Name(&'a str),
}

impl Fetcher {
    /// Creates the HTTP clients, without sending a request.
    ///
    /// # Errors
    /// When a header value cannot be sent, or TLS cannot be set up.
    pub fn new(config: FetchConfig) -> Result<Self, FetchError> {
        let header = |header, value: &str| {
            HeaderValue::from_str(value).map_err(|_| FetchError::Header { header, value: value.to_owned() })
        };
        let resolver = Arc::new(Resolver::new(
            config.lookup.clone(),
            config.private,
            config.limits.connect,
            config.lookup_lifetime,
        ));
        let connector_resolver =
            |is_guarded| Arc::new(ConnectorResolver { resolver: Arc::clone(&resolver), is_guarded });
        let resolve_overrides = ResolveOverrides::new(&config)?;
        let proxies = Proxies::new(&config.proxy);
        let proxied = proxies
            .all()
            .into_iter()
            .map(|proxy| {
                let clients =
                    Clients::new(&config, connector_resolver(false), false, Some(proxy::for_client(&proxy)?))?;
                Ok((proxy.uri().clone(), clients))
            })
            .collect::<Result<_, reqwest::Error>>()?;
        Ok(Self {
            user_agent: header("User-Agent", config.user_agent.as_str())?,
            from: config.from.as_deref().map(|from| header("From", from)).transpose()?,
            access: config.private,
            limits: config.limits,
            rate_limits: RateLimits::new(config.ip_spacing, config.max_requests_per_second),
            in_flight: config.max_in_flight.map(|most| Semaphore::new(most.get())),
            long_files: Arc::default(),
            idle: IdleBudget::new(config.max_idle_connections, config.idle_connection),
            direct: Clients::new(&config, connector_resolver(true), false, None)?,
            resolver,
            deadline: config.deadline,
            resolve_overrides,
            proxies,
            proxied,
        })
    }

    /// Waits for a permit to have a request in flight. Drop the permit to release it. None if there is no limit.
    pub async fn in_flight_permit(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        self.in_flight.as_ref()?.acquire().await.ok()
    }

    /// Whether a request may leave: resolves the name, checks the address, and takes permits of the limits. It may
    /// wait for the name server, never for a limit.
    pub async fn admit(&self, url: &CrawlUrl) -> Admission {
        match self.target(url).await {
            Ok(address) => match self.rate_limits.take(address, url.host().key()) {
                Ok(()) => Admission::Go,
                Err((wait, address)) => Admission::Wait(wait, address),
            },
            Err(failure) => Admission::Refused(failure),
        }
    }

    /// The IP address that a request would go to; None if it is unknown or behind a proxy.
    pub async fn address(&self, url: &CrawlUrl) -> Option<IpAddr> {
        self.target(url).await.ok().flatten()
    }

    /// Whether the deadline allows a request to leave.
    pub fn is_open(&self) -> bool {
        self.deadline.as_ref().is_none_or(|deadline| deadline.is_open())
    }

    /// Sends one request at time `now` and receives the response within the limits. The IP address is checked even if
    /// [`Self::admit`] was not called. After the lease deadline no request leaves, and requests that outlast the
    /// deadline are cut off.
    pub async fn fetch(&self, request: &Request, now: Timestamp) -> Fetched {
        match &self.deadline {
            None => self.exchange(request, now).await,
            Some(deadline) if deadline.is_open() => {
                deadline.limit(self.exchange(request, now)).await.unwrap_or_else(cut_off)
            }
            Some(_) => fenced(),
        }
    }

    /// Like [`Fetcher::fetch`], but the request does not leave if it is recalled before.
    pub async fn fetch_unless(&self, recall: &Recall, request: &Request, now: Timestamp) -> Fetched {
        match recall.is_called() {
            true => fenced(),
            false => recall.clone().around(self.fetch(request, now)).await,
        }
    }

    async fn exchange(&self, request: &Request, now: Timestamp) -> Fetched {
        let (clients, url, is_proxied) = match self.destination(&request.url) {
            Ok(destination) => destination,
            Err(refusal) => return Fetched::Failed(refusal.into()),
        };
        let mut headers = request::headers(request, &self.user_agent, self.from.as_ref());
        let request_head = request::head(&request.url, &headers);
        if url.port() != request.url.given_port()
            && let Ok(host) = HeaderValue::from_str(request.url.authority())
        {
            headers.insert(HOST, host);
        }
        let started = clock::now();
        let deadline = started + self.limits.total;
        let host = request.url.host().key();
        let domain = request.url.domain().key();
        let keeps = self.idle.take(host, domain, request.accept, started);
        let _use = InUse { idle: &self.idle, host };
        let asked = clients.client(keeps).get(url).headers(headers);
        let response = match self.response(asked, started, is_proxied).await {
            Ok(response) => response,
            Err(failure) => return Fetched::Failed(failure),
        };
        // The address of a proxy says nothing about the portal's address.
        let peer = response.remote_addr().map(|socket| socket.ip()).filter(|_| !is_proxied);
        let (head, body) = http::Response::from(response).into_parts();
        let slot = (&request.slot, &self.long_files, domain);
        let received = body::receive(&head, body, request.accept, &self.limits, deadline, slot).await;
        let mut capture = Box::new(Capture::new(request.url.clone(), now, head.status.as_u16()));
        capture.peer = peer;
        capture.protocols = protocols(&head);
        capture.request_head = request_head;
        capture.reason = reason(&head);
        capture.headers = received_headers(&head);
        capture.body = received.bytes;
        capture.truncated = received.truncated;
        capture.elapsed = clock::now().duration_since(started);
        // The type of a redirect or an error does not matter.
        if head.status.is_success() && received.is_unwanted {
            return Fetched::Unwanted(capture, received.kind);
        }
        Fetched::Response(capture)
    }

    /// Receives the head of the response, within the limits of time and size.
    async fn response(
        &self,
        request: reqwest::RequestBuilder,
        started: Instant,
        is_proxied: bool,
    ) -> Result<Response, Failure> {
        let patience = (self.limits.connect + self.limits.first_byte).min(self.limits.total);
        let response = match timeout_at(started + patience, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(failure::of(&error, is_proxied)),
            Err(_) => return Err(Failure::new(Cause::Timeout, format!("no headers within {patience:?}"))),
        };
        // The resolver has checked the address already; this catches a connector that bypassed the resolver.
        if let Some(peer) = response.remote_addr().filter(|_| !is_proxied) {
            guard::check(peer.ip(), self.access).map_err(Failure::from)?;
        }
        // This response is from the proxy, not from the portal.
        if is_proxied && response.status() == http::StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            return Err(Failure::new(Cause::Proxy, "it requires a user name and a password (status 407)"));
        }
        let bytes: usize = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if bytes > self.limits.header_bytes {
            return Err(Failure::new(Cause::TooManyHeaders, format!("{bytes} bytes of headers")));
        }
        Ok(response)
    }

    fn route<'a>(&'a self, url: &'a CrawlUrl) -> Route<'a> {
        let name = url.host_name();
        if let Some((target, clients)) = self.resolve_overrides.route(name, url.port()).filter(|_| url.ip().is_none()) {
            return Route::Rule(target, clients);
        }
        let proxy = self.proxies.of(url);
        if let Some((_, clients)) = proxy.and_then(|proxy| self.proxied.iter().find(|(uri, _)| uri == proxy.uri())) {
            return Route::Proxy(clients);
        }
        url.ip().map_or(Route::Name(name), Route::Literal)
    }

    /// Checks whether the target of a URL may be connected to, as far as this is known before its name is looked up. An
    /// IP address in a URL is checked only here, because it never reaches the resolver.
    fn check_route(&self, url: &CrawlUrl, route: &Route<'_>) -> Result<(), GuardRefusal> {
        match route {
            Route::Rule(target, _) => guard::check(target.ip(), self.access),
            Route::Literal(address) => guard::check(*address, self.access),
            Route::Proxy(_) => proxy::check(url, self.access),
            Route::Name(_) => Ok(()),
        }
    }

    /// The client to use, the URL to request with it, and whether it goes through a proxy.
    fn destination<'a>(&'a self, url: &'a CrawlUrl) -> Result<(&'a Clients, Url, bool), GuardRefusal> {
        let (route, mut sent) = (self.route(url), url.to_url());
        self.check_route(url, &route)?;
        Ok(match route {
            Route::Name(_) | Route::Literal(_) => (&self.direct, sent, false),
            Route::Proxy(clients) => (clients, sent, true),
            Route::Rule(target, clients) => {
                // A port in the URL overrides the connector's port. So the URL gets the target port, and `Host` the
                // original one. Setting the port cannot fail for a URL with a host.
                if sent.port().is_some() {
                    let _ = sent.set_port(Some(target.port()));
                }
                (clients, sent, false)
            }
        })
    }

    /// The checked IP address that a request would go to; None behind a proxy.
    async fn target(&self, url: &CrawlUrl) -> Result<Option<IpAddr>, Failure> {
        let route = self.route(url);
        self.check_route(url, &route)?;
        Ok(match route {
            Route::Rule(target, _) => Some(target.ip()),
            Route::Literal(address) => Some(address),
            // Only the proxy knows the addresses of hosts behind it.
            Route::Proxy(_) => None,
            // Name servers shuffle their answers; the smallest address is the same each time.
            Route::Name(name) => match (self.resolver.addresses(name).await, self.resolve_overrides.port_of(name)) {
                (Ok(addresses), _) => addresses.into_iter().min(),
                (Err(Failure { cause, detail }), Some(port)) => {
                    let own = url.port();
                    let detail =
                        format!("{detail}; --resolve has a rule for port {port}, but this URL needs port {own}");
                    return Err(Failure::new(cause, detail));
                }
                (Err(failure), None) => return Err(failure),
            },
        })
    }
}

fn fenced() -> Fetched {
    Fetched::Failed(Failure::new(Cause::LeaseEnded, LeaseEnded.to_string()))
}

/// The result of a request that was cut off. The request may have left, so the host's delay must be kept.
fn cut_off() -> Fetched {
    Fetched::Failed(Failure::new(Cause::BrokeOff, "this worker's lease on the portal expired before it was complete"))
}

/// Marks a host's connection as idle when this is dropped, however the request ends.
struct InUse<'a> {
    idle: &'a IdleBudget,
    host: HostKey,
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        self.idle.release(self.host, clock::now());
    }
}

/// The protocols of the exchange, named as in `WARC-Protocol`. The HTTP library does not report the cipher suite.
fn protocols(head: &Parts) -> Vec<String> {
    let http = match head.version {
        http::Version::HTTP_10 => "http/1.0",
        http::Version::HTTP_2 => "h2",
        _ => "http/1.1",
    };
    let tls = head.extensions.get::<reqwest::tls::TlsInfo>().and_then(reqwest::tls::TlsInfo::version);
    let tls = match tls {
        Some(reqwest::tls::Version::TLS_1_2) => Some("tls/1.2"),
        Some(reqwest::tls::Version::TLS_1_3) => Some("tls/1.3"),
        _ => None,
    };
    std::iter::once(http).chain(tls).map(str::to_owned).collect()
}

/// The reason phrase; HTTP/2 has none.
fn reason(head: &Parts) -> String {
    if head.version > http::Version::HTTP_11 {
        return String::new();
    }
    match head.extensions.get::<hyper::ext::ReasonPhrase>() {
        Some(phrase) => String::from_utf8_lossy(phrase.as_bytes()).into_owned(),
        None => head.status.canonical_reason().unwrap_or_default().to_owned(),
    }
}

/// The header fields as received, except that hyper makes names lower-case and groups fields of one name. The transfer
/// coding has been removed, so its field is removed too.
fn received_headers(head: &Parts) -> Headers {
    head.headers
        .iter()
        .filter(|(name, _)| *name != http::header::TRANSFER_ENCODING)
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::UserAgent;

    #[tokio::test]
    async fn a_request_beyond_the_limit_waits_until_another_has_ended() {
        let user_agent = UserAgent::new("goldbot/1.0 (+https://example.org/bot; bot@example.org)").unwrap();
        let config = FetchConfig { max_in_flight: NonZeroUsize::new(2), ..FetchConfig::new(user_agent.clone()) };
        let fetcher = Fetcher::new(config).unwrap();
        let (first, _second) = (fetcher.in_flight_permit().await, fetcher.in_flight_permit().await);
        assert!(
            tokio::time::timeout(Duration::ZERO, fetcher.in_flight_permit()).await.is_err(),
            "a third is in flight"
        );
        drop(first);
        assert!(tokio::time::timeout(Duration::ZERO, fetcher.in_flight_permit()).await.is_ok());
        let open = Fetcher::new(FetchConfig::new(user_agent)).unwrap();
        assert!(open.in_flight_permit().await.is_none(), "there is no limit by default");
    }
}
