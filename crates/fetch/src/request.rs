//! A request to send, and its head as it is sent and archived.

use goldminer_html::CrawlUrl;
use http::header::{ACCEPT, ACCEPT_ENCODING, FROM, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};

use super::response::kind::MediaKind;
use super::response::long_files::RequestSlot;

/// One request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The URL to request.
    pub url: CrawlUrl,
    /// The kind of response that is wanted.
    pub accept: Accept,
    /// Other header fields: conditions, languages.
    pub headers: HeaderMap,
    /// The slot for a response that is a long robots.txt; dropping the request frees it.
    pub(super) slot: RequestSlot,
}

impl Request {
    /// An unconditional request.
    pub fn new(url: CrawlUrl, accept: Accept) -> Self {
        Self { url, accept, headers: HeaderMap::new(), slot: RequestSlot::default() }
    }

    /// Adds a header field, if there is a value. A field that cannot be sent is left out. If it was to ask whether the
    /// page has changed (such as `If-None-Match`), the page is sent in any case, which is always correct.
    pub fn with(mut self, name: HeaderName, value: Option<&str>) -> Self {
        if let Some(value) = value.and_then(|value| HeaderValue::from_bytes(value.as_bytes()).ok()) {
            self.headers.insert(name, value);
        }
        self
    }
}

/// The kind of response that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accept {
    /// A page; feeds and sitemaps in its place are accepted too.
    Page,
    /// A robots.txt; its body is kept whatever its type is.
    Robots,
    /// A feed.
    Feed,
    /// A sitemap.
    Sitemap,
}

impl Accept {
    /// Whether a body of that kind is kept.
    pub fn includes(self, kind: MediaKind) -> bool {
        match self {
            Self::Robots => true,
            Self::Page => matches!(kind, MediaKind::Html | MediaKind::Xml | MediaKind::Empty),
            // Servers send lists with any text type, whatever the header should say.
            Self::Feed | Self::Sitemap => kind != MediaKind::Other,
        }
    }

    /// The value of the `Accept` header.
    fn header(self) -> &'static str {
        match self {
            Self::Page => "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.1",
            Self::Robots => "text/plain,*/*;q=0.1",
            Self::Feed => {
                "application/rss+xml,application/atom+xml,application/feed+json,application/xml;q=0.9,text/xml;q=0.9,\
                 */*;q=0.1"
            }
            Self::Sitemap => "application/xml,text/xml,text/plain;q=0.5,application/gzip;q=0.5,*/*;q=0.1",
        }
    }
}

/// The content codings that can be decoded. The archive keeps bodies coded.
const ACCEPT_ENCODING_VALUE: &str = "gzip, deflate, br, zstd";

/// The header fields of a request, in the order in which they are sent. `Host` is added by hyper, at the end.
pub(super) fn headers(request: &Request, user_agent: &HeaderValue, from: Option<&HeaderValue>) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(8);
    headers.insert(USER_AGENT, user_agent.clone());
    if let Some(from) = from {
        headers.insert(FROM, from.clone());
    }
    headers.insert(ACCEPT, HeaderValue::from_static(request.accept.header()));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(ACCEPT_ENCODING_VALUE));
    headers.extend(request.headers.clone());
    headers
}

/// The head of the request as in HTTP/1.1; over HTTP/2 the same fields are sent in binary.
pub(super) fn head(url: &CrawlUrl, headers: &HeaderMap) -> Vec<u8> {
    let mut head = format!("GET {} HTTP/1.1\r\n", url.path_and_query()).into_bytes();
    for (name, value) in headers.iter().filter(|(name, _)| *name != HOST) {
        push_field(&mut head, name.as_str(), value.as_bytes());
    }
    push_field(&mut head, "host", url.authority().as_bytes());
    head.extend_from_slice(b"\r\n");
    head
}

fn push_field(head: &mut Vec<u8>, name: &str, value: &[u8]) {
    head.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_accepted_with_any_text_type() {
        use MediaKind::{Empty, Gzip, Html, Json, Other, Text, Xml};
        for accept in [Accept::Feed, Accept::Sitemap] {
            assert!([Html, Xml, Json, Text, Gzip, Empty].into_iter().all(|kind| accept.includes(kind)), "{accept:?}");
            assert!(!accept.includes(Other), "{accept:?}");
        }
        assert!(!Accept::Page.includes(Gzip) && !Accept::Page.includes(Json));
    }
}
