//! Tests an operator's commands to a crawl on many machines, and later extractions of its pages. If a command was
//! confirmed, its effect remains, even if the worker that carried it out is killed.

use std::collections::BTreeMap;
use std::time::Duration;

use goldminer_core::document::Document;

use crate::crawl_world::{LONG, Ran, documents, pause, run};
use crate::takeovers::{Cluster, HOSTS};

/// Runs `cluster ctl` with these arguments.
fn ctl(cluster: &Cluster, words: &[&str]) -> Ran {
    run(cluster.verb("ctl").args(words), LONG)
}

fn done(cluster: &Cluster, words: &[&str]) -> String {
    let ran = ctl(cluster, words);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    ran.stdout
}

/// Requests to a host so far.
fn requests_to(cluster: &Cluster, host: &str) -> usize {
    cluster.world.log().iter().filter(|entry| entry.host == host).count()
}

#[test]
fn confirmed_commands_survive_a_killed_worker() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    let first = cluster.worker("first");
    cluster.until("both are asked", || HOSTS[..2].iter().all(|host| requests_to(&cluster, host) > 3));
    let output = done(&cluster, &["pause", HOSTS[0]]);
    assert!(output.contains(&format!("{} is paused until it is resumed", HOSTS[0])), "{output}");
    first.kill();
    let paused = requests_to(&cluster, HOSTS[0]);
    // A command while no worker runs, for a new portal.
    let output = done(&cluster, &["--wait", "0s", "add", &format!("http://{}/", HOSTS[2])]);
    assert!(output.contains("the command is saved"), "{output}");
    let ran = ctl(&cluster, &["pause", "nobody.example"]);
    assert!(ran.code() == Some(1) && ran.stderr.contains("this crawl has no portal on nobody.example"), "{ran:?}");
    let ran = ctl(&cluster, &["stop"]);
    assert!(ran.code() == Some(1) && ran.stderr.contains("ends with its workers"), "{ran:?}");

    let mut second = cluster.worker("second");
    cluster.until("the new portal is asked", || requests_to(&cluster, HOSTS[2]) > 3);
    pause(Duration::from_secs(3));
    assert_eq!(requests_to(&cluster, HOSTS[0]), paused, "a paused host was asked");
    let output = done(&cluster, &["--json", "resume", HOSTS[0]]);
    let answer: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert!(answer["answers"][0]["said"].as_str().unwrap().contains("gets requests again"), "{answer}");
    let ran = second.end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");

    // A finished crawl continues if a command adds a portal.
    done(&cluster, &["add", &format!("http://{}/", HOSTS[3])]);
    let ran = cluster.worker("third").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(cluster.number("SELECT count(*) FROM command WHERE said IS NULL"), 0);
    let corpus = cluster.world.path("corpus");
    let ran = run(cluster.verb("export").arg("-o").arg(&corpus), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let documents = documents(&corpus);
    for host in HOSTS {
        let of_host = documents.keys().filter(|url| url.starts_with(&format!("http://{host}/"))).count();
        assert!(of_host > 5, "{of_host} documents of {host}");
    }
}

#[test]
fn committed_pages_can_be_extracted_again() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    let (jobs, out) = (cluster.world.path("jobs"), cluster.world.path("again"));
    let extract = |options: &[&str]| {
        let mut extract = cluster.verb("extract");
        run(extract.arg("--jobs").arg(&jobs).arg("-o").arg(&out).arg("--").args(options), LONG)
    };
    let ran = extract(&[]);
    assert!(ran.code() == Some(1) && ran.stderr.contains("no worker has committed results yet"), "{ran:?}");
    let ran = cluster.worker("only").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    cluster.assert_whole(0);
    let ran = extract(&[]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let (exported, again) = (documents(&cluster.world.path("corpus")), documents(&out));
    let urls = |of: &BTreeMap<String, Document>| {
        of.iter().map(|(url, document)| (url.clone(), document.text.clone())).collect::<Vec<_>>()
    };
    assert_eq!(urls(&exported), urls(&again));
    let ran = extract(&["--changed"]);
    assert!(ran.code() == Some(0) && ran.stderr.contains("2 there already"), "{ran:?}");
    let ran = extract(&["other-source"]);
    assert!(ran.code() == Some(2) && ran.stderr.contains("give no sources after"), "{ran:?}");
    // A folder that was not made by `cluster jobs` is not overwritten.
    let mark = std::fs::read_dir(&jobs).unwrap().next().unwrap().unwrap().path().join("commit");
    std::fs::remove_file(mark).unwrap();
    let ran = extract(&["--changed"]);
    assert!(ran.code() == Some(1) && ran.stderr.contains("was not made by `cluster jobs`"), "{ran:?}");
}
