//! Reads and writes profiles as TOML files, `<key>.toml`, in a folder that people can review and share. A profile's key
//! is its domain, a host, or a host and a path prefix.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use goldminer_core::{DomainProfile, ProfileSet, ServingProfile, StoredPage};
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::extract::Learned;
use goldminer_crawl::store::profile_book::ProfileBook;
use goldminer_crawl::{Job, JobDir, Query};
use goldminer_html::Domain;
use goldminer_warc::durable;
use xxhash_rust::xxh3::xxh3_64;

use crate::commands::{misuse, single_file};

/// The most bytes of a file name, so that every file system accepts it with `.toml.new` appended.
const MAX_NAME_BYTES: usize = 240;

/// Reads a profile file, all files of a folder, or a profile book: one file (`.gmp`) with many profiles. In a book, the
/// oldest version of a key comes first.
///
/// # Errors
/// When one cannot be read or is invalid. The message names file, line and key.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<DomainProfile>> {
    if ProfileBook::is_book(path) {
        let mut profiles = Vec::new();
        for entry in ProfileBook::open(path)?.entries() {
            profiles.extend(entry?.profiles.into_iter().map(|spanned| spanned.profile));
        }
        return Ok(profiles);
    }
    if path.is_file() {
        return Ok(vec![read_one(path)?]);
    }
    let unreadable = || {
        let path = path.display();
        format!(
            "cannot read the profiles {path}: give a .gmp file, a <domain>.toml, a directory of profiles (of such .toml \
             files), or a job directory"
        )
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).with_context(unreadable)? {
        files.push(entry.with_context(unreadable)?.path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    if files.is_empty() && JobDir::is_beginning(path) {
        bail!("no profiles in {} yet: a crawl is just starting there; try again in a moment", path.display());
    }
    if files.is_empty() {
        bail!("no profiles in {}; `goldminer learn` and `goldminer profile export` write them", path.display());
    }
    files.sort_unstable();
    let mut profiles: Vec<DomainProfile> = Vec::new();
    for file in &files {
        let profile = read_one(file)?;
        if let Some(at) = profiles.iter().position(|other| other.key == profile.key) {
            let (one, other, key) = (files[at].display(), file.display(), &profile.key);
            bail!("{one} and {other} are both profiles of {key}: delete one of them");
        }
        profiles.push(profile);
    }
    Ok(profiles)
}

/// The profiles of a job, a folder or a file; empty if no path is given.
pub(crate) fn set(profiles: Option<&Path>) -> anyhow::Result<ProfileSet> {
    Ok(ProfileSet::of(given(profiles)?))
}

/// Like [`set`], but returns a list.
pub(crate) fn given(profiles: Option<&Path>) -> anyhow::Result<Vec<ServingProfile>> {
    Ok(profiles.map(serving).transpose()?.unwrap_or_default())
}

/// The profiles at `path` that may apply to one page. A file with a single profile applies whatever the page's URL; the
/// page then counts as one of the profile's domain.
///
/// # Errors
/// When there are several profiles and the page's URL, which would choose between them, is unknown.
pub(crate) fn for_page(
    path: Option<&Path>,
    mut serving: Vec<ServingProfile>,
    page: &mut StoredPage,
) -> anyhow::Result<ProfileSet> {
    if let ([only], true) = (serving.as_mut_slice(), path.is_some_and(Path::is_file)) {
        let key = std::mem::take(&mut only.profile.key);
        only.profile.key = key.split('/').next().unwrap_or_default().to_owned();
        page.domain = Domain::named(&only.profile.key);
    }
    let keys = serving.iter().map(|it| it.profile.key.as_str()).take(10).collect::<Vec<_>>().join(", ");
    let set = ProfileSet::of(serving);
    if !keys.is_empty() && page.url.is_none() && set.candidates(&page.domain, None, None).is_empty() {
        return misuse(format!(
            "the page has no URL, so no profile can be chosen ({keys}); give its URL with --url, or one profile file"
        ));
    }
    Ok(set)
}

/// The profiles of a job directory, of a folder of profile files, or of one such file.
///
/// # Errors
/// When there are none, or one cannot be read. The message says where and what to do.
pub fn serving(path: &Path) -> anyhow::Result<Vec<ServingProfile>> {
    if JobDir::is_job(path) {
        return Ok(job_client::ask::<Learned>(path, &Query::Learned)?.profiles);
    }
    Ok(read(path)?.into_iter().map(ServingProfile::everywhere).collect())
}

/// Reads the profiles in a folder, to restore them in a job that has lost its profiles. Returns no profiles if the
/// job has profiles, or if the folder is missing, empty or invalid.
pub(crate) fn hand_made(job: &Job, folder: &Path) -> Vec<DomainProfile> {
    if job.has_profiles() || !std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Vec::new();
    }
    read(folder).unwrap_or_else(|error| {
        tracing::warn!("profiles in {} are not used: {error:#}", folder.display());
        Vec::new()
    })
}

/// Writes a profile into a folder, whatever its key. Manual edits in an existing file are kept.
///
/// # Errors
/// When the existing file is invalid, or the folder cannot be written.
pub fn write(folder: &Path, profile: &DomainProfile) -> anyhow::Result<PathBuf> {
    let path = folder.join(format!("{}.toml", file_name(&profile.key)));
    write_file(&path, profile)?;
    Ok(path)
}

/// Writes a profile into a file. Manual edits in it are kept.
///
/// # Errors
/// When the existing file is invalid, or cannot be written.
pub fn write_file(path: &Path, profile: &DomainProfile) -> anyhow::Result<()> {
    let unwritable = |cause: std::io::Error| single_file::unwritable(path, &cause);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(unwritable)?;
    }
    let text = match std::fs::read_to_string(path) {
        Ok(old) => profile.merged_into(&old).with_context(|| format!("{} cannot be updated", path.display()))?,
        Err(_) => profile.to_toml(),
    };
    durable::write(path, text).map_err(unwritable)
}

/// The name of a profile's file without its extension. File systems allow 255 bytes, so a longer key is replaced by
/// its beginning and a hash.
fn file_name(key: &str) -> String {
    let name = key.replace(['/', '\\'], "_");
    match name.len() > MAX_NAME_BYTES {
        true => format!("{}~{:016x}", &name[..name.floor_char_boundary(MAX_NAME_BYTES - 17)], xxh3_64(key.as_bytes())),
        false => name,
    }
}

fn read_one(path: &Path) -> anyhow::Result<DomainProfile> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    DomainProfile::from_toml(&text).with_context(|| format!("{} is not a profile (in TOML)", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_keys_get_short_and_distinct_file_names() {
        assert_eq!(file_name("portal.example/news"), "portal.example_news");
        let (one, other) =
            (format!("portal.example/{}1", "a".repeat(900)), format!("portal.example/{}2", "a".repeat(900)));
        assert!(file_name(&one).len() <= MAX_NAME_BYTES && file_name(&one) != file_name(&other));
    }

    #[test]
    fn a_folder_of_profiles_may_be_named_like_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("all.toml");
        for key in ["a.example", "b.example"] {
            let profile = DomainProfile::from_toml(&format!("key = '{key}'\n[[template]]\nstart = 'div'\n")).unwrap();
            assert_eq!(write(&folder, &profile).unwrap(), folder.join(format!("{key}.toml")));
        }
        assert_eq!(read(&folder).unwrap().len(), 2);
    }
}
