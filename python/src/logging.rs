//! Passes the crawler's log to Python's `logging`. Events are collected on all threads, and passed on by the thread
//! that waits for documents, so that logging handlers run on a thread of the Python caller.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Mutex, Once, PoisonError};

use pyo3::prelude::*;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, registry};

/// The most events that wait to be passed on. When there are more, the oldest are dropped.
const MOST: usize = 10_000;

struct Line {
    level: u8,
    logger: String,
    message: String,
}

static LINES: Mutex<VecDeque<Line>> = Mutex::new(VecDeque::new());

struct QueueLayer;

impl<S: Subscriber> Layer<S> for QueueLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut message = Message::default();
        event.record(&mut message);
        let level = match *event.metadata().level() {
            Level::ERROR => 40,
            Level::WARN => 30,
            Level::INFO => 20,
            Level::DEBUG => 10,
            Level::TRACE => 5,
        };
        let line = Line {
            level,
            logger: event.metadata().target().replacen("goldminer_", "goldminer.", 1).replace("::", "."),
            message: message.0,
        };
        let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == MOST {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// The text of an event: its message, then its fields as `name=value`.
#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0.insert_str(0, &format!("{value:?}"));
        } else {
            let _ = write!(self.0, " {}={value:?}", field.name());
        }
    }
}

/// Starts to collect events; later calls do nothing. `GOLDMINER_LOG` sets the level, as on the command line.
pub(crate) fn begin() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let filter = EnvFilter::try_from_env("GOLDMINER_LOG").unwrap_or_else(|_| EnvFilter::new("warn,goldminer=info"));
        // If the command line runs in the same process, its own log subscriber is kept.
        let _ = registry().with(QueueLayer.with_filter(filter)).try_init();
    });
}

/// Passes the collected events to Python's `logging`.
pub(crate) fn pass_on(py: Python<'_>) -> PyResult<()> {
    let lines = std::mem::take(&mut *LINES.lock().unwrap_or_else(PoisonError::into_inner));
    if lines.is_empty() {
        return Ok(());
    }
    let get_logger = py.import("logging")?.getattr("getLogger")?;
    for Line { level, logger, message } in lines {
        get_logger.call1((logger,))?.call_method1("log", (level, "%s", message))?;
    }
    Ok(())
}
