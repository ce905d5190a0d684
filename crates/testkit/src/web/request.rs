//! Reads the parts of a request's head that the test server uses.

use hyper::header::{self, HeaderName};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Request {
    /// The method.
    pub method: String,
    /// The requested host in lower case, without port.
    pub host: String,
    /// The requested path with its query.
    pub path: String,
    /// The value of `User-Agent`; empty if there is none.
    pub user_agent: String,
    /// The value of `Accept-Encoding` in lower case; empty if there is none.
    pub accept_encoding: String,
    /// The value of `If-None-Match`; empty if there is none.
    pub if_none_match: String,
    /// The value of `If-Modified-Since`; empty if there is none.
    pub if_modified_since: String,
}

impl Request {
    /// Reads a request. Its target may be `/path`, or `http://host/path` as sent to a proxy.
    pub(super) fn of<B>(request: &hyper::Request<B>) -> Self {
        let field = |name: HeaderName| {
            let value = request.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()));
            value.unwrap_or_default().into_owned()
        };
        let authority = request.uri().authority().map_or_else(|| field(header::HOST), ToString::to_string);
        Self {
            method: request.method().to_string(),
            host: host(&authority),
            path: request.uri().path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string),
            user_agent: field(header::USER_AGENT).replace('\t', " "),
            accept_encoding: field(header::ACCEPT_ENCODING).to_ascii_lowercase(),
            if_none_match: field(header::IF_NONE_MATCH),
            if_modified_since: field(header::IF_MODIFIED_SINCE),
        }
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
        let head = hyper::Request::get("/a?b")
            .header("Host", "Courier.example:8080")
            .header("user-agent", "bot\t1")
            .header("Accept-Encoding", "gzip, BR");
        let request = Request::of(&head.body(()).unwrap());
        assert_eq!((request.host.as_str(), request.path.as_str()), ("courier.example", "/a?b"));
        assert_eq!((request.user_agent.as_str(), request.accept_encoding.as_str()), ("bot 1", "gzip, br"));
    }

    #[test]
    fn a_proxy_request_names_its_host_in_the_target() {
        let request = Request::of(&hyper::Request::get("http://a.example/x").header("Host", "other").body(()).unwrap());
        assert_eq!((request.host.as_str(), request.path.as_str()), ("a.example", "/x"));
    }
}
