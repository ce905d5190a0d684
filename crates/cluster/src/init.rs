//! `cluster init`: creates the schema in the database and divides the portals of a seeds file into partitions.

use std::time::Duration;

use goldminer_crawl::Config;
use tokio_postgres::types::ToSql;

use crate::db::database::Database;
use crate::db::lease::millis;
use crate::db::schema;
use crate::error::ClusterError;
use crate::partitions;
use crate::store::SegmentStore;

/// The times of a crawl.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// How long a worker's lease lasts without a heartbeat.
    pub ttl: Duration,
    /// The time from the end of a lease to the takeover by another worker, in which open requests end.
    pub grace: Duration,
    /// How often a partition is committed.
    pub commit_every: Duration,
}

/// How long files are kept in the store.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// How long archives are kept after their commit; for ever if none. Documents are never removed.
    pub keep: Option<Duration>,
    /// How long files are kept that nothing refers to any more, so that their readers can finish.
    pub leftovers: Duration,
}

/// Counts of `cluster init`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    /// Partitions with portals.
    pub partitions: usize,
    /// Portals in the largest of them.
    pub largest: usize,
}

/// Creates a crawl of a configuration's portals in an empty database.
///
/// # Errors
/// When the database has a crawl already, the configuration has a setting that a cluster does not support, or the database or
/// the store fails.
pub async fn init(
    db: &Database,
    store: &str,
    config: &Config,
    partitions: u32,
    timing: Timing,
    retention: Retention,
) -> Result<Made, ClusterError> {
    if config.crawl.max_pages.is_some() {
        let message = "max_pages counts the pages of one process; give portals a max_pages of their own instead";
        return Err(ClusterError::Refused(message.to_owned()));
    }
    SegmentStore::at(store)?;
    schema::apply(db).await?;
    let divided = partitions::divide(&config.portals, partitions);
    let mut jobs = Vec::with_capacity(divided.len());
    for portals in divided.values() {
        jobs.push(partitions::to_toml(&Config { portals: portals.clone(), ..config.clone() })?);
    }
    let ids: Vec<i32> = divided.keys().filter_map(|id| i32::try_from(*id).ok()).collect();
    let sizes: Vec<i32> = divided.values().filter_map(|portals| i32::try_from(portals.len()).ok()).collect();
    // A single statement, so that there is a complete crawl or none.
    let statement = "WITH made AS (
            INSERT INTO crawl (version, store, ttl_ms, grace_ms, upload_ms, keep_ms, leftovers_ms)
            VALUES ($1, $2, $3, $4, $5, $9, $10)
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
                &millis(timing.commit_every),
                &ids,
                &jobs,
                &sizes,
                &retention.keep.map(millis),
                &millis(retention.leftovers),
            ],
        )
        .await?;
    if rows.is_empty() {
        return Err(ClusterError::Exists);
    }
    Ok(Made { partitions: rows.len(), largest: divided.values().map(Vec::len).max().unwrap_or(0) })
}

/// Updates a crawl without running workers to this program's schema and version, and sets its retention if given.
///
/// # Errors
/// When there is no crawl, a worker is running, or a later version made it. Nothing is changed then.
pub async fn adopt(db: &Database, keep: Option<Duration>, leftovers: Option<Duration>) -> Result<(), ClusterError> {
    let exists = db.row("looking for the crawl", "SELECT to_regclass('crawl') IS NOT NULL", &[]).await?;
    if !exists.is_some_and(|row| row.get(0)) {
        return Err(ClusterError::NoCrawl);
    }
    let living = "SELECT count(*), coalesce(string_agg(DISTINCT version, ', '), '') FROM worker
        WHERE NOT dead AND expires > now()";
    let living = db.row("looking for workers", living, &[]).await?;
    let (workers, versions) = living.map_or((0, String::new()), |row| (row.get::<_, i64>(0), row.get(1)));
    if workers > 0 {
        return Err(living_workers(workers, &versions));
    }
    schema::apply(db).await?;
    // A worker that started since the check is of the old version.
    let statement =
        "UPDATE crawl SET version = $1, keep_ms = coalesce($2, keep_ms), leftovers_ms = coalesce($3, leftovers_ms)
        WHERE NOT EXISTS (SELECT 1 FROM worker WHERE NOT dead AND expires > now()) RETURNING one";
    let values: [&(dyn ToSql + Sync); 3] = [&env!("CARGO_PKG_VERSION"), &keep.map(millis), &leftovers.map(millis)];
    match db.row("adopting the crawl", statement, &values).await? {
        Some(_) => Ok(()),
        None => Err(living_workers(1, "another version")),
    }
}

fn living_workers(workers: i64, versions: &str) -> ClusterError {
    ClusterError::Refused(format!(
        "nothing was changed: {workers} of this crawl's workers (goldminer {versions}) are running; stop all workers, run `goldminer \
         cluster init --db … --adopt` with the new version, then start workers of the new version"
    ))
}
