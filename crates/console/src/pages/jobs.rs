//! The first page: all jobs, what needs attention, and the form that starts crawls. If there is only one job, its
//! page is shown directly.

use std::path::{Path, PathBuf};

use goldminer_corpus::figures::{counted, thousands};
use goldminer_crawl::api::guard::CHECK;
use maud::{Markup, html};

use super::crawl::{self, attention_list, last_run, run_state};
use super::frame::{self, JobLinks, Medium, address};
use super::parts::{DOCUMENTS, FETCHED, QUEUED, Word, word};
use crate::job_summary::JobSummary;
use crate::jobs::JobState;
use crate::starts::StartedStatus;
use crate::texts;

/// A job in the list of jobs, with its state or the reason why there is none yet.
pub(crate) struct Line {
    pub name: String,
    pub dir: PathBuf,
    pub state: JobState,
    /// The seconds between two updates of the job's page while its crawl runs.
    pub renewed_after: u64,
}

impl Line {
    /// Whether the page must be loaded again soon, because there is no state of the job to show yet.
    fn is_about_to_change(&self) -> bool {
        matches!(self.state, JobState::Pending | JobState::Beginning)
    }

    fn links<'a>(&'a self, check: &'a str) -> JobLinks<'a> {
        JobLinks { job: &self.name, check }
    }

    fn live_place(&self, check: &str, all: bool) -> Markup {
        let is_running =
            matches!(&self.state, JobState::Now(summary) | JobState::Before(summary) if summary.is_running);
        live_place(Some(&self.links(check).to("live", &[])), all, is_running.then_some(self.renewed_after))
    }
}

/// The first page. `folder` is the folder in which new jobs are created.
pub(crate) fn first(check: &str, lines: &[Line], starts: &[StartedStatus], folder: &Path) -> Markup {
    let begins = |start: &&StartedStatus| start.ended.is_none() && !lines.iter().any(|line| line.name == start.job);
    let is_about_to_change = lines.iter().any(Line::is_about_to_change) || starts.iter().any(|start| begins(&start));
    let body = html! {
        (notices("/"))
        @for start in starts { (process(start)) }
        @match lines {
            [line] => { (line.live_place(check, true)) (one(check, line)) }
            lines => {
                header {
                    h1 { @if lines.is_empty() { "GoldMiner" } @else { "Jobs" } }
                    @if lines.is_empty() { p.lead { "There is no crawl here yet. Start one:" } }
                }
                (live_place(Some("/live"), true, None))
                @for line in lines { (short(check, line)) }
            }
        }
        (start_forms(check, folder))
    };
    frame::live("Jobs", &[], is_about_to_change, &body)
}

pub(crate) fn job(check: &str, line: &Line) -> Markup {
    let body = html! { (notices("")) (line.live_place(check, false)) (one(check, line)) };
    frame::live(&line.name, &[], line.is_about_to_change(), &body)
}

/// A hidden element with settings for the script: the URL of the events with live numbers, and the seconds after which
/// the changing parts of the page are loaded again. With `all`, the whole page is also loaded again when a job appears
/// that is not on it.
pub(crate) fn live_place(events: Option<&str>, all: bool, renewed_after: Option<u64>) -> Markup {
    html! { div #live data-events=[events] data-all[all] data-renew=[renewed_after] hidden {} }
}

/// Hidden messages that the script shows when they apply. `again` is the URL that reloads the page.
pub(crate) fn notices(again: &str) -> Markup {
    html! {
        p.result.bad #away role="status" hidden {
            "The console no longer answers, so this page is out of date. Running crawls continue."
        }
        p.result #changed role="status" hidden {
            "A job was started or ended. " a href=(again) { "Reload the page" }
        }
    }
}

/// The state of a job, and whether a newer state is being read; or a note why there is no state yet.
fn shown_state(line: &Line) -> Result<(&JobSummary, bool), Markup> {
    match &line.state {
        JobState::Beginning => Err(html! { p.lead { "Starting…" } }),
        JobState::Failed(why) => Err(html! { p.result.bad { (why) } }),
        JobState::Pending => Err(html! { p.lead data-looking { (texts::LOADING) } }),
        JobState::Now(summary) => Ok((summary.as_ref(), false)),
        JobState::Before(summary) => Ok((summary.as_ref(), true)),
    }
}

fn one(check: &str, line: &Line) -> Markup {
    match shown_state(line) {
        Ok((summary, as_of)) => crawl::live(line.links(check), &line.dir, summary, as_of),
        Err(why) => html! { header { h1 { (line.name) } (why) } },
    }
}

/// A job in the list of jobs.
fn short(check: &str, line: &Line) -> Markup {
    let shown_state = shown_state(line);
    let is_running = shown_state.as_ref().is_ok_and(|(summary, _)| summary.is_running);
    html! {
        section data-job=(line.name) data-running=(is_running) {
            h2 {
                a href=(address(&line.name, "", &[])) { (line.name) }
                @if let Ok((summary, _)) = &shown_state { " " (run_state(summary)) }
            }
            @match shown_state {
                Err(why) => { (why) }
                Ok((summary, _)) => {
                    ul.figures {
                        (figure(FETCHED, "pages", summary.counts.pages))
                        (figure(DOCUMENTS, "documents", summary.documents))
                        (figure(QUEUED, "queued", summary.counts.queued))
                        li { (counted(summary.portals.len() as u64, "portal", "portals")) }
                    }
                    (last_run(summary, "note"))
                    (attention_list(Medium::Live(line.links(check)), summary))
                }
            }
        }
    }
}

/// A number of a job in the list, which the script updates while the job runs.
fn figure(what: Word<'_>, key: &str, value: u64) -> Markup {
    html! {
        li {
            b data-live=(key) data-sum=[(key != "queued").then_some(value)] { (thousands(value)) } " " (word(what))
        }
    }
}

fn process(start: &StartedStatus) -> Markup {
    html! {
        div.result.bad[!start.output.is_empty()] role="status" {
            (start.job) ": " (start.ended.as_deref().unwrap_or("running")) " (" (start.dir.display()) ") "
            @if start.output.is_empty() { a href=(address(&start.job, "", &[])) { "Open" } }
            @else { "\n" (start.output) }
        }
    }
}

fn start_forms(check: &str, folder: &Path) -> Markup {
    let form = |what: &str, rest: &Markup| frame::form("/start", "row", &[(CHECK, check), ("what", what)], rest);
    html! {
        section #start {
            h2 { "Start a crawl" }
            p { "Each crawl gets its own folder, named after the job, in " code { (folder.display()) } }
            (form("demo", &html! {
                label { "Name of the job" input name="name" size="20" placeholder="demo"; }
                button.main type="submit" { "Start the demo" }
                span.note { "Crawls built-in portals on the console's machine; takes under a minute, needs no network." }
            }))
            (form("seeds", &html! {
                label { "Path of a seeds file on the console's machine" input name="seeds" required size="40"; }
                label { "Name of the job (default: name of the file)" input name="name" size="20"; }
                button type="submit" { "Start a crawl of these portals" }
            }))
            p.note {
                "A seeds file names the portals; " code { "goldminer init" }
                " writes one. If a job with this name exists, it continues."
            }
        }
    }
}
