//! The fetcher: one request, one hop, one capture. Redirects are answers like any other, because the next hop has a
//! host, robots and a delay of its own. Cookies are neither kept nor sent, proxies of the environment are not used,
//! nothing is sent twice, and bodies stay coded.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http::header::{HOST, HeaderValue};
use jiff::Timestamp;
use reqwest::dns::Resolve;
use reqwest::{Client, Response};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::body;
use super::config::{FetchConfig, Limits};
use super::failure;
use super::guard::{self, GuardRefusal, PrivateAccess};
use super::kind::MediaKind;
use super::request::{self, Request};
use super::resolve::ResolveRule;
use super::resolver::{Guarded, Pinned, ResolveFailure, Resolver};
use super::spacing::Spacing;
use crate::address::CrawlUrl;
use crate::capture::{Capture, Headers};
use crate::failure::{Cause, Failure};

/// What a fetch gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// A response, of any status. Its body may be cut ([`Capture::truncated`]).
    Response(Box<Capture>),
    /// A good response whose body is of no use: its headers are here, its body was not downloaded.
    Unwanted(Box<Capture>, MediaKind),
    /// No response.
    Failed(Failure),
}

impl Fetched {
    /// The exchange, if there was one.
    #[must_use]
    pub fn capture(&self) -> Option<&Capture> {
        match self {
            Self::Response(capture) | Self::Unwanted(capture, _) => Some(capture),
            Self::Failed(_) => None,
        }
    }
}

/// Whether a request may leave now, as far as addresses and ceilings are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It may; the permit is taken.
    Go,
    /// Not before that much time has passed.
    Wait(Duration),
    /// It need not: it leads nowhere, or where the guard forbids.
    Refused(Failure),
}

/// A configuration that no client can be made of.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A value that cannot be sent.
    #[error("{header} can't be {value:?}: a header carries printable ASCII only")]
    Header {
        /// The header's name.
        header: &'static str,
        /// What was configured.
        value: String,
    },
    /// The HTTP client.
    #[error("the HTTP client can't be built: {0}")]
    Client(#[from] reqwest::Error),
}

/// Fetches; one for a whole crawl, shared by its tasks.
pub struct Fetcher {
    user_agent: HeaderValue,
    from: Option<HeaderValue>,
    access: PrivateAccess,
    limits: Limits,
    resolver: Arc<Resolver>,
    spacing: Spacing,
    client: Client,
    /// A rule is a client of its own: the connector knows names, but rules are about names and ports.
    ruled: Vec<(ResolveRule, Client)>,
}

