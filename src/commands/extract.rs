//! `goldminer extract`: documents from stored pages, without network.
//!
//! JSON lines are written in units that may be spread over processes and resumed; the other forms, and Onion, which
//! looks at all documents in order, go through one process from beginning to end.

use std::path::{Path, absolute};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::Context;

use crate::address::Domain;
use crate::cli::{ExtractArgs, FilterArgs, FormatArg};
use crate::corpus::{Filter, Format, Sink};
use crate::engine::offline::{Batch, Offline, Overview, Progress, Settings, Shard, Summary};
use crate::engine::sources::Sources;
use crate::engine::{Clock, EngineError};
use crate::extract::domain::{ProfileSet, ServingProfile};
use crate::goldminer::profile::DomainProfile;

use super::bar::{Bar, Standing};
use super::{Exit, Misuse, formats, methods, profile_files, say, thousands};

/// Runs the command.
///
/// # Errors
/// When a source can't be read, or the output can't be written.
pub fn run(args: &ExtractArgs) -> anyhow::Result<Exit> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("cannot start the threads")?;
    }
    if args.format == FormatArg::Jsonl && !args.method.onion.onion {
        return in_units(args);
    }
    if args.shard.is_some() || args.changed {
        return Err(Misuse::of(
            "--shard and --changed write JSON lines, without --onion: extract so, and make the other forms (or take \
             repeated paragraphs out) of the whole with `goldminer convert`",
        )
        .into());
    }
    at_once(args)
}

/// The documents that the arguments ask for.
#[must_use]
pub fn filter(args: &FilterArgs) -> Filter {
    Filter {
        languages: args.language.clone(),
        domains: args.domain.clone(),
        since: args.since,
        min_chars: args.min_chars,
    }
}

fn in_units(args: &ExtractArgs) -> anyhow::Result<Exit> {
    let shard: Shard =
        args.shard.as_ref().map(|text| text.parse()).transpose().map_err(Misuse::of)?.unwrap_or_default();
    let mut profiles = Vec::new();
    if let Some(folder) = &args.profiles {
        profiles = profile_files::read(folder)?;
    }
    let batch = Batch::open(&args.out, &settings(args)?, args.piece as usize, args.changed, || found(args, profiles))?;
    let offline = offline(args, batch.profiles(), batch.unprofiled())?;
    let progress = Arc::new(Progress::default());
    let bar = watch(batch.pages_left(shard)?, &progress);
    let overview = batch.run(&offline, shard, &Clock::start(), &progress)?;
    drop(bar);
    for fault in &overview.summary.faults {
        tracing::warn!("{fault}");
    }
    if args.json {
        say::json(&overview)?;
    } else {
        say::text(format_args!("{}{}", describe(&overview.summary, &args.out), standing(&overview, &progress, args)))?;
    }
    Ok(Exit::Done)
}

fn at_once(args: &ExtractArgs) -> anyhow::Result<Exit> {
    let profiles = args.profiles.as_deref().map(profile_files::read).transpose()?.unwrap_or_default();
    let (sources, profiles, unprofiled) = found(args, profiles)?;
    let unprofiled = unprofiled.iter().map(|name| Domain::named(name)).collect();
    let offline = offline(args, ProfileSet::of(profiles), unprofiled)?;
    let format = formats::format(args.format);
    let mut sink = Sink::create(&args.out, format)?;
    let progress = Arc::new(Progress::default());
    let bar = watch(sources.pages() as u64, &progress);
    let summary = offline.extract(&sources, &Clock::start(), &progress, |found, document| {
        match (document, format) {
            (document, Format::Cleaneval) => sink.page(found.domain().as_str(), found.id(), document)?,
            (Some(document), _) => sink.write(document)?,
            (None, _) => {}
        }
        Ok(())
    })?;
    sink.close()?;
    drop(bar);
    for fault in &summary.faults {
        tracing::warn!("{fault}");
    }
    if args.json {
        say::json(&summary)?;
    } else {
        say::text(describe(&summary, &args.out))?;
    }
    Ok(Exit::Done)
}

