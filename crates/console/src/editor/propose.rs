//! Proposes corrections of a profile. For a block of a stored page and a wanted result, these are CSS selectors that
//! have this result, from specific to general. If the user says where the article is, they are element patterns
//! instead: first those whose text agrees best with the text that the page classifier finds. Each proposal is tried on
//! other stored pages of the domain before anything is saved (`effects`).
//!
//! A selector becomes a rule in the part `[manual]` of the profile, an element pattern becomes a hand-made template.
//! Both are kept when the profile is learned again.

use std::collections::HashSet;
use std::path::Path;

use goldminer_core::document::MetadataSource;
use goldminer_core::goldminer::pattern::ElementPattern;
use goldminer_core::goldminer::rules::CssSelector;
use goldminer_core::{DomainProfile, Extractor, ServingProfile, StoredPage};
use goldminer_crawl::name_of;
use goldminer_html::{ElementId, Page};
use serde::Serialize;

use super::effects::{self, Effect};
use super::patterns;
use crate::stored_pages;
use crate::survey::{Dissection, Outcome};

/// The wanted result for a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EditAction {
    /// The block is not part of the article.
    Cut,
    /// The block is part of the article, although the profile drops it.
    Keep,
    /// The element around the block is the article.
    Article,
    /// The block is the headline.
    Headline,
    /// The block contains the authors.
    Authors,
    /// The block contains the date of publication.
    Published,
    /// The block is part of the readers' comments.
    Comments,
}

impl EditAction {
    /// The actions under "It is …", which say what a block is.
    pub(super) const IT_IS: [Self; 4] = [Self::Headline, Self::Authors, Self::Published, Self::Comments];

    /// The action's name in URLs.
    pub(super) fn name(self) -> String {
        name_of(&self)
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        let all = [Self::Cut, Self::Keep, Self::Article].into_iter().chain(Self::IT_IS);
        all.into_iter().find(|action| action.name() == name)
    }

    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Cut => "Cut it",
            Self::Keep => "Keep it",
            Self::Article => "The article is here",
            Self::Headline => "The headline",
            Self::Authors => "The byline",
            Self::Published => "The date",
            Self::Comments => "Readers' comments",
        }
    }

    /// Whether this action keeps the block in the document (`true`) or removes it (`false`); None if it does neither.
    pub(super) fn keeps(self) -> Option<bool> {
        match self {
            Self::Keep | Self::Article => Some(true),
            Self::Cut | Self::Comments => Some(false),
            Self::Headline | Self::Authors | Self::Published => None,
        }
    }
}

/// The most stored pages on which a pattern is tried. They are evenly spread over the domain's pages.
const TRIED: u64 = 60;
/// The most patterns that are proposed.
const PROPOSED: usize = 8;

/// A proposed pattern, and its effect on other pages.
#[derive(Debug)]
pub(super) struct Proposal {
    pub pattern: String,
    pub effect: Effect,
}

/// The latest version of the profile that applies to a page, and the number of its template that cuts the article out
/// of the page. The number is None if no template does so, or only one of an earlier version. For a domain without a
/// profile, the profile is empty and has version 0.
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

/// An empty profile with version 0.
pub(super) fn empty(key: &str) -> DomainProfile {
    let key = toml::Value::String(key.to_owned());
    let text = format!("key = {key}\nversion = 1\ntemplate = []\n");
    let mut profile = DomainProfile::from_toml(&text)
        .unwrap_or_else(|error| unreachable!("a profile with a key and no template is valid: {error}"));
    profile.version = 0;
    profile
}

/// Patterns that have the wanted result for a block, each with its effect on the pages `others`.
pub(super) fn propose(
    page: &StoredPage,
    others: &[StoredPage],
    profile: &DomainProfile,
    block: usize,
    action: EditAction,
) -> Vec<Proposal> {
    let Some(parsed) = Extractor::read(&page.source()) else { return Vec::new() };
    let Some(element) = parsed.paragraphs().get(block).and_then(|paragraph| paragraph.element) else {
        return Vec::new();
    };
    let patterns = candidates(&parsed, element, profile, action);
    let pointed = PointedBlock { page, parsed: &parsed, block, action };
    let fitting = patterns.into_iter().filter_map(|pattern| {
        let changed = changed(profile, action, &pattern)?;
        pointed.has_wanted_result(&changed).then_some((pattern, changed))
    });
    let (patterns, changed): (Vec<String>, Vec<DomainProfile>) = fitting.take(PROPOSED).unzip();
    let changed: Vec<DomainProfile> = changed.into_iter().map(|changed| completed(changed, action, others)).collect();
    let places = action == EditAction::Article;
    let effects = effects::of_each(profile, &changed, others, places);
    let proposals = patterns.into_iter().zip(effects).map(|(pattern, effect)| Proposal { pattern, effect });
    let mut proposals: Vec<Proposal> = proposals.collect();
    if places {
        // The sort is stable, so the more specific of two equally good patterns stays first.
        proposals.sort_by_key(|proposal| std::cmp::Reverse(proposal.effect.agreement_percent()));
    }
    proposals
}

