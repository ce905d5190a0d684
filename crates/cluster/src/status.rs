//! `cluster status`: the state of the whole crawl, from the database.

use serde::{Deserialize, Serialize};

use crate::db::database::Database;
use crate::db::schema;
use crate::error::ClusterError;

/// The state of a crawl on many machines.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ClusterStatus {
    /// The version of the program that made the crawl.
    pub version: String,
    /// The path or address of the store.
    pub store: String,
    /// Seconds between two commits of a partition.
    pub commit_every_seconds: i64,
    /// The workers whose lease ends or ended less than a day ago, the newest session first.
    pub workers: Vec<WorkerLine>,
    /// All partitions with portals.
    pub partitions: Vec<PartitionLine>,
    /// Number of hosts that have asked for a pause that has not ended.
    pub waiting_hosts: i64,
    /// Number of learned profiles.
    pub profiles: i64,
    /// Number of commands that were not executed yet.
    pub waiting_commands: i64,
}

/// The state of a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkerLine {
    /// The number of the worker's session.
    pub session: i64,
    /// The name of the worker, as its operator has set it.
    pub name: String,
    /// `alive`, `late` (its lease has ended, but it was not declared dead yet) or `dead`.
    pub state: String,
    /// Seconds until the worker's lease ends; negative after the end.
    pub lease_seconds: i64,
    /// Number of partitions that the worker has.
    pub partitions: i64,
}

/// The state of a partition.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartitionLine {
    /// The number of the partition.
    pub id: i32,
    /// Number of portals in the partition.
    pub portals: i32,
    /// How often the partition was claimed.
    pub epoch: i64,
    /// The worker that has it, if any.
    pub owner: Option<String>,
    /// `free`, `crawling`, `waits for a takeover`, or how it ended.
    pub state: String,
    /// Seconds since the last commit of the partition; None before the first.
    pub committed_seconds: Option<i64>,
    /// Number of committed documents.
    pub documents: i64,
    /// Number of committed pages.
    pub pages: i64,
    /// Number of queued URLs at the last commit.
    pub queued: i64,
}

impl ClusterStatus {
    /// The sum of one of the numbers over all partitions.
    pub fn sum(&self, of: fn(&PartitionLine) -> i64) -> u64 {
        self.partitions.iter().map(of).sum::<i64>().unsigned_abs()
    }
}

/// Reads the state of the crawl from the database.
///
/// # Errors
/// When the database is unavailable, or contains no crawl of this program.
pub async fn status(db: &Database) -> Result<ClusterStatus, ClusterError> {
    schema::check(db).await?;
    let statement = "SELECT json_build_object(
            'version', version, 'store', store, 'commit_every_seconds', upload_ms / 1000,
            'waiting_hosts', (SELECT count(*) FROM host_wait WHERE until > now()),
            'profiles', (SELECT count(DISTINCT key) FROM profile),
            'waiting_commands', (SELECT count(*) FROM command WHERE said IS NULL),
            'workers', (SELECT coalesce(json_agg(line), '[]') FROM (SELECT session, name,
                CASE WHEN dead THEN 'dead' WHEN expires > now() THEN 'alive' ELSE 'late' END AS state,
                extract(epoch FROM expires - now())::bigint AS lease_seconds,
                (SELECT count(*) FROM partition WHERE owner = session) AS partitions
                FROM worker WHERE expires > now() - interval '1 day' ORDER BY session DESC) AS line),
            'partitions', (SELECT coalesce(json_agg(line), '[]') FROM (SELECT id, portals, epoch, worker.name AS owner,
                CASE WHEN done IS NOT NULL THEN done WHEN owner IS NULL THEN 'free'
                    WHEN worker.expires > now() THEN 'crawling' ELSE 'waits for a takeover' END AS state,
                extract(epoch FROM now() - committed)::bigint AS committed_seconds, documents, pages, queued
                FROM partition LEFT JOIN worker ON worker.session = owner ORDER BY id) AS line)
        )::text FROM crawl";
    let row = db.row("reading the crawl", statement, &[]).await?.ok_or(ClusterError::NoCrawl)?;
    serde_json::from_str(row.get(0)).map_err(|error| ClusterError::Refused(error.to_string()))
}
