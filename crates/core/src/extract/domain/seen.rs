//! Keeps each article once: compares a document with earlier ones of its domain.
//!
//! [`Seen`] stores the earlier documents: in memory ([`MemorySeen`]) for pages that are extracted in one run, in a
//! database for a crawl.

use std::convert::Infallible;

use goldminer_html::is_long;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::outcome::PageOutcome;
use super::shared;
use super::step::PageDecision;
use crate::document::{Document, DocumentParagraph, ParagraphKind};
use crate::extract::digest;

/// Documents whose simhashes differ in at most this many bits are near-duplicates (Manku, Jain and Das Sarma 2007,
/// section 4.1: 3 of 64 bits for web pages).
///
/// ```
/// use goldminer_core::extract::domain::NEAR_BITS;
///
/// let (one, other) = (0b1011_u64, 0b0001_u64);
/// assert!((one ^ other).count_ones() <= NEAR_BITS);
/// ```
pub const NEAR_BITS: u32 = 3;

/// The identity of a document: its id and the digests of its text.
///
/// ```
/// use goldminer_core::extract::domain::Fingerprint;
/// use goldminer_core::{DomainProfile, ProfileSet};
///
/// let profile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse::<DomainProfile>()?;
/// let profiles = ProfileSet::from(profile);
/// let html = "<div class=story><p>It rained in Rome for a week, and then the sun came out.</p></div>";
/// let one = profiles.extract(html, "http://portal.example/1")?;
/// let other = profiles.extract(html, "http://portal.example/2")?;
/// assert_eq!(Fingerprint::of(&one).text_digest, Fingerprint::of(&other).text_digest);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fingerprint {
    /// The document's id.
    pub id: String,
    /// The digest of the document's text.
    pub text_digest: String,
    /// The digest of the document's headline and running text (text in sentences). The printed view of an article has
    /// the same digest, because it differs only in a byline, a URL and the elements of subheads. None if there is no
    /// running text.
    pub body_digest: Option<String>,
    /// The simhash of the document's text.
    pub simhash: u64,
    /// The hash of the document's running text (text in sentences) without headings, to recognise texts that many pages
    /// show in place of articles. None if there is no running text, or if the document is too long for such a text.
    pub prose: Option<u64>,
}

impl Fingerprint {
    /// A fingerprint of these parts: id, digest and simhash of the text.
    pub fn new(id: impl Into<String>, text_digest: impl Into<String>, simhash: u64) -> Self {
        Self { id: id.into(), text_digest: text_digest.into(), body_digest: None, simhash, prose: None }
    }

    /// The fingerprint of a document.
    pub fn of(document: &Document) -> Self {
        Self {
            id: document.id.clone(),
            text_digest: document.provenance.text_digest.clone(),
            body_digest: body_digest(document),
            simhash: u64::from_str_radix(&document.provenance.simhash, 16).unwrap_or(0),
            prose: shared::prose_key(document),
        }
    }

    /// The digests that another document with the same article shares.
    pub fn digests(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.text_digest.as_str()).chain(self.body_digest.as_deref())
    }
}

fn body_digest(document: &Document) -> Option<String> {
    // The first eight words are enough to decide.
    let is_running = |part: &DocumentParagraph| is_long(&part.text, part.text.split_whitespace().take(8).count());
    let is_heading = |part: &DocumentParagraph| part.kind == ParagraphKind::Heading;
    if !document.paragraphs.iter().any(|part| !is_heading(part) && is_running(part)) {
        return None;
    }
    let is_body = |(at, part): &(usize, &DocumentParagraph)| *at == 0 && is_heading(part) || is_running(part);
    let paragraphs = document.paragraphs.iter().enumerate();
    let body: Vec<&str> = paragraphs.filter(is_body).map(|(_, part)| part.text.as_str()).collect();
    if body.len() == document.paragraphs.len() {
        return Some(document.provenance.text_digest.clone());
    }
    Some(digest::of_letters(body))
}

/// The earlier documents of one domain.
///
/// ```
/// use goldminer_core::extract::domain::{Fingerprint, MemorySeen, Seen};
///
/// let mut seen = MemorySeen::default();
/// seen.remember(&Fingerprint::new("7f", "0b", 0b1011), 0, false)?;
/// assert_eq!(seen.near_duplicate_of(0b0001)?.as_deref(), Some("7f"), "their simhashes differ in two bits");
/// # Ok::<(), std::convert::Infallible>(())
/// ```
pub trait Seen {
    /// The error of a failed lookup.
    type Error;

