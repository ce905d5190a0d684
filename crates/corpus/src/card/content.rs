//! The data of a card, before it is rendered. A card describes a corpus, for people, programs and citation.

use std::fs;
use std::path::Path;

use jiff::civil::Date;

use crate::Format;
use crate::files::whole_file::HeldFile;
use crate::holdings::Holdings;

/// The text before the hash by which an edited card is recognised.
pub(super) const SEAL: &str = "goldminer card ";
/// The placeholder for this hash while it is computed.
pub(super) const UNSEALED: &str = "0000000000000000";

/// The card of a finished corpus.
#[derive(Debug, Clone)]
pub struct Card {
    /// The name of the corpus.
    pub name: String,
    /// The format of the documents.
    pub format: Format,
    /// The files with documents that the card may list.
    pub files: Vec<HeldFile>,
    /// Counts of the contents.
    pub holdings: Holdings,
    /// The digest of the classifier's weights, if this program's classifier was used.
    pub classifier: Option<String>,
    /// Limitations of this corpus that its users should know, one sentence each. The card adds those that every corpus
    /// has.
    pub limits: Vec<String>,
    /// The day on which the corpus was finished, in UTC.
    pub date: Date,
}

impl Card {
    /// A card for the corpus in a folder, with the date of today. Files and counts are added later.
    pub fn of(folder: &Path, format: Format) -> Self {
        #[allow(clippy::disallowed_methods, reason = "the day is for people, and nothing is decided by it")]
        let date = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
        let (files, holdings, limits) = (Vec::new(), Holdings::default(), Vec::new());
        Self { name: name_of(folder), format, files, holdings, classifier: None, limits, date }
    }

    /// Adds a file of the corpus, and the counts of the file's contents.
    pub fn add(&mut self, file: HeldFile) {
        self.holdings.merge(&file.holdings);
        self.files.push(HeldFile { holdings: Holdings::default(), ..file });
    }
}

/// The name of a corpus: the name of its folder, or of the job directory if the folder is `corpus`.
fn name_of(folder: &Path) -> String {
    let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mut names = whole.ancestors().filter_map(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let name = names.next().unwrap_or_default();
    if name == "corpus" { names.next().unwrap_or(name) } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_in_a_job_has_the_name_of_the_job() {
        assert_eq!(name_of(Path::new("/nowhere/crawls/mine/corpus")), "mine");
        assert_eq!(name_of(Path::new("/nowhere/out")), "out");
    }
}
