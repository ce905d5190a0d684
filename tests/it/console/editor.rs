//! The profile editor: a clicked block becomes a hand-made rule or template, other pages change as the preview shows,
//! and nobody's version is overwritten.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::console_client::{ConsoleClient, Page};
use crate::crawl_world::{LONG, documents, goldminer, pause, run, start, texts};
use crate::small_web::{Answer, SmallWeb, links};

pub(crate) const TOWNS: [&str; 12] =
    ["Rome", "Oslo", "Bern", "Riga", "Kyiv", "Graz", "Lyon", "Bonn", "Bath", "Cork", "Pisa", "Vigo"];
/// Towns to which only `/more.html` links.
const MORE: usize = 24;

fn town(number: usize) -> String {
    format!("{}{}", TOWNS[number % TOWNS.len()], ["", "burg", "ville"][number / TOWNS.len()])
}

fn links_to(pages: std::ops::Range<usize>) -> Answer {
    let all: Vec<String> = pages.map(|number| format!("/{number}.html")).collect();
    links(&all.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A portal whose articles contain a box with other text, crawled into `jobs/job`.
pub(crate) fn crawled() -> SmallWeb {
    let web = SmallWeb::new(|_, path| {
        let number = path.trim_start_matches('/').strip_suffix(".html").and_then(|n| n.parse::<usize>().ok());
        match (path, number) {
            ("/", _) => Some(links_to(0..TOWNS.len())),
            ("/more.html", _) => Some(links_to(TOWNS.len()..TOWNS.len() + MORE)),
            (_, Some(number)) => Some((200, "text/html; charset=utf-8", page(&town(number)))),
            _ => None,
        }
    });
    let seeds = web.seeds(&["portal.example"]);
    let ran = run(web.command(&["crawl", "-q"]).arg(seeds).arg("--dir").arg(web.path("jobs/job")), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    web
}

fn page(town: &str) -> String {
    let paragraph = |who: &str| {
        format!(
            "<p>In {town} there was a story that nobody could tell in the way that the {who} people of the houses in {town} \
             did, because they were there when it was told for the first time, and they have not forgotten it.</p>"
        )
    };
    let (first, second): (String, String) =
        (["old", "young", "tall"].map(paragraph).concat(), ["short", "wise", "silly"].map(paragraph).concat());
    format!(
        "<!doctype html><html lang=en><title>{town}</title><body><ul class=menu><li><a href=/>Home</a></ul>\
         <div class=story><h1>The story of {town}</h1>{first}<div class='extra wide'><p>Whoever comes to {town} should stay \
         with those who have written to us from {town}, because they know where one eats well and where it is quiet.</p></div>\
         {second}</div><p>Subscribe to our letter and we will send it to you as soon as it is there.</p></body></html>"
    )
}

fn profile(job: &Path) -> Value {
    let ran = run(goldminer(&["profile", "show", "--json"]).arg(job).arg("portal.example"), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let versions: Value = serde_json::from_str(&ran.stdout).unwrap();
    versions.as_array().map_or(versions.clone(), |versions| versions.last().unwrap().clone())
}

/// The targets of links with this attribute.
fn leads(page: &Page, with: &str) -> Vec<String> {
    let links = page.body.split(with).skip(1).filter_map(|rest| rest.split("href=\"").nth(1)?.split('"').next());
    links.map(|link| link.replace("&amp;", "&")).collect()
}

#[test]
fn a_clicked_block_is_removed_everywhere_until_undone() {
    let world = crawled();
    let job = world.path("jobs/job");
    let console = ConsoleClient::open(&world.path("jobs"));
    let documents = texts(&job.join("corpus"));
    let url = documents.keys().next().unwrap();
    let address = |what: &str| format!("/job/job/{what}?url={}", url.replace(':', "%3A").replace('/', "%2F"));
    let editor = console.get(&address("edit"));
    assert_eq!(editor.status, 200, "{editor:?}");

    // The first block of the article that has a pattern.
    let cuts = leads(&editor, "data-action=\"cut\"");
    let shown = cuts.iter().map(|link| console.get(link)).find(|page| page.body.contains("div.extra.wide</code>"));
    let shown = shown.unwrap_or_else(|| panic!("no pattern is proposed:\n{}", editor.body));
    assert!(shown.body.contains("other pages") && shown.body.contains("characters"), "{}", shown.body);
    let field = |name: &str| shown.value_of(name).replace("&gt;", ">");
    let fields: Vec<(&str, String)> =
        ["url", "key", "version", "action", "pattern", "block"].map(|n| (n, field(n))).into();
    let send = |act: &'static str, version: &str| {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(n, v)| (*n, if *n == "version" { version } else { v })).collect();
        console.send("/job/job/edit", &[&fields[..], &[("act", act)]].concat()).body
    };
    let before = profile(&job)["profile"].clone();
    let version = before["version"].as_u64().unwrap();
    let refused = send("save", "99");
    assert!(refused.contains("Nothing was saved: version"), "another browser was first: {refused}");
    assert!(
        refused.contains("id=\"proposals\"") && refused.contains("div.extra.wide"),
        "the choice is kept: {refused}"
    );
    let said = send("save", &version.to_string());
    assert!(said.contains(&format!("Saved as version {} of portal.example", version + 1)), "{said}");
    let manual = profile(&job)["profile"]["manual"].clone();
    assert_eq!(manual, serde_json::json!({ "exclude": [field("pattern")] }));
    let file = console.get("/job/job/profile.toml?key=portal.example");
    assert!(file.body.contains(&format!("exclude = [\"{}\"]", field("pattern"))), "{file:?}");

    let out = world.path("out");
    let ran = run(goldminer(&["extract", "-q"]).arg(&job).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let after = texts(&out);
    let has_box = |texts: &BTreeMap<String, String>| texts.values().filter(|t| t.contains("Whoever comes to")).count();
    assert_eq!((has_box(&documents), has_box(&after)), (TOWNS.len(), 0));
    assert!(after.values().all(|text| text.contains("silly people")), "the article itself stays");

    let said = send("undo", &(version + 1).to_string());
    assert!(said.contains(&format!("Saved as version {}", version + 2)), "{said}");
    assert_eq!(profile(&job)["profile"]["manual"], before["manual"]);
    let ran = run(goldminer(&["extract", "-q", "--changed"]).arg(&job).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(texts(&out), documents, "all is as it was");
}

/// The address of a page's editor, with the wanted result for a block.
fn at(what: &str, url: &str, more: &[(&str, &str)]) -> String {
    let pairs = [("url", url)].into_iter().chain(more.iter().copied());
    format!("/job/job/{what}?{}", url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish())
}

/// The number of the block with these words.
fn block_of(editor: &Page, words: &str) -> String {
    let mut blocks = editor.body.split("<div class=\"block").skip(1);
    blocks.position(|block| block.contains(words)).expect("a block").to_string()
}

/// Saves the wanted result for a block by the first proposed pattern with this ending.
fn save(console: &ConsoleClient, url: &str, block: &str, action: &str, pattern_ends: &str) -> Page {
    let proposed = console.get(&at("edit", url, &[("block", block), ("action", action)]));
    let patterns: Vec<String> = proposed
        .body
        .split("<summary><code>")
        .skip(1)
        .map(|rest| rest.split("</code>").next().unwrap().replace("&gt;", ">"))
        .collect();
    let pattern = patterns.iter().find(|pattern| pattern.ends_with(pattern_ends));
    let pattern = pattern.unwrap_or_else(|| panic!("{pattern_ends} is not among {patterns:?}:\n{}", proposed.body));
    let field = |name: &str| (proposed.body.contains(&format!("name=\"{name}\""))).then(|| proposed.value_of(name));
    let (key, version, template) = (field("key").unwrap(), field("version").unwrap(), field("template"));
    let template = template.unwrap_or_default();
    let fields = [("url", url), ("key", &*key), ("version", &*version), ("template", &*template), ("block", block)];
    console.send("/job/job/edit", &[&fields[..], &[("action", action), ("pattern", pattern), ("act", "save")]].concat())
}

#[test]
fn a_profile_saved_during_the_crawl_cuts_later_pages() {
    let world = crawled();
    let (job, seeds) = (world.path("jobs/job"), world.path("seeds.toml"));
    let ran = run(goldminer(&["ctl"]).arg(&job).args(["add", "http://portal.example/more.html"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let mut command = goldminer(&["crawl", "-q", "--allow-private", "--delay", "700ms"]);
    command.current_dir(world.dir.path()).env_remove("GOLDMINER_USER_AGENT");
    command.args(["--resolve", &world.resolve_rule()]).arg(seeds).arg("--dir").arg(&job);
    let mut crawl = start(&mut command);
    let console = ConsoleClient::open(&world.path("jobs"));
    let is_asked = |number: usize| world.requests().iter().any(|(_, path)| *path == format!("/{number}.html"));
    while !is_asked(TOWNS.len() + 1) {
        pause(std::time::Duration::from_millis(20));
    }
    let url = "http://portal.example/3.html";
    let before = profile(&job)["profile"]["version"].as_u64().unwrap();
    let editor = console.get(&at("edit", url, &[]));
    let said = save(&console, url, &block_of(&editor, "Whoever comes to"), "cut", "div.extra");
    assert!(said.body.contains(&format!("Saved as version {} of portal.example", before + 1)), "{}", said.body);
    assert!(crawl.is_running(), "it was saved while the crawl ran");
    assert_eq!(profile(&job)["profile"]["version"], before + 1, "the crawl has it");
    let ran = crawl.end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");

    let documents = documents(&job.join("corpus"));
    let has_box = |number: usize| {
        let document = &documents[&format!("http://portal.example/{number}.html")];
        let version = document.provenance.profile.as_ref().unwrap().version;
        assert_eq!(u64::from(version) == before, document.text.contains("Whoever comes to"), "{number}: {version}");
        document.text.contains("Whoever comes to")
    };
    assert!((0..TOWNS.len()).all(&has_box), "what was cut before stays as it was");
    assert!(!has_box(TOWNS.len() + MORE - 1), "the last page was extracted later");
}

#[test]
fn clicked_comments_and_metadata_are_part_of_the_profile() {
    let article = |number: usize| {
        let town = town(number);
        page(&town).replace(
            "<div class=story><h1>",
            &format!(
                "<div class=story><div class=top>News of the day from {town}</div><div class=sign><span class=who>Anna Nagy</span> \
                 <span class=when>{}. March 2026</span></div><h1>",
                number + 1
            ),
        )
    };
    let web = SmallWeb::new(move |_, path| {
        let number = path.trim_start_matches('/').strip_suffix(".html").and_then(|n| n.parse::<usize>().ok());
        match (path, number) {
            ("/", _) => Some(links_to(0..TOWNS.len())),
            (_, Some(number)) => Some((200, "text/html; charset=utf-8", article(number))),
            _ => None,
        }
    });
    let seeds = web.seeds(&["portal.example"]);
    let job = web.path("jobs/job");
    let ran = run(web.command(&["crawl", "-q"]).arg(seeds).arg("--dir").arg(&job), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let console = ConsoleClient::open(&web.path("jobs"));
    let url = "http://portal.example/3.html";
    let editor = console.get(&at("edit", url, &[]));
    for (begins, action, pattern) in [
        ("News of the day", "headline", "div.top"),
        ("Anna Nagy", "authors", "span.who"),
        ("Anna Nagy", "published", "span.when"),
        ("Whoever comes to", "comments", "div.extra"),
    ] {
        let said = save(&console, url, &block_of(&editor, begins), action, pattern);
        assert!(said.body.contains("Saved as version"), "{action}: {}", said.body);
    }
    let shown = run(goldminer(&["profile", "show"]).arg(&job).arg("portal.example"), LONG).stdout;
    for line in ["title: div.story > div.top", "author: ", "published: ", "comments: div.extra"] {
        assert!(shown.contains(line), "{line} is missing in {shown}");
    }
    // The profile is exported, merged into a file of profiles, and used by an extraction without other profiles.
    let (file, book) = (web.path("profiles/portal.example.toml"), web.path("profiles.gmp"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, console.get("/job/job/profile.toml?key=portal.example").body).unwrap();
    let ran = run(goldminer(&["profile", "merge"]).arg(&file).arg("-o").arg(&book), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let shown = run(goldminer(&["profile", "show"]).arg(&book).arg("portal.example"), LONG).stdout;
    assert!(shown.contains("comments: div.extra"), "{shown}");
    let out = web.path("out");
    let ran = run(
        goldminer(&["extract", "-q"]).arg(&job).arg("-o").arg(&out).arg("--profiles").arg(file.parent().unwrap()),
        LONG,
    );
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let documents = documents(&out);
    assert_eq!(documents.len(), TOWNS.len());
    for (number, town) in TOWNS.iter().enumerate() {
        let document = &documents[&format!("http://portal.example/{number}.html")];
        let headline = format!("News of the day from {town}");
        assert!(document.text.starts_with(&headline) && !document.text.contains("Whoever"), "{}", document.text);
        let about = &document.metadata;
        assert_eq!((about.title.as_deref(), &about.authors[..]), (Some(&*headline), &["Anna Nagy".to_owned()][..]));
        assert_eq!(about.published.as_deref(), Some(&*format!("2026-03-{:02}", number + 1)));
    }
}
