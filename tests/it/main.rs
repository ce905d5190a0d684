//! The integration tests: this list is the table of contents.

mod demo_web;
