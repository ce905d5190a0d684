//! Tests commands to a crawl while its partitions (groups of portals) move from worker to worker. Each command is
//! carried out once, by the worker whose commit contains the change. A worker that has lost a partition changes nothing
//! in it.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::crawl_world::{LONG, documents, pause, run};
use crate::takeovers::{Cluster, HOSTS};

/// The newest folder of a round in the store, by its name.
fn newest_round(store: &Path) -> Option<String> {
    let folders = |of: &Path| std::fs::read_dir(of).into_iter().flatten().flatten().map(|entry| entry.path());
    let epochs = folders(store).flat_map(|partition| folders(&partition).collect::<Vec<_>>());
    let rounds = epochs.flat_map(|epoch| folders(&epoch).collect::<Vec<_>>());
    rounds.map(|round| round.display().to_string()).max()
}

/// Stops a worker after it has carried out a command, and before it has committed the result. Tries it with one command
/// after the other, and returns the number of commands that were given; only the last one is unanswered.
fn stopped_before_its_commit(cluster: &Cluster, worker: &crate::crawl_world::Running, host: &str) -> usize {
    for tries in 1..20 {
        let before = newest_round(&cluster.world.path("store"));
        let delay = format!("{}ms", 100 + tries);
        let ran = run(cluster.verb("ctl").args(["--wait", "0s", "delay", host, &delay]), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        let until = Instant::now() + LONG;
        while newest_round(&cluster.world.path("store")) == before && Instant::now() < until {
            std::thread::yield_now();
        }
        worker.signal("STOP");
        if cluster.number("SELECT count(*) FROM command WHERE said IS NULL") > 0 {
            return tries;
        }
        worker.signal("CONT");
    }
    panic!("it always commits before it can be stopped");
}

#[test]
fn an_uncommitted_command_is_carried_out_by_the_next_worker() {
    let Some(cluster) = Cluster::new(&HOSTS[..1], 0.3) else { return };
    let mut first = cluster.worker("first");
    cluster.until_committed(1);
    let given = stopped_before_its_commit(&cluster, &first, HOSTS[0]);
    // Another command, which the stopped worker has not read: it adds a portal that no partition has yet.
    let ran = run(cluster.verb("ctl").args(["--wait", "0s", "add", &format!("http://{}/", HOSTS[1])]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let mut second = cluster.worker("second");
    cluster.until("the second one has carried out what waits", || {
        cluster.number("SELECT count(*) FROM command WHERE said IS NULL") == 0
    });
    let answers = "SELECT id, epoch, said FROM command ORDER BY id";
    let (given_answers, job) = (cluster.postgres.ask(answers), cluster.postgres.ask("SELECT job FROM partition"));
    assert_eq!(given_answers.len(), given + 1, "{given_answers:?}");
    assert_eq!(
        cluster.number("SELECT min(epoch) FROM (SELECT epoch FROM command ORDER BY id DESC LIMIT 2) AS last"),
        2
    );

    // The first worker continues where it was stopped, while it publishes results of an epoch that has ended.
    first.signal("CONT");
    pause(Duration::from_secs(3));
    assert_eq!(cluster.postgres.ask(answers), given_answers, "an epoch that is over has answered");
    assert_eq!(cluster.postgres.ask("SELECT job FROM partition"), job);
    let epochs = "SELECT count(*) FROM partition WHERE checkpoint NOT LIKE '%/e' || lpad(epoch::text, 5, '0') || '/%'";
    assert_eq!(cluster.number(epochs), 0, "a checkpoint is of an epoch that is over");
    for worker in [&mut first, &mut second] {
        let ran = worker.end(LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }
    // The changes of the commands are there once: the partition has the added portal, with its documents.
    assert_eq!(
        cluster.number("SELECT count(*) FROM partition, regexp_matches(job, 'naplo', 'g') WHERE done IS NULL"),
        0
    );
    let corpus = cluster.world.path("corpus");
    let ran = run(cluster.verb("export").arg("-o").arg(&corpus), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    for host in &HOSTS[..2] {
        let of_host = documents(&corpus).keys().filter(|url| url.starts_with(&format!("http://{host}/"))).count();
        assert!(of_host > 5, "{of_host} documents of {host}");
    }
}

#[test]
fn commands_are_answered_once_while_partitions_move() {
    let Some(cluster) = Cluster::new(&HOSTS, 0.3) else { return };
    let mut workers = vec![cluster.worker("w0"), cluster.worker("w1")];
    cluster.until("both crawl", || {
        cluster.number("SELECT count(DISTINCT owner) FROM partition WHERE owner IS NOT NULL AND checkpoint IS NOT NULL")
            > 0
    });
    let mut given = 0;
    for round in 0..4 {
        for command in ["pause", "resume"] {
            let host = HOSTS[round % HOSTS.len()];
            let ran = run(cluster.verb("ctl").args(["--wait", "0s", command, host]), LONG);
            assert_eq!(ran.code(), Some(0), "{ran:?}");
            given += 1;
        }
        // One worker releases its partitions or is killed, and another one starts. Waiting commands move with their
        // partition.
        let gone = workers.remove(0);
        if round % 2 == 0 {
            gone.signal("INT");
            workers.push(cluster.worker(&format!("w{}", round + 2)));
            let mut gone = gone;
            let ran = gone.end(LONG);
            assert!(matches!(ran.code(), Some(0 | 130)), "{ran:?}");
        } else {
            drop(gone.kill());
            workers.push(cluster.worker(&format!("w{}", round + 2)));
        }
    }
    for worker in &mut workers {
        let ran = worker.end(LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }
    let answers = cluster.postgres.ask("SELECT said FROM command ORDER BY id");
    assert_eq!(answers.len(), given, "{answers:?}");
    assert!(answers.iter().all(|said| said.contains("paused") || said.contains("gets requests again")), "{answers:?}");
    assert_eq!(cluster.number("SELECT count(*) FROM command WHERE epoch IS NULL OR refused"), 0);
    // At most two workers were killed, each with 2 s of 10 requests per second on up to four hosts.
    cluster.assert_whole(2 * 2 * 10 * HOSTS.len());
}
