//! The console of a crawl on many machines: one live page with the workers and partitions from its database. It
//! changes nothing. Pages about single portals and URLs need the directory of a job, so only a console on the machine
//! with this directory shows them.
//!
//! A background task queries the database every few seconds, however many viewers there are, so that no request waits
//! for the database. While the database does not answer, the page says so and shows the last answer.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use goldminer_cluster as cluster;
use goldminer_cluster::{ClusterError, ClusterStatus, Database, PartitionLine};
use goldminer_corpus::figures::{counted, minute};
use goldminer_crawl::Clock;
use goldminer_crawl::api::guard::{self, Guard};
use jiff::Timestamp;
use maud::{Markup, html};
use tokio::sync::watch;

use super::pages::frame;
use super::pages::jobs::{live_place, notices};
use super::reply::failed;
use super::texts;
use super::words::cluster::in_words;

/// The time between two queries to the database.
const INTERVAL: Duration = Duration::from_secs(5);
/// A partition needs attention if its last commit is older than this many upload intervals.
const LATE_COMMITS: i64 = 3;

const TITLE: &str = "A crawl on many machines";

/// The last answer of the database, and the error since then, if there is one.
#[derive(Clone)]
struct LastAnswer {
    status: Arc<ClusterStatus>,
    at: Timestamp,
    failed: Option<Arc<str>>,
}

/// The routes of the console of a crawl on many machines.
///
/// # Errors
/// When the database fails, or contains no crawl of this version of the program.
pub(super) async fn router(db: Database, guard: Guard) -> Result<Router, ClusterError> {
    let clock = Clock::start();
    let first = LastAnswer { status: Arc::new(cluster::status(&db).await?), at: clock.now(), failed: None };
    let (sender, seen) = watch::channel(first);
    tokio::spawn(async move {
        while !sender.is_closed() {
            tokio::time::sleep(INTERVAL).await;
            match cluster::status(&db).await {
                Ok(status) => {
                    sender.send_replace(LastAnswer { status: Arc::new(status), at: clock.now(), failed: None });
                }
                Err(error) => sender.send_modify(|seen| seen.failed = Some(error.to_string().into())),
            }
        }
    });
    let router = Router::new().route("/", get(page)).merge(frame::files());
    let router = router.fallback(async || failed(StatusCode::NOT_FOUND, texts::NOT_THERE));
    Ok(router.layer(middleware::from_fn_with_state(guard, guard::admit)).with_state(seen))
}

async fn page(State(seen): State<watch::Receiver<LastAnswer>>) -> Response {
    let seen = seen.borrow().clone();
    let body = html! {
        (notices("/"))
        (live_place(None, false, Some(INTERVAL.as_secs())))
        header {
            h1 { (TITLE) }
            p.note { "Files in " code { (seen.status.store) } "; crawl made by goldminer " (seen.status.version) }
        }
        (sections(&seen))
    };
    frame::live(TITLE, &[], false, &body).into_response()
}

/// The parts of the page that are updated live.
fn sections(seen: &LastAnswer) -> Markup {
    html! {
        (attention(&seen.status))
        section #cluster-status data-renewed {
            h2 { "Workers and partitions" }
            @if let Some(why) = &seen.failed { p.result.bad role="status" { (why) ". " (texts::as_of(&minute(seen.at))) } }
            pre.words tabindex="0" { (in_words(&seen.status)) }
            p.note {
                "A partition is a group of portals. Each worker has a lease on its partitions, which heartbeats renew. \
                 If a lease ends, another worker fetches the pages since the last commit (the last saved state) again. \
                 The epoch counts how often workers took the partition."
            }
        }
    }
}

/// The section with lost workers and partitions whose commits are late.
fn attention(status: &ClusterStatus) -> Markup {
    let lost = status.workers.iter().filter(|worker| worker.state != "alive" && worker.partitions > 0).map(|worker| {
        let partitions = counted(worker.partitions.unsigned_abs(), "partition", "partitions");
        format!(
            "Worker {} is {} and still has {partitions}. Other workers take them over after the grace period (--grace).",
            worker.name, worker.state
        )
    });
    let has_work = |line: &&PartitionLine| line.owner.is_some() || line.state == "free";
    let late = status.partitions.iter().filter(has_work).filter_map(|line| {
        let ago = line.committed_seconds.filter(|ago| *ago > LATE_COMMITS * status.commit_every_seconds)?;
        let ago = counted(ago.unsigned_abs() / 60, "minute", "minutes");
        let advice = match line.owner {
            Some(_) => "check that its worker runs and can reach the store of the crawl's files",
            None => "it has no worker; start one, or find out from the logs why the running workers do not take it",
        };
        Some(format!("The last commit of partition {} is {ago} old: {advice}", line.id))
    });
    let is_left_alone = status.workers.iter().all(|worker| worker.state == "dead")
        && status.partitions.iter().any(|line| line.state == "free");
    let nobody = "No worker runs, but partitions are unfinished. Start one: goldminer cluster work --db …".to_owned();
    let lines: Vec<String> = is_left_alone.then_some(nobody).into_iter().chain(lost).chain(late).collect();
    html! {
        section #cluster-attention data-renewed {
            h2 { "What needs attention" }
            @if lines.is_empty() { p { "Nothing: no worker is lost, and no commit is late." } }
            ul.attention { @for line in &lines { li.bad { (line) } } }
            @if status.waiting_hosts > 0 {
                p.note {
                    (counted(status.waiting_hosts.unsigned_abs(), "host gets", "hosts get"))
                    " no requests for a while, after a 429, a 503, a refusal, or no answer."
                }
            }
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
            commit_every_seconds: 300,
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
    fn lost_workers_and_late_partitions_are_shown_escaped() {
        let seen = LastAnswer {
            status: Arc::new(status()),
            at: Timestamp::UNIX_EPOCH,
            failed: Some("it does not answer".into()),
        };
        let page = sections(&seen).into_string();
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
