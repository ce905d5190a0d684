//! The input of a layout: the content of a page with all URL paths, but without HTML.

use super::Portal;
use super::place::{Kind, PageSpec};
use crate::newsroom::Brief;
use crate::prose::story::{Comment, Genre, Paragraph};

/// A layout: converts the content of a portal's pages to HTML.
pub trait Layout: Sync {
    /// The HTML of an article's page.
    fn article(&self, page: &ArticlePage<'_>) -> String;
    /// The HTML of a list of teasers.
    fn list(&self, page: &ListPage<'_>) -> String;
    /// The HTML of any other page.
    fn plain(&self, page: &PlainPage<'_>) -> String;
}

/// A link: its label and its target.
#[derive(Debug, Clone)]
pub struct Link {
    /// The visible text.
    pub label: String,
    /// The path of the target.
    pub path: String,
}

/// A teaser: an article as lists on other pages show it.
#[derive(Debug, Clone)]
pub struct Teaser {
    /// The headline.
    pub headline: String,
    /// The first paragraph.
    pub lead: String,
    /// The path of the article.
    pub path: String,
    /// The day of publication, such as `2026-06-14`.
    pub day: String,
}

/// The content of an article's page.
#[derive(Clone)]
pub struct ArticlePage<'p> {
    /// The portal.
    pub portal: &'p Portal,
    /// The headline, the lead and the date.
    pub brief: Brief,
    /// The genre of the article.
    pub genre: Genre,
    /// The number in the article's path.
    pub id: usize,
    /// The main path of the article.
    pub path: String,
    /// The author, with the path of the list of the author's articles.
    pub author: Link,
    /// The section, with the path of its list.
    pub section: Link,
    /// The tags, with the paths of their lists.
    pub tags: Vec<Link>,
    /// The paragraphs after the lead.
    pub body: Vec<Paragraph>,
    /// The readers' comments.
    pub comments: Vec<Comment>,
    /// Other articles of the same topic.
    pub related: Vec<Teaser>,
    /// The most read articles.
    pub most_read: Vec<Teaser>,
    /// The newest articles.
    pub latest: Vec<Teaser>,
    /// The path of the print version, if there is one.
    pub print: Option<String>,
    /// The path of the second URL, if there is one.
    pub second_url: Option<String>,
}

/// The content of a page with a list of teasers.
pub struct ListPage<'p> {
    /// The portal.
    pub portal: &'p Portal,
    /// The title of the list.
    pub title: String,
    /// The teasers.
    pub teasers: Vec<Teaser>,
    /// The path of the page with newer articles, if there is one.
    pub previous: Option<String>,
    /// The path of the page with older articles, if there is one.
    pub next: Option<String>,
    /// The most read articles.
    pub most_read: Vec<Teaser>,
    /// Links to pages that are not articles.
    pub extras: Vec<Link>,
}

/// The content of any other page.
pub struct PlainPage<'p> {
    /// The portal.
    pub portal: &'p Portal,
    /// The title of the page.
    pub title: String,
    /// The content as HTML.
    pub main: String,
    /// Whether the page must not be indexed.
    pub noindex: bool,
}

impl Portal {
    /// A word or text of the portal's interface in its language, such as that for `latest`.
    pub(crate) fn word(&self, name: &str) -> String {
        self.newsroom.language.grammar().fixed(0, &format!("ui.{name}"))
    }

    pub(super) fn absolute(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// A link to a page. None if the portal has no pages of this kind.
    pub(super) fn link(&self, label: &str, place: PageSpec) -> Option<Link> {
        Some(Link { label: label.to_owned(), path: self.path(place)? })
    }

    /// The links in the menu: the front page and the sections.
    pub(super) fn menu(&self) -> Vec<Link> {
        let home = self.link(&self.word("home"), PageSpec::new(Kind::Front, 0));
        let sections = self.newsroom.sections().iter().enumerate();
        let sections = sections.filter_map(|(n, name)| self.link(name, PageSpec::new(Kind::Section, n)));
        home.into_iter().chain(sections).collect()
    }

    /// The links in the footer of every page: about, tags, archive, calendar, search, pictures.
    pub(super) fn services(&self) -> Vec<Link> {
        let places = [
            ("about", PageSpec::new(Kind::About, 0)),
            ("tags", PageSpec::new(Kind::Tags, 0)),
            ("archive", PageSpec::new(Kind::Archive, 0)),
            ("calendar", PageSpec::new(Kind::Calendar, 2026).sheet(6)),
            ("search", PageSpec::new(Kind::Search, 0)),
            ("gallery", PageSpec::new(Kind::Gallery, 1)),
            ("login", PageSpec::new(Kind::Private, 1)),
        ];
        places.into_iter().filter_map(|(word, place)| self.link(&self.word(word), place)).collect()
    }

    /// The teaser of an article.
    pub(super) fn teaser(&self, article: usize) -> Teaser {
        let newsroom = &self.newsroom;
        let brief = newsroom.brief(article);
        let place = self.scheme.of_article(newsroom, article);
        Teaser {
            path: self.path(place).unwrap_or_default(),
            day: brief.published.date().to_string(),
            headline: brief.headline,
            lead: brief.lead,
        }
    }

    /// The teasers of several articles.
    pub(crate) fn teasers(&self, articles: impl IntoIterator<Item = usize>) -> Vec<Teaser> {
        articles.into_iter().map(|article| self.teaser(article)).collect()
    }
}

impl Teaser {
    /// The lead, cut off at the end of a word after at most `chars` characters.
    pub fn short(&self, chars: usize) -> String {
        match self.lead.char_indices().nth(chars) {
            Some((at, _)) => {
                format!("{}…", self.lead[..at].rsplit_once(' ').map_or(&self.lead[..at], |(head, _)| head))
            }
            None => self.lead.clone(),
        }
    }
}
