//! Decompresses bodies within limits. The content codings are gzip, deflate, br and zstd, also several on one body.
//!
//! The archive keeps bodies as received. When a page is read, this module decodes a copy. Decoding stops at the limit,
//! so a decompression bomb costs no more than the largest ordinary page. Errors are tolerated as in browsers: bytes
//! after the end of a gzip stream are ignored, and `deflate` may lack its zlib wrapper. A body that is clearly markup
//! is used unchanged even if a coding is declared. An error contains the part that was decoded before it.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

/// Limits on the size of a decoded body.
///
/// ```
/// use goldminer_html::capture::coding::{CodingFault, CodingLimits, decode};
///
/// let limits = CodingLimits::default().with_decoded_bytes(4);
/// let error = decode(b"a long body", "identity", limits).unwrap_err();
/// assert!(matches!(error.fault, CodingFault::Length { bytes: 4 }), "{error}");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CodingLimits {
    /// The most bytes of a decoded body.
    pub decoded_bytes: usize,
    /// The most decoded bytes per byte received.
    pub ratio: usize,
    /// Bodies of up to this many decoded bytes may exceed [`CodingLimits::ratio`], because a page with a lot of white
    /// space is no attack.
    pub ratio_free_bytes: usize,
}

impl Default for CodingLimits {
    fn default() -> Self {
        Self { decoded_bytes: 5 << 20, ratio: 100, ratio_free_bytes: 256 << 10 }
    }
}

impl CodingLimits {
    /// Sets the limit of decoded bytes ([`CodingLimits::decoded_bytes`]).
    #[must_use]
    pub fn with_decoded_bytes(self, decoded_bytes: usize) -> Self {
        Self { decoded_bytes, ..self }
    }

    /// The most decoded bytes that the ratio allows for `received` bytes.
    ///
    /// ```
    /// use goldminer_html::capture::coding::CodingLimits;
    ///
    /// assert_eq!(CodingLimits::default().most_by_ratio(1 << 20), 100 << 20);
    /// ```
    pub fn most_by_ratio(self, received: usize) -> usize {
        received.saturating_mul(self.ratio).max(self.ratio_free_bytes)
    }

    /// The most decoded bytes for a body of `received` bytes, and the fault to report if there are more.
    fn most_bytes(self, received: usize) -> (usize, CodingFault) {
        let by_ratio = self.most_by_ratio(received);
        if by_ratio < self.decoded_bytes {
            (by_ratio, CodingFault::Ratio { ratio: self.ratio })
        } else {
            (self.decoded_bytes, CodingFault::Length { bytes: self.decoded_bytes })
        }
    }
}

/// Why a body could not be decoded completely.
///
/// ```
/// use goldminer_html::capture::coding::{CodingLimits, decode};
///
/// let error = decode(b"\x1f\x8b, and no gzip", "gzip", CodingLimits::default()).unwrap_err();
/// assert!(error.decoded.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault} ({} bytes decoded before)", .decoded.len())]
#[non_exhaustive]
pub struct CodingError {
    /// The error in the body, or the limit that it exceeds.
    pub fault: CodingFault,
    /// The part that was decoded before the fault.
    pub decoded: Vec<u8>,
}

/// An error in the compression of a body, or a limit that the body exceeds.
///
/// ```
/// use goldminer_html::capture::coding::{CodingFault, CodingLimits, decode};
///
/// let error = decode(b"body", "rot13", CodingLimits::default()).unwrap_err();
/// assert!(matches!(error.fault, CodingFault::Unknown(_)), "{error}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodingFault {
    /// The declared coding has no decoder.
    #[error("content coding {0:?} is unknown")]
    Unknown(String),
    /// The body declares this number of codings on top of each other, more than are decoded.
    #[error("{0} nested content codings, too many to decode")]
    Stacked(usize),
    /// The body ends in the middle of the compressed data.
    #[error("the coded body is cut off")]
    Incomplete,
    /// The bytes are not valid in the declared coding.
    #[error("the coded body is broken: {0}")]
    Broken(String),
    /// The limit [`CodingLimits::decoded_bytes`] was exceeded.
    #[error("the decoded body is longer than {bytes} bytes")]
    Length {
        /// The limit in bytes.
        bytes: usize,
    },
    /// The limit [`CodingLimits::ratio`] was exceeded.
    #[error("the decoded body is more than {ratio} times as long as the coded one")]
    Ratio {
        /// The limit, in decoded bytes per byte received.
        ratio: usize,
    },
}

