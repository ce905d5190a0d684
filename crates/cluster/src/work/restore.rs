//! A partition's job from what was committed, and what to do where the store has lost some of it.

use std::collections::BTreeSet;
use std::path::Path;

use goldminer_crawl::config::Config;
use goldminer_crawl::job::renewal::Losses;
use goldminer_crawl::job::{JobDir, rebuild};
use goldminer_crawl::run::crawl::Job;

use super::pieces::{self, Piece, Restored};
use crate::error::ClusterError;
use crate::store::{Contents, Published, SegmentStore};

/// Makes the job of a partition in a folder where none is. Where something beside its archive is damaged, that is made anew
/// from the archive: the files that were.
///
/// # Errors
/// When the store is away, the archive in it is damaged, or the disk fails.
pub(crate) fn restore(
    store: &SegmentStore,
    folder: &Path,
    config: &Config,
    partition: i32,
    there: &Contents,
    checkpoint: Option<&Published>,
    pieces: &[Piece],
) -> Result<BTreeSet<String>, ClusterError> {
    match pieces::restore(store, &JobDir::new(folder), there, checkpoint, pieces)? {
        Restored::Whole => Ok(BTreeSet::new()),
        Restored::Archive(key) => {
            tracing::warn!(
                partition,
                key,
                "partition {partition}: {key} in the store is not what was committed; all beside the archive is made anew \
                 from it, and nothing is fetched twice"
            );
            // The store's digests have vouched for the archive.
            rebuild(&Job::open(folder, config.clone())?, Losses::Accepted)?;
            Ok(pieces::beside_the_archive(pieces))
        }
    }
}
