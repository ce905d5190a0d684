//! Addresses (URLs) of files in object stores and on web servers, and the errors of reading and writing these files.

use std::fmt;
use std::path::Path;

/// The address of an object, or of all objects below a prefix: `s3://bucket/crawl/2026/`.
///
/// ```
/// use goldminer_warc::objects::ObjectAddress;
///
/// let address = ObjectAddress::parse("s3://archives/2026/01.warc.gz")?;
/// assert_eq!((address.bucket(), address.key()), ("s3://archives", "2026/01.warc.gz"));
/// # Ok::<(), goldminer_warc::objects::ObjectError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ObjectAddress {
    text: String,
    /// The length in bytes of the part of `text` up to the end of the bucket's name.
    bucket: usize,
}

/// The schemes of addresses. `http` is only allowed for servers on this machine.
const SCHEMES: &[&str] = &["s3://", "gs://", "az://", "https://", "http://"];

impl ObjectAddress {
    /// Whether a path is an address in a store or on a web server, and not a local path.
    pub fn is_in(path: &Path) -> bool {
        path.to_str().is_some_and(|text| SCHEMES.iter().any(|scheme| text.starts_with(scheme)))
    }

    /// Parses an address.
    ///
    /// # Errors
    /// Fails if the text is not an address, or contains a password or key.
    pub fn parse(text: &str) -> Result<Self, ObjectError> {
        let refused = |what| Err(ObjectError::Address { address: without_secrets(text), what });
        let Some(scheme) = SCHEMES.iter().find(|scheme| text.starts_with(**scheme)) else {
            return refused("is not an address: it must begin with s3://, gs://, az:// or https://");
        };
        let rest = &text[scheme.len()..];
        let bucket = rest.find('/').unwrap_or(rest.len());
        let host = &rest[..bucket];
        if host.is_empty() {
            return refused("has no bucket or server after the scheme: write it as in s3://bucket/folder/");
        }
        if host.contains('@') {
            return refused("contains credentials, which would be saved with it: set them as environment variables");
        }
        if is_web(scheme) && rest.contains(['?', '#']) {
            return refused("has a query or fragment. It may be a signature and would be saved: leave it out");
        }
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        if *scheme == "http://" && !matches!(name, "localhost" | "127.0.0.1" | "[::1]") {
            return refused("is not encrypted: use https:// (http:// is only for servers on this machine)");
        }
        Ok(Self { text: text.to_owned(), bucket: scheme.len() + bucket })
    }

    /// Parses a path as an address; None if it is a local path.
    ///
    /// # Errors
    /// Fails as [`ObjectAddress::parse`] does.
    pub fn of(path: &Path) -> Result<Option<Self>, ObjectError> {
        Self::is_in(path).then(|| Self::parse(&path.to_string_lossy())).transpose()
    }

    /// The scheme and the bucket (or web server), such as `s3://archives`.
    pub fn bucket(&self) -> &str {
        &self.text[..self.bucket]
    }

    /// The key of the object: the part after the bucket, without a slash at the beginning.
    pub fn key(&self) -> &str {
        self.text[self.bucket..].trim_start_matches('/')
    }

    /// The address of the object with this key in the same bucket.
    pub fn at(&self, key: &str) -> Self {
        Self { text: format!("{}/{key}", self.bucket()), bucket: self.bucket }
    }

    /// Whether the address is on a web server. Web servers cannot list files.
    pub fn is_on_web(&self) -> bool {
        is_web(&self.text)
    }
}

fn is_web(text: &str) -> bool {
    text.starts_with("http")
}

impl fmt::Display for ObjectAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns an address without passwords and keys, for messages.
fn without_secrets(text: &str) -> String {
    let shown = text.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = shown.split_once("://") else { return shown.to_owned() };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or_default())
}

/// An error of an object store. The message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// This program was built without support for object stores.
    #[error(
        "{address} needs object stores, and this goldminer was built without them. In its source directory, run `cargo \
         install --path . --features cloud`, or download the files with the store's own program"
    )]
    NotBuilt {
        /// The requested address.
        address: String,
    },
    /// The text is not an address that can be used.
    #[error("{address} {what}")]
    Address {
        /// The given text, without its secrets.
        address: String,
        /// The reason, as the end of a sentence that begins with the address.
        what: &'static str,
    },
    /// The object does not exist.
    #[error("{address} does not exist: check the address")]
    Missing {
        /// The address of the object.
        address: String,
    },
    /// The content of the object has changed since it was listed or archived.
    #[error(
        "{address} has changed since it was first read. Restore the earlier version, or start again with another -o"
    )]
    Changed {
        /// The address of the object.
        address: String,
    },
    /// The store refuses access.
    #[error(
        "access to {address} is refused ({cause}). Set the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or \
         GOOGLE_APPLICATION_CREDENTIALS, or AZURE_STORAGE_ACCOUNT_NAME and a key, or give the machine a role"
    )]
    Refused {
        /// The address of the object.
        address: String,
        /// The message of the store.
        cause: String,
    },
    /// A request to the store failed, even after retries.
    #[error("cannot {what} {address}: {cause}. Run the same command again when the store can be reached")]
    Failed {
        /// The operation that failed, such as `read`.
        what: &'static str,
        /// The address of the object or bucket.
        address: String,
        /// The message of the store, without secrets.
        cause: String,
    },
    /// The temporary local copy of an object could not be written or read.
    #[error(
        "cannot use the local copy of {address}: {cause}. Free some space in the folder for temporary files, or name \
         another folder in the environment variable TMPDIR"
    )]
    Disk {
        /// The address of the object that was read or written.
        address: String,
        /// The system's reason.
        cause: std::io::Error,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_bucket_and_a_key() {
        for (text, bucket, key) in [
            ("s3://b/a/x.warc.gz", "s3://b", "a/x.warc.gz"),
            ("gs://b", "gs://b", ""),
            ("az://container/a/", "az://container", "a/"),
            ("s3://b/2026/*/x?.warc.gz", "s3://b", "2026/*/x?.warc.gz"),
            ("https://data.example:8443/a.warc.gz", "https://data.example:8443", "a.warc.gz"),
            ("http://127.0.0.1:9000/a", "http://127.0.0.1:9000", "a"),
        ] {
            let address = ObjectAddress::parse(text).unwrap();
            assert_eq!((address.bucket(), address.key(), &*address.to_string()), (bucket, key, text));
        }
        assert!(!ObjectAddress::is_in(Path::new("s3/file.warc.gz")));
    }

    #[test]
    fn an_address_with_a_secret_is_refused_and_not_shown() {
        for text in [
            "s3://AKIAKEY:hunter2@b/a",
            "https://user:hunter2@data.example/a.warc.gz",
            "https://data.example/a.warc.gz?X-Amz-Signature=hunter2",
            "http://data.example/hunter2.warc.gz",
            "s3:///a",
            "ftp://b/a",
        ] {
            let error = ObjectAddress::parse(text).unwrap_err().to_string();
            assert!(!error.contains("AKIAKEY") && (!error.contains("hunter2") || text.ends_with("gz")), "{error}");
        }
    }
}
