//! Parquet: writes and reads one row a document, for DuckDB, pandas, Spark and similar programs.
//!
//! The columns are those of [`schema`](crate::schema): a promise to users, only ever added to. Text is UTF-8, times are
//! microseconds since 1970 in UTC, and what a document does not have is null. Nothing is lost: a document that is written
//! and read again is the same, and damage is told.

mod checksum;
mod read;
mod row;
mod write;

pub(crate) use read::ParquetFile;
pub(crate) use write::ParquetWriter;
pub use write::disk_error;
