//! The digest (hash) of a payload: SHA-1 in base32, as all WARC tools write it.
//!
//! The payload is the body in the record, with its content coding (WARC/1.1, section 6.3.2). SHA-1 is the usual
//! algorithm of this field. The digest finds repeated bodies; it is no protection against an attacker.

use std::fmt;

use data_encoding::{BASE32, HEXLOWER_PERMISSIVE};
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

/// The SHA-1 digest of a payload or block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PayloadDigest([u8; 20]);

impl PayloadDigest {
    /// Computes the digest of a payload.
    pub fn of(payload: &[u8]) -> Self {
        Self(Sha1::digest(payload).into())
    }

    /// Computes the digest of two concatenated parts.
    pub(crate) fn of_both(head: &[u8], body: &[u8]) -> Self {
        Self(Sha1::new().chain_update(head).chain_update(body).finalize().into())
    }

    /// Parses `sha1:` with base32 or hexadecimal digits. None for other algorithms and invalid texts.
    pub fn parse(text: &str) -> Option<Self> {
        let (algorithm, value) = text.trim().split_once(':')?;
        if !algorithm.eq_ignore_ascii_case("sha1") && !algorithm.eq_ignore_ascii_case("sha-1") {
            return None;
        }
        let bytes = match value.len() {
            40 => HEXLOWER_PERMISSIVE.decode(value.as_bytes()),
            _ => BASE32.decode(value.to_ascii_uppercase().as_bytes()),
        };
        bytes.ok()?.try_into().ok().map(Self)
    }

    /// The 20 bytes of the digest.
    pub fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }
}

impl fmt::Display for PayloadDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha1:{}", BASE32.encode(&self.0))
    }
}

impl fmt::Debug for PayloadDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_digest_is_that_of_all_tools() {
        let nothing = PayloadDigest::of(b"");
        assert_eq!(nothing.to_string(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        for text in [
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "SHA1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
            "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
        ] {
            assert_eq!(PayloadDigest::parse(text), Some(nothing), "{text}");
        }
        assert_eq!(PayloadDigest::parse("sha256:abc"), None);
        assert_eq!(PayloadDigest::of_both(b"ab", b"c"), PayloadDigest::of(b"abc"));
    }
}
