//! Access control for the API of a crawl and for the console, and the content policy of the console's pages.
//!
//! Other users share the machine, and other web sites share the browser, so every request needs a token. Programs
//! send it in the header `Authorization`; browsers in the URL that the console prints, then in a cookie. The `Host`
//! must be this server's, so that no other name that points at this machine can read the answers (DNS rebinding). A
//! change by a browser must be a POST with this server's `Origin` and a form with a second secret, which only this
//! server's pages contain (cross-site requests). The content policy forbids loading anything from other servers.
//!
//! Metrics for Prometheus are the exception: if a crawl exports them, they need no token.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Form, FromRequest, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::loopback_server::Trust;
use super::metrics;

/// The content security policy of all pages: nothing is loaded from other servers, and no inline script runs. Inline
/// styles are allowed, because the bars of reports use them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
    img-src data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The name of the form field with the second secret.
pub const CHECK: &str = "check";

const FOREIGN_HOST: &str = "Wrong host name: open the address that `goldminer console` printed.\n";
const NOT_THERE: &str = "Page not found.\n";
const NO_TOKEN: &str = "Open the address that `goldminer console` printed: it carries the token that lets you in.\n";
const FOREIGN_PAGE: &str =
    "Nothing was changed: this request does not come from a page of this console. Reload the page and try again.\n";

/// The secrets of a server, created when it starts.
#[derive(Clone)]
pub struct Guard {
    address: SocketAddr,
    /// The origin of the proxy in front of this server.
    behind: Option<Arc<str>>,
    token: Arc<str>,
    check: Arc<str>,
    /// The host names under which Prometheus needs no token.
    scraped: Arc<[String]>,
}

impl Guard {
    /// The guard of a console that listens at `address`; `behind` is the origin of a proxy in front of it.
    pub fn new(address: SocketAddr, behind: Option<&str>) -> Self {
        let secret = || uuid::Uuid::new_v4().simple().to_string().into();
        let behind = behind.map(Arc::from);
        Self { address, behind, token: secret(), check: secret(), scraped: Arc::default() }
    }

    /// The guard of a crawl on this port, with the host names under which Prometheus needs no token.
    pub(crate) fn of_crawl(port: u16, scraped: Vec<String>) -> Self {
        Self { scraped: scraped.into(), ..Self::new((Ipv4Addr::LOCALHOST, port).into(), None) }
    }

    /// The token that programs send.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// The URL to open in a browser.
    pub fn address(&self) -> String {
        match &self.behind {
            Some(origin) => format!("{origin}/?token={}", self.token),
            None => format!("http://{}/?token={}", self.address, self.token),
        }
    }

    /// The second secret, for the forms of this server's pages.
    pub fn check(&self) -> &str {
        &self.check
    }

    /// The name of the cookie. All ports of a host share their cookies, so the name contains the port.
    fn cookie_name(&self) -> String {
        // With this prefix, a browser accepts the cookie only from this host, over TLS.
        let prefix = if self.behind.is_some() { "__Host-" } else { "" };
        format!("{prefix}goldminer-{}", self.address.port())
    }

    fn cookie(&self) -> String {
        let secure = if self.behind.is_some() { "; Secure" } else { "" };
        format!("{}={}; HttpOnly; SameSite=Strict; Path=/{secure}", self.cookie_name(), self.token)
    }

    fn is_own_host(&self, host: &str) -> bool {
        if let Some(origin) = &self.behind {
            return origin.strip_prefix("https://").is_some_and(|own| host.eq_ignore_ascii_case(own));
        }
        host == self.address.to_string()
            || host
                .rsplit_once(':')
                .is_some_and(|(name, port)| name == "localhost" && port.parse() == Ok(self.address.port()))
    }

    fn is_token(&self, token: &str) -> bool {
        same(token, &self.token)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        let cookies = headers.get_all(COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(key, value)| key == name && self.is_token(value))
    }

    fn has_bearer(&self, headers: &HeaderMap) -> bool {
        let shown = headers.get(AUTHORIZATION).and_then(|shown| shown.to_str().ok()?.strip_prefix("Bearer "));
        shown.is_some_and(|token| self.is_token(token))
    }

