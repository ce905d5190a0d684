//! The HTTP clients, which make all connections. There is one client for each route (direct, by a `--resolve` rule,
//! through a proxy), because each needs its own name resolution. Each route has a second client that does not keep
//! connections.

use std::sync::{Arc, OnceLock};

use reqwest::Client;
use reqwest::dns::Resolve;
use tower_layer::layer_fn;

use crate::config::FetchConfig;
use crate::lease_deadline::FencedConnector;

/// The two clients of one route.
pub(crate) struct Clients {
    keeping: Client,
    closing: OnceLock<Client>,
    recipe: Box<dyn Fn(bool) -> Result<Client, reqwest::Error> + Send + Sync>,
}

impl Clients {
    /// A route with names resolved by `resolver`, through `proxy` if one is given. With `http1`, HTTP/2 is not
    /// offered.
    pub(crate) fn new(
        config: &FetchConfig,
        resolver: Arc<dyn Resolve>,
        http1: bool,
        proxy: Option<reqwest::Proxy>,
    ) -> Result<Self, reqwest::Error> {
        let config = config.clone();
        let recipe = move |keeps| client(&config, &resolver, http1, proxy.as_ref(), keeps);
        Ok(Self { keeping: recipe(true)?, closing: OnceLock::new(), recipe: Box::new(recipe) })
    }

    /// Returns the client that keeps a connection for the host's next request or, if `keeps` is false, the client that
    /// closes its connections. The latter is built when it is first needed.
    pub(crate) fn client(&self, keeps: bool) -> &Client {
        if keeps {
            return &self.keeping;
        }
        // A client with the same settings was built before, so this hardly ever fails. If it does, one connection too
        // many is kept, which does less harm than a failed request.
        self.closing.get_or_init(|| (self.recipe)(false).unwrap_or_else(|_| self.keeping.clone()))
    }
}

#[allow(clippy::disallowed_methods, reason = "only this function opens connections, behind the address guard")]
fn client(
    config: &FetchConfig,
    resolver: &Arc<dyn Resolve>,
    http1: bool,
    proxy: Option<&reqwest::Proxy>,
    keeps: bool,
) -> Result<Client, reqwest::Error> {
    // This fails if a provider is installed already; that one is used then.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let limits = &config.limits;
    let builder = || {
        // `no_proxy` also stops reqwest from reading the environment: `proxy` does that.
        let builder = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .tls_info(true)
            .referer(false)
            .dns_resolver(Arc::clone(resolver))
            .connect_timeout(limits.connect)
            .pool_max_idle_per_host(usize::from(keeps))
            .pool_idle_timeout(config.idle_connection)
            .http1_max_headers(limits.header_fields)
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http2_max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX));
        let builder = if http1 { builder.http1_only() } else { builder };
        let deadline = config.deadline.clone();
        let fence = layer_fn(move |inner| FencedConnector { inner, deadline: deadline.clone() });
        let builder = builder.connector_layer(fence);
        match proxy {
            Some(proxy) => builder.proxy(proxy.clone()),
            None => builder,
        }
    };
    let own: Vec<_> = config.trusted.iter().map(|der| reqwest::Certificate::from_der(der)).collect::<Result<_, _>>()?;
    // The system's certificates are used. If there are none, as in a minimal container, reqwest fails to build, and
    // Mozilla's certificates are used.
    let by_system = if own.is_empty() { builder() } else { builder().tls_certs_merge(own.clone()) };
    by_system.build().or_else(|_| builder().tls_certs_merge(mozilla_roots()?.into_iter().chain(own)).build())
}

fn mozilla_roots() -> Result<Vec<reqwest::Certificate>, reqwest::Error> {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().map(|root| reqwest::Certificate::from_der(root)).collect()
}
