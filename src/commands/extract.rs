//! `goldminer extract`: documents from stored pages, without network.

use std::path::Path;

use anyhow::Context;

use crate::address::Domain;
use crate::cli::{ExtractArgs, FormatArg};
use crate::corpus::{Format, Sink};
use crate::engine::Clock;
use crate::engine::extraction::{Library, ServingProfile};
use crate::engine::offline::{Offline, Summary};
use crate::engine::sources::Sources;

use super::{Exit, methods, profile_files, thousands};

/// Runs the command.
///
/// # Errors
/// When a source can't be read, or the output can't be written.
pub fn run(args: &ExtractArgs) -> anyhow::Result<Exit> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("cannot start the threads")?;
    }
    let sources = Sources::find(&args.sources)?;
    let mut library = Library::default();
    let mut unprofiled = Vec::new();
    if let Some(profiles) = &args.profiles {
        for profile in profile_files::read(profiles)? {
            library.add(ServingProfile::everywhere(profile));
        }
    } else if !args.relearn {
        sources.learned.profiles.iter().cloned().for_each(|serving| library.add(serving));
        unprofiled.extend(sources.learned.unprofiled.iter().map(|name| Domain::named(name)));
    }
    let offline = Offline {
        algorithm: methods::algorithm(&args.method)?,
        onion: methods::onion(&args.method.onion),
        library,
        unprofiled,
        learning_pages: args.pages,
        least_learning_pages: 2,
        drop_duplicates: args.format != FormatArg::Cleaneval,
    };
    let format = match args.format {
        FormatArg::Jsonl => Format::Jsonl,
        FormatArg::Text => Format::Text,
        FormatArg::Cleaneval => Format::Cleaneval,
        FormatArg::Vertical => Format::Vertical,
        FormatArg::Tei => Format::Tei,
    };
    let mut sink = Sink::create(&args.out, format)?;
    let summary = offline.extract(&sources, &Clock::start(), |found, document| {
        match (document, args.format) {
            (document, FormatArg::Cleaneval) => sink.page(found.domain().as_str(), found.id(), document)?,
            (Some(document), _) => sink.write(document)?,
            (None, _) => {}
        }
        Ok(())
    })?;
    sink.close()?;
    for fault in &summary.faults {
        tracing::warn!("{fault}");
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
    } else {
        print!("{}", describe(&summary, &args.out));
    }
    Ok(Exit::Done)
}

fn describe(summary: &Summary, out: &Path) -> String {
    let mut without: Vec<String> = summary
        .tally
        .iter()
        .filter(|(what, _)| what.as_str() != "document")
        .map(|(what, n)| format!("{} {}", thousands(*n), what.replace('-', " ")))
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
