//! Passes the commands of an operator to the workers of a crawl on many machines. `cluster ctl` writes them to the
//! database. The worker that has the partition executes them while the job is stopped, and the commit that makes their
//! effects visible also saves the answers. A command has the same effect if it is executed twice, so after a lost
//! commit it is simply executed again.

use std::time::Duration;

use goldminer_crawl::api::JobService;
use goldminer_crawl::job::at_rest::AtRest;
use goldminer_crawl::{Clock, Command, CommandError, Config, CrawlError, JobDir, of_host_name, seed_url, typed_url};
use goldminer_fetch::since_start;
use serde::Serialize;

use crate::db::database::Database;
use crate::db::schema;
use crate::error::ClusterError;
use crate::partitions;

/// A command for a partition, as stored in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredCommand {
    pub(super) id: i64,
    pub(super) command: Command,
}

/// The results of a partition's commands. `asked` is the number of all commands that the partition had ever been given
/// when these commands were read.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandResults {
    pub(super) asked: i64,
    pub(super) ids: Vec<i64>,
    pub(super) messages: Vec<String>,
    pub(super) refused: Vec<bool>,
}

/// The partitions of a worker's session that have commands which were not executed yet.
pub(super) async fn waiting(db: &Database, session: i64) -> Result<Vec<i32>, ClusterError> {
    let statement = "SELECT DISTINCT partition FROM command WHERE said IS NULL
        AND partition IN (SELECT id FROM partition WHERE owner = $1)";
    let rows = db.query("looking for commands", statement, &[&session]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Reads the commands of a partition that were not executed yet or, with `all`, all that it was ever given. Also
/// returns the number of all commands that it was ever given.
pub(super) async fn of_partition(
    db: &Database,
    partition: i32,
    all: bool,
) -> Result<(i64, Vec<StoredCommand>), ClusterError> {
    let statement = "SELECT partition.asked, command.id, command.command FROM partition
        LEFT JOIN command ON command.partition = partition.id AND (command.said IS NULL OR $2)
        WHERE partition.id = $1 ORDER BY command.id";
    let rows = db.query("reading commands", statement, &[&partition, &all]).await?;
    let asked = rows.first().map_or(0, |row| row.get(0));
    // A command that this version does not know is left for a later version.
    let stored = rows.iter().filter_map(|row| {
        let text = row.get::<_, Option<String>>(2)?;
        Some(StoredCommand { id: row.get(1), command: serde_json::from_str(&text).ok()? })
    });
    Ok((asked, stored.collect()))
}

/// Executes commands on a stopped job, with the clock that it is crawled with.
pub(super) fn apply_commands(
    job: &JobDir,
    clock: Clock,
    asked: i64,
    commands: &[StoredCommand],
) -> Result<CommandResults, CrawlError> {
    let mut results = CommandResults { asked, ..CommandResults::default() };
    for stored in commands {
        let at_rest = AtRest::of(job)?;
        // A command may change the configuration for the next command.
        let config = Config::of_job(job.root())?.unwrap_or_default();
        let (message, refused) = match JobService::stopped(job, &at_rest, &config, clock)?.execute(&stored.command) {
            Ok(done) => (done.join("\n"), false),
            Err(CommandError::Store(error)) => return Err(error.into()),
            Err(refusal) => (refusal.to_string(), true),
        };
        results.ids.push(stored.id);
        results.messages.push(message);
        results.refused.push(refused);
    }
    Ok(results)
}

const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The partition that it was for.
    pub partition: i32,
    /// What was done, one line each; None while the command has not been executed.
    pub said: Option<String>,
    /// Whether the command was refused; `said` has the reason.
    pub refused: bool,
}

/// Writes a command to the database, and waits up to `patience` for the answers.
///
/// # Errors
/// When the command is invalid or is for a host that no partition has, or the database is unavailable.
pub async fn ctl(db: &Database, command: &Command, patience: Duration) -> Result<Vec<Answer>, ClusterError> {
    schema::check(db).await?;
    let rows = db.query("reading the partitions", "SELECT id, job FROM partition ORDER BY id", &[]).await?;
    let mut portals_of = Vec::with_capacity(rows.len());
    for row in rows {
        portals_of.push((row.get(0), partitions::from_toml(row.get(1))?.portals));
    }
    let mut commands: Vec<(i32, Command)> = Vec::new();
    match command {
        Command::Stop => {
            let reason = "a crawl on many machines ends with its workers: stop each of them with Ctrl-C or SIGTERM";
            return Err(ClusterError::Refused(reason.to_owned()));
        }
        Command::Pause { host } | Command::Resume { host } | Command::Block { host } | Command::Delay { host, .. } => {
            let url = of_host_name(host).map_or_else(|| typed_url(host), Ok);
            let domain = url.map_err(ClusterError::Refused)?.domain();
            let partition = partitions::partition_of(&portals_of, &domain);
            let unknown = || ClusterError::Refused(format!("this crawl has no portal on {}", domain.as_str()));
            commands.push((partition.ok_or_else(unknown)?, command.clone()));
        }
        Command::Add { urls } => {
            for typed in urls {
                let domain = seed_url(typed).map_err(ClusterError::Refused)?.domain();
                let partition = partitions::partition_of(&portals_of, &domain)
                    .or_else(|| partitions::partition_for_new_domain(&portals_of, &domain));
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

/// Saves commands in the database, and returns their numbers. Partitions that were marked as done lose this mark.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;

    use super::*;
    use goldminer_crawl::frontier::{Discovery, Frontier, FrontierConfig, Portal, UrlKind};
    use goldminer_crawl::store::Store;
    use goldminer_html::address::CrawlUrl;

    /// The frontier of a job with one portal, as the crawler opens it.
    fn frontier(job: &JobDir, now: Timestamp) -> Frontier {
        let start = CrawlUrl::parse("https://courier.example/").unwrap();
        let portals = vec![Portal::around("courier".to_owned(), start.clone())];
        let config = FrontierConfig { portals, ..FrontierConfig::default() };
        let store = Store::open(&job.frontier()).unwrap();
        let mut frontier = Frontier::open(store.frontier(), config, now).unwrap();
        let portal = frontier.portal("courier").unwrap();
        frontier.add(&[Discovery::seed(start, UrlKind::Start, portal)], now).unwrap();
        frontier
    }

    /// The workers of a crawl use the time of the database.
    #[test]
    fn a_command_keeps_a_hosts_delay_if_the_system_clock_is_behind() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        job.create().unwrap();
        Config::default().write(job.root()).unwrap();
        let system = Clock::start().now();
        let clock = Clock::showing(system.saturating_add(Duration::from_hours(1)).unwrap());
        let asked_at = clock.now();
        assert!(
            frontier(&job, asked_at).lease(1, usize::MAX, asked_at).unwrap().pop().is_some(),
            "the first request may leave at once"
        );
        let host = "courier.example".to_owned();
        let given = [Command::Pause { host: host.clone() }, Command::Resume { host }]
            .map(|command| StoredCommand { id: 1, command });
        let results = apply_commands(&job, clock, 2, &given).unwrap();
        assert_eq!(results.refused, [false, false], "{results:?}");
        let due = frontier(&job, asked_at).next_wakeup().expect("it is resumed");
        let delay = FrontierConfig::default().politeness.delay;
        assert!(due >= asked_at.saturating_add(delay).unwrap(), "asked at {asked_at}, again at {due}");
    }
}
