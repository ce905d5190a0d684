//! The README's first command, as a newcomer runs it.

use std::process::Command;

#[test]
fn the_demo_crawls_its_portals_and_says_what_came_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("demo");
    let output = Command::new(env!("CARGO_BIN_EXE_goldminer"))
        .args(["--quiet", "demo", "--delay", "1ms", "--dir"])
        .arg(&job)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains(", 0 requests against the portals' rules"), "{said}");
    assert!(said.contains("0 of ") && said.contains("menus, teasers, boxes and comments got into the corpus"), "{said}");
    let f: f64 = said
        .split("F ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .and_then(|number| number.parse().ok())
        .expect("the demo measures itself");
    assert!(f >= 97.0, "the demo's own F has fallen to {f}:\n{said}");
    for name in ["corpus", "archive", "profiles.sled", "frontier", "log", "job.toml"] {
        assert!(job.join(name).exists(), "{name} is missing");
    }
}
