//! Tests workers that are killed, or stopped until they lose their partitions (groups of portals). Other workers take
//! over: no host gets a request too soon from any of them, and every article of an uninterrupted crawl is in the corpus
//! once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use goldminer_testkit::access_log::ViolationKind;
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::violations;
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{LONG, Running, World, documents, goldminer, pause, run, start, texts};
use crate::postgres::Postgres;

const DELAY: Duration = Duration::from_millis(100);

/// The cluster under test: the test web, the database, and the crawl.
pub(crate) struct Cluster {
    pub world: World,
    portals: Portals,
    pub postgres: Postgres,
    /// The environment variables for the store, for each command.
    environment: Vec<(String, String)>,
}

impl Cluster {
    /// Makes a crawl. None if PostgreSQL is not installed.
    pub(crate) fn new(hosts: &[&str], scale: f64) -> Option<Self> {
        Self::storing(hosts, scale, None, Vec::new())
    }

    /// Makes a crawl with a delay for the IP address that all its hosts share.
    pub(crate) fn spaced(hosts: &[&str], scale: f64, ip_spacing: &str) -> Option<Self> {
        Self::of(hosts, scale, ip_spacing, None, Vec::new())
    }

    /// Makes a crawl with a store that is not a folder.
    pub(crate) fn storing(
        hosts: &[&str],
        scale: f64,
        store: Option<&str>,
        environment: Vec<(String, String)>,
    ) -> Option<Self> {
        Self::of(hosts, scale, "0s", store, environment)
    }

    fn of(
        hosts: &[&str],
        scale: f64,
        ip_spacing: &str,
        store: Option<&str>,
        environment: Vec<(String, String)>,
    ) -> Option<Self> {
        let postgres = Postgres::start()?;
        let portals = Portals::demo(&Size { scale, ..Size::default() });
        let world = World::new(portals.clone(), Knobs::default())
            .hosts(hosts)
            .settings(&format!("learning_pages = 8\nip_spacing = \"{ip_spacing}\""));
        let this = Self { world, portals, postgres, environment };
        let ran = run(&mut this.init(&store.map_or_else(|| this.world.path("store"), PathBuf::from)), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        Some(this)
    }

    /// The command that makes a crawl of all portals.
    pub(crate) fn init(&self, store: &Path) -> Command {
        let mut init = self.verb("init");
        init.arg(self.world.seeds()).arg("--store").arg(store);
        init.args(["--ttl", "2s", "--grace", "2s", "--commit-every", "2s", "--leftovers", "0s", "--delay"])
            .arg(format!("{}ms", DELAY.as_millis()));
        init.arg("--allow-private");
        for rule in self.world.web.resolve_rules() {
            init.args(["--resolve", &rule]);
        }
        init
    }

    pub(crate) fn verb(&self, verb: &str) -> Command {
        let mut command = goldminer(&["cluster", verb]);
        command.envs(self.environment.iter().cloned());
        command.env("GOLDMINER_DB", self.postgres.url());
        command
    }

    pub(crate) fn worker(&self, name: &str) -> Running {
        start(self.verb("work").args(["--name", name, "--dir"]).arg(self.world.path(name)))
    }

    /// Waits until a condition is true.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let until = Instant::now() + LONG;
        while Instant::now() < until {
            if is_so() {
                return;
            }
            pause(Duration::from_millis(50));
        }
        panic!("not in time: {what}");
    }

    /// Waits until so many partitions have been committed.
    pub(crate) fn until_committed(&self, partitions: i64) {
        self.until("something is committed", || {
            self.number("SELECT count(*) FROM partition WHERE checkpoint IS NOT NULL") >= partitions
        });
    }

    /// The result of a statement, as a number.
    pub(crate) fn number(&self, statement: &str) -> i64 {
        self.postgres.ask(statement)[0].parse().unwrap()
    }

