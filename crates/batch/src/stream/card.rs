//! The card of an output that is made file by file, when all of its files are there.

use std::path::Path;

use goldminer_corpus::{Card, Format, HeldFile};
use goldminer_crawl::run::CrawlError;
use goldminer_warc::objects::Mirror;

use crate::file_plan::PlannedFile;
use crate::manifest;
use crate::manifest::Manifest;

/// Writes the card of an output called `name`, one file after the other in memory; `limits` and `classifier` are as in [`Card`].
pub(super) fn leave_card(
    manifest: &Manifest,
    mirror: Option<&Mirror>,
    files: &[PlannedFile],
    name: &Path,
    limits: Vec<String>,
    classifier: Option<String>,
) -> Result<(), CrawlError> {
    let _lock = manifest.lock()?;
    if let Some(mirror) = mirror {
        mirror.fetch(|name| name.starts_with("manifest/held/"))?;
    }
    let out = manifest.out();
    let mut card = Card { limits, classifier, ..Card::of(name, Format::Jsonl) };
    for file in files {
        let held = manifest::read::<HeldFile>(&manifest.held_path(&file.name))?;
        card.add(match held {
            Some(held) => held,
            // An earlier version has written it.
            None => {
                let documents = format!("{}.jsonl.zst", file.name);
                if let Some(mirror) = mirror {
                    mirror.fetch_file(&documents)?;
                }
                let held = HeldFile::counted(&out.join(&documents))?;
                if mirror.is_some() {
                    manifest::remove(&out.join(&documents))?;
                }
                held
            }
        });
    }
    card.write(out)?;
    if let Some(mirror) = mirror {
        mirror.send(&Card::paths(out))?;
    }
    Ok(())
}
