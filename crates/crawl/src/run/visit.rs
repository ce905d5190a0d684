//! Interprets a response: finds its outcome and its links. Pure functions from a capture (a response) to data.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::sync::Arc;

use goldminer_core::metadata::rights_of_page;
use goldminer_core::rights::RobotsRules;
use goldminer_core::{Extractor, Restriction, Rights, Signal, SourcePage, goldminer};
use goldminer_fetch::failure::{Cause, Failure};
use goldminer_fetch::list::{Cut, Entry, EntryKind, List, ListKind};
use goldminer_fetch::robots::{Robots, TdmRules};
use goldminer_fetch::{MediaKind, http_date, is_challenge, list, location, refresh, retry_after, robots};
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::{Capture, CrawlUrl, Host, Links, Page, encoding};
use goldminer_warc::caught::caught;
use jiff::Timestamp;
use xxhash_rust::xxh3::xxh3_64;

use super::body::{self, Unusable};
use crate::UrlKind;
use crate::extract::EarlyResult;
use crate::frontier::{Discovery, Fetched, Later, Outcome, PageFacts, PageWork, RobotsAnswer, Source, Validators};
use crate::health::obstacle::is_thin;
use crate::health::portals::{self, PortalIndex};
use crate::job::history::marks::{Marks, Stage};
use crate::limits::fault;
use crate::store::frontier::PackedBody;

/// The most feeds of one start page that are used. Many sites announce a feed for every tag.
const FEEDS_A_PAGE: usize = 8;

/// What a response means.
#[derive(Debug)]
pub(crate) struct Visit {
    /// The outcome for the frontier.
    pub outcome: Outcome,
    /// The URLs that were found, in the order of the page.
    pub discoveries: Vec<Discovery>,
    /// The parsed page, if it may have a text.
    pub page: Option<Box<ParsedPage>>,
    /// The result of extracting the page, if it was extracted on arrival.
    pub early_result: Option<Box<EarlyResult>>,
    /// Why the rest of a feed or sitemap was not read.
    pub cut: Option<Cut>,
    /// Whether an HTML page came in place of a feed or sitemap.
    pub is_no_list: bool,
}

/// A page that was parsed for its links.
#[derive(Debug)]
pub(crate) struct ParsedPage {
    /// The page.
    pub page: Page,
    /// The decoded body; None if the body in the capture has no content coding.
    pub decoded: Option<Vec<u8>>,
    /// Whether the page was cut, so that its end is missing.
    pub truncated: bool,
}

impl Visit {
    /// A visit with this outcome and without links.
    pub(crate) fn without_links(outcome: Outcome) -> Self {
        Self::leading_to(outcome, Vec::new())
    }

    /// A visit that failed for a lasting reason: the URL is not requested again.
    pub(crate) fn failed(reason: String) -> Self {
        Self::without_links(Outcome::Failed { reason })
    }

    fn leading_to(outcome: Outcome, discoveries: Vec<Discovery>) -> Self {
        Self { outcome, discoveries, page: None, early_result: None, cut: None, is_no_list: false }
    }
}

/// Options for interpreting responses.
#[derive(Debug, Clone)]
pub(crate) struct ParseOptions {
    /// The crawler's name in `X-Robots-Tag`.
    pub product_token: String,
    /// The restrictions in pages that are respected besides robots.txt.
    pub respect: Arc<[Restriction]>,
    /// Whether to find out if a page is article-like. Only learning domains need this.
    pub assess: bool,
}

/// Interprets the response to `work`, which ended at `ended`.
pub(crate) fn visit(work: &PageWork, capture: &Capture, options: &ParseOptions, ended: Timestamp) -> Visit {
    let outcome = match capture.status {
        200..=299 => return read(work, capture, options),
        // The request had no condition, so "not modified" is wrong: some cache is broken.
        304 if work.validators.is_empty() => Outcome::Later(Later::ServerError(Failure::new(
            Cause::ServerError,
            "status 304 (not modified) to a request without conditions",
        ))),
        304 => Outcome::NotModified,
        300..=399 => {
            let to = location(capture);
            let discoveries = to.iter().map(|to| Discovery::redirected(work, to.clone())).collect();
            return Visit::leading_to(Outcome::Redirect { to }, discoveries);
        }
        403 => Outcome::Refused { captcha: is_challenge(capture) },
        429 | 503 if is_challenge(capture) => Outcome::Refused { captcha: true },
        429 | 503 => Outcome::Later(Later::Busy { retry_after: retry_after(capture, ended) }),
        // Timeout, misdirected request, too early: another attempt may succeed (RFC 9110, sections 15.5.9 and
        // 15.5.20, RFC 8470, section 5.2).
        status @ (408 | 421 | 425) => unavailable(status),
        400..=499 => Outcome::Gone,
        status => unavailable(status),
    };
    Visit::without_links(outcome)
}

/// Whether a `Last-Modified` may be true: it is not later than the response, and not the epoch, which stands for an
/// unknown date. An unreadable date counts as possible.
fn is_possible(modified: &str, capture: &Capture) -> bool {
    let latest = capture.headers.get("date").and_then(http_date).unwrap_or(capture.fetched);
    http_date(modified).is_none_or(|date| date > Timestamp::UNIX_EPOCH && date <= latest)
}

