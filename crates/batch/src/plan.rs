//! What is to be extracted into an output directory: made once by the first process, followed by all.
//!
//! Sources may grow while a crawl runs, and a job's databases take one process: so what was found is written down, and
//! whoever works on the output or resumes it reads the same list.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};

use goldminer_core::extract::domain::{ProfileSet, ServingProfile};
use goldminer_core::goldminer::PROGRAM;
use goldminer_crawl::extract::{Learned, Walls};
use goldminer_html::address::Domain;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::manifest;
use crate::manifest::{Manifest, ManifestError, disk};
use crate::shard::Shard;
use crate::sources::{PageRef, Sources};

/// What an output is made with, in words by name: it must be the same whenever somebody goes on with it.
pub type Settings = BTreeMap<String, String>;

/// What is to be extracted.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    pub settings: Settings,
    /// What serves as it is.
    pub profiles: Vec<ServingProfile>,
    /// Domains that are known to teach nothing.
    pub unprofiled: Vec<String>,
    /// What stands on their pages in the place of articles.
    #[serde(default)]
    pub walls: Walls,
    /// What could not be read.
    pub faults: Vec<String>,
    /// Answers that are no pages, by reason.
    #[serde(default)]
    pub others: BTreeMap<String, u64>,
    pub domains: BTreeMap<Domain, Planned>,
}

/// A domain of the plan.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Planned {
    pub pages: u64,
    pub pieces: u32,
    /// A hash of everything that its documents follow from.
    pub inputs: String,
}

impl Plan {
    /// Plans, and writes the plan down.
    pub(super) fn make(
        manifest: &Manifest,
        settings: &Settings,
        sources: Sources,
        Learned { profiles, unprofiled, walls }: Learned,
        piece_pages: usize,
    ) -> Result<Self, ManifestError> {
        let set = ProfileSet::of(profiles.iter().cloned());
        let Sources { faults, others, .. } = sources;
        let (settings, domains) = (settings.clone(), BTreeMap::new());
        let mut plan = Self { settings, profiles, unprofiled, walls, faults, others, domains };
        let planned = |(domain, pages): (Domain, Vec<PageRef>)| {
            let lines: Result<Vec<Vec<u8>>, serde_json::Error> = pages.iter().map(serde_json::to_vec).collect();
            let lines = lines.map_err(|cause| disk("write", &manifest.pages_path(&domain))(cause.into()))?;
            write_pages(manifest, &domain, &lines)?;
            // Where a later version of a profile rescues earlier pages, they cannot be read in pieces.
            let rescues = set.rescues(&domain).next().is_some();
            let pieces = if rescues { 1 } else { pages.len().div_ceil(piece_pages.max(1)) as u32 };
            let inputs = plan.inputs(&domain, &pages, &lines);
            Ok((domain, Planned { pages: pages.len() as u64, pieces, inputs }))
        };
        plan.domains = sources.domains.into_par_iter().map(planned).collect::<Result<_, ManifestError>>()?;
        let before: Option<Self> = manifest::read(&manifest.plan_path())?;
        for gone in before.iter().flat_map(|plan| plan.domains.keys()).filter(|d| !plan.domains.contains_key(*d)) {
            manifest.forget(gone)?;
        }
        manifest.write(&manifest.plan_path(), &plan, Shard::default())?;
        Ok(plan)
    }

    /// The plan of an output, if it has one.
    pub(super) fn of(manifest: &Manifest) -> Result<Option<Self>, ManifestError> {
        manifest::read(&manifest.plan_path())
    }

    /// Refuses settings that the output was not begun with.
    pub(super) fn check(&self, manifest: &Manifest, settings: &Settings) -> Result<(), ManifestError> {
        check(manifest, &self.settings, settings)
    }

