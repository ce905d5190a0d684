//! `goldminer learn`: learns profiles from stored pages, and writes them as TOML files that people can read, edit and
//! share.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::bail;
use goldminer_batch::BatchExtractor;
use goldminer_batch::samples::Samples;
use goldminer_batch::sources::Sources;
use goldminer_core::Algorithm;
use goldminer_core::goldminer::profile::Evidence;
use goldminer_crawl::Clock;
use goldminer_crawl::store::profile_book::ProfileBook;
use goldminer_warc::OpenFiles;
use goldminer_warc::objects::{Mirror, ObjectAddress, Upload};
use serde::Serialize;

use super::extract::url_prefix;
use crate::cli::LearnArgs;
use crate::commands::{
    Bar, Exit, counted, formats, misuse, named_sources, output, profile_files, single_file, use_threads, warn_of,
};

/// What was learned about a domain.
#[derive(Debug, Serialize)]
struct LearnedLine {
    domain: String,
    pages: usize,
    templates: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<PathBuf>,
}

const NOTHING_LEARNED: &str = "no profile was learned: it takes several pages of one domain that share a layout";

/// Runs `goldminer learn`.
///
/// # Errors
/// When a source cannot be read, or a profile cannot be written.
pub(crate) fn run(args: &LearnArgs) -> anyhow::Result<Exit> {
    use_threads(args.threads)?;
    let sources = named_sources::named(&args.sources, args.list.as_deref())?;
    let may_be_sample = |source: &PathBuf| ObjectAddress::is_in(source) || Samples::is_sample(source);
    if let Some(out) = args.out.as_ref().filter(|_| sources.iter().any(may_be_sample)) {
        let mirror = |source: &PathBuf| -> anyhow::Result<Option<Mirror>> {
            Ok(ObjectAddress::of(source)?.map(|address| Mirror::open(&address, |_| true)).transpose()?)
        };
        let mirrors = sources.iter().map(mirror).collect::<anyhow::Result<Vec<_>>>()?;
        let folders = mirrors.iter().zip(&sources);
        let folders = folders.map(|(mirror, path)| mirror.as_ref().map_or(path.as_path(), Mirror::folder).to_owned());
        return from_samples(args, &folders.collect::<Vec<_>>(), out);
    }
    named_sources::refuse_remote(&sources)?;
    if let Some(sample) = sources.iter().find(|source| Samples::is_sample(source)) {
        let sample = sample.display();
        return misuse(format!(
            "{sample} is a sample: name the file that all profiles go into, as in goldminer learn {sample} -o profiles.gmp"
        ));
    }
    let folder = args.out.as_deref().unwrap_or(Path::new("domain-profiles"));
    if folder.is_file() || folder.extension().is_some_and(|extension| extension == "gmp") {
        let folder = folder.display();
        return misuse(format!(
            "-o {folder}: name a folder; only profiles from samples (`goldminer sample`) are written into one file"
        ));
    }
    formats::refuse_among_sources(folder, &sources)?;
    let sources = Sources::find_below(&sources, url_prefix(args.url_prefix.as_deref())?.as_ref())?;
    warn_of(&sources.faults);
    let clock = Clock::start();
    let extractor = BatchExtractor { learning_pages: args.pages, ..BatchExtractor::by(Algorithm::Goldminer) };
    let (bar, done) = Bar::counting("learning", "domains", Some(sources.domains.len() as u64));
    let (mut learned_lines, files) = (Vec::new(), OpenFiles::default());
    for (domain, pages) in &sources.domains {
        let profile = extractor.learn(domain, pages, &files, &clock)?;
        let mut line =
            LearnedLine { domain: domain.to_string(), pages: pages.len(), templates: 0, evidence: None, profile: None };
        if let Some(profile) = profile {
            line.profile = Some(profile_files::write(folder, &profile)?);
            line.templates = profile.templates.len();
            line.evidence = Some(profile.evidence);
        }
        learned_lines.push(line);
        done.fetch_add(1, Ordering::Relaxed);
    }
    drop(bar);
    output::answer(args.json, &learned_lines, || {
        let lines: String = learned_lines.iter().map(|line| line.in_words() + "\n").collect();
        let learned = learned_lines.iter().filter(|line| line.profile.is_some()).count();
        format!("{lines}{learned} of {} learned", counted(learned_lines.len() as u64, "domain", "domains"))
    })?;
    if learned_lines.iter().all(|line| line.profile.is_none()) {
        bail!(NOTHING_LEARNED);
    }
    Ok(Exit::Done)
}

/// Learns from samples, and writes all profiles into one file.
fn from_samples(args: &LearnArgs, sources: &[PathBuf], out: &Path) -> anyhow::Result<Exit> {
    let upload = ObjectAddress::of(out)?.map(Upload::of).transpose()?;
    let is_again = upload.is_none() && single_file::refuse_other(out, "a file of profiles", ProfileBook::is_book)?;
    let samples = Samples::open(sources)?;
    if let Some(bucket) = args.bucket.filter(|bucket| *bucket >= samples.buckets) {
        return misuse(format!(
            "--bucket {bucket}: the sample has {} (parts of the domains), numbered from 0",
            counted(samples.buckets.into(), "bucket", "buckets")
        ));
    }
    let extractor = BatchExtractor { learning_pages: args.pages, ..BatchExtractor::by(Algorithm::Goldminer) };
    let (bar, progress) = Bar::of_batch("learning", None);
    let counts = samples.learn(args.bucket, upload.as_ref().map_or(out, Upload::path), &extractor, &progress)?;
    upload.as_ref().map_or(Ok(()), Upload::send)?;
    drop(bar);
    if counts.profiles == 0 {
        tracing::warn!("{NOTHING_LEARNED}; `extract --stream` will classify each page by itself");
    }
    output::answer(args.json, &counts, || {
        format!(
            "{} of {} → {} of {} in {}{}",
            counted(counts.pages, "page", "pages"),
            counted(counts.domains, "domain", "domains"),
            counted(counts.profiles, "profile", "profiles"),
            counted(counts.learned, "domain", "domains"),
            out.display(),
            if is_again { ", in place of the earlier file" } else { "" }
        )
    })
}

impl LearnedLine {
    fn in_words(&self) -> String {
        let domain = &self.domain;
        match (&self.profile, &self.evidence) {
            (Some(path), Some(Evidence { taught, fitness, .. })) => {
                let templates = counted(self.templates as u64, "template", "templates");
                let taught = counted(u64::from(*taught), "page", "pages");
                format!("{domain}: {templates} from {taught}, fitness {fitness:.2} → {}", path.display())
            }
            _ => format!("{domain}: no profile from {}", counted(self.pages as u64, "page", "pages")),
        }
    }
}
