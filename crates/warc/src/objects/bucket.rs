//! Defines [`Bucket`], which reads and writes the objects of a store with blocking calls.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use object_store::path::Path as Key;
use object_store::{Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::runtime::{Handle, Runtime};

use super::StoredObject;
use super::address::{ObjectAddress, ObjectError};

/// The size of a downloaded part: small, so that little is repeated after an error, but large enough that the transfer
/// takes longer than the request.
const PART_BYTES: u64 = 4 << 20;
/// The number of parts that are downloaded in parallel.
const PARTS: usize = 4;
/// The size of an uploaded part in bytes. Stores accept only parts of at least 5 MB, and at most 10,000 of them.
const SENT_BYTES: usize = 16 << 20;
/// The most times that a request is sent if the response breaks off. The client's own retries are not counted.
const TRIES: u32 = 4;
/// The pause before the second attempt. It doubles with each attempt.
const PAUSE: Duration = Duration::from_millis(200);

/// A bucket (named set of objects) of a store, or a web server.
#[derive(Debug)]
pub struct Bucket {
    address: ObjectAddress,
    store: Arc<dyn ObjectStore>,
    runtime: Runtime,
}

impl Bucket {
    /// Opens the bucket of an address. No request is sent yet.
    ///
    /// # Errors
    /// Fails if the settings in the environment variables are invalid.
    pub fn open(address: &ObjectAddress) -> Result<Self, ObjectError> {
        let failed = |cause| ObjectError::Failed { what: "open", address: address.bucket().to_owned(), cause };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(error.to_string()))?;
        let store = super::service::open(address).map_err(|error| failed(one_line(&error)))?;
        Ok(Self { address: address.clone(), store, runtime })
    }

    /// Returns the bucket of an address. It is opened once and stays open until the process ends, so that connections
    /// are reused.
    ///
    /// # Errors
    /// Fails if the settings in the environment variables are invalid.
    pub fn shared(address: &ObjectAddress) -> Result<&'static Self, ObjectError> {
        static OPEN: Mutex<BTreeMap<String, &'static Bucket>> = Mutex::new(BTreeMap::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = open.get(address.bucket()) {
            return Ok(bucket);
        }
        let bucket: &'static Self = Box::leak(Box::new(Self::open(&address.at(""))?));
        open.insert(address.bucket().to_owned(), bucket);
        Ok(bucket)
    }

    /// Reads a range of an object. It may also be called on a thread of an async runtime, which it blocks.
    ///
    /// # Errors
    /// Fails if the object is missing or shorter, or the store does not answer or refuses access.
    pub fn read_range(&self, object: &StoredObject, range: Range<u64>) -> Result<Vec<u8>, ObjectError> {
        let failed = |error| self.error("read", &object.key, &error);
        let key = self.key(&object.key).map_err(failed)?;
        let ask = || self.runtime.block_on(part(self.store.clone(), key, object.version.clone(), range));
        let read = match Handle::try_current() {
            Err(_) => ask(),
            // A thread of one async runtime cannot run another, so a new thread is used.
            Ok(_) => thread::scope(|scope| {
                scope.spawn(ask).join().unwrap_or_else(|_| {
                    let source = "reading it has panicked".into();
                    Err(Error::Generic { store: "object", source })
                })
            }),
        };
        read.map(Vec::from).map_err(failed)
    }

    /// The objects in the folder `below` and its subfolders, in the order of their keys.
    ///
    /// # Errors
    /// Fails if the store does not answer or refuses access.
    pub fn list(&self, below: &str) -> Result<Vec<StoredObject>, ObjectError> {
        let failed = |error| self.error("list", below, &error);
        let folder = self.key(below).map_err(failed)?;
        // One listing with subfolders needs the fewest requests: each response has up to a thousand objects.
        let ask = || self.store.list(Some(&folder)).map_ok(StoredObject::from).try_collect::<Vec<_>>();
        let mut found = self.until_whole(ask).map_err(failed)?;
        found.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        Ok(found)
    }

    /// The object with this key, or None if there is none.
    ///
    /// # Errors
    /// Fails if the store does not answer or refuses access.
    pub fn object(&self, key: &str) -> Result<Option<StoredObject>, ObjectError> {
        let head = self.key(key).and_then(|key| self.until_whole(|| self.store.head(&key)));
        match head {
            Ok(meta) => Ok(Some(StoredObject { key: key.to_owned(), ..meta.into() })),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.error("look at", key, &error)),
        }
    }

    /// Downloads the given version of an object. Parts are downloaded in parallel, and a part that breaks off is
    /// requested again.
    ///
    /// # Errors
    /// Fails if the object has changed or is missing, the store does not answer, or the disk fails.
    pub fn fetch(&self, object: &StoredObject, to: &mut impl Write) -> Result<(), ObjectError> {
        let failed = |error| self.error("read", &object.key, &error);
        let key = self.key(&object.key).map_err(failed)?;
        let ask = |start| {
            let range = start..object.bytes.min(start + PART_BYTES);
            part(self.store.clone(), key.clone(), object.version.clone(), range)
        };
        self.runtime.block_on(async {
            let starts = (0..object.bytes).step_by(PART_BYTES as usize);
            let mut parts = stream::iter(starts.map(ask)).buffered(PARTS);
            while let Some(bytes) = parts.try_next().await.map_err(failed)? {
                let unwritable = |cause| ObjectError::Disk { address: self.address.at(&object.key).to_string(), cause };
                to.write_all(&bytes).map_err(unwritable)?;
            }
            Ok(())
        })
    }

    /// Uploads a file as an object, completely or not at all. It replaces an object with the same key. A long file is
    /// uploaded in parts.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or the store does not answer or refuses access.
    pub fn put_file(&self, key: &str, from: &Path) -> Result<(), ObjectError> {
        let unreadable = |cause| ObjectError::Disk { address: self.address.at(key).to_string(), cause };
        self.put_from(key, &mut File::open(from).map_err(unreadable)?)
    }

    /// Uploads the bytes of a reader as an object, like [`Bucket::put_file`].
    ///
    /// # Errors
    /// Fails if the reader fails, or the store does not answer or refuses access.
    pub fn put_from(&self, key: &str, from: &mut impl Read) -> Result<(), ObjectError> {
        let unreadable = |cause| ObjectError::Disk { address: self.address.at(key).to_string(), cause };
        let failed = |error| self.error("write", key, &error);
        let mut next = || {
            let mut bytes = Vec::new();
            from.by_ref().take(SENT_BYTES as u64).read_to_end(&mut bytes).map(|_| bytes).map_err(unreadable)
        };
        let mut bytes = next()?;
        let name = self.key(key).map_err(failed)?;
        if bytes.len() < SENT_BYTES {
            let payload = PutPayload::from(bytes);
            return self.until_whole(|| self.store.put(&name, payload.clone())).map(drop).map_err(failed);
        }
        let mut upload = self.runtime.block_on(self.store.put_multipart(&name)).map_err(failed)?;
        let mut send = || {
            while !bytes.is_empty() {
                self.runtime.block_on(upload.put_part(PutPayload::from(std::mem::take(&mut bytes)))).map_err(failed)?;
                bytes = next()?;
            }
            Ok(())
        };
        match send() {
            Ok(()) => self.runtime.block_on(upload.complete()).map(drop).map_err(failed),
            Err(error) => {
                // An error of `abort` is ignored, because the first error is more useful. Most stores delete the parts
                // of incomplete uploads later.
                let _ = self.runtime.block_on(upload.abort());
                Err(error)
            }
        }
    }

    /// Deletes an object. A missing object is no error.
    ///
    /// # Errors
    /// Fails if the store does not answer or refuses access.
    pub fn delete(&self, key: &str) -> Result<(), ObjectError> {
        let deleted = self.key(key).and_then(|key| self.until_whole(|| self.store.delete(&key)));
        match deleted {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.error("remove", key, &error)),
        }
    }

    fn until_whole<T, F: Future<Output = Result<T, Error>>>(&self, ask: impl FnMut() -> F) -> Result<T, Error> {
        self.runtime.block_on(until_whole(ask))
    }

    /// Converts a key to the type of the client library. Keys on web servers are percent-encoded already.
    fn key(&self, key: &str) -> Result<Key, Error> {
        let key =
            if self.address.is_on_web() { Key::from_url_path(key) } else { Key::parse(key.trim_end_matches('/')) };
        Ok(key?)
    }

    fn error(&self, what: &'static str, key: &str, error: &Error) -> ObjectError {
        let address = self.address.at(key).to_string();
        let cause = one_line(error);
        match error {
            Error::NotFound { .. } => ObjectError::Missing { address },
            Error::Precondition { .. } => ObjectError::Changed { address },
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => ObjectError::Refused { address, cause },
            // The library has no error type for a listing that is refused.
            _ if is_refusal(&cause) => ObjectError::Refused { address, cause },
            _ => ObjectError::Failed { what, address, cause },
        }
    }
}

