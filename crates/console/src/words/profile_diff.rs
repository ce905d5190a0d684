//! Compares two versions of a profile.

use std::collections::BTreeSet;

use goldminer_core::goldminer::profile::{DomainProfile, Evidence, Template};
use serde::Serialize;

/// The differences between two versions of a domain's profile.
///
/// ```
/// use goldminer_console::words::profile_diff::ProfileDiff;
/// use goldminer_core::goldminer::profile::DomainProfile;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// let mut later = profile.clone();
/// later.templates[0].start = "article.story".parse().unwrap();
/// assert!(ProfileDiff::of(&profile, &later).cuts_differently());
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ProfileDiff {
    /// The key of the later version.
    pub key: String,
    /// The numbers of the earlier and the later version.
    pub versions: (u32, u32),
    /// The languages, if they differ.
    pub language: Option<(Option<String>, Option<String>)>,
    /// The evidence for the earlier and the later version.
    pub evidence: (Evidence, Evidence),
    /// Templates that only the earlier version has, by start and end.
    pub gone: Vec<Template>,
    /// Templates that only the later version has, by start and end.
    pub come: Vec<Template>,
    /// Templates with the same start and end that otherwise differ.
    pub changed: Vec<TemplateDiff>,
    /// Title patterns of teasers that only one version has.
    pub teasers: Change,
    /// Whether each version was learned from a small sample, and so drops every paragraph of links.
    pub small: (bool, bool),
    /// The number of repeated texts that only the earlier version has, and of those that only the later one has.
    pub repeated: (usize, usize),
    /// Patterns for elements with the publication date that only one version has.
    pub published: Change,
    /// Whether a template of one of the versions requires a publication date. If so, the patterns for dates decide
    /// whether a page is cut at all.
    pub requires_date: bool,
    /// Patterns for elements with the authors that only one version has.
    pub authors: Change,
    /// Whether dates have the day before the month, in the earlier and the later version. None if they agree; an inner
    /// `None` means that it is not known.
    pub day_first: Option<(Option<bool>, Option<bool>)>,
    /// Manual rules that only one version has, such as `comments: div.replies`.
    pub manual: Change,
}

/// The differences of two templates with the same start and end.
///
/// ```
/// use goldminer_console::words::profile_diff::ProfileDiff;
/// use goldminer_core::goldminer::profile::DomainProfile;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// let mut later = profile.clone();
/// later.templates[0].drops.clear();
/// assert_eq!(ProfileDiff::of(&profile, &later).changed[0].drops.gone, ["div.related"]);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TemplateDiff {
    /// The start and end of both templates, in one line.
    pub bounds: String,
    /// The indexes of both templates in their profiles, from 0. The first template that matches cuts a page.
    pub places: (usize, usize),
    /// The share of the sample that each template cuts.
    pub shares: (f64, f64),
    /// How well each template cuts ([`Template::fitness`]).
    pub fitness: (f64, f64),
    /// Whether the articles of each template declare a publication date.
    pub dated: (bool, bool),
    /// Patterns of text between headline and article that only one version adds to the article.
    pub leads: Change,
    /// Patterns of elements inside the article that only one version keeps although their names suggest boilerplate.
    pub parts: Change,
    /// Patterns of elements inside the article that only one version drops.
    pub drops: Change,
}

/// Patterns that were removed and added.
///
/// ```
/// use goldminer_console::words::profile_diff::ProfileDiff;
/// use goldminer_core::goldminer::profile::DomainProfile;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// assert!(!ProfileDiff::of(&profile, &profile).teasers.is_any());
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// Patterns of the earlier version only.
    pub gone: Vec<String>,
    /// Patterns of the later version only.
    pub come: Vec<String>,
}

impl ProfileDiff {
    /// The differences between a profile and a later version.
    pub fn of(earlier: &DomainProfile, later: &DomainProfile) -> Self {
        let find = |profile: &DomainProfile, bounds: &str| profile.templates.iter().position(|t| t.bounds() == bounds);
        let only_in = |one: &DomainProfile, other: &DomainProfile| {
            one.templates.iter().filter(|t| find(other, &t.bounds()).is_none()).cloned().collect::<Vec<_>>()
        };
        let changed = earlier.templates.iter().enumerate().filter_map(|(place, old)| {
            let new = find(later, &old.bounds())?;
            let diff = TemplateDiff::of(old, &later.templates[new], (place, new));
            diff.is_any().then_some(diff)
        });
        let repeated = |one: &DomainProfile, other: &DomainProfile| {
            one.repeated.iter().filter(|text| other.repeated.binary_search(text).is_err()).count()
        };
        Self {
            key: later.key.clone(),
            versions: (earlier.version, later.version),
            language: (earlier.language != later.language).then(|| (earlier.language.clone(), later.language.clone())),
            evidence: (earlier.evidence.clone(), later.evidence.clone()),
            gone: only_in(earlier, later),
            come: only_in(later, earlier),
            changed: changed.collect(),
            teasers: Change::of(&earlier.teasers, &later.teasers),
            small: (earlier.is_small, later.is_small),
            repeated: (repeated(earlier, later), repeated(later, earlier)),
            published: Change::of(&earlier.places.published, &later.places.published),
            requires_date: earlier.templates.iter().chain(&later.templates).any(|template| template.dated),
            authors: Change::of(&earlier.places.authors, &later.places.authors),
            day_first: (earlier.places.day_first != later.places.day_first)
                .then_some((earlier.places.day_first, later.places.day_first)),
            manual: Change::of(&earlier.manual.in_words(), &later.manual.in_words()),
        }
    }

