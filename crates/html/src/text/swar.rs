//! Searches eight bytes at a time, as one number ("SIMD within a register"). Names, values and white space between tags
//! are so short that a search with vector instructions would be slower.

/// A number in which the lowest bit of each byte is set.
const EACH: u64 = 0x0101_0101_0101_0101;
/// A number in which the highest bit of each byte is set.
const HIGH: u64 = EACH << 7;

/// The first eight bytes as a little-endian number, with zeros after the end of `bytes`.
#[inline]
pub(crate) fn first_eight(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        eight
    }))
}

/// Compares each of eight bytes with `byte`. In the result, the highest bit of each equal byte is set. Only the first
/// (lowest) set bit is reliable, as in [`below`].
#[inline]
pub(crate) const fn equal(eight: u64, byte: u8) -> u64 {
    below(eight ^ (EACH * byte as u64), 1)
}

/// Compares each of eight bytes with `limit`, which must be ASCII. In the result, the highest bit of each smaller byte
/// is set. Only the first (lowest) set bit is reliable.
#[inline]
pub(crate) const fn below(eight: u64, limit: u8) -> u64 {
    eight.wrapping_sub(EACH * limit as u64) & !eight & HIGH
}

/// The number of bytes before the first one whose highest bit is set.
#[inline]
pub(crate) const fn before(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// The first `length` bytes of `eight`, with zeros in place of the others.
#[inline]
pub(crate) const fn first_of(eight: u64, length: usize) -> u64 {
    if length >= 8 { eight } else { eight & !(u64::MAX << (8 * length)) }
}

/// Returns `eight` with its ASCII letters in lower case.
#[inline]
pub(crate) const fn lower(eight: u64) -> u64 {
    let seven_bits = eight & !HIGH;
    let from_a = seven_bits + EACH * (0x80 - b'A' as u64);
    let behind_z = seven_bits + EACH * (0x7f - b'Z' as u64);
    eight | ((from_a & !behind_z & !eight & HIGH) >> 2)
}

/// The position of the first byte from `at` on that `is_end` accepts, or None. `marks` gets eight bytes, and sets the
/// highest bit of each that `is_end` may accept. It may mark too many bytes, but must not miss one.
#[inline(always)]
pub(crate) fn next(
    bytes: &[u8],
    mut at: usize,
    marks: impl Fn(u64) -> u64,
    is_end: impl Fn(u8) -> bool,
) -> Option<usize> {
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        match marks(u64::from_le_bytes(*eight)) {
            0 => at += 8,
            some => {
                at += before(some);
                if is_end(bytes[at]) {
                    return Some(at);
                }
                at += 1;
            }
        }
    }
    bytes.get(at..)?.iter().position(|byte| is_end(*byte)).map(|length| at + length)
}

/// The position of the first `byte`, or None. For short texts this is faster than `memchr`.
#[inline]
pub(crate) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    for eight in bytes.chunks_exact(8).take(4) {
        let marks = equal(first_eight(eight), byte);
        if marks != 0 {
            return Some(at + before(marks));
        }
        at += 8;
    }
    memchr::memchr(byte, &bytes[at..]).map(|found| at + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn all_is_found_as_byte_by_byte(bytes in proptest::collection::vec(0_u8.., 0..80), at in 0_usize..90) {
            let is_end = |byte: u8| byte < 0x21 || byte == b'=';
            let slowly = bytes.iter().skip(at).position(|byte| is_end(*byte)).map(|length| at + length);
            let marks = |eight| below(eight, 0x21) | equal(eight, b'=');
            proptest::prop_assert_eq!(next(&bytes, at, marks, is_end), slowly.filter(|at| *at < bytes.len()));
            proptest::prop_assert_eq!(find(b'=', &bytes), bytes.iter().position(|byte| *byte == b'='));
            let eight = first_eight(&bytes).to_le_bytes();
            proptest::prop_assert_eq!(lower(u64::from_le_bytes(eight)).to_le_bytes(), eight.map(|byte| byte.to_ascii_lowercase()));
            proptest::prop_assert_eq!(&first_of(u64::MAX, at).to_le_bytes()[..at.min(8)], &[255; 8][..at.min(8)]);
        }
    }
}