    /// Checks a finished crawl, whatever happened to its workers: the corpus has each document of an uninterrupted
    /// crawl once, and no request was impolite. At most `fetched_twice` pages may have been fetched twice.
    pub(crate) fn assert_whole(&self, fetched_twice: usize) {
        let corpus = self.world.path("corpus");
        let ran = run(self.verb("export").arg("-o").arg(&corpus), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        let found = violations(&self.world.log(), &self.portals, DELAY);
        let (again, wrong): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|found| found.kind == ViolationKind::FetchedTwice);
        assert!(wrong.is_empty(), "{wrong:#?}");
        eprintln!("{} requests, {} pages fetched twice", self.world.log().len(), again.len());
        assert!(again.len() <= fetched_twice, "{} pages were fetched twice: {again:#?}", again.len());
        // `documents` fails if a URL has two documents.
        let cluster = documents(&corpus);
        let unbroken = texts(&self.world.crawled("unbroken").join("corpus"));
        assert!(unbroken.len() > 20, "only {} documents, so nothing is tested", unbroken.len());
        let missing: Vec<&String> = unbroken.keys().filter(|url| !cluster.contains_key(*url)).collect();
        let added: Vec<&String> = cluster.keys().filter(|url| !unbroken.contains_key(*url)).collect();
        assert!(missing.is_empty() && added.is_empty(), "missing {missing:#?}, added {added:#?}");
    }
}

/// The number of files below a folder. Checkpoints are not counted, because the last but one is kept.
fn files(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let count = |entry: std::fs::DirEntry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => usize::from(!path.ends_with("checkpoint.zst")),
    };
    entries.map(count).sum()
}

pub(crate) const HOSTS: [&str; 4] = ["courier.example", "naplo.example", "rundschau.example", "gazette.example"];