/// The most codings of one body that are decoded.
const MOST_CODINGS: usize = 4;

/// The largest window that zstd may ask for, as a power of two: 8 MB (RFC 9659, section 3).
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// Decodes a body. `codings` is the value of the field `Content-Encoding`, which lists codings in the order in which
/// they were applied (RFC 9110, section 8.4). Without codings, the body is returned unchanged.
///
/// ```
/// use goldminer_html::capture::coding::{CodingLimits, decode};
///
/// assert_eq!(&*decode(b"as it is", "", CodingLimits::default())?, b"as it is");
/// # Ok::<(), goldminer_html::capture::coding::CodingError>(())
/// ```
///
/// # Errors
/// Fails if a coding is unknown, its bytes are broken or cut off, or a limit is exceeded.
pub fn decode<'a>(body: &'a [u8], codings: &str, limits: CodingLimits) -> Result<Cow<'a, [u8]>, CodingError> {
    let named: Vec<&str> = codings.split(',').map(str::trim).filter(|name| !is_identity(name)).collect();
    if named.is_empty() || body.is_empty() {
        return as_it_is(body, limits);
    }
    if named.len() > MOST_CODINGS {
        return Err(CodingError { fault: CodingFault::Stacked(named.len()), decoded: Vec::new() });
    }
    let (most, limit) = limits.most_bytes(body.len());
    let mut stages: Box<dyn BufRead + '_> = Box::new(body);
    for (i, name) in named.iter().rev().enumerate() {
        // The limit also holds for intermediate results, which could be bombs as well.
        let input: Box<dyn BufRead + '_> =
            if i == 0 { stages } else { Box::new(BufReader::new(Capped { inner: stages, left: most })) };
        stages = match stage(name, input) {
            Ok(Some(stage)) => Box::new(BufReader::new(stage)),
            Ok(None) if looks_like_markup(body) => return as_it_is(body, limits),
            Ok(None) => {
                return Err(CodingError { fault: CodingFault::Unknown((*name).to_owned()), decoded: Vec::new() });
            }
            Err(e) => return Err(CodingError { fault: fault_of(&e, &limit), decoded: Vec::new() }),
        };
    }
    // Decoders are faster with a large buffer.
    let mut decoded = Vec::with_capacity(body.len().saturating_mul(4).clamp(16 << 10, 1 << 20).min(most));
    match (Capped { inner: stages, left: most }).read_to_end(&mut decoded) {
        Ok(_) => Ok(Cow::Owned(decoded)),
        Err(_) if decoded.is_empty() && looks_like_markup(body) => as_it_is(body, limits),
        Err(e) => Err(CodingError { fault: fault_of(&e, &limit), decoded }),
    }
}

/// Returns a body without coding unchanged. Fails if it exceeds the limit of decoded bytes.
fn as_it_is(body: &[u8], limits: CodingLimits) -> Result<Cow<'_, [u8]>, CodingError> {
    match body.get(..limits.decoded_bytes) {
        Some(kept) if kept.len() < body.len() => {
            Err(CodingError { fault: CodingFault::Length { bytes: limits.decoded_bytes }, decoded: kept.to_vec() })
        }
        _ => Ok(Cow::Borrowed(body)),
    }
}

fn is_identity(name: &str) -> bool {
    name.is_empty() || name.eq_ignore_ascii_case("identity") || name.eq_ignore_ascii_case("none")
}

/// The decoder of one coding; None if the name is unknown.
fn stage<'a>(name: &str, mut input: Box<dyn BufRead + 'a>) -> io::Result<Option<Box<dyn Read + 'a>>> {
    Ok(Some(match name.to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => Box::new(GzipMembers(Some(GzDecoder::new(input)))),
        "deflate" if has_zlib_header(input.fill_buf()?) => Box::new(ZlibDecoder::new(input)),
        "deflate" => Box::new(DeflateDecoder::new(input)),
        "br" => Box::new(brotli::Decompressor::new(input, 16 << 10)),
        "zstd" => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(input)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
            Box::new(decoder)
        }
        _ => return Ok(None),
    }))
}

fn fault_of(error: &io::Error, limit: &CodingFault) -> CodingFault {
    match error.kind() {
        io::ErrorKind::QuotaExceeded => limit.clone(),
        io::ErrorKind::UnexpectedEof => CodingFault::Incomplete,
        _ => CodingFault::Broken(error.to_string()),
    }
}

