//! Converts the pages of a portal to URL paths and back. Each portal has patterns for its paths, in `addresses.txt`.
//!
//! ```text
//! "/{year}/{month}/{slug}-{id}"     an article        "/cimke.php?c={tag}"     a topic
//! ```
//!
//! A path is only valid if it is exactly the path of its page; all others give 404.

use jiff::civil::DateTime;

use crate::newsroom::{AUTHORS, Newsroom};
use crate::prose::story::Genre;

/// The kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::EnumString)]
pub enum Kind {
    /// The front page, and the pages of older articles that continue it.
    Front,
    /// The articles of a section.
    Section,
    /// The list of all tags.
    Tags,
    /// The articles of a tag.
    Tag,
    /// The articles of an author.
    Author,
    /// A news article.
    Article,
    /// An opinion, if the portal has separate paths for opinions.
    Opinion,
    /// A live report, if the portal has separate paths for live reports.
    Live,
    /// The same page of an article at a second URL.
    SecondUrl,
    /// The print version of an article, with hardly anything around it.
    Print,
    /// A gallery: pictures with short captions.
    Gallery,
    /// The page about the portal's makers, which links to its special pages.
    About,
    /// The results of a search.
    Search,
    /// A month of the calendar, which links to the next one, without end.
    Calendar,
    /// A page with a relative link that leads to a longer URL of the same page, without end.
    Archive,
    /// A page that must not be indexed.
    Hidden,
    /// A page to which all links have `rel="nofollow"`.
    Sponsored,
    /// A page that robots.txt forbids.
    Private,
    /// A page that a longer rule of robots.txt allows, in a folder that it forbids.
    Press,
    /// A step of a chain of redirects that ends at an article.
    Hop,
    /// One of two pages that redirect to each other.
    Loop,
    /// A slow page.
    Slow,
    /// A linked page that does not exist.
    Missing,
    /// The RSS feed.
    Feed,
    /// The index of sitemaps.
    SitemapIndex,
    /// A gzipped sitemap of articles.
    Sitemap,
    /// The news sitemap, with the newest articles.
    NewsSitemap,
}

/// A page of a portal: its kind, its number, and its position in a list of several pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageSpec {
    /// The kind of the page.
    pub kind: Kind,
    /// The number of the article, section, tag or author, or the year of the calendar.
    pub number: usize,
    /// The page of a list of several pages, from 1, or the month of the calendar.
    pub page: usize,
}

impl PageSpec {
    /// Creates the specification of the first (or only) page.
    pub fn new(kind: Kind, number: usize) -> Self {
        Self { kind, number, page: 1 }
    }

    /// The specification of another page of the same list.
    pub fn sheet(self, page: usize) -> Self {
        Self { page, ..self }
    }
}

/// The patterns of a portal's paths. If a kind has two patterns, the second is for page 2 and later pages of a list.
pub type Patterns = &'static [(Kind, &'static str)];

/// The rules by which a portal forms its paths.
#[derive(Debug, Clone)]
pub struct Scheme {
    /// The patterns of the paths.
    pub patterns: Patterns,
    /// The number in the path of the oldest article, as in `cikk.php?id=1042`.
    pub first_id: usize,
    /// The kinds of pages that have patterns but do not exist on the portal.
    pub without: &'static [Kind],
}

impl Scheme {
    /// Whether the portal has pages of this kind.
    pub fn has(&self, kind: Kind) -> bool {
        self.patterns.iter().any(|(known, _)| *known == kind) && !self.without.contains(&kind)
    }

    /// The path (with query) of a page. None if the portal has no pages of this kind.
    pub fn path(&self, newsroom: &Newsroom, place: PageSpec) -> Option<String> {
        if self.without.contains(&place.kind) {
            return None;
        }
        let mut patterns = self.patterns.iter().filter(|(kind, _)| *kind == place.kind).map(|(_, pattern)| *pattern);
        let pattern = if place.page > 1 { patterns.next_back()? } else { patterns.next()? };
        Some(self.fill(pattern, newsroom, place))
    }

    /// The page for a path. None if there is no such path.
    pub fn place(&self, newsroom: &Newsroom, path: &str) -> Option<PageSpec> {
        self.patterns.iter().find_map(|(kind, pattern)| {
            let place = self.read(*kind, pattern, newsroom, path)?;
            (self.path(newsroom, place).as_deref() == Some(path)).then_some(place)
        })
    }

    /// The number in an article's path.
    pub fn id(&self, newsroom: &Newsroom, article: usize) -> usize {
        self.first_id + newsroom.articles.saturating_sub(article + 1) * 3
    }

    fn article(&self, newsroom: &Newsroom, id: usize) -> Option<usize> {
        let age = id.checked_sub(self.first_id).filter(|n| n % 3 == 0)? / 3;
        (newsroom.articles).checked_sub(age + 1)
    }

    fn fill(&self, pattern: &str, newsroom: &Newsroom, place: PageSpec) -> String {
        let mut out = String::with_capacity(64);
        let mut rest = pattern;
        while let Some((literal, tail)) = rest.split_once('{') {
            out.push_str(literal);
            let (name, tail) = tail.split_once('}').unwrap_or((tail, ""));
            out.push_str(&self.value(name, newsroom, place));
            rest = tail;
        }
        out + rest
    }

