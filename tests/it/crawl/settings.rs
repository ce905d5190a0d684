//! Settings of a portal, as its server sees them.

use tokio::runtime::Runtime;

use crate::crawl_world::{LONG, goldminer, run};
use crate::raw_server::{RawServer, page};

/// The Accept-Language header of each request, with its path.
fn languages_asked_for(setting: &str) -> Vec<(String, Option<String>)> {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(RawServer::saying(page("<p>Hello.<a href=/a>a</a>")));
    let dir = tempfile::tempdir().unwrap();
    let seeds = dir.path().join("seeds.toml");
    let agent = "user_agent = \"it/1.0 (+https://crawler.example/; it@crawler.example)\"";
    let portal = format!("start = [\"http://{}/\"]\n{setting}", server.address);
    std::fs::write(&seeds, format!("[crawl]\n{agent}\n[[portal]]\n{portal}\n")).unwrap();
    let mut command = goldminer(&["crawl"]);
    command.arg(&seeds).arg("--dir").arg(dir.path().join("job")).args(["--allow-private", "--delay", "100ms"]);
    let ran = run(&mut command, LONG);
    assert!(server.heads().len() >= 3, "{ran:?}");
    let language = |head: &String| {
        let line = head.lines().find_map(|line| line.strip_prefix("accept-language: "));
        (head.split(' ').nth(1).unwrap().to_owned(), line.map(str::to_owned))
    };
    server.heads().iter().map(language).collect()
}

#[test]
fn pages_are_requested_in_the_languages_of_the_portal() {
    let asked = languages_asked_for("accept_language = \"hu, en;q=0.5\"");
    for (path, languages) in &asked {
        let expected = (path != "/robots.txt").then_some("hu, en;q=0.5");
        assert_eq!(languages.as_deref(), expected, "{path}: {asked:?}");
    }
}

#[test]
fn without_the_setting_no_language_is_requested() {
    let asked = languages_asked_for("");
    assert!(asked.iter().all(|(_, languages)| languages.is_none()), "{asked:?}");
}

#[test]
fn wrong_lists_of_languages_are_refused_with_their_line() {
    let dir = tempfile::tempdir().unwrap();
    let seeds = dir.path().join("seeds.toml");
    for wrong in ["", "hungarian please", "hu;q=2", "hu\\r\\nCookie: a"] {
        std::fs::write(
            &seeds,
            format!("[[portal]]\nstart = [\"https://a.example/\"]\naccept_language = \"{wrong}\"\n"),
        )
        .unwrap();
        let ran = run(goldminer(&["crawl"]).arg(&seeds).arg("--dir").arg(dir.path().join("job")), LONG);
        assert_eq!(ran.code(), Some(2), "{wrong:?}: {ran:?}");
        assert!(
            ran.stderr.contains("accept_language = \"hu\"") && ran.stderr.contains('3'),
            "{wrong:?}: {}",
            ran.stderr
        );
    }
}
