//! The commands, one per file. A command turns arguments into calls of the libraries, and results into messages, tables
//! and exit codes.

// All output goes through `output`.
#![deny(clippy::print_stdout)]

mod cluster;
pub(crate) mod documents;
pub(crate) mod inputs;
pub(crate) mod job;
pub(crate) mod lab;
pub(crate) mod look;
mod missing;
pub(crate) mod stored;
pub mod terminal;

use std::ffi::OsString;
use std::io::Write as _;

use anyhow::Context;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use goldminer_batch::sources::SourceError;
use goldminer_batch::{OutputRefused, Shard};
use goldminer_corpus::CorpusError;
use goldminer_crawl::{CrawlError, seeds};
use goldminer_warc::objects::ObjectError;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Cli, ClusterCommand, Command, ProfileCommand};

pub use goldminer_corpus::figures::{bytes, counted, thousands};

pub use inputs::profile_files::{
    serving as serving_profiles, write as write_profile, write_file as write_profile_file,
};
use inputs::text_files::texts;
use inputs::{corpora, formats, methods, named_sources, network, profile_files, single_file};
pub use look::try_page::unanswered;
use terminal::bar::Bar;
use terminal::{logging, output, screen};

/// The result of a command, with its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything is done.
    Done = 0,
    /// The command failed, and a message says what to do. Also: `robots` found that the URL is disallowed.
    Failed = 1,
    /// Arguments or configuration are wrong.
    Usage = 2,
    /// A limit of pages, time or disk was reached; running the command again continues.
    Limit = 3,
    /// Finished, but a portal of the seeds has no document.
    NoDocuments = 4,
    /// Interrupted; the state is safe.
    Interrupted = 130,
}

impl Exit {
    /// The exit code.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// The error for a wrong argument or configuration, which has its own exit code.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(String);

impl UsageError {
    fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// Fails with the error for a wrong argument or configuration.
fn misuse<T>(words: impl std::fmt::Display) -> anyhow::Result<T> {
    Err(UsageError::of(words).into())
}

/// The runtime for asynchronous code.
fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Runtime::new().context("cannot start the asynchronous runtime")
}

/// Sets the number of worker threads; without a number, one per processor. At most four per processor, or 16 if that is
/// more: more threads are not faster, and a system may refuse to start very many.
fn use_threads(threads: Option<usize>) -> anyhow::Result<()> {
    let Some(threads) = threads else { return Ok(()) };
    let most = std::thread::available_parallelism().map_or(16, |cores| 16.max(4 * cores.get()));
    let threads = threads.min(most);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    pool.with_context(|| format!("cannot start {threads} threads: give fewer with --threads"))
}

/// The part of the work that `--shard` names; all of the work without the option.
fn shard(named: Option<&str>) -> Result<Shard, UsageError> {
    Ok(named
        .map(str::parse::<Shard>)
        .transpose()
        .map_err(|why| UsageError(format!("--shard {why}")))?
        .unwrap_or_default())
}

/// Logs faults as warnings.
fn warn_of(faults: impl IntoIterator<Item: std::fmt::Display>) {
    faults.into_iter().for_each(|fault| tracing::warn!("{fault}"));
}

/// Formats a number of bytes with a plain space instead of a no-break space, for texts that users may search.
fn plain_bytes(number: u64) -> String {
    bytes(number).replace('\u{a0}', " ")
}

/// A text that is cut after this many characters.
fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Runs a command line, whose first argument is the program's name, and prints errors to standard error. The binary
/// and the Python package call it.
pub fn main(command_line: impl IntoIterator<Item = OsString>) -> Exit {
    let command = with_negative_numbers(Cli::command());
    let typed: Vec<OsString> = with_networks(command_line);
    let parsed = command.try_get_matches_from(&typed).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Err(error) => return usage(error, &typed),
        Ok(cli) => cli,
    };
    match run(&cli) {
        Ok(exit) => exit,
        Err(error) if nobody_reads(&error) => Exit::Done,
        Err(error) => {
            complain(&error);
            if is_usage(&error) || missing::is_input_missing(&cli.command) { Exit::Usage } else { Exit::Failed }
        }
    }
}

/// Makes clap treat a negative number as a value, which the option then refuses, and not as an unknown option.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let options = |arg: clap::Arg| match arg.get_action().takes_values() && !arg.is_positional() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    };
    command.mut_args(options).mut_subcommands(with_negative_numbers)
}

