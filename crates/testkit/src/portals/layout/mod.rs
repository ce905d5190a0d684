//! The looks of portals: a few eras and engines of the web, each with habits that extractors stumble over.

mod blog;
mod classic;
mod magazine;
mod modern;
mod print;
mod tables;

pub use blog::Blog;
pub use classic::Classic;
pub use magazine::Magazine;
pub use modern::Modern;
pub use print::Print;
pub use tables::Tables;