/// Where a URL leads, before names are looked up.
enum Route<'a> {
    Rule(SocketAddr, &'a Client),
    Literal(IpAddr),
    Name(&'a str),
}

impl Fetcher {
    /// Makes the clients; nothing is asked of the network.
    ///
    /// # Errors
    /// When a header's value cannot be sent, or there is no TLS.
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
        let ruled = config
            .resolve
            .iter()
            .map(|rule| Ok((rule.clone(), client(&config, Arc::new(Pinned(rule.target())))?)))
            .collect::<Result<_, reqwest::Error>>()?;
        Ok(Self {
            user_agent: header("User-Agent", config.user_agent.as_str())?,
            from: config.from.as_deref().map(|from| header("From", from)).transpose()?,
            access: config.private,
            limits: config.limits,
            spacing: Spacing::new(config.ip_spacing, config.max_requests_per_second, config.max_bytes_per_second),
            client: client(&config, Arc::new(Guarded(Arc::clone(&resolver))))?,
            resolver,
            ruled,
        })
    }

    /// Asks whether a request may leave: resolves the name, judges the address, and takes a permit of the ceilings. It
    /// waits for the name server at most; it never sleeps off a ceiling.
    pub async fn admit(&self, url: &CrawlUrl) -> Admission {
        let address = match self.route(url) {
            Route::Rule(target, _) => self.judged(target.ip()),
            Route::Literal(address) => self.judged(address),
            // Name servers shuffle; the least of the addresses is the same one each time.
            Route::Name(name) => self.resolver.addresses(name).await.map(|all| all.into_iter().min()),
        };
        match address {
            Ok(Some(address)) => self.spacing.take(address).map_or_else(Admission::Wait, |()| Admission::Go),
            Ok(None) => Admission::Refused(Failure::new(Cause::UnknownName, "no address")),
            Err(ResolveFailure::Refused(refusal)) => Admission::Refused(refusal.into()),
            Err(ResolveFailure::Unresolved(failure)) => Admission::Refused(failure),
        }
    }

    /// Sends one request at `now` and receives what comes, within the limits. The guard holds here too, admitted or not.
    pub async fn fetch(&self, request: &Request, now: Timestamp) -> Fetched {
        let (client, url) = match self.destination(&request.url) {
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
        let started = Instant::now();
        let deadline = started + self.limits.total;
        let mut response = match self.response(client.get(url).headers(headers), started).await {
            Ok(response) => response,
            Err(failure) => return Fetched::Failed(failure),
        };
        let received = body::receive(&mut response, request.accept, &self.limits, deadline).await;
        self.spacing.charge(received.wire_bytes);
        let capture = Box::new(Capture {
            url: request.url.clone(),
            fetched: now,
            peer: response.remote_addr().map(|socket| socket.ip()),
            request_head,
            status: response.status().as_u16(),
            reason: reason(&response),
            headers: received_headers(&response),
            body: received.bytes,
            truncated: received.truncated,
            elapsed: started.elapsed(),
        });
        // A redirect or an error says what it says whatever comes with it.
        if response.status().is_success() && !request.accept.wants(received.kind) {
            return Fetched::Unwanted(capture, received.kind);
        }
        Fetched::Response(capture)
    }

    /// The response's head, within the limits of time and size.
    async fn response(&self, request: reqwest::RequestBuilder, started: Instant) -> Result<Response, Failure> {
        let patience = (self.limits.connect + self.limits.first_byte).min(self.limits.total);
        let response = match timeout_at(started + patience, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(failure::of(&error)),
            Err(_) => return Err(Failure::new(Cause::Timeout, format!("no headers within {patience:?}"))),
        };
        // The resolver has judged the address already; this would catch a connector that went another way.
        if let Some(peer) = response.remote_addr() {
            guard::check(peer.ip(), self.access).map_err(Failure::from)?;
        }
        let bytes: usize = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if bytes > self.limits.header_bytes {
            return Err(Failure::new(Cause::TooManyHeaders, format!("{bytes} bytes of headers")));
        }
        Ok(response)
    }

    fn route<'a>(&'a self, url: &'a CrawlUrl) -> Route<'a> {
        if let Some(address) = url.ip() {
            return Route::Literal(address);
        }
        let name = url.host_name();
        match self.ruled.iter().find(|(rule, _)| rule.applies_to(name, url.port())) {
            Some((rule, client)) => Route::Rule(rule.target(), client),
            None => Route::Name(name),
        }
    }

    /// The client to use, and the URL to give it.
    fn destination<'a>(&'a self, url: &'a CrawlUrl) -> Result<(&'a Client, Url), GuardRefusal> {
        let mut sent = url.to_url();
        match self.route(url) {
            Route::Name(_) => Ok((&self.client, sent)),
            // Addresses in URLs never reach the resolver.
            Route::Literal(address) => guard::check(address, self.access).map(|()| (&self.client, sent)),
            Route::Rule(target, client) => {
                guard::check(target.ip(), self.access)?;
                // A port in the URL outranks the connector's, so it is changed and the true one put into `Host` (over
                // HTTP/2 the server sees the changed one). It cannot fail on a URL with a host.
                if sent.port().is_some() {
                    let _ = sent.set_port(Some(target.port()));
                }
                Ok((client, sent))
            }
        }
    }

    fn judged(&self, address: IpAddr) -> Result<Option<IpAddr>, ResolveFailure> {
        guard::check(address, self.access)?;
        Ok(Some(address))
    }
}

/// The one place where connections come from.
#[allow(clippy::disallowed_methods)]
fn client(config: &FetchConfig, resolver: Arc<dyn Resolve>) -> Result<Client, reqwest::Error> {
    // It fails when a provider is there already, which is as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let limits = &config.limits;
    let builder = || {
        Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .dns_resolver(Arc::clone(&resolver))
            .connect_timeout(limits.connect)
            .pool_max_idle_per_host(1)
            .pool_idle_timeout(config.idle_connection)
            .http1_max_headers(limits.header_fields)
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http2_max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
    };
    // The system's trust decides. A bare container has none, and reqwest then refuses to build: Mozilla's roots do.
    builder().build().or_else(|_| builder().tls_certs_merge(mozilla_roots()?).build())
}

fn mozilla_roots() -> Result<Vec<reqwest::Certificate>, reqwest::Error> {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().map(|root| reqwest::Certificate::from_der(root)).collect()
}

/// The reason phrase; HTTP/2 has none.
fn reason(response: &Response) -> String {
    if response.version() > http::Version::HTTP_11 {
        return String::new();
    }
    match response.extensions().get::<hyper::ext::ReasonPhrase>() {
        Some(phrase) => String::from_utf8_lossy(phrase.as_bytes()).into_owned(),
        None => response.status().canonical_reason().unwrap_or_default().to_owned(),
    }
}

/// As received, except that hyper has put names in lower case and fields of one name together. The transfer coding is
/// undone, so its field would lie.
fn received_headers(response: &Response) -> Headers {
    response
        .headers()
        .iter()
        .filter(|(name, _)| *name != http::header::TRANSFER_ENCODING)
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect()
}
