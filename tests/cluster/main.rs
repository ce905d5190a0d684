//! Crawls on many machines, each a process here: real PostgreSQL, a shared folder, and the test web's log as the judge.
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
mod postgres;
mod shared_addresses;
mod takeovers;
mod watching;
