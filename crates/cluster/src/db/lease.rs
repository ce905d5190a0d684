//! Contains the SQL statements for sessions (runs of a worker), heartbeats, claims (a worker takes a partition) and
//! commits. Each operation changes the database with one statement, and row locks make two operations on the same rows
//! run one after the other. Times are those of the database. But each worker measures with its own clock how long
//! another worker has been silent, because somebody may set the database's clock. Most statements that release
//! something also notify all workers, so that they can claim it immediately. A worker without the notification finds it
//! at its next heartbeat.
//!
//! A session that was declared dead can never be revived. The number `epoch` of a partition grows with every claim, and
//! a commit succeeds only with the current session and epoch. So a worker that was declared dead, but is still running,
//! cannot change anything.

use std::collections::HashMap;
use std::time::Duration;

use goldminer_crawl::frontier::HostWait;
use goldminer_crawl::limits::shared_resources::Handover;
use goldminer_fetch::since_start;
use goldminer_html::Host;
use jiff::Timestamp;
use tokio_postgres::types::ToSql;

use super::database::Database;
use crate::error::ClusterError;
use crate::metrics::ClusterSnapshot;
use crate::store::Published;
use crate::work::pieces::{Changes, NewProfile, Piece};

/// The settings of a crawl on many machines.
#[derive(Debug, Clone)]
pub(crate) struct Crawl {
    pub(crate) version: String,
    pub(crate) store: String,
    pub(crate) ttl: Duration,
    pub(crate) grace: Duration,
    pub(crate) commit_every: Duration,
    /// How long archives are kept; None means for ever.
    pub(crate) keep: Option<Duration>,
    /// How long files are kept that no commit refers to.
    pub(crate) leftovers: Duration,
}

/// A partition that this worker has claimed.
#[derive(Debug, Clone)]
pub(crate) struct ClaimedPartition {
    pub(crate) partition: i32,
    pub(crate) epoch: i64,
    /// The configuration, as in `job.toml`.
    pub(crate) config_toml: String,
    /// The time since the first claim of the partition.
    pub(crate) age: Duration,
    /// What is known of the workers that had the partition before.
    pub(crate) handover: Handover,
    pub(crate) checkpoint: Option<Published>,
    pub(crate) pieces: Vec<Piece>,
}

/// The counts of a partition, for reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PartitionCounts {
    pub(crate) documents: u64,
    pub(crate) pages: u64,
    pub(crate) queued: u64,
}

pub(crate) async fn crawl(db: &Database) -> Result<Crawl, ClusterError> {
    let statement = "SELECT version, store, ttl_ms, grace_ms, upload_ms, leftovers_ms, keep_ms FROM crawl";
    let row = db.row("reading the crawl", statement, &[]).await?.ok_or(ClusterError::NoCrawl)?;
    let time = |column: usize| Duration::from_millis(row.get::<_, i64>(column).unsigned_abs());
    Ok(Crawl {
        version: row.get(0),
        store: row.get(1),
        ttl: time(2),
        grace: time(3),
        commit_every: time(4),
        keep: row.get::<_, Option<i64>>(6).map(|ms| Duration::from_millis(ms.unsigned_abs())),
        leftovers: time(5),
    })
}

pub(crate) async fn time(db: &Database) -> Result<Timestamp, ClusterError> {
    let statement = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let row = db.row("asking for the time", statement, &[]).await?;
    Ok(row.and_then(|row| Timestamp::from_millisecond(row.get(0)).ok()).unwrap_or_default())
}

/// Starts a session (a run of a worker), and returns its number. None if the crawl belongs to another version of the
/// program.
pub(crate) async fn begin(db: &Database, name: &str, ttl: Duration) -> Result<Option<i64>, ClusterError> {
    let statement = "INSERT INTO worker (name, version, expires)
        SELECT $1, $2, now() + $3::bigint * interval '1 millisecond' FROM crawl WHERE version = $2 RETURNING session";
    let row = db.row("beginning a session", statement, &[&name, &env!("CARGO_PKG_VERSION"), &millis(ttl)]).await?;
    Ok(row.map(|row| row.get(0)))
}

