//! The looks of portals: a few eras and engines of the web, each with habits that extractors stumble over.

mod classic;
mod modern;
mod print;

pub use classic::Classic;
pub use modern::Modern;
pub use print::Print;