fn candidates(page: &Page, element: ElementId, profile: &DomainProfile, action: EditAction) -> Vec<String> {
    let around = match action {
        EditAction::Authors | EditAction::Published | EditAction::Headline => patterns::of_line(page, element),
        _ => patterns::around(page, element),
    };
    let written = |pattern: &ElementPattern| match action {
        EditAction::Article => pattern.to_string(),
        _ => pattern.css(),
    };
    let manual = &profile.manual;
    let taken_back = match action {
        EditAction::Keep => matching(page, element, [&manual.exclude, &manual.comments]),
        EditAction::Cut => matching(page, element, [&manual.keep, &[]]),
        _ => Vec::new(),
    };
    let mut seen = HashSet::new();
    let all = taken_back.into_iter().chain(around.iter().map(written));
    all.filter(|pattern| seen.insert(pattern.clone())).collect()
}

/// The manual selectors that match an element, or an element around it.
fn matching(page: &Page, element: ElementId, selectors: [&[CssSelector]; 2]) -> Vec<String> {
    let matches = |selector: &&CssSelector| {
        selector.select(page).is_ok_and(|found| found.iter().any(|id| page.is_within(element, *id)))
    };
    selectors.into_iter().flatten().filter(matches).map(ToString::to_string).collect()
}

/// A block, and the wanted result for it.
struct PointedBlock<'a> {
    page: &'a StoredPage,
    parsed: &'a Page,
    block: usize,
    action: EditAction,
}

impl PointedBlock<'_> {
    /// Whether the changed profile has the wanted result for the block on its own page.
    fn has_wanted_result(&self, changed: &DomainProfile) -> bool {
        let (source, extractor) = (self.page.source(), Extractor::default());
        let cut = || extractor.cut(self.parsed, &source, Some(changed)).trimmed.ok();
        let about =
            || extractor.extract_read(self.parsed, &source, Some(changed)).ok().map(|document| document.metadata);
        let text = || &self.parsed.paragraphs()[self.block].text;
        match self.action {
            EditAction::Headline => cut().is_some_and(|cut| cut.headline == Some(self.block)),
            EditAction::Authors => about().is_some_and(|about| {
                let is_read_there = about.sources.authors == Some(MetadataSource::Text);
                is_read_there && about.authors.iter().all(|author| text().contains(author.as_str()))
            }),
            // A date from machine-readable metadata would have another source.
            EditAction::Published => about().is_some_and(|about| about.sources.published == Some(MetadataSource::Text)),
            action => cut().is_some_and(|cut| {
                // A change that removes all running text of the article is not proposed.
                let has_text = |at: &usize| self.parsed.paragraphs()[*at].is_running_text();
                let is_kept = cut.paragraphs.contains(&self.block);
                Some(is_kept) == action.keeps() && (is_kept || cut.paragraphs.iter().any(has_text))
            }),
        }
    }
}

/// Completes a profile after the action [`EditAction::Article`]: texts that the new element has on many of the pages
/// `others` are not part of the article, and are added to the repeated texts that the profile drops.
pub(super) fn completed(mut changed: DomainProfile, action: EditAction, others: &[StoredPage]) -> DomainProfile {
    if action == EditAction::Article {
        changed.repeated.extend(effects::repeated(&changed, others));
        changed.repeated.sort_unstable();
        changed.repeated.dedup();
    }
    changed
}

/// The profile with the correction; None if the pattern is invalid, or the profile stays the same.
pub(super) fn changed(profile: &DomainProfile, action: EditAction, pattern: &str) -> Option<DomainProfile> {
    let mut changed = profile.clone();
    let manual = &mut changed.manual;
    let mut is_taken_back = false;
    for (selectors, keeps) in [(&mut manual.keep, true), (&mut manual.exclude, false), (&mut manual.comments, false)] {
        let before = selectors.len();
        selectors.retain(|selector| selector.as_str() != pattern);
        is_taken_back |= before != selectors.len() && action.keeps() == Some(!keeps);
    }
    let selector = || pattern.parse::<CssSelector>().ok();
    match action {
        EditAction::Article => {
            let start = toml::Value::String(pattern.to_owned());
            let text = format!("key = \"a\"\n[[template]]\nhand_made = true\nstart = {start}\n");
            let own = DomainProfile::from_toml(&text).ok()?.templates.pop()?;
            changed.templates.retain(|template| template.start != own.start || template.end != own.end);
            changed.templates.insert(0, own);
        }
        EditAction::Keep | EditAction::Cut if is_taken_back => {}
        EditAction::Keep => manual.keep.push(selector()?),
        EditAction::Cut => manual.exclude.push(selector()?),
        EditAction::Comments => manual.comments.push(selector()?),
        EditAction::Headline => put_first(&mut manual.title, selector()?),
        EditAction::Authors => put_first(&mut manual.author, selector()?),
        EditAction::Published => put_first(&mut manual.published, selector()?),
    }
    Some(changed).filter(|changed| changed != profile)
}

