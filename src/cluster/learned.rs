//! Profiles through the database: what a partition learned is committed with its documents, and a partition that begins
//! takes what is known of its domains. A profile's version is counted by the database; where in an archive it began to
//! serve is the archive's own affair.

use std::collections::{BTreeMap, BTreeSet};

use super::database::Database;
use super::error::ClusterError;
use super::schema;
use crate::config::Config;
use crate::engine::EngineError;
use crate::engine::extraction::Domains;
use crate::engine::job::JobDir;
use crate::extract::domain::ServingProfile;
use crate::goldminer::profile::DomainProfile;
use crate::store::profiles::ProfileStore;

/// A profile as the database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Learned {
    pub(super) key: String,
    pub(super) blake3: String,
    pub(super) json: String,
}

/// The last versions of a job at rest, but for those that were committed already (digests by key).
pub(super) fn of_job(job: &JobDir, known: &BTreeMap<String, String>) -> Result<Vec<Learned>, ClusterError> {
    let _lock = job.lock().map_err(EngineError::from)?;
    let store = ProfileStore::open(&job.profiles()).map_err(EngineError::from)?;
    let mut learned = Vec::new();
    for serving in store.all_latest::<ServingProfile>().map_err(EngineError::from)? {
        let key = serving.profile.key.clone();
        let json = serde_json::to_string(&serving.profile).map_err(|error| EngineError::Defect(error.to_string()))?;
        let blake3 = blake3::hash(json.as_bytes()).to_hex().to_string();
        if known.get(&key) != Some(&blake3) {
            learned.push(Learned { key, blake3, json });
        }
    }
    Ok(learned)
}

/// What is known of the domains that a configuration's portals start in.
pub(super) async fn known(db: &Database, config: &Config) -> Result<Vec<DomainProfile>, ClusterError> {
    let domains: BTreeSet<String> =
        config.portals.iter().flat_map(|portal| &portal.start).map(|url| url.domain().as_str().to_owned()).collect();
    let domains: Vec<String> = domains.into_iter().collect();
    let statement = "SELECT DISTINCT ON (key) profile FROM profile WHERE key = ANY ($1) ORDER BY key, version DESC";
    let rows = db.query("reading profiles", statement, &[&domains]).await?;
    let profile = |row: &tokio_postgres::Row| {
        let json: &str = row.get(0);
        serde_json::from_str(json).map_err(|error| ClusterError::Profile(error.to_string()))
    };
    rows.iter().map(profile).collect()
}

/// Has a job that begins start with profiles.
pub(super) fn begin_with(job: &JobDir, profiles: Vec<DomainProfile>) -> Result<(), ClusterError> {
    if profiles.is_empty() {
        return Ok(());
    }
    let _lock = job.lock().map_err(EngineError::from)?;
    let domains = Domains::new(ProfileStore::open(&job.profiles()).map_err(EngineError::from)?);
    for mut profile in profiles {
        profile.version = 1;
        domains.import(&ServingProfile::everywhere(profile)).map_err(EngineError::from)?;
    }
    Ok(())
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
