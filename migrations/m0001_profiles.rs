//! Schema 1 of `profiles.sled/`: the first.
//!
//! | tree | key | value |
//! |---|---|---|
//! | `profiles` | the profile's key, a zero byte, its version as 4 bytes big-endian | the profile as JSON |
//! | `learning` | the domain's name | the learning state as JSON |
//!
//! The default tree holds `schema`: the number of the last step taken, as 4 bytes big-endian.

/// Makes the trees. Taken again after a crash it changes nothing.
pub(super) fn up(db: &sled::Db) -> sled::Result<()> {
    db.open_tree("profiles")?;
    db.open_tree("learning")?;
    Ok(())
}