/// Extends the lease of a session. Returns false if the session was declared dead.
pub(crate) async fn heartbeat(db: &Database, session: i64, ttl: Duration) -> Result<bool, ClusterError> {
    let statement = "UPDATE worker SET expires = now() + $2::bigint * interval '1 millisecond'
        WHERE session = $1 AND NOT dead RETURNING session";
    Ok(db.row("sending a heartbeat", statement, &[&session, &millis(ttl)]).await?.is_some())
}

/// For each living session, its last heartbeat and when this worker first saw that heartbeat.
pub(crate) type LastHeartbeats = HashMap<i64, (i64, Duration)>;

/// Declares sessions (runs of workers) dead if this worker has seen no heartbeat of them for the time `silence`. This
/// worker measures the time with a clock that nobody can set. So setting the database's clock neither kills a session
/// nor keeps one alive.
pub(crate) async fn reap(db: &Database, silence: Duration, seen: &mut LastHeartbeats) -> Result<(), ClusterError> {
    let statement = "SELECT session, (extract(epoch FROM expires) * 1000000)::bigint FROM worker WHERE NOT dead";
    let rows = db.query("looking for dead workers", statement, &[]).await?;
    let beats: Vec<(i64, i64)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let (sessions, last): (Vec<i64>, Vec<i64>) = silent(seen, &beats, silence, since_start()).into_iter().unzip();
    if sessions.is_empty() {
        return Ok(());
    }
    let statement = "UPDATE worker SET dead = true FROM unnest($1::bigint[], $2::bigint[]) AS silent (session, beat)
        WHERE worker.session = silent.session AND NOT dead
            AND (extract(epoch FROM worker.expires) * 1000000)::bigint = silent.beat";
    db.query("declaring workers dead", statement, &[&sessions, &last]).await.map(|_| ())
}

/// Records the heartbeats of sessions (runs of workers). Returns the sessions whose last heartbeat was first seen
/// longer than `silence` ago.
fn silent(seen: &mut LastHeartbeats, beats: &[(i64, i64)], silence: Duration, now: Duration) -> Vec<(i64, i64)> {
    seen.retain(|session, _| beats.iter().any(|(living, _)| living == session));
    let mut silent = Vec::new();
    for (session, beat) in beats {
        let last = seen.entry(*session).or_insert((*beat, now));
        if last.0 != *beat {
            *last = (*beat, now);
        }
        if now.saturating_sub(last.1) > silence {
            silent.push((*session, *beat));
        }
    }
    silent
}

/// Ends a session whose partitions are all released.
pub(crate) async fn end(db: &Database, session: i64) -> Result<(), ClusterError> {
    let statement = "UPDATE worker SET dead = true, expires = least(expires, now()) WHERE session = $1
        RETURNING pg_notify('goldminer', '')";
    db.query("ending the session", statement, &[&session]).await.map(|_| ())
}

/// The state of the whole crawl.
pub(crate) async fn cluster_snapshot(db: &Database) -> Result<ClusterSnapshot, ClusterError> {
    let statement = "SELECT count(*), count(*) FILTER (WHERE owner IS NULL),
            coalesce(extract(epoch FROM now() - min(coalesce(committed, began, now()))), 0)::bigint,
            (SELECT count(*) FROM worker WHERE NOT dead)
        FROM partition WHERE done IS NULL";
    let row = db.row("counting partitions", statement, &[]).await?;
    Ok(row.map_or_else(ClusterSnapshot::default, |row| ClusterSnapshot {
        open: row.get(0),
        unowned: row.get(1),
        oldest_commit_seconds: row.get(2),
        alive: row.get(3),
    }))
}

