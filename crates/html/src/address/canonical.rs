//! Removes the parts of a parsed URL that do not identify the page, so that each page has one URL.

use url::Url;

use super::AddressError;

/// Query parameters that identify a visitor or a campaign, never a page. Case does not matter.
const TRACKERS: &[&str] = &[
    "fbclid",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "msclkid",
    "yclid",
    "twclid",
    "ttclid",
    "igshid",
    "igsh",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "vero_id",
    "oly_anon_id",
    "oly_enc_id",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "wickedid",
    "phpsessid",
    "jsessionid",
    "cfid",
    "cftoken",
    "xtor",
    "at_medium",
    "at_campaign",
];

/// The beginnings of further such parameters.
const TRACKER_PREFIXES: &[&str] = &["utm_", "pk_", "mtm_", "piwik_", "matomo_", "aspsessionid"];

/// Parameters that are removed only if their value looks like a session id: `sid=3` may be an article.
const SESSION_NAMES: &[&str] = &["sid", "s", "session", "sessionid", "session_id", "zenid", "osid"];

/// Returns the canonical form of a parsed URL, which [`CrawlUrl`](super::CrawlUrl) defines.
pub(super) fn canonical(mut url: Url) -> Result<Url, AddressError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressError::Scheme(url.as_str().chars().take(200).collect()));
    }
    let Some(host) = url.host_str() else {
        return Err(AddressError::NoHost(url.into()));
    };
    if let Some(bare) = host.strip_suffix('.').map(str::to_owned)
        && url.set_host(Some(&bare)).is_err()
    {
        return Err(AddressError::NoHost(url.into()));
    }
    url.set_fragment(None);
    if !url.username().is_empty() || url.password().is_some() {
        // Neither call can fail on an `http` or `https` URL with a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
    }
    if memchr::memchr2(b'%', b';', url.path().as_bytes()).is_some() {
        let path = canonical_escapes(&without_path_session(url.path()));
        if path != url.path() {
            url.set_path(&path);
        }
    }
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query.split('&').filter(|pair| !is_tracker(pair)).collect();
        let canonical = canonical_escapes(&kept.join("&"));
        if canonical.is_empty() {
            url.set_query(None);
        } else if Some(canonical.as_str()) != url.query() {
            url.set_query(Some(&canonical));
        }
    }
    Ok(url)
}

/// Whether a `name=value` pair of a query identifies a visitor or a campaign.
pub(super) fn is_tracker(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let is = |known: &&str| name.eq_ignore_ascii_case(known);
    let begins = |prefix: &&str| {
        name.as_bytes().get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    TRACKERS.iter().any(is)
        || TRACKER_PREFIXES.iter().any(begins)
        || (SESSION_NAMES.iter().any(is) && looks_like_session(value))
}

/// Whether a value looks like a session id: at least 24 ASCII letters and digits, of which at least four are digits.
fn looks_like_session(value: &str) -> bool {
    value.len() >= 24
        && value.bytes().all(|b| b.is_ascii_alphanumeric())
        && value.bytes().filter(u8::is_ascii_digit).count() >= 4
}

/// Removes `;jsessionid=…` and similar parameters from the path.
fn without_path_session(path: &str) -> String {
    let without = |segment: &str| {
        let parts = segment.split(';').enumerate().filter(|(at, part)| *at == 0 || !is_tracker(part));
        parts.map(|(_, part)| part).collect::<Vec<_>>().join(";")
    };
    path.split('/').map(without).collect::<Vec<_>>().join("/")
}

/// Whether a byte is never escaped in a canonical URL: letters, digits, `-`, `_` and `~`. The dot is left out, because
/// `.` and `..` are special path segments.
pub(super) fn needs_no_escape(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~')
}

/// Returns the text with its percent-escapes in upper case, and with unreserved characters unescaped (RFC 3986,
/// sections 6.2.2.1 and 6.2.2.2).
fn canonical_escapes(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'%', &bytes[at..]) {
        let i = at + found;
        at = i + 1;
        let hex = |b: Option<&u8>| b.and_then(|b| (*b as char).to_digit(16));
        if let (Some(high), Some(low)) = (hex(bytes.get(i + 1)), hex(bytes.get(i + 2))) {
            let byte = (high * 16 + low) as u8;
            out.push_str(&text[copied..i]);
            // A dot stays escaped, because unescaping could create a `..`, which the parser has already resolved. After
            // a stray `%`, the escape stays as well: `%%341` must not become the escape `%41`.
            let after_stray_percent = out.as_bytes().iter().rev().take(2).any(|b| *b == b'%');
            if !after_stray_percent && needs_no_escape(byte) {
                out.push(byte as char);
            } else {
                out.push('%');
                out.push_str(&text[i + 1..i + 3].to_ascii_uppercase());
            }
            copied = i + 3;
            at = copied;
        }
    }
    out.push_str(&text[copied..]);
    out
}
