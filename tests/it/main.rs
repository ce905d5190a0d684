//! The integration tests: this list is the table of contents.

#![allow(clippy::unwrap_used)]

mod archive_crash;
mod archive_foreign;
mod archive_roundtrip;
mod compare_command;
mod corpus;
mod corpus_commands;
mod corpus_forms;
mod corpus_parquet;
mod crawl_descriptors;
mod crawl_disk;
mod crawl_failures;
mod crawl_follows;
mod crawl_inputs;
mod crawl_interrupts;
mod crawl_kills;
mod crawl_looks;
mod crawl_operates;
mod crawl_politeness;
mod crawl_proxy;
mod crawl_rebuild;
mod crawl_wholeness;
mod crawl_world;
mod demo_command;
mod documents;
mod extract_again;
mod extract_shards;
mod fetch_addresses;
mod fetch_limits;
mod fetch_protocol;
mod fetch_wholeness;
mod frontier_life;
mod frontier_manners;
mod frontier_model;
mod frontier_world;
mod frontier_yields;
mod hostile_run;
mod layers;
mod profile_commands;
mod raw_server;
mod report_browser;
mod report_command;
mod robots_suite;
mod tls_server;
mod webdriver;