    /// Looks whether what is done is still there; what is lost is told, and will be made again.
    pub(super) fn take_back_lost(&self, manifest: &Manifest) -> Result<(), ManifestError> {
        for (domain, planned) in &self.domains {
            for what in manifest.take_back_lost(domain, &planned.inputs, planned.pieces)? {
                tracing::warn!("{what}: {domain} is extracted again");
            }
        }
        Ok(())
    }

    /// Whether every domain is done.
    pub(super) fn is_complete(&self, manifest: &Manifest) -> Result<bool, ManifestError> {
        for (domain, planned) in &self.domains {
            if manifest.done(domain, &planned.inputs)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A hash of what the documents of a domain follow from.
    fn inputs(&self, domain: &Domain, pages: &[PageRef], lines: &[Vec<u8>]) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        add(PROGRAM.as_bytes());
        for (name, value) in &self.settings {
            add(name.as_bytes());
            add(value.as_bytes());
        }
        add(&[u8::from(self.unprofiled.iter().any(|name| name == domain.as_str()))]);
        let walls = self.walls.get(domain.as_str()).into_iter().flatten();
        walls.for_each(|wall| add(&wall.to_le_bytes()));
        let mut names: BTreeSet<Domain> = pages.iter().filter_map(|page| Some(page.url()?.domain())).collect();
        names.insert(domain.clone());
        for serving in self.profiles.iter().filter(|serving| names.iter().any(|name| concerns(serving, name))) {
            add(&serde_json::to_vec(serving).expect("a profile is JSON"));
        }
        lines.iter().for_each(|line| add(line));
        data_encoding::HEXLOWER.encode(&hasher.finalize().as_bytes()[..16])
    }
}

/// Refuses settings that an output was not begun with.
pub(super) fn check(manifest: &Manifest, begun_with: &Settings, settings: &Settings) -> Result<(), ManifestError> {
    let names: BTreeSet<&String> = begun_with.keys().chain(settings.keys()).collect();
    for name in names {
        let (was, now) = (begun_with.get(name), settings.get(name));
        if was != now {
            let word = |value: Option<&String>| value.cloned().unwrap_or_else(|| "unset".to_owned());
            return Err(ManifestError::OtherSettings {
                out: manifest.out().to_owned(),
                setting: name.clone(),
                was: word(was),
                now: word(now),
            });
        }
    }
    Ok(())
}

/// Whether a profile may serve pages of a domain.
fn concerns(serving: &ServingProfile, domain: &Domain) -> bool {
    let host = serving.profile.key.split('/').next().unwrap_or_default();
    let is_below = |name: &str, above: &str| name.strip_suffix(above).is_some_and(|rest| rest.ends_with('.'));
    host == domain.as_str() || is_below(host, domain.as_str()) || is_below(domain.as_str(), host)
}

/// The pages of a domain, as they were found.
pub(super) fn pages(manifest: &Manifest, domain: &Domain) -> Result<Vec<PageRef>, ManifestError> {
    let path = manifest.pages_path(domain);
    let broken = |cause: String| ManifestError::Broken { path: path.clone(), cause };
    let decoder = File::open(&path).and_then(zstd::Decoder::new).map_err(disk("read", &path))?;
    let mut pages = Vec::new();
    for line in BufReader::new(decoder).lines() {
        let line = line.map_err(|e| broken(e.to_string()))?;
        pages.push(serde_json::from_str(&line).map_err(|e| broken(e.to_string()))?);
    }
    Ok(pages)
}

fn write_pages(manifest: &Manifest, domain: &Domain, lines: &[Vec<u8>]) -> Result<(), ManifestError> {
    let path = manifest.pages_path(domain);
    let draft = manifest.draft(&path.file_name().unwrap_or_default().to_string_lossy(), Shard::default());
    let write = || {
        let mut file = zstd::Encoder::new(BufWriter::new(File::create(&draft)?), 3)?;
        for line in lines {
            file.write_all(line)?;
            file.write_all(b"\n")?;
        }
        file.finish()?.flush()
    };
    write().map_err(disk("write", &draft))?;
    manifest.publish(&draft, &path)
}