    fn value(&self, name: &str, newsroom: &Newsroom, place: PageSpec) -> String {
        let nth = |names: &[String], n: usize| names.get(n).map_or_else(String::new, |name| slug(name));
        let published = |f: fn(DateTime) -> String| f(newsroom.published(place.number));
        match name {
            "slug" => slug(&newsroom.brief(place.number).headline),
            "id" => self.id(newsroom, place.number).to_string(),
            "topic" => nth(newsroom.sections(), newsroom.section_of(place.number)),
            "section" => nth(newsroom.sections(), place.number),
            "tag" => nth(newsroom.tags(), place.number),
            "author" => slug(&newsroom.author(place.number)),
            "year" => published(|date| date.year().to_string()),
            "month" => published(|date| format!("{:02}", date.month())),
            "day" => published(|date| format!("{:02}", date.day())),
            "page" => place.page.to_string(),
            "page2" => format!("{:02}", place.page),
            // "n", and other names.
            _ => place.number.to_string(),
        }
    }

    /// Parses a path by a pattern. The result may be a page with another path, which the caller must check.
    fn read(&self, kind: Kind, pattern: &str, newsroom: &Newsroom, path: &str) -> Option<PageSpec> {
        let mut place = PageSpec::new(kind, 0);
        let (mut pattern, mut path) = (pattern, path);
        while let Some((literal, tail)) = pattern.split_once('{') {
            let (name, tail) = tail.split_once('}')?;
            path = path.strip_prefix(literal)?;
            let stop = &tail[..tail.find('{').unwrap_or(tail.len())];
            let end = match name {
                _ if stop.is_empty() => path.len(),
                // A slug may contain the separator after it, such as a hyphen. So it ends at the last separator.
                "slug" => path.rfind(stop)?,
                _ => path.find(stop)?,
            };
            let value = &path[..end];
            match name {
                "id" => place.number = self.article(newsroom, value.parse().ok()?)?,
                "section" => place.number = position(newsroom.sections(), value)?,
                "tag" => place.number = position(newsroom.tags(), value)?,
                "author" => place.number = (0..AUTHORS).find(|&author| slug(&newsroom.author(author)) == value)?,
                "page" | "page2" => place.page = value.parse().ok().filter(|&page| page > 0)?,
                "n" => place.number = value.parse().ok()?,
                _ => {}
            }
            path = &path[end..];
            pattern = tail;
        }
        (path == pattern).then_some(place)
    }

    /// The main page of an article. Its kind is that of the article's genre, or [`Kind::Article`] if the portal does
    /// not have this kind.
    pub fn of_article(&self, newsroom: &Newsroom, article: usize) -> PageSpec {
        let kind = match newsroom.genre(article) {
            Genre::Opinion => Kind::Opinion,
            Genre::Live => Kind::Live,
            _ => Kind::Article,
        };
        let kind = if self.has(kind) { kind } else { Kind::Article };
        PageSpec::new(kind, article)
    }
}

fn position(names: &[String], slug_of: &str) -> Option<usize> {
    names.iter().position(|name| slug(name) == slug_of)
}

/// Converts a name to the form in paths: lower case, without accents, words joined by hyphens, at most 70 characters.
pub fn slug(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars().flat_map(char::to_lowercase) {
        let plain = match c {
            'á' | 'ä' => "a",
            'é' => "e",
            'í' => "i",
            'ó' | 'ö' | 'ő' => "o",
            'ú' | 'ü' | 'ű' => "u",
            'ß' => "ss",
            '’' => continue,
            c if c.is_ascii_alphanumeric() => {
                out.push(c);
                continue;
            }
            _ => "-",
        };
        if plain != "-" || !out.is_empty() && !out.ends_with('-') {
            out.push_str(plain);
        }
    }
    out.truncate(out.char_indices().nth(70).map_or(out.len(), |(at, _)| at));
    out.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prose::Language;

    #[test]
    fn a_slug_has_no_accents_and_no_double_hyphens() {
        assert_eq!(slug("„Szerencsénk volt”: Égerpatak – 3 őrült nap"), "szerencsenk-volt-egerpatak-3-orult-nap");
        assert_eq!(slug("the mayor’s envoy"), "the-mayors-envoy");
    }

    #[test]
    fn a_path_leads_back_to_its_place_and_another_spelling_does_not() {
        let newsroom = Newsroom::new(Language::English, 1, 40);
        let patterns: Patterns = &[
            (Kind::Article, "/{year}/{month}/{slug}-{id}"),
            (Kind::SecondUrl, "/?p={id}"),
            (Kind::Tag, "/tag/{tag}"),
            (Kind::Tag, "/tag/{tag}/page/{page}"),
            (Kind::Calendar, "/calendar/{n}/{page2}/"),
        ];
        let scheme = Scheme { patterns, first_id: 100, without: &[] };
        for place in [
            PageSpec::new(Kind::Article, 0),
            PageSpec::new(Kind::Article, 39),
            PageSpec::new(Kind::SecondUrl, 7),
            PageSpec::new(Kind::Tag, 3),
            PageSpec::new(Kind::Tag, 3).sheet(2),
            PageSpec::new(Kind::Calendar, 2026).sheet(12),
        ] {
            let path = scheme.path(&newsroom, place).unwrap();
            assert_eq!(scheme.place(&newsroom, &path), Some(place), "{path}");
        }
        assert_eq!(scheme.path(&newsroom, PageSpec::new(Kind::Calendar, 2026)).unwrap(), "/calendar/2026/01/");
        assert_eq!(scheme.place(&newsroom, "/2026/06/another-slug-217"), None);
        assert_eq!(scheme.place(&newsroom, "/tag/unheard-of"), None);
        assert_eq!(scheme.place(&newsroom, "/?p=99999999999999999999999"), None);
    }
}
