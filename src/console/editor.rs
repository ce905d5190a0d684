//! Correcting a profile by pointing: a block of a stored page, what is to become of it, and the patterns that would do it, from
//! specific to general, each tried on other stored pages of the domain before anything is saved.
//!
//! What is saved is a new version of the profile whose changed template is hand-made: learning again leaves it alone.

use std::path::Path;

use anyhow::{Context, bail};
use rayon::prelude::*;

use super::texts;
use super::wish::Wish;
use crate::archive::OpenFiles;
use crate::engine::extraction::Domains;
use crate::engine::job::JobDir;
use crate::engine::sources::Sources;
use crate::extract::Extractor;
use crate::extract::domain::{ServingProfile, StoredPage};
use crate::goldminer::pattern::ElementPattern;
use crate::goldminer::profile::DomainProfile;
use crate::page::{ElementId, Page};
use crate::report::{Dissection, Outcome};
use crate::store::profiles::ProfileStore;

/// Other pages that a pattern is tried on, evenly over the domain's.
const TRIED: usize = 60;
/// Patterns that are proposed.
const PROPOSED: usize = 8;
/// Pages that are shown of each, and texts of a page.
const SHOWN: usize = 12;
const TEXTS: usize = 3;

/// What a pattern would do.
#[derive(Debug)]
pub(super) struct Proposal {
    pub pattern: String,
    /// Pages that it was tried on.
    pub tried: usize,
    /// Pages whose text changes, with what they gain and lose in characters.
    pub changed: usize,
    pub gained: u64,
    pub lost: u64,
    /// Some of them.
    pub examples: Vec<Example>,
}

/// What a pattern would do to a page.
#[derive(Debug)]
pub(super) struct Example {
    pub page: String,
    pub gained: Vec<String>,
    pub lost: Vec<String>,
}

/// The profile that cuts a page: the latest version of its key, and the template by its number. Of a domain without a
/// profile, an empty one of version 0.
pub(super) fn current(
    page: &StoredPage,
    dissection: &Dissection,
    profiles: &[ServingProfile],
) -> (DomainProfile, Option<usize>) {
    let (key, template) = match &dissection.outcome {
        Outcome::Cut { key, version, template } => (key.as_str(), Some((*version, *template))),
        _ => (page.domain.as_str(), None),
    };
    let own = profiles.iter().map(|serving| &serving.profile).filter(|profile| profile.key == key);
    match own.max_by_key(|profile| profile.version) {
        Some(latest) => {
            let template = template.filter(|(version, _)| *version == latest.version).map(|(_, template)| template);
            (latest.clone(), template)
        }
        None => (empty(key), None),
    }
}

fn empty(key: &str) -> DomainProfile {
    let key = toml::Value::String(key.to_owned());
    let text = format!("key = {key}\nversion = 1\ntemplate = []\n");
    let mut profile =
        DomainProfile::from_toml(&text).unwrap_or_else(|error| unreachable!("a domain is a key: {error}"));
    profile.version = 0;
    profile
}

/// Patterns that would do what is wished to a block, each with its effects. Those that would not are left out.
pub(super) fn propose(
    page: &StoredPage,
    others: &[StoredPage],
    (profile, template): (&DomainProfile, Option<usize>),
    block: usize,
    wish: Wish,
) -> Vec<Proposal> {
    let Some(parsed) = Extractor::read(&page.source()) else { return Vec::new() };
    let Some(element) = parsed.paragraphs().get(block).and_then(|paragraph| paragraph.element) else {
        return Vec::new();
    };
    let patterns = match wish {
        Wish::Cut | Wish::Article => patterns_around(&parsed, element),
        Wish::Keep => template.map_or_else(Vec::new, |template| dropped_by(&parsed, element, profile, template)),
    };
    let is_kept = |profile: &DomainProfile| {
        Dissection::of(&page.source(), &[profile])
            .is_some_and(|seen| seen.blocks.get(block).is_some_and(|block| block.fate.is_kept()))
    };
    let fits = |pattern: &String| {
        changed(profile, template, wish, pattern).filter(|changed| is_kept(changed) == (wish != Wish::Cut))
    };
    let fitting = patterns.into_iter().filter_map(|pattern| fits(&pattern).map(|changed| (pattern, changed)));
    let fitting: Vec<(String, DomainProfile)> = fitting.take(PROPOSED).collect();
    let before: Vec<Option<Dissection>> =
        others.par_iter().map(|page| Dissection::of(&page.source(), &[profile])).collect();
    fitting.into_iter().map(|(pattern, changed)| tried(pattern, &changed, others, &before)).collect()
}

