//! Bad input: each case ends with a message that names the thing and says what to do, and with the right exit code.

use std::time::Duration;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{LONG, World, goldminer, run};
use crate::small_web::{SmallWeb, article};

fn world() -> World {
    World::new(Portals::demo(&Size { scale: 0.05, ..Size::default() }), Knobs::default()).hosts(&["courier.example"])
}

/// Runs `crawl` on a seeds file with this content; returns its exit code and its output.
fn crawl_of(seeds: &str) -> (Option<i32>, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("seeds.toml");
    std::fs::write(&file, seeds).unwrap();
    let job = dir.path().join("job");
    let ran = run(goldminer(&["crawl"]).arg(&file).arg("--dir").arg(&job), LONG);
    assert!(!job.exists(), "nothing may be made before the seeds are understood");
    (ran.code(), ran.stderr)
}

#[test]
fn a_missing_seeds_file_is_reported() {
    let ran = run(&mut goldminer(&["crawl", "no-such-seeds.toml"]), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("no-such-seeds.toml"), "{}", ran.stderr);
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_known_one() {
    let (code, said) = crawl_of("[crawl]\nuser_agnet = \"x\"\n[[portal]]\nstart = [\"https://a.example/\"]\n");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("user_agnet") && said.contains("user_agent"), "{said}");
}

#[test]
fn a_user_agent_without_contact_is_refused() {
    let (code, said) = crawl_of("[crawl]\nuser_agent = \"bot/1.0\"\n[[portal]]\nstart = [\"https://a.example/\"]\n");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("contact") || said.contains("e-mail"), "{said}");
}

#[test]
fn an_impolite_delay_is_refused_for_hosts_of_others() {
    let seeds = "[crawl]\nuser_agent = \"bot/1.0 (+https://a.example/)\"\ndelay = \"100ms\"\n\
                 [[portal]]\nstart = [\"https://a.example/\"]\n";
    let (code, said) = crawl_of(seeds);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("1s or more"), "{said}");
}

#[test]
fn a_job_directory_of_other_portals_is_not_changed() {
    let world = world();
    let job = world.crawled("job");
    let before = std::fs::read_to_string(job.join("job.toml")).unwrap();
    let world = world.hosts(&["hirnok.example"]);
    let ran = run(world.crawl(&job).args(["--delay", "0s"]), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("other portals") && ran.stderr.contains("courier.example"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(job.join("job.toml")).unwrap(), before);
}

#[test]
fn a_closed_port_ends_the_crawl_quickly_with_the_reason() {
    let world = world();
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let job = world.path("job");
    let mut command = goldminer(&["crawl"]);
    command.arg(world.seeds()).arg("--dir").arg(&job).args(["--allow-private", "--delay", "0s"]);
    let ran = run(command.args(["--resolve", &format!("*:80:127.0.0.1:{port}")]), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.took < Duration::from_secs(20), "{:?}", ran.took);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("courier.example") && said.contains("never answered"), "{said}");
    let why = run(goldminer(&["why"]).arg(&job).arg("http://courier.example/"), LONG);
    assert_eq!(why.code(), Some(0), "{why:?}");
}

#[test]
fn a_host_is_requested_when_its_address_is_allowed() {
    let web = SmallWeb::new(|_, _| Some(article(1, &[])));
    let crawl = |options: &[&str]| {
        let mut command = goldminer(&["crawl", "--max-pages", "1", "--resolve", &web.resolve_rule()]);
        run(command.arg(web.seeds(&["good.example"])).arg("--dir").arg(web.path("job")).args(options), LONG)
    };
    let ran = crawl(&[]);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stdout.contains("its address is not allowed") && web.requests().is_empty(), "{ran:?}");
    let ran = crawl(&["--delay", "0s", "--allow-private"]);
    assert!(!web.requests().is_empty() && !ran.stderr.contains("did not answer"), "{ran:?}");
}

#[test]
fn reading_commands_report_a_missing_job() {
    let dir = tempfile::tempdir().unwrap();
    for args in [["status"].as_slice(), &["why"], &["profile", "show"]] {
        let mut command = goldminer(args);
        command.arg(dir.path());
        if args != ["status"] {
            command.arg("http://a.example/");
        }
        let ran = run(&mut command, LONG);
        assert_eq!(ran.code(), Some(1), "{args:?}: {ran:?}");
        assert!(
            ran.stderr.contains("not a job directory") || ran.stderr.contains("no profile"),
            "{args:?}: {}",
            ran.stderr
        );
    }
}