/// The outcome if the server is unavailable for now.
fn unavailable(status: u16) -> Outcome {
    Outcome::Later(Later::ServerError(Failure::new(Cause::ServerError, format!("status {status}"))))
}

/// Interprets a response while its page is marked as being read. Fails if the page is skipped, or the parser panics.
pub(crate) fn read_guarded(marks: &Marks, url: &CrawlUrl, read: impl FnOnce() -> Visit) -> Visit {
    let read = || {
        fault::read("panic", url.as_str());
        read()
    };
    match marks.read(Stage::Links, url, || caught(read)) {
        Ok(Ok(visit)) => visit,
        Ok(Err(panic)) => {
            let reason = format!("reading the page failed: {panic}");
            tracing::error!(%url, "{url}: {reason}; please report this page");
            Visit::failed(reason)
        }
        Err(set_aside) => Visit::failed(set_aside),
    }
}

/// Interprets the response for a host's robots.txt.
pub(crate) fn visit_robots(answer: robots::Answer, host: &Host, portals: &PortalIndex, product_token: &str) -> Visit {
    let mut discoveries = Vec::new();
    let answer = match answer {
        robots::Answer::Rules(body) => {
            let rules = Robots::parse(&body, product_token);
            discoveries = portals.sitemaps(host, rules.sitemaps());
            RobotsAnswer::Rules { crawl_delay: rules.crawl_delay(), body: PackedBody::of(&body) }
        }
        robots::Answer::AllowAll => {
            discoveries = portals.sitemaps(host, &[]);
            RobotsAnswer::AllowAll
        }
        robots::Answer::MovedTo(target) => RobotsAnswer::MovedTo(target),
        robots::Answer::Unavailable { retry_after, failure } => RobotsAnswer::Unavailable { retry_after, failure },
    };
    Visit::leading_to(Outcome::Robots(answer), discoveries)
}

/// Interprets the response for a tdmrep.json (rules for text and data mining). Any other content means no rules.
pub(crate) fn visit_tdmrep(answer: Option<&Capture>) -> Visit {
    let answer = answer.filter(|capture| capture.status == 200 && capture.truncated.is_none());
    let body = answer.and_then(|capture| capture.decoded_body(CodingLimits::default()).ok());
    let body = body.filter(|body| TdmRules::parse(body).is_some()).map(|body| PackedBody::of(body.as_ref()));
    Visit::leading_to(Outcome::Tdmrep(body), Vec::new())
}

fn read(work: &PageWork, capture: &Capture, options: &ParseOptions) -> Visit {
    let limits = match work.kind {
        UrlKind::Sitemap | UrlKind::NewsSitemap => CodingLimits::default().with_decoded_bytes(list::MAX_BYTES),
        _ => CodingLimits::default(),
    };
    let refresh = refresh(capture);
    let is_list = matches!(work.kind, UrlKind::Feed | UrlKind::Sitemap | UrlKind::NewsSitemap);
    let (read, mut cut) = match body::read(capture, limits) {
        // A feed or sitemap whose content coding is broken is used up to the break.
        Err(why @ Unusable::Coding(_)) if is_list => match body::beginning(capture, limits) {
            Some(body) => (Ok(body), Some(Cut::Packed)),
            None => (Err(why), None),
        },
        read => (read, None),
    };
    let body = match read {
        Ok(body) => body,
        Err(why) => {
            let discoveries = refresh.and_then(|url| moved(work, url, Source::Refresh)).into_iter().collect();
            return Visit::leading_to(not_kept(why), discoveries);
        }
    };
    let validators = Validators {
        etag: capture.headers.get("etag").map(str::to_owned),
        last_modified: capture
            .headers
            .get("last-modified")
            .filter(|date| is_possible(date, capture))
            .map(str::to_owned),
    };
    let mut fetched = Fetched { validators, content: Some(xxh3_64(&body.bytes)), ..Fetched::default() };
    let mut parsed_page = None;
    let discoveries = match body.kind {
        MediaKind::Html => {
            let domain = capture.url.site();
            let content_type = capture.content_type();
            let source = SourcePage::new(&body.bytes, &domain).with_content_type(content_type).with_url(&capture.url);
            let (page, may_have_text) = match Extractor::read(&source) {
                Some(page) => (page, true),
                None => {
                    let decoded = encoding::decode(&body.bytes, content_type);
                    (Page::parse(decoded.text.into_owned()).in_encoding(decoded.encoding), false)
                }
            };
            let mut links = page.links(&work.url);
            // The header field takes precedence over the page.
            links.refresh = refresh.or(links.refresh);
            let mut rules = RobotsRules::of_page(&page, &options.product_token);
            capture.headers.all("x-robots-tag").for_each(|value| rules.add_header(value, &options.product_token));
            // If a page is visited again, or came in place of a feed or sitemap, only its links are used.
            let is_extracted = !work.revisit && !is_list;
            if is_extracted {
                fetched.withheld = withheld(work, &page, capture, &rules, options);
            }
            if is_extracted && fetched.withheld.is_none() {
                let is_article_like = options.assess && goldminer::is_article_like(&page, Some(&work.url));
                let thin = options.assess && !is_article_like && is_thin(&page, links.links.len());
                fetched.page = Some(PageFacts { is_article_like, assessed: options.assess, thin });
            }
            fetched.text = page.words_digest();
            if fetched.page.is_some() && may_have_text {
                let decoded = if let Cow::Owned(bytes) = body.bytes { Some(bytes) } else { None };
                parsed_page = Some(Box::new(ParsedPage { page, decoded, truncated: body.truncated }));
            }
            discoveries_of_page(work, links, rules.nofollow)
        }
        _ => match list::read(&body.bytes, capture.content_type(), &work.url) {
            Ok(list) => {
                cut = cut.or_else(|| list.cut.clone());
                discoveries_of_list(work, list)
            }
            Err(_) => Vec::new(),
        },
    };
    let is_no_list = is_list && body.kind == MediaKind::Html;
    Visit { page: parsed_page, cut, is_no_list, ..Visit::leading_to(Outcome::Fetched(fetched), discoveries) }
}

