//! Shows the progress of work that takes more than two seconds: a bar on a terminal, or else a line now and then.
//!
//! The progress line of a crawl, whose total is unknown, is in `progress`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use goldminer_batch::BatchProgress;
use indicatif::{HumanDuration, ProgressBar};

use super::screen;
use crate::commands::{counted, thousands};

/// No progress is shown before this time, because short work needs none.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time between two updates of the line on a terminal.
pub(crate) const TERMINAL: Duration = Duration::from_millis(250);
/// The time between two lines if standard error is not a terminal.
pub(crate) const PLAIN: Duration = Duration::from_secs(30);

/// The numbers in a progress line.
#[derive(Debug, Clone, Default)]
struct BarState {
    /// The finished part of the total.
    done: u64,
    /// The bytes processed; zero if their number is not informative.
    bytes: u64,
    /// Text at the end of the line; empty for none.
    note: String,
}

/// A progress line on standard error. Dropping it ends the line.
#[derive(Debug)]
pub(crate) struct Bar {
    shown: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Bar {
    /// Shows that some work is running, and for how long.
    pub(crate) fn spin(what: &str) -> Self {
        Self::watch(what, "", None, BarState::default)
    }

    /// Shows the progress of the work `what`: how many of `total` items are done, or only how many if `total` is
    /// unknown. `unit` is the name of the items, and `state` returns the current state. With `--quiet`, shows
    /// nothing.
    fn watch(what: &str, unit: &str, total: Option<u64>, state: impl Fn() -> BarState + Send + 'static) -> Self {
        let (what, unit) = (what.to_owned(), unit.to_owned());
        Self::show(PATIENCE, total, move |elapsed| {
            let state = state();
            (line(&what, &unit, total, &state, elapsed), state.done)
        })
    }

    /// Shows a count that the work increments.
    pub(crate) fn counting(what: &str, unit: &str, total: Option<u64>) -> (Self, Arc<AtomicU64>) {
        let count = Arc::new(AtomicU64::new(0));
        let watched = Arc::clone(&count);
        let state = move || BarState { done: watched.load(Ordering::Relaxed), ..BarState::default() };
        (Self::watch(what, unit, total, state), count)
    }

    /// Shows the number of pages read, and of their documents.
    pub(crate) fn of_batch(what: &str, total: Option<u64>) -> (Self, Arc<BatchProgress>) {
        let progress = Arc::new(BatchProgress::default());
        let watched = Arc::clone(&progress);
        let state = move || BarState {
            done: watched.pages.load(Ordering::Relaxed),
            bytes: watched.page_bytes.load(Ordering::Relaxed),
            note: match watched.documents.load(Ordering::Relaxed) {
                0 if total.is_none() => String::new(),
                documents => counted(documents, "document", "documents"),
            },
        };
        (Self::watch(what, "pages", total, state), progress)
    }

    /// Shows a progress line that is updated regularly. It appears after the time `first`. `line` returns the text, and
    /// how much of `total` is finished.
    pub(crate) fn show(
        first: Duration,
        total: Option<u64>,
        mut line: impl FnMut(Duration) -> (String, u64) + Send + 'static,
    ) -> Self {
        if !tracing::enabled!(tracing::Level::INFO) {
            return Self { shown: None };
        }
        let (end, ended) = channel();
        let thread = std::thread::spawn(move || {
            #[allow(clippy::disallowed_methods)] // the duration is printed
            let began = Instant::now();
            let mut wait = first;
            let mut bar: Option<ProgressBar> = None;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
                let (line, done) = line(began.elapsed());
                if screen::is_watched() {
                    let bar = bar.get_or_insert_with(|| screen::changing_line(total));
                    bar.set_message(line);
                    bar.set_position(done);
                    wait = TERMINAL;
                } else {
                    tracing::info!("{line}");
                    wait = PLAIN;
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        Self { shown: Some((end, thread)) }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.shown.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

fn line(what: &str, unit: &str, total: Option<u64>, state: &BarState, elapsed: Duration) -> String {
    let BarState { done, bytes, note } = state;
    let (seconds, so_far) = (elapsed.as_secs_f64().max(0.001), format!(", {} so far", HumanDuration(elapsed)));
    if total.is_none() && unit.is_empty() {
        return format!("{what}{so_far}");
    }
    let of = total.map(|total| format!(" of {}", thousands(total))).unwrap_or_default();
    let mut line = format!("{what}: {}{of} {unit} ({:.0}/s", thousands(*done), *done as f64 / seconds);
    if *bytes > 0 {
        line += &format!(", {:.0} MB/s", *bytes as f64 / 1e6 / seconds);
    }
    line += if note.is_empty() { ")" } else { "), " };
    line += note;
    match total.filter(|total| *done > 0 && done < total) {
        Some(total) => {
            let left = elapsed.mul_f64((total - done) as f64 / *done as f64);
            line + &format!(", {} left", HumanDuration(left))
        }
        None => line + &so_far,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_rates_and_the_time_left() {
        let state = BarState { done: 2_500, bytes: 250_000_000, note: "2,000 documents".to_owned() };
        assert_eq!(
            line("extracting", "pages", Some(10_000), &state, Duration::from_secs(10)),
            "extracting: 2,500 of 10,000 pages (250/s, 25 MB/s), 2,000 documents, 30 seconds left"
        );
        assert_eq!(
            line("scoring", "", None, &BarState::default(), Duration::from_secs(5)),
            "scoring, 5 seconds so far"
        );
        assert_eq!(
            line("reading", "pages", None, &BarState::default(), Duration::from_secs(90)),
            "reading: 0 pages (0/s), 2 minutes so far"
        );
    }
}