/// Claims up to `most` open partitions that no living worker has, without those in `except`.
pub(crate) async fn claim(
    db: &Database,
    session: i64,
    most: i64,
    except: &[i32],
    grace: Duration,
) -> Result<Vec<ClaimedPartition>, ClusterError> {
    let statement = "WITH free AS (
            SELECT partition.id, worker.expires FROM partition LEFT JOIN worker ON worker.session = partition.owner
            WHERE partition.done IS NULL AND (partition.owner IS NULL OR worker.dead) AND partition.id <> ALL ($3)
            ORDER BY partition.id LIMIT $2 FOR UPDATE OF partition SKIP LOCKED)
        UPDATE partition SET owner = $1, epoch = epoch + 1, began = coalesce(began, now()),
            quiet_since = greatest(quiet_since, free.expires + $4::bigint * interval '1 millisecond')
        FROM free WHERE partition.id = free.id
            AND EXISTS (SELECT 1 FROM worker WHERE session = $1 AND NOT dead)
        RETURNING partition.id, epoch, job, (extract(epoch FROM now() - began) * 1000)::bigint,
            quiet_since IS NOT NULL, checkpoint, bytes, blake3";
    let rows = db.query("claiming partitions", statement, &[&session, &most, &except, &millis(grace)]).await?;
    let mut claims = Vec::with_capacity(rows.len());
    for row in rows {
        let partition: i32 = row.get(0);
        let checkpoint = row.get::<_, Option<String>>(5).map(|key| Published {
            key,
            bytes: row.get::<_, Option<i64>>(6).unwrap_or_default().unsigned_abs(),
            blake3: row.get::<_, Option<String>>(7).unwrap_or_default(),
        });
        claims.push(ClaimedPartition {
            partition,
            epoch: row.get(1),
            config_toml: row.get(2),
            age: Duration::from_millis(row.get::<_, i64>(3).unsigned_abs()),
            handover: Handover {
                // The database's clock may have been set, so the time of the last request is unknown: the delay of
                // every host starts now.
                had_earlier_owner: row.get(4),
                waits: waits(db, partition).await?,
            },
            checkpoint,
            pieces: pieces(db, partition).await?,
        });
    }
    Ok(claims)
}

/// The committed pieces of a partition's files.
pub(crate) async fn pieces(db: &Database, partition: i32) -> Result<Vec<Piece>, ClusterError> {
    let statement = "SELECT file, start, bytes, key, blake3, retired IS NOT NULL FROM piece WHERE partition = $1 ORDER BY file, start";
    let rows = db.query("reading a manifest", statement, &[&partition]).await?;
    let piece = |row: &tokio_postgres::Row| Piece {
        file: row.get(0),
        start: row.get::<_, i64>(1).unsigned_abs(),
        published: Published { bytes: row.get::<_, i64>(2).unsigned_abs(), key: row.get(3), blake3: row.get(4) },
        is_retired: row.get(5),
    };
    Ok(rows.iter().map(piece).collect())
}

