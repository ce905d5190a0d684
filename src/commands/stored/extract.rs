//! `goldminer extract`: extracts documents from stored pages, without network.
//!
//! JSON lines are written domain by domain: several processes can share the domains, and a killed run can be resumed.
//! For the other formats, and for Onion, which reads all documents in order, one process does all the work.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use goldminer_batch::sources::{PageRef, Sources};
use goldminer_batch::{Batch, BatchExtractor, BatchProgress, Overview, Settings, Summary, refuse_units};
use goldminer_core::{Algorithm, ServingProfile};
use goldminer_corpus::{Filter, Format, is_below};
use goldminer_crawl::extract::Learned;
use goldminer_crawl::{Clock, CrawlError};
use goldminer_html::{CrawlUrl, Domain};
use goldminer_lab::onion::OnionConfig;

use super::{cut_pages, extract_page, extract_stream, left_out, others, reasons, refuse_nothing, state, with_counts};
use crate::cli::ExtractArgs;
use crate::commands::{
    Bar, Exit, UsageError, bytes, counted, formats, methods, misuse, named_sources, output, profile_files, shard,
    thousands, use_threads, warn_of,
};

/// Runs `goldminer extract`.
///
/// # Errors
/// When a source cannot be read, or the output cannot be written.
pub(crate) fn run(args: &ExtractArgs) -> anyhow::Result<Exit> {
    match args.stream {
        true => formats::refuse_file_name(args.out(), "--stream")?,
        false => formats::refuse_other_file(args.out())?,
    }
    args.filter.refuse_no_day().map_err(UsageError::of)?;
    if args.profiles.is_some() && !args.method.uses_profiles() {
        return misuse(format!(
            "--method {} uses no profiles: leave out --profiles, or use --method goldminer",
            args.method.method
        ));
    }
    if args.filter.min_confidence.is_some() && !args.filter.keep_unjudged && !args.method.has_confidence() {
        return misuse(format!(
            "--min-confidence: documents by --method {} have no confidence, so all would be left out; leave out \
             --min-confidence, or use --method goldminer or classifier (with --convention article)",
            args.method.method
        ));
    }
    if args.url.is_some() && args.sources != [Path::new("-")] {
        return misuse("--url gives the URL of a page on standard input: goldminer extract - --url URL < page.html");
    }
    // With --stream, a URL is that of an archive.
    if !args.stream && args.sources.iter().any(|source| extract_page::is_page(source)) {
        return extract_page::run(args);
    }
    use_threads(args.threads)?;
    // The method is made before the output, so that a method without its model leaves no files.
    let algorithm = methods::algorithm(&args.method)?;
    if args.stream {
        return extract_stream::run(args, algorithm);
    }
    let is_in_folder = !formats::is_standard_output(args.out()) && !formats::is_one_file(args.out());
    if format(args) == Format::Jsonl && !args.method.onion && is_in_folder {
        return in_units(args, algorithm);
    }
    if args.shard.is_some() || args.changed {
        return misuse(
            "--shard and --changed write JSON lines, without --onion. For another format, or to remove repeated \
             paragraphs, use `goldminer convert` on the complete output",
        );
    }
    at_once(args, algorithm)
}

fn format(args: &ExtractArgs) -> Format {
    formats::chosen(args.format, args.out())
}

fn in_units(args: &ExtractArgs, algorithm: Algorithm) -> anyhow::Result<Exit> {
    let shard = shard(args.shard.as_deref())?;
    let input = Input::of(args)?;
    let settings = input.settings(args)?;
    let batch = Batch::open(args.out(), &settings, args.changed, || input.find_pages(args))?;
    let extractor = extractor(args, algorithm, batch.known());
    let (bar, progress) = Bar::of_batch("extracting", Some(batch.pages_left(shard)?));
    let overview = batch.run(&extractor, shard, &Clock::start(), &progress)?;
    drop(bar);
    let Overview { summary, planned, complete, .. } = &overview;
    output::answer(args.json, &with_counts(&overview), || {
        format!("{}{}", describe(summary, args), completeness(&overview, &progress, args))
    })?;
    if complete < planned {
        Ok(Exit::Done)
    } else {
        refuse_nothing(summary.pages, summary.documents, &summary.tally, &args.filter)
    }
}

