//! Logs as text to standard error, and as JSON lines to the job's folder `log/`.

use std::io::IsTerminal;
use std::path::Path;

use anyhow::Context;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use super::screen;

/// Number of daily log files that a job keeps.
const LOG_FILES: usize = 30;
/// The most lines that wait for the disk. Further lines are dropped.
const LINES_WAITING: usize = 16 * 1024;

/// Sets up logging for the process. Dropping the returned guard flushes the log file. `GOLDMINER_LOG` (as in
/// `goldminer_fetch=debug`) overrides the flags.
///
/// # Errors
/// When the log folder cannot be written.
pub fn init(verbose: u8, quiet: bool, log: Option<&Path>) -> anyhow::Result<Option<WorkerGuard>> {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (false, 0) => "warn,goldminer=info",
        (false, 1) => "warn,goldminer=debug",
        (false, _) => "info,goldminer=trace",
    };
    let filter = EnvFilter::try_from_env("GOLDMINER_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    // Only the message is printed, because it is complete. The other fields are for programs that read the JSON lines.
    let message_alone = fmt::format::debug_fn(|writer, field, value| match field.name() {
        "message" => write!(writer, "{value:?}"),
        _ => Ok(()),
    });
    let console = fmt::layer()
        .fmt_fields(message_alone)
        .with_writer(screen::Lines)
        .with_ansi(std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty()))
        .with_target(verbose > 1)
        .without_time()
        .compact()
        .with_filter(filter);
    let (file, guard) = match log {
        None => (None, None),
        Some(folder) => {
            let appender = tracing_appender::rolling::Builder::new()
                .rotation(tracing_appender::rolling::Rotation::DAILY)
                .filename_prefix("goldminer")
                .filename_suffix("jsonl")
                .max_log_files(LOG_FILES)
                .build(folder)
                .with_context(|| {
                    format!("cannot write logs to {}; free space or choose another --dir", folder.display())
                })?;
            // Lines may be dropped, so that a slow disk never slows the crawl. The default number of lines would take
            // megabytes at each start.
            let (writer, guard) = NonBlockingBuilder::default().buffered_lines_limit(LINES_WAITING).finish(appender);
            let detail = EnvFilter::new("warn,goldminer=debug").add_directive(LevelFilter::WARN.into());
            (Some(fmt::layer().json().with_writer(writer).with_filter(detail)), Some(guard))
        }
    };
    // A second call in one process, as in tests, keeps the first subscriber.
    let _ = tracing_subscriber::registry().with(console).with(file).try_init();
    Ok(guard)
}