/// Adds the value to each `--allow-private` that a path or a URL follows. The option's value is optional, so clap would
/// take the next argument for it.
fn with_networks(command_line: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut typed: Vec<OsString> = command_line.into_iter().collect();
    for at in 0..typed.len().saturating_sub(1) {
        let next = typed[at + 1].to_string_lossy();
        let is_address = next.split('/').next().is_some_and(|address| address.parse::<std::net::IpAddr>().is_ok());
        let is_path = next.contains(['.', '/']) && !is_address;
        if typed[at] == "--allow-private" && is_path {
            typed[at].push("=loopback");
        }
    }
    typed
}

/// Whether the error means that an argument is wrong, or that this build of the program cannot use it.
fn is_usage(error: &anyhow::Error) -> bool {
    let of_object = |object: &ObjectError| matches!(object, ObjectError::NotBuilt { .. } | ObjectError::Address { .. });
    let of_corpus = |corpus: &CorpusError| {
        matches!(corpus, CorpusError::Exists(_) | CorpusError::Used { .. } | CorpusError::Archive(_))
    };
    let of_source = |source: &SourceError| match source {
        SourceError::Object(object) => of_object(object),
        // A path that does not exist was misspelled, as an argument or in a list.
        SourceError::Unreadable { path, .. } => {
            path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        }
        _ => false,
    };
    error.is::<UsageError>()
        || error.downcast_ref().is_some_and(of_object)
        || error.downcast_ref().is_some_and(of_corpus)
        || error.downcast_ref().is_some_and(of_source)
        || match error.downcast_ref() {
            Some(CrawlError::Object(object)) => of_object(object),
            Some(CrawlError::Corpus(corpus)) => of_corpus(corpus),
            Some(CrawlError::Reader(cause)) => {
                cause.is::<OutputRefused>() || cause.downcast_ref().is_some_and(of_source)
            }
            _ => false,
        }
}

/// Ends a command that writes an output immediately on Ctrl-C or SIGTERM (from a service manager). Nothing needs to be
/// finished, because each part of an output is complete or is made again.
fn end_when_interrupted() {
    std::thread::spawn(|| {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
            let [Ok(mut interrupt), Ok(mut term)] = signals else { return std::future::pending().await };
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = term.recv() => {}
            }
        });
        screen::print("interrupted; no output is damaged: run the same command again");
        std::process::exit(i32::from(Exit::Interrupted.code()));
    });
}

/// Whether the command ended because the reader of standard output has closed it.
fn nobody_reads(error: &anyhow::Error) -> bool {
    error.is::<terminal::output::OutputClosed>()
        || matches!(error.downcast_ref(), Some(CorpusError::OutputClosed))
        || matches!(error.downcast_ref(), Some(CrawlError::Corpus(CorpusError::OutputClosed)))
}

/// Runs a command line.
///
/// # Errors
/// When the command fails. The message says what to do.
fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let shows = matches!(
        &cli.command,
        Command::Status(_)
            | Command::Why(_)
            | Command::Try(_)
            | Command::Check(_)
            | Command::Stats(_)
            | Command::Robots(_)
            | Command::Eval(_)
            | Command::Compare(_)
            | Command::Cluster(ClusterCommand::Status(_))
            | Command::Profile(
                ProfileCommand::List(_) | ProfileCommand::Show(_) | ProfileCommand::Diff(_) | ProfileCommand::Test(_)
            )
    );
    terminal::output::be_quiet(cli.quiet && !shows);
    // Crawls write a log into their job directory, which they open first.
    if !matches!(&cli.command, Command::Crawl(_) | Command::Demo(_)) {
        terminal::logging::init(cli.verbose, cli.quiet, None)?;
    }
    let makes_output = matches!(
        &cli.command,
        Command::Sample(_) | Command::Learn(_) | Command::Extract(_) | Command::Dedup(_) | Command::Convert(_)
    );
    if makes_output {
        end_when_interrupted();
    }
    match &cli.command {
        Command::Demo(args) => job::demo::run(args, cli.verbose, cli.quiet),
        Command::Crawl(args) => job::crawl::run(args, cli.verbose, cli.quiet),
        Command::Try(args) => match &args.select {
            Some(selector) => look::select::run(args, selector),
            None => look::try_page::run(args),
        },
        Command::Init(args) => job::init::run(args),
        Command::Check(args) => job::check::run(args),
        Command::Status(args) => look::status::run(args),
        Command::Why(args) => look::why::run(args),
        Command::Ctl(args) => job::ctl::run(args),
        Command::Cluster(command) => cluster::run(command),
        Command::Console(args) => look::console::run(args),
        Command::Rebuild(args) => job::rebuild::run(args),
        Command::Drop(args) => job::withdraw::run(args),
        Command::Sample(args) => stored::sample::run(args),
        Command::Learn(args) => stored::learn::run(args),
        Command::Extract(args) => stored::extract::run(args),
        Command::Dedup(args) => documents::dedup::run(args),
        Command::Convert(args) => documents::convert::run(args),
        Command::Stats(args) => documents::stats::run(args),
        Command::Profile(ProfileCommand::List(args)) => look::profile::list(args),
        Command::Profile(ProfileCommand::Show(args)) => look::profile::show(args),
        Command::Profile(ProfileCommand::Report(args)) => look::report::profiles(args),
        Command::Report(args) => look::report::crawl(args),
        Command::Profile(ProfileCommand::Export(args)) => look::profile::export(args),
        Command::Profile(ProfileCommand::Import(args)) => look::profile::import(args),
        Command::Profile(ProfileCommand::Merge(args)) => look::profile::merge(args),
        Command::Profile(ProfileCommand::Diff(args)) => look::profile::diff(args),
        Command::Profile(ProfileCommand::Test(args)) => look::profile::test(args),
        Command::Eval(args) => lab::eval::run(args),
        Command::Compare(args) => lab::compare::run(args),
        Command::Train(args) => lab::train::run(args),
        Command::Robots(args) => job::robots::run(args),
        Command::Completions(args) => terminal::shell::completions(args),
        Command::Man(args) => terminal::shell::man(args),
    }
}