    /// Whether the two versions may cut pages differently.
    pub fn cuts_differently(&self) -> bool {
        !self.gone.is_empty()
            || !self.come.is_empty()
            || self.changed.iter().any(TemplateDiff::matters)
            || self.small.0 != self.small.1
            || self.requires_date && self.published.is_any()
            || self.teasers.is_any()
            || self.manual.is_any()
            || self.repeated != (0, 0)
    }
}

impl TemplateDiff {
    fn of(earlier: &Template, later: &Template, places: (usize, usize)) -> Self {
        Self {
            bounds: later.bounds(),
            places,
            shares: (earlier.share, later.share),
            fitness: (earlier.fitness, later.fitness),
            dated: (earlier.dated, later.dated),
            leads: Change::of(&earlier.leads, &later.leads),
            parts: Change::of(&earlier.parts, &later.parts),
            drops: Change::of(&earlier.drops, &later.drops),
        }
    }

    fn is_any(&self) -> bool {
        let numbers = (self.shares.0 - self.shares.1).abs() + (self.fitness.0 - self.fitness.1).abs();
        numbers > 0.0005 || self.matters()
    }

    /// Whether pages may be cut differently.
    fn matters(&self) -> bool {
        let inside = [&self.leads, &self.parts, &self.drops];
        self.places.0 != self.places.1 || self.dated.0 != self.dated.1 || inside.into_iter().any(Change::is_any)
    }
}

impl Change {
    /// Whether any pattern was removed or added.
    pub fn is_any(&self) -> bool {
        !self.gone.is_empty() || !self.come.is_empty()
    }

    fn of(old: &[impl ToString], new: &[impl ToString]) -> Self {
        let old: BTreeSet<String> = old.iter().map(ToString::to_string).collect();
        let new: BTreeSet<String> = new.iter().map(ToString::to_string).collect();
        Self { gone: old.difference(&new).cloned().collect(), come: new.difference(&old).cloned().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(version: u32, templates: &str) -> DomainProfile {
        DomainProfile::from_toml(&format!("key = \"portal.example\"\nversion = {version}\n{templates}")).unwrap()
    }

    #[test]
    fn new_places_of_day_and_authors_are_shown_and_cut_no_page_differently() {
        let old = profile(1, "[places]\npublished = [\"div.date\"]\nday_first = true\n[[template]]\nstart = \"div\"\n");
        let new = profile(2, "[places]\npublished = [\"time\"]\nauthors = [\"p.by\"]\n[[template]]\nstart = \"div\"\n");
        let diff = ProfileDiff::of(&old, &new);
        assert_eq!(diff.published, Change { gone: vec!["div.date".to_owned()], come: vec!["time".to_owned()] });
        assert_eq!((diff.authors.come, diff.day_first), (vec!["p.by".to_owned()], Some((Some(true), None))));
        assert!(!ProfileDiff::of(&old, &new).cuts_differently());
        let dated = [old, new].map(|mut version| {
            version.templates[0].dated = true;
            version
        });
        assert!(ProfileDiff::of(&dated[0], &dated[1]).cuts_differently(), "no date is found");
    }

    #[test]
    fn a_version_from_a_large_sample_keeps_links_that_one_from_a_small_sample_drops() {
        let old = profile(1, "is_small = true\n[[template]]\nstart = \"div\"\n");
        let new = profile(2, "[[template]]\nstart = \"div\"\n");
        assert!(ProfileDiff::of(&old, &new).cuts_differently() && !ProfileDiff::of(&old, &old).cuts_differently());
    }

    #[test]
    fn parts_that_only_one_version_keeps_may_cut_pages_differently() {
        let old = profile(1, "[[template]]\nstart = \"div\"\n");
        let new = profile(2, "[[template]]\nstart = \"div\"\nparts = [\"aside.rating\"]\n");
        let diff = ProfileDiff::of(&old, &new);
        assert!(diff.cuts_differently() && diff.changed[0].parts.come == ["aside.rating"]);
    }

    #[test]
    fn what_a_person_said_is_shown_and_may_cut_pages_differently() {
        let old = profile(1, "[[template]]\nstart = \"div\"\n");
        let new = profile(2, "[[template]]\nstart = \"div\"\n[manual]\ntitle = [\"h2\"]\ncomments = [\"ol.say\"]\n");
        let diff = ProfileDiff::of(&old, &new);
        assert_eq!(diff.manual.come, ["comments: ol.say", "title: h2"]);
        assert!(diff.cuts_differently() && diff.manual.gone.is_empty());
    }

    #[test]
    fn a_redesign_shows_what_went_and_what_came() {
        let old = profile(1, "[[template]]\nstart = \"div.story\"\nshare = 0.9\ndrops = [\"div.promo\", \"div.ad\"]\n");
        let new = profile(
            2,
            "[[template]]\nstart = \"article.new\"\nshare = 0.8\n[[template]]\nstart = \"div.story\"\nshare = 0.1\ndrops = [\"div.ad\", \"div.vote\"]\n",
        );
        let diff = ProfileDiff::of(&old, &new);
        assert_eq!((diff.versions, diff.gone.len(), diff.come.len()), ((1, 2), 0, 1));
        let changed = &diff.changed[0];
        assert_eq!((changed.places, changed.shares), ((0, 1), (0.9, 0.1)));
        assert_eq!(changed.drops, Change { gone: vec!["div.promo".to_owned()], come: vec!["div.vote".to_owned()] });
        assert!(diff.cuts_differently());
        let same = ProfileDiff::of(&old, &old);
        assert!(same.changed.is_empty() && !same.cuts_differently());
    }
}
