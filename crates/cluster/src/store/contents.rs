//! What a store holds, as it lists it. Whether anybody refers to it, the database says.

use std::collections::BTreeMap;

use jiff::Timestamp;

/// Keys, with what lies there.
pub(crate) type Contents = BTreeMap<String, Found>;

/// Something that lies in the store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) bytes: u64,
    /// When it was written, by the store's clock.
    pub(crate) written: Option<Timestamp>,
}
