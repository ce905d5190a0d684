//! Reads a corpus, document by document, and counts the documents and their characters by domain and year.
//!
//! ```text
//! cargo run --example read_corpus -- demo-crawl/corpus
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;

fn main() -> anyhow::Result<()> {
    let corpus = PathBuf::from(std::env::args().nth(1).context("name a corpus: a folder or a file")?);
    let mut years: BTreeMap<(String, String), (u64, usize)> = BTreeMap::new();
    for document in goldminer_corpus::read(&corpus)? {
        let document = document?;
        let year = document.metadata.published.as_deref().and_then(|date| date.get(..4)).unwrap_or("undated");
        let (documents, characters) = years.entry((document.metadata.domain, year.to_owned())).or_default();
        *documents += 1;
        *characters += document.text.chars().count();
    }
    for ((domain, year), (documents, characters)) in years {
        println!("{domain} {year}: {documents} documents, {characters} characters");
    }
    Ok(())
}