/// Commits files that were published to the store, and answers to commands: all or none of them. With `release`, no
/// worker has the partition afterwards. With `done`, it is marked as done and not claimed again, unless a command came
/// meanwhile. Returns whether the partition is done. Returns None, and commits nothing, if another worker has the
/// partition now.
pub(crate) async fn commit(
    db: &Database,
    session: i64,
    claim: &ClaimedPartition,
    changes: &Changes,
    counts: PartitionCounts,
    release: bool,
    done: Option<&str>,
) -> Result<Option<bool>, ClusterError> {
    let statement = "WITH mine AS (
            UPDATE partition SET checkpoint = $4, bytes = $5, blake3 = $6, committed = now(),
                done = CASE WHEN asked = $18 THEN $7 END,
                documents = $8, pages = $9, queued = $10, job = $22,
                owner = CASE WHEN $11 THEN NULL ELSE owner END,
                quiet_since = CASE WHEN $11 THEN now() ELSE quiet_since END
            WHERE id = $1 AND owner = $2 AND epoch = $3 RETURNING id, done IS NOT NULL AS is_done),
        more AS (SELECT * FROM unnest($13::text[], $14::bigint[], $15::bigint[], $16::text[], $17::text[])
            AS more (file, start, bytes, key, blake3)),
        gone AS (DELETE FROM piece USING mine WHERE piece.partition = mine.id AND piece.file = ANY ($12)
            AND NOT EXISTS (SELECT 1 FROM more WHERE more.file = piece.file AND more.start = piece.start)),
        new AS (INSERT INTO piece (partition, file, start, bytes, key, blake3, epoch)
            SELECT mine.id, more.file, more.start, more.bytes, more.key, more.blake3, $3::bigint FROM mine, more
            ON CONFLICT (partition, file, start) DO UPDATE
                SET bytes = excluded.bytes, key = excluded.key, blake3 = excluded.blake3, epoch = excluded.epoch,
                    committed = now(), retired = NULL, removed = false),
        learned AS (INSERT INTO profile (key, version, blake3, profile)
            SELECT more.key, 1 + coalesce(last.version, 0), more.blake3, more.profile
            FROM mine, unnest($23::text[], $24::text[], $25::text[]) AS more (key, blake3, profile)
                LEFT JOIN LATERAL (SELECT version, blake3 FROM profile WHERE profile.key = more.key
                    ORDER BY version DESC LIMIT 1) AS last ON true
            WHERE last.blake3 IS DISTINCT FROM more.blake3
            ON CONFLICT DO NOTHING),
        answered AS (UPDATE command SET said = more.said, refused = more.refused, epoch = $3::bigint
            FROM mine, unnest($19::bigint[], $20::text[], $21::boolean[]) AS more (id, said, refused)
            WHERE command.id = more.id)
        SELECT is_done, CASE WHEN $11 THEN pg_notify('goldminer', '') END FROM mine";
    let column = |of: fn(&Piece) -> &String| changes.new.iter().map(of).collect::<Vec<&String>>();
    let profiles = |of: fn(&NewProfile) -> &String| changes.new_profiles.iter().map(of).collect::<Vec<&String>>();
    let numbers = |of: fn(&Piece) -> u64| changes.new.iter().map(|piece| signed(of(piece))).collect::<Vec<i64>>();
    let mine = db
        .row(
            "committing a partition",
            statement,
            &[
                &claim.partition,
                &session,
                &claim.epoch,
                &changes.checkpoint.key,
                &signed(changes.checkpoint.bytes),
                &changes.checkpoint.blake3,
                &done,
                &signed(counts.documents),
                &signed(counts.pages),
                &signed(counts.queued),
                &release,
                &changes.gone,
                &column(|piece| &piece.file),
                &numbers(|piece| piece.start),
                &numbers(|piece| piece.published.bytes),
                &column(|piece| &piece.published.key),
                &column(|piece| &piece.published.blake3),
                &changes.results.asked,
                &changes.results.ids,
                &changes.results.messages,
                &changes.results.refused,
                &claim.config_toml,
                &profiles(|profile| &profile.key),
                &profiles(|profile| &profile.blake3),
                &profiles(|profile| &profile.json),
            ],
        )
        .await?;
    Ok(mine.map(|mine| mine.get(0)))
}

/// Gives up (deletes on purpose) the archive files of a partition that were committed longer than `keep` ago: they are
/// marked in the database, and removed from the store later. Returns, for each published piece of these files, the name
/// of the file and the piece's end in it. The indexes of the archive files are kept.
pub(crate) async fn retire(
    db: &Database,
    session: i64,
    claim: &ClaimedPartition,
    keep: Duration,
) -> Result<Vec<(String, u64)>, ClusterError> {
    let statement = "UPDATE piece SET retired = now() FROM partition
        WHERE partition.id = $1 AND partition.owner = $2 AND partition.epoch = $3 AND piece.partition = partition.id
            AND retired IS NULL AND file LIKE 'archive/%.warc.gz'
            AND piece.committed < now() - $4::bigint * interval '1 millisecond'
        RETURNING file, piece.start + piece.bytes";
    let values: [&(dyn ToSql + Sync); 4] = [&claim.partition, &session, &claim.epoch, &millis(keep)];
    let rows = db.query("giving up archives", statement, &values).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get::<_, i64>(1).unsigned_abs())).collect())
}

