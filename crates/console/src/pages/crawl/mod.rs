//! The page of a crawl: a summary, what needs attention, responses over time, URLs by state, and the portals. The
//! console updates the page while the crawl runs. A saved page also has details that take longer to collect: yield by
//! domain and path, politeness, and errors.

mod saved;

use std::path::Path;

use goldminer_corpus::figures::{bytes, counted, duration, minute, percent, thousands};
use goldminer_crawl::health::site::PrefixYield;
use goldminer_crawl::{HostStatus, name_of};
use maud::{Markup, html};

use crate::job_summary::{JobSummary, State};
use crate::pages::frame::{JobLinks, Medium};
use crate::pages::parts::{
    CHARS, Cell, DOCUMENTS, FETCHED, QUEUED, Word, YIELD, card, measures, more, shortened, sortable, table, word,
};
use crate::pages::plots::Bars;
use crate::pages::portals::{self, View};
use crate::pages::url::look_up;
use crate::survey::{Interval, Timeline};
use crate::texts;
use crate::timelines::ResponsesSoFar;
use saved::too_short;

pub use saved::{CrawlDetails, saved};

/// The most lines of a table. The others are only counted.
const MAX_LINES: usize = 200;
/// The most portals that are named for each problem that needs attention.
const NAMED: usize = 8;
/// Less free space than this needs attention.
const ROOM_BYTES: u64 = 2 << 30;

/// The page of a job on the console, without its frame. `as_of` means that a newer state is being read; then the page
/// gives the time of the shown state.
pub(crate) fn live(links: JobLinks<'_>, folder: &Path, summary: &JobSummary, as_of: bool) -> Markup {
    let medium = Medium::Live(links);
    html! {
        div data-job=(links.job) data-running=(summary.is_running) {
            header {
                h1 { (links.job) " " (run_state(summary)) }
                p.note { "Job directory: " code { (folder.display()) } }
                @if summary.is_running {
                    (links.form("stop", "", &[], &html! {
                        button type="submit" title="The crawl finishes its requests and stops. Start it to continue." {
                            "Stop the crawl"
                        }
                    }))
                }
                (last_run(summary, "lead"))
                @if as_of { p.note data-looking { (texts::as_of(&minute(summary.at))) } }
            }
            (numbers(summary, None))
            (look_up(links))
            (attention(medium, summary))
            div #timeline data-renewed { (drawn(&summary.so_far)) }
            (accounts(summary))
            (portals::table_of(medium, summary, &View::default()))
        }
    }
}

/// A paragraph on how the last run ended; nothing while a crawl is running.
pub(super) fn last_run(summary: &JobSummary, class: &str) -> Markup {
    html! {
        @if let Some(last) = summary.last.as_ref().filter(|_| !summary.is_running) {
            p.(class) { (texts::last_run(&last.ended)) ", " (minute(last.at)) " UTC" }
        }
    }
}

/// A label: `running`, `finished` or `stopped`.
pub(super) fn run_state(summary: &JobSummary) -> Markup {
    let is_finished = summary.last.as_ref().is_some_and(|last| last.is_finished());
    let label = match summary.is_running {
        true => "running",
        false if is_finished => "finished",
        false => "stopped",
    };
    html! { span.state.runs[summary.is_running] { (label) } }
}

/// The cards with a job's numbers, which the console updates while the crawl runs. `details` are for a saved page.
fn numbers(summary: &JobSummary, details: Option<&CrawlDetails>) -> Markup {
    let (counts, documents) = (&summary.counts, summary.documents);
    let number = |what: Word<'_>, key: &str, sum: Option<u64>, value: &str| {
        html! { div.card { p.big data-live=(key) data-sum=[sum] { (value) } p { (word(what)) } } }
    };
    html! {
        div.cards-row {
            (number(FETCHED, "pages", Some(counts.pages), &thousands(counts.pages)))
            (number(DOCUMENTS, "documents", Some(documents), &thousands(documents)))
            (number(QUEUED, "queued", None, &thousands(counts.queued)))
            @match details {
                None => (number(("responses per second", "Average of the last seconds."), "rate", None, "–")),
                Some(details) => {
                    @let (clean, received) = details.domains.iter().fold((0, 0), |(clean, received), line| {
                        (clean + line.clean_bytes, received + line.bytes)
                    });
                    (card(("received", "Bytes of all responses."), bytes(counts.bytes)))
                    (card(YIELD, percent(clean as f64 / received.max(1) as f64)))
                    (too_short(&details.politeness))
                }
            }
        }
    }
}

