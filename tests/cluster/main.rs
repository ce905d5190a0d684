//! Tests crawls on many machines. Each machine is a process here, with a real PostgreSQL server and a shared folder;
//! the results are checked by the access log of the test web. If PostgreSQL is not installed, the tests say so and are
//! skipped.

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
