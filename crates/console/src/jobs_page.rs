//! The first page: every job, what needs attention, and where crawls are started. With one job, that job at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use goldminer_corpus::figures::{bytes, counted, thousands};
use maud::{Markup, html};

use crate::frame::{address, page, word};
use crate::guard::CHECK;
use crate::job_summary::{JobSummary, PortalLine, State};
use crate::jobs::Look;
use crate::portals_page::View;
use crate::report::{minute, over_time};
use crate::shared::Shared;
use crate::starts::StartedStatus;
use crate::timelines::SoFar;
use crate::{portals_page, texts, url_page};

/// Portals that are named below what needs attention.
const NAMED: usize = 8;
/// Less room than this needs attention.
const ROOM_BYTES: u64 = 2 << 30;
/// A page waits no longer for what came when.
const TIMELINE_PATIENCE: Duration = Duration::from_millis(60);

/// A job in the list: how it stands, or why that cannot be told.
pub(super) struct Line {
    pub name: String,
    pub dir: PathBuf,
    pub look: Look,
    pub is_beginning: bool,
}

impl Line {
    /// Whether there is more to be seen soon.
    fn is_about_to_change(&self) -> bool {
        self.is_beginning || matches!(self.look, Look::UnderWay)
    }
}

/// The first page.
pub(super) fn first(shared: &Arc<Shared>, lines: &[Line], starts: &[StartedStatus]) -> Markup {
    let begins = |start: &&StartedStatus| start.ended.is_none() && !lines.iter().any(|line| line.name == start.job);
    let is_about_to_change = lines.iter().any(Line::is_about_to_change) || starts.iter().any(|start| begins(&start));
    let body = html! {
        (notices(true))
        @for start in starts { (process(start)) }
        @match lines {
            [] => {
                header { h1 { (texts::TITLE) } p.lead { (texts::NO_JOBS) } }
                (live_place("/live", true))
            }
            [line] => { (one(shared, line, true)) }
            lines => {
                header { h1 { (texts::JOBS) } }
                (live_place("/live", true))
                @for line in lines { (short(line)) }
            }
        }
        (start_forms(shared))
    };
    page(texts::TITLE, &[], is_about_to_change, &body)
}

/// The page of one job.
pub(super) fn job(shared: &Arc<Shared>, line: &Line) -> Markup {
    let body = html! { (notices(false)) (one(shared, line, false)) };
    page(&line.name, &[], line.is_about_to_change(), &body)
}

/// What came when, whole.
pub(super) fn course(job: &str, so_far: &SoFar) -> Markup {
    let body = html! { header { h1 { (texts::OVER_TIME) } } (drawn(so_far)) };
    page(texts::OVER_TIME, &[(address(job, "", &[]), job.to_owned())], false, &body)
}

/// The sections of a job's page that change while it runs, by their ids.
pub(super) fn sections(shared: &Arc<Shared>, name: &str, dir: &Path) -> BTreeMap<&'static str, String> {
    let Ok(standing) = shared.jobs.whole_look(dir) else { return BTreeMap::new() };
    let course = shared.timelines.of(dir, TIMELINE_PATIENCE);
    let sections = [
        ("attention", attention(name, &standing)),
        ("course", course_section(name, &course)),
        ("accounts", accounts(&standing)),
        ("portals", portals_page::table(name, &standing, &View::default())),
    ];
    sections.into_iter().map(|(id, section)| (id, section.into_string())).collect()
}

/// Where the script listens; `all`: a job that is not on the page is news.
pub(super) fn live_place(events: &str, all: bool) -> Markup {
    html! { div #live data-events=(events) data-all[all] hidden {} }
}

/// What the script may have to say.
pub(super) fn notices(is_first: bool) -> Markup {
    html! {
        p.said.bad #away role="status" hidden { (texts::AWAY) }
        p.said #changed role="status" hidden {
            (texts::CHANGED) " " @if is_first { a href="/" { (texts::LOAD_AGAIN) } } @else { a href="" { (texts::LOAD_AGAIN) } }
        }
    }
}

