//! A PostgreSQL server for the tests, in a temporary folder, with a socket there and a user that is not root.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::crawl_world::pause;

/// A running server. It stops when this is dropped.
pub(crate) struct Postgres {
    bin: PathBuf,
    dir: TempDir,
    server: Child,
    /// The settings that differ from the usual ones.
    settings: Vec<String>,
}

impl Postgres {
    /// Starts a server. None if PostgreSQL is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::starting(|_| Vec::new())
    }

    /// Starts a server that counts its statements.
    #[allow(dead_code)] // the bench's
    pub(crate) fn counting() -> Option<Self> {
        let settings = ["shared_preload_libraries=pg_stat_statements", "pg_stat_statements.max=1000"];
        Self::starting(|_| settings.map(str::to_owned).to_vec())
    }

    /// Starts a server that also listens on a loopback port, where it requires TLS and a password.
    #[allow(dead_code)] // the bench has no secrets
    pub(crate) fn guarded(certificate: &str, key: &str) -> Option<(Self, u16)> {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let this = Self::starting(|data| {
            let rules = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
            for (name, text) in [("server.crt", certificate), ("server.key", key), ("pg_hba.conf", rules)] {
                let path = data.join(name);
                std::fs::write(&path, text).unwrap();
                std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
                // If this process is root, the server runs as another user.
                let _ = Command::new("chown").arg("--reference").arg(data).arg(&path).status();
            }
            ["ssl=on", "listen_addresses=127.0.0.1"]
                .map(str::to_owned)
                .into_iter()
                .chain([format!("port={port}")])
                .collect()
        })?;
        Some((this, port))
    }

    fn starting(prepare: impl FnOnce(&Path) -> Vec<String>) -> Option<Self> {
        let Some(bin) = programs() else {
            eprintln!("skipped: no PostgreSQL is installed (apt-get install postgresql)");
            return None;
        };
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o777)).unwrap();
        let data = dir.path().join("data");
        let made = as_owner(&bin.join("initdb"))
            .args(["--auth=trust", "--username=postgres", "--no-sync", "--pgdata"])
            .arg(&data)
            .stdout(Stdio::null())
            .status();
        assert!(made.unwrap().success(), "initdb");
        let settings = prepare(&data);
        let server = Self::serve(&bin, dir.path(), &settings);
        let this = Self { bin, dir, server, settings };
        this.wait();
        Some(this)
    }

    fn serve(bin: &Path, dir: &Path, settings: &[String]) -> Child {
        let mut server = as_owner(&bin.join("postgres"));
        server.arg("-D").arg(dir.join("data")).arg("-k").arg(dir);
        server.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60"]);
        for setting in settings {
            server.args(["-c", setting]);
        }
        server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Crashes the server and starts it again so much later.
    pub(crate) fn crash(&mut self, down: Duration) {
        let _ = self.signal("QUIT");
        let _ = self.server.wait();
        pause(down);
        self.server = Self::serve(&self.bin, self.dir.path(), &self.settings);
        self.wait();
    }

    /// The URL of the server.
    pub(crate) fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// The URL of one of its databases.
    pub(crate) fn url_of(&self, name: &str) -> String {
        format!("postgres://postgres@{}/{name}", self.dir.path().display().to_string().replace('/', "%2F"))
    }

    /// The path of its socket.
    #[allow(dead_code)] // the bench's relays lead there
    pub(crate) fn socket(&self) -> PathBuf {
        self.dir.path().join(".s.PGSQL.5432")
    }

    /// The only column of a statement's rows.
    pub(crate) fn ask(&self, statement: &str) -> Vec<String> {
        let answer = self.psql().args(["-At", "-c", statement]).output().unwrap();
        assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
        String::from_utf8(answer.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    fn psql(&self) -> Command {
        let mut psql = Command::new(self.bin.join("psql"));
        psql.arg("-h").arg(self.dir.path()).args(["-U", "postgres", "-p", self.port()]);
        psql
    }

    fn port(&self) -> &str {
        self.settings.iter().find_map(|setting| setting.strip_prefix("port=")).unwrap_or("5432")
    }

    /// Executes a file of statements in a database.
    #[allow(dead_code)] // the bench has none
    pub(crate) fn execute(&self, database: &str, file: &Path) {
        let done = self.psql().args(["-v", "ON_ERROR_STOP=1", "-q", "-d", database, "-f"]).arg(file).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// The contents of all its databases, as text.
    #[allow(dead_code)]
    pub(crate) fn dump(&self) -> String {
        let mut dump = Command::new(self.bin.join("pg_dumpall"));
        dump.arg("-h").arg(self.dir.path()).args(["-U", "postgres", "-p", self.port()]);
        String::from_utf8_lossy(&dump.output().unwrap().stdout).into_owned()
    }

    fn wait(&self) {
        let began = Instant::now();
        loop {
            let mut ready = Command::new(self.bin.join("pg_isready"));
            let ready = ready.arg("-h").arg(self.dir.path()).args(["-p", self.port()]).stdout(Stdio::null()).status();
            if ready.unwrap().success() {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "PostgreSQL does not start");
            pause(Duration::from_millis(50));
        }
    }

    /// Sends a signal to the server. The process id is read from the server's own file, because the process that was
    /// started may be the command that changes the user.
    fn signal(&self, name: &str) -> Option<()> {
        let file = std::fs::read_to_string(self.dir.path().join("data/postmaster.pid")).ok()?;
        let process = file.lines().next()?.trim().to_owned();
        Command::new("kill").arg(format!("-{name}")).arg(process).status().ok().map(|_| ())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.signal("QUIT").is_none() {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}

/// The folder of the newest server's programs.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()))
        .filter(|folder| {
            ["initdb", "postgres", "psql", "pg_isready"].iter().all(|program| folder.join(program).is_file())
        })
        .collect();
    found.sort();
    found.pop()
}

/// The command for a program. If this process is root, it runs as the user `postgres`, because the server refuses to
/// run as root.
fn as_owner(program: &Path) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
    command.current_dir("/");
    command
}
