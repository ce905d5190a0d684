//! The profile editor: what is pointed at becomes a hand-made template, other pages change as was shown, and nobody's version is
//! overwritten.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::console_client::{ConsoleClient, Page};
use crate::crawl_world::{LONG, goldminer, run, texts};
use crate::small_web::{SmallWeb, links};

const TOWNS: [&str; 12] =
    ["Rome", "Oslo", "Bern", "Riga", "Kyiv", "Graz", "Lyon", "Bonn", "Bath", "Cork", "Pisa", "Vigo"];

/// A portal whose articles have a box of text that is none of theirs, crawled into `jobs/job`.
fn crawled() -> SmallWeb {
    let web = SmallWeb::new(|_, path| {
        let number = path.trim_start_matches('/').strip_suffix(".html").and_then(|n| n.parse::<usize>().ok());
        match (path, number) {
            ("/", _) => {
                let all: Vec<String> = (0..TOWNS.len()).map(|number| format!("/{number}.html")).collect();
                Some(links(&all.iter().map(String::as_str).collect::<Vec<_>>()))
            }
            (_, Some(number)) => Some((200, "text/html; charset=utf-8", page(TOWNS[number]))),
            _ => None,
        }
    });
    let seeds = web.seeds(&["portal.example"]);
    let ran = run(web.asking(&["crawl", "-q"]).arg(seeds).arg("--dir").arg(web.path("jobs/job")), LONG);
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

/// Where links with this attribute lead.
fn leads(page: &Page, with: &str) -> Vec<String> {
    let links = page.body.split(with).skip(1).filter_map(|rest| rest.split("href=\"").nth(1)?.split('"').next());
    links.map(|link| link.replace("&amp;", "&")).collect()
}

#[test]
fn a_block_that_is_cut_by_pointing_is_gone_from_other_documents_until_it_is_taken_back() {
    let world = crawled();
    let job = world.path("jobs/job");
    let console = ConsoleClient::open(&world.path("jobs"));
    let documents = texts(&job.join("corpus"));
    let url = documents.keys().next().unwrap();
    let address = |what: &str| format!("/job/job/{what}?url={}", url.replace(':', "%3A").replace('/', "%2F"));
    let editor = console.get(&address("edit"));
    assert_eq!(editor.status, 200, "{editor:?}");

    // The first block of the article that has a pattern.
    let cuts = leads(&editor, "data-wish=\"cut\"");
    let shown = cuts.iter().map(|link| console.get(link)).find(|page| page.body.contains("div.extra.wide</code>"));
    let shown = shown.unwrap_or_else(|| panic!("no pattern is proposed:\n{}", editor.body));
    assert!(shown.body.contains("other pages") && shown.body.contains("characters"), "{}", shown.body);
    let field = |name: &str| shown.value_of(name).replace("&gt;", ">");
    let fields: Vec<(&str, String)> =
        ["url", "key", "version", "wish", "pattern", "template"].map(|n| (n, field(n))).into();
    let send = |act: &'static str, version: &str| {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(n, v)| (*n, if *n == "version" { version } else { v })).collect();
        console.send("/job/job/edit", &[&fields[..], &[("act", act)]].concat()).body
    };
    let before = profile(&job)["profile"].clone();
    let version = before["version"].as_u64().unwrap();
    assert!(send("save", "99").contains("nothing was saved: meanwhile there is version"), "another browser was first");
    let said = send("save", &version.to_string());
    assert!(said.contains(&format!("Saved as version {} of portal.example", version + 1)), "{said}");
    let template = profile(&job)["profile"]["template"][0].clone();
    assert_eq!(template["hand_made"], true);
    assert!(template["drops"].as_array().unwrap().contains(&Value::from(field("pattern"))), "{template:#}");
    let file = console.get("/job/job/profile.toml?key=portal.example");
    assert!(file.body.contains("hand_made = true") && file.body.contains(&field("pattern")), "{file:?}");

    let out = world.path("out");
    let ran = run(goldminer(&["extract", "-q"]).arg(&job).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let after = texts(&out);
    let has_box = |texts: &BTreeMap<String, String>| texts.values().filter(|t| t.contains("Whoever comes to")).count();
    assert_eq!((has_box(&documents), has_box(&after)), (TOWNS.len(), 0));
    assert!(after.values().all(|text| text.contains("silly people")), "the article itself stays");

    let said = send("undo", &(version + 1).to_string());
    assert!(said.contains(&format!("Saved as version {}", version + 2)), "{said}");
    assert_eq!(profile(&job)["profile"]["template"], before["template"]);
    let ran = run(goldminer(&["extract", "-q", "--changed"]).arg(&job).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(texts(&out), documents, "all is as it was");
}
