//! Correcting a profile by pointing: a block of a stored page, what is to become of it, and the patterns that would do it, from
//! specific to general, each tried on other stored pages of the domain before anything is saved (`effects`).
//!
//! What a pattern cuts or keeps for one template makes that template hand-made; what it says of any page of the domain is
//! said by hand. Learning again leaves both alone.

use std::collections::HashSet;
use std::path::Path;

use goldminer_core::document::MetadataSource;
use goldminer_core::extract::Extractor;
use goldminer_core::extract::domain::{ServingProfile, StoredPage};
use goldminer_core::goldminer::pattern::ElementPattern;
use goldminer_core::goldminer::profile::{DomainProfile, Template};
use goldminer_html::{ElementId, Page};

use super::action::EditAction;
use super::effects::{self, Effect};
use super::patterns;
use crate::stored_pages;
use crate::survey::{Dissection, Outcome};

/// Other pages that a pattern is tried on, evenly over the domain's.
const TRIED: u64 = 60;
/// Patterns that are proposed.
const PROPOSED: usize = 8;

/// What a pattern would do.
#[derive(Debug)]
pub(super) struct Proposal {
    pub pattern: String,
    pub effect: Effect,
}

/// The profile that cuts a page: the latest version of its key, and the template by its number. Of a domain without a
/// profile, an empty one of version 0.
pub(super) fn current(
    page: &StoredPage,
    dissection: &Dissection,
    profiles: &[ServingProfile],
) -> (DomainProfile, Option<usize>) {
    let (key, cut) = match &dissection.outcome {
        Outcome::Cut { key, version, template } => (key.as_str(), Some((*version, *template))),
        _ => (page.domain.as_str(), None),
    };
    let own = profiles.iter().map(|serving| &serving.profile).filter(|profile| profile.key == key);
    match own.max_by_key(|profile| profile.version) {
        Some(latest) => {
            let template = cut.filter(|(version, _)| *version == latest.version).map(|(_, template)| template);
            (latest.clone(), template)
        }
        None => (empty(key), None),
    }
}

/// A profile that says nothing yet, of version 0.
pub(super) fn empty(key: &str) -> DomainProfile {
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
    action: EditAction,
) -> Vec<Proposal> {
    let Some(parsed) = Extractor::read(&page.source()) else { return Vec::new() };
    let Some(element) = parsed.paragraphs().get(block).and_then(|paragraph| paragraph.element) else {
        return Vec::new();
    };
    let patterns = candidates(&parsed, element, (profile, template), action);
    let fitting = patterns.into_iter().filter_map(|pattern| {
        let changed = changed(profile, template, action, &pattern)?;
        is_granted(page, &parsed, block, action, &changed).then_some((pattern, changed))
    });
    let (patterns, changed): (Vec<String>, Vec<DomainProfile>) = fitting.take(PROPOSED).unzip();
    let changed: Vec<DomainProfile> = changed.into_iter().map(|changed| completed(changed, action, others)).collect();
    let places = action == EditAction::Article;
    let effects = effects::of_each(profile, &changed, others, places);
    let proposals = patterns.into_iter().zip(effects).map(|(pattern, effect)| Proposal { pattern, effect });
    let mut proposals: Vec<Proposal> = proposals.collect();
    if places {
        // Among equals the most specific stays first.
        proposals.sort_by_key(|proposal| std::cmp::Reverse(proposal.effect.agreement_percent()));
    }
    proposals
}

fn candidates(
    page: &Page,
    element: ElementId,
    (profile, template): (&DomainProfile, Option<usize>),
    action: EditAction,
) -> Vec<String> {
    let around = match action {
        EditAction::Authors | EditAction::Published | EditAction::Headline => patterns::of_line(page, element),
        _ => patterns::around(page, element),
    };
    let around = around.iter().map(ToString::to_string);
    let manual = &profile.manual;
    let taken_back = match action {
        EditAction::Keep => {
            let drops = template.and_then(|at| profile.templates.get(at)).map_or(&[][..], |template| &template.drops);
            matching(page, element, [drops, &manual.comments, &manual.teasers])
        }
        EditAction::Cut => matching(page, element, [&manual.text, &[], &[]]),
        _ => Vec::new(),
    };
    let mut seen = HashSet::new();
    taken_back.into_iter().chain(around).filter(|pattern| seen.insert(pattern.clone())).collect()
}

/// The patterns that match an element or one around it.
fn matching(page: &Page, element: ElementId, patterns: [&[ElementPattern]; 3]) -> Vec<String> {
    let matches = |pattern: &&ElementPattern| page.ancestors_and_self(element).any(|id| pattern.matches(page, id));
    patterns.into_iter().flatten().filter(matches).map(ToString::to_string).collect()
}

