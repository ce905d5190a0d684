//! What the database knows of something in the store.

/// Something that was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cluster) struct Published {
    pub(in crate::cluster) key: String,
    pub(in crate::cluster) bytes: u64,
    /// Its digest, as hexadecimal digits.
    pub(in crate::cluster) blake3: String,
}
