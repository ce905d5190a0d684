//! Domains with hosts without end: a name server that answers for any name, and pages that link ever other ones. Each host
//! costs memory, a connection and a robots.txt, so that a domain has a limited number of them.

use goldminer_html::address::{CrawlUrl, HostKey};

use super::host::HostState;
use crate::frontier::Frontier;
use crate::frontier::accounts::events::FrontierEvent;

impl Frontier {
    /// A host that is known from now on.
    pub(crate) fn insert_host(&mut self, key: HostKey, host: HostState) {
        *self.hosts_of_domain.entry(host.domain).or_default() += 1;
        self.hosts.insert(key, host);
    }

    /// Whether a URL would bring one more host to a domain that has enough of them.
    pub(crate) fn is_beyond_hosts(&self, url: &CrawlUrl) -> bool {
        let hosts_of = |key: [u8; 8]| self.hosts_of_domain.get(&key).copied().unwrap_or(0);
        !self.hosts.contains_key(&url.host().key()) && hosts_of(url.domain().key()) >= self.config.hosts_of_domain
    }

    /// Says once that a domain has enough hosts.
    pub(crate) fn remark_many_hosts(&mut self, url: &CrawlUrl) {
        let domain = url.domain();
        if self.full_domains.insert(domain.key()) {
            let hosts = self.config.hosts_of_domain;
            self.events.push(FrontierEvent::ManyHosts { domain: domain.to_string(), hosts });
        }
    }
}
