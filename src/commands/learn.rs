//! `goldminer learn`: profiles from stored pages, as TOML files that people can read, edit and share.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use crate::archive::OpenFiles;
use crate::cli::LearnArgs;
use crate::engine::Clock;
use crate::engine::offline::BatchExtractor;
use crate::engine::sources::Sources;
use crate::extract::Algorithm;
use crate::goldminer::profile::Evidence;

use super::bar::{Bar, Standing};
use super::extract::url_prefix;
use super::{Exit, counted, output, profile_files};

/// What a domain taught.
#[derive(Debug, Serialize)]
struct Lesson {
    domain: String,
    pages: usize,
    templates: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When a source can't be read or a profile can't be written.
pub(super) fn run(args: &LearnArgs) -> anyhow::Result<Exit> {
    let sources = Sources::find_below(&args.sources, url_prefix(args.url_prefix.as_deref())?.as_ref())?;
    for fault in &sources.faults {
        tracing::warn!("{fault}");
    }
    let clock = Clock::start();
    let extractor = BatchExtractor { learning_pages: args.pages, ..BatchExtractor::by(Algorithm::Goldminer) };
    let done = Arc::new(AtomicU64::new(0));
    let watched = done.clone();
    let standing = move || Standing { done: watched.load(Ordering::Relaxed), ..Standing::default() };
    let bar = Bar::watch("learning", "domains", Some(sources.domains.len() as u64), standing);
    let (mut lessons, files) = (Vec::new(), OpenFiles::default());
    for (domain, pages) in &sources.domains {
        let profile = extractor.learn(domain, pages, &files, &clock)?;
        let mut lesson =
            Lesson { domain: domain.to_string(), pages: pages.len(), templates: 0, evidence: None, profile: None };
        if let Some(profile) = profile {
            lesson.profile = Some(profile_files::write(&args.profiles, &profile)?);
            lesson.templates = profile.templates.len();
            lesson.evidence = Some(profile.evidence);
        }
        lessons.push(lesson);
        done.fetch_add(1, Ordering::Relaxed);
    }
    drop(bar);
    if args.json {
        output::json(&lessons)?;
    } else {
        lessons.iter().try_for_each(tell)?;
        let learned = lessons.iter().filter(|lesson| lesson.profile.is_some()).count();
        output::line(format_args!("{learned} of {} learned", counted(lessons.len() as u64, "domain", "domains")))?;
    }
    Ok(Exit::Done)
}

fn tell(lesson: &Lesson) -> anyhow::Result<()> {
    match (&lesson.profile, &lesson.evidence) {
        (Some(path), Some(evidence)) => output::line(format_args!(
            "{}: {} from {}, fitness {:.2} → {}",
            lesson.domain,
            counted(lesson.templates as u64, "template", "templates"),
            counted(u64::from(evidence.taught), "page", "pages"),
            evidence.fitness,
            path.display()
        )),
        _ => output::line(format_args!(
            "{}: no pattern from {}",
            lesson.domain,
            counted(lesson.pages as u64, "page", "pages")
        )),
    }
}
