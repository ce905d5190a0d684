//! The server's answers that are not an ordinary page of a portal: faults, and the pages of malicious and closed hosts.

use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use encoding_rs::UTF_8;
use jiff::Timestamp;
use tokio::net::TcpListener;
use xxhash_rust::xxh3::xxh3_64;

use super::attacks::Attack;
use super::barriers::Barrier;
use super::knobs::Fault;
use crate::portals::{Coding, Portal, Reply};
use crate::web::request::Request;
use crate::web::response::{Framing, Response};
use crate::web::{Web, WebConfig, page, plain};

/// The query parameter that distinguishes the URLs of a redirect loop.
const ROUND: &str = "round=";

/// The numbers of requests so far: by the hash of the host, and by the hash of host and path.
#[derive(Debug, Default)]
pub(crate) struct Faults(Mutex<HashMap<u64, u64>>);

impl Faults {
    /// The response to a request if it is not an ordinary page.
    pub(crate) fn respond(&self, config: &WebConfig, request: &Request) -> Option<Response> {
        let Some(portal) = config.portals.find(&request.host) else {
            let barrier = Barrier::of(&request.host).filter(|_| config.barriers);
            let barrier = barrier.map(|barrier| barrier.reply(&request.path));
            let attack = Attack::of(&request.host).zip(config.attacks);
            let attack = attack.map(|(attack, scale)| attack.reply(&request.host, &request.path, &scale));
            return Some(uncoded(request, barrier.or(attack)?));
        };
        let visit = self.count(xxh3_64(request.host.as_bytes()));
        let attempt = self.count(xxh3_64(format!("{} {}", request.host, request.path).as_bytes()));
        let knobs = &config.knobs;
        let redesigned = knobs.redesign_after.is_some_and(|after| visit >= after);
        let portal = match knobs.news {
            Some(news) => Arc::new(portal.earlier(news.unpublished(visit))),
            None => portal,
        };
        // All URLs of a redirect loop have the same fault as the page without the loop's parameter.
        let page_path = request.path.split(ROUND).next().unwrap_or_default().trim_end_matches(['?', '&']);
        Some(match knobs.fault(&request.host, page_path, attempt, visit) {
            Fault::None => page(request, &portal, redesigned, Framing::Chunked),
            Fault::Status(status) => plain(request, status, "<html><body><h1>Error</h1></body></html>\n"),
            Fault::RetryAfter { status, as_date } => stay_away(request, status, as_date, knobs.retry_after),
            Fault::RedirectLoop => {
                let round = if request.path.ends_with("round=1") { 2 } else { 1 };
                let mark = if page_path.contains('?') { '&' } else { '?' };
                let location = format!("{page_path}{mark}{ROUND}{round}");
                uncoded(request, Reply::new(302, "text/html", "").field("Location", location))
            }
            Fault::Slow => Response { pause: knobs.slow_by, ..page(request, &portal, redesigned, Framing::Chunked) },
            Fault::Dropped => {
                let response = page(request, &portal, redesigned, Framing::Chunked);
                Response { break_after: Some(response.body.len() / 2), ..response }
            }
            Fault::WrongLength => {
                let response = page(request, &portal, redesigned, Framing::Length(1000));
                Response { break_after: Some(response.body.len()), ..response }
            }
            Fault::LyingType(content_type) => lie(request, &portal, redesigned, content_type.to_owned()),
            Fault::LyingCharset => {
                let label = if portal.charset.encoding == UTF_8 { "iso-8859-2" } else { "utf-8" };
                lie(request, &portal, redesigned, format!("text/html; charset={label}"))
            }
            Fault::Captcha => plain(
                request,
                200,
                "<html><head><title>Just a moment...</title></head><body><h1>Are you human?</h1>\
                 <form class=\"captcha\">\
                 <p>Please solve the CAPTCHA below to continue.</p><input name=\"captcha\"></form></body></html>\n",
            ),
        })
    }

    /// Adds one to a count. Returns the count before.
    fn count(&self, key: u64) -> u64 {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key).or_insert(0);
        *count += 1;
        *count - 1
    }
}

impl Reply {
    /// A page in UTF-8.
    pub(crate) fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/html; charset=utf-8", body)
    }
}

impl Web {
    /// The values for `--resolve`: one for each portal with its IP address, then one for all other hosts. If the server
    /// has a single IP address, only the last.
    pub fn resolve_rules(&self) -> Vec<String> {
        let (config, port) = (&self.server.config, self.address().port());
        let hosts = config.portals.hosts().into_iter().enumerate().filter(|_| config.addresses > 1);
        let rules = hosts.map(|(n, host)| format!("{host}:80:{}:{port}", nth_address(n % config.addresses)));
        rules.chain([self.resolve_rule()]).collect()
    }
}

/// Listens on the IP addresses of a server after the first.
pub(crate) async fn more_addresses(config: &WebConfig, port: u16) -> io::Result<Vec<TcpListener>> {
    let mut listeners = Vec::new();
    for n in 1..config.addresses {
        listeners.push(TcpListener::bind((nth_address(n), port)).await?);
    }
    Ok(listeners)
}

/// The n-th IP address from 127.0.0.1 on. The first and last address of each block of 256 are left out.
fn nth_address(n: usize) -> Ipv4Addr {
    let (block, own) = (n / 254, n % 254);
    Ipv4Addr::new(127, (block / 256 % 256) as u8, (block % 256) as u8, own as u8 + 1)
}

fn uncoded(request: &Request, reply: Reply) -> Response {
    Response::new(request, reply, Coding::Identity, Framing::Length(0))
}

fn lie(request: &Request, portal: &Portal, redesigned: bool, content_type: String) -> Response {
    let mut reply = portal.reply(&request.path, redesigned);
    if reply.status == 200 && reply.content_type.starts_with("text/html") {
        reply.content_type = content_type;
    }
    uncoded(request, reply)
}

/// A response with `Retry-After`. A date is rounded down to whole seconds, so the visitor may have to wait a little
/// less than `delay`.
fn stay_away(request: &Request, status: u16, as_date: bool, delay: Duration) -> Response {
    let now = wall_clock();
    let (value, retry_after) = if as_date {
        let until = now.as_second().saturating_add_unsigned(delay.as_secs());
        let date = Timestamp::from_second(until).unwrap_or(now);
        let wait = Duration::try_from(date.duration_since(now)).unwrap_or_default();
        (date.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string(), (wait, false))
    } else {
        (delay.as_secs().to_string(), (Duration::from_secs(delay.as_secs()), true))
    };
    let reply = Reply::new(status, "text/html", "<html><body><h1>Slow down</h1></body></html>\n");
    let response = uncoded(request, reply.field("Retry-After", value));
    Response { retry_after: Some(retry_after), ..response }
}

/// The current time by the system clock, for dates in `Retry-After`.
#[allow(clippy::disallowed_methods, reason = "servers have their own clock")]
fn wall_clock() -> Timestamp {
    Timestamp::now()
}
