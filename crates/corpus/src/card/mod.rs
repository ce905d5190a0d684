//! The card of a corpus: `README.md` for people (and for Hugging Face's `datasets`), `croissant.json` for programs, and
//! `CITATION.cff` for citation. A new corpus has a README without counts; when it is finished, all three files are
//! written with counts.
//!
//! Each file contains a seal: a hash of its text. A file without a valid seal was written or edited by somebody, and
//! is not changed.

mod content;
mod croissant;
mod fields;
mod readme;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use goldminer_warc::durable;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::CorpusError;

use content::{SEAL, UNSEALED};

pub use content::Card;

/// The names of the three files of a card.
pub const CARD_FILES: [&str; 3] = ["README.md", "croissant.json", "CITATION.cff"];

impl Card {
    /// Writes the card into a folder. Returns the names of files that were not written because somebody edited them.
    ///
    /// # Errors
    /// Fails if the folder cannot be read or written.
    pub fn write(&self, folder: &Path) -> Result<Vec<&'static str>, CorpusError> {
        let texts = [readme::with_counts(self), croissant::croissant(self), croissant::citation(self)];
        let mut kept = Vec::new();
        for (name, text) in CARD_FILES.into_iter().zip(texts) {
            let path = folder.join(name);
            match fs::read(&path) {
                Ok(there) if !is_ours(&there) => {
                    kept.push(name);
                    continue;
                }
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(CorpusError::disk("read", &path)(e)),
                _ => {}
            }
            durable::write(&path, sealed(&text)).map_err(CorpusError::disk("write to", &path))?;
        }
        if !kept.is_empty() {
            tracing::info!("{} of {} was edited and stays as it is", kept.join(" and "), folder.display());
        }
        Ok(kept)
    }

    /// Whether a folder has a card with counts.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(CARD_FILES[1]).exists()
    }

    /// The size of the corpus in a folder, from its card: `471 documents of 5 domains`.
    pub(crate) fn size_in_words(folder: &Path) -> Option<String> {
        let card = fs::read(folder.join(CARD_FILES[1])).ok().filter(|card| is_ours(card))?;
        let card: serde_json::Value = serde_json::from_slice(&card).ok()?;
        Some(card["description"].as_str()?.split(':').next()?.to_owned())
    }

    /// The paths of a card's files.
    pub fn paths(folder: &Path) -> Vec<PathBuf> {
        CARD_FILES.iter().map(|name| folder.join(name)).filter(|path| path.exists()).collect()
    }
}

/// Writes a README without counts into a folder of JSON lines, if it has no README.
///
/// # Errors
/// Fails if the folder cannot be written.
pub fn leave_card(folder: &Path) -> Result<(), CorpusError> {
    let path = folder.join(CARD_FILES[0]);
    if path.exists() {
        return Ok(());
    }
    durable::write(&path, sealed(&readme::without_counts())).map_err(CorpusError::disk("write to", &path))
}

/// Whether a file is named `croissant.json` or `CITATION.cff`, which only a finished corpus has.
pub(super) fn is_card(path: &Path) -> bool {
    CARD_FILES[1..].iter().any(|card| path.ends_with(card))
}

/// Whether a file belongs to a card and is unedited.
pub fn is_own_card(path: &Path) -> bool {
    CARD_FILES.iter().any(|card| path.ends_with(card)) && fs::read(path).is_ok_and(|card| is_ours(&card))
}

/// Replaces the placeholder in a text by the hash of the text.
fn sealed(text: &str) -> String {
    let unsealed = format!("{SEAL}{UNSEALED}");
    text.replacen(&unsealed, &format!("{SEAL}{:016x}", xxh3_64(text.as_bytes())), 1)
}

/// Whether a file of a card was written by this program and is unedited.
fn is_ours(card: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(card) else { return false };
    let Some((before, after)) = text.rsplit_once(SEAL) else { return false };
    let Some((seal, rest)) = after.split_at_checked(UNSEALED.len()) else { return false };
    let unsealed = [before, SEAL, UNSEALED, rest].concat();
    seal == format!("{:016x}", xxh3_64(unsealed.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::HeldFile;
    use crate::testing::document;

    fn card() -> Card {
        let mut card = Card::of(Path::new("/data/my corpus"), Format::Jsonl);
        card.add(HeldFile::default());
        card.holdings.add(&document("a", "Text."));
        card
    }

    fn texts(dir: &Path) -> Vec<String> {
        CARD_FILES.iter().map(|name| fs::read_to_string(dir.join(name)).unwrap()).collect()
    }

    #[test]
    fn a_card_replaces_an_earlier_one_but_no_edited_files() {
        let dir = tempfile::tempdir().unwrap();
        leave_card(dir.path()).unwrap();
        let mut card = card();
        assert_eq!(card.write(dir.path()).unwrap(), [""; 0]);
        let first = texts(dir.path());
        card.holdings.add(&document("b", "Text."));
        assert_eq!(card.write(dir.path()).unwrap(), [""; 0]);
        let second = texts(dir.path());
        assert!(first[0].contains("1 document ") && second[0].contains("2 documents "), "{}", second[0]);

        for name in ["README.md", "CITATION.cff"] {
            let path = dir.path().join(name);
            let edited = fs::read_to_string(&path).unwrap().replace("portal.example", "our portal") + "\nOur own.\n";
            fs::write(&path, edited).unwrap();
        }
        card.holdings.add(&document("c", "Text."));
        assert_eq!(card.write(dir.path()).unwrap(), ["README.md", "CITATION.cff"]);
        let third = texts(dir.path());
        assert!(third[0].contains("Our own.") && third[2].contains("Our own."));
        assert_ne!(third[1], second[1], "the unedited file is written again");
    }

    #[test]
    fn leaving_a_card_keeps_an_existing_readme() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("README.md"), "Our own.").unwrap();
        leave_card(dir.path()).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("README.md")).unwrap(), "Our own.");
    }
}
