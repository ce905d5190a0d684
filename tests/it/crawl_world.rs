//! A world for tests of the whole program: the demo's portals behind a loopback server in this process, and the real
//! binary as a child process, which can run, be interrupted or killed.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use goldminer_core::document::Document;
use goldminer_testkit::access_log::Entry;
use goldminer_testkit::portals::Portals;
use goldminer_testkit::web::{Knobs, Web, WebConfig};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// The longest time of a crawl in a test, on the slowest machine.
pub(crate) const LONG: Duration = Duration::from_secs(240);

/// Portals, their server, and a folder for jobs. All end when this is dropped.
pub(crate) struct World {
    pub web: Web,
    pub dir: TempDir,
    _runtime: Runtime,
    hosts: Vec<String>,
    settings: String,
    more_seeds: String,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
    pub usage: Usage,
}

/// The resources that a process has used so far, from Linux's `/proc` (proc(5)); on other systems, all values are zero.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    /// The CPU time in user and kernel mode, of all threads, in steps of 10 ms.
    pub cpu: Duration,
    pub peak_rss_bytes: u64,
}

/// A running command. It is killed when this is dropped.
pub(crate) struct Running {
    pub child: Child,
    began: Instant,
    usage: Usage,
    stdout: PathBuf,
    stderr: PathBuf,
    _dir: TempDir,
}

impl World {
    /// Starts a server of these portals with these faults.
    pub(crate) fn new(portals: Portals, knobs: Knobs) -> Self {
        Self::serve(WebConfig { knobs, ..WebConfig::new(portals) })
    }

    /// Starts a server with this configuration.
    pub(crate) fn serve(config: WebConfig) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let hosts = config.portals.hosts();
        let web = runtime.block_on(Web::start(config)).expect("a free port on loopback");
        let dir = tempfile::tempdir().unwrap();
        Self { web, dir, _runtime: runtime, hosts, settings: String::new(), more_seeds: String::new() }
    }

    /// Restricts the seeds file to these hosts.
    pub(crate) fn hosts(mut self, hosts: &[&str]) -> Self {
        self.hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        self
    }

    /// Adds lines to the table `[crawl]` of the seeds file.
    pub(crate) fn settings(mut self, lines: &str) -> Self {
        self.settings = lines.to_owned();
        self
    }

    /// Adds tables to the end of the seeds file.
    pub(crate) fn more_seeds(mut self, tables: String) -> Self {
        self.more_seeds = tables;
        self
    }

    /// Writes the seeds file again, and returns its path.
    pub(crate) fn seeds(&self) -> PathBuf {
        let mut seeds = format!(
            "[crawl]\nuser_agent = \"it/1.0 (+https://crawler.example/; it@crawler.example)\"\n{}\n",
            self.settings
        );
        for host in &self.hosts {
            seeds += &format!("\n[[portal]]\nstart = [\"http://{host}/\"]\n");
        }
        seeds += &self.more_seeds;
        let path = self.path("seeds.toml");
        std::fs::write(&path, seeds).unwrap();
        path
    }

    /// A path in the world's folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The command `goldminer crawl` with this job directory.
    pub(crate) fn crawl(&self, job: &Path) -> Command {
        let mut command = goldminer(&["crawl"]);
        command.arg(self.seeds()).arg("--dir").arg(job);
        command.arg("--allow-private");
        for rule in self.web.resolve_rules() {
            command.args(["--resolve", &rule]);
        }
        command
    }

    /// Runs `crawl` without delay and with little output, until it ends by itself. Returns the job directory.
    pub(crate) fn crawled(&self, name: &str) -> PathBuf {
        let job = self.path(name);
        let ran = run(self.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        job
    }

    /// The server's log so far.
    pub(crate) fn log(&self) -> Vec<Entry> {
        self.web.log().entries()
    }
}

impl Ran {
    /// The exit code. None if a signal ended it.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The signal that ended it.
    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }
}

impl Running {
    /// Sends a signal by its name (`INT`).
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status().unwrap();
        assert!(sent.success(), "kill -{name} {}", self.child.id());
    }

    /// Kills it (SIGKILL), and returns its result.
    pub(crate) fn kill(mut self) -> Ran {
        self.usage.update(self.child.id());
        let _ = self.child.kill();
        self.end(LONG)
    }

    /// Whether it is still running.
    pub(crate) fn is_running(&mut self) -> bool {
        self.usage.update(self.child.id());
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until it ends, and fails if that takes too long.
    pub(crate) fn end(&mut self, within: Duration) -> Ran {
        let waited = Instant::now();
        loop {
            // The CPU time of a process that has ended is known until somebody waits for the process.
            self.usage.update(self.child.id());
            if let Some(status) = self.child.try_wait().unwrap() {
                let read = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
                let (stdout, stderr) = (read(&self.stdout), read(&self.stderr));
                return Ran { status, stdout, stderr, took: self.began.elapsed(), usage: self.usage };
            }
            if waited.elapsed() > within {
                let _ = self.child.kill();
                panic!("still running after {within:?}:\n{}", std::fs::read_to_string(&self.stderr).unwrap());
            }
            pause(Duration::from_millis(5));
        }
    }
}

