//! Profiles through the database: what a partition learned is committed with its documents, and a partition that begins
//! takes what is known of its domains. A profile's version is counted by the database.

use std::collections::{BTreeMap, BTreeSet};

use goldminer_crawl::config::Config;

use crate::db::database::Database;
use crate::db::schema;
use crate::error::ClusterError;

/// A profile as the database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Learned {
    pub(crate) key: String,
    pub(crate) blake3: String,
    pub(crate) json: String,
}

/// The last versions of a job at rest, but for those that were committed already (digests by key).
pub(crate) fn new_of(learned: Vec<(String, String)>, known: &BTreeMap<String, String>) -> Vec<Learned> {
    let with_digest = |(key, json): (String, String)| {
        let blake3 = blake3::hash(json.as_bytes()).to_hex().to_string();
        Learned { key, blake3, json }
    };
    let mut learned: Vec<Learned> = learned.into_iter().map(with_digest).collect();
    learned.retain(|profile| known.get(&profile.key) != Some(&profile.blake3));
    learned
}

/// What is known of the domains that a configuration's portals start in, as JSON.
pub(crate) async fn known(db: &Database, config: &Config) -> Result<Vec<String>, ClusterError> {
    let starts = config.portals.iter().flat_map(|portal| &portal.start);
    let domains: BTreeSet<String> =
        starts.flat_map(|url| [url.site(), url.domain()]).map(|name| name.as_str().to_owned()).collect();
    let domains: Vec<String> = domains.into_iter().collect();
    let statement = "SELECT DISTINCT ON (key) profile FROM profile WHERE key = ANY ($1) ORDER BY key, version DESC";
    let rows = db.query("reading profiles", statement, &[&domains]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Copies the last versions of another crawl's profiles; how many.
///
/// # Errors
/// When one of the databases does not serve, or the other one holds no crawl of this program's.
pub async fn learn_from(db: &Database, other: &Database) -> Result<u64, ClusterError> {
    schema::check(other).await?;
    let statement = "SELECT DISTINCT ON (key) key, blake3, profile FROM profile ORDER BY key, version DESC";
    let rows = other.query("reading the other crawl's profiles", statement, &[]).await?;
    let column = |place: usize| rows.iter().map(|row| row.get(place)).collect::<Vec<String>>();
    let statement = "INSERT INTO profile (key, version, blake3, profile)
        SELECT more.key, 1, more.blake3, more.profile FROM unnest($1::text[], $2::text[], $3::text[])
            AS more (key, blake3, profile) ON CONFLICT DO NOTHING RETURNING key";
    let new = db.query("writing profiles", statement, &[&column(0), &column(1), &column(2)]).await?;
    Ok(new.len() as u64)
}
