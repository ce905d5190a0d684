//! Why a source can't be used, and what to do.

use std::path::PathBuf;

use goldminer_warc::ArchiveError;

use super::foreign::Foreign;

/// A source that can't be used, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It can't be read.
    #[error("cannot read {}: {cause}; check the path and its permissions", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// There are no pages in it.
    #[error(
        "no pages in {}: {contents}. Give a job directory, WARC files, WACZ files, HTML files, or folders such as \
         pages/<domain>/<id>.html",
        path.display()
    )]
    NoPages {
        /// The file or folder.
        path: PathBuf,
        /// What there is instead.
        contents: String,
    },
    /// It holds pages, and no archive.
    #[error(
        "{} holds HTML files, and this reads WARC and WACZ files from end to end: `goldminer extract` without --stream, and \
         `goldminer learn`, take HTML files",
        path.display()
    )]
    NoArchive {
        /// The file or folder.
        path: PathBuf,
    },
    /// It is something else.
    #[error("{} {what}", path.display())]
    Foreign {
        /// The file or folder.
        path: PathBuf,
        /// What it is, and what to do.
        what: Foreign,
    },
    /// It is a pipe, a socket or a device.
    #[error(
        "{} is a pipe or a device, and sources are files: they are read again, and from any place on; write what it gives \
         to a file, and name that",
        path.display()
    )]
    NoFile {
        /// Its path.
        path: PathBuf,
    },
    /// It cannot be written down where it lies.
    #[error(
        "{} is not read: its name is not UTF-8 (shown as well as can be), and an output could not say where its pages lie; rename it",
        path.display()
    )]
    Name {
        /// The file or folder.
        path: PathBuf,
    },
    /// It is a link to nothing.
    #[error("{} is a link that leads nowhere ({cause}), and is not read: mend it, or remove it", path.display())]
    Link {
        /// The link.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// It is a zip archive that can't be read.
    #[error("{} is a zip archive (WACZ) that cannot be read: {cause}; restore it from a copy", path.display())]
    Wacz {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: std::io::Error,
    },
    /// It is the folder of one website, whose own folders name no domains.
    #[error(
        "{} looks like the folder of one website: what is in it ({folders}) is not called like a host. Say where it was saved from, with \
         --url-prefix {}; or, if each folder is a portal of its own, put them below a folder called pages/",
        path.display(), address.as_deref().unwrap_or("https://www.example.com/")
    )]
    Website {
        /// The folder.
        path: PathBuf,
        /// Some of its folders.
        folders: String,
        /// The address that its pages name.
        address: Option<String>,
    },
    /// It holds pages in rows.
    #[error(
        "{} holds pages in rows (`url`, `html`), which are read from end to end: give it to `goldminer extract --stream`, and \
         to `goldminer sample` before that",
        path.display()
    )]
    Table {
        /// The file.
        path: PathBuf,
    },
    /// A sample cannot be learned from.
    #[error("cannot learn from the sample {}: {why}; `goldminer sample` takes it", path.display())]
    Sample {
        /// Its folder.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A file is not what it was when somebody began to read it.
    #[error(
        "{} has {now} bytes, and had {was} when the output was begun: what is made of it now would not fit the rest; name \
         another -o",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// Its length then.
        was: u64,
        /// Its length now.
        now: u64,
    },
    /// `meta.tsv` isn't one.
    #[error("{}: the first line must name the columns, with `id` and `domain` among them", path.display())]
    Meta {
        /// The file.
        path: PathBuf,
    },
    /// It is a WACZ file in an object store.
    #[error("{} is a WACZ file: fetch it, and give the copy", path.display())]
    FarWacz {
        /// The object.
        path: PathBuf,
    },
    /// It is no pattern.
    #[error("{path} is no pattern: *, ? and [a-z] stand for others")]
    Pattern {
        /// What was given.
        path: String,
    },
    /// An object can't be read.
    #[error(transparent)]
    Object(#[from] goldminer_warc::objects::ObjectError),
    /// An archive can't be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl From<SourceError> for goldminer_crawl::run::CrawlError {
    fn from(error: SourceError) -> Self {
        Self::Reader(error.into())
    }
}
