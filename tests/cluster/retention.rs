//! Tests which files stay in the store, and how long.

use crate::crawl_world::{LONG, documents, run};
use crate::takeovers::{Cluster, HOSTS};

/// For each piece that matches the condition, returns whether it is in the store.
fn pieces(cluster: &Cluster, condition: &str) -> Vec<bool> {
    let keys = cluster.postgres.ask(&format!("SELECT key FROM piece WHERE {condition}"));
    keys.iter().map(|key| cluster.world.path("store").join(key).is_file()).collect()
}

#[test]
fn old_archives_are_deleted_and_their_documents_kept() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    let mut first = cluster.worker("first");
    cluster.until("there are documents of both", || {
        cluster.number("SELECT count(DISTINCT partition) FROM piece WHERE file LIKE 'corpus/part%'") == 2
    });
    first.signal("INT");
    let ran = first.end(LONG);
    assert_eq!(ran.code(), Some(130), "{ran:?}");
    assert!(cluster.number("SELECT count(*) FROM partition WHERE done IS NULL") > 0, "all partitions are done");
    let before = run(cluster.verb("export").arg("-o").arg(cluster.world.path("before")), LONG);
    assert_eq!(before.code(), Some(0), "{before:?}");

    // Two days later: archives are kept for one.
    cluster.postgres.ask("UPDATE piece SET committed = committed - interval '2 days'");
    cluster.postgres.ask("UPDATE crawl SET keep_ms = 86400000");
    let old = cluster.number("SELECT count(*) FROM piece WHERE file LIKE 'archive/%.warc.gz'");
    let mut second = cluster.worker("second");
    cluster.until("they are given up and gone", || cluster.number("SELECT count(*) FROM piece WHERE removed") >= old);
    assert!(!pieces(&cluster, "removed").contains(&true), "an archive is still there");
    assert!(!pieces(&cluster, "NOT removed").contains(&false), "more than old archives is gone");
    assert_eq!(cluster.number("SELECT count(*) FROM piece WHERE removed AND file NOT LIKE 'archive/%.warc.gz'"), 0);
    // The next worker continues without them.
    second.signal("INT");
    let ran = second.end(LONG);
    assert!(matches!(ran.code(), Some(0 | 130)), "{ran:?}");
    let ran = cluster.worker("third").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(!ran.stderr.contains("failed here"), "{ran:?}");
    cluster.assert_whole(0);
    let (before, after) = (documents(&cluster.world.path("before")), documents(&cluster.world.path("corpus")));
    assert!(before.keys().all(|url| after.contains_key(url)), "a document went with its archive");
}

#[test]
fn leftovers_of_dead_epochs_and_old_checkpoints_are_deleted() {
    let Some(cluster) = Cluster::new(&HOSTS[..1], 0.3) else { return };
    let mut first = cluster.worker("first");
    cluster.until("it has committed a few times", || {
        cluster.number("SELECT count(DISTINCT split_part(key, '/', 3)) FROM piece") > 3
    });
    first.signal("INT");
    let ran = first.end(LONG);
    assert_eq!(ran.code(), Some(130), "{ran:?}");
    let partition = cluster.postgres.ask("SELECT lpad(id::text, 3, '0') FROM partition")[0].clone();
    let epoch = cluster.world.path("store").join(format!("p{partition}/e00001"));
    let checkpoints = || {
        let rounds = std::fs::read_dir(&epoch).into_iter().flatten().flatten();
        rounds.filter(|round| round.path().join("checkpoint.zst").is_file()).count()
    };
    assert_eq!(checkpoints(), 2, "the last one, and the one before it in case the last is damaged");
    // A file that a killed worker published and never committed.
    let left = epoch.join("00099/archive/left.warc.gz@0");
    std::fs::create_dir_all(left.parent().unwrap()).unwrap();
    std::fs::write(&left, "nobody's").unwrap();

    cluster.postgres.ask("UPDATE crawl SET leftovers_ms = 3600000");
    let mut second = cluster.worker("second");
    cluster.until("it has taken over and committed", || {
        cluster.number("SELECT count(*) FROM partition WHERE checkpoint LIKE '%/e00002/%'") == 1
    });
    second.signal("INT");
    assert!(matches!(second.end(LONG).code(), Some(0 | 130)));
    assert!(left.is_file(), "it was deleted while it may still be read");
    cluster.postgres.ask("UPDATE crawl SET leftovers_ms = 0");
    cluster.postgres.ask("UPDATE partition SET done = NULL");
    let ran = cluster.worker("third").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(!left.is_file() && checkpoints() == 0, "unreferenced files are still there");
}
