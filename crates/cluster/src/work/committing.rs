//! Commits a round of a partition (the crawling since the last commit): executes commands, publishes files, and makes
//! them visible with one statement.

use goldminer_crawl::job::checkpoint;
use goldminer_crawl::{Config, JobDir, Portal};

use super::partition_runner::{ExitReason, Order, PartitionRunner, Round, TRY_AGAIN};
use super::pieces::{self, Piece};
use crate::commands::{self, CommandResults};
use crate::db::lease;
use crate::error::{ClusterError, blocking};
use crate::partitions;
use crate::store::Published;

impl PartitionRunner {
    /// Commits a round (the crawling since the last commit). If the commit fails, the next round commits the data too,
    /// or the commit is tried again if this is the last round. Returns how the runner ends, or None if it goes on.
    pub(super) async fn commit_until_settled(
        &mut self,
        known: &mut Option<Vec<Piece>>,
        round: &mut Round,
        most_tries: u32,
        checkpoints: &mut Vec<Published>,
    ) -> Result<Option<ExitReason>, ClusterError> {
        for tries in 1.. {
            match self.commit(known, round).await {
                Ok(None) => return Ok(Some(ExitReason::LeaseEnded)),
                Ok(Some(checkpoint)) => {
                    self.common.metrics.count(|metrics| &metrics.commits);
                    checkpoints.push(checkpoint);
                    self.remade.clear();
                    break;
                }
                Err(error) => {
                    let partition = self.claim.partition;
                    tracing::warn!(
                        "the results of partition {partition} could not be saved in the store; this is \
                         tried again: {error}"
                    );
                    self.common.metrics.count(|metrics| &metrics.failed_commits);
                    // The commit may have succeeded, with only the answer lost.
                    *known = None;
                }
            }
            if !round.release && round.reason_done.is_none() {
                break;
            }
            if tries == most_tries {
                // There is no space for a checkpoint either. Another worker continues from the last commit.
                lease::release(&self.common.db, self.session, &self.claim).await?;
                return Ok(Some(ExitReason::NoRoom));
            }
            tokio::time::sleep(TRY_AGAIN).await;
            if *self.orders.borrow() == Order::Abandon {
                return Ok(Some(ExitReason::LeaseEnded));
            }
        }
        Ok(None)
    }

    /// Executes commands, publishes files and commits. Returns the new checkpoint (the copy of the job's databases);
    /// None if the partition was taken over.
    pub(super) async fn commit(
        &mut self,
        known: &mut Option<Vec<Piece>>,
        round: &mut Round,
    ) -> Result<Option<Published>, ClusterError> {
        let results = self.apply_commands().await?;
        if !results.ids.is_empty() {
            // The saved state of the round does not contain the effects of commands.
            round.rest = None;
        }
        round.saves += u32::from(round.rest.is_none());
        // Commands may have added work.
        let done = round.reason_done.filter(|_| results.ids.is_empty());
        let release = round.release || done.is_some();
        let pieces = match known.take() {
            Some(pieces) => pieces,
            None => lease::pieces(&self.common.db, self.claim.partition).await?,
        };
        let (store, job) = (self.common.store.clone(), JobDir::new(&self.folder));
        let prefix = round.prefix(&self.claim);
        let (remade, known_profiles, rest) = (self.remade.clone(), self.committed_profiles.clone(), round.rest.take());
        let published = blocking(move || {
            let rest = rest.map_or_else(|| checkpoint::save(&job), Ok)?;
            let new_profiles = pieces::new_profiles(rest.learned.clone(), &known_profiles);
            let results = (rest.checkpoint.as_path(), new_profiles, results);
            let changes = pieces::publish(&store, &job, &pieces, &remade, results, &prefix);
            Ok((changes, pieces, rest))
        });
        let (changes, mut pieces, rest) = published.await?;
        round.rest = Some(rest);
        let changes = changes?;
        let (db, claim) = (&self.common.db, &self.claim);
        round.left = match lease::commit(db, self.session, claim, &changes, round.counts, release, done).await? {
            None => return Ok(None),
            // A command may have come after the commands were read.
            Some(is_done) if release => Some(if is_done { ExitReason::Done } else { ExitReason::Released }),
            Some(_) => None,
        };
        self.committed_profiles.extend(changes.new_profiles.into_iter().map(|profile| (profile.key, profile.blake3)));
        pieces.retain(|piece| !changes.gone.contains(&piece.file));
        pieces.extend(changes.new);
        *known = Some(pieces);
        Ok(Some(changes.checkpoint))
    }

    /// Executes the commands that were not executed yet or, if the job was rebuilt, all commands that were ever given.
    /// A portal that a command adds belongs to the partition from then on.
    async fn apply_commands(&mut self) -> Result<CommandResults, ClusterError> {
        let again = !self.remade.is_empty();
        let (asked, given) = commands::of_partition(&self.common.db, self.claim.partition, again).await?;
        if given.is_empty() {
            return Ok(CommandResults { asked, ..CommandResults::default() });
        }
        let (job, clock) = (JobDir::new(&self.folder), self.common.clock);
        let applied = blocking(move || {
            let results = commands::apply_commands(&job, clock, asked, &given)?;
            Ok((results, Config::of_job(job.root())?))
        });
        let (results, here) = applied.await?;
        let (here, mut config) = (here.unwrap_or_default(), self.config()?);
        let added: Vec<String> = here.added.into_iter().filter(|url| !config.added.contains(url)).collect();
        let is_new = |portal: &&Portal| portal.start.iter().any(|start| added.iter().any(|url| url == start.as_str()));
        config.portals.extend(here.portals.iter().filter(is_new).cloned());
        config.added.extend(added);
        self.claim.config_toml = partitions::to_toml(&config)?;
        Ok(results)
    }
}
