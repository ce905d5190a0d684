//! The integration tests: this list is the table of contents.

mod frontier;
mod frontier_model;