#[test]
fn killed_and_stopped_workers_are_taken_over_politely() {
    let Some(cluster) = Cluster::new(&HOSTS, 0.3) else { return };
    let first = cluster.worker("first");
    let mut second = cluster.worker("second");
    let crawling = "SELECT count(*) FROM partition WHERE owner IS NOT NULL AND checkpoint IS NOT NULL";
    cluster.until("both crawl and have committed", || {
        let owners = "SELECT count(DISTINCT owner) FROM partition WHERE owner IS NOT NULL";
        cluster.number(crawling) >= 2 && cluster.number(owners) == 2
    });
    first.kill();
    let mut third = cluster.worker("third");
    cluster.until("the dead worker's partitions are taken over", || {
        cluster.number("SELECT count(*) FROM partition WHERE owner = (SELECT session FROM worker WHERE name = 'first')")
            == 0
    });
    second.signal("STOP");
    cluster.until("the stopped worker is given up", || {
        let others = "SELECT count(*) FROM worker WHERE name = 'second' AND NOT dead";
        cluster.number(others) == 0
    });
    pause(Duration::from_millis(700));
    second.signal("CONT");
    for worker in [&mut second, &mut third] {
        let ran = worker.end(LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }
    // Besides the committed files, the store contains only leftovers of the last epochs.
    let dead = cluster.postgres.ask(
        "SELECT format('p%s/e%s', lpad(partition::text, 3, '0'), lpad(epoch::text, 5, '0')) FROM piece GROUP BY 1",
    );
    for partition in std::fs::read_dir(cluster.world.path("store")).unwrap().map(|entry| entry.unwrap().path()) {
        let mut epochs: Vec<_> = std::fs::read_dir(&partition).unwrap().map(|entry| entry.unwrap().path()).collect();
        epochs.sort();
        epochs.pop();
        let is_empty = |epoch: &std::path::PathBuf| files(epoch) == 0;
        for epoch in epochs.iter().filter(|epoch| !is_empty(epoch)) {
            assert!(dead.iter().any(|kept| epoch.ends_with(kept)), "{} contains uncommitted files", epoch.display());
        }
    }
    // Two workers lost the pages since their last commits: 2 s of 10 requests per second on up to four hosts each.
    cluster.assert_whole(2 * 2 * 10 * HOSTS.len());
}

#[test]
fn without_the_database_no_worker_sends_requests() {
    let Some(mut cluster) = Cluster::new(&HOSTS[..3], 0.2) else { return };
    let mut workers = [cluster.worker("first"), cluster.worker("second")];
    cluster.until_committed(1);
    let (before, away) = (cluster.world.web.log().now(), Duration::from_secs(4));
    cluster.postgres.crash(away);
    let fenced = cluster.world.log().into_iter().filter(|entry| {
        // Two thirds of a lease after the last heartbeat, and some time for slow machines.
        entry.start > before + Duration::from_millis(2_000) && entry.start < before + away
    });
    assert_eq!(fenced.count(), 0, "a worker sent requests without a lease");
    for worker in &mut workers {
        let ran = worker.end(LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }
    cluster.assert_whole(2 * 10 * 3);
}

#[test]
fn damaged_checkpoints_and_lost_corpus_files_lose_nothing() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    let mut first = cluster.worker("first");
    cluster.until("there are documents of both", || {
        let statement = "SELECT count(DISTINCT partition) FROM piece WHERE file LIKE 'corpus/%'";
        cluster.number(statement) == 2
    });
    first.signal("INT");
    let ran = first.end(LONG);
    assert_eq!(ran.code(), Some(130), "{ran:?}");
    assert!(cluster.number("SELECT count(*) FROM partition WHERE done IS NULL") > 0, "all partitions are done");

    let place = |key: &String| cluster.world.path("store").join(key);
    let open = "SELECT id FROM partition WHERE done IS NULL";
    let checkpoints = cluster
        .postgres
        .ask("SELECT checkpoint FROM partition WHERE done IS NULL AND checkpoint IS NOT NULL ORDER BY id");
    let of_corpus = cluster.postgres.ask(&format!(
        "SELECT key FROM piece WHERE file LIKE 'corpus/%' AND partition IN ({open}) ORDER BY partition DESC, key"
    ));
    let mut bytes = std::fs::read(place(&checkpoints[0])).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(place(&checkpoints[0]), bytes).unwrap();
    std::fs::remove_file(place(&of_corpus[0])).unwrap();

    let mut second = cluster.worker("second");
    let ran = second.end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(
        ran.stderr.contains(&format!("{} in the store differs from what was committed", checkpoints[0])),
        "{ran:?}"
    );
    // A worker that ends by itself has committed everything that it fetched.
    cluster.assert_whole(0);
}

#[test]
fn a_partition_with_a_damaged_archive_is_not_rebuilt() {
    let Some(cluster) = Cluster::new(&HOSTS[..1], 0.3) else { return };
    let mut first = cluster.worker("first");
    cluster.until_committed(1);
    first.signal("INT");
    assert_eq!(first.end(LONG).code(), Some(130));
    let damage = |statement: &str| {
        let key = cluster.postgres.ask(statement)[0].clone();
        let place = cluster.world.path("store").join(&key);
        let mut bytes = std::fs::read(&place).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(place, bytes).unwrap();
        key
    };
    damage("SELECT checkpoint FROM partition");
    let archived = damage("SELECT key FROM piece WHERE file LIKE 'archive/%.warc.gz' ORDER BY bytes DESC LIMIT 1");
    let claims = cluster.number("SELECT epoch FROM partition");
    let mut second = cluster.worker("second");
    cluster.until("the second worker has given the partition up", || {
        cluster.number(&format!("SELECT count(*) FROM partition WHERE epoch > {claims} AND owner IS NULL")) == 1
    });
    second.signal("INT");
    let ran = second.end(LONG);
    assert!(ran.stderr.contains(&format!("{archived} in the store is not what was committed")), "{ran:?}");
}

#[test]
fn other_versions_and_a_second_crawl_are_refused() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    let mut again = cluster.verb("init");
    again.arg(cluster.world.seeds()).arg("--store").arg(cluster.world.path("store")).arg("--allow-private");
    let ran = run(&mut again, LONG);
    assert!(ran.code() == Some(1) && ran.stderr.contains("has a crawl already"), "{ran:?}");

    let mut worker = cluster.worker("first");
    cluster.until("it has its share", || cluster.number("SELECT count(*) FROM partition WHERE owner IS NOT NULL") > 0);
    worker.signal("INT");
    let ran = worker.end(LONG);
    assert_eq!(ran.code(), Some(130), "{ran:?}");
    assert_eq!(cluster.number("SELECT count(*) FROM partition WHERE owner IS NOT NULL"), 0, "it keeps partitions");
    assert!(cluster.number("SELECT count(*) FROM partition WHERE checkpoint IS NOT NULL") > 0, "nothing is committed");

    cluster.postgres.ask("UPDATE crawl SET version = '9.9.9'");
    let ran = cluster.worker("later").end(LONG);
    assert!(ran.code() == Some(1) && ran.stderr.contains("is of goldminer 9.9.9"), "{ran:?}");
    let ran = run(cluster.verb("init").arg("--adopt"), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let ran = run(cluster.verb("status").arg("--json"), LONG);
    let status: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert!(status["partitions"].as_array().unwrap().iter().all(|line| line["state"] == "free"), "{status:#}");
}

#[test]
fn a_partition_with_a_new_command_is_not_reported_as_done() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    // This simulates a command between the last check for commands and the commit.
    cluster.postgres.ask(
        "CREATE FUNCTION command_comes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.done IS NOT NULL AND OLD.asked = 0 THEN NEW.done = NULL; NEW.asked = 1; END IF;
            RETURN NEW;
        END $$",
    );
    cluster
        .postgres
        .ask("CREATE TRIGGER command_comes BEFORE UPDATE ON partition FOR EACH ROW EXECUTE FUNCTION command_comes()");
    let partitions = cluster.number("SELECT count(*) FROM partition");
    let ran = cluster.worker("only").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(cluster.number("SELECT count(*) FROM partition WHERE done IS NOT NULL AND asked = 1"), partitions);
    let lines_with = |what: &str| ran.stderr.lines().filter(|line| line.contains(what)).count() as i64;
    // A worker on a busy machine releases a partition also when its lease ends.
    assert!(lines_with(" is done") == partitions && lines_with(" is released") >= partitions, "{ran:?}");
    cluster.assert_whole(0);
}

