//! `goldminer profile test`: applies profiles to one page, and explains where they cut off the text around the article,
//! or why they do not apply.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use goldminer_batch::sources::{Sources, page_name};
use goldminer_console::survey::{Block, Dissection, class, reason_alone};
use goldminer_core::goldminer::explain::{Trial, trials};
use goldminer_core::goldminer::trim::NoCut;
use goldminer_core::{DomainProfile, Extractor, PageRead, StoredPage};
use goldminer_crawl::{JobDir, typed_url};
use goldminer_html::CrawlUrl;
use goldminer_warc::OpenFiles;
use serde_json::{Value, json};

use crate::cli::ProfileTestArgs;
use crate::commands::terminal::style::{CUT, DROPPED, FAINT, KEPT, TITLE, styled};
use crate::commands::{Exit, UsageError, misuse, output, profile_files, shortened, thousands};

/// The most characters of a paragraph that are shown.
const SHOWN: usize = 100;

/// Runs `goldminer profile test`.
///
/// # Errors
/// When there is no such page or no profile for it.
pub(crate) fn test(args: &ProfileTestArgs) -> anyhow::Result<Exit> {
    let (dir, page) = match (args.what.as_slice(), &args.profiles) {
        ([page], Some(_)) => (None, page),
        ([page], None) if Path::new(page).is_file() => (None, page),
        ([dir, page], _) => (Some(PathBuf::from(dir)), page),
        _ => {
            return misuse(
                "say what to test: `profile test DIR PAGE`, `profile test --profiles FILE PAGE`, or only an HTML file",
            );
        }
    };
    let name = page;
    let mut page = read_page(dir.as_deref(), name, args.url.as_deref())?;
    let from = args.profiles.as_deref().or(dir.as_deref());
    let serving = profile_files::given(from)?;
    let keys: Vec<String> = serving.iter().map(|serving| serving.profile.key.clone()).collect();
    let set = profile_files::for_page(from, serving, &mut page)?;
    let candidates = set.candidates(&page.domain, page.url.as_ref(), page.position.as_ref());
    if candidates.is_empty() && !keys.is_empty() {
        bail!(
            "none of the profiles ({}) is for {}; give the page's URL with --url, or one profile file with \
             --profiles",
            keys.join(", "),
            page.domain
        );
    }
    let source = page.source();
    let parsed = Extractor::read(&source).context("the page is not HTML: no profile can cut it")?;
    let tried: Vec<(&DomainProfile, Vec<Trial>)> = candidates
        .iter()
        .map(|profile| (*profile, trials(&parsed, source.url, source.declared_language, profile)))
        .collect();
    let dissection = Dissection::of(&source, &candidates).context("the page is no HTML")?;
    let no_article = PageRead::of(&Extractor::default(), &set, &page, false).result.err();
    let outcome = dissection.outcome.in_words_with(no_article);
    output::answer(args.json, &as_json(&tried, &dissection, &outcome), || describe(&tried, &dissection, &outcome))
}

/// Reads the page in a file, or the page of a URL in a job or in an archive file.
///
/// # Errors
/// When there is no such page.
pub(crate) fn read_page(dir: Option<&Path>, page: &str, url: Option<&str>) -> anyhow::Result<StoredPage> {
    let parse = |text: &str| typed_url(text).map_err(UsageError::of);
    let path = Path::new(page);
    if path.is_file() {
        let sources = Sources::find(&[path.to_owned()])?;
        let none = || format!("{page} contains no page: give an HTML file, or an archive with pages");
        let found = sources.domains.values().flatten().next().with_context(none)?;
        let url = url.map(parse).transpose()?;
        if let Some(url) = url.as_ref().filter(|_| found.is_archived()) {
            return page_of(&sources, url)?.with_context(|| format!("{page} has no page for {url}"));
        }
        if url.is_none() && sources.pages() > 1 {
            return misuse(format!("{page} contains {} pages: name one with --url", thousands(sources.pages() as u64)));
        }
        let mut stored = found.read(&OpenFiles::default())?.with_context(none)?;
        if let Some(url) = url {
            stored.domain = url.site();
            stored.url = Some(url);
        }
        return Ok(stored);
    }
    let Some(dir) = dir else {
        bail!(
            "{page} is not a file. To test a page that a crawl has fetched, put the job directory before its URL, as \
            in: goldminer profile test crawls/mine https://portal.example/an-article"
        );
    };
    if !JobDir::is_job(dir) {
        return misuse(format!(
            "{page} is not a file, and {dir} is not a job directory, in which its page would be stored. Give the page in an \
             HTML or WARC file, and its URL with --url, as in: goldminer profile test {dir} page.html --url \
             https://portal.example/an-article",
            dir = dir.display()
        ));
    }
    let url = parse(page).with_context(|| format!("{page} is neither a file nor a URL"))?;
    page_of(&Sources::find(&[dir.to_owned()])?, &url)?.with_context(|| {
        let dir = dir.display();
        format!("{dir} has no page for {url}; `goldminer why {dir} {url}` shows what happened to it")
    })
}

