//! `--quiet`: commands do not say what they have done; what was asked for is printed all the same. And the text of one
//! page, on standard output.

use std::path::Path;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{LONG, Ran, World, documents, goldminer, run};

const PAGE: &str = "<html lang=en><title>Rain</title><h1>Rain in the town</h1><p>It rained all day in the town, and nobody who had \
    an umbrella was willing to lend it to the others, because it was clear to them that it would not end before the night.<p>In \
    the evening there were people in the streets who had not been seen there for years, and they said that they liked it.";

fn in_folder(dir: &Path, args: &[&str]) -> Ran {
    run(goldminer(args).current_dir(dir), LONG)
}

#[test]
fn quiet_commands_print_errors_and_what_was_asked_for() {
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    let world = World::new(portals, Knobs::default()).hosts(&["courier.example"]).settings("ip_spacing = \"0s\"");
    let job = world.crawled("job");
    let dir = job.parent().unwrap();
    let url = documents(&job.join("corpus")).into_keys().next().unwrap();
    std::fs::write(dir.join("robots.txt"), "User-agent: *\nDisallow: /x\n").unwrap();
    for args in [
        &["extract", "job", "-o", "out"][..],
        &["extract", "job", "-o", "texts", "--format", "text"],
        &["convert", "job", "-o", "notes", "--format", "markdown"],
        &["convert", "job", "-o", "x.jsonl"],
        &["learn", "job", "-o", "profiles"],
        &["profile", "export", "job", "-o", "exported"],
        &["profile", "import", "job", "exported"],
        &["profile", "report", "job"],
        &["report", "job"],
        &["ctl", "job", "pause", "courier.example"],
        &["rebuild", "job"],
        &["drop", "job", &url],
        &["man", "-o", "man"],
        &["init", "portal.example", "-o", "new.toml"],
        &["sample", "job/archive", "-o", "samples"],
    ] {
        let ran = in_folder(dir, &[args, &["-q"]].concat());
        assert_eq!(ran.code(), Some(0), "{args:?}: {ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.is_empty(), "{args:?}: {ran:?}");
    }
    let stopped = run(world.crawl(&world.path("other")).args(["--delay", "0s", "-q", "--max-pages", "5"]), LONG);
    assert_eq!((stopped.code(), stopped.stdout.as_str(), stopped.stderr.as_str()), (Some(3), "", ""));
    let wrong = in_folder(dir, &["status", "nowhere", "-q"]);
    assert!(wrong.code() == Some(2) && wrong.stderr.contains("not a job directory"), "{wrong:?}");
    for data in [
        &["status", "job"][..],
        &["status", "job", "--json"],
        &["status", "job", "--urls", "done"],
        &["why", "job", "http://courier.example/"],
        &["stats", "job"],
        &["profile", "list", "job"],
        &["profile", "show", "job", "courier.example"],
        &["profile", "test", "job", "http://courier.example/"],
        &["robots", "robots.txt", "me", "http://a.example/"],
        &["completions", "bash"],
        &["convert", "job", "-o", "-"],
    ] {
        assert!(!in_folder(dir, &[data, &["-q"]].concat()).stdout.is_empty(), "{data:?}");
    }
}

#[test]
fn a_page_gives_its_text_on_standard_output() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("page.html"), PAGE).unwrap();
    std::fs::write(dir.path().join("other.html"), PAGE.replace("It rained", "It snowed")).unwrap();
    let text = in_folder(dir.path(), &["extract", "page.html", "--format", "text"]);
    assert_eq!(text.code(), Some(0), "{text:?}");
    assert!(text.stdout.starts_with("Rain in the town\nIt rained all day"), "{}", text.stdout);
    assert!(text.stdout.ends_with("that they liked it.\n\n") && !text.stdout.contains('{'), "{}", text.stdout);
    let quiet = in_folder(dir.path(), &["extract", "page.html", "--format", "text", "-q"]);
    assert_eq!((quiet.stdout, quiet.stderr), (text.stdout.clone(), String::new()));
    let both = in_folder(dir.path(), &["extract", "page.html", "other.html", "--format", "text", "-o", "-"]);
    assert!(both.stdout.contains("It rained") && both.stdout.contains("\n\nRain in the town\nIt snowed"), "{both:?}");
    let file = in_folder(dir.path(), &["extract", "page.html", "-o", "page.txt", "-q"]);
    assert_eq!(file.code(), Some(0), "{file:?}");
    assert!(std::fs::read_to_string(dir.path().join("page.txt")).unwrap().contains("It rained all day"));
    let refused = in_folder(dir.path(), &["extract", "page.html", "--format", "tei"]);
    assert_eq!(refused.code(), Some(2), "{refused:?}");
    assert!(refused.stderr.contains("name a folder"), "{}", refused.stderr);
}
