//! Removes what a partition no longer needs. In the store, these are archive files that were kept as long as
//! configured, and files that no commit refers to. On this machine, these are folders that killed workers have left.

use std::path::Path;

use goldminer_fetch::since_start;
use jiff::Timestamp;

use super::partition_runner::PartitionRunner;
use super::pieces::{self, Piece};
use crate::db::lease;
use crate::error::{ClusterError, blocking};
use crate::store::Published;

impl PartitionRunner {
    /// Gives up (deletes on purpose) archive files that were kept as long as configured. Removes them from the store
    /// after a time in which programs that read them can finish. Also removes files that no commit refers to, if they
    /// are from an earlier claim (epoch) of the partition.
    pub(super) async fn tidy(
        &mut self,
        known: &mut Option<Vec<Piece>>,
        last: Option<&Published>,
    ) -> Result<(), ClusterError> {
        let partition = self.claim.partition;
        if let Some(keep) = self.common.crawl.keep {
            let retired = lease::retire(&self.common.db, self.session, &self.claim, keep).await?;
            for (file, bytes) in &retired {
                pieces::retire(&self.folder.join(file), *bytes)?;
            }
            let is_retired = |piece: &Piece| retired.iter().any(|(file, _)| *file == piece.file);
            for piece in known.iter_mut().flatten().filter(|piece| is_retired(piece)) {
                piece.is_retired = true;
            }
            let keys = lease::given_up(&self.common.db, partition, self.common.crawl.leftovers).await?;
            if !keys.is_empty() {
                let (store, gone) = (self.common.store.clone(), keys.clone());
                blocking(move || {
                    gone.iter().for_each(|key| store.remove(key));
                    Ok(())
                })
                .await?;
                lease::removed(&self.common.db, partition, &keys).await?;
            }
        }
        let (Some(pieces), Some(last)) = (&known, last) else { return Ok(()) };
        if since_start().saturating_sub(self.collected) < self.common.crawl.leftovers {
            return Ok(());
        }
        self.collected = since_start();
        let (store, epoch, before) = (self.common.store.clone(), self.claim.epoch, self.leftovers_before());
        let (pieces, last) = (pieces.clone(), last.clone());
        blocking(move || {
            let there = store.contents(&pieces::folder_of(partition))?;
            pieces::collect(&store, (epoch, before), &there, Some(&last), &pieces);
            Ok(())
        })
        .await
    }

    /// Files that no commit refers to are removed if they were written before this time.
    pub(super) fn leftovers_before(&self) -> Timestamp {
        self.common.clock.now().checked_sub(self.common.crawl.leftovers).unwrap_or(Timestamp::MIN)
    }

    /// Removes folders of this partition that killed workers have left on this machine. They belong to earlier claims
    /// of the partition.
    pub(super) fn remove_earlier(own: &Path, partition: i32) {
        let prefix = format!("p{partition:03}-e");
        for entry in own.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }
}
