//! Tests permissions and secrets of a crawl on many machines. The database requires TLS and passwords, and the roles
//! have the least rights. Working and failing commands leave no secret behind.

use std::path::Path;
use std::process::Command;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use crate::crawl_world::{LONG, Ran, World, goldminer, run};
use crate::postgres::Postgres;

/// No output, file or database may contain these.
const SECRETS: [&str; 4] = ["hunter2-the-password", "hunter3-a-wrong-one", "hunter4-of-the-store", "AKIAHUNTERFIVE"];

/// A PEM certificate of an authority, and one with its key for `localhost`.
fn certificates() -> (String, String, String) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let authority = params.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    (authority, server.pem(), key.serialize_pem())
}

/// Everything below a folder, as text.
fn all_text(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => all_text(&path, text),
            path => text.push_str(&String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default())),
        }
    }
}

fn refuse_secrets(place: &str, text: &str) {
    for secret in SECRETS {
        assert!(!text.contains(secret), "{place} holds {secret}");
    }
}

/// Runs a command, and checks that it prints no secret.
fn run_checked(command: &mut Command) -> Ran {
    let ran = run(command, LONG);
    refuse_secrets(&format!("{:?}", command.get_args().collect::<Vec<_>>()[..2].to_vec()), &ran.stdout);
    refuse_secrets("its messages", &ran.stderr);
    ran
}

#[test]
fn least_rights_suffice_and_no_secret_is_left_behind() {
    let (authority, certificate, key) = certificates();
    let Some((postgres, port)) = Postgres::guarded(&certificate, &key) else { return };
    let portals = Portals::demo(&Size { scale: 0.2, ..Size::default() });
    let world = World::new(portals, Knobs::default()).hosts(&["courier.example"]).settings("learning_pages = 8");
    let roots = world.path("roots.pem");
    std::fs::write(&roots, authority).unwrap();
    postgres.ask("CREATE DATABASE crawl");
    for role in ["owner", "machine", "operator", "reader"] {
        postgres.ask(&format!("CREATE ROLE {role} LOGIN PASSWORD '{}'", SECRETS[0]));
    }
    postgres.ask("ALTER DATABASE crawl OWNER TO owner");
    let at = |role: &str, options: &str| format!("postgres://{role}@localhost:{port}/crawl?{options}");
    let verb = |role: &str, verb: &str| {
        let mut command = goldminer(&["cluster", verb]);
        command.env("GOLDMINER_DB", at(role, "sslmode=require")).env("PGPASSWORD", SECRETS[0]);
        command
            .env("GOLDMINER_LOG", "trace")
            .env("AWS_ACCESS_KEY_ID", SECRETS[3])
            .env("AWS_SECRET_ACCESS_KEY", SECRETS[2]);
        command.arg("--db-roots").arg(&roots);
        command
    };
    let mut init = verb("owner", "init");
    init.arg(world.seeds()).arg("--store").arg(world.path("store")).args(["--delay", "100ms", "--commit-every", "2s"]);
    init.arg("--allow-private");
    for rule in world.web.resolve_rules() {
        init.args(["--resolve", &rule]);
    }
    let ran = run_checked(&mut init);
    assert_eq!(ran.code(), Some(0), "{ran:?}");

    // The roles that the book recommends.
    postgres.execute("crawl", &Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/cluster/roles.sql"));
    for (role, of) in [("machine", "worker"), ("operator", "operator"), ("reader", "reader")] {
        postgres.ask(&format!("GRANT goldminer_{of} TO {role}"));
    }
    let refused = run_checked(verb("reader", "work").arg("--dir").arg(world.path("none")).args(["--name", "reader"]));
    assert!(refused.code() == Some(1) && refused.stderr.contains("permission denied"), "{refused:?}");
    let refused = run_checked(verb("reader", "ctl").args(["pause", "courier.example"]));
    assert!(refused.code() == Some(1) && refused.stderr.contains("permission denied"), "{refused:?}");
    let refused = run_checked(verb("machine", "init").arg("--adopt"));
    assert!(refused.code() == Some(1) && refused.stderr.contains("permission denied"), "{refused:?}");
    let ran = run_checked(verb("operator", "ctl").args(["--wait", "0s", "delay", "courier.example", "150ms"]));
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let ran = run_checked(verb("machine", "work").arg("--dir").arg(world.path("work")).args(["--name", "machine"]));
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(!ran.stderr.contains("permission denied"), "{ran:?}");
    let ran = run_checked(&mut verb("reader", "status"));
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    for (name, to) in [("export", "corpus"), ("jobs", "jobs")] {
        let ran = run_checked(verb("reader", name).arg("-o").arg(world.path(to)));
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }
    assert!(world.path("corpus").read_dir().unwrap().count() > 0, "nothing was exported, so nothing is tested");

    // Failing commands print no secret either.
    let wrong = run_checked(verb("machine", "status").env("PGPASSWORD", SECRETS[1]));
    assert!(wrong.code() == Some(1) && wrong.stderr.contains("password authentication failed"), "{wrong:?}");
    let with_password = format!("postgres://machine:{}@localhost:{port}/nowhere?sslmode=require", SECRETS[0]);
    let nowhere = run_checked(verb("machine", "status").env("GOLDMINER_DB", &with_password));
    assert!(nowhere.code() == Some(1) && nowhere.stderr.contains("does not exist"), "{nowhere:?}");
    let plain = run_checked(verb("machine", "status").env("GOLDMINER_DB", at("machine", "sslmode=disable")));
    assert!(plain.code() == Some(1) && plain.stderr.contains("pg_hba"), "{plain:?}");
    let mut stranger = goldminer(&["cluster", "status"]);
    stranger.env("GOLDMINER_DB", at("machine", "sslmode=require")).env("PGPASSWORD", SECRETS[0]);
    let stranger = run_checked(&mut stranger);
    assert!(stranger.code() == Some(1) && stranger.stderr.to_lowercase().contains("certificate"), "{stranger:?}");
    let address = format!("postgres://machine:{}@127.0.0.1:{port}/crawl?sslmode=require", SECRETS[0]);
    let other_name = run_checked(verb("machine", "status").env("GOLDMINER_DB", address));
    assert!(other_name.code() == Some(1) && other_name.stderr.contains("certificate"), "{other_name:?}");
    let garbled = format!("postgres://machine:{}@localhost:port/crawl", SECRETS[0]);
    let garbled = run_checked(verb("machine", "status").env("GOLDMINER_DB", garbled));
    assert!(garbled.stderr.contains("postgres://USER@HOST/NAME"), "{garbled:?}");
    if cfg!(feature = "cloud") {
        // A store without TLS is refused, unless it is explicitly allowed.
        let mut jobs = verb("reader", "export");
        jobs.env("AWS_ENDPOINT", "http://127.0.0.1:9").env("AWS_REGION", "us-east-1");
        let jobs = run_checked(jobs.args(["--store", "s3://crawl/x", "-o"]).arg(world.path("far")));
        assert!(jobs.code() == Some(1), "{jobs:?}");
    }

    // No secret is left anywhere: in the database, the store, the job directories or the corpus.
    refuse_secrets("the database", &postgres.dump());
    for name in ["store", "work", "corpus", "jobs"] {
        let mut text = String::new();
        all_text(&world.path(name), &mut text);
        refuse_secrets(name, &text);
    }
}