/// The page of a URL in an archive or a job, if it has one.
fn page_of(sources: &Sources, url: &CrawlUrl) -> anyhow::Result<Option<StoredPage>> {
    let (name, files) = (page_name(url), OpenFiles::default());
    for found in sources.domains.values().flatten().filter(|found| found.id() == name) {
        if let Some(page) = found.read(&files)?.filter(|page| page.url.as_ref() == Some(url)) {
            return Ok(Some(page));
        }
    }
    Ok(None)
}

fn as_json(tried: &[(&DomainProfile, Vec<Trial>)], dissection: &Dissection, outcome: &str) -> Value {
    let profile = |(profile, trials): &(&DomainProfile, Vec<Trial>)| json!({ "key": profile.key, "version": profile.version, "templates": trials });
    let block = |block: &Block| {
        let classified = block.classified.as_ref();
        let classified = classified.map(|(probability, why)| json!({ "probability": probability, "why": why }));
        json!({ "text": block.text, "class": block.class, "reason": reason_alone(dissection, block), "kept": block.reason.is_kept(),
            "link_density": block.link_density, "judged": classified })
    };
    json!({ "page": dissection.name, "outcome": outcome, "doubt": dissection.doubt,
        "profiles": tried.iter().map(profile).collect::<Vec<_>>(),
        "paragraphs": dissection.blocks.iter().map(block).collect::<Vec<_>>() })
}

fn describe(tried: &[(&DomainProfile, Vec<Trial>)], dissection: &Dissection, outcome: &str) -> String {
    let mut text = String::new();
    for (profile, trials) in tried {
        text += &format!("{}\n", styled(TITLE, format!("{}  version {}", profile.key, profile.version)));
        text.extend(trials.iter().map(trial_lines));
    }
    text += &format!("{}\n", styled(TITLE, outcome));
    text.extend(dissection.doubt.iter().map(|doubt| format!("{}\n", styled(FAINT, doubt))));
    let kept = dissection.blocks.iter().filter(|block| block.reason.is_kept()).count();
    let (all, stoplist) = (dissection.blocks.len(), dissection.stoplist);
    text += &format!(
        "\n{kept} of {all} paragraphs kept. Each cut paragraph is followed by the reason and, as a hint, by its jusText \
         class (stoplist {stoplist}):\n\n"
    );
    for (at, block) in dissection.blocks.iter().enumerate() {
        if dissection.cuts.iter().any(|cut| cut.start == at) {
            text += &format!("{}\n", styled(CUT, "──────── start pattern"));
        }
        text += &block_lines(block, &reason_alone(dissection, block));
        if dissection.cuts.iter().any(|cut| cut.end == at + 1) {
            text += &format!("{}\n", styled(CUT, "──────── end pattern"));
        }
    }
    text
}

fn trial_lines(trial: &Trial) -> String {
    let (style, verdict) = match trial.verdict {
        Ok(()) => (KEPT, "cuts the page"),
        Err(NoCut::NoMatch) => (DROPPED, "matches nothing"),
        Err(NoCut::NoText) => (DROPPED, "matches, but has only teasers or boilerplate inside"),
        Err(NoCut::NoDate) => (DROPPED, "requires a date of publication, which the page does not have"),
        Err(NoCut::TooLarge) => (DROPPED, "is not tried: the page is too large for hand-written rules ([manual])"),
        Err(_) => (DROPPED, "does not cut the page"),
    };
    let bounds = styled(CUT, &trial.bounds);
    let mut text = format!("  template {}  {bounds}  {}\n", trial.template, styled(style, verdict));
    for part in &trial.parts {
        let found = match part.found {
            0 => styled(DROPPED, "not on the page".to_owned()),
            n => styled(FAINT, format!("{n} on the page")),
        };
        text += &format!("      {:<40} {found}\n", part.part);
    }
    text.extend(trial.nearest.iter().map(|nearest| format!("      nearest: {nearest}\n")));
    text
}

fn block_lines(block: &Block, reason: &str) -> String {
    let (word, style) = if block.reason.is_kept() { ("kept", KEPT) } else { ("cut", DROPPED) };
    let mut text =
        format!("{} {}\n", styled(FAINT, format!("{word:<4}")), styled(style, shortened(&block.text, SHOWN)));
    if !block.reason.is_kept() {
        let reason = reason.strip_prefix("cut: ").unwrap_or(reason);
        text += &format!("{:5}{}\n", "", styled(FAINT, format!("{reason}; jusText: {}", class(block.class))));
    }
    if let Some((probability, why)) = &block.classified {
        text += &format!(
            "{:5}{}\n",
            "",
            styled(FAINT, format!("probability of text {} % ({why})", (probability + 5) / 10))
        );
    }
    text
}
