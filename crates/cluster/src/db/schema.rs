//! The schema of the database, as migrations in `migrations/postgres/`. Migrations are only ever added. `init` and
//! `--adopt` apply them; every other command checks that they were applied.

use super::database::Database;
use crate::error::ClusterError;

/// The migrations in order. The number of a migration is its position.
const STEPS: &[&str] = &[
    include_str!("../../migrations/postgres/0001_crawl.sql"),
    include_str!("../../migrations/postgres/0002_commands.sql"),
    include_str!("../../migrations/postgres/0003_profiles.sql"),
    include_str!("../../migrations/postgres/0004_retention.sql"),
    include_str!("../../migrations/postgres/0005_answers.sql"),
];

/// Number of the last migration that this program knows.
const KNOWN: i32 = STEPS.len() as i32;

/// Number of the advisory lock for changes of the schema. Nothing else uses it.
const LOCK: i64 = 0x676f_6c64_6d69_6e65;

/// Updates the database to this program's schema. One process does so at a time; others wait. The statements `before`
/// and `after` are executed in the same transaction.
///
/// # Errors
/// When a later version made the schema, the role lacks the permission, or a statement fails. Nothing is changed
/// then.
pub(crate) async fn apply(db: &Database, before: &str, after: &str) -> Result<(), ClusterError> {
    let doing = "making the schema";
    db.batch(doing, &format!("SELECT pg_advisory_lock({LOCK})")).await?;
    let made = apply_locked(db, before, after).await;
    let unlocked = db.batch(doing, &format!("SELECT pg_advisory_unlock({LOCK})")).await;
    made.and(unlocked)
}

async fn apply_locked(db: &Database, before: &str, after: &str) -> Result<(), ClusterError> {
    db.batch("making the schema", "CREATE TABLE IF NOT EXISTS goldminer_schema (version integer NOT NULL)").await?;
    let found = found(db).await?;
    if found > KNOWN {
        return Err(newer(found));
    }
    let missing = (1..).zip(STEPS).filter(|(number, _)| *number > found);
    let steps: String =
        missing.map(|(number, step)| format!("{step}; INSERT INTO goldminer_schema VALUES ({number}); ")).collect();
    db.batch("making the schema", &format!("BEGIN; {before}; {steps} {after}; COMMIT")).await
}

/// Checks that the database has this program's schema.
///
/// # Errors
/// When it has another version of the schema, or contains no crawl.
pub(crate) async fn check(db: &Database) -> Result<(), ClusterError> {
    let exists = "SELECT to_regclass('goldminer_schema') IS NOT NULL";
    let is_there = db.row("looking for the crawl", exists, &[]).await?.is_some_and(|row| row.get(0));
    if !is_there {
        return Err(ClusterError::NoCrawl);
    }
    match found(db).await? {
        KNOWN => Ok(()),
        found if found > KNOWN => Err(newer(found)),
        found => {
            Err(other(found, "stop all workers and run `goldminer cluster init --db … --adopt` with the new version"))
        }
    }
}

async fn found(db: &Database) -> Result<i32, ClusterError> {
    let row = db.row("reading the schema", "SELECT coalesce(max(version), 0) FROM goldminer_schema", &[]).await?;
    Ok(row.map_or(0, |row| row.get(0)))
}

fn newer(found: i32) -> ClusterError {
    other(found, "a newer version of goldminer made it; use that version here, too")
}

fn other(found: i32, advice: &str) -> ClusterError {
    ClusterError::Refused(format!("the database's schema is {found} and this program knows {KNOWN}: {advice}"))
}