/// Whether a block of a page becomes what is wished.
fn is_granted(page: &StoredPage, parsed: &Page, block: usize, action: EditAction, changed: &DomainProfile) -> bool {
    let (source, extractor) = (page.source(), Extractor::default());
    let cut = || extractor.cut(parsed, &source, Some(changed)).trimmed.ok();
    let about = || Some(extractor.extract_read(parsed, &source, Some(changed)).ok()?.metadata);
    let text = &parsed.paragraphs()[block].text;
    match action {
        EditAction::Headline => cut().is_some_and(|cut| cut.headline == Some(block)),
        EditAction::Authors => about().is_some_and(|about| {
            let is_read_there = about.sources.authors == Some(MetadataSource::Text);
            is_read_there && about.authors.iter().all(|author| text.contains(author.as_str()))
        }),
        // What machines are told has another source.
        EditAction::Published => about().is_some_and(|about| about.sources.published == Some(MetadataSource::Text)),
        action => Some(cut().is_some_and(|cut| cut.paragraphs.contains(&block))) == action.keeps(),
    }
}

/// A profile whose article has another place now: what stands there on many pages is not the article.
pub(super) fn completed(mut changed: DomainProfile, action: EditAction, others: &[StoredPage]) -> DomainProfile {
    if action == EditAction::Article {
        changed.repeated.extend(effects::repeated(&changed, others));
        changed.repeated.sort_unstable();
        changed.repeated.dedup();
    }
    changed
}

/// The profile with what is wished; none where the pattern or the template is not there.
pub(super) fn changed(
    profile: &DomainProfile,
    template: Option<usize>,
    action: EditAction,
    pattern: &str,
) -> Option<DomainProfile> {
    let mut changed = profile.clone();
    let parsed: ElementPattern = pattern.parse().ok()?;
    let is_dropped = |drop: &ElementPattern| {
        template.and_then(|at| profile.templates.get(at)).is_some_and(|template| template.drops.contains(drop))
    };
    let manual = &mut changed.manual;
    let mut had = false;
    for patterns in [&mut manual.text, &mut manual.comments, &mut manual.teasers] {
        let before = patterns.len();
        patterns.retain(|said| *said != parsed);
        had |= before != patterns.len();
    }
    match action {
        EditAction::Keep if had => {}
        EditAction::Keep if is_dropped(&parsed) => {
            by_a_person(&mut changed, template?, |own| own.drops.retain(|drop| *drop != parsed));
        }
        EditAction::Keep => changed.manual.text.push(parsed),
        EditAction::Cut if had => {}
        EditAction::Cut => by_a_person(&mut changed, template?, |own| own.drops.push(parsed)),
        EditAction::Article => {
            let start = toml::Value::String(pattern.to_owned());
            let text = format!("key = \"a\"\n[[template]]\nhand_made = true\nstart = {start}\n");
            let own = DomainProfile::from_toml(&text).ok()?.templates.pop()?;
            changed.templates.retain(|template| template.start != own.start || template.end != own.end);
            changed.templates.insert(0, own);
        }
        EditAction::Comments => changed.manual.comments.push(parsed),
        EditAction::Teasers => changed.manual.teasers.push(parsed),
        // There is one of each on a page: what was said last holds where both are.
        EditAction::Headline => put_first(&mut changed.manual.headline, parsed),
        EditAction::Authors => put_first(&mut changed.manual.authors, parsed),
        EditAction::Published => put_first(&mut changed.manual.published, parsed),
    }
    Some(changed).filter(|changed| template.is_none_or(|at| at < profile.templates.len()) && changed != profile)
}

/// Changes a template, which is hand-made from then on and comes first, as in profile files.
fn by_a_person(profile: &mut DomainProfile, template: usize, change: impl FnOnce(&mut Template)) {
    if template < profile.templates.len() {
        let mut own = profile.templates.remove(template);
        change(&mut own);
        own.hand_made = true;
        profile.templates.insert(0, own);
    }
}

fn put_first(patterns: &mut Vec<ElementPattern>, first: ElementPattern) {
    patterns.retain(|other| *other != first);
    patterns.insert(0, first);
}