/// Returns the first restriction that a page asks for, of those that the operator has chosen to respect; None if there
/// is none. By default only `noindex` is respected, which is parsed anyway. Other restrictions are searched for only if
/// they are respected.
fn withheld(
    work: &PageWork,
    page: &Page,
    capture: &Capture,
    rules: &RobotsRules,
    options: &ParseOptions,
) -> Option<Restriction> {
    let said = OnceCell::new();
    let all = || [&work.signals[..], &Signal::of_headers(&capture.headers), &rights_of_page(page)].concat();
    let rights = || said.get_or_init(|| Rights::of(all()));
    let says = |restriction: &Restriction| match restriction {
        Restriction::Noindex => !rules.may_index(capture.fetched),
        restriction => rules.restrictions.contains(restriction) || rights().restricts(*restriction),
    };
    options.respect.iter().copied().find(says)
}

fn not_kept(why: Unusable) -> Outcome {
    match why {
        Unusable::CutOff => {
            Outcome::Later(Later::ServerError(Failure::new(Cause::BrokeOff, "the response is incomplete")))
        }
        Unusable::Coding(fault) => Outcome::Later(Later::ServerError(Failure::new(Cause::BrokenCoding, fault))),
        Unusable::Media(media) => Outcome::Failed { reason: format!("{media} is neither a page nor a feed") },
        // 204, an empty page, and the like: there is nothing to parse, and no reason to request it again.
        Unusable::Empty | Unusable::Status(_) => Outcome::Fetched(Fetched::default()),
    }
}

fn discoveries_of_page(work: &PageWork, links: Links, nofollow: bool) -> Vec<Discovery> {
    let mut discoveries = Vec::with_capacity(links.links.len() + 4);
    if work.kind == UrlKind::Start {
        let feeds = links.feeds.into_iter().take(FEEDS_A_PAGE);
        discoveries.extend(feeds.map(|url| Discovery::on(work, url, UrlKind::Feed, Source::Feed)));
    }
    let same_page = |url: &CrawlUrl| *url == work.url;
    let named = [(links.canonical, Source::Canonical), (links.refresh, Source::Refresh)];
    let named = named.into_iter().filter_map(|(url, source)| moved(work, url?, source));
    discoveries.extend(named.map(|found| Discovery { nofollow, ..found }));
    discoveries.extend(links.links.into_iter().filter(|link| !same_page(&link.url)).map(|link| Discovery {
        nofollow: nofollow || link.nofollow,
        ..Discovery::on(work, link.url, UrlKind::Page, Source::Link)
    }));
    discoveries
}

/// The discovery of a URL that a page names as its canonical URL or refresh target. It is the same page, so it has the
/// same depth. None if it is the page's own URL or is on another domain.
fn moved(work: &PageWork, url: CrawlUrl, source: Source) -> Option<Discovery> {
    let is_another = url != work.url && url.domain() == work.url.domain();
    is_another.then(|| Discovery { depth: work.depth, ..Discovery::on(work, url, UrlKind::Page, source) })
}

/// The discoveries for the entries of a feed, a sitemap, or an index of sitemaps.
fn discoveries_of_list(work: &PageWork, mut list: List) -> Vec<Discovery> {
    if list.kind == ListKind::Sitemap {
        // URLs are requested in this order: sitemaps before pages, and the newest first.
        list.entries.sort_by_key(|entry| (entry.kind != EntryKind::Sitemap, Reverse(entry.changed)));
    }
    let discovery = |entry: Entry| {
        let (kind, source) = match (list.kind, entry.kind) {
            (ListKind::Feed, _) => (UrlKind::Page, Source::Feed),
            (_, EntryKind::Sitemap) => (portals::sitemap_kind(&entry.url), Source::Sitemap),
            (_, EntryKind::News) => (UrlKind::Page, Source::NewsSitemap),
            (_, EntryKind::Page) => (UrlKind::Page, Source::Sitemap),
        };
        Discovery::on(work, entry.url, kind, source)
    };
    list.entries.into_iter().map(discovery).collect()
}
