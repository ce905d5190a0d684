//! Missing arguments and missing files: says what could be given, and gives commands that name a missing file the exit
//! code of a wrong command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ContextKind;
use goldminer_batch::sources::is_pattern;
use goldminer_corpus::Format;
use goldminer_crawl::JobDir;

use super::UsageError;
use crate::cli::{Command, DEFAULT_CRAWLS, ProfileCommand};

/// The most job directories that a message names.
const NAMED: usize = 5;

/// Prints what could be given for the required arguments that are missing.
pub(super) fn explain(error: &clap::Error, typed: &[OsString]) {
    let missing = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    let job = typed.iter().skip(1).map(Path::new).find(|path| JobDir::is_job(path));
    if missing.contains("<DIR>") || missing.contains("<CORPUS>") {
        let jobs = jobs_here();
        let named: Vec<String> = jobs.iter().take(NAMED).map(|job| job.display().to_string()).collect();
        match named.is_empty() {
            true => eprintln!("\nno job directory is here or in {DEFAULT_CRAWLS}/; `goldminer crawl` makes one"),
            false => eprintln!("\njob directories here: {}", named.join(", ")),
        }
    }
    if missing.contains("--out") {
        let formats: Vec<&str> = Format::ALL.iter().map(|format| format.as_str()).collect();
        eprintln!(
            "\nname an output, as in -o corpus.parquet (.jsonl.zst, .txt, .vert, .xml), or a folder, with --format {}",
            formats.join("|")
        );
    }
    if missing.contains("<DOMAIN>") {
        let job = job.map_or("DIR".to_owned(), |job| job.display().to_string());
        eprintln!("\nthe domains that have a profile: goldminer profile list {job}");
    }
}

/// The job directories in this folder and in `crawls/`.
fn jobs_here() -> Vec<PathBuf> {
    let entries = [".", DEFAULT_CRAWLS].into_iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let paths = entries.flatten().map(|entry| entry.path());
    let mut jobs: Vec<PathBuf> = paths.filter(|path| JobDir::is_job(path)).collect();
    jobs.iter_mut().for_each(|job| *job = job.strip_prefix(".").unwrap_or(job).to_owned());
    jobs.sort_unstable();
    jobs
}

/// Turns an error into one of a wrong command line, if a file or folder that the command line names does not exist.
pub(super) fn as_usage(error: anyhow::Error, command: &Command) -> anyhow::Error {
    let is_named = |path: &&Path| !is_pattern(&path.to_string_lossy()) && !path.to_string_lossy().contains("://");
    let is_missing = |path: &Path| path != Path::new("-") && path.symlink_metadata().is_err();
    match inputs(command).into_iter().filter(is_named).any(is_missing) {
        true => error
            .chain()
            .skip(1)
            .fold(UsageError(error.to_string()), |said, cause| {
                let cause = cause.to_string();
                if said.0.contains(&cause) { said } else { UsageError(format!("{}\n  because: {cause}", said.0)) }
            })
            .into(),
        false => error,
    }
}

/// The files and folders that a command reads, as given.
fn inputs(command: &Command) -> Vec<&Path> {
    match command {
        Command::Console(args) => vec![&args.dir],
        Command::Status(args) => vec![&args.dir],
        Command::Why(args) => vec![&args.dir],
        Command::Ctl(args) => vec![&args.dir],
        Command::Rebuild(args) => vec![&args.dir],
        Command::Drop(args) => vec![&args.dir],
        Command::Report(args) => vec![&args.dir],
        Command::Dedup(args) => vec![&args.corpus],
        Command::Sample(args) => args.sources.iter().chain(&args.list).map(PathBuf::as_path).collect(),
        Command::Learn(args) => args.sources.iter().map(PathBuf::as_path).collect(),
        Command::Extract(args) => {
            args.sources.iter().chain(&args.list).chain(&args.profiles).map(PathBuf::as_path).collect()
        }
        Command::Convert(args) => args.corpora.iter().map(PathBuf::as_path).collect(),
        Command::Stats(args) => args.corpora.iter().chain(&args.profiles).map(PathBuf::as_path).collect(),
        Command::Eval(args) => vec![&args.out, &args.gold],
        Command::Robots(args) => vec![&args.file],
        Command::Profile(ProfileCommand::List(args)) => vec![&args.dir],
        Command::Profile(ProfileCommand::Show(args)) => vec![&args.dir],
        Command::Profile(ProfileCommand::Report(args)) => vec![&args.dir],
        Command::Profile(ProfileCommand::Export(args)) => vec![&args.dir],
        Command::Profile(ProfileCommand::Import(args)) => {
            args.profiles.iter().chain([&args.dir]).map(PathBuf::as_path).collect()
        }
        Command::Profile(ProfileCommand::Merge(args)) => args.profiles.iter().map(PathBuf::as_path).collect(),
        _ => Vec::new(),
    }
}
