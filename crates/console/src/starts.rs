//! Crawls that were started from the console. Each is a separate process, as if started in a terminal, and continues
//! when the console ends.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, bail};

use super::texts;

/// The most bytes of a failed process's output that are shown: the last ones.
const MAX_OUTPUT: usize = 2_000;

/// The processes that were started from the console. `folder` is where new jobs are created.
pub(super) struct Starts {
    folder: PathBuf,
    started: Mutex<Vec<Started>>,
}

struct Started {
    job: String,
    dir: PathBuf,
    child: Child,
    /// A temporary file with the output of the process.
    output: File,
}

/// The state of a started process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StartedStatus {
    /// The name of the job.
    pub job: String,
    /// The directory of the job.
    pub dir: PathBuf,
    /// How the process ended; None while it runs.
    pub ended: Option<String>,
    /// The end of its output, if it failed.
    pub output: String,
}

impl Starts {
    /// No processes yet. New jobs will be created in `folder`.
    pub(super) fn into(folder: PathBuf) -> Self {
        Self { folder, started: Mutex::default() }
    }

    /// Starts a crawl of a seeds file, or the demo if `seeds` is None. If `name` is empty, the job is named after the
    /// seeds file. Returns the job's name.
    pub(super) fn start(&self, seeds: Option<&Path>, name: &str) -> anyhow::Result<String> {
        let job = match (name, seeds) {
            ("", None) => "demo".to_owned(),
            ("", Some(seeds)) => seeds.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            (name, _) => name.to_owned(),
        };
        if !is_plain(&job) {
            bail!("use letters, digits, spaces, and the signs . _ - for a name; start with a letter or a digit");
        }
        let dir = self.folder.join(&job);
        let mut command = program()?;
        match seeds {
            None => command.arg("demo"),
            Some(seeds) if seeds.is_file() => command.arg("crawl").arg(seeds),
            Some(seeds) => bail!("there is no file {} on the console's machine", seeds.display()),
        };
        let output = tempfile::tempfile().context(texts::NO_PROGRAM)?;
        let (out, err) = (output.try_clone()?, output.try_clone()?);
        command.arg("-q").arg("--dir").arg(&dir).stdin(Stdio::null()).stdout(out).stderr(err);
        // Ctrl-C in the terminal of the console must end only the console.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().context(texts::NO_PROGRAM)?;
        let mut started = self.lock();
        started.retain_mut(|other| other.job != job || matches!(other.child.try_wait(), Ok(None)));
        started.push(Started { job: job.clone(), dir, child, output });
        Ok(job)
    }

    /// The absolute path of the folder for new jobs.
    pub(super) fn folder(&self) -> PathBuf {
        std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone())
    }

    /// The states of all processes.
    pub(super) fn all(&self) -> Vec<StartedStatus> {
        self.lock().iter_mut().map(Started::status).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Started>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Started {
    fn status(&mut self) -> StartedStatus {
        let (ended, output) = match self.child.try_wait() {
            Ok(None) => (None, String::new()),
            Ok(Some(status)) => {
                // These exit codes mean: done, stopped by a limit, finished with a portal without documents,
                // interrupted (`docs/src/reference/exit-codes.md`).
                let is_good = matches!(status.code(), Some(0 | 3 | 4 | 130));
                let output = if is_good { String::new() } else { last_words(&mut self.output).unwrap_or_default() };
                (Some(texts::ended(status.code())), output)
            }
            Err(cause) => (Some(cause.to_string()), String::new()),
        };
        StartedStatus { job: self.job.clone(), dir: self.dir.clone(), ended, output }
    }
}

fn last_words(output: &mut File) -> std::io::Result<String> {
    let length = output.seek(SeekFrom::End(0))?;
    output.seek(SeekFrom::Start(length.saturating_sub(MAX_OUTPUT as u64)))?;
    let mut bytes = Vec::with_capacity(MAX_OUTPUT);
    output.take(MAX_OUTPUT as u64).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// A command that starts this program again. In the Python package, that is Python with the package.
fn program() -> anyhow::Result<Command> {
    let itself = std::env::current_exe().context(texts::NO_PROGRAM)?;
    let is_python = itself.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("python"));
    let mut process = Command::new(itself);
    if is_python {
        process.args(["-m", "goldminer"]);
    }
    Ok(process)
}

/// Whether a name is a plain file name, which cannot leave its folder.
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | ' ');
    !name.is_empty() && name.len() <= 100 && !name.starts_with(['.', '-', ' ']) && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_stays_in_its_folder() {
        for name in ["", "..", "../x", "/etc", ".hidden", "-q", "a/b", "a\\b", "a\nb"] {
            assert!(!is_plain(name), "{name:?}");
        }
        assert!(is_plain("news 2026") && is_plain("hírek.2"));
        let starts = Starts::into(std::env::temp_dir());
        assert!(starts.start(None, "../x").is_err() && starts.all().is_empty());
        let missing = starts.start(Some(Path::new("no/such/seeds.toml")), "");
        assert!(missing.is_err_and(|error| error.to_string().contains("no/such/seeds.toml")));
    }
}
