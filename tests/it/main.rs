//! The integration tests: this list is the table of contents.

mod archive_crash;
mod archive_foreign;
mod archive_roundtrip;
mod corpus;
mod demo_command;
mod demo_prose;
mod demo_web;
mod encodings;
mod fetch_addresses;
mod fetch_limits;
mod fetch_protocol;
mod frontier_life;
mod frontier_manners;
mod frontier_model;
mod frontier_world;
mod hostile;
mod justext_parity;
mod lab;
mod layers;
mod pages;
mod raw_server;
mod robots_suite;
mod tokens;
