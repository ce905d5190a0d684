//! A crawl on many machines: one page that shows what its database knows of workers and partitions, live. It only looks; what
//! a job is, and what is in it, is shown where its folder lies.
//!
//! The database is asked every few seconds in the background, however many people look: nobody waits for it. While it does not
//! answer, the page says so and shows what was so before.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use goldminer_cluster as cluster;
use goldminer_cluster::{ClusterError, ClusterStatus, Database, PartitionLine};
use goldminer_corpus::figures::{counted, minute, thousands};
use goldminer_crawl::api::guard::{self, Guard};
use goldminer_crawl::limits::clock::Clock;
use jiff::Timestamp;
use maud::{Markup, html};
use tokio::sync::watch;

use super::live::{Watchers, changed_sections};
use super::pages::frame;
use super::pages::jobs::{live_place, notices};
use super::pages::parts::{Cell, Column, QUEUED, Word, card, table, word};
use super::reply::failed;
use super::texts;

/// From one question to the database to the next.
const INTERVAL: Duration = Duration::from_secs(5);
/// A partition whose last commit is older than so many times what was asked for needs attention.
const LATE_COMMITS: i64 = 3;

const TITLE: &str = "A crawl on many machines";
const PAGES: Word<'_> = ("pages", "Fetched, and committed: they stay whatever becomes of the worker that has them.");
const DOCUMENTS: Word<'_> =
    ("documents", "Articles in the corpus, and committed: `goldminer cluster export` writes them.");
const WORKERS_ALIVE: Word<'_> =
    ("workers", "Processes whose lease has not ended: they have told the database in time that they live.");
const LEASE: Word<'_> =
    ("lease", "How long the worker has its partitions without another sign of life; negative since that is over.");
const PARTITIONS: Word<'_> = ("Partitions", "Some whole domains with their portals: what one worker has at a time.");
const COMMITTED: Word<'_> =
    ("last commit", "How long ago: what came since would be fetched again if the worker were lost.");
const EPOCH: Word<'_> = ("epoch", "How often a worker has taken the partition.");

/// How the crawl stood when the database last answered, and why it does not any more.
#[derive(Clone)]
struct LastAnswer {
    status: Arc<ClusterStatus>,
    at: Timestamp,
    failed: Option<Arc<str>>,
}

#[derive(Clone)]
struct Watched {
    seen: watch::Receiver<LastAnswer>,
    watchers: Watchers,
}

/// Every address of the console of a database's crawl.
///
/// # Errors
/// When the database does not serve, or holds no crawl of this program's.
pub(super) async fn router(db: Database, guard: Guard) -> Result<Router, ClusterError> {
    let clock = Clock::start();
    let first = LastAnswer { status: Arc::new(cluster::status(&db).await?), at: clock.now(), failed: None };
    let (told, seen) = watch::channel(first);
    tokio::spawn(async move {
        while !told.is_closed() {
            tokio::time::sleep(INTERVAL).await;
            match cluster::status(&db).await {
                Ok(status) => {
                    told.send_replace(LastAnswer { status: Arc::new(status), at: clock.now(), failed: None });
                }
                Err(error) => told.send_modify(|seen| seen.failed = Some(error.to_string().into())),
            }
        }
    });
    let watched = Watched { seen, watchers: Watchers::default() };
    let router = Router::new().route("/", get(page)).route("/live", get(events)).merge(frame::files());
    let router = router.fallback(async || failed(StatusCode::NOT_FOUND, texts::NOT_THERE));
    Ok(router.layer(middleware::from_fn_with_state(guard, guard::watch)).with_state(watched))
}

async fn page(State(watched): State<Watched>) -> Response {
    let seen = watched.seen.borrow().clone();
    let body = html! {
        (notices("/"))
        (live_place("/live", false))
        header {
            h1 { (TITLE) }
            p.note { "Files in " code { (seen.status.store) } ", made by goldminer " (seen.status.version) }
        }
        @for section in sections(&seen).into_values() { (section) }
    };
    frame::live(TITLE, &[], false, &body).into_response()
}

async fn events(State(watched): State<Watched>) -> Response {
    let seen = watched.seen.clone();
    watched.watchers.tell(INTERVAL, BTreeMap::new(), move |mut before| {
        let now = sections(&seen.borrow());
        // So that the page knows that it is told everything.
        let said = format!("data: []\n\n{}", changed_sections(&mut before, now));
        async move { Some((before, said)) }
    })
}

/// The parts of the page that change, by their ids, in the order in which they stand there.
fn sections(seen: &LastAnswer) -> BTreeMap<&'static str, Markup> {
    let status = &seen.status;
    BTreeMap::from([
        ("cluster-a-numbers", numbers(seen)),
        ("cluster-b-attention", attention(status)),
        ("cluster-c-workers", workers(status)),
        ("cluster-d-partitions", partitions(status)),
    ])
}

fn numbers(seen: &LastAnswer) -> Markup {
    let status = &seen.status;
    let alive = status.workers.iter().filter(|worker| worker.state == "alive").count() as u64;
    html! {
        div #cluster-a-numbers {
            @if let Some(why) = &seen.failed { p.said.bad role="status" { (why) ". " (texts::as_of(&minute(seen.at))) } }
            div.cards-row {
                (card(PAGES, thousands(status.sum(|line| line.pages))))
                (card(DOCUMENTS, thousands(status.sum(|line| line.documents))))
                (card(QUEUED, thousands(status.sum(|line| line.queued))))
                (card(WORKERS_ALIVE, thousands(alive)))
            }
        }
    }
}

