//! Checks whether an output is complete, for commands that read its documents. Documents are missing while shards
//! have not run, or after a process was killed.

use std::collections::BTreeMap;
use std::path::Path;

use goldminer_corpus::figures::counted;
use goldminer_crawl::CrawlError;
use goldminer_html::Domain;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::output::{Output, OutputKind, refused};
use crate::plan::{FilePlan, PlannedDomain, PlannedFile, unit_name};

/// The part of an extraction's plan that lists the domains.
#[derive(Deserialize)]
struct PlannedDomains {
    domains: BTreeMap<Domain, PlannedDomain>,
}

/// Describes what is missing in an output of `extract` or `dedup`, and how to complete it. None if it is complete, or
/// the folder is not such an output.
///
/// # Errors
/// When its manifest cannot be read, or the folder is a sample.
pub fn incomplete(out: &Path) -> Result<Option<String>, CrawlError> {
    let Some(kind) = OutputKind::in_folder(out)? else { return Ok(None) };
    if kind == OutputKind::Sample {
        return Err(refused(out, "is a sample of pages, not a corpus: `goldminer learn` learns profiles from it"));
    }
    let output = Output::existing(out, kind, |_| false)?;
    if kind == OutputKind::Domains {
        let Some(begun) = output.planned::<PlannedDomains>()? else { return Ok(None) };
        let units = begun.plan.domains.iter().map(|(domain, planned)| (unit_name(domain), planned.inputs.as_str()));
        return missing(&output, units, ("domain", "domains"), kind);
    }
    let Some(begun) = output.planned::<FilePlan>()? else { return Ok(None) };
    missing(&output, begun.plan.files.iter().map(|file| (PlannedFile::unit_name(file), "")), ("file", "files"), kind)
}

/// Whether a folder is an output of `extract --stream`. Its near-duplicates are not marked, because the documents were
/// not compared with each other.
///
/// # Errors
/// When its manifest cannot be read.
pub fn is_stream_output(out: &Path) -> Result<bool, CrawlError> {
    Ok(OutputKind::in_folder(out)? == Some(OutputKind::Files))
}

fn missing<'a>(
    output: &Output,
    units: impl Iterator<Item = (String, &'a str)>,
    (one, many): (&str, &str),
    kind: OutputKind,
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
    let (out, command, all) = (output.name.display(), kind.command(), counted(planned, one, many));
    Ok((complete < planned).then(|| {
        format!(
            "{out} is not complete: it has {complete} of {all}{first_lost}. Run `goldminer {command} … -o {out}` \
             again"
        )
    }))
}
