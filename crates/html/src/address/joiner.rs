//! Resolves the references (such as `href` values) of one page to URLs.

use std::fmt::Write as _;

use encoding_rs::{EncoderResult, Encoding, UTF_8};
use rustc_hash::FxHashMap;
use url::Url;

use super::{AddressError, CrawlUrl, MAX_URL_BYTES, plain};

/// Resolves the references of a page. The results are those of [`CrawlUrl::join`], but this is faster. It caches the
/// origins (scheme and host) of the page's links, because most links share a few origins.
#[derive(Debug)]
pub struct Joiner {
    base: CrawlUrl,
    /// The encoding in which browsers send the queries of the page's links.
    encoding: &'static Encoding,
    /// The base as a type of the crate `url`, created on first use.
    parsed: Option<Url>,
    /// Origins in references (`https://www.portal.example`), and whether they are canonical.
    origins: FxHashMap<String, bool>,
}

impl Joiner {
    /// Creates a joiner for a page. `base` is the page's `<base href>` or else its URL.
    pub fn new(base: CrawlUrl) -> Self {
        Self { base, encoding: UTF_8, parsed: None, origins: FxHashMap::default() }
    }

    /// Sets the page's encoding. Queries are encoded in it; paths are always UTF-8 (URL standard, "encoding-parse a
    /// URL").
    #[must_use]
    pub fn in_encoding(self, encoding: &'static Encoding) -> Self {
        Self { encoding: encoding.output_encoding(), ..self }
    }

    /// Resolves a reference to a URL.
    ///
    /// # Errors
    /// Fails if [`CrawlUrl::parse`] would fail for the resolved URL.
    pub fn join(&mut self, reference: &str) -> Result<CrawlUrl, AddressError> {
        let reference = reference.trim();
        let in_encoding = if self.encoding == UTF_8 { None } else { with_query_in(self.encoding, reference) };
        let reference = in_encoding.as_deref().unwrap_or(reference);
        if reference.len() <= MAX_URL_BYTES
            && let Some((origin, path)) = split(reference)
            && self.is_canonical(origin)
            && let Some(text) = plain::join(origin, "/", path)
        {
            return Ok(CrawlUrl::from_parts(text, origin.len()));
        }
        let parsed = &mut self.parsed;
        self.base.join_with(reference, |base| parsed.get_or_insert_with(|| base.to_url()).join(reference))
    }

    fn is_canonical(&mut self, origin: &str) -> bool {
        if let Some(known) = self.origins.get(origin) {
            return *known;
        }
        let is_canonical = CrawlUrl::parse(origin).is_ok_and(|url| url.host().as_str() == origin);
        self.origins.insert(origin.to_owned(), is_canonical);
        is_canonical
    }
}

/// Splits an absolute reference into origin and path. None if it is relative or has no path.
fn split(reference: &str) -> Option<(&str, &str)> {
    let scheme = ["https://", "http://"].into_iter().find(|scheme| reference.starts_with(scheme))?;
    let path = scheme.len() + memchr::memchr(b'/', &reference.as_bytes()[scheme.len()..])?;
    Some(reference.split_at(path))
}

/// Returns a reference with its query percent-encoded in `encoding`. None if the reference needs no change, because it
/// has no query or an ASCII one. A character that the encoding lacks becomes an HTML character reference (URL standard,
/// "percent-encode after encoding").
fn with_query_in(encoding: &'static Encoding, reference: &str) -> Option<String> {
    let end = memchr::memchr(b'#', reference.as_bytes()).unwrap_or(reference.len());
    let begin = memchr::memchr(b'?', &reference.as_bytes()[..end])? + 1;
    let mut query = &reference[begin..end];
    if query.is_ascii() || reference.len() > MAX_URL_BYTES {
        return None;
    }
    let mut written = reference[..begin].to_owned();
    let mut encoder = encoding.new_encoder();
    loop {
        let mut bytes = Vec::with_capacity(4 * query.len() + 16);
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(query, &mut bytes, true);
        for byte in bytes {
            match byte {
                // URL parsers remove tabs and line ends everywhere.
                b'\t' | b'\n' | b'\r' => {}
                b'!' | b'$'..=b'&' | b'('..=b';' | b'=' | b'?'..=b'~' => written.push(char::from(byte)),
                _ => drop(write!(written, "%{byte:02X}")),
            }
        }
        query = &query[read..];
        match result {
            EncoderResult::Unmappable(character) => drop(write!(written, "%26%23{}%3B", u32::from(character))),
            EncoderResult::InputEmpty => break,
            EncoderResult::OutputFull => {}
        }
    }
    written.push_str(&reference[end..]);
    Some(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn queries_are_sent_in_the_encoding_of_their_page() {
        let base = CrawlUrl::parse("http://p.example/a/").expect("a URL");
        for (encoding, reference, expected) in [
            ("windows-1252", "/s?q=ü", "s?q=%FC"),
            ("windows-1252", "/ü?q=ü&r=%C3%BC#ü", "%C3%BC?q=%FC&r=%C3%BC"),
            ("windows-1252", "/s?q=a ü<'\">", "s?q=a%20%FC%3C%27%22%3E"),
            ("windows-1252", "/s?q=日ü😀", "s?q=%26%2326085%3B%FC%26%23128512%3B"),
            ("windows-1252", " /s?q=ü\n&r=1 ", "s?q=%FC&r=1"),
            ("iso-8859-2", "http://p.example/s?q=ő", "s?q=%F5"),
            ("windows-1251", "?q=мир", "a/?q=%EC%E8%F0"),
            ("shift_jis", "/s?q=表", "s?q=%95\\"),
            ("gbk", "/s?q=中文", "s?q=%D6%D0%CE%C4"),
            ("iso-2022-jp", "/s?q=日x", "s?q=%1B$BF|%1B(Bx"),
            ("utf-16le", "/s?q=ü", "s?q=%C3%BC"),
            ("utf-8", "/s?q=ü", "s?q=%C3%BC"),
            ("windows-1252", "/s?q=u", "s?q=u"),
        ] {
            let label = Encoding::for_label(encoding.as_bytes()).expect("an encoding");
            let joined = Joiner::new(base.clone()).in_encoding(label).join(reference).expect("a URL");
            assert_eq!(joined.as_str(), format!("http://p.example/{expected}"), "{encoding} {reference}");
        }
    }

    proptest! {
        #[test]
        fn a_joiner_resolves_each_reference_like_join(
            references in prop::collection::vec(
                "(https?://(www[.]|user@)?(other|P|p|[.]|127[.]1)([.]example|[.])?(:443|:8080|:80|:)?)?/{0,2}[a-z./?#%]{0,8}", 1..6,
            ),
        ) {
            let base = CrawlUrl::parse("https://p.example/news/?page=1").expect("a URL");
            let mut joiner = Joiner::new(base.clone());
            for reference in references {
                prop_assert_eq!(joiner.join(&reference), base.join_any(reference.trim()), "{}", reference);
            }
        }
    }
}
