//! Tests different versions of the program and of the database schema.

use std::time::Duration;

use crate::crawl_world::{LONG, pause, run};
use crate::takeovers::{Cluster, HOSTS};

#[test]
fn an_older_schema_is_adopted_only_after_its_workers_ended() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    // The state that an older program leaves.
    let newest = cluster.number("SELECT max(version) FROM goldminer_schema");
    cluster.postgres.ask("ALTER TABLE command DROP COLUMN epoch");
    cluster.postgres.ask(&format!("DELETE FROM goldminer_schema WHERE version = {newest}"));
    cluster.postgres.ask("UPDATE crawl SET version = '0.0.9'");
    let older = "INSERT INTO worker (name, version, expires) VALUES ('older', '0.0.9', now() + interval '1 hour')";
    cluster.postgres.ask(older);

    let refused = cluster.worker("too early").end(LONG);
    assert!(refused.code() == Some(1) && refused.stderr.contains("--adopt"), "{refused:?}");
    let refused = run(cluster.verb("init").arg("--adopt"), LONG);
    assert!(refused.code() == Some(1) && refused.stderr.contains("stop all workers"), "{refused:?}");
    assert!(refused.stderr.contains("1 worker of this crawl is running (goldminer 0.0.9)"), "{refused:?}");
    let found = cluster.number("SELECT max(version) FROM goldminer_schema");
    assert_eq!(found, newest - 1, "the schema was changed while a worker is running");

    cluster.postgres.ask("UPDATE worker SET expires = now(), dead = true");
    let ran = run(cluster.verb("init").args(["--adopt", "--keep", "90d"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(cluster.number("SELECT max(version) FROM goldminer_schema"), newest);
    assert_eq!(cluster.number("SELECT keep_ms FROM crawl"), 90 * 24 * 3600 * 1000);
    let ran = cluster.worker("in time").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    cluster.assert_whole(0);
}

#[test]
fn a_worker_stops_if_its_crawl_has_a_newer_version() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    let mut stopped = cluster.worker("sleeper");
    cluster.until_committed(1);
    stopped.signal("STOP");
    pause(Duration::from_secs(5));
    cluster.postgres.ask("UPDATE worker SET dead = true");
    cluster.postgres.ask("UPDATE crawl SET version = '9.9.9'");
    stopped.signal("CONT");
    let ran = stopped.end(LONG);
    assert!(ran.code() == Some(1) && ran.stderr.contains("this crawl is of goldminer 9.9.9"), "{ran:?}");
}

#[test]
fn inits_at_the_same_time_make_one_schema() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    let newest = cluster.number("SELECT max(version) FROM goldminer_schema");
    cluster.postgres.ask("DROP SCHEMA public CASCADE");
    cluster.postgres.ask("CREATE SCHEMA public");
    let store = cluster.world.path("another");
    let ran: Vec<_> = std::thread::scope(|scope| {
        let inits: Vec<_> = (0..4).map(|_| scope.spawn(|| run(&mut cluster.init(&store), LONG))).collect();
        inits.into_iter().map(|init| init.join().unwrap()).collect()
    });
    assert!(ran.iter().all(|ran| !ran.stderr.contains("making the schema")), "{ran:?}");
    assert_eq!(ran.iter().filter(|ran| ran.code() == Some(0)).count(), 1, "{ran:?}");
    assert_eq!(cluster.number("SELECT count(*) FROM goldminer_schema"), newest);
}

#[test]
fn adopt_changes_nothing_if_a_worker_starts_after_the_check() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    let newest = cluster.number("SELECT max(version) FROM goldminer_schema");
    cluster.postgres.ask("ALTER TABLE command DROP COLUMN epoch");
    cluster.postgres.ask(&format!("DELETE FROM goldminer_schema WHERE version = {newest}"));
    cluster.postgres.ask("UPDATE crawl SET version = '0.0.9'");
    // Between the check and the change, these workers start.
    cluster.postgres.ask(
        "CREATE FUNCTION workers_start() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO worker (name, version, expires)
                SELECT 'older', '0.0.9', now() + interval '1 hour' FROM generate_series(1, 2);
        END $$",
    );
    cluster.postgres.ask(
        "CREATE EVENT TRIGGER workers_start ON ddl_command_start WHEN TAG IN ('CREATE TABLE')
            EXECUTE FUNCTION workers_start()",
    );
    let refused = run(cluster.verb("init").args(["--adopt", "--keep", "90d"]), LONG);
    assert!(refused.code() == Some(1) && refused.stderr.contains("nothing was changed"), "{refused:?}");
    assert!(refused.stderr.contains("2 workers of this crawl are running (goldminer 0.0.9)"), "{refused:?}");
    assert_eq!(cluster.number("SELECT max(version) FROM goldminer_schema"), newest - 1);
    let unchanged = "SELECT count(*) FROM crawl WHERE version = '0.0.9' AND keep_ms IS NULL";
    assert_eq!(cluster.number(unchanged), 1);

    cluster.postgres.ask("DROP EVENT TRIGGER workers_start");
    cluster.postgres.ask("UPDATE worker SET dead = true");
    let ran = run(cluster.verb("init").arg("--adopt"), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(cluster.number("SELECT max(version) FROM goldminer_schema"), newest);
}
