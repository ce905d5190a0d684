//! The card of a corpus of JSON lines: `README.md` beside its files, with the types of its keys for programs.
//!
//! Readers of JSON lines guess types from the first lines: where those have no author, no date, no near-duplicate, they
//! take the keys for empty ones, and fail at the first line that has one. Hugging Face's `datasets` takes the types from
//! the card instead (`load_dataset("folder")`), and so does its hub. Whoever edits the card keeps what they wrote.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use super::error::CorpusError;

const NAME: &str = "README.md";

/// Leaves the card in a folder that has none.
///
/// # Errors
/// When the folder cannot be written.
pub fn leave_card(folder: &Path) -> Result<(), CorpusError> {
    let path = folder.join(NAME);
    let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => return Ok(()),
        file => file.map_err(CorpusError::disk("create", &path))?,
    };
    file.write_all(CARD.as_bytes()).map_err(CorpusError::disk("write to", &path))
}

/// The keys of a document in the order of its line. A time without a zone (`published`) is read as one in UTC, as all
/// readers do that take times from JSON; `fetched` is finer than they know, therefore text.
const CARD: &str = r#"---
configs:
- config_name: default
  data_files: "*.jsonl.zst"
dataset_info:
  features:
  - name: id
    dtype: string
  - name: url
    dtype: string
  - name: text
    dtype: string
  - name: paragraphs
    list:
    - name: kind
      dtype: string
    - name: text
      dtype: string
  - name: metadata
    struct:
    - name: domain
      dtype: string
    - name: host
      dtype: string
    - name: title
      dtype: string
    - name: authors
      list: string
    - name: published
      dtype: timestamp[s]
    - name: modified
      dtype: timestamp[s]
    - name: fetched
      dtype: string
    - name: language
      dtype: string
    - name: site_name
      dtype: string
    - name: section
      dtype: string
    - name: canonical
      dtype: string
    - name: access
      dtype: string
    - name: sources
      struct:
      - name: title
        dtype: string
      - name: authors
        dtype: string
      - name: published
        dtype: string
      - name: modified
        dtype: string
      - name: site_name
        dtype: string
      - name: section
        dtype: string
      - name: canonical
        dtype: string
  - name: provenance
    struct:
    - name: method
      dtype: string
    - name: profile
      struct:
      - name: key
        dtype: string
      - name: version
        dtype: int64
      - name: template
        dtype: int64
    - name: stoplist
      dtype: string
    - name: thresholds
      dtype: string
    - name: score
      dtype: int64
    - name: program
      dtype: string
    - name: warc
      struct:
      - name: file
        dtype: string
      - name: offset
        dtype: int64
      - name: length
        dtype: int64
    - name: page_digest
      dtype: string
    - name: text_digest
      dtype: string
    - name: simhash
      dtype: string
    - name: dropped_duplicates
      dtype: int64
    - name: near_duplicate_of
      dtype: string
  - name: rights
    struct:
    - name: restrictions
      list: string
    - name: contradictions
      list: string
    - name: license
      dtype: string
    - name: signals
      list:
      - name: source
        dtype: string
      - name: name
        dtype: string
      - name: value
        dtype: string
      - name: agent
        dtype: string
      - name: fetched
        dtype: string
      - name: warc
        struct:
        - name: file
          dtype: string
        - name: offset
          dtype: int64
        - name: length
          dtype: int64
---

# A corpus of web pages

Made by GoldMiner: a line of JSON for each document, compressed with zstd. Every key is on every line, as `null` or `[]`
where nothing is known; `rights` alone is left out where nobody said anything of them. `datasets.load_dataset("this folder")` takes the types of the keys from the head of this file.
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::ArchivePosition;
    use crate::corpus::samples::document;
    use crate::document::ProfileUse;
    use crate::rights::{Rights, RightsSource, Signal};
    use serde_json::Value;

    fn keys(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
            Value::Object(object) => object.iter().for_each(|(key, value)| {
                found.push(key.clone());
                keys(value, found);
            }),
            _ => {}
        }
    }

    #[test]
    fn the_card_names_every_key_of_a_document() {
        let mut whole = document("a", "Text.");
        whole.provenance.profile = Some(ProfileUse::new("p", 1, 0));
        whole.provenance.warc = Some(ArchivePosition::new("w", 0, 1));
        let mut signal = Signal::new(RightsSource::RobotsTxt, "content-signal", "ai-train=no");
        signal.warc = Some(ArchivePosition::new("w", 0, 1));
        whole.rights = Rights::of(vec![signal]);
        let mut of_document = Vec::new();
        keys(&serde_json::to_value(&whole).unwrap(), &mut of_document);
        let names = CARD.lines().filter_map(|line| line.trim_start().strip_prefix("- name: "));
        let mut of_card: Vec<String> = names.map(str::to_owned).collect();
        of_document.sort_unstable();
        of_card.sort_unstable();
        assert_eq!(of_card, of_document);
    }

    #[test]
    fn a_card_that_somebody_wrote_stays() {
        let dir = tempfile::tempdir().unwrap();
        leave_card(dir.path()).unwrap();
        assert_eq!(std::fs::read_to_string(dir.path().join(NAME)).unwrap(), CARD);
        std::fs::write(dir.path().join(NAME), "Our own.").unwrap();
        leave_card(dir.path()).unwrap();
        assert_eq!(std::fs::read_to_string(dir.path().join(NAME)).unwrap(), "Our own.");
    }
}
