//! What can be wrong with an output directory.

use std::io;
use std::path::PathBuf;

use crate::shard::Shard;

/// What is wrong with an output directory, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The disk refuses.
    #[error("cannot {doing} {}: {cause}; free space, mend its permissions, or name another -o, and run the command again", path.display())]
    Disk {
        /// What was tried.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// A file of the manifest isn't what it should be.
    #[error("{} cannot be read ({cause}); remove it, and run the same command again: what it stood for is done again", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// The output was begun with other settings.
    #[error("{} was begun with {setting} {was}, and not {now}: name another -o, or remove it", out.display())]
    OtherSettings {
        /// The output directory.
        out: PathBuf,
        /// Which one differs.
        setting: String,
        /// What it was.
        was: String,
        /// What it is now.
        now: String,
    },
    /// The directory has documents that nobody answers for.
    #[error(
        "{} is there already, and not made by `extract` as JSON lines: what is written beside it would count twice. \
         Name another -o, or remove it",
        .0.display()
    )]
    Foreign(PathBuf),
    /// Something is made file by file there, and nothing by domain may be.
    #[error(
        "{} holds a sample, or an output of `extract --stream` or `dedup`, which what `extract` writes without --stream would \
         make useless: name another -o, or remove it",
        .0.display()
    )]
    ByFile(PathBuf),
    /// Nothing was made file by file there.
    #[error(
        "{} is no output of `goldminer extract --stream`, whose articles can be told apart across files; `goldminer convert \
         --unique` takes any corpus",
        .0.display()
    )]
    NoStream(PathBuf),
    /// A part of an output is missing.
    #[error("{} is not complete: {missing} is not extracted; run `goldminer extract --stream` into it again", out.display())]
    Incomplete {
        /// The output directory.
        out: PathBuf,
        /// The first of the files that are missing.
        missing: String,
    },
    /// The shard is being worked on.
    #[error("another process works on shard {shard} of {}: wait until it ends, or start another shard", out.display())]
    Busy {
        /// The shard.
        shard: Shard,
        /// The output directory.
        out: PathBuf,
    },
}

impl From<ManifestError> for goldminer_crawl::run::CrawlError {
    fn from(error: ManifestError) -> Self {
        Self::Reader(error.into())
    }
}