/// The section on what needs attention.
fn attention(medium: Medium<'_>, summary: &JobSummary) -> Markup {
    html! { section #attention data-renewed { h2 { "What needs attention" } (attention_list(medium, summary)) } }
}

/// The list of what needs attention, the worst first.
pub(super) fn attention_list(medium: Medium<'_>, summary: &JobSummary) -> Markup {
    let states: Vec<(State, usize)> =
        summary.states().into_iter().filter(|(state, _)| state.needs_attention()).collect();
    let little = summary.free_bytes.filter(|free| *free < ROOM_BYTES);
    let is_well = states.is_empty() && little.is_none() && summary.identity_holds && summary.suspects.is_empty();
    html! {
        @if is_well {
            p { "Nothing: no portal has a problem." }
        } @else {
            ul.attention {
                @if !summary.identity_holds {
                    li.bad { "The URL counts do not add up. This is a bug: please report it with the job's log." }
                }
                @if let Some(free) = little {
                    li.bad { "Only " (bytes(free)) " are free on the disk. A crawl pauses when there is too little space." }
                }
                @for (state, portals) in states { (troubled(medium, summary, state, portals)) }
                @for suspect in summary.suspects.iter().take(NAMED) { li { (suspect) } }
                (more(summary.suspects.len(), NAMED))
            }
        }
    }
}

fn troubled(medium: Medium<'_>, summary: &JobSummary, state: State, portals: usize) -> Markup {
    let some = summary.portals.iter().filter(|portal| portal.state == state).take(NAMED);
    html! {
        li.bad[matches!(state, State::Refused | State::HostErrors | State::NoYield)] {
            @let words = format!("{}: {}", counted(portals as u64, "portal", "portals"), texts::state(state).0);
            (medium.link("portals", &[("state", &state.name())], words))
            @for portal in some {
                div.some {
                    (medium.link("portal", &[("name", &portal.name)], &portal.name))
                    @if let Some(why) = &portal.why_none { ": " (why) }
                    @if let Some(to) = &portal.moved_to { " → " (to) }
                }
            }
            (more(portals, NAMED))
        }
    }
}

/// The plots of responses over time, or a note that there was none; also how much of the archive's index was read.
fn drawn(so_far: &ResponsesSoFar) -> Markup {
    html! {
        (timeline_charts(&so_far.timeline))
        @if !so_far.is_whole() {
            p.note {
                "These plots are incomplete: only the latest " (bytes(so_far.read_bytes)) " of the archive's index ("
                (bytes(so_far.all_bytes)) " in all) have been read so far. Each update reads more."
            }
        } @else if so_far.timeline.intervals.is_empty() {
            section { h2 { "Over time" } p { "No response yet." } }
        }
        @if let Some(why) = &so_far.failed { p.result.bad { "The archive's index cannot be read: " (why) } }
    }
}

/// Plots of responses and bytes over time; nothing before the first response.
fn timeline_charts(timeline: &Timeline) -> Markup {
    if timeline.intervals.is_empty() {
        return html! {};
    }
    let bars = |bar: fn(&Interval) -> [u64; 4]| -> Vec<[f64; 4]> {
        timeline.intervals.iter().map(|interval| bar(interval).map(|number| number as f64)).collect()
    };
    let answers = bars(|Interval { good, moved, refused, failed, .. }| [*good, *moved, *refused, *failed]);
    let received = bars(|interval| [interval.bytes, 0, 0, 0]);
    let below = |place: f64| timeline.label(place as usize);
    let each = duration(timeline.length(1));
    let plot = |says, bars: &[[f64; 4]], beside: &dyn Fn(f64) -> String| {
        Bars { says, bars, below: &below, labels: 5, beside }.draw()
    };
    html! {
        section {
            h2 { "Over time" }
            div.timelines {
                figure {
                    figcaption {
                        "Responses in each " (each) ": "
                        span.key.good { "received" } " " span.key.neutral { "redirects" } " "
                        span.key.warning { "refused or missing (4xx)" } " " span.key.bad { "other errors" }
                    }
                    (plot("responses over time, by status", &answers, &|height| thousands(height as u64)))
                }
                figure {
                    figcaption { "Bytes archived (compressed) in each " (each) }
                    (plot("bytes archived over time", &received, &|height| bytes(height as u64)))
                }
            }
        }
    }
}

/// The numbers of all URLs by state.
fn accounts(summary: &JobSummary) -> Markup {
    let counts = &summary.counts;
    let done = counts.done.iter().map(|(done, urls)| (name_of(done), *urls, "done"));
    let rejected = counts.rejected.iter().map(|(why, urls)| (name_of(why), *urls, "rejected by a rule of the crawl"));
    let waiting = [("queued".to_owned(), counts.queued, "to do"), ("in flight".to_owned(), counts.in_flight, "to do")];
    let lines = done.chain(rejected).chain(waiting).filter(|(_, urls, _)| *urls > 0);
    let lines: Vec<(Markup, u64)> =
        lines.map(|(what, urls, account)| (html! { (what) " " span.source { (account) } }, urls)).collect();
    html! {
        @if lines.is_empty() { div #accounts data-renewed {} }
        @else {
            section #accounts data-renewed {
                h2 { "All URLs by state" }
                (measures(&lines))
                @for (says, pages) in &counts.withheld {
                    p.note { (counted(*pages, "fetched page is", "fetched pages are")) " not used, because of " (says.as_str()) "." }
                }
            }
        }
    }
}

/// The table of yields by path prefix.
pub(super) fn by_path(prefixes: &[PrefixYield], hosts: &[HostStatus]) -> Markup {
    let is_closed = |found: &PrefixYield| {
        let on = |host: &HostStatus| {
            let path = found.prefix.strip_prefix(host.host.as_str());
            path.is_some_and(|path| host.closed.iter().any(|closed| closed.pattern == path))
        };
        hosts.iter().any(on)
    };
    let line = |found: &PrefixYield| {
        let closed = html! { @if is_closed(found) { " " span.note-chip { "skipped: too little text" } } };
        vec![
            Cell::wide(html! { (shortened(&found.prefix, CHARS)) (closed) }),
            Cell::count(found.pages),
            Cell::bytes(found.bytes),
            Cell::share(found.clean_bytes as f64 / found.bytes.max(1) as f64),
        ]
    };
    let columns = sortable(&["path", "pages", "received", "yield"], &["path"], ("received", "descending"));
    html! { div.scroll.tall tabindex="0" { (table("sortable", &columns, MAX_LINES, prefixes.iter().map(line))) } }
}
