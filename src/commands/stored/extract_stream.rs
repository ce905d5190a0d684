//! `goldminer extract --stream`: extracts archives of any size in one pass, with existing profiles.

use anyhow::bail;
use goldminer_batch::sources::LocalFile;
use goldminer_batch::stream::{StreamOutput, StreamProfiles};
use goldminer_batch::{BatchExtractor, DIGEST, Overview, Settings};
use goldminer_core::Algorithm;
use goldminer_corpus::{Filter, Format};
use goldminer_crawl::store::profile_book::ProfileBook;
use goldminer_warc::objects::ObjectAddress;

use super::{cut_pages, left_out, no_page, others, read, reasons, refuse_nothing, state, with_counts};
use crate::cli::ExtractArgs;
use crate::commands::{
    Bar, Exit, bytes, counted, formats, methods, misuse, named_sources, output, profile_files, shard, thousands,
};

/// Runs `goldminer extract --stream`.
///
/// # Errors
/// When a source cannot be read, or the output cannot be written.
pub(crate) fn run(args: &ExtractArgs, algorithm: Algorithm) -> anyhow::Result<Exit> {
    let form =
        args.format.filter(|format| *format != Format::Jsonl).map(|format| format!("--format {}", format.as_str()));
    if let Some(option) = form.or_else(|| args.method.onion.then(|| "--onion".to_owned())) {
        return misuse(format!(
            "--stream writes JSON lines: leave out {option}, and use `goldminer convert OUT -o OTHER {option}` on the complete output"
        ));
    }
    if formats::is_standard_output(args.out()) {
        return misuse("--stream writes JSON lines into a folder: name it with -o OUT");
    }
    let shard = shard(args.shard.as_deref())?;
    let paths = named_sources::named(&args.sources, args.list.as_deref())?;
    formats::refuse_among_sources(args.out(), &paths)?;
    // These settings must stay the same while an output is being made.
    let mut settings = named_sources::settings(&paths);
    settings.insert("--method".to_owned(), methods::identity(&args.method)?);
    let filter = Filter::from(&args.filter);
    settings.extend(filter.options());
    let profiles = profiles(args, &mut settings)?;
    let extractor = BatchExtractor { filter, structure: !args.method.no_structure, ..BatchExtractor::by(algorithm) };
    let stream = StreamOutput::open(args.out(), settings, &paths)?;
    if args.profiles.is_none() && args.method.uses_profiles() {
        tracing::warn!(
            "without --profiles, the page classifier extracts each page without knowledge of other pages, which is less \
             exact; make profiles with `sample` and `learn`"
        );
    }
    let (bar, progress) = Bar::of_batch("extracting", None);
    let overview = stream.run(&extractor, &profiles, shard, &progress)?;
    drop(bar);
    let Overview { summary, complete, planned, .. } = &overview;
    output::answer(args.json, &with_counts(&overview), || {
        let state = state(&overview, "file", "files");
        format!(
            "{} → {}, {} of text in {}\nby a profile: {}; without a document: {}\n{}{}{}{state}",
            read(&summary.archive_stats),
            counted(summary.documents, "document", "documents"),
            bytes(summary.text_bytes),
            args.out().display(),
            thousands(summary.by_profile),
            reasons(&summary.tally),
            others(&summary.archive_stats.others),
            cut_pages(summary.truncated),
            left_out(&summary.tally, &args.filter),
        )
    })?;
    match complete < planned {
        true => Ok(Exit::Done),
        false if summary.archive_stats.pages == 0 => bail!(no_page(&summary.archive_stats)),
        false => refuse_nothing(summary.archive_stats.pages, summary.documents, &summary.tally, &args.filter),
    }
}

/// The profiles for the extraction. Their digest is a setting of the output, because the results depend on them.
fn profiles(args: &ExtractArgs, settings: &mut Settings) -> anyhow::Result<StreamProfiles> {
    let Some(named) = &args.profiles else { return Ok(StreamProfiles::of(Vec::new())) };
    let copied = ObjectAddress::of(named)?.map(|address| LocalFile::copied_now(&address)).transpose()?;
    let path = copied.as_ref().map_or(&**named, LocalFile::path);
    let (profiles, digest) = match ProfileBook::is_book(path) {
        true => {
            let book = ProfileBook::open(path)?;
            let digest = book.digest().to_string();
            (StreamProfiles::Book(Box::new(book)), digest)
        }
        false => {
            let profiles = profile_files::serving(path)?;
            let digest = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&serde_json::to_vec(&profiles)?));
            (StreamProfiles::of(profiles), digest)
        }
    };
    settings.insert("--profiles".to_owned(), format!("{}{DIGEST}{digest}", named_sources::whole(named).display()));
    Ok(profiles)
}
