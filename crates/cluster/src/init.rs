//! `cluster init`: creates the schema in the database and divides the portals of a seeds file into partitions.

use std::fmt::Display;
use std::time::Duration;

use goldminer_crawl::Config;

use crate::db::database::Database;
use crate::db::lease::millis;
use crate::db::schema;
use crate::error::ClusterError;
use crate::partitions;
use crate::store::SegmentStore;

/// The periods of a crawl on many machines.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// How long a worker's lease lasts without a heartbeat.
    pub ttl: Duration,
    /// The time from the end of a worker's lease (its right to crawl) to the takeover by another worker. Requests in
    /// flight end in this time.
    pub grace: Duration,
    /// The time between two commits of a partition.
    pub commit_every: Duration,
}

/// How long files are kept in the store.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// How long archives are kept after their commit; None means for ever. Documents are never removed.
    pub keep: Option<Duration>,
    /// How long the store keeps files that no commit refers to any more, so that programs that read them can finish.
    pub leftovers: Duration,
}

/// Counts of `cluster init`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InitCounts {
    /// Number of partitions with portals.
    pub partitions: usize,
    /// Number of portals in the largest partition.
    pub largest: usize,
}

/// Creates a crawl of a configuration's portals in an empty database.
///
/// # Errors
/// When the database contains a crawl already, the configuration has a setting that a cluster does not support, or
/// the database or the store fails.
pub async fn init(
    db: &Database,
    store: &str,
    config: &Config,
    partitions: u32,
    timing: Timing,
    retention: Retention,
) -> Result<InitCounts, ClusterError> {
    if config.crawl.max_pages.is_some() {
        let message = "max_pages counts the pages of one process; give portals a max_pages of their own instead";
        return Err(ClusterError::Refused(message.to_owned()));
    }
    SegmentStore::at(store)?;
    schema::apply(db, "", "").await?;
    let divided = partitions::divide(&config.portals, partitions);
    let mut jobs = Vec::with_capacity(divided.len());
    for portals in divided.values() {
        jobs.push(partitions::to_toml(&Config { portals: portals.clone(), ..config.clone() })?);
    }
    let ids = divided.keys().map(|id| integer(*id)).collect::<Result<Vec<_>, _>>()?;
    let sizes = divided.values().map(|portals| integer(portals.len())).collect::<Result<Vec<_>, _>>()?;
    // This is a single statement, so that there is a complete crawl or none.
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
    Ok(InitCounts { partitions: rows.len(), largest: divided.values().map(Vec::len).max().unwrap_or(0) })
}

/// Updates a crawl to this program's schema and version, and sets how long files are kept, if that is given. No
/// worker may be running.
///
/// # Errors
/// When there is no crawl, a worker is running, or a later version made the crawl. Nothing is changed then.
pub async fn adopt(db: &Database, keep: Option<Duration>, leftovers: Option<Duration>) -> Result<(), ClusterError> {
    let exists = db.row("looking for the crawl", "SELECT to_regclass('crawl') IS NOT NULL", &[]).await?;
    if !exists.is_some_and(|row| row.get(0)) {
        return Err(ClusterError::NoCrawl);
    }
    refuse_living(db).await?;
    let set = |column: &str, time: Option<Duration>| match time {
        Some(time) => format!("{column} = {}", millis(time)),
        None => format!("{column} = {column}"),
    };
    let (version, keep, leftovers) = (env!("CARGO_PKG_VERSION"), set("keep_ms", keep), set("leftovers_ms", leftovers));
    let update = format!("UPDATE crawl SET version = '{version}', {keep}, {leftovers}");
    let adopted = schema::apply(db, NOBODY_RUNS, &update).await;
    if adopted.is_err() {
        // A worker may have started since the check.
        refuse_living(db).await?;
    }
    adopted
}

/// SQL that fails if a worker is running, and keeps workers from starting before the transaction ends.
const NOBODY_RUNS: &str = "LOCK TABLE worker IN SHARE MODE;
    DO $$ BEGIN
        IF EXISTS (SELECT 1 FROM worker WHERE NOT dead AND expires > now()) THEN
            RAISE EXCEPTION 'a worker is running';
        END IF;
    END $$";

/// Returns an error if a worker of the crawl is running.
async fn refuse_living(db: &Database) -> Result<(), ClusterError> {
    let living = "SELECT count(*), coalesce(string_agg(DISTINCT version, ', '), '') FROM worker
        WHERE NOT dead AND expires > now()";
    let living = db.row("looking for workers", living, &[]).await?;
    let (workers, versions) = living.map_or((0, String::new()), |row| (row.get::<_, i64>(0), row.get(1)));
    match workers {
        0 => Ok(()),
        _ => Err(living_workers(workers.unsigned_abs(), &versions)),
    }
}

fn living_workers(workers: u64, versions: &str) -> ClusterError {
    let running = match workers {
        1 => "1 worker of this crawl is running".to_owned(),
        _ => format!("{workers} workers of this crawl are running"),
    };
    ClusterError::Refused(format!(
        "nothing was changed: {running} (goldminer {versions}); stop all workers, run `goldminer cluster init --db … --adopt` with \
         the new version, then start workers of the new version"
    ))
}

/// Converts a number for a column of type `integer`.
fn integer<T: Copy + Display + TryInto<i32>>(number: T) -> Result<i32, ClusterError> {
    let too_large =
        |_| ClusterError::Refused(format!("{number} is more than the database counts: use fewer partitions"));
    number.try_into().map_err(too_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_workers_are_counted() {
        for (workers, phrase) in [
            (1, "1 worker of this crawl is running (goldminer 0.1.0)"),
            (2, "2 workers of this crawl are running (goldminer 0.1.0)"),
            (21, "21 workers of this crawl are running (goldminer 0.1.0)"),
        ] {
            let refused = living_workers(workers, "0.1.0").to_string();
            assert!(refused.starts_with(&format!("nothing was changed: {phrase}; stop all workers")), "{refused}");
        }
    }

    #[test]
    fn a_number_too_large_for_its_column_is_an_error() {
        let numbers = |numbers: &[u32]| numbers.iter().map(|n| integer(*n)).collect::<Result<Vec<_>, _>>();
        assert_eq!(numbers(&[0, 7, 2_147_483_647]).unwrap(), [0, 7, i32::MAX]);
        for with in [&[u32::MAX][..], &[1, 2_147_483_648], &[2_147_483_648, 1]] {
            assert!(numbers(with).unwrap_err().to_string().contains("more than the database counts"));
        }
        assert!(integer(usize::MAX).is_err());
    }
}
