//! Divides the requests to an IP address between the workers that use it, for example for a content delivery network.
//! A worker saves the IP addresses of its requests, and reads how many other workers use each. Until it has saved an
//! address, it assumes that all workers use this address.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;

use goldminer_fetch::Fetcher;

use super::database::Database;
use crate::error::ClusterError;

/// The IP addresses that one session has saved.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    saved: HashSet<IpAddr>,
}

impl Addresses {
    /// Saves the IP addresses that got requests since the last call, reads how many workers use each address, and
    /// limits the fetcher accordingly. `alive` is the number of workers.
    pub(crate) async fn update(
        &mut self,
        db: &Database,
        session: i64,
        alive: u32,
        fetcher: &Fetcher,
    ) -> Result<(), ClusterError> {
        let asked: Vec<IpAddr> =
            fetcher.rate_limits.addresses().into_iter().filter(|address| !self.saved.contains(address)).collect();
        if !asked.is_empty() {
            let statement =
                "INSERT INTO address (address, session) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING";
            let addresses: Vec<String> = asked.iter().map(IpAddr::to_string).collect();
            db.query("writing down addresses", statement, &[&addresses, &session]).await?;
            self.saved.extend(asked);
        }
        let mut sharers: HashMap<IpAddr, u32> = self.saved.iter().map(|address| (*address, 1)).collect();
        if alive > 1 && !self.saved.is_empty() {
            let statement = "SELECT other.address, count(*) FROM address AS mine JOIN address AS other USING (address)
                JOIN worker ON worker.session = other.session AND NOT worker.dead
                WHERE mine.session = $1 GROUP BY other.address HAVING count(*) > 1";
            for row in db.query("reading which workers use an address", statement, &[&session]).await? {
                if let Ok(address) = row.get::<_, &str>(0).parse() {
                    sharers.insert(address, u32::try_from(row.get::<_, i64>(1)).unwrap_or(u32::MAX));
                }
            }
        }
        fetcher.rate_limits.share(alive, sharers);
        Ok(())
    }
}

/// Removes the IP addresses that dead sessions have saved.
pub(crate) async fn forget_dead(db: &Database) -> Result<(), ClusterError> {
    let statement = "DELETE FROM address USING worker WHERE worker.session = address.session AND worker.dead";
    db.query("forgetting addresses", statement, &[]).await.map(|_| ())
}
