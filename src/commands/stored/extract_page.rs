//! `goldminer extract -` and `goldminer extract URL`: extracts one page from standard input, or requested as by
//! `try`. Its document is written to standard output or into a folder. The page is extracted like stored pages;
//! without profiles the page classifier decides.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, bail};
use goldminer_batch::sources::Foreign;
use goldminer_core::{Extractor, PageRead, StoredPage};
use goldminer_corpus::{Filter, Format};
use goldminer_crawl::typed_url;
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::{CrawlUrl, Domain};

use super::given;
use crate::cli::ExtractArgs;
use crate::commands::look::try_page::page_of_web;
use crate::commands::{Exit, UsageError, formats, methods, misuse, output, profile_files};

/// Whether a source is a single page that is not on disk.
pub(crate) fn is_page(source: &Path) -> bool {
    let text = source.to_string_lossy();
    // No file can have such a name: paths do not begin with `https://`.
    text == "-" || text.starts_with("https://") || text.starts_with("http://")
}

/// Runs `goldminer extract` on one page.
///
/// # Errors
/// When the page cannot be read, has no article, or the document cannot be written.
pub(crate) fn run(args: &ExtractArgs) -> anyhow::Result<Exit> {
    let [source] = args.sources.as_slice() else {
        return misuse("give only one `-` or one URL, and no other sources with it");
    };
    let mut page = match source == Path::new("-") {
        true => of_standard_input(args)?,
        false => page_of_web(&source.to_string_lossy(), &args.network)?,
    };
    let extractor = Extractor::default().with_algorithm(methods::algorithm(&args.method)?);
    let extractor = extractor.with_structure(!args.method.no_structure);
    // With a URL, the document keeps the domain of that URL.
    let profiles = match page.url {
        Some(_) => profile_files::set(args.profiles.as_deref())?,
        None => {
            let path = args.profiles.as_deref();
            profile_files::for_page(path, profile_files::given(path)?, &mut page)?
        }
    };
    let name = page.url.as_ref().map_or_else(|| "standard input".to_owned(), ToString::to_string);
    let document = match PageRead::of(&extractor, &profiles, &page, false).result {
        Ok(document) => document,
        Err(reason) => bail!("{name} has no article: {reason}"),
    };
    if Filter::from(&args.filter).check(&document).is_err() {
        bail!("{name} has an article, but the filters exclude it ({})", given(&args.filter));
    }
    let format = formats::chosen(args.format, args.out());
    if format == Format::Jsonl && formats::is_standard_output(args.out()) && !args.json {
        output::json_line(&document)?;
    } else {
        let mut out = formats::sink(args.out(), format, args.json)?;
        out.write(&document)?;
        out.close()?;
    }
    Ok(Exit::Done)
}

fn of_standard_input(args: &ExtractArgs) -> anyhow::Result<StoredPage> {
    let url = args.url.as_deref().map(typed_url).transpose().map_err(UsageError::of)?;
    let limit = CodingLimits::default().decoded_bytes as u64;
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(limit).read_to_end(&mut bytes).context("cannot read standard input")?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        bail!("standard input is empty; give it a page, as in: goldminer extract - < page.html");
    }
    if let Some(what) = Foreign::of(&bytes) {
        bail!("standard input {what}");
    }
    let domain = url.as_ref().map_or_else(|| Domain::named("standard-input"), CrawlUrl::domain);
    let mut page = StoredPage::new(domain, bytes);
    if page.truncated {
        tracing::warn!("standard input is longer than 5 MiB: only its beginning is read");
    }
    page.url = url;
    Ok(page)
}
