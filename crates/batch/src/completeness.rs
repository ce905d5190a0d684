//! Checks whether an output is complete, for commands that read its documents. Documents are missing while shards
//! have not run, or after a process was killed.

use std::collections::BTreeMap;
use std::path::Path;

use goldminer_crawl::CrawlError;
use goldminer_html::Domain;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::output::{Output, OutputKind};
use crate::plan::{FilePlan, PlannedDomain, PlannedFile, unit_name};
use crate::stream::STREAM;

/// The part of an extraction's plan that lists the domains.
#[derive(Deserialize)]
struct PlannedDomains {
    domains: BTreeMap<Domain, PlannedDomain>,
}

/// Describes what is missing in an output of `extract` or `dedup`, and how to complete it. None if it is complete, or
/// the folder is not such an output.
///
/// # Errors
/// When its manifest cannot be read.
pub fn incomplete(out: &Path) -> Result<Option<String>, CrawlError> {
    if !out.is_dir() {
        return Ok(None);
    }
    let output = Output::existing(out, OutputKind::Domains, |_| false)?;
    if let Some(begun) = output.planned::<PlannedDomains>()? {
        let units = begun.plan.domains.iter().map(|(domain, planned)| (unit_name(domain), planned.inputs.as_str()));
        return missing(&output, units, "domains are extracted", "extract");
    }
    let output = Output::existing(out, OutputKind::Files, |_| false)?;
    let Some(begun) = output.planned::<FilePlan>()? else { return Ok(None) };
    let units = begun.plan.files.iter().map(|file| (PlannedFile::unit_name(file), ""));
    match begun.settings.contains_key(STREAM) {
        true => missing(&output, units, "files are extracted", "extract --stream"),
        false => missing(&output, units, "files are written", "dedup"),
    }
}

/// Whether a folder is an output of `extract --stream`. Its near-duplicates are not marked, because the documents were
/// not compared with each other.
///
/// # Errors
/// When its manifest cannot be read.
pub fn is_stream_output(out: &Path) -> Result<bool, CrawlError> {
    if !out.is_dir() {
        return Ok(false);
    }
    let begun = Output::existing(out, OutputKind::Files, |_| false)?.planned::<FilePlan>()?;
    Ok(begun.is_some_and(|begun| begun.settings.contains_key(STREAM)))
}

fn missing<'a>(
    output: &Output,
    units: impl Iterator<Item = (String, &'a str)>,
    done: &str,
    command: &str,
) -> Result<Option<String>, CrawlError> {
    let (mut complete, mut planned, mut first_lost) = (0, 0, String::new());
    for (name, inputs) in units {
        planned += 1;
        let Some(done_mark) = output.mark::<IgnoredAny>(&name, inputs)? else { continue };
        // Readers need only the documents.
        match output.lost(&done_mark, |file| !file.starts_with("manifest/"))? {
            None => complete += 1,
            Some(lost) if first_lost.is_empty() => first_lost = format!(" ({lost})"),
            Some(_) => {}
        }
    }
    let out = output.name.display();
    Ok((complete < planned).then(|| {
        format!(
            "{out} is not complete: {complete} of {planned} {done}{first_lost}. Run `goldminer {command} … -o {out}` again"
        )
    }))
}
