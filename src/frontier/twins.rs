//! Sites that answer under several names: over `http` and `https`, with and without `www.`.

use super::Frontier;
use super::changes::Changes;
use crate::address::{CrawlUrl, Host};
use crate::store::StoreError;
use crate::store::frontier::{Account, Done, RowKey};

impl Frontier {
    /// Whether the same path was fetched under another name of the same site.
    pub(super) fn is_at_twin(&self, changes: &Changes, url: &CrawlUrl) -> Result<bool, StoreError> {
        for twin in other_names(&url.host()) {
            if !self.hosts.contains_key(&twin.key()) {
                continue;
            }
            let Ok(twin) = CrawlUrl::parse(&format!("{twin}{}", url.path_and_query())) else { continue };
            let row = self.url_row(changes, &RowKey::of(&twin))?;
            if row.is_some_and(|row| matches!(row.account, Account::Done(Done::Fetched | Done::NotModified))) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether two URLs are the same path under two names of one site.
pub(super) fn is_under_other_name(a: &CrawlUrl, b: &CrawlUrl) -> bool {
    a.path_and_query() == b.path_and_query() && other_names(&a.host()).contains(&b.host())
}

/// The names under which the same site may answer: the other scheme, with `www.` or without, on default ports.
pub(super) fn other_names(host: &Host) -> Vec<Host> {
    let Some((scheme, name)) = host.as_str().split_once("://") else { return Vec::new() };
    if host.root().given_port().is_some() || host.root().ip().is_some() {
        return Vec::new();
    }
    let other_scheme = if scheme == "http" { "https" } else { "http" };
    let other_name = name.strip_prefix("www.").map_or_else(|| format!("www.{name}"), str::to_owned);
    [(other_scheme, name), (scheme, other_name.as_str()), (other_scheme, other_name.as_str())]
        .into_iter()
        .filter_map(|(scheme, name)| Host::try_from(format!("{scheme}://{name}")).ok())
        .collect()
}