/// Puts a selector first in the list. If several selectors match, for example for the headline, the first one is used,
/// so the latest correction wins.
fn put_first(selectors: &mut Vec<CssSelector>, first: CssSelector) {
    selectors.retain(|other| *other != first);
    selectors.insert(0, first);
}

/// Stored pages of the page's domain except the page itself, evenly spread over the domain.
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

    fn patterns_of(proposals: &[Proposal]) -> Vec<(&str, usize)> {
        proposals.iter().map(|proposal| (proposal.pattern.as_str(), proposal.effect.changed().len())).collect()
    }

    #[test]
    fn cutting_a_box_cuts_only_this_box_on_other_pages() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let others: Vec<StoredPage> = (1..=6).map(|n| page(n, if n <= 4 { "extra" } else { "other" })).collect();
        let proposals = propose(&page(0, "extra"), &others, &profile, 2, EditAction::Cut);
        assert_eq!(
            patterns_of(&proposals),
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
    fn keeping_a_block_removes_a_manual_cut() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let cut = changed(&profile, EditAction::Cut, "div.extra").unwrap();
        assert_eq!(cut.manual.in_words(), ["exclude: div.extra"]);
        let proposals = propose(&page(0, "extra"), &[page(1, "extra")], &cut, 2, EditAction::Keep);
        assert_eq!(patterns_of(&proposals)[0], ("div.extra", 1), "the rule is taken back");
        assert!(changed(&cut, EditAction::Cut, "div.extra").is_none(), "cutting once more takes nothing back");
        let cut = changed(&profile, EditAction::Cut, "div[class^='ex']").unwrap();
        let proposals = propose(&page(0, "extra"), &[page(1, "extra")], &cut, 2, EditAction::Keep);
        assert_eq!(patterns_of(&proposals)[0], ("div[class^='ex']", 1), "one that was written in a file, too");
        assert!(changed(&profile, EditAction::Cut, "div..extra").is_none(), "that is no selector");
    }

    #[test]
    fn keeping_a_block_removes_its_comments_rule() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let proposals = propose(&page(0, "extra"), &[page(1, "extra")], &profile, 2, EditAction::Comments);
        assert!(patterns_of(&proposals).contains(&("div.extra", 1)), "{proposals:?}");
        let commented = changed(&profile, EditAction::Comments, "div.extra").unwrap();
        assert_eq!(commented.manual.in_words(), ["comments: div.extra"]);
        assert_eq!(changed(&commented, EditAction::Keep, "div.extra").unwrap().manual, profile.manual);
    }

    #[test]
    fn numbers_in_names_are_left_out_of_proposed_css() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let numbered = |n: usize| page(n, &format!("box-{n}"));
        let proposals = propose(&numbered(0), &[numbered(1), numbered(2)], &profile, 2, EditAction::Cut);
        assert!(patterns_of(&proposals).contains(&("div[class*=\"box-\"]", 2)), "{proposals:?}");
    }

    #[test]
    fn authors_and_date_are_found_inside_a_line() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let others = [page(1, "extra"), page(2, "extra")];
        let line = 4;
        let authors = propose(&page(0, "extra"), &others, &profile, line, EditAction::Authors);
        assert_eq!(authors[0].pattern, "div.foot > span.who", "{authors:?}");
        let days = propose(&page(0, "extra"), &others, &profile, line, EditAction::Published);
        let by_element = days.iter().find(|proposal| proposal.pattern == "span.when").unwrap();
        for example in by_element.effect.changed() {
            let (_, after) = example.metadata[2].as_ref().unwrap();
            assert!(["2026-03-02", "2026-03-03"].contains(&after.as_str()), "{example:?}");
        }
    }

    #[test]
    fn a_block_is_made_the_headline() {
        let profile = DomainProfile::from_toml(PROFILE).unwrap();
        let proposals = propose(&page(0, "extra"), &[page(1, "extra")], &profile, 2, EditAction::Headline);
        let by_box = proposals.iter().find(|proposal| proposal.pattern == "div.extra").unwrap();
        let (before, after) = by_box.effect.changed()[0].metadata[0].clone().unwrap();
        assert!(before == "Rain 1" && after.starts_with("We tell you 1 times"), "{before} {after}");
    }

    #[test]
    fn the_article_is_proposed_on_pages_without_a_template() {
        let none = empty("portal.example");
        let proposals = propose(&page(0, "extra"), &[page(1, "extra")], &none, 1, EditAction::Article);
        assert!(proposals.iter().any(|proposal| proposal.pattern == "div.story"), "{proposals:?}");
    }
}
