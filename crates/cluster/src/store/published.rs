//! What the database knows of something in the store.

/// Something that was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Published {
    pub(crate) key: String,
    pub(crate) bytes: u64,
    /// Its digest, as hexadecimal digits.
    pub(crate) blake3: String,
}
