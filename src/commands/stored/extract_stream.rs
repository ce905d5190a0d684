//! `goldminer extract --stream`: archives of any size in one pass, by profiles that are there already.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use goldminer_batch::sources::{Archives, LocalFile};
use goldminer_batch::stream::{StreamOutput, StreamProfiles};
use goldminer_batch::{BatchExtractor, BatchProgress, Overview, Settings, Shard, StreamSummary};
use goldminer_core::extract::Algorithm;
use goldminer_corpus::{Filter, Format};
use goldminer_crawl::store::profile_book::ProfileBook;
use goldminer_warc::objects::ObjectAddress;
use serde::Serialize;

use super::sample::{others, read};
use crate::cli::ExtractArgs;
use crate::commands::inputs::without_document::reasons;
use crate::commands::inputs::{filters, formats, methods, named_sources, profile_files};
use crate::commands::terminal::bar::Bar;
use crate::commands::terminal::output;
use crate::commands::{Exit, bytes, counted, misuse, shard, thousands, warn_of};

/// How an output stands, as `--json` says it.
#[derive(Serialize)]
struct OverviewLine<'a> {
    #[serde(flatten)]
    summary: &'a StreamSummary,
    planned: usize,
}

/// Runs the command.
///
/// # Errors
/// When a source can't be read, or the output can't be written.
pub(crate) fn run(args: &ExtractArgs, algorithm: Algorithm) -> anyhow::Result<Exit> {
    let is_other_form = args.format.is_some_and(|format| format != Format::Jsonl);
    if is_other_form || args.method.onion.onion || formats::is_standard_output(&args.out) {
        return misuse(
            "--stream writes JSON lines into a folder (-o OUT), without --onion: extract so, and make the other forms of \
             it with `goldminer convert`",
        );
    }
    let shard: Shard = shard(args.shard.as_deref())?;
    let sources = named_sources::named(&args.sources, args.list.as_deref())?;
    let mut settings = settings(args, &sources)?;
    let far = args.profiles.as_deref().map(ObjectAddress::of).transpose()?.flatten();
    let copied = far.map(|address| LocalFile::copied_now(&address)).transpose()?;
    let profiles = profiles(copied.as_ref().map(LocalFile::path).or(args.profiles.as_deref()), &mut settings)?;
    let paths: Vec<_> =
        sources.iter().map(|path| named_sources::whole(path).unwrap_or_else(|_| path.clone())).collect();
    let extractor = BatchExtractor { filter: filters::filter(&args.filter), ..BatchExtractor::by(algorithm) };
    let stream = StreamOutput::open(&args.out, settings, || Ok(Archives::find(&paths)?))?;
    let progress = Arc::new(BatchProgress::default());
    let bar = Bar::of_batch("extracting", None, &progress);
    let overview = stream.run(&extractor, &profiles, shard, &progress)?;
    drop(bar);
    let told = overview.aside.iter().chain(&overview.summary.archive_stats.faults);
    warn_of(told);
    let line = OverviewLine { summary: &overview.summary, planned: overview.planned };
    output::answer(args.json, &line, || describe(&overview, args))?;
    if overview.complete == overview.planned && overview.summary.documents == 0 {
        bail!(
            "no document came of {} pages; `goldminer profile test` shows how a page is read",
            overview.summary.archive_stats.pages
        );
    }
    Ok(Exit::Done)
}

/// What an output must be made with as long as it is being made.
fn settings(args: &ExtractArgs, sources: &[PathBuf]) -> anyhow::Result<Settings> {
    let mut settings = named_sources::settings(sources)?;
    settings.insert("--method".to_owned(), methods::identity(&args.method)?);
    let filter = filters::filter(&args.filter);
    if filter != Filter::default() {
        settings.insert("filters".to_owned(), serde_json::to_string(&filter)?);
    }
    Ok(settings)
}

/// The profiles that serve; their digest is a setting, since what they cut depends on them.
fn profiles(path: Option<&Path>, settings: &mut Settings) -> anyhow::Result<StreamProfiles> {
    let mut set = |digest: String| drop(settings.insert("--profiles".to_owned(), digest));
    Ok(match path {
        None => StreamProfiles::of(Vec::new()),
        Some(path) if ProfileBook::is_book(path) => {
            let book = ProfileBook::open(path)?;
            set(format!("with digest {}", book.digest()));
            StreamProfiles::Book(Box::new(book))
        }
        Some(path) => {
            let profiles = profile_files::serving(path)?;
            let digest = xxhash_rust::xxh3::xxh3_64(&serde_json::to_vec(&profiles)?);
            set(format!("with digest {digest:016x}"));
            StreamProfiles::of(profiles)
        }
    })
}

fn describe(overview: &Overview<StreamSummary>, args: &ExtractArgs) -> String {
    let summary = &overview.summary;
    let mut text = format!(
        "{} → {}, {} of text in {}\nby a profile: {}; without a document: {}\n{}",
        read(&summary.archive_stats),
        counted(summary.documents, "document", "documents"),
        bytes(summary.text_bytes),
        args.out.display(),
        thousands(summary.by_profile),
        reasons(&summary.tally),
        others(&summary.archive_stats.others),
    );
    if overview.complete < overview.planned {
        text.push_str(&format!(
            "{} of {} files are complete; the other shards do the rest (run again what was killed)\n",
            overview.complete, overview.planned
        ));
    } else if overview.was_there {
        text.push_str("all of it was there already\n");
    }
    text
}
