//! The first page: every job, what needs attention, and where crawls are started. With one job, that job at once.

use std::sync::Arc;

use maud::{Markup, html};

use super::frame::{address, page};
use super::guard::{CHECK, Guard};
use super::portals_page::{self, View};
use super::shared::Shared;
use super::standing::{PortalLine, Standing, State};
use super::starts::StartedStatus;
use super::texts;
use super::url_page;
use crate::figures::{bytes, counted, thousands};
use crate::report::{Course, minute, over_time};

/// Portals that are named below what needs attention.
const NAMED: usize = 8;
/// Less room than this needs attention.
const ROOM_BYTES: u64 = 2 << 30;

/// A job in the list: how it stands, or why that cannot be told.
pub(super) struct Line {
    pub name: String,
    pub standing: Result<Arc<Standing>, String>,
    pub is_beginning: bool,
}

/// The first page.
pub(super) fn first(shared: &Shared, lines: &[Line], starts: &[StartedStatus], course: Option<&Course>) -> Markup {
    let begins = |start: &&StartedStatus| start.ended.is_none() && !lines.iter().any(|line| line.name == start.job);
    let is_about_to_change = lines.iter().any(|line| line.is_beginning) || starts.iter().any(|start| begins(&start));
    let body = html! {
        @for start in starts { (process(start)) }
        @match lines {
            [] => { header { h1 { (texts::TITLE) } p.lead { (texts::NO_JOBS) } } }
            [line] => { (one(&shared.guard, line, course)) }
            lines => {
                header { h1 { (texts::JOBS) } }
                @for line in lines { (short(line)) }
            }
        }
        (start_forms(shared))
    };
    page(texts::TITLE, &[], is_about_to_change, &body)
}

/// The page of one job.
pub(super) fn job(guard: &Guard, line: &Line, course: Option<&Course>) -> Markup {
    page(&line.name, &[], line.is_beginning, &one(guard, line, course))
}

/// What came when, whole.
pub(super) fn course(job: &str, course: &Course) -> Markup {
    let drawn = html! {
        header { h1 { (texts::OVER_TIME) } }
        @if course.intervals.is_empty() { p { (texts::NOTHING_YET) } } @else { (over_time(course)) }
    };
    page(texts::OVER_TIME, &[(address(job, "", &[]), job.to_owned())], false, &drawn)
}

fn one(guard: &Guard, line: &Line, course: Option<&Course>) -> Markup {
    let standing = match (&line.standing, line.is_beginning) {
        (Ok(standing), _) => standing,
        (Err(_), true) => return html! { header { h1 { (line.name) } p.lead { (texts::BEGINS) } } },
        (Err(why), false) => return html! { header { h1 { (line.name) } } p.said.bad { (why) } },
    };
    html! {
        div data-job=(address(&line.name, "live", &[])) data-running=(standing.is_running) {}
        header {
            h1 { (line.name) " " (run_state(standing)) }
            @if standing.is_running {
                form method="post" action=(address(&line.name, "stop", &[])) {
                    input type="hidden" name=(CHECK) value=(guard.check());
                    button type="submit" title=(texts::STOP.1) { (texts::STOP.0) }
                }
            }
            @if let Some(last) = standing.last.as_ref().filter(|_| !standing.is_running) {
                p.lead { (texts::last_run(&last.ended)) ", " (minute(last.at)) " UTC" }
            }
        }
        (numbers(standing))
        (url_page::search(&line.name, ""))
        (attention(&line.name, standing))
        @match course {
            Some(course) if !course.intervals.is_empty() => { (over_time(course)) }
            Some(_) => {}
            None => { section { h2 { (texts::OVER_TIME) } a href=(address(&line.name, "course", &[])) { (texts::OVER_TIME_LATER) } } }
        }
        (accounts(standing))
        (portals_page::table(&line.name, standing, &View::default()))
    }
}

/// A job among others.
fn short(line: &Line) -> Markup {
    html! {
        section {
            h2 { a href=(address(&line.name, "", &[])) { (line.name) } }
            @match &line.standing {
                Ok(standing) => {
                    p {
                        (run_state(standing)) " "
                        (counted(standing.counts.pages, "page", "pages")) ", "
                        (counted(standing.documents, "document", "documents")) ", "
                        (counted(standing.portals.len() as u64, "portal", "portals"))
                    }
                    (attention(&line.name, standing))
                }
                Err(_) if line.is_beginning => { p { (texts::BEGINS) } }
                Err(why) => { p.said.bad { (why) } }
            }
        }
    }
}

fn run_state(standing: &Standing) -> Markup {
    let words = if standing.is_running { texts::RUNNING } else { texts::STILL };
    html! { span.state.runs[standing.is_running] { (words) } }
}

