//! A job that begins with what others have learned: profiles as JSON. Where in an archive a profile began to serve is the
//! archive's own affair, and stays behind.

use goldminer_core::{DomainProfile, ServingProfile};

use super::JobDir;
use crate::CrawlError;
use crate::extract::Domains;
use crate::store::profiles::ProfileStore;

/// Has a job that has not begun start with profiles that others [left](super::checkpoint::Rest::learned): their domains
/// need no learning phase. One that cannot be read is named, and left to be learned.
///
/// # Errors
/// When the job is in use, or the disk fails.
pub fn begin_with(job: &JobDir, profiles: &[String]) -> Result<(), CrawlError> {
    if profiles.is_empty() {
        return Ok(());
    }
    let _lock = job.lock()?;
    let domains = Domains::new(ProfileStore::open(&job.profiles())?);
    for json in profiles {
        match serde_json::from_str::<DomainProfile>(json) {
            Ok(mut profile) => {
                profile.version = 1;
                let of_site = profile.learned_at.is_some();
                let mut serving = ServingProfile::everywhere(profile);
                serving.of_site = of_site;
                domains.import(&serving)?;
            }
            Err(error) => tracing::warn!("a profile cannot be read, so its domain is learned again: {error}"),
        }
    }
    Ok(())
}
