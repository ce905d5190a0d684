//! What tells the documents of a file apart, as numbers: a row a document, in the order of its lines, of which `dedup`
//! reads those of all files.

use std::io::{self, Write};
use std::path::Path;

use goldminer_core::extract::domain::Fingerprint;
use goldminer_html::address::Domain;
use goldminer_warc::durable::DraftFile;
use xxhash_rust::xxh3::xxh3_64;

use super::recent::key;

/// A row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DigestRow {
    /// A hash of its learning unit.
    pub domain: u64,
    /// A hash of its text.
    pub text: u64,
    /// A hash of its running text; 0 where it has none.
    pub body: u64,
    pub simhash: u64,
    /// The document's id, by which another one names it.
    pub id: [u8; 16],
}

pub(super) const ROW_BYTES: usize = 4 * 8 + 16;

impl DigestRow {
    pub(super) fn of(unit: &Domain, fingerprint: &Fingerprint) -> Self {
        let domain = unit.as_str();
        Self {
            domain: xxh3_64(domain.as_bytes()),
            text: key(domain, &fingerprint.text_digest),
            body: fingerprint.body_digest.as_ref().map_or(0, |digest| key(domain, digest)),
            simhash: fingerprint.simhash,
            id: u128::from_str_radix(&fingerprint.id, 16).unwrap_or_default().to_be_bytes(),
        }
    }

    pub(super) fn to_bytes(self) -> [u8; ROW_BYTES] {
        let mut bytes = [0; ROW_BYTES];
        let (numbers, id) = bytes.split_at_mut(ROW_BYTES - 16);
        let of_row = [self.domain, self.text, self.body, self.simhash];
        numbers
            .chunks_exact_mut(8)
            .zip(of_row)
            .for_each(|(place, number)| place.copy_from_slice(&number.to_le_bytes()));
        id.copy_from_slice(&self.id);
        bytes
    }

    /// Of bytes that [`DigestRow::to_bytes`] gave.
    pub(super) fn of_bytes(bytes: &[u8]) -> Self {
        let mut numbers = bytes.chunks_exact(8).map(|bytes| {
            let mut number = [0; 8];
            number.copy_from_slice(bytes);
            u64::from_le_bytes(number)
        });
        let mut next = || numbers.next().unwrap_or_default();
        let (domain, text, body, simhash) = (next(), next(), next(), next());
        let mut id = [0; 16];
        id.copy_from_slice(&bytes[ROW_BYTES - 16..ROW_BYTES]);
        Self { domain, text, body, simhash, id }
    }
}

/// The rows of a file in the making.
pub(super) struct DigestFile(DraftFile);

impl DigestFile {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        DraftFile::of(path).map(Self)
    }

    pub(super) fn add(&mut self, row: DigestRow) -> io::Result<()> {
        self.0.write_all(&row.to_bytes())
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.0.publish()
    }
}
