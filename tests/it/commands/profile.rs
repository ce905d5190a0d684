//! Profiles in use: tried on a page, compared, edited by hand, and moved to another job.

use std::path::{Path, PathBuf};

use goldminer_core::document::ParagraphKind;
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;
use serde_json::{Value, json};

use crate::crawl_world::{LONG, Ran, World, documents, goldminer, run, status};
use crate::extract::sources::response;
use crate::small_web::article;

fn world() -> World {
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    World::new(portals, Knobs::default()).hosts(&["courier.example"]).settings("ip_spacing = \"0s\"")
}

fn profile(args: &[&str]) -> Ran {
    run(goldminer(&["profile"]).args(args), LONG)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A job whose portal is learned, and its profile as a file.
fn learned(world: &World) -> (PathBuf, PathBuf) {
    let (job, profiles) = (world.crawled("job"), world.path("profiles"));
    let ran = profile(&["export", text(&job), "-o", text(&profiles)]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    (job, profiles.join("courier.example.toml"))
}

#[test]
fn profile_test_shows_the_reason_for_each_paragraph() {
    let world = world();
    let (job, _) = learned(&world);
    let (url, document) = documents(&job.join("corpus")).pop_first().unwrap();
    let ran = profile(&["test", text(&job), &url, "--json"]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let output: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(output["outcome"].as_str().unwrap().contains("cuts the page"), "{output:#}");
    let kept: Vec<&str> = output["paragraphs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|paragraph| paragraph["kept"] == true)
        .map(|paragraph| paragraph["text"].as_str().unwrap())
        .collect();
    // A caption comes with its figure, whether or not the cut keeps it as text.
    let texts = document.paragraphs.iter().filter(|paragraph| paragraph.kind != ParagraphKind::Caption);
    let lost: Vec<&str> = texts.map(|paragraph| paragraph.text.as_str()).filter(|text| !kept.contains(text)).collect();
    assert_eq!(lost, [""; 0], "{kept:?}");
    let words = profile(&["test", text(&job), &url]).stdout;
    assert!(words.contains("start pattern") && !words.contains('\u{1b}'), "no colours in a pipe: {words}");
    let page = world.path("page.html");
    std::fs::write(&page, "<p>A page.").unwrap();
    let nameless = profile(&["test", text(&job), text(&page)]);
    assert!(nameless.stderr.contains("the page has no URL") && nameless.stderr.contains("--url"), "{nameless:?}");
}

#[test]
fn for_another_layout_the_missing_pattern_part_is_shown() {
    let world = world();
    let (_, file) = learned(&world);
    let page = world.path("page.html");
    let story = "It rained all day in the town, and nobody who had an umbrella was willing to lend it to the others. ";
    let days = ["On Monday", "On Tuesday", "On Wednesday", "On Thursday, at last"];
    let paragraphs: String =
        days.iter().map(|day| format!("<p>{day} it was the mayor's turn. {}</p>", story.repeat(3))).collect();
    let article = format!("<h1>Rain in the town</h1><article class=brand-new>{paragraphs}</article>");
    let teasers: String =
        (0..9).map(|n| format!("<li><a href=/{n}>The mayor speaks of rain for the {n}th time</a> It rains.")).collect();
    let list = format!("<h1>Rain</h1><ul class=brand-new>{teasers}</ul>");
    for (body, then) in [(article, "the page classifier decides"), (list, "does not look like an article")] {
        std::fs::write(&page, format!("<html lang=en>{body}")).unwrap();
        let ran = profile(&["test", "--profiles", text(&file), text(&page)]);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        assert!(ran.stdout.contains("matches nothing") && ran.stdout.contains("not on the page"), "{}", ran.stdout);
        assert!(ran.stdout.contains(then), "the consequence is explained, too: {}", ran.stdout);
    }
}

#[test]
fn wrong_inputs_of_profile_test_are_explained() {
    let world = world();
    let (job, file) = learned(&world);
    let unknown = profile(&["test", text(&job), "http://courier.example/nothing-here"]);
    assert_eq!(unknown.code(), Some(1), "{unknown:?}");
    assert!(unknown.stderr.contains("goldminer why"), "{}", unknown.stderr);
    let by_url = profile(&["test", "--profiles", text(&file), "http://courier.example/"]);
    assert!(by_url.stderr.contains("put the job directory"), "{}", by_url.stderr);
    let without_job = profile(&["test", text(&file), "http://courier.example/"]);
    assert_eq!(without_job.code(), Some(2), "{without_job:?}");
    assert!(without_job.stderr.contains("is not a job directory, in which its page would be"), "{without_job:?}");
    let alone = profile(&["test", text(&file)]);
    assert_eq!(alone.code(), Some(1), "{alone:?}");
    assert!(alone.stderr.contains("give it with --profiles"), "{}", alone.stderr);
}

#[test]
fn an_edited_profile_is_used_by_another_job() {
    let world = world();
    let (_, file) = learned(&world);
    let learned = std::fs::read_to_string(&file).unwrap();
    let manual = format!(
        "# Reviewed in November.\n{learned}\n# What they asked for.\n[politeness]\ndelay = \"20s\"\n\n[scope]\n\
         exclude = [\"/games/\"]\n\n\
         # The old layout.\n[[template]]\nhand_made = true\nstart = \"td.story-of-2009\"\n"
    );
    std::fs::write(&file, &manual).unwrap();

    // Into a job that has not begun: the portal's profile is there before its first page.
    let job = world.path("other");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "2"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let imported = profile(&["import", text(&job), text(&file), "--json"]);
    assert_eq!(imported.code(), Some(0), "{imported:?}");
    let imported_profiles: Value = serde_json::from_str(&imported.stdout).unwrap();
    assert_eq!(imported_profiles, json!([{ "key": "courier.example", "version": 1 }]));
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "20"]), LONG);
    assert!(matches!(ran.code(), Some(0 | 3)), "{ran:?}");
    let status = status(&job);
    assert_eq!(status["domains"][0]["phase"], "profiled", "twenty pages are too few to learn from: {status:#}");
    assert!(documents(&job.join("corpus")).values().any(|document| document.provenance.profile.is_some()));

    // A second export over edited files keeps hand-written parts unchanged.
    let ran = profile(&["export", text(&job), "-o", text(file.parent().unwrap()), "--json"]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let listed: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(listed, json!([{ "key": "courier.example", "version": 1, "file": text(&file) }]));
    let after = std::fs::read_to_string(&file).unwrap();
    for part in [
        "# Reviewed in November.",
        "# What they asked for.",
        "delay = \"20s\"",
        "/games/",
        "# The old layout.",
        "td.story-of-2009",
    ] {
        assert!(after.contains(part), "{part} is lost:\n{after}");
    }
}

#[test]
fn a_broken_profile_is_refused_with_file_line_and_key() {
    let world = world();
    let (job, file) = learned(&world);
    let text_of = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text_of}\n[[template]]\nhand_made = true\nstrat = \"div\"\n")).unwrap();
    let line = text_of.lines().count() + 4;
    for ran in [
        profile(&["import", text(&job), text(&file)]),
        run(goldminer(&["extract", text(&job), "--profiles", text(&file), "-o"]).arg(world.path("out")), LONG),
    ] {
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        for part in ["courier.example.toml", &format!("line {line}"), "strat"] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
    std::fs::write(&file, format!("{text_of}\n[manual]\nexclude = [\"div.ad\", \"p..ad\"]\n")).unwrap();
    let ran = profile(&["import", text(&job), text(&file)]);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    for part in ["courier.example.toml", &format!("line {}", line - 1), "exclude: column 24: ", "\"..ad\""] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

#[test]
fn two_versions_are_compared_template_by_template() {
    let world = world();
    let (job, file) = learned(&world);
    let one = profile(&["diff", text(&job), "courier.example"]);
    assert_eq!(one.code(), Some(1), "{one:?}");
    assert!(one.stderr.contains("only one version") && one.stderr.contains("OLD NEW"), "{}", one.stderr);
    let edited = std::fs::read_to_string(&file).unwrap() + "\n[[template]]\nhand_made = true\nstart = \"td.story\"\n";
    let changed = world.path("changed.toml");
    std::fs::write(&changed, edited).unwrap();
    let files = profile(&["diff", text(&file), text(&changed)]);
    assert!(files.stdout.contains("+ template td.story, number 0"), "{files:?}");
    assert_eq!(profile(&["import", text(&job), text(&changed)]).code(), Some(0));
    let versions = profile(&["diff", text(&job), "courier.example"]);
    assert!(versions.stdout.contains("from version 1 to 2") && versions.stdout.contains("td.story"), "{versions:?}");
    let shown = profile(&["show", text(&job), "courier.example"]);
    assert!(shown.stdout.contains("written by hand") && shown.stdout.contains("from version 1 to 2"), "{shown:?}");
}

#[test]
fn importing_an_unchanged_profile_makes_no_version() {
    let world = world();
    let (job, file) = learned(&world);
    let versions = || -> Vec<u64> {
        let shown = profile(&["show", text(&job), "courier.example", "--json"]);
        let shown: Vec<Value> = serde_json::from_str(&shown.stdout).unwrap();
        shown.iter().map(|serving| serving["profile"]["version"].as_u64().unwrap()).collect()
    };
    let before = versions();
    for _ in 0..2 {
        let ran = profile(&["import", text(&job), text(&file)]);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        assert!(ran.stdout.contains("unchanged"), "{}", ran.stdout);
        assert_eq!(versions(), before);
    }
    let edited = std::fs::read_to_string(&file).unwrap() + "\n[manual]\ncomments = [\"ol.replies\"]\n";
    std::fs::write(&file, edited).unwrap();
    for new in ["version 2", "version 2, unchanged"] {
        let ran = profile(&["import", text(&job), text(&file)]);
        assert_eq!(ran.stdout.lines().next(), Some(&*format!("courier.example: {new}")));
    }
}

#[test]
fn a_template_has_one_number_wherever_it_is_shown() {
    let world = world();
    let (job, file) = learned(&world);
    let (url, document) = documents(&job.join("corpus")).pop_first().unwrap();
    assert_eq!(document.provenance.profile.unwrap().template, 0);
    let tried = profile(&["test", text(&job), &url]).stdout;
    assert!(tried.contains("template 0 of courier.example, version 1, cuts the page"), "{tried}");
    let shown = profile(&["show", text(&job), "courier.example"]).stdout;
    assert!(shown.contains("template 0: "), "{shown}");
    let report = world.path("report");
    assert_eq!(profile(&["report", text(&job), "-o", text(&report)]).code(), Some(0));
    let page = std::fs::read_to_string(report.join("courier.example.html")).unwrap();
    assert!(page.contains("Template 0") && page.contains("template 0"), "{}", file.display());
}

#[test]
fn the_page_of_a_url_is_read_from_an_archive() {
    let dir = tempfile::tempdir().unwrap();
    let page = |n: usize| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html";
        response(&format!("http://good.example/{n}"), head, article(n, &[]).2.as_bytes())
    };
    let archive = dir.path().join("pages.warc");
    std::fs::write(&archive, [page(1), page(2)].concat()).unwrap();
    for command in [&["try"][..], &["profile", "test"]] {
        let read = |url: &str| run(goldminer(command).arg(&archive).args(["--url", url]), LONG);
        let second = read("http://good.example/2");
        assert!(second.stdout.contains("the 2th time"), "{second:?}");
        let unknown = read("http://good.example/3");
        assert_eq!(unknown.code(), Some(1), "{unknown:?}");
        assert!(unknown.stderr.contains("has no page for http://good.example/3"), "{unknown:?}");
    }
}
