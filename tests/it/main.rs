//! The integration tests: this list is the table of contents.

mod frontier_life;
mod frontier_manners;
mod frontier_model;
mod frontier_world;