impl Usage {
    fn update(&mut self, process: u32) {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).unwrap_or_default();
        // Fields 14 and 15, in hundredths of a second; the second field is a name in parentheses.
        let stat = read("stat");
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11);
        let mut ticks = || fields.next().and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        let cpu = Duration::from_millis(10 * (ticks() + ticks()));
        self.cpu = self.cpu.max(cpu);
        let status = read("status");
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        self.peak_rss_bytes = self.peak_rss_bytes.max(peak.map_or(0, |kilobytes: u64| kilobytes * 1024));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, with its first arguments; `GOLDMINER_PROGRAM` names another one, for instance an older version.
pub(crate) fn goldminer(args: &[&str]) -> Command {
    let program = std::env::var_os("GOLDMINER_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_goldminer").into());
    let mut command = Command::new(program);
    command.args(args).env_remove("GOLDMINER_FAULT").env_remove("GOLDMINER_LOG");
    command
}

/// Starts a command.
pub(crate) fn start(command: &mut Command) -> Running {
    let dir = tempfile::tempdir().unwrap();
    let (stdout, stderr) = (dir.path().join("stdout"), dir.path().join("stderr"));
    command.stdin(Stdio::null());
    command.stdout(File::create(&stdout).unwrap()).stderr(File::create(&stderr).unwrap());
    let child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    Running { child, began: Instant::now(), usage: Usage::default(), stdout, stderr, _dir: dir }
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command, within: Duration) -> Ran {
    start(command).end(within)
}

/// Waits, for another process.
#[allow(clippy::disallowed_methods)] // a child process has no clock that a test could set
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// The documents of a corpus, by URL. Fails if a URL is repeated.
pub(crate) fn documents(corpus: &Path) -> BTreeMap<String, Document> {
    let mut documents = BTreeMap::new();
    for document in goldminer_corpus::read(corpus).unwrap_or_else(|e| panic!("{e}")) {
        let document = document.unwrap_or_else(|e| panic!("{e}"));
        let twice = documents.insert(document.url.clone(), document);
        assert!(twice.is_none(), "twice in the corpus: {}", twice.unwrap().url);
    }
    documents
}

/// The text of each document, by URL.
pub(crate) fn texts(corpus: &Path) -> BTreeMap<String, String> {
    documents(corpus).into_iter().map(|(url, document)| (url, document.text)).collect()
}

/// The result of `goldminer status --json`.
pub(crate) fn status(job: &Path) -> Value {
    let ran = run(goldminer(&["status", "--json"]).arg(job), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Checks a status for the accounting identity, and the extraction against the page index.
pub(crate) fn assert_accounts(status: &Value) {
    assert_eq!(status["identity_holds"], true, "{:#}", status["counts"]);
    let counts = &status["counts"];
    let number = |value: &Value| value.as_u64().unwrap();
    let sum = |value: &Value| value.as_object().unwrap().values().map(number).sum::<u64>();
    let accounted = number(&counts["queued"]) + number(&counts["in_flight"]) + sum(&counts["done"]);
    assert_eq!(number(&counts["discovered"]), accounted + sum(&counts["rejected"]), "{counts:#}");
    for domain in status["domains"].as_array().unwrap() {
        assert_eq!(number(&domain["extracted"]), sum(&domain["tally"]), "{domain:#}");
        assert!(number(&domain["extracted"]) <= number(&domain["pages"]), "{domain:#}");
    }
}

/// Returns the command warcio (the reference tool in Python), which will not find PyPI's `brotli`: with that package,
/// warcio 1.8 crashes on every record with content coding br, even on its own. A module of the same name that cannot be
/// imported hides the package.
pub(crate) fn warcio() -> Command {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without-brotli");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("brotli.py"), "raise ImportError('left out')\n").unwrap();
    let mut command = Command::new("warcio");
    command.env("PYTHONPATH", folder);
    command
}

/// Checks every file of an archive with warcio if it is installed; else prints a message.
pub(crate) fn assert_warcs_are_valid(archive: &Path) {
    let files: Vec<PathBuf> = std::fs::read_dir(archive)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".warc.gz"))
        .collect();
    assert!(!files.is_empty(), "no closed WARC files in {}", archive.display());
    if warcio().arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        eprintln!("skipped: warcio is not installed (pip install warcio)");
        return;
    }
    let ran = run(warcio().arg("check").args(&files), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
}

/// The seed of the random numbers in tests. It is the same in every run, so that a correct change breaks no test;
/// `GOLDMINER_TEST_SEED` sets another.
pub(crate) fn seed() -> u64 {
    std::env::var("GOLDMINER_TEST_SEED").map_or(1, |seed| seed.parse().expect("GOLDMINER_TEST_SEED: a number"))
}

/// The next number of a sequence (xorshift64*, Vigna 2016), in [0, 1).
pub(crate) fn next_random(state: &mut u64) -> f64 {
    *state = (*state).max(1);
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64
}