/// What a person should look at.
fn attention(status: &ClusterStatus) -> Markup {
    let lost = status.workers.iter().filter(|worker| worker.state != "alive" && worker.partitions > 0).map(|worker| {
        let partitions = counted(worker.partitions.unsigned_abs(), "partition", "partitions");
        format!(
            "Worker {} is {} and has {partitions}: others take over when its lease and the time of grace are over",
            worker.name, worker.state
        )
    });
    let has_work = |line: &&PartitionLine| line.owner.is_some() || line.state == "free";
    let late = status.partitions.iter().filter(has_work).filter_map(|line| {
        let ago = line.committed_seconds.filter(|ago| *ago > LATE_COMMITS * status.upload_seconds)?;
        let ago = counted(ago.unsigned_abs() / 60, "minute", "minutes");
        Some(format!("The last commit of partition {} is {ago} old: does its worker reach the store?", line.id))
    });
    let lines: Vec<String> = lost.chain(late).collect();
    let nobody = status.workers.iter().all(|worker| worker.state == "dead")
        && status.partitions.iter().any(|line| line.state == "free");
    html! {
        section #cluster-b-attention {
            h2 { "What needs attention" }
            @if lines.is_empty() && !nobody {
                p { "Nothing: every partition is in hand, or done." }
            } @else {
                ul.attention {
                    @if nobody {
                        li.bad { "No worker is there, and partitions are free. Start one: goldminer cluster work --db …" }
                    }
                    @for line in &lines { li.bad { (line) } }
                }
            }
            @if status.waiting_hosts > 0 {
                p.note {
                    (counted(status.waiting_hosts.unsigned_abs(), "host has", "hosts have"))
                    " asked to be left alone for now, and no worker asks them."
                }
            }
        }
    }
}

/// A column of numbers whose name explains itself.
fn explained(name: Word<'_>) -> Column<'_> {
    Column::with_head(name.0, true, None, word(name))
}

fn workers(status: &ClusterStatus) -> Markup {
    let columns = [Column::of("worker", false), Column::of("state", false), explained(LEASE), explained(PARTITIONS)];
    let lines = status.workers.iter().map(|worker| {
        vec![
            Cell::text(&worker.name),
            Cell::text(&worker.state),
            Cell::text(format!("{} s", worker.lease_seconds)),
            Cell::text(worker.partitions),
        ]
    });
    html! {
        section #cluster-c-workers {
            h2 { "Workers" }
            @if status.workers.is_empty() { p { "None within the last day. Start one: goldminer cluster work --db …" } }
            @else { (table("", &columns, usize::MAX, lines)) }
        }
    }
}

fn partitions(status: &ClusterStatus) -> Markup {
    let texts = ["number", "state", "worker"].map(|name| Column::of(name, name == "number"));
    let numbers = [PAGES, DOCUMENTS, QUEUED, COMMITTED, EPOCH].map(explained);
    let columns: Vec<Column<'_>> = texts.into_iter().chain([Column::of("portals", true)]).chain(numbers).collect();
    let lines = status.partitions.iter().map(|line| {
        vec![
            Cell::text(line.id),
            Cell::text(&line.state),
            Cell::text(line.owner.as_deref().unwrap_or("–")),
            Cell::text(line.portals),
            Cell::count(line.pages.unsigned_abs()),
            Cell::count(line.documents.unsigned_abs()),
            Cell::count(line.queued.unsigned_abs()),
            Cell::text(line.committed_seconds.map_or_else(|| "–".to_owned(), |ago| format!("{ago} s"))),
            Cell::text(line.epoch),
        ]
    });
    html! {
        section #cluster-d-partitions {
            h2 { (word(PARTITIONS)) }
            (table("", &columns, usize::MAX, lines))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_cluster::WorkerLine;

    fn status() -> ClusterStatus {
        let partition = |id: i32, state: &str, owner: Option<&str>, committed_seconds| PartitionLine {
            id,
            portals: 3,
            epoch: 2,
            owner: owner.map(str::to_owned),
            state: state.to_owned(),
            committed_seconds,
            documents: 40,
            pages: 50,
            queued: 7,
        };
        let worker = |name: &str, state: &str, partitions| WorkerLine {
            session: 1,
            name: name.to_owned(),
            state: state.to_owned(),
            lease_seconds: 40,
            partitions,
        };
        ClusterStatus {
            version: "0.2.0".to_owned(),
            store: "s3://corpus/<b>".to_owned(),
            upload_seconds: 300,
            workers: vec![worker("<script>", "alive", 1), worker("two", "late", 1)],
            partitions: vec![
                partition(1, "crawling", Some("<script>"), Some(60)),
                partition(2, "waits for a takeover", Some("two"), Some(2_000)),
                partition(3, "finished", None, Some(9_000)),
            ],
            waiting_hosts: 2,
            profiles: 12,
            waiting_commands: 0,
        }
    }

    #[test]
    fn who_looks_sees_what_is_lost_and_what_is_late_and_no_name_is_markup() {
        let seen = LastAnswer {
            status: Arc::new(status()),
            at: Timestamp::UNIX_EPOCH,
            failed: Some("it does not answer".into()),
        };
        let page: String = sections(&seen).into_values().map(Markup::into_string).collect();
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
        assert!(page.contains("it does not answer"), "{page}");
        let attention = attention(&seen.status).into_string();
        assert!(attention.contains("two") && attention.contains("partition 2"), "{attention}");
        assert!(
            !attention.contains("partition 3") && !attention.contains("partition 1"),
            "done, and in time: {attention}"
        );
    }
}
