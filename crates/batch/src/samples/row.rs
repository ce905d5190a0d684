//! A row of the index of captures.

use goldminer_html::capture::{ArchivePosition, Capture};
use goldminer_warc::PayloadDigest;

/// A capture, and where it stands.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(super) struct SampleRow {
    pub domain: String,
    pub url: String,
    /// In microseconds since 1970.
    pub fetched: i64,
    pub status: u16,
    /// What it says that it is; of a record whose body stands elsewhere, `warc/revisit`.
    pub media_type: Option<String>,
    pub file: String,
    /// Offset and length, where the record can be read from there.
    pub place: Option<(u64, u64)>,
    pub digest: Option<String>,
}

impl SampleRow {
    pub(super) fn of(
        capture: &Capture,
        is_revisit: bool,
        file: &str,
        place: Option<&ArchivePosition>,
        digest: Option<PayloadDigest>,
    ) -> Self {
        let content_type = capture.content_type().unwrap_or_default();
        let media_type = content_type.split([';', ' ', '\t']).next().filter(|name| !name.is_empty());
        let media_type = if is_revisit { Some("warc/revisit") } else { media_type };
        Self {
            domain: capture.url.domain().as_str().to_owned(),
            url: capture.url.as_str().to_owned(),
            fetched: capture.fetched.as_microsecond(),
            status: capture.status,
            media_type: media_type.map(str::to_ascii_lowercase),
            file: file.to_owned(),
            place: place.map(|position| (position.offset, position.length)),
            digest: digest.map(|digest| digest.to_string()),
        }
    }
}