fn at_once(args: &ExtractArgs, algorithm: Algorithm) -> anyhow::Result<Exit> {
    let format = format(args);
    let form = format!("--format {}{}", format.as_str(), if args.method.onion { " --onion" } else { "" });
    if !formats::is_standard_output(args.out()) {
        refuse_units(args.out(), &form)?;
    }
    let (sources, known) = Input::of(args)?.find_pages(args)?;
    if args.out.is_none() {
        refuse_screen(sources.pages(), std::io::stdout().is_terminal())?;
    }
    let extractor = extractor(args, algorithm, &known);
    let mut sink = formats::sink(args.out(), format, args.json)?.with_filter(&extractor.filter);
    warn_of(&sources.faults);
    let (bar, progress) = Bar::of_batch("extracting", Some(sources.pages() as u64));
    let summary = extractor.extract(&sources, &Clock::start(), &progress, |found, document| {
        match (document, format) {
            (document, Format::Cleaneval) => sink.page(found.domain().as_str(), found.id(), document)?,
            (Some(document), _) => sink.write(document)?,
            (None, _) => {}
        }
        Ok(())
    })?;
    // No empty corpus is left. CleanEval's format has a file for each page in any case.
    if summary.documents > 0 || format == Format::Cleaneval {
        sink.close()?;
    }
    drop(bar);
    warn_of(summary.faults.iter().skip(sources.faults.len()));
    if args.json {
        output::json(&summary)?;
    } else if formats::is_standard_output(args.out()) {
        let documents = counted(summary.documents, "document", "documents");
        tracing::info!("{} → {documents}", counted(summary.pages, "page", "pages"));
    } else {
        output::text(describe(&summary, args))?;
    }
    refuse_nothing(summary.pages, summary.documents, &summary.tally, &args.filter)
}

/// The URL in `--url-prefix`.
///
/// # Errors
/// When it is not a URL.
pub(crate) fn url_prefix(text: Option<&str>) -> Result<Option<CrawlUrl>, UsageError> {
    let parse = |text: &str| {
        let folder = if text.ends_with('/') { text.to_owned() } else { format!("{text}/") };
        CrawlUrl::parse(&folder).map_err(|why| {
            UsageError::of(format!(
                "--url-prefix {text}: {why}; write the URL that the folder was saved from, as in https://www.example.com/"
            ))
        })
    };
    text.map(parse).transpose()
}

struct Input {
    /// Absolute paths, because a later run may start in another folder.
    sources: Vec<PathBuf>,
    prefix: Option<CrawlUrl>,
    profiles: Vec<ServingProfile>,
}

impl Input {
    fn of(args: &ExtractArgs) -> anyhow::Result<Self> {
        let profiles = args.profiles.as_deref().map(profile_files::serving).transpose()?.unwrap_or_default();
        let prefix = url_prefix(args.url_prefix.as_deref())?;
        let sources = named_sources::named(&args.sources, args.list.as_deref())?;
        named_sources::refuse_remote(&sources)?;
        formats::refuse_among_sources(args.out(), &sources)?;
        Ok(Self { sources, prefix, profiles })
    }

    /// The settings that must stay the same while an output is being made.
    fn settings(&self, args: &ExtractArgs) -> anyhow::Result<Settings> {
        let mut settings = named_sources::settings(&self.sources);
        let mut set = |name: &str, value: String| drop(settings.insert(name.to_owned(), value));
        if let Some(prefix) = &self.prefix {
            set("--url-prefix", prefix.as_str().to_owned());
        }
        set("--method", methods::identity(&args.method)?);
        set("--pages", args.pages.to_string());
        if args.relearn {
            set("--relearn", String::new());
        }
        if let Some(profiles) = &args.profiles {
            set("--profiles", named_sources::whole(profiles).display().to_string());
        }
        settings.extend(Filter::from(&args.filter).options());
        Ok(settings)
    }

    /// Finds the pages, and the profiles of the sources or of `--profiles`.
    fn find_pages(self, args: &ExtractArgs) -> Result<(Sources, Learned), CrawlError> {
        let _bar = Bar::spin("looking through the sources");
        let mut sources = Sources::find_below(&self.sources, self.prefix.as_ref())?;
        let learned = std::mem::take(&mut sources.learned);
        for wanted in &args.filter.domain {
            let is_one = |(domain, pages): (&Domain, &Vec<PageRef>)| {
                let mut hosts = pages.iter().filter_map(|page| Some(page.url()?.host_name()));
                is_below(domain.as_str(), wanted) || hosts.any(|host| is_below(host, wanted))
            };
            if !sources.domains.iter().any(is_one) {
                let names = sources.domains.keys().take(10).map(Domain::as_str).collect::<Vec<_>>().join(", ");
                tracing::warn!("--domain {wanted}: no page is from this domain (domains: {names})");
            }
        }
        self.warn_of_unused_profiles(&sources);
        Ok(match args.profiles.is_some() || args.relearn {
            true => (sources, Learned { profiles: self.profiles, ..Learned::default() }),
            false => (sources, learned),
        })
    }

