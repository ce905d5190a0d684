//! Writes small pages of the test web with their gold texts and learned profiles to `crates/core/tests/gold`, which
//! tests use to check the quality of extraction.
//!
//! ```text
//! cargo run -p goldminer-testkit --example gold_pages -- crates/core/tests/gold
//! ```

use std::fmt::Write as _;
use std::path::PathBuf;

use goldminer_core::address::CrawlUrl;
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::page::{Page, encoding};
use goldminer_testkit::portals::{Portal, Portals, Size};

/// The articles of each portal that are written. The profile is learned from the others.
const WRITTEN: [usize; 4] = [3, 17, 29, 41];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name the folder to write to")?);
    for portal in Portals::demo(&Size { scale: 0.6, ..Size::default() }).iter() {
        let folder = folder.join(&portal.host);
        std::fs::create_dir_all(&folder)?;
        let mut learner = Learner::of(url(&portal, 0)?.domain());
        for number in (0..portal.newsroom.articles).filter(|number| !WRITTEN.contains(number)) {
            let reply = portal.reply(&portal.article_path(number), false);
            let text = encoding::decode(&reply.body, Some(&reply.content_type)).text.into_owned();
            learner.add_page(&Page::parse(text), Some(&url(&portal, number)?));
        }
        let profile = learner.learn()?;
        std::fs::write(folder.join("profile.toml"), profile.to_toml())?;
        let mut pages = "id\turl\tcontent_type\n".to_owned();
        for number in WRITTEN {
            let reply = portal.reply(&portal.article_path(number), false);
            writeln!(pages, "{number}\t{}\t{}", url(&portal, number)?, reply.content_type)?;
            std::fs::write(folder.join(format!("{number}.html")), &reply.body)?;
            let gold = portal.gold_article(number).paragraphs;
            let lines: String = gold.iter().map(|(kind, text)| format!("<{}>{text}\n", kind.as_str())).collect();
            std::fs::write(folder.join(format!("{number}.txt")), lines)?;
        }
        std::fs::write(folder.join("pages.tsv"), pages)?;
    }
    Ok(())
}

fn url(portal: &Portal, article: usize) -> Result<CrawlUrl, goldminer_core::address::AddressError> {
    CrawlUrl::parse(&format!("http://{}{}", portal.host, portal.article_path(article)))
}
