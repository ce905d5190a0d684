//! Extracts one page: with learned profiles if a folder of them is given, or else by its own text alone.
//!
//! ```text
//! cargo run --example extract_page -- page.html http://portal.example/news/7 [domain-profiles/]
//! ```

use goldminer_core::{DomainProfile, ProfileSet};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(page), Some(url)) = (arguments.next(), arguments.next()) else {
        anyhow::bail!("name an HTML file and the URL that it came from");
    };
    let mut profiles: Vec<DomainProfile> = Vec::new();
    if let Some(folder) = arguments.next() {
        for file in std::fs::read_dir(folder)? {
            profiles.push(std::fs::read_to_string(file?.path())?.parse()?);
        }
    }
    let profiles = ProfileSet::from_iter(profiles);
    let document = profiles.extract(std::fs::read(page)?, &url)?;
    println!("{}\n\n{}", document.metadata.title.as_deref().unwrap_or("(no title)"), document.text);
    Ok(())
}
