//! `goldminer convert`: converts JSON lines or Parquet to any format of a corpus, with all documents or those that
//! pass a filter.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use anyhow::bail;
use goldminer_core::{Document, extract};
use goldminer_corpus::{Filter, Parts, Unwanted};
use goldminer_lab::onion::{Onion, OnionConfig};
use rustc_hash::FxHashSet;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::unmatched::Unmatched;
use crate::cli::ConvertArgs;
use crate::commands::inputs::robots_now::RobotsNow;
use crate::commands::{Bar, Exit, UsageError, corpora, counted, formats, misuse, output, thousands};

/// The reason for leaving out documents without a confidence, such as those of older versions or of other methods.
const NO_CONFIDENCE: &str =
    "without a confidence (--keep-unjudged keeps them; to get one, extract the pages again with `goldminer extract`)";

/// The counts of a conversion.
#[derive(Debug, Default, Serialize)]
struct ConversionCounts {
    /// Number of documents read.
    read: u64,
    /// Number of documents written.
    written: u64,
    /// Number of documents that were left out, by reason.
    left_out: BTreeMap<String, u64>,
    /// Number of documents that got a new restriction from the current rules of their host, by restriction.
    restricted_now: BTreeMap<&'static str, u64>,
    /// Number of lines that are not documents.
    unreadable: u64,
}

/// The checks that a document must pass. Their order matters, because duplicates are removed only among the wanted
/// documents.
struct Checks<'a> {
    args: &'a ConvertArgs,
    filter: Filter,
    robots_now: RobotsNow,
    restricted_now: BTreeMap<&'static str, u64>,
    onion: Option<Onion>,
    texts: FxHashSet<u64>,
}

/// Runs `goldminer convert`.
///
/// # Errors
/// When a corpus cannot be read, or the output cannot be written.
pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Exit> {
    args.filter.refuse_no_day().map_err(UsageError::of)?;
    formats::refuse_other_file(&args.out)?;
    let corpora = corpora::open(&args.corpora, args.incomplete)?;
    for corpus in &args.corpora {
        if args.no_near_duplicates && goldminer_batch::is_stream_output(corpus)? {
            return misuse(format!(
                "--no-near-duplicates: `extract --stream` has not compared the documents of {0}; use `goldminer dedup {0} \
                 -o OUT --no-near-duplicates`",
                corpus.display()
            ));
        }
    }
    let format = formats::chosen(args.format, &args.out);
    let mut parts = Parts::default();
    (parts.captions, parts.left_out) = (args.captions, args.without.clone());
    if parts != Parts::default() && !format.is_text() {
        let (option, name) = (if args.captions { "--captions" } else { "--without" }, format.as_str());
        return misuse(format!(
            "{option} is for --format text, vertical and cleaneval; --format {name} always has the whole document"
        ));
    }
    let sink = match is_whole(args) && corpora::is_folder_of(&args.corpora, &args.out) {
        true => formats::second_form(&args.out, format)?,
        false => formats::sink(&args.out, format, args.json)?,
    };
    let filter = Filter::from(&args.filter);
    let mut sink = sink.with_parts(parts).with_filter(&filter);
    let mut checks = Checks {
        args,
        filter,
        robots_now: RobotsNow::read(&args.robots_now, &args.robots_as)?,
        restricted_now: BTreeMap::new(),
        onion: args.onion.then(|| Onion::new(OnionConfig::default())),
        texts: FxHashSet::default(),
    };
    let mut converted = ConversionCounts::default();
    let mut unmatched = Unmatched::of(&args.filter, &args.robots_now);
    let (bar, seen) = Bar::counting("converting", "documents", None);
    converted.unreadable = corpora::read(corpora, |documents| {
        for document in documents {
            converted.read += 1;
            seen.fetch_add(1, Ordering::Relaxed);
            unmatched.see(&document);
            match checks.pass(document) {
                Ok(document) => {
                    sink.write(&document)?;
                    converted.written += 1;
                }
                Err(why) => *converted.left_out.entry(why).or_default() += 1,
            }
        }
        Ok(())
    })?;
    unmatched.report()?;
    // Without `close`, no file is left: an empty file is not a corpus, and the next command would fail on it.
    if converted.written > 0 {
        sink.close()?;
    }
    converted.restricted_now = checks.restricted_now;
    drop(bar);
    let (read, written) = (counted(converted.read, "document", "documents"), thousands(converted.written));
    if args.json {
        output::json(&converted)?;
    } else if formats::is_standard_output(&args.out) {
        tracing::info!("{read}, {written} of them written");
    } else {
        let left_out = if converted.left_out.is_empty() { "none".to_owned() } else { listed(&converted.left_out) };
        let (out, format) = (args.out.display(), format.as_str());
        output::line(format_args!("{read} → {written} in {out}, format {format}\nleft out: {left_out}"))?;
        if !converted.restricted_now.is_empty() {
            output::line(format_args!("newly restricted: {}", listed(&converted.restricted_now)))?;
        }
    }
    if converted.written == 0 {
        bail!("no document of {} was written ({})", thousands(converted.read), listed(&converted.left_out));
    }
    Ok(Exit::Done)
}

/// Returns counts as text: `12 by --language, 3 without a date`.
fn listed(counts: &BTreeMap<impl std::fmt::Display, u64>) -> String {
    counts.iter().map(|(what, number)| format!("{} {what}", thousands(*number))).collect::<Vec<_>>().join(", ")
}

/// Whether the arguments keep all documents.
fn is_whole(args: &ConvertArgs) -> bool {
    let leaves_out = args.unique || args.no_near_duplicates || args.onion;
    !leaves_out && args.robots_now.is_empty() && Filter::from(&args.filter) == Filter::default()
}

impl Checks<'_> {
    /// The document for the output, or the reason why it is left out.
    fn pass(&mut self, mut document: Document) -> Result<Box<Document>, String> {
        let Some(now) = self.robots_now.apply(&mut document) else {
            return Err("forbidden by robots.txt now".to_owned());
        };
        now.into_iter().for_each(|what| *self.restricted_now.entry(what.as_str()).or_default() += 1);
        self.filter.check(&document).map_err(|why| match why {
            Unwanted::Option(option) => format!("by {option}"),
            Unwanted::Rights(condition) => format!("by --rights {condition}"),
            Unwanted::Undated => "without a date".to_owned(),
            Unwanted::Uncertain => "below --min-confidence".to_owned(),
            Unwanted::Unjudged => NO_CONFIDENCE.to_owned(),
        })?;
        if self.args.no_near_duplicates && document.provenance.near_duplicate_of.is_some() {
            return Err("nearly the same as an earlier one".to_owned());
        }
        if self.args.unique && !self.texts.insert(xxh3_64(document.provenance.text_digest.as_bytes())) {
            return Err("with the text of an earlier one".to_owned());
        }
        let document = Box::new(document);
        let Some(onion) = &mut self.onion else { return Ok(document) };
        let paragraphs: Vec<&str> = document.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
        let keep = onion.keep(&paragraphs);
        extract::keep(document, &keep).ok_or_else(|| "with no paragraph that is new".to_owned())
    }
}