    /// Whether an earlier document has this digest: that of its whole text, or that of its headline and running text
    /// (text in sentences).
    ///
    /// # Errors
    /// Fails if the earlier documents cannot be read.
    fn has_text(&self, digest: &str) -> Result<bool, Self::Error>;

    /// The id of the earliest document with nearly the same text, if any. Documents that are near-duplicates themselves
    /// do not count.
    ///
    /// # Errors
    /// Fails if the earlier documents cannot be read.
    fn near_duplicate_of(&self, simhash: u64) -> Result<Option<String>, Self::Error>;

    /// Stores a document. `number` is its number in the domain; `is_near` says whether it is a near-duplicate.
    ///
    /// # Errors
    /// Fails if the document cannot be stored.
    fn remember(&mut self, document: &Fingerprint, number: u64, is_near: bool) -> Result<(), Self::Error>;
}

impl<S: Seen> Seen for &mut S {
    type Error = S::Error;

    fn has_text(&self, digest: &str) -> Result<bool, S::Error> {
        S::has_text(self, digest)
    }

    fn near_duplicate_of(&self, simhash: u64) -> Result<Option<String>, S::Error> {
        S::near_duplicate_of(self, simhash)
    }

    fn remember(&mut self, document: &Fingerprint, number: u64, is_near: bool) -> Result<(), S::Error> {
        S::remember(self, document, number, is_near)
    }
}

/// Decides whether a document is a duplicate. Every other document is stored under `number`. Near-duplicates are kept,
/// with the id of the earlier document.
pub(super) fn decide<S: Seen>(fingerprint: &Fingerprint, number: u64, seen: &mut S) -> Result<PageDecision, S::Error> {
    for digest in fingerprint.digests() {
        if seen.has_text(digest)? {
            return Ok(PageDecision::Drop(PageOutcome::Duplicate));
        }
    }
    let near_duplicate_of = seen.near_duplicate_of(fingerprint.simhash)?;
    seen.remember(fingerprint, number, near_duplicate_of.is_some())?;
    Ok(PageDecision::Emit { near_duplicate_of })
}

/// The documents of one domain in memory, about 120 bytes each.
///
/// ```
/// use goldminer_core::extract::domain::{Fingerprint, MemorySeen, Seen};
///
/// let mut seen = MemorySeen::default();
/// let document = Fingerprint::new("7f", "0b", 1);
/// seen.remember(&document, 0, false)?;
/// assert!(seen.has_text("0b")?);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemorySeen {
    texts: FxHashSet<u128>,
    /// Simhashes by each of their four blocks of 16 bits. Hashes that differ in at most three bits agree in one
    /// block.
    blocks: FxHashMap<(u8, u16), Vec<(u64, u32)>>,
    ids: Vec<Box<str>>,
}

impl Seen for MemorySeen {
    type Error = Infallible;

    fn has_text(&self, digest: &str) -> Result<bool, Infallible> {
        Ok(self.texts.contains(&xxh3_128(digest.as_bytes())))
    }

    fn near_duplicate_of(&self, simhash: u64) -> Result<Option<String>, Infallible> {
        let others = blocks(simhash).filter_map(|block| self.blocks.get(&block)).flatten();
        let near = others.filter(|(other, _)| (other ^ simhash).count_ones() <= NEAR_BITS);
        Ok(near.map(|(_, number)| *number).min().map(|number| self.ids[number as usize].to_string()))
    }

    fn remember(&mut self, document: &Fingerprint, _: u64, is_near: bool) -> Result<(), Infallible> {
        self.texts.extend(document.digests().map(|digest| xxh3_128(digest.as_bytes())));
        if !is_near {
            let number = self.ids.len() as u32;
            self.ids.push(document.id.as_str().into());
            for block in blocks(document.simhash) {
                self.blocks.entry(block).or_default().push((document.simhash, number));
            }
        }
        Ok(())
    }
}

fn blocks(simhash: u64) -> impl Iterator<Item = (u8, u16)> {
    (0..4).map(move |block| (block, (simhash >> (16 * block)) as u16))
}