fn one(shared: &Arc<Shared>, line: &Line, is_first: bool) -> Markup {
    let name = &line.name;
    let standing = match (&line.look, line.is_beginning) {
        (_, true) => return html! { header { h1 { (name) } p.lead { (texts::BEGINS) } } },
        (Look::Failed(why), _) => return html! { header { h1 { (name) } } p.said.bad { (why) } },
        (Look::UnderWay, _) => return html! { header { h1 { (name) } p.lead data-looking { (texts::LOOKING) } } },
        (Look::Now(standing) | Look::Before(standing), _) => standing,
    };
    let course = shared.timelines.of(&line.dir, TIMELINE_PATIENCE);
    html! {
        (live_place(&address(name, "live", &[]), is_first))
        div data-job=(name) data-running=(standing.is_running) {
            header {
                h1 { (name) " " (run_state(standing)) }
                p.note { (texts::IN_FOLDER) " " code { (line.dir.display()) } }
                @if standing.is_running {
                    form method="post" action=(address(name, "stop", &[])) {
                        input type="hidden" name=(CHECK) value=(shared.guard.check());
                        button type="submit" title=(texts::STOP.1) { (texts::STOP.0) }
                    }
                }
                @if let Some(last) = standing.last.as_ref().filter(|_| !standing.is_running) {
                    p.lead { (texts::last_run(&last.ended)) ", " (minute(last.at)) " UTC" }
                }
                @if let Look::Before(_) = line.look { p.note data-looking { (texts::as_of(&minute(standing.at))) } }
            }
            (numbers(standing))
            (url_page::search(name, ""))
            (attention(name, standing))
            (course_section(name, &course))
            (accounts(standing))
            (portals_page::table(name, standing, &View::default()))
        }
    }
}

fn course_section(job: &str, so_far: &SoFar) -> Markup {
    html! {
        div #course {
            (drawn(so_far))
            @if !so_far.is_whole() { p { a href=(address(job, "course", &[])) { (texts::OVER_TIME_LATER) } } }
        }
    }
}

fn drawn(so_far: &SoFar) -> Markup {
    html! {
        (over_time(&so_far.course))
        @if !so_far.is_whole() {
            p.note { (texts::read_so_far(&bytes(so_far.read_bytes), &bytes(so_far.all_bytes))) }
        } @else if so_far.course.intervals.is_empty() {
            section { h2 { (texts::OVER_TIME) } p { (texts::NOTHING_YET) } }
        }
        @if let Some(why) = &so_far.failed { p.said.bad { (texts::NO_COURSE) ": " (why) } }
    }
}

/// A job among others.
fn short(line: &Line) -> Markup {
    let is_running = line.look.standing().is_some_and(|standing| standing.is_running);
    html! {
        section data-job=(line.name) data-running=(is_running) {
            h2 {
                a href=(address(&line.name, "", &[])) { (line.name) }
                @if let Some(standing) = line.look.standing() { " " (run_state(standing)) }
            }
            @match (&line.look, line.is_beginning) {
                (_, true) => { p { (texts::BEGINS) } }
                (Look::UnderWay, _) => { p data-looking { (texts::LOOKING) } }
                (Look::Failed(why), _) => { p.said.bad { (why) } }
                (Look::Now(standing) | Look::Before(standing), _) => {
                    ul.figures {
                        (figure(texts::FETCHED, "fetched", standing.counts.pages))
                        (figure(texts::DOCUMENTS, "documents", standing.documents))
                        (figure(texts::QUEUED, "queued", standing.counts.queued))
                        li { (counted(standing.portals.len() as u64, "portal", "portals")) }
                    }
                    @if let Some(last) = standing.last.as_ref().filter(|_| !standing.is_running) {
                        p.note { (texts::last_run(&last.ended)) ", " (minute(last.at)) " UTC" }
                    }
                    (attention_list(&line.name, standing))
                }
            }
        }
    }
}

/// A number of a job among others, that goes on while it runs.
fn figure(what: (&str, &str), key: &str, value: u64) -> Markup {
    html! {
        li {
            b data-live=(key) data-sum=[(key != "queued").then_some(value)] { (thousands(value)) } " " (word(what))
        }
    }
}

fn run_state(standing: &JobSummary) -> Markup {
    let words = if standing.is_running { texts::RUNNING } else { texts::STILL };
    html! { span.state.runs[standing.is_running] { (words) } }
}

