//! The head of a request, as far as the demo's server needs it.

use std::str;

/// Larger heads are refused.
pub const MAX_HEAD: usize = 64 * 1024;

/// What a visitor asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The host, lower case, without port.
    pub host: String,
    /// Path and query.
    pub path: String,
    /// HTTP/1.0.
    pub old: bool,
    /// `User-Agent`.
    pub user_agent: String,
    /// `Accept-Encoding`.
    pub accept_encoding: String,
    /// `If-None-Match`.
    pub if_none_match: String,
    /// `If-Modified-Since`.
    pub if_modified_since: String,
    /// The visitor wants no other request on this connection, or sends a body, which is not read.
    pub close: bool,
}

impl Request {
    /// Parses a head, without the empty line that ends it.
    #[must_use]
    pub fn parse(head: &[u8]) -> Option<Self> {
        let mut lines = str::from_utf8(head).ok()?.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let mut request = Self { method: words.next()?.to_owned(), ..Self::default() };
        let target = words.next()?;
        request.old = match words.next()? {
            "HTTP/1.1" => false,
            "HTTP/1.0" => true,
            _ => return None,
        };
        request.close = request.old;
        for line in lines.filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':')?;
            request.field(&name.to_ascii_lowercase(), value.trim());
        }
        request.target(target)?;
        (!request.host.is_empty()).then_some(request)
    }

    fn field(&mut self, name: &str, value: &str) {
        let value_of = || value.to_owned();
        match name {
            "host" => self.host = host(value),
            "user-agent" => self.user_agent = value.replace('\t', " "),
            "accept-encoding" => self.accept_encoding = value.to_ascii_lowercase(),
            "if-none-match" => self.if_none_match = value_of(),
            "if-modified-since" => self.if_modified_since = value_of(),
            "connection" => match value.to_ascii_lowercase().as_str() {
                "close" => self.close = true,
                "keep-alive" => self.close = false,
                _ => {}
            },
            "content-length" | "transfer-encoding" if value != "0" => self.close = true,
            _ => {}
        }
    }

    /// `/path`, or `http://host/path` as sent to a proxy.
    fn target(&mut self, target: &str) -> Option<()> {
        if let Some(absolute) = target.strip_prefix("http://") {
            let (authority, path) = absolute.split_once('/').unwrap_or((absolute, ""));
            self.host = host(authority);
            self.path = format!("/{path}");
        } else {
            self.path = target.starts_with('/').then(|| target.to_owned())?;
        }
        Some(())
    }
}

fn host(authority: &str) -> String {
    authority.rsplit_once(':').map_or(authority, |(host, _)| host).trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_field_by_field() {
        let head = b"GET /a?b HTTP/1.1\r\nHost: Courier.example:8080\r\nuser-agent: bot/1\r\n\
            Accept-Encoding: gzip, BR\r\nConnection: close";
        let request = Request::parse(head).unwrap();
        assert_eq!((request.host.as_str(), request.path.as_str()), ("courier.example", "/a?b"));
        assert!(request.close && !request.old && request.accept_encoding.contains("br"));
    }

    #[test]
    fn a_proxy_request_names_its_host_in_the_target() {
        let request = Request::parse(b"GET http://a.example/x HTTP/1.0\r\nHost: other").unwrap();
        assert_eq!((request.host.as_str(), request.path.as_str(), request.close), ("a.example", "/x", true));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for head in
            [&b"GET / HTTP/1.1"[..], b"hello", b"GET / HTTP/2\r\nHost: a", b"GET x HTTP/1.1\r\nHost: a", b"\xff"]
        {
            assert_eq!(Request::parse(head), None);
        }
    }
}