/// Whether bytes begin with a zlib header (RFC 1950, section 2.2): two bytes with method 8 that form a multiple of 31.
/// Some servers send `deflate` without this header.
fn has_zlib_header(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31))
}

/// Whether a body is markup and so not compressed. Some servers and archiving tools leave `Content-Encoding` on decoded
/// bodies.
fn looks_like_markup(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.trim_ascii_start().first() == Some(&b'<')
}

/// Reads the members of a gzip stream one after the other (RFC 1952, section 2.2), and ignores bytes after the last
/// one.
struct GzipMembers<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.0 else { return Ok(0) };
            let count = member.read(out)?;
            if count > 0 || out.is_empty() {
                return Ok(count);
            }
            // The input is now at the next member, at other bytes, or at its end.
            if member.get_mut().fill_buf()?.first() != Some(&0x1f) {
                self.0 = None;
            } else {
                self.0 = self.0.take().map(|ended| GzDecoder::new(ended.into_inner()));
            }
        }
    }
}

/// The output of a decoder. At a limit, reading fails with [`io::ErrorKind::QuotaExceeded`].
struct Capped<R> {
    inner: R,
    left: usize,
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        // With no bytes left, one byte is still tried: if there is one, the limit is exceeded.
        let room = out.len().min(self.left.max(1));
        let count = self.inner.read(&mut out[..room])?;
        self.left = self.left.checked_sub(count).ok_or(io::ErrorKind::QuotaExceeded)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;
    use std::io::Write;

    fn encode(coding: &str, body: &[u8]) -> Vec<u8> {
        let level = Compression::default();
        match coding {
            "gzip" | "x-gzip" => {
                let mut encoder = GzEncoder::new(Vec::new(), level);
                encoder.write_all(body).unwrap();
                encoder.finish().unwrap()
            }
            "deflate" => {
                let mut encoder = ZlibEncoder::new(Vec::new(), level);
                encoder.write_all(body).unwrap();
                encoder.finish().unwrap()
            }
            "bare deflate" => {
                let mut encoder = DeflateEncoder::new(Vec::new(), level);
                encoder.write_all(body).unwrap();
                encoder.finish().unwrap()
            }
            "br" => {
                let mut out = Vec::new();
                let parameters = brotli::enc::BrotliEncoderParams { quality: 4, ..Default::default() };
                brotli::BrotliCompress(&mut &body[..], &mut out, &parameters).unwrap();
                out
            }
            "zstd" => zstd::encode_all(body, 3).unwrap(),
            other => panic!("no encoder for {other}"),
        }
    }

    fn page() -> Vec<u8> {
        (0..2000).flat_map(|i| format!("<p>Paragraph {i} of {}.</p>\n", i * 7919 % 1000).into_bytes()).collect()
    }

    fn fault(body: &[u8], codings: &str) -> CodingFault {
        decode(body, codings, CodingLimits::default()).expect_err("an error was due").fault
    }

    #[test]
    fn every_coding_is_decoded() {
        for (sent, declared) in [
            ("gzip", "gzip"),
            ("gzip", "GZIP"),
            ("x-gzip", "x-gzip"),
            ("deflate", "deflate"),
            ("bare deflate", "deflate"),
            ("br", "br"),
            ("zstd", "zstd"),
            ("gzip", "identity, gzip"),
        ] {
            let decoded = decode(&encode(sent, &page()), declared, CodingLimits::default()).map(Cow::into_owned);
            assert_eq!(decoded, Ok(page()), "{sent} declared as {declared}");
        }
    }

    #[test]
    fn stacked_codings_are_undone_from_the_last_to_the_first() {
        let body = encode("br", &encode("gzip", &page()));
        assert_eq!(decode(&body, "gzip, br", CodingLimits::default()).unwrap().into_owned(), page());
        assert_eq!(fault(&body, "br,br,br,br,br"), CodingFault::Stacked(5));
    }

    #[test]
    fn a_gzip_stream_may_have_members_and_garbage_behind() {
        let mut body = encode("gzip", b"one, ");
        body.extend(encode("gzip", b"two"));
        body.extend_from_slice(b"\0\0 padding of a careless server");
        assert_eq!(decode(&body, "gzip", CodingLimits::default()).unwrap().as_ref(), b"one, two");
    }

