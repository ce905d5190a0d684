//! The pieces of a large domain put together, as if they had been read one after the other.
//!
//! What a page gives does not depend on other pages, but whether its document goes into the corpus does: an earlier one
//! may have the same text. So pieces keep everything with its fingerprint, and once all are there it is decided in
//! order; lines are copied as they are, but where a near-duplicate must be flagged.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use goldminer_core::document::Document;
use goldminer_core::extract::domain::{AvailablePages, MemorySeen, PageDecision, Step};
use goldminer_corpus::{HeldFile, WholeFile};
use goldminer_crawl::extract::Run;
use goldminer_crawl::run::CrawlError;
use goldminer_html::address::Domain;
use rayon::prelude::*;

use crate::manifest::{Done, Manifest, ManifestError, Piece, disk, remove};
use crate::plan::Planned;
use crate::shard::Shard;
use crate::summary::{ProfileState, Summary};

/// The pieces of a domain, if all are there.
pub(super) fn pieces(
    manifest: &Manifest,
    domain: &Domain,
    planned: &Planned,
) -> Result<Option<Vec<Piece>>, ManifestError> {
    (0..planned.pieces).map(|number| manifest.piece(domain, number, &planned.inputs)).collect()
}

/// Joins the pieces of a domain, whose extraction has learned and read nothing; false where the portal has changed on the
/// way: what its pages give depends on each other then, and pieces cannot tell.
pub(super) fn join(
    manifest: &Manifest,
    planned: &Planned,
    pieces: &[Piece],
    shard: Shard,
    mut run: Run<'_>,
) -> Result<bool, CrawlError> {
    let domain = &run.machine.domain().clone();
    let Some(fates) = decide(&mut run, planned, pieces) else { return Ok(false) };
    let files = (0..planned.pieces)
        .into_par_iter()
        .zip(&fates)
        .map(|(number, fates)| write(manifest, domain, number, fates, shard))
        .collect::<Result<Vec<_>, CrawlError>>()?;
    let done = Done {
        domain: domain.clone(),
        inputs: planned.inputs.clone(),
        profile: pieces.first().map_or(ProfileState::None, |piece| piece.profile.clone()),
        summary: Summary { tally: run.machine.progress().tally.clone(), ..summary(pieces, &fates) },
        files: files.iter().flatten().map(|held| held.name.clone()).collect(),
        bytes: Vec::new(),
        held: files.into_iter().flatten().collect(),
    };
    manifest.finish(done, shard)?;
    Ok(true)
}

/// Removes what is no longer needed.
pub(super) fn remove_pieces(manifest: &Manifest, domain: &Domain, planned: &Planned) -> Result<(), ManifestError> {
    for number in 0..planned.pieces {
        remove(&manifest.piece_path(domain, number))?;
        remove(&manifest.piece_documents(domain, number))?;
    }
    Ok(())
}

/// Decides on the documents of all pieces in their order; nothing where one page changes what others give.
fn decide(run: &mut Run<'_>, planned: &Planned, pieces: &[Piece]) -> Option<Vec<Vec<PageDecision>>> {
    let mut seen = MemorySeen::default();
    let available = AvailablePages::new(planned.pages, None);
    let mut decide_one = |piece: &Piece| -> Option<Vec<PageDecision>> {
        let mut fates = Vec::new();
        for reading in piece.readings.iter().map(|page| &page.reading) {
            let is_next = run.machine.next(available, &run.profiles) == Step::Read { from: reading.seq };
            if !is_next || !run.machine.may_take(reading.seq, reading.position.as_ref(), &run.profiles) {
                return None;
            }
            let Ok(fate) = run.machine.take(reading, &run.profiles, &mut seen);
            // Only documents have a line.
            fates.extend(reading.gave.is_ok().then_some(fate));
        }
        Some(fates)
    };
    pieces.iter().map(&mut decide_one).collect()
}

/// Writes the file of a piece, if it has documents.
fn write(
    manifest: &Manifest,
    domain: &Domain,
    number: u32,
    fates: &[PageDecision],
    shard: Shard,
) -> Result<Option<HeldFile>, CrawlError> {
    if fates.iter().all(|fate| matches!(fate, PageDecision::Drop(_))) {
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
            PageDecision::Emit { near_duplicate_of: None } => file.write_line(&line)?,
            PageDecision::Emit { near_duplicate_of: Some(id) } => flag(&mut file, &line, id, &path)?,
            PageDecision::Drop(_) => {}
        }
    }
    Ok(Some(file.finish()?))
}

fn flag(file: &mut WholeFile, line: &[u8], id: &str, path: &Path) -> Result<(), CrawlError> {
    let mut document: Document = serde_json::from_slice(line).map_err(|e| broken(path, &e.to_string()))?;
    document.provenance.near_duplicate_of = Some(id.to_owned());
    Ok(file.write(&document)?)
}

fn broken(path: &Path, cause: &str) -> ManifestError {
    ManifestError::Broken { path: path.to_owned(), cause: cause.to_owned() }
}

fn summary(pieces: &[Piece], fates: &[Vec<PageDecision>]) -> Summary {
    let mut summary = Summary::default();
    if let Some(first) = pieces.first() {
        summary.count_domain(&first.profile);
    }
    for (piece, fates) in pieces.iter().zip(fates) {
        summary.add(piece.summary.clone());
        let documents = piece.readings.iter().filter(|page| page.reading.gave.is_ok());
        for (page, _) in documents.zip(fates).filter(|(_, fate)| matches!(fate, PageDecision::Emit { .. })) {
            summary.documents += 1;
            summary.text_bytes += page.text_bytes;
        }
    }
    summary
}
