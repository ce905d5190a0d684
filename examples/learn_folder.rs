//! Learns the profile of a portal from a folder of its pages, then extracts each page with this profile.
//!
//! ```text
//! cargo run --example learn_folder -- portal.example pages/
//! ```
//!
//! The name of a file stands for the page's path: `pages/news/7.html` is `http://portal.example/news/7.html`.

use std::path::Path;

use anyhow::Context;
use goldminer_core::{Learner, ProfileSet};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(domain), Some(folder)) = (arguments.next(), arguments.next()) else {
        anyhow::bail!("name a domain and a folder of its pages");
    };
    let mut pages = Vec::new();
    read_folder(Path::new(&folder), &format!("http://{domain}"), &mut pages)
        .with_context(|| format!("cannot read {folder}"))?;
    pages.sort();

    let mut learner = Learner::new(&domain)?;
    for (url, html) in &pages {
        learner.add(html, url)?;
    }
    let profile = learner.learn()?;
    println!("{}", profile.to_toml());
    let profiles = ProfileSet::from(profile);
    for (url, html) in &pages {
        match profiles.extract(html, url) {
            Ok(document) => println!("{url}: {} characters", document.text.chars().count()),
            Err(reason) => println!("{url}: {reason}"),
        }
    }
    Ok(())
}

fn read_folder(folder: &Path, url: &str, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let url = format!("{url}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            read_folder(&entry.path(), &url, pages)?;
        } else {
            pages.push((url, std::fs::read(entry.path())?));
        }
    }
    Ok(())
}
