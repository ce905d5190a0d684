//! Parquet: writes and reads one row per document, for DuckDB, pandas, Spark and similar programs.
//!
//! The columns are those of [`schema`](crate::schema), which is part of the stable interface: columns are only added.
//! Text is UTF-8, times are microseconds since 1970 in UTC, missing values are null. A document that is written and
//! read again is the same, and damage is reported.

mod checksum;
mod read;
mod row;
mod write;

pub(crate) use read::ParquetFile;
pub(crate) use write::ParquetWriter;