/// Tries a profile on pages.
fn tried(pattern: String, changed: &DomainProfile, pages: &[StoredPage], before: &[Option<Dissection>]) -> Proposal {
    let after: Vec<Option<Dissection>> =
        pages.par_iter().map(|page| Dissection::of(&page.source(), &[changed])).collect();
    let mut proposal = Proposal { pattern, tried: pages.len(), changed: 0, gained: 0, lost: 0, examples: Vec::new() };
    for (before, after) in before.iter().zip(&after).filter_map(|(before, after)| before.as_ref().zip(after.as_ref())) {
        let (mut gained, mut lost) = (Vec::new(), Vec::new());
        for (was, is) in before.blocks.iter().zip(&after.blocks) {
            match (was.fate.is_kept(), is.fate.is_kept()) {
                (false, true) => gained.push(is),
                (true, false) => lost.push(is),
                _ => {}
            }
        }
        if gained.is_empty() && lost.is_empty() {
            continue;
        }
        proposal.changed += 1;
        proposal.gained += gained.iter().map(|block| u64::from(block.chars)).sum::<u64>();
        proposal.lost += lost.iter().map(|block| u64::from(block.chars)).sum::<u64>();
        if proposal.examples.len() < SHOWN {
            let texts = |blocks: Vec<&crate::report::Block>| {
                blocks.into_iter().take(TEXTS).map(|block| block.text.to_string()).collect()
            };
            proposal.examples.push(Example { page: before.name.clone(), gained: texts(gained), lost: texts(lost) });
        }
    }
    proposal
}

/// The profile with what is wished; none where the pattern or the template is not there.
fn changed(profile: &DomainProfile, template: Option<usize>, wish: Wish, pattern: &str) -> Option<DomainProfile> {
    let mut changed = profile.clone();
    let mut own = match wish {
        Wish::Article => {
            let start = toml::Value::String(pattern.to_owned());
            let text = format!("key = \"a\"\n[[template]]\nstart = {start}\n");
            DomainProfile::from_toml(&text).ok()?.templates.pop()?
        }
        Wish::Cut | Wish::Keep => {
            let template = template.filter(|template| *template < changed.templates.len())?;
            changed.templates.remove(template)
        }
    };
    match wish {
        Wish::Cut => own.drops.push(pattern.parse().ok()?),
        Wish::Keep => own.drops.retain(|drop| drop.to_string() != pattern),
        Wish::Article => {}
    }
    own.hand_made = true;
    // Hand-made ones come first, as in profile files.
    changed.templates.insert(0, own);
    Some(changed)
}

/// Patterns of the elements around a text, the innermost first, and of each the most specific first.
fn patterns_around(page: &Page, element: ElementId) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    for id in page.ancestors_and_self(element) {
        let name = page.name(id).to_ascii_lowercase();
        if matches!(name.as_str(), "html" | "body") {
            break;
        }
        let names = names(page, id);
        let whole = format!("{name}{}", names.concat());
        if let Some(parent) = page.element(id).parent {
            let outer = self::names(page, parent);
            if !outer.is_empty() {
                patterns.push(format!("{}{} > {whole}", page.name(parent).to_ascii_lowercase(), outer.concat()));
            }
        }
        if !names.is_empty() {
            patterns.push(whole);
        }
        if names.len() > 1 {
            patterns.extend(names.iter().map(|one| format!("{name}{one}")));
        }
    }
    let mut seen = std::collections::HashSet::new();
    patterns.retain(|pattern| pattern.parse::<ElementPattern>().is_ok() && seen.insert(pattern.clone()));
    patterns
}

/// The id and the classes of an element as patterns write them; those with digits differ from page to page.
fn names(page: &Page, id: ElementId) -> Vec<String> {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphabetic() || c == '-' || c == '_');
    let marks = page.marks(id);
    let own = marks.id.as_deref().map(str::trim).filter(|id| is_name(id)).map(|id| format!("#{id}"));
    own.into_iter().chain(marks.classes().filter(|class| is_name(class)).map(|class| format!(".{class}"))).collect()
}

/// The patterns of a template that drop an element.
fn dropped_by(page: &Page, element: ElementId, profile: &DomainProfile, template: usize) -> Vec<String> {
    let Some(template) = profile.templates.get(template) else { return Vec::new() };
    let drops = template.drops.iter().filter(|drop| page.ancestors_and_self(element).any(|id| drop.matches(page, id)));
    drops.map(ToString::to_string).collect()
}

/// Other pages of the domain, evenly over them.
pub(super) fn others(dir: &Path, page: &StoredPage) -> anyhow::Result<Vec<StoredPage>> {
    let sources = Sources::find(&[dir.to_owned()])?;
    let (pages, files) =
        (sources.domains.get(&page.domain).map(Vec::as_slice).unwrap_or_default(), OpenFiles::default());
    let step = pages.len().div_ceil(TRIED).max(1);
    let mut others = Vec::new();
    for found in pages.iter().step_by(step) {
        let other = found.read(&files)?;
        others.extend(other.filter(|other| other.url != page.url));
    }
    Ok(others)
}