/// Words that users try for the commands that explain a result.
const EXPLAINERS: [&str; 5] = ["explain", "debug", "inspect", "diagnose", "show"];

/// Prints the error of a command line, or the requested help. Beginners may type a path or URL in place of a command;
/// the message then suggests the command.
fn usage(mut error: clap::Error, typed: &[OsString]) -> Exit {
    if error.kind() == ErrorKind::UnknownArgument {
        // The suggestion `to pass '--format' as a value, use '-- --format'` never helps.
        error.remove(ContextKind::Suggested);
    }
    // The exit code does not change if the message cannot be printed.
    let _ = match error.kind() {
        ErrorKind::ValueValidation => std::io::stderr().write_all(with_number(&error).as_bytes()),
        _ => error.print(),
    };
    let is = |kind, text: &str| error.get(kind).is_some_and(|value| value.to_string().contains(text));
    if is(ContextKind::InvalidArg, "--format") && is(ContextKind::Usage, "goldminer crawl") {
        eprintln!(
            "\n`crawl` writes JSON lines; to get another format: goldminer convert crawls/mine -o corpus.parquet"
        );
    }
    if is(ContextKind::Usage, "goldminer crawl") && typed.iter().any(|typed| typed == "-o" || typed == "--out") {
        eprintln!("\nto name the job directory, where the corpus is written: --dir DIR");
    }
    let conflicts = |option| is(ContextKind::InvalidArg, option) || is(ContextKind::PriorArg, option);
    if error.kind() == ErrorKind::ArgumentConflict && conflicts("--stream") {
        if conflicts("--changed") {
            eprintln!("\nwith --stream, files that were added are always extracted: leave out --changed");
        } else if conflicts("--relearn") || conflicts("--pages") {
            eprintln!("\n--stream learns no profiles; `goldminer learn --pages N` makes them from a sample");
        }
    }
    if error.kind() == ErrorKind::MissingRequiredArgument {
        missing::explain(&error, typed);
    }
    let typed = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(typed))) => typed,
        // Help and version were requested, so they are no errors.
        _ => return if error.use_stderr() { Exit::Usage } else { Exit::Done },
    };
    if EXPLAINERS.contains(&typed.as_str()) {
        eprintln!(
            "\nto see why a page has no text: goldminer try FILE|URL; goldminer why DIR URL; goldminer profile test DIR URL"
        );
    } else if std::path::Path::new(typed).join("job.toml").is_file() {
        eprintln!("\n{typed} is a job directory; to see its state: goldminer status {typed}");
    } else if std::path::Path::new(typed).is_file() {
        eprintln!("\n{typed} is a file; to crawl its portals: goldminer crawl {typed}");
    } else if seeds::typed_url(typed).is_ok() || seeds::of_host_name(typed).is_some() {
        eprintln!(
            "\n{typed} is a page; to extract it: goldminer try {typed}; to crawl its portal: goldminer init {typed}"
        );
    }
    Exit::Usage
}

/// The message about a wrong value. For whole numbers it adds how to write one, which clap does not say.
fn with_number(error: &clap::Error) -> String {
    let message = error.render().to_string();
    message.replace("invalid digit found in string", "not a whole number; write digits alone, as in 1000")
}

/// Prints an error with its causes, one on each line.
fn complain(error: &anyhow::Error) {
    eprintln!("goldminer: {}", terminal::printable::printable(&error.to_string()));
    let mut message = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        // Many messages contain their cause already.
        if !message.contains(&cause) {
            eprintln!("  because: {}", terminal::printable::printable(&cause));
        }
        message = cause;
    }
}