    /// Whether a request gets the metrics without a token, because its `Host` is one of those for Prometheus.
    fn is_scrape(&self, request: &Request, host: &str) -> bool {
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        request.uri().path() == metrics::PATH
            && request.method() == Method::GET
            && self.scraped.iter().any(|own| name.eq_ignore_ascii_case(own))
    }

    /// Whether a request for a change comes from one of this server's pages.
    fn is_own_page(&self, headers: &HeaderMap) -> bool {
        let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
        let scheme = if self.behind.is_some() { "https://" } else { "http://" };
        origin.and_then(|origin| origin.strip_prefix(scheme)).is_some_and(|host| self.is_own_host(host))
    }
}

/// Whether two secrets are equal. The time that this takes does not reveal how much of them is equal.
fn same(one: &str, other: &str) -> bool {
    blake3::hash(one.as_bytes()) == blake3::hash(other.as_bytes())
}

/// Admits requests that are allowed, and adds the content policy to every answer.
pub async fn admit(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    let mut response = match early_answer(&guard, &request) {
        None => {
            // A request for metrics without the token does not make a connection trusted: a flood of them must not
            // lock the operator out.
            let shows_token = guard.has_bearer(request.headers()) || guard.has_cookie(request.headers());
            if let Some(trust) = request.extensions().get::<Trust>().filter(|_| shows_token) {
                trust.set();
            }
            request.extensions_mut().insert(guard);
            next.run(request).await
        }
        Some(other) => other,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer`, a browser would not send the `Origin` of this server's forms.
        (REFERRER_POLICY, "same-origin"),
        (CACHE_CONTROL, "no-store"),
        // The browser must not look up a name only because a page contains it.
        (HeaderName::from_static("x-dns-prefetch-control"), "off"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Returns the answer to a request that is refused, or that has the token in its URL (a redirect that sets the cookie).
/// None if the router must answer the request.
fn early_answer(guard: &Guard, request: &Request) -> Option<Response> {
    let headers = request.headers();
    // Servers and proxies differ in which of several `Host` fields counts (RFC 9112, section 3.2): one is allowed.
    let mut hosts = headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default());
    let (host, is_single) = (hosts.next().unwrap_or_default(), hosts.next().is_none());
    if is_single && guard.is_scrape(request, host) {
        return None;
    }
    let is_foreign = request.uri().authority().is_some_and(|name| !guard.is_own_host(name.as_str()));
    // Only a proxy may send requests from another machine.
    let trust = request.extensions().get::<Trust>();
    let is_remote = guard.behind.is_none() && trust.is_some_and(|trust| !trust.is_local());
    if is_remote || is_foreign || !is_single || !guard.is_own_host(host) {
        return Some((StatusCode::MISDIRECTED_REQUEST, FOREIGN_HOST).into_response());
    }
    // A redirect to `//name` or `/\name` would lead a browser to another host.
    if request.uri().path().get(1..).is_some_and(|rest| rest.starts_with(['/', '\\'])) {
        return Some((StatusCode::NOT_FOUND, NOT_THERE).into_response());
    }
    let query = request.uri().query().unwrap_or_default();
    let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
    if token.is_some_and(|token| guard.is_token(token)) && request.method() == Method::GET {
        return Some(([(SET_COOKIE, guard.cookie())], Redirect::to(request.uri().path())).into_response());
    }
    if guard.has_bearer(headers) {
        return None;
    }
    if !guard.has_cookie(headers) {
        return Some((StatusCode::UNAUTHORIZED, NO_TOKEN).into_response());
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) && !guard.is_own_page(headers) {
        return Some((StatusCode::FORBIDDEN, FOREIGN_PAGE).into_response());
    }
    None
}

/// The fields of a form that was sent from one of this server's pages.
pub struct Fields(BTreeMap<String, String>);

impl Fields {
    /// The value of a field without surrounding white space; empty if there is no such field.
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let guard = request.extensions().get::<Guard>().cloned();
        let Form(fields): Form<BTreeMap<String, String>> =
            Form::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        match (fields.get(CHECK), guard) {
            (Some(check), Some(guard)) if same(check, guard.check()) => Ok(Self(fields)),
            _ => Err((StatusCode::FORBIDDEN, FOREIGN_PAGE).into_response()),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use axum::{Router, middleware};
    use tower_service::Service as _;

    use super::*;

    fn guard(behind: Option<&str>) -> Guard {
        Guard::new("127.0.0.1:8080".parse().unwrap(), behind)
    }

    fn asked(guard: &Guard, method: Method, path: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        early_answer(guard, &request).map_or(200, |other| other.status().as_u16())
    }

    #[test]
    fn access_needs_the_token_and_this_servers_name() {
        let guard = guard(None);
        let cookie = format!("other=1; goldminer-8080={}", guard.token);
        let own = ("host", "127.0.0.1:8080");
        assert_eq!(asked(&guard, Method::GET, "/", &[own]), 401);
        assert_eq!(asked(&guard, Method::GET, "/?token=guess", &[own]), 401);
        assert_eq!(asked(&guard, Method::GET, &format!("/?token={}", guard.token), &[own]), 303);
        assert_eq!(asked(&guard, Method::GET, "/", &[own, ("cookie", &cookie)]), 200);
        assert_eq!(asked(&guard, Method::GET, "/", &[own, ("cookie", "goldminer-8080=guess")]), 401);
        for host in ["rebound.example:8080", "127.0.0.1:81", "127.0.0.1", "127.0.0.1.evil.example:8080"] {
            assert_eq!(asked(&guard, Method::GET, "/", &[("host", host), ("cookie", &cookie)]), 421, "{host}");
        }
    }

    #[test]
    fn programs_send_the_token_in_a_header() {
        let guard = Guard::of_crawl(8080, Vec::new());
        let (own, bearer) = (("host", "127.0.0.1:8080"), format!("Bearer {}", guard.token()));
        let post = |headers: &[(&str, &str)]| asked(&guard, Method::POST, "/request", headers);
        assert_eq!(post(&[own, ("authorization", &bearer)]), 200);
        assert_eq!(post(&[own, ("authorization", "Bearer guess")]), 401);
        assert_eq!(post(&[own]), 401);
        assert_eq!(post(&[("host", "rebound.example:8080"), ("authorization", &bearer)]), 421);
    }

    #[test]
    fn exported_metrics_need_no_token_under_the_given_names() {
        let guard = Guard::of_crawl(9100, vec!["localhost".to_owned(), "crawler.uni.hu".to_owned()]);
        let get = |path: &str, host: &str| asked(&guard, Method::GET, path, &[("host", host)]);
        assert_eq!([get("/metrics", "localhost:9100"), get("/metrics", "Crawler.uni.hu:9100")], [200, 200]);
        assert_eq!(get("/metrics", "rebound.example:9100"), 421);
        assert_eq!(get("/request", "localhost:9100"), 401);
        assert_eq!(
            asked(&Guard::of_crawl(9100, Vec::new()), Method::GET, "/metrics", &[("host", "localhost:9100")]),
            401
        );
    }

    #[test]
    fn another_machine_gets_only_the_metrics_by_the_given_name() {
        let names = ["127.0.0.1", "localhost", "crawler.uni.hu"];
        let guard = Guard::of_crawl(9100, names.map(str::to_owned).to_vec());
        let bearer = format!("Bearer {}", guard.token());
        let asked = |is_local: bool, method: Method, path: &str, host: &str| {
            let request = Request::builder().method(method).uri(path).header(HOST, host);
            let mut request = request.header(AUTHORIZATION, &bearer).body(Body::empty()).unwrap();
            request.extensions_mut().insert(Trust::new(is_local));
            early_answer(&guard, &request).map_or(200, |other| other.status().as_u16())
        };
        assert_eq!(asked(false, Method::GET, "/metrics", "crawler.uni.hu:9100"), 200);
        for (method, path, host) in [
            (Method::POST, "/request", "127.0.0.1:9100"),
            (Method::POST, "/request", "crawler.uni.hu:9100"),
            (Method::POST, "/metrics", "crawler.uni.hu:9100"),
            (Method::GET, "/metrics", "other.uni.hu:9100"),
            (Method::GET, "/", "localhost:9100"),
        ] {
            assert_eq!(asked(false, method, path, host), 421, "{path} of {host}, with the token");
        }
        assert_eq!(asked(true, Method::POST, "/request", "127.0.0.1:9100"), 200, "this machine, with the token");
    }

    #[tokio::test]
    async fn a_metrics_request_is_trusted_only_with_the_token() {
        let guard = Guard::of_crawl(9100, vec!["localhost".to_owned()]);
        let bearer = format!("Bearer {}", guard.token());
        let router: Router = Router::new()
            .route(metrics::PATH, get(|| async { "figures" }))
            .layer(middleware::from_fn_with_state(guard, admit));
        for (shown, is_trusted) in [("", false), ("Bearer guess", false), (&*bearer, true)] {
            let trust = Trust::new(true);
            let request = Request::builder().uri(metrics::PATH).header(HOST, "localhost:9100");
            let mut request = request.header(AUTHORIZATION, shown).body(Body::empty()).unwrap();
            request.extensions_mut().insert(trust.clone());
            let response = router.clone().call(request).await.unwrap();
            assert_eq!((response.status(), trust.is_set()), (StatusCode::OK, is_trusted), "{shown}");
        }
    }

    #[test]
    fn requests_with_two_hosts_or_a_foreign_one_are_refused() {
        let guard = guard(None);
        let cookie = format!("goldminer-8080={}", guard.token);
        let (own, cookie) = (("host", "127.0.0.1:8080"), ("cookie", cookie.as_str()));
        let get = |path: &str, headers: &[(&str, &str)]| asked(&guard, Method::GET, path, headers);
        assert_eq!(get("/", &[own, ("host", "evil.example"), cookie]), 421);
        assert_eq!(get("/", &[("host", "evil.example"), own, cookie]), 421);
        assert_eq!(get("/", &[own, own, cookie]), 421, "no browser sends two hosts");
        assert_eq!(get("/", &[cookie]), 421, "no name");
        assert_eq!(get("http://evil.example/", &[own, cookie]), 421, "absolute-form");
        assert_eq!(get("http://127.0.0.1:8080/", &[own, cookie]), 200);
    }

    #[test]
    fn a_token_never_sends_a_browser_to_another_host() {
        let guard = guard(None);
        for path in ["//evil.example/x", "/\\evil.example/x", "///evil.example"] {
            let path = format!("{path}?token={}", guard.token);
            assert_eq!(asked(&guard, Method::GET, &path, &[("host", "127.0.0.1:8080")]), 404, "{path}");
        }
    }

    #[test]
    fn another_site_changes_nothing_even_with_the_cookie() {
        let guard = guard(None);
        let cookie = format!("goldminer-8080={}", guard.token);
        let own = [("host", "localhost:8080"), ("cookie", cookie.as_str())];
        let from = |origin: &'static str| asked(&guard, Method::POST, "/", &[own[0], own[1], ("origin", origin)]);
        assert_eq!(asked(&guard, Method::POST, "/", &own), 403, "no origin");
        for origin in ["null", "http://evil.example", "http://127.0.0.1:81", "https://127.0.0.1:8080"] {
            assert_eq!(from(origin), 403, "{origin}");
        }
        assert_eq!(from("http://localhost:8080"), 200);
    }

    #[test]
    fn behind_a_proxy_only_its_name_counts_and_cookies_need_tls() {
        let guard = guard(Some("https://console.uni.hu"));
        assert!(guard.address().starts_with("https://console.uni.hu/?token="), "{}", guard.address());
        assert!(guard.cookie().starts_with("__Host-goldminer-8080=") && guard.cookie().ends_with("; Secure"));
        let cookie = format!("__Host-goldminer-8080={}", guard.token);
        let asked = |method: Method, host: &str, origin: &str| {
            asked(&guard, method, "/", &[("host", host), ("cookie", &cookie), ("origin", origin)])
        };
        assert_eq!(asked(Method::GET, "console.uni.hu", ""), 200);
        assert_eq!(asked(Method::POST, "console.uni.hu", "https://console.uni.hu"), 200);
        assert_eq!(asked(Method::POST, "console.uni.hu", "http://console.uni.hu"), 403);
        for host in ["127.0.0.1:8080", "10.0.0.7:8080", "other.uni.hu"] {
            assert_eq!(asked(Method::GET, host, ""), 421, "{host}");
        }
    }
}