/// Other pages of the domain, evenly over them.
pub(super) fn others(dir: &Path, page: &StoredPage) -> anyhow::Result<Vec<StoredPage>> {
    let mut others = stored_pages::of_domain(dir, page.domain.as_str(), TRIED)?;
    others.retain(|other| other.url != page.url);
    Ok(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::address::{CrawlUrl, Domain};

    const PROFILE: &str = "key = 'portal.example'\nversion = 3\n[[template]]\nstart = 'div.story'\n";

    fn page(number: usize, box_class: &str) -> StoredPage {
        let story = "It rained all day in the town, and nobody who had an umbrella was willing to lend it to the others, \
            because it was clear to them that the rain would not end before the night.";
        let html = format!(
            "<html lang=en><title>Rain {number}</title><body><div class=story><h1>Rain {number}</h1><p>{story} {number}</p>\
             <div class='{box_class} wide'><p>We tell you {number} times that you should read what we have written about \
             this and that, because it is what others have read before you.</p></div><p>{story} And so on.</p></div>\
             <div class=foot><span class=who>Anna Nagy</span><span class=when>{}. March 2026</span></div>",
            number + 1
        );
        let mut page = StoredPage::new(Domain::named("portal.example"), html.into_bytes());
        page.url = CrawlUrl::parse(&format!("https://portal.example/{number}")).ok();
        page
    }

    fn told(proposals: &[Proposal]) -> Vec<(&str, usize)> {
        proposals.iter().map(|proposal| (proposal.pattern.as_str(), proposal.effect.changed().len())).collect()
    }

    #[test]
    fn a_box_that_is_clicked_is_cut_on_other_pages_and_nothing_else_is() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let others: Vec<StoredPage> = (1..=6).map(|n| page(n, if n <= 4 { "extra" } else { "other" })).collect();
        let proposals = propose(&page(0, "extra"), &others, (&profile, Some(0)), 2, EditAction::Cut);
        assert_eq!(
            told(&proposals),
            [
                ("div.extra.wide > p", 4),
                ("div.story > div.extra.wide", 4),
                ("div.extra.wide", 4),
                ("div.extra", 4),
                ("div.wide", 6)
            ]
        );
        assert!(proposals.iter().all(|p| {
            let (gained, lost) = p.effect.gained_and_lost();
            gained == 0 && lost > 0 && p.effect.pages.len() == 6
        }));
        let lines = &proposals[0].effect.changed()[0].lines;
        assert!(lines.iter().any(|(tag, text)| *tag == effects::Line::Lost && text.starts_with("We tell you 1 times")));
    }

    #[test]
    fn what_was_cut_by_hand_is_kept_again_by_pointing() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let cut = changed(&profile, Some(0), EditAction::Cut, "div.extra").unwrap();
        assert!(cut.templates[0].hand_made && cut.templates[0].drops.len() == 1);
        let proposals = propose(&page(0, "extra"), &[page(1, "extra")], (&cut, Some(0)), 2, EditAction::Keep);
        assert_eq!(told(&proposals)[0], ("div.extra", 1), "the drop is taken back");
        assert!(changed(&profile, None, EditAction::Cut, "div.extra").is_none(), "no template cuts the page");
    }

    #[test]
    fn comments_and_teasers_are_said_of_the_domain_and_taken_back_by_keeping() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        for action in [EditAction::Comments, EditAction::Teasers] {
            let proposals = propose(&page(0, "extra"), &[page(1, "extra")], (&profile, Some(0)), 2, action);
            assert!(told(&proposals).contains(&("div.extra", 1)), "{proposals:?}");
            let said = changed(&profile, Some(0), action, "div.extra").unwrap();
            assert_eq!(said.manual.in_words(), [format!("{} in div.extra", action.name())]);
            assert_eq!(changed(&said, Some(0), EditAction::Keep, "div.extra").unwrap().manual, profile.manual);
        }
    }

    #[test]
    fn the_day_and_the_authors_are_found_inside_of_a_line_and_shown_before_and_after() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let others = [page(1, "extra"), page(2, "extra")];
        let line = 4;
        let authors = propose(&page(0, "extra"), &others, (&profile, Some(0)), line, EditAction::Authors);
        assert_eq!(authors[0].pattern, "div.foot > span.who", "{authors:?}");
        let days = propose(&page(0, "extra"), &others, (&profile, Some(0)), line, EditAction::Published);
        let by_element = days.iter().find(|proposal| proposal.pattern == "span.when").unwrap();
        for example in by_element.effect.changed() {
            let (_, after) = example.told[2].as_ref().unwrap();
            assert!(["2026-03-02", "2026-03-03"].contains(&after.as_str()), "{example:?}");
        }
    }

    #[test]
    fn a_block_is_made_the_headline() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let proposals = propose(&page(0, "extra"), &[page(1, "extra")], (&profile, Some(0)), 2, EditAction::Headline);
        let by_box = proposals.iter().find(|proposal| proposal.pattern == "div.extra").unwrap();
        let (before, after) = by_box.effect.changed()[0].told[0].clone().unwrap();
        assert!(before == "Rain 1" && after.starts_with("We tell you 1 times"), "{before} {after}");
    }

    #[test]
    fn a_page_that_no_template_cuts_is_pointed_to_its_article() {
        let none = empty("portal.example");
        let proposals = propose(&page(0, "extra"), &[page(1, "extra")], (&none, None), 1, EditAction::Article);
        assert!(proposals.iter().any(|proposal| proposal.pattern == "div.story"), "{proposals:?}");
    }
}