    #[test]
    fn the_part_before_a_broken_connection_is_kept() {
        for coding in ["gzip", "deflate", "br", "zstd"] {
            // Random enough that the beginning of the compressed page does not contain all of it.
            let page: Vec<u8> =
                (0u64..60_000).flat_map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40).to_be_bytes()).collect();
            let whole = encode(coding, &page);
            let error = decode(&whole[..whole.len() / 2], coding, CodingLimits::default()).expect_err("it is cut off");
            assert!(error.decoded.len() > 50_000, "{coding} kept {}", error.decoded.len());
            assert!(page.starts_with(&error.decoded), "{coding} invented bytes");
        }
        assert_eq!(fault(&encode("gzip", &page())[..500], "gzip"), CodingFault::Incomplete);
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let zeros = vec![0; 32 << 20];
        for coding in ["gzip", "deflate", "br", "zstd"] {
            let bomb = encode(coding, &zeros);
            let error = decode(&bomb, coding, CodingLimits::default()).expect_err("a bomb was decoded");
            assert!(matches!(error.fault, CodingFault::Ratio { ratio: 100 } | CodingFault::Length { .. }), "{error}");
            assert!(error.decoded.capacity() <= 5 << 20, "{coding} took {} bytes", error.decoded.capacity());
        }
        let nested = encode("gzip", &encode("gzip", &zeros));
        let error = decode(&nested, "gzip, gzip", CodingLimits::default()).expect_err("a bomb was decoded");
        assert!(error.decoded.len() <= 256 << 10, "{}", error.decoded.len());
    }

    #[test]
    fn a_bomb_between_two_codings_stops_as_well() {
        // The outer coding unpacks to endless empty members of the inner one, which have no output.
        let empty_members = encode("gzip", b"").repeat(500_000);
        let body = encode("gzip", &empty_members);
        assert!(matches!(fault(&body, "gzip, gzip"), CodingFault::Ratio { .. } | CodingFault::Length { .. }));
    }

    #[test]
    fn a_long_page_is_cut_and_a_small_one_may_exceed_the_ratio() {
        let limits = CodingLimits { decoded_bytes: 1000, ..CodingLimits::default() };
        let error = decode(&encode("gzip", &page()), "gzip", limits).expect_err("it is too long");
        assert_eq!((error.fault, error.decoded.as_slice()), (CodingFault::Length { bytes: 1000 }, &page()[..1000]));
        assert_eq!(decode(&page(), "", limits).expect_err("it is too long").decoded, &page()[..1000]);
        let blank = vec![b' '; 200 << 10];
        assert_eq!(decode(&encode("gzip", &blank), "gzip", CodingLimits::default()).unwrap().as_ref(), blank);
    }

    #[test]
    fn a_body_that_is_already_decoded_is_used_unchanged() {
        for coding in ["gzip", "deflate", "br", "zstd", "utf-8"] {
            let body = b"\xef\xbb\xbf\n<!doctype html><p>Plain.";
            assert_eq!(decode(body, coding, CodingLimits::default()).unwrap().as_ref(), body, "{coding}");
        }
        assert_eq!(fault(b"\x1f\x9d\x90 lzw", "compress"), CodingFault::Unknown("compress".to_owned()));
        assert!(matches!(fault(b"this is no gzip stream", "gzip"), CodingFault::Broken(_)));
        assert_eq!(decode(b"", "gzip", CodingLimits::default()).unwrap().as_ref(), b"");
    }

    proptest! {
        #[test]
        fn any_body_is_the_same_after_encoding_and_decoding(body in proptest::collection::vec(any::<u8>(), 0..3000), coding in "gzip|deflate|br|zstd") {
            let coded = encode(&coding, &body);
            prop_assert_eq!(decode(&coded, &coding, CodingLimits::default()).map(Cow::into_owned), Ok(body));
        }

        #[test]
        fn any_bytes_are_decoded_or_fail_without_a_panic(
            body in proptest::collection::vec(any::<u8>(), 0..2000),
            codings in "((gzip|deflate|br|zstd|identity|compress|[a-z]{1,5})(, )?){0,5}",
        ) {
            let limits = CodingLimits { decoded_bytes: 10_000, ..CodingLimits::default() };
            let decoded = match decode(&body, &codings, limits) {
                Ok(decoded) => decoded.into_owned(),
                Err(error) => error.decoded,
            };
            prop_assert!(decoded.len() <= 10_000);
        }

        #[test]
        fn a_flipped_byte_never_breaks_the_reader(at in 0usize..1000, byte: u8, coding in "gzip|deflate|br|zstd") {
            let mut body = encode(&coding, &page()[..5000]);
            let at = at % body.len();
            body[at] = byte;
            let _ = decode(&body, &coding, CodingLimits::default());
        }
    }
}
