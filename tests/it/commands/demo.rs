//! The README's first command, as a newcomer runs it.

use std::process::Command;
use std::time::Duration;

use crate::crawl_world::{LONG, goldminer, pause, run, start};

#[test]
fn the_demo_crawls_its_portals_and_reports_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("demo");
    let output = Command::new(env!("CARGO_BIN_EXE_goldminer"))
        .args(["demo", "--delay", "1ms", "--dir"])
        .arg(&job)
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains(", 0 requests against the portals' rules"), "{stdout}");
    let boilerplate =
        stdout.lines().find(|line| line.contains("menus, teasers, boxes and comments got into the corpus"));
    let got_in = boilerplate.and_then(|line| line.split(' ').next()?.parse::<u32>().ok());
    assert!(got_in.is_some_and(|pieces| pieces <= 20), "{stdout}");
    let f: f64 = stdout
        .split("original articles: F ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .and_then(|number| number.parse().ok())
        .expect("the demo measures itself");
    assert!(f >= 99.0, "the demo's own F has fallen to {f}:\n{stdout}");
    for portal in ["The Harbour Courier", "Vidéki Hírnök", "Kőhegyi Napló", "Neue Rundschau", "Larkhill Gazette"] {
        let line = stdout.lines().find(|line| line.starts_with(portal)).expect("a line for each portal");
        let f: f64 = line.split_whitespace().next_back().and_then(|f| f.parse().ok()).expect("its F");
        assert!(f >= 98.0, "{line}");
    }
    let index = job.join("report/index.html");
    assert!(stdout.trim_end().ends_with(&format!("Report: {}", index.display())), "{stdout}");
    for name in [
        "report/index.html",
        "report/crawl.html",
        "report/courier.example.html",
        "corpus",
        "archive",
        "profiles.sled",
        "frontier",
        "log",
        "job.toml",
    ] {
        assert!(job.join(name).exists(), "{name} is missing");
    }
}

#[test]
fn a_served_demo_removes_its_seeds_file_when_it_ends() {
    for signal in ["INT", "TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        let mut served = start(goldminer(&["demo", "--serve"]).env("TMPDIR", folder.path()));
        while files() == 0 {
            assert!(served.is_running());
            pause(Duration::from_millis(20));
        }
        served.signal(signal);
        let ran = served.end(LONG);
        assert!(ran.code() == Some(0) && files() == 0, "SIG{signal}: {ran:?}");
    }
}

#[test]
fn an_interrupted_demo_continues_without_false_violations() {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("demo");
    let demo = || {
        let mut demo = goldminer(&["demo", "--delay", "20ms", "--dir"]);
        demo.arg(&job);
        demo
    };
    let mut first = start(&mut demo());
    let is_large = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().metadata().unwrap().len() > 50_000;
    while !std::fs::read_dir(job.join("archive")).is_ok_and(|mut archive| archive.any(is_large)) {
        assert!(first.is_running());
        pause(Duration::from_millis(20));
    }
    first.signal("INT");
    let ran = first.end(LONG);
    assert_eq!(ran.code(), Some(130), "{ran:?}");
    let message = "Interrupted; what was fetched is saved. Run the same command to continue.";
    assert!(ran.stdout.trim_end().ends_with(message) && !ran.stdout.contains("Next steps"), "{}", ran.stdout);
    let ran = run(&mut demo(), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stdout.contains(", 0 requests against the portals' rules"), "{}", ran.stdout);
}
