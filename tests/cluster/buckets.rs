//! Tests crawls on many machines that store their files in a bucket: on a real S3 server on loopback (moto, from PyPI:
//! `GOLDMINER_MOTO` is its program). If moto is not installed, the tests say so and are skipped.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::crawl_world::{LONG, documents, goldminer, pause, run, start, texts};
use crate::relay::{Relay, Server};
use crate::takeovers::{Cluster, HOSTS};

/// A server with one bucket, `crawl`. It ends when this is dropped.
struct Moto {
    process: Child,
    address: SocketAddr,
}

impl Moto {
    fn start() -> Option<Self> {
        let Some(program) = std::env::var_os("GOLDMINER_MOTO") else {
            eprintln!("skipped: GOLDMINER_MOTO names no S3 server (pip install 'moto[server,s3]': bin/moto_server)");
            return None;
        };
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        let mut server = Command::new(program);
        server.args(["-H", "127.0.0.1", "-p", &address.port().to_string()]);
        let process = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let this = Self { process, address };
        let made = (0..300).any(|_| {
            pause(Duration::from_millis(100));
            this.makes_bucket().unwrap_or(false)
        });
        assert!(made, "the S3 server makes no bucket");
        Some(this)
    }

    fn makes_bucket(&self) -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(self.address)?;
        write!(
            stream,
            "PUT /crawl HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            self.address
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer.starts_with("HTTP/1.1 200"))
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.process.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    fn environment(&self) -> Vec<(String, String)> {
        environment(self.address)
    }
}

/// The environment variables with which a program finds a store at this address.
fn environment(address: SocketAddr) -> Vec<(String, String)> {
    let endpoint = format!("http://{address}");
    let settings = [
        ("AWS_ENDPOINT", endpoint.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "hunter2-is-secret"),
        ("AWS_REGION", "us-east-1"),
    ];
    settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn workers_with_a_bucket_survive_a_silent_store() {
    let Some(moto) = Moto::start() else { return };
    let store = Some("s3://crawl/of/november/");
    let Some(cluster) = Cluster::storing(&HOSTS[..3], 0.3, store, moto.environment()) else { return };
    let first = cluster.worker("first");
    cluster.until_committed(2);
    moto.signal("STOP");
    pause(Duration::from_secs(3));
    moto.signal("CONT");
    let before = cluster.number("SELECT count(*) FROM piece");
    cluster.until("it commits again", || cluster.number("SELECT count(*) FROM piece") > before);
    first.kill();
    let ran = cluster.worker("second").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(!ran.stderr.contains("hunter2"), "a secret was printed");
    // Two rounds of two seconds may be uncommitted, with ten requests per second to each host.
    cluster.assert_whole(3 * 2 * 10 * 3);
    assert!(!cluster.world.path("store").exists(), "a folder was written");
}

/// The disk space that the archives below a folder take.
fn archive_room(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let room = |path: std::path::PathBuf| match path.is_dir() {
        true => archive_room(&path),
        false if path.to_string_lossy().ends_with(".warc.gz") => {
            path.metadata().map_or(0, |about| about.blocks() * 512)
        }
        false => 0,
    };
    entries.map(room).sum()
}

#[test]
fn a_takeover_does_not_copy_the_archive_from_the_bucket() {
    let Some(moto) = Moto::start() else { return };
    let Some(cluster) = Cluster::storing(&HOSTS[..2], 0.5, Some("s3://crawl/far"), moto.environment()) else { return };
    let mut first = cluster.worker("first");
    cluster
        .until("most is committed", || cluster.number("SELECT count(*) FROM piece WHERE file LIKE 'corpus/part%'") > 6);
    first.signal("INT");
    let ran = first.end(LONG);
    assert!(matches!(ran.code(), Some(0 | 130)), "{ran:?}");
    cluster.postgres.ask("UPDATE partition SET done = NULL");
    let of_archive = "SELECT coalesce(sum(bytes), 0)::bigint FROM piece WHERE file LIKE 'archive/%.warc.gz'";
    let archive = cluster.number(of_archive).unsigned_abs();
    let others = "SELECT coalesce(sum(bytes), 0)::bigint FROM piece WHERE file LIKE 'corpus/%'";
    let checkpoints = cluster.number("SELECT sum(bytes)::bigint FROM partition").unsigned_abs();
    let beside = cluster.number(others).unsigned_abs() + checkpoints;
    assert!(archive > 500_000, "an archive of {archive} bytes is too small for the test");

    // The worker reads through a relay that counts bytes, until both partitions are committed again.
    let relay = Relay::to(Server::Tcp(moto.address));
    let mut work = cluster.verb("work");
    work.envs(environment(relay.address)).args(["--name", "second", "--dir"]).arg(cluster.world.path("second"));
    let mut second = start(&mut work);
    cluster.until("both are taken over", || {
        cluster.number("SELECT count(*) FROM partition WHERE checkpoint LIKE '%/e00002/%' OR done IS NOT NULL") == 2
    });
    let (received, room) = (relay.received(), archive_room(&cluster.world.path("second")));
    let ran = second.end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    eprintln!("{received} bytes were read ({archive} in the archive, {beside} in other files), {room} are on disk");
    assert!(
        received < beside + archive / 4,
        "{received} bytes were read ({archive} in the archive, {beside} in other files)"
    );
    cluster.assert_whole(0);

    // Commands on jobs also work with an archive in a bucket: they give the documents that were committed.
    let jobs = cluster.world.path("jobs");
    let ran = run(cluster.verb("jobs").arg("-o").arg(&jobs), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(archive_room(&jobs) < archive / 10, "the archive was copied");
    let mut exported = texts(&cluster.world.path("corpus"));
    for job in std::fs::read_dir(&jobs).unwrap().map(|entry| entry.unwrap().path()) {
        let far = |words: &[&str]| {
            let ran = run(goldminer(words).envs(moto.environment()).arg(&job), LONG);
            assert_eq!(ran.code(), Some(0), "{ran:?}");
            ran
        };
        far(&["rebuild"]);
        let again = documents(&job.join("corpus"));
        assert!(!again.is_empty());
        for (url, document) in &again {
            assert_eq!(exported.remove(url).as_ref(), Some(&document.text), "{url}");
        }
        let (url, _) = again.iter().next().unwrap();
        let ran = run(goldminer(&["why"]).envs(moto.environment()).arg(&job).arg(url), LONG);
        assert!(ran.code() == Some(0) && ran.stdout.contains("goldminer-p"), "{ran:?}");
    }
    assert!(exported.is_empty(), "missing from the archive: {:?}", exported.keys().collect::<Vec<_>>());
}
