//! The page of a portal: how it stands, in words; its hosts, with what may be ordered; what waits, what it gives, what went
//! wrong.

use goldminer_corpus::figures::{bytes, counted, thousands};
use goldminer_crawl::frontier::{HostStatus, WaitsFor, name_of};
use goldminer_crawl::health::site::SiteReport;
use goldminer_crawl::run::examples::Kind;
use jiff::Timestamp;
use maud::{Markup, html};

use crate::frame::{address, page, word};
use crate::guard::{CHECK, Guard};
use crate::job_summary::{JobSummary, PortalLine};
use crate::orders::{Done, Order};
use crate::report::{minute, percent, shortened};
use crate::texts;
use crate::words::host::{next_due, reason, span};

/// Hosts of a portal that are shown.
const HOSTS: usize = 60;
/// Characters of a URL or note.
const CHARS: usize = 140;

/// What a form came to, a line each.
pub(super) type Said = Result<Vec<String>, String>;

/// The page.
pub(super) fn portal(
    job: &str,
    guard: &Guard,
    standing: &JobSummary,
    line: &PortalLine,
    site: &SiteReport,
    said: Option<&Result<Done, String>>,
) -> Markup {
    let hosts: Vec<&HostStatus> = line.hosts.iter().filter_map(|number| standing.hosts.get(*number)).collect();
    let (state, meaning) = texts::state(line.state);
    let next = hosts.iter().filter(|host| host.next_due.is_some()).min_by_key(|host| host.next_due);
    let body = html! {
        @match said {
            Some(Ok(done)) => {
                div.said role="status" {
                    @for line in &done.lines { p { (line) } }
                    @if let Some(undo) = &done.undo { (retract(job, guard, &line.name, undo)) }
                }
            }
            Some(Err(why)) => { p.said.bad role="alert" { (why) } }
            None => {}
        }
        header {
            h1 { (line.name) " " span.state.needs[line.state.needs_attention()] { (state) } }
            p.lead { (meaning) @if let Some(why) = &line.why_none { " " (why) "." } }
            p {
                @match next {
                    Some(host) => {
                        (texts::next_request(&next_due(host, standing.at), host.host.as_str())) " "
                        (reason(host, standing.at)) "."
                    }
                    None => { (texts::NO_REQUEST) }
                }
            }
            @if let Some(to) = &line.moved_to { p { (texts::MOVED_TO) " " (to) } }
            @if let Some(last) = line.last_news { p.note { (texts::LAST_NEWS) " " (minute(last)) " UTC" } }
            @if line.left_out > 0 { p.note { (texts::left_out(line.left_out)) } }
        }
        div.cards-row {
            (card(texts::FETCHED, &thousands(line.pages)))
            (card(texts::DOCUMENTS, &thousands(line.documents)))
            (card(texts::QUEUED, &thousands(line.queued)))
            (card(texts::YIELD, &percent(line.text_yield())))
            @if let Some(fitness) = line.fitness { (card(texts::FITNESS, &format!("{fitness:.2}"))) }
        }
        section {
            h2 { (texts::HOSTS) }
            @if hosts.len() > 1 { (of_all(job, guard, &line.name, &hosts)) }
            @for host in hosts.iter().take(HOSTS) { (self::host(job, guard, &line.name, host, standing.at)) }
            @if hosts.len() > HOSTS { p.note { (texts::more(hosts.len() - HOSTS)) } }
            (add(job, guard, &line.name))
        }
        (paths(site))
        (troubles(job, &site.kinds))
        (pages(job, site))
        @if !site.is_whole { p.note { (texts::NOT_WHOLE) } }
    };
    let trail = [(address(job, "", &[]), job.to_owned()), (address(job, "portals", &[]), texts::PORTALS.to_owned())];
    page(&line.name, &trail, false, &body)
}

fn card(what: (&str, &str), value: &str) -> Markup {
    html! { div.card { p.big { (value) } p { (word(what)) } } }
}

