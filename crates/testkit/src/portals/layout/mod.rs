//! The looks of portals: a few eras and engines of the web, each with habits that extractors stumble over.

mod blog;
mod classic;
mod magazine;
mod modern;
mod odd;
mod print;
mod tables;

pub(super) use blog::Blog;
pub(super) use classic::Classic;
pub(super) use magazine::Magazine;
pub(super) use modern::Modern;
pub use odd::Habit;
pub(super) use print::Print;
pub(super) use tables::Tables;
