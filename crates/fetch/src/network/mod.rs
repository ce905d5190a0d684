//! Connections: clients, proxies, name resolution, and allowed addresses.

pub(crate) mod client;
pub(crate) mod clients;
pub(crate) mod failure;
pub mod guard;
pub(crate) mod idle;
pub(crate) mod proxy;
pub mod resolve;
pub(crate) mod resolve_overrides;
pub(crate) mod resolver;