    /// Warns if there are profiles, but none of them is for a site of the sources.
    fn warn_of_unused_profiles(&self, sources: &Sources) {
        let hosts = || self.profiles.iter().map(|serving| serving.profile.key.split('/').next().unwrap_or_default());
        let fits = |site: &Domain| hosts().any(|host| is_below(site.as_str(), host) || is_below(host, site.as_str()));
        if !self.profiles.is_empty() && !sources.domains.keys().any(fits) {
            let keys = self.profiles.iter().map(|it| it.profile.key.as_str()).take(10).collect::<Vec<_>>().join(", ");
            let sites = sources.domains.keys().take(10).map(Domain::as_str).collect::<Vec<_>>().join(", ");
            tracing::warn!("--profiles: no profile ({keys}) is for a site of the sources ({sites})");
        }
    }
}

fn extractor(args: &ExtractArgs, algorithm: Algorithm, known: &Learned) -> BatchExtractor {
    BatchExtractor {
        onion: args.method.onion.then(OnionConfig::default),
        structure: !args.method.no_structure,
        learning_pages: args.pages,
        drop_duplicates: format(args) != Format::Cleaneval,
        filter: Filter::from(&args.filter),
        ..BatchExtractor::by(algorithm).knowing(known)
    }
}

fn describe(summary: &Summary, args: &ExtractArgs) -> String {
    let mut text = format!(
        "{} → {}, {} of text in {}\nwithout a document: {}\n",
        counted(summary.pages, "page", "pages"),
        counted(summary.documents, "document", "documents"),
        bytes(summary.text_bytes),
        args.out().display(),
        reasons(&summary.tally),
    );
    text.push_str(&others(&summary.others));
    text.push_str(&cut_pages(summary.truncated));
    text.push_str(&left_out(&summary.tally, &args.filter));
    let without_profile = summary.documents - summary.by_profile;
    if summary.by_profile > 0 && without_profile > 0 {
        let documents = counted(without_profile, "document is from a page", "documents are from pages");
        text +=
            &format!("{documents} that no profile matches; the text is from the page classifier or the page's data\n");
    }
    let Summary { learned, profiled, unprofiled, .. } = summary;
    text += &format!(
        "domains: {learned} with a profile learned from these pages, {profiled} with an existing one, {unprofiled} without\n"
    );
    if !summary.faults.is_empty() {
        let faults = counted(summary.faults.len() as u64, "thing", "things");
        text += &format!("at least {faults} could not be read (see above)\n");
    }
    text
}

/// Describes whether the output is complete, and if not, how to complete it.
fn completeness(overview: &Overview<Summary>, progress: &BatchProgress, args: &ExtractArgs) -> String {
    let now = progress.pages.load(Ordering::Relaxed);
    match (overview.complete == overview.planned, now) {
        (true, 0) if args.changed => "nothing has changed since the last extraction\n".to_owned(),
        (true, 0) => "everything was already done; use --changed to check for new pages and profiles\n".to_owned(),
        (true, now) if now < overview.summary.pages => {
            format!("complete; {} of the pages were extracted now\n", thousands(now))
        }
        (true, _) => String::new(),
        (false, _) => state(overview, "domain", "domains"),
    }
}

/// Refuses to print many documents to a terminal, because the user has probably forgotten `-o`.
fn refuse_screen(pages: usize, is_terminal: bool) -> Result<(), UsageError> {
    if pages < 2 || !is_terminal {
        return Ok(());
    }
    let pages = counted(pages as u64, "page", "pages");
    Err(UsageError::of(format!("{pages}: give a folder for the documents with -o OUT (or -o - to print JSON lines)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_not_filled_with_documents() {
        assert!(refuse_screen(1, true).is_ok() && refuse_screen(471, false).is_ok());
        let error = refuse_screen(1_471, true).unwrap_err().to_string();
        assert!(error.starts_with("1,471 pages: give a folder for the documents with -o OUT"), "{error}");
    }
}
