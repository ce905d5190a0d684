//! Folders of HTML files as sources: which portal they are, and what their files are called.

use std::path::Path;

use goldminer_core::document::Document;

use crate::crawl_world::{LONG, documents, goldminer, run};
use crate::extract::outputs::article;
use crate::extract::sources::{extract, temp_dir, texts, write};

/// Writes the files that `wget --mirror` writes.
fn website(root: &Path) {
    for file in ["index.html", "2024/index.html", "2024/05/bridge.html", "2025/01/river.html", "about/us.html"] {
        write(&root.join(file), article(file));
    }
    write(&root.join("style.css"), "p { margin: 0 }");
}

#[test]
fn the_folder_of_a_website_is_one_portal_or_needs_its_url() {
    let (dir, out) = temp_dir();
    let mirror = dir.path().join("mirror");
    website(&mirror);
    let ran = extract(&mirror, &out, &[]);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("2024/") && ran.stderr.contains("--url-prefix https://"), "{}", ran.stderr);

    let ran = extract(&mirror, &out, &["--url-prefix", "https://www.portal.example/"]);
    let found = texts(&ran, &out);
    assert_eq!(found.len(), 5, "{ran:?}");
    assert!(found.contains_key("https://www.portal.example/2024/05/bridge.html"), "{found:?}");
    assert!(found.contains_key("https://www.portal.example/2024/"), "{found:?}");
    let domains = |document: &Document| document.metadata.domain.clone();
    assert!(documents(&out).values().map(domains).all(|domain| domain == "portal.example"));
}

#[test]
fn a_folder_named_pages_in_a_website_hides_no_other_page() {
    let (dir, out) = temp_dir();
    let mirror = dir.path().join("mirror");
    website(&mirror);
    write(&mirror.join("pages/contact.html"), article("contact"));
    let ran = extract(&mirror, &out, &["--url-prefix", "https://www.portal.example/"]);
    let found = texts(&ran, &out);
    assert_eq!(found.len(), 6, "{ran:?}");
    assert!(found.contains_key("https://www.portal.example/pages/contact.html"), "{found:?}");

    // Without a URL, the command says that it needs one, as for every website.
    let ran = extract(&mirror, &dir.path().join("asked"), &[]);
    assert!(ran.code() == Some(1) && ran.stderr.contains("--url-prefix https://"), "{ran:?}");

    // A folder with only a website's pages is a website, too, if its URL is given.
    let (only, out) = (dir.path().join("only"), dir.path().join("of-only"));
    write(&only.join("pages/2024/a.html"), article("a"));
    let found = texts(&extract(&only, &out, &["--url-prefix", "https://www.portal.example/"]), &out);
    assert!(found.contains_key("https://www.portal.example/pages/2024/a.html"), "{found:?}");
}

#[test]
fn documents_of_files_name_their_file_and_no_foreign_url() {
    let (dir, out) = temp_dir();
    let mirror = dir.path().join("mirror");
    let foreign = "<link rel=canonical href=https://www.other.example/stolen><title>";
    write(&mirror.join("2024/a.html"), article("a").replace("<title>", foreign));
    write(&mirror.join("b.html"), article("b"));
    extract(&mirror, &out, &["--url-prefix", "https://www.portal.example/"]);
    let found = documents(&out);
    let of = |url: &str| &found[url];
    let a = of("https://www.portal.example/2024/a.html");
    assert_eq!(a.provenance.file.as_deref(), Some("2024/a.html"));
    assert_eq!(a.metadata.canonical.as_deref(), Some("https://www.other.example/stolen"));
    assert_eq!(of("https://www.portal.example/b.html").provenance.file.as_deref(), Some("b.html"));

    let (set, out) = (dir.path().join("set"), dir.path().join("of-set"));
    write(&set.join("pages/a.example/1.html"), article("a").replace("<title>", foreign));
    extract(&set, &out, &[]);
    let found = documents(&out);
    assert_eq!(found["a.example/1"].provenance.file.as_deref(), Some("a.example/1.html"));
}

