//! Progress of a crawl: a line that changes on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::task::JoinHandle;

use crate::engine::{Live, Snapshot};

use super::thousands;

/// How often a terminal's line changes, and how often a plain line is written.
const TERMINAL: Duration = Duration::from_millis(500);
const PLAIN: Duration = Duration::from_secs(30);

/// Shows [`Live`] until it is ended.
#[derive(Debug)]
pub struct Progress {
    task: Option<JoinHandle<()>>,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Starts to show; nothing at all when `quiet`.
    #[must_use]
    pub fn start(live: Arc<Live>, quiet: bool) -> Self {
        if quiet {
            return Self { task: None, bar: None };
        }
        let bar = std::io::stderr().is_terminal().then(bar);
        let shown = bar.clone();
        let task = tokio::spawn(async move {
            let interval = if shown.is_some() { TERMINAL } else { PLAIN };
            let mut before = live.snapshot();
            loop {
                tokio::time::sleep(interval).await;
                let now = live.snapshot();
                let line = line(&before, &now, interval);
                match &shown {
                    Some(bar) => bar.set_message(line),
                    None => tracing::info!("{line}"),
                }
                before = now;
            }
        });
        Self { task: Some(task), bar }
    }

    /// Takes the line away.
    pub async fn end(self) {
        if let Some(task) = self.task {
            task.abort();
            let _ = task.await;
        }
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise}  {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn line(before: &Snapshot, now: &Snapshot, interval: Duration) -> String {
    let per_second = |a: u64, b: u64| (b - a) as f64 / interval.as_secs_f64();
    format!(
        "{} fetched ({:.1}/s, {:.1} MB/s), {} in flight, {} hosts due, {} documents (yield {:.1} %), {} without \
         article, {} domains learned, {} learning",
        thousands(now.fetched),
        per_second(before.fetched, now.fetched),
        per_second(before.bytes, now.bytes) / 1e6,
        now.in_flight,
        now.hosts_due,
        thousands(now.documents),
        100.0 * now.text_bytes as f64 / now.read_bytes.max(1) as f64,
        thousands(now.without_article),
        now.learned,
        now.learning,
    )
}
