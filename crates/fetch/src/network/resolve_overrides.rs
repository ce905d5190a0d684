//! Applies the `--resolve` rules. A client's connector knows only names, but rules name a host and a port. All rules
//! for one port and target port share a client, because each client holds a megabyte of certificates.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustc_hash::FxHashMap;

use super::clients::Clients;
use crate::config::FetchConfig;

/// The default port of HTTPS, which HTTP/2 leaves out of `:authority`.
const HTTPS_PORT: u16 = 443;

/// The clients for all rules.
pub(crate) struct ResolveOverrides(Vec<PortOverrides>);

/// The client for the rules with the same port and the same target port.
struct PortOverrides {
    from: u16,
    targets: Arc<Targets>,
    clients: Clients,
}

/// The address of each name, and of all other names.
#[derive(Default)]
struct Targets {
    hosts: FxHashMap<String, SocketAddr>,
    any: Option<SocketAddr>,
}

impl Resolve for Targets {
    fn resolve(&self, name: Name) -> Resolving {
        let address = self.hosts.get(name.as_str()).copied().or(self.any);
        Box::pin(async move {
            let address = address.ok_or_else(|| format!("no --resolve rule for {}", name.as_str()))?;
            Ok(Box::new(std::iter::once(address)) as Addrs)
        })
    }
}

impl ResolveOverrides {
    /// Builds the clients. Of several rules for the same host and port, the first applies.
    ///
    /// # Errors
    /// When a client cannot be built.
    pub(crate) fn new(config: &FetchConfig) -> Result<Self, reqwest::Error> {
        let (mut known, mut ports) = (BTreeSet::new(), BTreeMap::<(u16, u16), Targets>::new());
        for rule in config.resolve.iter().filter(|rule| known.insert((rule.port, rule.host.as_deref()))) {
            let targets = ports.entry((rule.port, rule.target.port())).or_default();
            match &rule.host {
                Some(host) => drop(targets.hosts.insert(host.clone(), rule.target)),
                None => targets.any = Some(rule.target),
            }
        }
        let of_port = |((from, to), targets)| {
            // When the port in the URL is changed, the `Host` header can still name the original port, but HTTP/2's
            // `:authority` cannot.
            let http1 = from != HTTPS_PORT && to != from;
            let targets = Arc::new(targets);
            let clients = Clients::new(config, Arc::<Targets>::clone(&targets), http1, None)?;
            Ok(PortOverrides { from, targets, clients })
        };
        Ok(Self(ports.into_iter().map(of_port).collect::<Result<_, _>>()?))
    }

    /// The target of requests to a host name and port, and the client for it; None if no rule applies. A rule for the
    /// host takes precedence over a rule for any host.
    pub(crate) fn route(&self, name: &str, port: u16) -> Option<(SocketAddr, &Clients)> {
        let of_port = || self.0.iter().filter(|of_port| of_port.from == port);
        let own = of_port().find_map(|of| Some((*of.targets.hosts.get(name)?, &of.clients)));
        own.or_else(|| of_port().find_map(|of| Some((of.targets.any?, &of.clients))))
    }

    /// A port for which there is a rule that applies to this host name.
    pub(crate) fn port_of(&self, name: &str) -> Option<u16> {
        let applies = |port: &&PortOverrides| port.targets.any.is_some() || port.targets.hosts.contains_key(name);
        self.0.iter().find(applies).map(|of_port| of_port.from)
    }
}
