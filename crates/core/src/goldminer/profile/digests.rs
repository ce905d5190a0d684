//! Reads and writes lists of hashes: as hexadecimal texts in files for people, as numbers in databases.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a list of hashes.
pub(super) fn serialize<S: Serializer>(digests: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        serializer.collect_seq(digests.iter().map(|digest| format!("{digest:016x}")))
    } else {
        digests.serialize(serializer)
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
    if !deserializer.is_human_readable() {
        return Vec::deserialize(deserializer);
    }
    let texts: Vec<String> = Vec::deserialize(deserializer)?;
    let read = |text: &String| {
        u64::from_str_radix(text, 16).map_err(|_| D::Error::custom(format!("{text:?} is not a hexadecimal hash")))
    };
    texts.iter().map(read).collect()
}
