//! Foreign texts on a terminal: whatever is in pages, addresses and profiles, nothing moves the cursor, changes the
//! window's title, sends input as if the user typed, or reverses a line.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::crawl_world::{LONG, Ran, goldminer, run};

/// Control characters that change the window's title and the colours, clear the screen, overwrite the line and reverse
/// it.
const CONTROLS: &str = "\u{1b}]0;owned\u{7}\u{1b}[31m\u{1b}[2J\u{9b}1A\r\u{8}\u{202e}\u{2066}";

/// The control sequences of our own colours.
const OUR_STYLES: [&str; 6] = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[34m"];

/// The settings of a terminal with colours.
fn coloured(command: &mut Command) -> Ran {
    run(command.env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR"), LONG)
}

fn assert_no_control_sequences(what: &str, output: &str) {
    let mut rest = output.to_owned();
    OUR_STYLES.iter().for_each(|sequence| rest = rest.replace(sequence, ""));
    let is_control = |c: char| {
        c.is_control() && c != '\n' && c != '\t' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!rest.contains(is_control), "{what}: {output:?}");
}

fn profile_file(folder: &Path) -> String {
    let json = serde_json::to_string(&format!("by {CONTROLS}")).unwrap();
    let file = folder.join("portal.example.toml");
    let text = format!(
        "key = \"portal.example\"\nprogram = {json}\nlanguage = {json}\nlearned_at = \"2026-11-20T09:15:00Z\"\n\n\
         [[template]]\nhand_made = true\nstart = \"div.story\"\n"
    );
    std::fs::write(&file, text.replace("\\u007f", "")).unwrap();
    file.display().to_string()
}

#[test]
fn control_characters_of_pages_and_profiles_are_escaped() {
    let dir = tempfile::tempdir().unwrap();
    let file = profile_file(dir.path());
    let folder = dir.path().display().to_string();
    let page = dir.path().join("page.html");
    let story = "It rained all day in the town, and nobody who had an umbrella was willing to lend it to the others. ";
    let html = format!(
        "<html lang=en><title>{CONTROLS} title</title><div class=story><h1>A headline {CONTROLS}</h1><p>{0} {CONTROLS}&#27;[2J&#x202e; {0}<p>{0}</div>",
        story.repeat(3)
    );
    std::fs::write(&page, html).unwrap();
    let page = page.display().to_string();
    for (arguments, expected) in [
        (vec!["profile", "show", &folder, "portal.example"], "\\u{1b}]0;owned\\u{7}"),
        (vec!["profile", "list", &folder], "portal.example"),
        (vec!["profile", "test", "--profiles", &file, &page], "\\u{202e}"),
    ] {
        let ran = coloured(&mut goldminer(&arguments));
        assert_eq!(ran.code(), Some(0), "{arguments:?}: {ran:?}");
        assert!(ran.stdout.contains(expected), "{arguments:?}: {}", ran.stdout);
        assert_no_control_sequences(&format!("{arguments:?}"), &ran.stdout);
        assert!(ran.stdout.contains('\u{1b}') || arguments[1] == "list", "no colours at all: {arguments:?}");
    }
    let ran = coloured(&mut goldminer(&["profile", "show", "--json", &folder, "portal.example"]));
    assert_no_control_sequences("JSON", &ran.stdout);
    let shown: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(shown.to_string().contains("owned"), "{shown:#}");
}

#[test]
fn control_characters_in_messages_are_escaped() {
    let dir = tempfile::tempdir().unwrap();
    let strange = dir.path().join(format!("job{CONTROLS}")).display().to_string();
    for arguments in [
        vec!["status", &strange],
        vec!["why", &strange, "http://p.example/"],
        vec!["profile", "show", &strange, CONTROLS],
    ] {
        let ran = coloured(&mut goldminer(&arguments));
        assert_eq!(ran.code(), Some(1), "{arguments:?}: {ran:?}");
        assert_no_control_sequences(&format!("{arguments:?}"), &ran.stderr);
    }
}

#[test]
fn a_plain_text_corpus_has_no_control_characters() {
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("page.html");
    let story = "It rained all day in the town, and nobody who had an umbrella was willing to lend it to the others. ";
    let html = format!(
        "<html lang=en><title>{CONTROLS} title</title><body><h1>A headline {CONTROLS}</h1><p>{0} {CONTROLS}&#27;[2J {0}<p>{0}",
        story.repeat(3)
    );
    std::fs::write(&page, html).unwrap();
    let (corpus, text) = (dir.path().join("corpus"), dir.path().join("text"));
    let extracted = run(goldminer(&["extract", "-q"]).arg(&page).arg("-o").arg(&corpus), LONG);
    assert_eq!(extracted.code(), Some(0), "{extracted:?}");
    let converted = run(goldminer(&["convert", "-q", "--format", "text"]).arg(&corpus).arg("-o").arg(&text), LONG);
    assert_eq!(converted.code(), Some(0), "{converted:?}");
    let file = std::fs::read_dir(&text)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|e| e == "txt"));
    let written = std::fs::read_to_string(file.expect("a text file")).unwrap();
    assert!(written.contains("It rained all day") && written.contains("[2J"), "{written:?}");
    assert!(!written.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{written:?}");
}

#[test]
fn a_profile_with_an_impossible_key_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (key, expected) in [
        ("portal\\u001B[31m.example".to_owned(), "has the character '\\u{1b}' in it"),
        ("portal.example\\u0000".to_owned(), "has the character '\\0' in it"),
        ("a".repeat(70_000), "has 70000 bytes"),
    ] {
        let file = dir.path().join("stranger.toml");
        std::fs::write(&file, format!("# mine\nkey = \"{key}\"\n[[template]]\nhand_made = true\nstart = \"div\"\n"))
            .unwrap();
        let ran = coloured(goldminer(&["profile", "list"]).arg(dir.path()));
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        for part in ["stranger.toml", "line 2", expected] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
        assert_no_control_sequences("the message", &ran.stderr);
        assert!(ran.stderr.len() < 1_000, "{} bytes of message", ran.stderr.len());
    }
}