#[test]
fn a_set_of_pages_may_have_other_files_beside_it() {
    let dir = temp_dir().0;
    for (name, beside) in [("list", "meta.tsv"), ("notes", "README"), ("gold", "gold/a.example/1.txt")] {
        let set = dir.path().join(name);
        write(&set.join("pages/a.example/1.html"), article("one"));
        write(&set.join(beside), "id\tdomain\n1\ta.example\n");
        // Files beside a list are not pages of the set.
        if name == "list" {
            write(&set.join("gold/1.html"), article("gold"));
        }
        let out = dir.path().join(format!("{name}-out"));
        assert_eq!(texts(&extract(&set, &out, &[]), &out).len(), 1, "{name}");
        assert!(documents(&out).values().all(|document| document.metadata.domain == "a.example"), "{name}");
    }
}

#[test]
fn the_name_of_a_mirrors_folder_is_its_host() {
    let (dir, out) = temp_dir();
    let mirror = dir.path().join("www.portal.example");
    website(&mirror);
    assert_eq!(texts(&extract(&mirror, &out, &[]), &out).len(), 5);
    assert!(documents(&out).values().all(|document| document.metadata.domain == "www.portal.example"));
    // Beside other mirrors, the name of each folder is its host, too.
    let both = dir.path().join("both");
    website(&dir.path().join("www.other.example"));
    assert_eq!(texts(&extract(dir.path(), &both, &["--domain", "www.other.example"]), &both).len(), 5);
}

#[test]
fn advice_for_a_website_has_the_url_that_its_pages_name() {
    let (dir, out) = temp_dir();
    for section in ["news", "sport"] {
        let page = article(section).replace("<title>", "<link rel=canonical href=https://www.portal.example/x><title>");
        write(&dir.path().join("saved").join(section).join("1.html"), page);
    }
    let ran = extract(&dir.path().join("saved"), &out, &[]);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("--url-prefix https://www.portal.example/"), "{}", ran.stderr);
}

#[test]
fn an_output_inside_a_source_is_skipped_and_reported() {
    let (dir, out) = temp_dir();
    let source = dir.path().join("portal.example");
    (1..10).for_each(|n| write(&source.join(format!("{n}.html")), article(&n.to_string())));
    let inside = ["html", "jsonl"].map(|format| (format, source.join(format)));
    for (format, inside) in &inside {
        let ran = extract(&source, inside, &["--format", format]);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }
    let ran = extract(&source, &out, &[]);
    assert_eq!(texts(&ran, &out).len(), 9);
    for (_, inside) in &inside {
        let expected = format!("{} is an output of GoldMiner and is not read", inside.display());
        assert!(ran.stderr.contains(&expected), "{ran:?}");
    }
}

#[test]
fn outputs_of_the_program_are_not_sources() {
    let (dir, out) = temp_dir();
    let pages = dir.path().join("set/pages/a.example");
    (1..10).for_each(|n| write(&pages.join(format!("{n}.html")), article(&n.to_string())));
    texts(&extract(&dir.path().join("set"), &out, &[]), &out);
    let (corpus, tei, profiles) = (dir.path().join("corpus"), dir.path().join("tei"), dir.path().join("profiles"));
    for (format, folder) in [("jsonl", &corpus), ("tei", &tei)] {
        let ran = run(goldminer(&["convert", "--format", format]).arg(&out).arg("-o").arg(folder), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }
    let ran = run(goldminer(&["learn"]).arg(dir.path().join("set")).arg("-o").arg(&profiles), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    for (source, expected) in [
        (&out, "is an output of GoldMiner"),
        (&corpus, "is a corpus"),
        (&tei, "is a corpus"),
        (&profiles, "is a profile"),
    ] {
        let ran = extract(source, &dir.path().join("again"), &[]);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}