/// A change that somebody has chosen.
pub(super) struct Choice<'a> {
    pub key: &'a str,
    /// The version that it was chosen on.
    pub version: u32,
    pub template: Option<usize>,
    pub wish: Wish,
    pub pattern: &'a str,
}

/// Saves a change as a new version; its number.
///
/// # Errors
/// When another version was saved meanwhile, or a crawl works on the job.
pub(super) fn save(dir: &Path, choice: &Choice<'_>) -> anyhow::Result<u32> {
    in_store(dir, choice.key, choice.version, |versions| {
        let latest = versions.last().map_or_else(|| empty(choice.key), |latest| latest.profile.clone());
        changed(&latest, choice.template, choice.wish, choice.pattern).context(texts::NO_CHANGE)
    })
}

/// Saves the version before the latest once more, as a new one.
///
/// # Errors
/// As [`save`], or when there is none.
pub(super) fn undo(dir: &Path, key: &str, version: u32) -> anyhow::Result<u32> {
    in_store(dir, key, version, |versions| {
        let before = versions.len().checked_sub(2).and_then(|at| versions.get(at));
        before.map(|before| before.profile.clone()).context(texts::NOTHING_TO_UNDO)
    })
}

fn in_store(
    dir: &Path,
    key: &str,
    expected: u32,
    change: impl FnOnce(&[ServingProfile]) -> anyhow::Result<DomainProfile>,
) -> anyhow::Result<u32> {
    let job = JobDir::existing(dir)?;
    let _lock = job.lock().context(texts::WHILE_STILL)?;
    let domains = Domains::new(ProfileStore::open(&job.profiles())?);
    let mut versions = domains.profiles()?;
    versions.retain(|serving| serving.profile.key == key);
    let latest = versions.last().map_or(0, |latest| latest.profile.version);
    if latest != expected {
        bail!(texts::other_version(key, latest));
    }
    let mut profile = change(&versions)?;
    profile.version = latest + 1;
    domains.import(&ServingProfile::everywhere(profile))?;
    Ok(latest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{CrawlUrl, Domain};

    const PROFILE: &str = "key = 'portal.example'\nversion = 3\n[[template]]\nstart = 'div.story'\n";

    fn page(number: usize, box_class: &str) -> StoredPage {
        let story = "It rained all day in the town, and nobody who had an umbrella was willing to lend it to the others, \
            because it was clear to them that the rain would not end before the night.";
        let html = format!(
            "<html lang=en><title>Rain {number}</title><body><div class=story><h1>Rain {number}</h1><p>{story} {number}</p>\
             <div class='{box_class} wide'><p>We tell you {number} times that you should read what we have written about \
             this and that, because it is what others have read before you.</p></div><p>{story} And so on.</p></div>"
        );
        let mut page = StoredPage::new(Domain::named("portal.example"), html.into_bytes());
        page.url = CrawlUrl::parse(&format!("https://portal.example/{number}")).ok();
        page
    }

    #[test]
    fn a_box_that_is_clicked_is_cut_on_other_pages_and_nothing_else_is() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let others: Vec<StoredPage> = (1..=6).map(|n| page(n, if n <= 4 { "extra" } else { "other" })).collect();
        let proposals = propose(&page(0, "extra"), &others, (&profile, Some(0)), 2, Wish::Cut);
        let told: Vec<(&str, usize)> = proposals.iter().map(|p| (p.pattern.as_str(), p.changed)).collect();
        assert_eq!(
            told,
            [
                ("div.extra.wide > p", 4),
                ("div.story > div.extra.wide", 4),
                ("div.extra.wide", 4),
                ("div.extra", 4),
                ("div.wide", 6)
            ]
        );
        assert!(proposals.iter().all(|p| p.gained == 0 && p.lost > 0 && p.tried == 6));
        assert!(proposals[0].examples[0].lost[0].starts_with("We tell you 1 times"));
    }

    #[test]
    fn what_was_cut_by_hand_is_kept_again_by_pointing() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let cut = changed(&profile, Some(0), Wish::Cut, "div.extra").unwrap();
        assert!(cut.templates[0].hand_made && cut.templates[0].drops.len() == 1);
        let proposals = propose(&page(0, "extra"), &[page(1, "extra")], (&cut, Some(0)), 2, Wish::Keep);
        assert_eq!(proposals.iter().map(|p| (p.pattern.as_str(), p.changed)).collect::<Vec<_>>(), [("div.extra", 1)]);
        assert!(changed(&profile, None, Wish::Cut, "div.extra").is_none(), "no template cuts the page");
    }

    #[test]
    fn a_page_that_no_template_cuts_is_pointed_to_its_article() {
        let none = empty("portal.example");
        let proposals = propose(&page(0, "extra"), &[page(1, "extra")], (&none, None), 1, Wish::Article);
        assert!(proposals.iter().any(|proposal| proposal.pattern == "div.story"), "{proposals:?}");
    }
}