/// The store's keys of the pieces that were given up (see [`retire`]) more than `leftovers` ago and are still in the
/// store.
pub(crate) async fn given_up(db: &Database, partition: i32, leftovers: Duration) -> Result<Vec<String>, ClusterError> {
    let statement = "SELECT key FROM piece WHERE partition = $1 AND NOT removed
        AND retired < now() - $2::bigint * interval '1 millisecond'";
    let rows = db.query("looking for what was given up", statement, &[&partition, &millis(leftovers)]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Records in the database that these files were removed from the store.
pub(crate) async fn removed(db: &Database, partition: i32, keys: &[String]) -> Result<(), ClusterError> {
    let statement = "UPDATE piece SET removed = true WHERE partition = $1 AND key = ANY ($2)";
    db.query("writing down what was removed", statement, &[&partition, &keys]).await.map(|_| ())
}

/// Releases a partition without new results, for example after a failure of this machine.
pub(crate) async fn release(db: &Database, session: i64, claim: &ClaimedPartition) -> Result<(), ClusterError> {
    let statement = "UPDATE partition SET owner = NULL, quiet_since = now() WHERE id = $1 AND owner = $2 AND epoch = $3
        RETURNING pg_notify('goldminer', '')";
    db.query("releasing a partition", statement, &[&claim.partition, &session, &claim.epoch]).await.map(|_| ())
}

/// Releases all partitions of a session (a run of a worker) except `held`. A session has such partitions if the
/// database's answer to a claim or a release was lost.
pub(crate) async fn release_others(db: &Database, session: i64, held: &[i32]) -> Result<(), ClusterError> {
    let statement = "UPDATE partition SET owner = NULL, quiet_since = now() WHERE owner = $1 AND id <> ALL ($2)";
    db.query("releasing partitions", statement, &[&session, &held]).await.map(|_| ())
}

/// Saves how long a host asks the crawler to wait, for the next owner of the partition.
pub(crate) async fn note_wait(db: &Database, partition: i32, asked: &HostWait) -> Result<(), ClusterError> {
    let statement = "INSERT INTO host_wait (host, partition, until, crawl_delay_ms)
        VALUES ($1, $2, now() + $3::bigint * interval '1 millisecond', $4)
        ON CONFLICT (host) DO UPDATE SET until = greatest(host_wait.until, excluded.until),
            crawl_delay_ms = excluded.crawl_delay_ms";
    let delay = asked.crawl_delay.map(millis);
    db.query(
        "writing down what a host asks for",
        statement,
        &[&asked.host.as_str(), &partition, &millis(asked.wait), &delay],
    )
    .await
    .map(|_| ())
}

async fn waits(db: &Database, partition: i32) -> Result<Vec<HostWait>, ClusterError> {
    let statement = "SELECT host, greatest(0, extract(epoch FROM until - now()) * 1000)::bigint, crawl_delay_ms
        FROM host_wait WHERE partition = $1 AND (until > now() OR crawl_delay_ms IS NOT NULL)";
    let rows = db.query("reading what hosts ask for", statement, &[&partition]).await?;
    let wait = |row: &tokio_postgres::Row| {
        let time = |ms: i64| Duration::from_millis(ms.unsigned_abs());
        Some(HostWait {
            host: Host::try_from(row.get::<_, String>(0)).ok()?,
            wait: time(row.get(1)),
            crawl_delay: row.get::<_, Option<i64>>(2).map(time),
        })
    };
    Ok(rows.iter().filter_map(wait).collect())
}

pub(crate) fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 4).min(i64::MAX / 4)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_the_databases_clock_neither_kills_nor_keeps_workers() {
        let (mut seen, silence) = (LastHeartbeats::new(), Duration::from_secs(40));
        let mut at = |second: u64, beats: &[(i64, i64)]| {
            let silent = silent(&mut seen, beats, silence, Duration::from_secs(1_000 + second));
            silent.into_iter().map(|(session, _)| session).collect::<Vec<_>>()
        };
        // Worker 2 sends its last heartbeat before the clock is set an hour forward and two hours back.
        assert_eq!(at(0, &[(1, 30), (2, 30)]), [] as [i64; 0]);
        assert_eq!(at(10, &[(1, 3_640), (2, 30)]), [] as [i64; 0], "an hour forth");
        assert_eq!(at(20, &[(1, -3_550), (2, 30)]), [] as [i64; 0], "and two back");
        assert_eq!(at(41, &[(1, -3_540), (2, 30)]), [2]);
        assert_eq!(at(50, &[(1, -3_530)]), [] as [i64; 0]);
    }
}