fn numbers(standing: &Standing) -> Markup {
    let card = |(word, meaning): (&str, &str), key: &str, sum: Option<u64>, value: &str| {
        html! {
            div.card {
                p.big data-live=(key) data-sum=[sum] { (value) }
                p { abbr title=(meaning) { (word) } }
            }
        }
    };
    let (counts, documents) = (&standing.counts, standing.documents);
    html! {
        div.cards-row {
            (card(texts::FETCHED, "fetched", Some(counts.pages), &thousands(counts.pages)))
            (card(texts::DOCUMENTS, "documents", Some(documents), &thousands(documents)))
            (card(texts::QUEUED, "queued", None, &thousands(counts.queued)))
            (card(texts::RATE, "rate", None, "–"))
        }
    }
}

/// What a person should look at, the worst first.
fn attention(job: &str, standing: &Standing) -> Markup {
    let states: Vec<(State, usize)> =
        standing.states().into_iter().filter(|(state, _)| state.needs_attention()).collect();
    let little = standing.free_bytes.filter(|free| *free < ROOM_BYTES);
    let is_well = states.is_empty() && little.is_none() && standing.identity_holds && standing.suspects.is_empty();
    html! {
        section {
            h2 { (texts::ATTENTION) }
            @if is_well { p { (texts::NOTHING_NEEDED) } }
            ul.attention {
                @if !standing.identity_holds { li.bad { (texts::ACCOUNTS_WRONG) } }
                @if let Some(free) = little { li.bad { (texts::disk(&bytes(free))) } }
                @for (state, portals) in states { (troubled(job, standing, state, portals)) }
                @for suspect in standing.suspects.iter().take(NAMED) { li { (suspect) } }
            }
        }
    }
}

fn troubled(job: &str, standing: &Standing, state: State, portals: usize) -> Markup {
    let some: Vec<&PortalLine> = standing.portals.iter().filter(|portal| portal.state == state).take(NAMED).collect();
    html! {
        li.bad[matches!(state, State::Refused | State::Trouble | State::Barren)] {
            a href=(address(job, "portals", &[("state", state.name())])) { (texts::attention(state, portals)) }
            @for portal in some {
                div.some {
                    a href=(address(job, "portal", &[("name", &portal.name)])) { (portal.name) }
                    @if let Some(why) = &portal.why_none { ": " (why) }
                    @if let Some(to) = &portal.moved_to { " → " (to) }
                }
            }
        }
    }
}

/// Every URL by what became of it.
fn accounts(standing: &Standing) -> Markup {
    let name = |name: String| name.replace('-', " ");
    let done = standing.counts.done.iter().map(|(done, urls)| (name(crate::frontier::name_of(done)), *urls));
    let rejected = standing.counts.rejected.iter().map(|(why, urls)| (name(crate::frontier::name_of(why)), *urls));
    let waiting = [("queued".to_owned(), standing.counts.queued), ("in flight".to_owned(), standing.counts.in_flight)];
    let lines: Vec<(String, u64)> = done.chain(rejected).chain(waiting).filter(|(_, urls)| *urls > 0).collect();
    let most = lines.iter().map(|(_, urls)| *urls).max().unwrap_or(1) as f64;
    html! {
        @if !lines.is_empty() {
            section {
                h2 { (texts::ACCOUNTED) }
                ul.measures {
                    @for (what, urls) in lines {
                        li {
                            span.what { (what) }
                            span.measure { span style={ "width:" (format!("{:.2}", 100.0 * urls as f64 / most)) "%" } {} }
                            b { (thousands(urls)) }
                        }
                    }
                }
            }
        }
    }
}

fn process(start: &StartedStatus) -> Markup {
    html! {
        div.said.bad[!start.words.is_empty()] {
            (texts::process(&start.job, start.ended.as_deref()))
            @if !start.words.is_empty() { "\n" (start.words) }
        }
    }
}

fn start_forms(shared: &Shared) -> Markup {
    let check = html! { input type="hidden" name=(CHECK) value=(shared.guard.check()); };
    html! {
        section #start {
            h2 { (texts::START) }
            form.row method="post" action="/start" {
                (check) input type="hidden" name="what" value="demo";
                button.main type="submit" { (texts::START_DEMO) }
                span.note { (texts::START_DEMO_NOTE) }
            }
            form.row method="post" action="/start" {
                (check) input type="hidden" name="what" value="seeds";
                label { (texts::SEEDS_FILE) input name="seeds" required size="40"; }
                label { (texts::JOB_NAME) input name="name" size="20"; }
                button type="submit" { (texts::START_SEEDS) }
            }
            p.note { (texts::START_SEEDS_NOTE) }
        }
    }
}