/// What an output must be made with as long as it is being made.
fn settings(args: &ExtractArgs) -> anyhow::Result<Settings> {
    let mut settings = Settings::new();
    let mut set = |name: &str, value: String| drop(settings.insert(name.to_owned(), value));
    for (n, source) in args.sources.iter().enumerate() {
        let path = absolute(source).with_context(|| format!("cannot read {}", source.display()))?;
        set(&format!("source {}", n + 1), path.display().to_string());
    }
    set("--method", methods::identity(&args.method)?);
    set("--pages", args.pages.to_string());
    set("--piece", args.piece.to_string());
    if args.relearn {
        set("--relearn", "yes".to_owned());
    }
    if let Some(profiles) = &args.profiles {
        set("--profiles", absolute(profiles).unwrap_or_else(|_| profiles.clone()).display().to_string());
    }
    let filter = filter(&args.filter);
    if filter != Filter::default() {
        set("filters", serde_json::to_string(&filter)?);
    }
    Ok(settings)
}

type Found = (Sources, Vec<ServingProfile>, Vec<String>);

/// What the sources hold, and which profiles serve.
fn found(args: &ExtractArgs, profiles: Vec<DomainProfile>) -> Result<Found, EngineError> {
    let _bar = Bar::spin("looking through the sources");
    // A later run may start in another folder.
    let paths: Vec<_> = args.sources.iter().map(|path| absolute(path).unwrap_or_else(|_| path.clone())).collect();
    let mut sources = Sources::find(&paths)?;
    let learned = std::mem::take(&mut sources.learned);
    Ok(match (&args.profiles, args.relearn) {
        (Some(_), _) => (sources, profiles.into_iter().map(ServingProfile::everywhere).collect(), Vec::new()),
        (None, true) => (sources, Vec::new(), Vec::new()),
        (None, false) => (sources, learned.profiles, learned.unprofiled),
    })
}

fn offline(args: &ExtractArgs, profiles: ProfileSet, unprofiled: Vec<Domain>) -> anyhow::Result<Offline> {
    Ok(Offline {
        onion: methods::onion(&args.method.onion),
        profiles,
        unprofiled,
        learning_pages: args.pages,
        drop_duplicates: args.format != FormatArg::Cleaneval,
        filter: filter(&args.filter),
        ..Offline::by(methods::algorithm(&args.method)?)
    })
}

fn watch(pages: u64, progress: &Arc<Progress>) -> Bar {
    let progress = progress.clone();
    Bar::watch("extracting", "pages", Some(pages), move || Standing {
        done: progress.pages.load(Ordering::Relaxed),
        bytes: progress.page_bytes.load(Ordering::Relaxed),
        note: format!("{} documents", thousands(progress.documents.load(Ordering::Relaxed))),
    })
}

fn describe(summary: &Summary, out: &Path) -> String {
    let mut without: Vec<String> = summary
        .tally
        .without_document()
        .map(|(outcome, pages)| format!("{} {}", thousands(pages), outcome.as_str().replace('-', " ")))
        .collect();
    if without.is_empty() {
        without.push("none".to_owned());
    }
    let mut text = format!(
        "{} pages → {} documents, {} MB of text in {}\nwithout a document: {}\n",
        thousands(summary.pages),
        thousands(summary.documents),
        thousands(summary.text_bytes / 1_000_000),
        out.display(),
        without.join(", "),
    );
    text.push_str(&format!(
        "domains: {} learned now, {} with a profile from before, {} without\n",
        summary.learned, summary.profiled, summary.unprofiled
    ));
    if !summary.faults.is_empty() {
        text.push_str(&format!("{} things could not be read (see above)\n", summary.faults.len()));
    }
    text
}

/// What of the output is done, and what to do about the rest.
fn standing(overview: &Overview, progress: &Progress, args: &ExtractArgs) -> String {
    let now = progress.pages.load(Ordering::Relaxed);
    match (overview.complete == overview.domains, now) {
        (true, 0) if args.changed => "nothing has changed since the last extraction into it\n".to_owned(),
        (true, 0) => "all of it was there already; --changed looks whether pages or profiles are new\n".to_owned(),
        (true, now) if now < overview.summary.pages => {
            format!("complete; {} of the pages were read now\n", thousands(now))
        }
        (true, _) => String::new(),
        (false, _) => format!(
            "{} of {} domains are complete; the other shards do the rest (run again what was killed)\n",
            overview.complete, overview.domains
        ),
    }
}
