//! `cluster ctl`: an operator's commands, to whoever has the partition that they are about. Nothing is done here: they are
//! written to the database, and what is said of them is read there.

use std::time::Duration;

use goldminer_crawl::api::admin::Command;
use goldminer_crawl::fetch::since_start;
use goldminer_crawl::seeds::{of_host_name, typed_url};
use serde::Serialize;

use crate::db::database::Database;
use crate::db::schema;
use crate::error::ClusterError;
use crate::partitions;

const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The partition that it was for.
    pub partition: i32,
    /// What was done, a line each; none when nobody has carried it out yet. Then it waits.
    pub said: Option<String>,
    /// It was refused, for the reason that is said.
    pub refused: bool,
}

/// Gives a command, and waits so long for what is said of it.
///
/// # Errors
/// When it makes no sense, names what no partition has, or the database does not serve.
pub async fn ctl(db: &Database, command: &Command, patience: Duration) -> Result<Vec<Answer>, ClusterError> {
    schema::check(db).await?;
    let rows = db.query("reading the partitions", "SELECT id, job FROM partition ORDER BY id", &[]).await?;
    let mut jobs = Vec::with_capacity(rows.len());
    for row in rows {
        jobs.push((row.get(0), partitions::read(row.get(1))?.portals));
    }
    let mut commands: Vec<(i32, Command)> = Vec::new();
    match command {
        Command::Stop => {
            let reason = "a crawl on many machines ends with its workers: Ctrl-C, or SIGTERM, at each of them";
            return Err(ClusterError::Refused(reason.to_owned()));
        }
        Command::Pause { host } | Command::Resume { host } | Command::Block { host } | Command::Delay { host, .. } => {
            let url = of_host_name(host).map_or_else(|| typed_url(host), Ok);
            let domain = url.map_err(ClusterError::Refused)?.domain();
            let partition = partitions::with(&jobs, &domain);
            let unknown = || ClusterError::Refused(format!("no portal of this crawl is of {}", domain.as_str()));
            commands.push((partition.ok_or_else(unknown)?, command.clone()));
        }
        Command::Add { urls } => {
            for typed in urls {
                let domain = typed_url(typed).map_err(ClusterError::Refused)?.domain();
                let partition = partitions::with(&jobs, &domain).or_else(|| partitions::for_new(&jobs, &domain));
                let partition = partition.ok_or(ClusterError::NoCrawl)?;
                match commands.iter_mut().find(|(of, _)| *of == partition) {
                    Some((_, Command::Add { urls })) => urls.push(typed.clone()),
                    _ => commands.push((partition, Command::Add { urls: vec![typed.clone()] })),
                }
            }
        }
    }
    let ids = give(db, &commands).await?;
    let until = since_start() + patience;
    loop {
        let answers = answers(db, &ids).await?;
        let is_waiting = answers.iter().any(|answer| answer.said.is_none());
        if !is_waiting || since_start() >= until || !anybody_works(db).await? {
            return Ok(answers);
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// Writes commands down. Their partitions have work again, whatever came of them before.
async fn give(db: &Database, commands: &[(i32, Command)]) -> Result<Vec<i64>, ClusterError> {
    let statement = "WITH given AS (
            INSERT INTO command (partition, command)
            SELECT * FROM unnest($1::integer[], $2::text[]) RETURNING id, partition),
        asked AS (
            UPDATE partition SET asked = asked + 1, done = NULL FROM given WHERE partition.id = given.partition)
        SELECT id, pg_notify('goldminer', '') FROM given ORDER BY id";
    let partitions: Vec<i32> = commands.iter().map(|(partition, _)| *partition).collect();
    let texts = commands.iter().map(|(_, command)| serde_json::to_string(command)).collect::<Result<Vec<_>, _>>();
    let texts = texts.map_err(|error| ClusterError::Refused(error.to_string()))?;
    let rows = db.query("giving a command", statement, &[&partitions, &texts]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

async fn answers(db: &Database, ids: &[i64]) -> Result<Vec<Answer>, ClusterError> {
    let statement = "SELECT partition, said, refused FROM command WHERE id = ANY ($1) ORDER BY id";
    let rows = db.query("reading answers", statement, &[&ids]).await?;
    Ok(rows.iter().map(|row| Answer { partition: row.get(0), said: row.get(1), refused: row.get(2) }).collect())
}

async fn anybody_works(db: &Database) -> Result<bool, ClusterError> {
    let statement = "SELECT 1 FROM worker WHERE NOT dead AND expires > now() LIMIT 1";
    Ok(db.row("looking for workers", statement, &[]).await?.is_some())
}