fn retract(job: &str, guard: &Guard, portal: &str, undo: &Order) -> Markup {
    html! {
        form method="post" action=(address(job, "order", &[])) {
            (hidden(guard, portal))
            input type="hidden" name="host" value=(undo.hosts);
            input type="hidden" name="delay" value=(undo.delay);
            button type="submit" name="order" value=(undo.name) { (texts::TAKE_BACK) }
        }
    }
}

/// What may be ordered of all hosts at once: of those that it would change.
fn of_all(job: &str, guard: &Guard, portal: &str, hosts: &[&HostStatus]) -> Markup {
    let names = |of: fn(WaitsFor) -> bool| -> String {
        hosts.iter().filter(|host| of(host.waits_for)).map(|host| host.host.as_str()).collect::<Vec<_>>().join(" ")
    };
    let is_held = |waits: WaitsFor| matches!(waits, WaitsFor::Paused | WaitsFor::Blocked);
    let order = |order: &str, word: &str, names: String| {
        html! {
            @if !names.is_empty() {
                form method="post" action=(address(job, "order", &[])) {
                    (hidden(guard, portal)) input type="hidden" name="host" value=(names);
                    button type="submit" name="order" value=(order) aria-label=(texts::order_for(word, texts::ALL_HOSTS)) { (word) }
                }
            }
        }
    };
    html! {
        p { (texts::ALL_HOSTS) ":" }
        div.orders {
            (order("resume", texts::RESUME, names(is_held)))
            (order("pause", texts::PAUSE, names(|waits| !matches!(waits, WaitsFor::Paused | WaitsFor::Blocked))))
            (order("block", texts::BLOCK, names(|waits| !matches!(waits, WaitsFor::Paused | WaitsFor::Blocked))))
        }
    }
}

/// A host: how it stands, when it is due next and why, and what may be ordered.
fn host(job: &str, guard: &Guard, portal: &str, host: &HostStatus, now: Timestamp) -> Markup {
    let name = host.host.as_str();
    let order = |order: &str, word: &str| {
        html! {
            form method="post" action=(address(job, "order", &[])) {
                (hidden(guard, portal)) input type="hidden" name="host" value=(name);
                button type="submit" name="order" value=(order) aria-label=(texts::order_for(word, name)) { (word) }
            }
        }
    };
    let is_held =
        matches!(host.waits_for, WaitsFor::Paused | WaitsFor::Blocked | WaitsFor::Refusals | WaitsFor::GivenUp);
    html! {
        div.host data-host=(name) {
            h3 { (name) }
            p {
                b { (reason(host, now)) } @if host.next_due.is_some() { "; " (texts::NEXT) " " (next_due(host, now)) }
                " · " (counted(host.queued, "URL waits", "URLs wait"))
                " · " (word(texts::DELAY)) " " (span(host.delay))
                @if let Some(asked) = host.crawl_delay { " (" (texts::ROBOTS_ASKS) " " (span(asked)) ")" }
                " · " (counted(host.requests, "request", "requests")) ", " (bytes(host.bytes))
                " · " (texts::ROBOTS_HAD) ": " (word(texts::robots(host.robots)))
            }
            @if let Some(trouble) = &host.trouble {
                p.note {
                    (trouble.failure().to_string())
                    @if let Some(hint) = trouble.cause.hint() { "; " (hint) }
                }
            }
            @if let Some(of) = &host.alias_of { p.note { (texts::ALIAS_OF) " " (of.as_str()) } }
            @for closed in &host.closed { p.note { (texts::CLOSED) " " code { (closed.pattern) } " (" (closed.rule) ")" } }
            div.orders {
                @if is_held { (order("resume", texts::RESUME)) }
                @if host.waits_for != WaitsFor::Paused { (order("pause", texts::PAUSE)) }
                @if host.waits_for != WaitsFor::Blocked { (order("block", texts::BLOCK)) }
                form method="post" action=(address(job, "order", &[])) {
                    (hidden(guard, portal)) input type="hidden" name="host" value=(name);
                    input name="delay" size="6" placeholder="20s" aria-label=(texts::order_for(texts::DELAY.0, name));
                    button type="submit" name="order" value="delay" aria-label=(texts::order_for(texts::SET_DELAY, name)) {
                        (texts::SET_DELAY)
                    }
                    @if host.own_delay.is_some() {
                        button type="submit" name="order" value="default-delay" formnovalidate
                            aria-label=(texts::order_for(texts::OWN_DELAY, name)) { (texts::OWN_DELAY) }
                    }
                }
            }
        }
    }
}

