//! `cluster init`: the schema, and the partitions of a seeds file's portals.

use std::time::Duration;

use super::database::Database;
use super::error::ClusterError;
use super::store::SegmentStore;
use super::{partitions, schema};
use crate::config::Config;

/// The times of a crawl.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// How long a worker's lease lasts without a heartbeat.
    pub ttl: Duration,
    /// How long after its end another takes over; what is in flight has ended by then.
    pub grace: Duration,
    /// How often a partition is committed.
    pub upload: Duration,
}

/// What was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    /// Partitions, those without portals not counted.
    pub partitions: usize,
    /// Portals in the largest of them.
    pub largest: usize,
}

/// Makes a crawl of a configuration's portals in an empty database.
///
/// # Errors
/// When there is one already, the configuration asks for what a cluster cannot do, or database or store refuse.
pub async fn init(
    db: &Database,
    store: &str,
    config: &Config,
    partitions: u32,
    timing: Timing,
) -> Result<Made, ClusterError> {
    if config.max_pages.is_some() {
        let message = "max_pages counts the pages of one process; give portals a max_pages of their own instead";
        return Err(ClusterError::Seeds(message.to_owned()));
    }
    SegmentStore::at(store)?;
    schema::apply(db).await?;
    let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 4);
    let divided = partitions::divide(&config.portals, partitions);
    let mut jobs = Vec::with_capacity(divided.len());
    for portals in divided.values() {
        let job = partitions::job_of(config, portals.clone());
        jobs.push(toml::to_string(&job).map_err(|error| ClusterError::Seeds(error.to_string()))?);
    }
    let ids: Vec<i32> = divided.keys().filter_map(|id| i32::try_from(*id).ok()).collect();
    let sizes: Vec<i32> = divided.values().filter_map(|portals| i32::try_from(portals.len()).ok()).collect();
    // One statement: there is a whole crawl, or none.
    let statement = "WITH made AS (
            INSERT INTO crawl (version, store, ttl_ms, grace_ms, upload_ms) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT DO NOTHING RETURNING one)
        INSERT INTO partition (id, job, portals)
            SELECT more.id, more.job, more.portals FROM made,
                unnest($6::integer[], $7::text[], $8::integer[]) AS more (id, job, portals)
        RETURNING id";
    let rows = db
        .query(
            "making the crawl",
            statement,
            &[
                &env!("CARGO_PKG_VERSION"),
                &store,
                &millis(timing.ttl),
                &millis(timing.grace),
                &millis(timing.upload),
                &ids,
                &jobs,
                &sizes,
            ],
        )
        .await?;
    if rows.is_empty() {
        return Err(ClusterError::Exists);
    }
    Ok(Made { partitions: rows.len(), largest: divided.values().map(Vec::len).max().unwrap_or(0) })
}

/// Brings a crawl without living workers to this program's schema and version.
///
/// # Errors
/// When there is none, a worker lives, or a later program made it.
pub async fn adopt(db: &Database) -> Result<(), ClusterError> {
    schema::apply(db).await?;
    let statement = "UPDATE crawl SET version = $1
        WHERE NOT EXISTS (SELECT 1 FROM worker WHERE NOT dead AND expires > now()) RETURNING one";
    let row = db.row("adopting the crawl", statement, &[&env!("CARGO_PKG_VERSION")]).await?;
    let refused =
        || ClusterError::Seeds("there is no crawl, or a worker still lives: end all workers first".to_owned());
    row.map(|_| ()).ok_or_else(refused)
}