/// Repeats a request, after growing pauses, if its response breaks off. The client library only retries failures before
/// the response.
async fn until_whole<T, F: Future<Output = Result<T, Error>>>(mut ask: impl FnMut() -> F) -> Result<T, Error> {
    let mut pause = PAUSE;
    for _ in 1..TRIES {
        match ask().await {
            Err(error @ Error::Generic { .. }) if !is_refusal(&one_line(&error)) => {
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
            answered => return answered,
        }
    }
    ask().await
}

/// Whether the message of a store says that access is refused or credentials have expired.
fn is_refusal(message: &str) -> bool {
    ["403 Forbidden", "401 Unauthorized", "ExpiredToken"].iter().any(|words| message.contains(words))
}

/// Downloads a range of an object, of the given version, and repeats the request if the response breaks off.
async fn part(
    store: Arc<dyn ObjectStore>,
    key: Key,
    version: Option<String>,
    range: Range<u64>,
) -> Result<Bytes, Error> {
    let wanted = range.end - range.start;
    let ask = || async {
        let range = Some(GetRange::Bounded(range.clone()));
        let options = GetOptions { if_match: version.clone(), range, ..GetOptions::default() };
        let bytes = store.get_opts(&key, options).await?.bytes().await?;
        if bytes.len() as u64 == wanted {
            return Ok(bytes);
        }
        let short = format!("received {} of {wanted} bytes", bytes.len());
        Err(Error::Generic { store: "object", source: short.into() })
    };
    until_whole(ask).await
}

impl From<ObjectMeta> for StoredObject {
    fn from(meta: ObjectMeta) -> Self {
        let modified = Timestamp::from_second(meta.last_modified.timestamp()).ok();
        Self { key: meta.location.to_string(), bytes: meta.size, version: meta.e_tag, modified }
    }
}

/// Returns an error of the client library in one line, with the code and message of the store's response. Queries of
/// URLs are left out, because they may contain signatures.
fn one_line(error: &object_store::Error) -> String {
    let mut text = error.to_string();
    if let Some(body) = text.find("<?xml").or_else(|| text.find("<Error>")) {
        let answer = text.split_off(body);
        let element = |name: &str| {
            let begin = answer.find(&format!("<{name}>"))? + name.len() + 2;
            Some(answer[begin..].split('<').next()?.to_owned())
        };
        text.extend(["Code", "Message"].iter().filter_map(|name| element(name)).map(|text| format!(" {text}")));
    }
    let mut shown = String::new();
    for word in text.split_whitespace() {
        let word = if word.contains("://") { word.split('?').next().unwrap_or_default() } else { word };
        shown.push_str(if shown.is_empty() { "" } else { " " });
        shown.push_str(word);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_store_are_shown_without_secrets() {
        let answer = "Client error with status 403 Forbidden for https://a.example/x?sig=SECRET: <?xml version=\"1.0\"?>\n\
            <Error><Code>SignatureDoesNotMatch</Code><Message>The signature differs</Message>\
            <AWSAccessKeyId>AKIAKEY</AWSAccessKeyId><StringToSign>SECRET</StringToSign></Error>";
        let error = object_store::Error::Generic { store: "S3", source: answer.into() };
        assert_eq!(
            one_line(&error),
            "Generic S3 error: Client error with status 403 Forbidden for https://a.example/x SignatureDoesNotMatch The \
             signature differs"
        );
    }
}
