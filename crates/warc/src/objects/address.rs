//! Addresses in object stores and on web servers, and the errors of access to them.

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
    /// The length of the text up to the end of the bucket.
    bucket: usize,
}

/// The schemes of addresses. Plain http is only for servers on this machine.
const SCHEMES: &[&str] = &["s3://", "gs://", "az://", "https://", "http://"];

impl ObjectAddress {
    /// Whether a path is an address of one of these schemes.
    pub fn is_in(path: &Path) -> bool {
        path.to_str().is_some_and(|text| SCHEMES.iter().any(|scheme| text.starts_with(scheme)))
    }

    /// Parses an address.
    ///
    /// # Errors
    /// When the text is not an address, or contains a password or key.
    pub fn parse(text: &str) -> Result<Self, ObjectError> {
        let refused = |what| Err(ObjectError::Address { address: without_secrets(text), what });
        let Some(scheme) = SCHEMES.iter().find(|scheme| text.starts_with(**scheme)) else {
            return refused("begins with none of s3://, gs://, az://, https://");
        };
        let rest = &text[scheme.len()..];
        let bucket = rest.find('/').unwrap_or(rest.len());
        let host = &rest[..bucket];
        if host.is_empty() {
            return refused("names no bucket");
        }
        if host.contains('@') {
            return refused("has credentials in it, which would be remembered: give them in the environment");
        }
        if is_web(scheme) && rest.contains(['?', '#']) {
            return refused("has a query, which may be a signature and would be remembered: name the file alone");
        }
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        if *scheme == "http://" && !matches!(name, "localhost" | "127.0.0.1" | "[::1]") {
            return refused("is not encrypted: use https://");
        }
        Ok(Self { text: text.to_owned(), bucket: scheme.len() + bucket })
    }

    /// Parses a path as an address; none if it is a local path.
    ///
    /// # Errors
    /// When it contains a password or key, or names no bucket.
    pub fn of(path: &Path) -> Result<Option<Self>, ObjectError> {
        Self::is_in(path).then(|| Self::parse(&path.to_string_lossy())).transpose()
    }

    /// The address of the bucket.
    pub fn bucket(&self) -> &str {
        &self.text[..self.bucket]
    }

    /// The key: the part after the bucket.
    pub fn key(&self) -> &str {
        self.text[self.bucket..].trim_start_matches('/')
    }

    /// The address of another object in the bucket.
    pub fn at(&self, key: &str) -> Self {
        Self { text: format!("{}/{key}", self.bucket()), bucket: self.bucket }
    }

    /// Whether it is on a web server, which cannot list files.
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

/// The address without passwords and keys, for messages.
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
    /// This program was built without object stores.
    #[error(
        "{address} is in an object store, and this goldminer was built without the feature `cloud`: build it with `cargo install \
         --path . --features cloud` in its sources, or download the files with the store's own program"
    )]
    NotBuilt {
        /// The requested address.
        address: String,
    },
    /// The text is not an address.
    #[error("{address} {what}")]
    Address {
        /// The given text, without its secrets.
        address: String,
        /// The reason.
        what: &'static str,
    },
    /// There is no such object.
    #[error("there is no {address}")]
    Missing {
        /// The address of the object.
        address: String,
    },
    /// The object has changed since it was listed.
    #[error(
        "{address} has changed since the output was begun: what is made of it now would not fit the rest; name another -o"
    )]
    Changed {
        /// The address of the object.
        address: String,
    },
    /// The store refuses access.
    #[error(
        "{address} may not be read or written ({cause}): give credentials in the environment (AWS_ACCESS_KEY_ID and \
         AWS_SECRET_ACCESS_KEY, GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_NAME and a key), or a role to the machine"
    )]
    Refused {
        /// The address of the object.
        address: String,
        /// The message of the store.
        cause: String,
    },
    /// The store, or the connection to it, fails even after retries.
    #[error("cannot {what} {address}: {cause}; run the same command again when the store answers")]
    Failed {
        /// The operation that failed.
        what: &'static str,
        /// The address of the object or bucket.
        address: String,
        /// The message of the store, without secrets.
        cause: String,
    },
    /// The local disk fails.
    #[error("cannot keep a copy of {address}: {cause}; TMPDIR says where copies go")]
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
    fn what_would_remember_a_secret_is_refused_without_repeating_it() {
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
