//! Missing arguments and missing files: says what could be given, and finds out whether a file that the command line
//! names does not exist.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use goldminer_batch::sources::is_pattern;
use goldminer_corpus::Format;
use goldminer_crawl::JobDir;
use goldminer_crawl::job::jobs_in;

use crate::cli::{Command, DEFAULT_CRAWLS, ProfileCommand};

/// Prints what could be given for the required arguments that are missing.
pub(super) fn explain(error: &clap::Error, typed: &[OsString]) {
    let missing: &[String] = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => missing,
        _ => &[],
    };
    let lacks = |arg: &str| missing.iter().any(|missing| missing == arg);
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let job = typed.iter().skip(1).map(Path::new).find(|path| JobDir::is_job(path));
    // `dedup` has <CORPUS> without dots: it does not read job directories.
    if lacks("<DIR>") || lacks("<CORPUS>...") {
        match jobs_in(Path::new(".")).as_slice() {
            [] => eprintln!("\nno job directory is here or in {DEFAULT_CRAWLS}/; `goldminer crawl` makes one"),
            jobs => eprintln!("\njob directories here: {}", jobs.join(", ")),
        }
    }
    if lacks("--out <OUT>") && usage.contains("goldminer convert") {
        let formats: Vec<&str> = Format::ALL.iter().map(|format| format.as_str()).collect();
        eprintln!(
            "\nname an output, as in -o corpus.parquet (.jsonl.zst, .txt, .vert, .vrt, .xml, .tei), or a folder, with \
             --format {}",
            formats.join("|")
        );
    }
    if lacks("<DOMAIN>") {
        let job = job.map_or("DIR".to_owned(), |job| job.display().to_string());
        eprintln!("\nthe domains that have a profile: goldminer profile list {job}");
    }
}

/// Whether a file or folder that the command line names does not exist.
pub(super) fn is_input_missing(command: &Command) -> bool {
    let is_named = |path: &&PathBuf| !is_pattern(&path.to_string_lossy()) && !path.to_string_lossy().contains("://");
    let is_missing = |path: &PathBuf| path != Path::new("-") && path.symlink_metadata().is_err();
    inputs(command).into_iter().filter(is_named).any(is_missing)
}

/// The files and folders that a command reads, as given.
fn inputs(command: &Command) -> Vec<&PathBuf> {
    match command {
        Command::Console(args) => vec![&args.dir],
        Command::Status(args) => vec![&args.dir],
        Command::Why(args) => vec![&args.dir],
        Command::Ctl(args) => vec![&args.dir],
        Command::Rebuild(args) => vec![&args.dir],
        Command::Drop(args) => vec![&args.dir],
        Command::Report(args) => vec![&args.dir],
        Command::Dedup(args) => vec![&args.corpus],
        Command::Sample(args) => args.sources.iter().chain(&args.list).collect(),
        Command::Learn(args) => args.sources.iter().chain(&args.list).collect(),
        Command::Extract(args) => args.sources.iter().chain(&args.list).chain(&args.profiles).collect(),
        Command::Convert(args) => args.corpora.iter().collect(),
        Command::Stats(args) => args.corpora.iter().chain(&args.profiles).collect(),
        Command::Try(args) => args.profiles.iter().collect(),
        Command::Eval(args) => vec![&args.out, &args.gold],
        Command::Robots(args) => vec![&args.file],
        Command::Profile(ProfileCommand::List(args)) => vec![&args.dir],
        Command::Profile(ProfileCommand::Show(args)) => vec![&args.dir],
        Command::Profile(ProfileCommand::Report(args)) => vec![&args.dir],
        Command::Profile(ProfileCommand::Export(args)) => vec![&args.dir],
        Command::Profile(ProfileCommand::Import(args)) => args.profiles.iter().chain([&args.dir]).collect(),
        Command::Profile(ProfileCommand::Test(args)) => args.profiles.iter().collect(),
        Command::Profile(ProfileCommand::Merge(args)) => args.profiles.iter().collect(),
        _ => Vec::new(),
    }
}
