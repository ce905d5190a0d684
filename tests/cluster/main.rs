//! Crawls on many machines, each a process here: real PostgreSQL, a shared folder, and the test web's log, which decides.
//! Where there is no PostgreSQL to start, the tests say so and are skipped.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod buckets;
mod commands;
#[allow(dead_code)]
#[path = "../it/console_client.rs"]
mod console_client;
#[allow(dead_code)]
#[path = "../it/crawl_world.rs"]
mod crawl_world;
mod figures;
mod learned;
mod moving;
mod postgres;
#[allow(dead_code, clippy::expect_used)]
#[path = "../../benches/cluster/relay.rs"]
mod relay;
mod retention;
mod secrets;
mod shared_addresses;
mod takeovers;
mod versions;
mod watching;
