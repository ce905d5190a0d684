//! A short way for the references that most links are: nothing in them needs decoding, escaping or resolving, so that
//! joining two strings gives what the parser would give. A page has hundreds of links.

use super::canonical::is_tracker;

/// Part of a path that the parser takes as it stands, and that is canonical.
const PATH: u8 = 1;
/// The same of a query.
const QUERY: u8 = 2;

static PLAIN: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() {
            table[byte] = PATH | QUERY;
        }
        byte += 1;
    }
    let (both, mut i) = (b"/-_~!$()*+,:@=", 0);
    while i < both.len() {
        table[both[i] as usize] = PATH | QUERY;
        i += 1;
    }
    table[b'&' as usize] = PATH | QUERY;
    table[b'\'' as usize] = PATH;
    // In a path a dot is looked at.
    table[b'.' as usize] = QUERY;
    table[b'?' as usize] = QUERY;
    table[b';' as usize] = QUERY;
    table
};

/// The canonical URL of a reference on a page, if that is plain: `/path`, `name` beside the page, or a URL of the same
/// `origin` (scheme and authority), each perhaps with a query. `path` is that of the page.
pub(super) fn join(origin: &str, path: &str, reference: &str) -> Option<String> {
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

fn is_plain(reference: &str, is_beside: bool) -> bool {
    let bytes = reference.as_bytes();
    let mut path_end = 0;
    loop {
        path_end += bytes[path_end..].iter().take_while(|byte| PLAIN[**byte as usize] & PATH != 0).count();
        // `.` and `..` are steps.
        if bytes.get(path_end) != Some(&b'.') || bytes[..path_end].ends_with(b"/") {
            break;
        }
        path_end += 1;
    }
    // A colon may end a scheme.
    if is_beside && bytes[..path_end].contains(&b':') {
        return false;
    }
    match reference[path_end..].strip_prefix('?') {
        None => path_end == bytes.len(),
        Some(query) => {
            !query.is_empty()
                && query.bytes().all(|byte| PLAIN[byte as usize] & QUERY != 0)
                && !query.split('&').any(is_tracker)
        }
    }
}