fn numbers(standing: &JobSummary) -> Markup {
    let card = |what: (&str, &str), key: &str, sum: Option<u64>, value: &str| {
        html! {
            div.card {
                p.big data-live=(key) data-sum=[sum] { (value) }
                p { (word(what)) }
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

/// What a person should look at.
fn attention(job: &str, standing: &JobSummary) -> Markup {
    html! { section #attention { h2 { (texts::ATTENTION) } (attention_list(job, standing)) } }
}

/// The worst first.
fn attention_list(job: &str, standing: &JobSummary) -> Markup {
    let states: Vec<(State, usize)> =
        standing.states().into_iter().filter(|(state, _)| state.needs_attention()).collect();
    let little = standing.free_bytes.filter(|free| *free < ROOM_BYTES);
    let is_well = states.is_empty() && little.is_none() && standing.identity_holds && standing.suspects.is_empty();
    html! {
        @if is_well {
            p { (texts::NOTHING_NEEDED) }
        } @else {
            ul.attention {
                @if !standing.identity_holds { li.bad { (texts::ACCOUNTS_WRONG) } }
                @if let Some(free) = little { li.bad { (texts::disk(&bytes(free))) } }
                @for (state, portals) in states { (troubled(job, standing, state, portals)) }
                @for suspect in standing.suspects.iter().take(NAMED) { li { (suspect) } }
                @if standing.suspects.len() > NAMED { li { (texts::more(standing.suspects.len() - NAMED)) } }
            }
        }
    }
}

fn troubled(job: &str, standing: &JobSummary, state: State, portals: usize) -> Markup {
    let some: Vec<&PortalLine> = standing.portals.iter().filter(|portal| portal.state == state).take(NAMED).collect();
    html! {
        li.bad[matches!(state, State::Refused | State::HostErrors | State::NoYield)] {
            a href=(address(job, "portals", &[("state", state.name())])) { (texts::attention(state, portals)) }
            @for portal in some {
                div.some {
                    a href=(address(job, "portal", &[("name", &portal.name)])) { (portal.name) }
                    @if let Some(why) = &portal.why_none { ": " (why) }
                    @if let Some(to) = &portal.moved_to { " → " (to) }
                }
            }
            @if portals > NAMED { div.some { (texts::more(portals - NAMED)) } }
        }
    }
}

/// Every URL by what became of it.
fn accounts(standing: &JobSummary) -> Markup {
    let name = |name: String| name.replace('-', " ");
    let done = standing.counts.done.iter().map(|(done, urls)| (name(goldminer_crawl::frontier::name_of(done)), *urls));
    let rejected =
        standing.counts.rejected.iter().map(|(why, urls)| (name(goldminer_crawl::frontier::name_of(why)), *urls));
    let waiting = [("queued".to_owned(), standing.counts.queued), ("in flight".to_owned(), standing.counts.in_flight)];
    let lines: Vec<(String, u64)> = done.chain(rejected).chain(waiting).filter(|(_, urls)| *urls > 0).collect();
    let most = lines.iter().map(|(_, urls)| *urls).max().unwrap_or(1) as f64;
    html! {
        @if lines.is_empty() {
            div #accounts {}
        } @else {
            section #accounts {
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
        div.said.bad[!start.words.is_empty()] role="status" {
            (texts::process(&start.job, start.ended.as_deref())) " (" (start.dir.display()) ") "
            @if start.words.is_empty() { a href=(address(&start.job, "", &[])) { (texts::LOOK_AT_IT) } }
            @if !start.words.is_empty() { "\n" (start.words) }
        }
    }
}

fn start_forms(shared: &Shared) -> Markup {
    let check = html! { input type="hidden" name=(CHECK) value=(shared.guard.check()); };
    html! {
        section #start {
            h2 { (texts::START) }
            p { (texts::INTO_FOLDER) " " code { (shared.starts.folder().display()) } }
            form.row method="post" action="/start" aria-label=(texts::START_DEMO) {
                (check) input type="hidden" name="what" value="demo";
                label { (texts::DEMO_NAME) input name="name" size="20" placeholder="demo"; }
                button.main type="submit" { (texts::START_DEMO) }
                span.note { (texts::START_DEMO_NOTE) }
            }
            form.row method="post" action="/start" aria-label=(texts::START_SEEDS) {
                (check) input type="hidden" name="what" value="seeds";
                label { (texts::SEEDS_FILE) input name="seeds" required size="40"; }
                label { (texts::JOB_NAME) input name="name" size="20"; }
                button type="submit" { (texts::START_SEEDS) }
            }
            p.note { (texts::START_SEEDS_NOTE) }
        }
    }
}
