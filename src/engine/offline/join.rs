//! The pieces of a large domain put together, as if they had been read one after the other.
//!
//! What a page gives does not depend on other pages, but whether its document goes into the corpus does: an earlier one
//! may have the same text. So pieces keep everything with its fingerprint, and once all are there it is decided in
//! order; lines are copied as they are, but where a near-duplicate must be flagged.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use rayon::prelude::*;

use crate::address::Domain;
use crate::corpus::{CorpusError, Unwanted, WholeFile};
use crate::document::Document;
use crate::engine::EngineError;
use crate::engine::extraction::{InMemory, Judged, judge};

use super::manifest::{Candidate, Done, Manifest, ManifestError, Piece, disk, remove};
use super::plan::Planned;
use super::shard::Shard;
use super::summary::{ProfileState, Summary};

/// What becomes of a document of a piece.
enum Fate {
    Kept,
    NearDuplicateOf(String),
    Dropped(&'static str),
}

/// Joins the pieces of a domain; false when some are not there yet.
pub(super) fn join(manifest: &Manifest, domain: &Domain, planned: &Planned, shard: Shard) -> Result<bool, EngineError> {
    let mut pieces = Vec::new();
    for number in 0..planned.pieces {
        let Some(piece) = manifest.piece(domain, number, &planned.inputs)? else { return Ok(false) };
        pieces.push(piece);
    }
    let mut known = InMemory::default();
    let mut fates = Vec::new();
    for piece in &pieces {
        let fates_of: Result<Vec<Fate>, EngineError> =
            piece.candidates.iter().map(|candidate| decide(candidate, domain, &mut known)).collect();
        fates.push(fates_of?);
    }
    let files = (0..planned.pieces)
        .into_par_iter()
        .zip(&fates)
        .map(|(number, fates)| write(manifest, domain, number, fates, shard))
        .collect::<Result<Vec<_>, EngineError>>()?;
    let done = Done {
        domain: domain.clone(),
        inputs: planned.inputs.clone(),
        profile: pieces.first().map_or(ProfileState::None, |piece| piece.profile.clone()),
        summary: summary(&pieces, &fates),
        files: files.into_iter().flatten().collect(),
        bytes: Vec::new(),
    };
    manifest.finish(done, shard)?;
    for number in 0..planned.pieces {
        remove(&manifest.piece_path(domain, number))?;
        remove(&manifest.piece_documents(domain, number))?;
    }
    Ok(true)
}

fn decide(candidate: &Candidate, domain: &Domain, known: &mut InMemory) -> Result<Fate, EngineError> {
    Ok(match judge(&candidate.fingerprint, domain, known)? {
        Judged::Duplicate => Fate::Dropped("duplicate"),
        Judged::New(_) if candidate.is_undated => Fate::Dropped(Unwanted::Undated.name()),
        Judged::New(_) if !candidate.is_wanted => Fate::Dropped(Unwanted::Other.name()),
        Judged::New(None) => Fate::Kept,
        Judged::New(Some(id)) => Fate::NearDuplicateOf(id),
    })
}

/// Writes the file of a piece; its name, if it has documents.
fn write(
    manifest: &Manifest,
    domain: &Domain,
    number: u32,
    fates: &[Fate],
    shard: Shard,
) -> Result<Option<String>, EngineError> {
    if fates.iter().all(|fate| matches!(fate, Fate::Dropped(_))) {
        return Ok(None);
    }
    let name = Manifest::file_name(domain, number);
    let mut file = WholeFile::create(&manifest.draft(&name, shard), &manifest.out().join(&name))?;
    let path = manifest.piece_documents(domain, number);
    let mut lines = File::open(&path).and_then(zstd::Decoder::new).map(BufReader::new).map_err(disk("read", &path))?;
    let mut line = Vec::new();
    for fate in fates {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(disk("read", &path))? == 0 {
            return Err(broken(&path, "a document is missing").into());
        }
        match fate {
            Fate::Kept => file.write_line(&line)?,
            Fate::Dropped(_) => {}
            Fate::NearDuplicateOf(id) => flag(&mut file, &line, id, &path)?,
        }
    }
    file.finish()?;
    Ok(Some(name))
}

fn flag(file: &mut WholeFile, line: &[u8], id: &str, path: &Path) -> Result<(), EngineError> {
    let mut document: Document = serde_json::from_slice(line).map_err(|e| broken(path, &e.to_string()))?;
    document.provenance.near_duplicate_of = Some(id.to_owned());
    file.write(&document).map_err(|e: CorpusError| e.into())
}

fn broken(path: &Path, cause: &str) -> ManifestError {
    ManifestError::Broken { path: path.to_owned(), cause: cause.to_owned() }
}

fn summary(pieces: &[Piece], fates: &[Vec<Fate>]) -> Summary {
    let mut summary = Summary::default();
    if let Some(first) = pieces.first() {
        summary.count_domain(&first.profile);
    }
    for (piece, fates) in pieces.iter().zip(fates) {
        summary.add(piece.summary.clone());
        for (candidate, fate) in piece.candidates.iter().zip(fates) {
            if let Fate::Dropped(why) = fate {
                summary.documents -= 1;
                summary.text_bytes -= candidate.text_bytes;
                summary.count(why, 1);
                if let Some(documents) = summary.tally.get_mut("document") {
                    *documents -= 1;
                }
            }
        }
    }
    summary
}
