//! `cluster status`: the whole crawl, as the database tells it.

use serde::Serialize;

use crate::db::database::Database;
use crate::db::schema;
use crate::error::ClusterError;

/// The state of a cluster.
#[derive(Debug, Clone, Serialize)]
pub struct ClusterStatus {
    /// Of the program that made it.
    pub version: String,
    /// Where files go.
    pub store: String,
    /// Seconds from one commit of a partition to the next.
    pub upload_seconds: i64,
    /// Workers that were alive within the last day, the newest first.
    pub workers: Vec<WorkerLine>,
    /// Every partition with portals.
    pub partitions: Vec<PartitionLine>,
    /// Hosts that asked to be left alone, and still are.
    pub waiting_hosts: i64,
    /// Domains, or parts of them, whose profiles are known.
    pub profiles: i64,
    /// Commands that nobody has carried out yet.
    pub waiting_commands: i64,
}

/// A worker.
#[derive(Debug, Clone, Serialize)]
pub struct WorkerLine {
    /// Its session's number.
    pub session: i64,
    /// What it calls itself.
    pub name: String,
    /// `alive`, `late` (no heartbeat in time, not yet given up) or `dead`.
    pub state: String,
    /// Seconds until its lease ends; negative since.
    pub lease_seconds: i64,
    /// Partitions that it has.
    pub partitions: i64,
}

/// A partition.
#[derive(Debug, Clone, Serialize)]
pub struct PartitionLine {
    /// Its number.
    pub id: i32,
    /// Its portals.
    pub portals: i32,
    /// How often it was claimed.
    pub epoch: i64,
    /// Who has it.
    pub owner: Option<String>,
    /// `free`, `crawling`, `waits for a takeover` or how it ended.
    pub state: String,
    /// Seconds since its last commit.
    pub committed_seconds: Option<i64>,
    /// Committed documents.
    pub documents: i64,
    /// Committed pages.
    pub pages: i64,
    /// URLs that wait, as of the last commit.
    pub queued: i64,
}

impl ClusterStatus {
    /// The sum of a number over all partitions.
    pub fn sum(&self, of: fn(&PartitionLine) -> i64) -> u64 {
        self.partitions.iter().map(of).sum::<i64>().unsigned_abs()
    }
}

/// Reads the state of the crawl from the database.
///
/// # Errors
/// When it does not serve, or holds no crawl of this program's.
pub async fn status(db: &Database) -> Result<ClusterStatus, ClusterError> {
    schema::check(db).await?;
    let crawl = "SELECT version, store, upload_ms / 1000, (SELECT count(*) FROM host_wait WHERE until > now()),
            (SELECT count(DISTINCT key) FROM profile), (SELECT count(*) FROM command WHERE said IS NULL)
        FROM crawl";
    let crawl = db.row("reading the crawl", crawl, &[]).await?.ok_or(ClusterError::NoCrawl)?;
    let workers = "SELECT session, name,
            CASE WHEN dead THEN 'dead' WHEN expires > now() THEN 'alive' ELSE 'late' END,
            extract(epoch FROM expires - now())::bigint,
            (SELECT count(*) FROM partition WHERE owner = session)
        FROM worker WHERE expires > now() - interval '1 day' ORDER BY session DESC";
    let partitions = "SELECT partition.id, partition.portals, partition.epoch, worker.name,
            CASE WHEN done IS NOT NULL THEN done WHEN owner IS NULL THEN 'free'
                WHEN worker.expires > now() THEN 'crawling' ELSE 'waits for a takeover' END,
            extract(epoch FROM now() - committed)::bigint, documents, pages, queued
        FROM partition LEFT JOIN worker ON worker.session = partition.owner ORDER BY partition.id";
    let workers = db.query("reading the workers", workers, &[]).await?;
    let partitions = db.query("reading the partitions", partitions, &[]).await?;
    let worker = |row: &tokio_postgres::Row| WorkerLine {
        session: row.get(0),
        name: row.get(1),
        state: row.get(2),
        lease_seconds: row.get(3),
        partitions: row.get(4),
    };
    let partition = |row: &tokio_postgres::Row| PartitionLine {
        id: row.get(0),
        portals: row.get(1),
        epoch: row.get(2),
        owner: row.get(3),
        state: row.get(4),
        committed_seconds: row.get(5),
        documents: row.get(6),
        pages: row.get(7),
        queued: row.get(8),
    };
    Ok(ClusterStatus {
        version: crawl.get(0),
        store: crawl.get(1),
        upload_seconds: crawl.get(2),
        workers: workers.iter().map(worker).collect(),
        partitions: partitions.iter().map(partition).collect(),
        waiting_hosts: crawl.get(3),
        profiles: crawl.get(4),
        waiting_commands: crawl.get(5),
    })
}
