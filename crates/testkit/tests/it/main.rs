//! The test web's own tests; this list is the table of contents.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod layouts;
mod portals;
mod prose;
mod web;
