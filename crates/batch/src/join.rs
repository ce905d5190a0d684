//! The pieces of a large domain put together, as if they had been read one after the other.
//!
//! What a page gives does not depend on other pages, but whether its document goes into the corpus does: an earlier one
//! may have the same text. So pieces keep everything with its fingerprint, and once all are there it is decided in order.

use goldminer_core::extract::domain::{AvailablePages, MemorySeen, PageDecision, PageReading, Step};
use goldminer_corpus::HeldFile;
use goldminer_crawl::extract::Run;
use goldminer_crawl::run::CrawlError;
use goldminer_html::address::Domain;
use rayon::prelude::*;

use super::lines::copy_lines;
use super::output::{Output, read};
use super::plan::Planned;
use super::shard::Shard;
use super::units::{Made, Summary};

/// The name of a file of documents.
pub(super) fn documents_name(domain: &Domain, piece: u32) -> String {
    format!("{}-{piece:05}.jsonl.zst", goldminer_corpus::file_name(domain.as_str()))
}

/// What a piece is called among the units of an output.
pub(super) fn piece_name(domain: &Domain, piece: u32) -> String {
    format!("pieces/{}-{piece:05}", goldminer_corpus::file_name(domain.as_str()))
}

/// Joins the pieces of a domain, whose extraction has learned and read nothing; nothing where the portal has changed on the
/// way: what its pages give depends on each other then, and pieces cannot tell.
pub(super) fn join(
    output: &Output,
    planned: &Planned,
    shard: Shard,
    mut run: Run<'_>,
) -> Result<Option<Made<Summary>>, CrawlError> {
    let domain = &run.machine.domain().clone();
    let (mut summary, mut decided, mut seen) = (Summary::default(), Vec::new(), MemorySeen::default());
    for piece in 0..planned.pieces {
        let unit = piece_name(domain, piece);
        let Some(mark) = output.mark::<Summary>(&unit, &planned.inputs)? else { return Ok(None) };
        let Some(readings) = read::<Vec<PageReading>>(&output.manifest(&format!("{unit}.readings")))? else {
            return Ok(None);
        };
        let Some(decisions) = decide(&mut run, planned.pages, &readings, &mut seen) else { return Ok(None) };
        summary += mark.summary;
        decided.push(decisions);
    }
    let held = (0..planned.pieces)
        .into_par_iter()
        .zip(decided)
        .map(|(piece, decisions)| write(output, domain, piece, decisions, shard))
        .collect::<Result<Vec<_>, CrawlError>>()?;
    let held: Vec<HeldFile> = held.into_iter().flatten().collect();
    summary.tally = run.machine.progress().tally.clone();
    summary.documents = held.iter().map(|file| file.holdings.documents).sum();
    summary.text_bytes = held.iter().map(|file| file.holdings.text_bytes).sum();
    Ok(Some(Made { summary, held, files: Vec::new() }))
}

/// Decides on the documents of a piece in their order; nothing where one page changes what others give.
fn decide(run: &mut Run<'_>, pages: u64, readings: &[PageReading], seen: &mut MemorySeen) -> Option<Vec<PageDecision>> {
    let available = AvailablePages::new(pages, None);
    let mut decisions = Vec::new();
    for reading in readings {
        let is_next = run.machine.next(available, &run.profiles) == Step::Read { from: reading.seq };
        if !is_next || !run.machine.may_take(reading.seq, reading.position.as_ref(), &run.profiles) {
            return None;
        }
        let Ok(decision) = run.machine.take(reading, &run.profiles, seen);
        // Only documents have a line.
        decisions.extend(reading.gave.is_ok().then_some(decision));
    }
    Some(decisions)
}

/// Writes the file of a piece, if it has documents.
fn write(
    output: &Output,
    domain: &Domain,
    piece: u32,
    decisions: Vec<PageDecision>,
    shard: Shard,
) -> Result<Option<HeldFile>, CrawlError> {
    if decisions.iter().all(|decision| matches!(decision, PageDecision::Drop(_))) {
        return Ok(None);
    }
    let name = documents_name(domain, piece);
    let mut file = output.documents(&name, shard)?;
    copy_lines(&output.manifest(&format!("pieces/{name}")), &mut file, decisions)?;
    Ok(Some(file.finish()?))
}
