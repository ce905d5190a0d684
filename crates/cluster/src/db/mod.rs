//! The coordinator's database: connections, schema, leases, addresses.

pub(crate) mod addresses;
pub(crate) mod database;
pub(crate) mod lease;
pub(crate) mod schema;
