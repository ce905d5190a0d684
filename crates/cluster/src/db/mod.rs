//! The database that coordinates workers: connections, schema, leases, addresses.

pub(crate) mod addresses;
pub(crate) mod database;
pub(crate) mod lease;
pub(crate) mod schema;