#[test]
fn after_max_time_the_remaining_pages_are_extracted() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.2) else { return };
    cluster.postgres.ask("UPDATE partition SET job = replace(job, '[crawl]', E'[crawl]\\nmax_time = \"1h\"')");
    // No page is extracted before the profiles are learned, and these are too few pages to learn from.
    cluster.postgres.ask("UPDATE partition SET job = replace(job, 'learning_pages = 8', 'learning_pages = 500')");
    let mut first = cluster.worker("first");
    cluster.until("there are pages of both", || cluster.number("SELECT count(*) FROM partition WHERE pages > 20") == 2);
    first.signal("INT");
    first.end(LONG);
    assert_eq!(cluster.number("SELECT sum(documents)::bigint FROM partition"), 0, "nothing is tested");
    let requests = cluster.world.log().len();
    cluster.postgres.ask("UPDATE partition SET began = began - interval '2 hours'");
    let ran = cluster.worker("second").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(cluster.world.log().len(), requests, "a request after the end of max_time");
    assert_eq!(cluster.postgres.ask("SELECT DISTINCT done FROM partition"), ["its time is over"]);
    let documents = cluster.number("SELECT min(documents) FROM partition");
    assert!(documents > 10, "{documents} documents");
}

#[test]
fn a_commit_with_a_lost_answer_is_not_overwritten() {
    let Some(cluster) = Cluster::new(&HOSTS[..1], 0.3) else { return };
    cluster.postgres.ask("UPDATE crawl SET ttl_ms = 60000");
    let mut first = cluster.worker("first");
    cluster.until_committed(1);
    // The release takes longer than the worker waits for an answer.
    cluster.postgres.ask(
        "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.owner IS NULL AND NEW.blake3 IS DISTINCT FROM OLD.blake3 THEN PERFORM pg_sleep(12); END IF;
            RETURN NEW;
        END $$",
    );
    cluster.postgres.ask("CREATE TRIGGER dawdle BEFORE UPDATE ON partition FOR EACH ROW EXECUTE FUNCTION dawdle()");
    first.signal("INT");
    cluster.until("the partition is being released", || {
        cluster.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") > 0
    });
    let pause = format!(r#"{{"pause":{{"host":"{}"}}}}"#, HOSTS[0]);
    cluster.postgres.ask(&format!("INSERT INTO command (partition, command) SELECT id, '{pause}' FROM partition"));
    let ran = first.end(LONG);
    assert!(ran.stderr.contains("no answer in"), "{ran:?}");
    assert_eq!(cluster.number("SELECT count(*) FROM partition WHERE owner IS NULL AND done IS NULL"), 1);
    let committed = cluster.postgres.ask("SELECT checkpoint || ' ' || blake3 FROM partition").remove(0);
    let (key, digest) = committed.split_once(' ').unwrap();
    let stored = std::fs::read(cluster.world.path("store").join(key)).unwrap();
    assert_eq!(blake3::hash(&stored).to_hex().as_str(), digest, "{key} was overwritten");

    cluster.postgres.ask("DROP TRIGGER dawdle ON partition");
    cluster.postgres.ask("DELETE FROM command");
    let ran = cluster.worker("second").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(!ran.stderr.contains("differs from what was committed"), "{ran:?}");
    cluster.assert_whole(0);
}
