//! A fast path for plain references: those in which nothing needs decoding, escaping or resolving. For these, joining
//! two strings gives the same result as a URL parser. Most of the hundreds of links on a page are plain.

use super::canonical::{is_tracker, needs_no_escape};

/// Whether a URL parser leaves this byte of a path unchanged. Dots are checked separately.
fn is_of_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/-_~!$()*+,:@=&'".contains(&byte)
}

/// Whether a URL parser leaves this byte of a query unchanged.
fn is_of_query(byte: u8) -> bool {
    byte != b'\'' && is_of_path(byte) || matches!(byte, b'.' | b'?' | b';')
}

/// The canonical URL of a plain reference; None if the reference is not plain. A plain reference is a `/path`, a `name`
/// in the page's folder, or a URL of the same `origin` (scheme and authority); it may have a query and a fragment.
/// `path` is the page's path.
pub(super) fn join(origin: &str, path: &str, reference: &str) -> Option<String> {
    let reference = memchr::memchr(b'#', reference.as_bytes()).map_or(reference, |fragment| &reference[..fragment]);
    let local = match reference.strip_prefix(origin) {
        Some(rest) if rest.starts_with('/') => rest,
        _ => reference,
    };
    let folder = match local.as_bytes() {
        [b'/', b'/', ..] if local.len() == reference.len() => return None,
        [b'/', ..] => "",
        [first, ..] if first.is_ascii_alphanumeric() => &path[..=path.rfind('/')?],
        _ => return None,
    };
    (is_plain(local, !folder.is_empty())).then(|| [origin, folder, local].concat())
}

/// The length of the longest beginning of `bytes` in which each byte is accepted by `is_of_kind` or is part of a
/// canonical percent-escape.
fn count_of(is_of_kind: fn(u8) -> bool, bytes: &[u8]) -> usize {
    let mut count = 0;
    loop {
        count += bytes[count..].iter().take_while(|byte| is_of_kind(**byte)).count();
        if !bytes.get(count..count + 3).is_some_and(is_canonical_escape) {
            return count;
        }
        count += 3;
    }
}

/// Whether this is a canonical percent-escape: in upper case, and of a byte that must be escaped. Escaped dots do not
/// count, because parsers treat `%2E` as a path segment `.`.
fn is_canonical_escape(escape: &[u8]) -> bool {
    let [b'%', high, low] = escape else { return false };
    let digit = |byte: &u8| (!byte.is_ascii_lowercase()).then(|| char::from(*byte).to_digit(16)).flatten();
    let (Some(high), Some(low)) = (digit(high), digit(low)) else { return false };
    let byte = (16 * high + low) as u8;
    byte != b'.' && !needs_no_escape(byte)
}

fn is_plain(reference: &str, is_beside: bool) -> bool {
    let bytes = reference.as_bytes();
    let mut path_end = 0;
    loop {
        path_end += count_of(is_of_path, &bytes[path_end..]);
        // `.` and `..` are special path segments.
        if bytes.get(path_end) != Some(&b'.') || bytes[..path_end].ends_with(b"/") {
            break;
        }
        path_end += 1;
    }
    // A colon in a relative reference may be the end of a scheme.
    if is_beside && bytes[..path_end].contains(&b':') {
        return false;
    }
    match reference[path_end..].strip_prefix('?') {
        None => path_end == bytes.len(),
        Some(query) => {
            !query.is_empty()
                && count_of(is_of_query, query.as_bytes()) == query.len()
                && !query.split('&').any(is_tracker)
        }
    }
}
