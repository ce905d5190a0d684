//! The integration tests: this list is the table of contents.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod archive;
mod circular_imports;
mod commands;
mod console;
mod console_client;
mod corpus;
mod crawl;
mod crawl_world;
mod docs;
mod documents;
mod durability;
mod extract;
mod fetch;
mod frontier;
mod hostile;
mod portals;
mod raw_server;
mod small_web;
mod tls_server;
mod webdriver;