fn add(job: &str, guard: &Guard, portal: &str) -> Markup {
    html! {
        form.row method="post" action=(address(job, "order", &[])) {
            (hidden(guard, portal))
            label { (texts::ADD_URL) input name="url" type="url" required size="40"; }
            button type="submit" name="order" value="add" { (texts::ADD) }
            span.note { (texts::ADD_NOTE) }
        }
    }
}

fn hidden(guard: &Guard, portal: &str) -> Markup {
    html! {
        input type="hidden" name=(CHECK) value=(guard.check());
        input type="hidden" name="portal" value=(portal);
    }
}

fn paths(site: &SiteReport) -> Markup {
    html! {
        @if !site.queue.is_empty() {
            section {
                h2 { (texts::QUEUE) }
                ul.measures {
                    @let most = site.queue.first().map_or(1, |(_, urls)| (*urls).max(1)) as f64;
                    @for (path, urls) in &site.queue {
                        li {
                            span.what { (shortened(path, CHARS)) }
                            span.measure { span style={ "width:" (format!("{:.2}", 100.0 * *urls as f64 / most)) "%" } {} }
                            b { (thousands(*urls)) }
                        }
                    }
                }
            }
        }
        @if !site.prefixes.is_empty() {
            section {
                h2 { (texts::YIELD_BY_PATH) }
                div.scroll { table {
                    thead { tr {
                        th scope="col" { (texts::PATH) } th.number scope="col" { (texts::FETCHED.0) }
                        th.number scope="col" { (texts::RECEIVED) } th.number scope="col" { (texts::YIELD.0) }
                    } }
                    tbody { @for prefix in &site.prefixes { tr {
                        td.wide { (shortened(&prefix.prefix, CHARS)) } td.number { (thousands(prefix.pages)) }
                        td.number { (bytes(prefix.bytes)) }
                        td.number { (percent(prefix.clean_bytes as f64 / prefix.bytes.max(1) as f64)) }
                    } } }
                } }
            }
        }
    }
}

fn troubles(job: &str, kinds: &[Kind]) -> Markup {
    html! {
        @if !kinds.is_empty() {
            section {
                h2 { (texts::WENT_WRONG_THERE) }
                @for kind in kinds {
                    details.trouble {
                        summary {
                            b { (thousands(kind.urls)) } " " (kind.what) " "
                            span.source {
                                (kind.done.map_or_else(|| texts::TRIED_AGAIN.to_owned(), |done| name_of(&done)))
                            }
                        }
                        ul {
                            @for example in &kind.examples {
                                li {
                                    a href=(address(job, "url", &[("url", &example.url)])) { (shortened(&example.url, CHARS)) }
                                    @if let Some(note) = &example.note { ": " (shortened(note, CHARS)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pages(job: &str, site: &SiteReport) -> Markup {
    html! {
        @if !site.pages.is_empty() {
            section #pages {
                h2 { (texts::LATEST_PAGES) }
                ul.others {
                    @for (at, url) in &site.pages {
                        li { a href=(address(job, "url", &[("url", url)])) { (shortened(url, CHARS)) } span.why { (minute(*at)) } }
                    }
                }
            }
        }
    }
}
