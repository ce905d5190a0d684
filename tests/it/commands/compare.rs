//! The commands about methods, from a user's view: `compare`, `train`, and the methods of `extract`.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

fn goldminer(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_goldminer")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A small portal with gold: `pages/p.example/<n>.html` and `gold/p.example/<n>.txt`.
fn portal(folder: &Path, pages: usize) {
    for part in ["pages/p.example", "gold/p.example"] {
        std::fs::create_dir_all(folder.join(part)).unwrap();
    }
    let menu = "<ul>".to_owned() + &"<li><a href=/s>Section</a>".repeat(12) + "</ul>";
    for n in 0..pages {
        let title = format!("What the council of ward {n} decided");
        let body = format!(
            "The council of ward {n} met on day {} to discuss the new bridge, and after {} hours of debate its members \
             agreed that they would ask the citizens, who are going to vote on what they think about plan {}, which is \
             said to cost more than any other in the history of the town.",
            n * 7 % 31,
            n % 5 + 2,
            n * 13
        );
        let html = format!(
            "<title>{title} | P</title>{menu}<div class=story><h1>{title}</h1><p>{body}</p>\
             <p>{body} It was late.</p></div>\
             <div>Copyright P. Terms of use. Login.</div>{menu}"
        );
        std::fs::write(folder.join(format!("pages/p.example/{n}.html")), html).unwrap();
        let gold = format!("URL: http://p.example/{n}\n\n<h>{title}\n<p>{body}\n<p>{body} It was late.\n");
        std::fs::write(folder.join(format!("gold/p.example/{n}.txt")), gold).unwrap();
    }
}

fn rows(output: &Output) -> Vec<(String, f64)> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    let row = |row: &Value| (row["method"].as_str().unwrap().to_owned(), row["all"]["micro"]["f"].as_f64().unwrap());
    table["rows"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn one_table_has_all_methods_and_another_tools_output() {
    let folder = tempfile::tempdir().unwrap();
    portal(folder.path(), 12);
    let methods = "all-text,bte,boilerpipe,boilerpipe-tree,ncleaner,justext,goldminer,goldminer+onion";
    let arguments = ["compare", ".", "gold", "--methods", methods, "--with", "gold itself=gold", "--json", "-q"];
    let rows = rows(&goldminer(&arguments, folder.path()));
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.join(","), format!("{methods},gold itself"));
    let f = |wanted: &str| rows.iter().find(|(name, _)| name == wanted).unwrap().1;
    assert_eq!(f("gold itself"), 1.0);
    for method in ["bte", "boilerpipe", "ncleaner", "goldminer"] {
        assert!(f(method) > f("all-text") + 0.05, "{method}: {rows:?}");
    }
}

#[test]
fn compare_works_on_the_demo_portals() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["compare", "--demo", "--methods", "all-text,boilerpipe,goldminer", "--markdown"];
    let output = goldminer(&arguments, folder.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.contains("| boilerpipe |") && table.contains("courier.example"), "{table}");
}

#[test]
fn ncleaner_needs_a_model_and_uses_it() {
    let folder = tempfile::tempdir().unwrap();
    portal(folder.path(), 8);
    let bare = goldminer(&["extract", ".", "-o", "out", "--method", "ncleaner"], folder.path());
    assert_eq!(bare.status.code(), Some(2));
    assert!(text(&bare.stderr).contains("goldminer train"), "{}", text(&bare.stderr));

    let trained = goldminer(&["train", "--gold", "gold", "--pages", ".", "-o", "p.model", "--json"], folder.path());
    assert!(trained.status.success(), "{}", text(&trained.stderr));
    let summary: Value = serde_json::from_slice(&trained.stdout).unwrap();
    let parameters = json!({ "n": 3, "q": 0.5, "alphabet": "ascii" });
    assert_eq!(summary, json!({ "model": "p.model", "pages": 8, "parameters": parameters }));
    let arguments =
        ["extract", ".", "-o", "out", "--method", "ncleaner", "--model", "p.model", "--format", "cleaneval"];
    let output = goldminer(&arguments, folder.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let clean = std::fs::read_to_string(folder.path().join("out/p.example/3.txt")).unwrap();
    assert!(clean.contains("The council of ward 3") && !clean.contains("Section"), "{clean}");

    std::fs::write(folder.path().join("bad.model"), "<html>").unwrap();
    let arguments = ["extract", ".", "-o", "out", "--method", "ncleaner", "--model", "bad.model"];
    let bad = goldminer(&arguments, folder.path());
    assert_eq!(bad.status.code(), Some(1));
    assert!(text(&bad.stderr).contains("bad.model"), "{}", text(&bad.stderr));
}

#[test]
fn training_overwrites_no_file_of_another_kind() {
    let folder = tempfile::tempdir().unwrap();
    portal(folder.path(), 8);
    let thesis = folder.path().join("thesis.txt");
    std::fs::write(&thesis, "three years of work\n").unwrap();
    let ncleaner = ["train", "--gold", "gold", "--pages", ".", "-o"];
    for command in [&ncleaner[..], &["train", "classifier", ".", "-o"], &["train", "confidence", ".", "-o"]] {
        let refused = goldminer(&[command, &["thesis.txt"]].concat(), folder.path());
        assert_eq!(refused.status.code(), Some(2), "{command:?}");
        assert!(
            text(&refused.stderr).contains("-o thesis.txt already exists and is not a"),
            "{}",
            text(&refused.stderr)
        );
        assert_eq!(std::fs::read(&thesis).unwrap(), b"three years of work\n");
    }
    for _ in 0..2 {
        let trained = goldminer(&[&ncleaner[..], &["p.model"]].concat(), folder.path());
        assert!(trained.status.success(), "a model replaces an earlier one: {}", text(&trained.stderr));
    }
}

#[test]
fn onion_removes_texts_of_earlier_pages_and_reports_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("p.example")).unwrap();
    let promo = "Subscribe to our letter, and you will have the news of the whole day before breakfast, every day.";
    for (name, news) in [
        (
            "a",
            "The first cars crossed the new bridge this morning, after four years of work that cost the town \
        more than anybody thought.",
        ),
        (
            "b",
            "Rain is expected in the north of the country, while the south will stay dry and warm for \
        all of the coming week.",
        ),
    ] {
        std::fs::write(folder.path().join(format!("p.example/{name}.html")), format!("<p>{news}<p>{promo}")).unwrap();
    }
    let arguments = ["extract", ".", "-o", "out", "--method", "all-text", "--onion", "--format", "cleaneval"];
    assert!(goldminer(&arguments, folder.path()).status.success());
    let out = |name: &str| std::fs::read_to_string(folder.path().join(format!("out/p.example/{name}.txt"))).unwrap();
    assert!(out("a").contains(promo) && !out("b").contains(promo) && out("b").contains("Rain is expected"));
}

#[test]
fn an_unknown_method_is_answered_with_the_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let output = goldminer(&["compare", "--demo", "--methods", "readability"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("boilerpipe-tree"), "{}", text(&output.stderr));
}
