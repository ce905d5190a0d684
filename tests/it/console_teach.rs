//! Teaching: pages that a person marks are kept as gold, the domain learns with them, and what it learns is saved.

use crate::console_client::{ConsoleClient, Page};
use crate::console_editor::crawled;
use crate::crawl_world::{LONG, goldminer, run, texts};

/// The numbers of the blocks that are checked, and of all.
fn checked(form: &Page) -> (Vec<usize>, usize) {
    let boxes: Vec<&str> = form.body.split("<input type=\"checkbox\"").skip(1).collect();
    let is_checked = |at: &usize| boxes[*at].split('>').next().unwrap().contains("checked");
    ((0..boxes.len()).filter(is_checked).collect(), boxes.len())
}

#[test]
fn pages_that_are_marked_are_kept_as_gold_and_teach_the_domain() {
    let world = crawled();
    let job = world.path("jobs/job");
    let console = ConsoleClient::open(&world.path("jobs"));
    let teach = console.get("/job/job/teach?domain=portal.example");
    assert_eq!(teach.status, 200, "{teach:?}");
    for number in [2, 7] {
        let url = format!("http://portal.example/{number}.html");
        let form = console.get(&format!("/job/job/mark?url=http%3A%2F%2Fportal.example%2F{number}.html"));
        let (kept, all) = checked(&form);
        // The first is the number of blocks.
        let is_box = |at: &usize| form.body.split("name=\"b").nth(at + 2).unwrap().contains("Whoever comes to");
        assert!(kept.iter().any(is_box), "the profile keeps the box: {kept:?}");
        let names: Vec<String> = kept.iter().filter(|at| !is_box(at)).map(|at| format!("b{at}")).collect();
        let all = all.to_string();
        let mut fields = vec![("url", url.as_str()), ("blocks", all.as_str()), ("act", "keep")];
        fields.extend(names.iter().map(|name| (name.as_str(), "1")));
        let said = console.send("/job/job/mark", &fields);
        assert!(said.body.contains("The marks are kept"), "{}", said.body);
        let again = checked(&console.get(&format!("/job/job/mark?url=http%3A%2F%2Fportal.example%2F{number}.html")));
        assert_eq!(again.0.len(), names.len(), "they are found again");
        let stale = console.send("/job/job/mark", &[("url", &url), ("blocks", "3"), ("act", "keep")]);
        assert!(stale.body.contains("was fetched again meanwhile"), "{}", stale.body);
    }
    let gold = std::fs::read_to_string(job.join("gold/portal.example/portal.example/2.html.txt")).unwrap();
    assert!(gold.contains("\n<h>The story of Bern\n") && !gold.contains("Whoever"), "{gold}");
    let set = console.get("/job/job/gold.zip?domain=portal.example");
    assert_eq!((set.status, set.header("content-type")), (200, "application/zip"));
    assert!(set.body.contains("gold/portal.example/portal.example/7.html.txt") && set.body.contains("meta.tsv"));

    let learned = console.get("/job/job/teach?domain=portal.example&learn=1");
    assert!(learned.body.contains("What would be learned"), "{}", learned.body);
    let version = learned.value_of("version");
    let refused = console.send("/job/job/teach", &[("domain", "portal.example"), ("version", "77")]);
    assert!(refused.body.contains("Nothing was saved: meanwhile"), "{}", refused.body);
    let saved = console.send("/job/job/teach", &[("domain", "portal.example"), ("version", &version)]);
    assert!(saved.body.contains("Saved as version"), "{}", saved.body);

    let out = world.path("out");
    let ran = run(goldminer(&["extract", "-q"]).arg(&job).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let after = texts(&out);
    assert!(after.values().all(|text| !text.contains("Whoever") && text.contains("silly people")), "{after:?}");
    let (marked, gold) = (world.path("marked"), job.join("gold"));
    let ran = run(goldminer(&["extract", "-q", "--format", "cleaneval"]).arg(&job).arg("-o").arg(&marked), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let scored = run(goldminer(&["eval"]).arg(&marked).arg(&gold), LONG).stdout;
    assert!(scored.starts_with("2 pages, 0 of them without output") && scored.contains("100.00"), "{scored}");
}
