//! Parquet: a row a document, for DuckDB, pandas, Spark and the like, and back again.
//!
//! The schema below is a promise to users: columns are only ever added. Text is UTF-8, times are microseconds since
//! 1970 in UTC, what a document does not have is null, and `text` is the paragraphs joined by blank lines as
//! everywhere. Nothing is lost in it: what is written and read again is the same document, and damage is told.

mod checksum;
mod column;
mod read;
mod write;

pub(super) use read::ParquetFile;
pub(super) use write::ParquetWriter;

/// The columns. Tools know times to the microsecond; `fetched_nanoseconds` (0 to 999) is what `fetched` has beyond.
/// `rights_signals` is a list as JSON lines have it: seldom asked for, and each in it has other fields.
pub(super) const SCHEMA: &str = "message document {
    required binary id (UTF8);
    required binary url (UTF8);
    required binary text (UTF8);
    required group paragraphs (LIST) {
        repeated group list { required group element { required binary kind (UTF8); required binary text (UTF8); } }
    }
    required binary domain (UTF8);
    optional binary host (UTF8);
    optional binary title (UTF8);
    required group authors (LIST) { repeated group list { required binary element (UTF8); } }
    optional binary published (UTF8);
    optional binary modified (UTF8);
    optional int64 fetched (TIMESTAMP(MICROS, true));
    optional int32 fetched_nanoseconds;
    optional binary language (UTF8);
    optional binary site_name (UTF8);
    optional binary section (UTF8);
    optional binary canonical (UTF8);
    required binary method (UTF8);
    optional binary profile (UTF8);
    optional int32 profile_version;
    optional int32 template;
    required binary stoplist (UTF8);
    required binary thresholds (UTF8);
    required binary program (UTF8);
    optional binary warc_file (UTF8);
    optional int64 warc_offset;
    optional int64 warc_length;
    required binary page_digest (UTF8);
    required binary text_digest (UTF8);
    required binary simhash (UTF8);
    required int32 dropped_duplicates;
    optional binary near_duplicate_of (UTF8);
    optional int32 score;
    optional binary title_source (UTF8);
    optional binary authors_source (UTF8);
    optional binary published_source (UTF8);
    optional binary modified_source (UTF8);
    optional binary site_name_source (UTF8);
    optional binary section_source (UTF8);
    optional binary canonical_source (UTF8);
    required group rights_restrictions (LIST) { repeated group list { required binary element (UTF8); } }
    required group rights_contradictions (LIST) { repeated group list { required binary element (UTF8); } }
    optional binary license (UTF8);
    optional binary rights_signals (JSON);
    optional binary access (UTF8);
    optional binary file (UTF8);
}";

/// How many columns version 0.1.0 had: those behind them may be missing, and then hold nothing.
const FIRST_COLUMNS: usize = 32;
