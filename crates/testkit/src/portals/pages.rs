//! Generates the page at each path of a portal.

use std::time::Duration;

use encoding_rs::UTF_8;

use super::html::{attribute, each, link, text};
use super::layout::PRINT;
use super::place::{Kind, PageSpec};
use super::view::{ArticlePage, Layout, Link, ListPage, PlainPage};
use super::{Portal, Reply, feeds};
use crate::newsroom::AUTHORS;
use crate::prose::grammar::StorySeed;
use crate::prose::story::{Genre, Story};
use crate::rng::{Rng, mix};

/// The number of teasers on one page of a list.
pub(super) const SHEET: usize = 15;
pub(super) const GALLERIES: usize = 4;
/// The number of redirects in the chain that ends at an article.
const HOPS: usize = 3;
/// The time before the response of the slow page.
const SLOW: Duration = Duration::from_millis(1500);

/// The response for a page. It is a 404 if there is no page with this number.
pub(super) fn reply(portal: &Portal, place: PageSpec, path: &str, redesigned: bool) -> Reply {
    let skin = if redesigned { portal.next_skin } else { portal.skin };
    let maker = PageMaker { portal, skin };
    let n = place.number;
    let article = matches!(place.kind, Kind::Article | Kind::Opinion | Kind::Live | Kind::SecondUrl | Kind::Print);
    if article && !portal.newsroom.published_articles().contains(&n) {
        return not_found(portal);
    }
    match place.kind {
        Kind::Front | Kind::Section | Kind::Tag | Kind::Author | Kind::Search => maker.list(place, path),
        Kind::Article | Kind::Opinion | Kind::Live => {
            let main = portal.scheme.of_article(&portal.newsroom, n);
            if main == place { maker.article(n, redesigned) } else { not_found(portal) }
        }
        Kind::SecondUrl if has_second_url(portal, n) => maker.article(n, redesigned),
        Kind::Print if printed(portal, n) => maker.html(&PRINT.article(&maker.article_page(n)), Some(n)),
        Kind::Tags => maker.plain(&portal.word("tags"), maker.tag_links(), false),
        Kind::Gallery if (1..=GALLERIES).contains(&n) => maker.gallery(n),
        Kind::About => maker.about(),
        Kind::Calendar => maker.calendar(place),
        Kind::Archive => maker.archive(path),
        Kind::Hidden => {
            let page = maker.plain(&portal.word("archive"), unwanted(portal, 1), !portal.noindex_header);
            if portal.noindex_header { page.field("X-Robots-Tag", "noindex") } else { page }
        }
        Kind::Sponsored => maker.plain(&portal.word("more"), unwanted(portal, 2), false),
        Kind::Private if (1..=3).contains(&n) => maker.plain(&portal.word("login"), unwanted(portal, 3), false),
        Kind::Press => maker.plain(&portal.word("about"), paragraphs(&maker.about_texts()), false),
        Kind::Hop if n < HOPS => {
            let next = PageSpec::new(Kind::Hop, n + 1);
            let end = portal.scheme.of_article(&portal.newsroom, portal.newsroom.articles / 3);
            maker.redirect(if n + 1 < HOPS { next } else { end }, if n == 1 { 302 } else { 301 })
        }
        Kind::Loop if n < 2 => maker.redirect(PageSpec::new(Kind::Loop, 1 - n), 302),
        Kind::Slow => {
            let page = maker.plain(&portal.word("archive"), paragraphs(&maker.about_texts()), false);
            Reply { pause: SLOW, ..page }
        }
        Kind::Feed => feeds::rss(portal),
        Kind::SitemapIndex => feeds::sitemap_index(portal),
        Kind::Sitemap => feeds::sitemap(portal, place.page).unwrap_or_else(|| not_found(portal)),
        Kind::NewsSitemap => feeds::news_sitemap(portal),
        _ => not_found(portal),
    }
}

/// The response for paths that do not exist.
pub(super) fn not_found(portal: &Portal) -> Reply {
    let maker = PageMaker { portal, skin: portal.skin };
    Reply { status: 404, ..maker.plain("404", format!("<p>{}</p>", link("/", &portal.word("home"))), false) }
}

/// Whether an article has a second URL.
pub(super) fn has_second_url(portal: &Portal, article: usize) -> bool {
    portal.has(Kind::SecondUrl) && article % 12 == 5
}

/// Whether an article has a print version.
pub(super) fn printed(portal: &Portal, article: usize) -> bool {
    portal.has(Kind::Print) && article % 10 == 2
}

/// Texts that read like an article but must not be in a corpus: those of the hidden (1), sponsored (2) or private (3)
/// pages.
pub(super) fn unwanted_texts(portal: &Portal, which: u64) -> Vec<String> {
    let newsroom = &portal.newsroom;
    let story = Story::new(newsroom.language, which as usize, Genre::Report, mix(newsroom.seed ^ 0xf0, which));
    let notice = newsroom.language.grammar().fixed(0, "private.notice");
    std::iter::once(story.lead())
        .chain(story.body().into_iter().map(|(_, text)| text))
        .chain((which == 3).then_some(notice))
        .collect()
}

fn unwanted(portal: &Portal, which: u64) -> String {
    paragraphs(&unwanted_texts(portal, which))
}

fn paragraphs(texts: &[String]) -> String {
    each(texts, |p| format!("<p>{}</p>", text(p)))
}

/// Makes the pages of a portal in its current layout.
pub(crate) struct PageMaker<'p> {
    pub portal: &'p Portal,
    pub skin: &'static dyn Layout,
}

impl<'p> PageMaker<'p> {
    fn html(&self, html: &str, article: Option<usize>) -> Reply {
        let is_wrong = article.is_some() && article == self.portal.charset.wrong_charset.map(|(n, _)| n);
        // On UTF-8 portals, the page that declares a wrong encoding declares it only in its `<meta>`, as if another
        // program had generated the page.
        let content_type = if is_wrong && self.portal.charset.encoding == UTF_8 {
            "text/html".to_owned()
        } else {
            self.portal.html_type()
        };
        Reply::new(200, &content_type, self.portal.encode(html, article))
    }

    pub(crate) fn plain(&self, title: &str, main: String, noindex: bool) -> Reply {
        self.html(&self.skin.plain(&PlainPage { portal: self.portal, title: title.to_owned(), main, noindex }), None)
    }

    fn redirect(&self, to: PageSpec, status: u16) -> Reply {
        let path = self.portal.path(to).unwrap_or_else(|| "/".to_owned());
        Reply::new(status, "text/html", format!("<p>{}</p>\n", link(&path, &path))).field("Location", path)
    }

    fn article(&self, n: usize, redesigned: bool) -> Reply {
        let page = self.article_page(n);
        let skin = match self.portal.old_skin {
            Some((from, old)) if !redesigned && n >= from => old,
            _ => self.skin,
        };
        let html = skin.article(&page);
        #[cfg(feature = "test-webs")]
        let html = crate::kit::filled_up(self.portal, html, n);
        self.html(&html, Some(n))
    }

    fn article_page(&self, n: usize) -> ArticlePage<'p> {
        let portal = self.portal;
        let newsroom = &portal.newsroom;
        let brief = newsroom.brief(n);
        let to = |label: &str, place| Link { label: label.to_owned(), path: portal.path(place).unwrap_or_default() };
        ArticlePage {
            portal,
            genre: newsroom.genre(n),
            id: portal.scheme.id(newsroom, n),
            path: portal.path(portal.scheme.of_article(newsroom, n)).unwrap_or_default(),
            author: to(&newsroom.author(brief.author), PageSpec::new(Kind::Author, brief.author)),
            section: to(&newsroom.sections()[brief.section], PageSpec::new(Kind::Section, brief.section)),
            tags: newsroom
                .tags_of(n)
                .into_iter()
                .map(|tag| to(&newsroom.tags()[tag], PageSpec::new(Kind::Tag, tag)))
                .collect(),
            body: newsroom.body(n),
            comments: newsroom.comments(n),
            related: portal.teasers(newsroom.related(n, 3)),
            most_read: portal.teasers(newsroom.most_read(5)),
            latest: portal.teasers(newsroom.published_articles().take(6)),
            print: printed(portal, n).then(|| portal.path(PageSpec::new(Kind::Print, n))).flatten(),
            second_url: has_second_url(portal, n).then(|| portal.path(PageSpec::new(Kind::SecondUrl, n))).flatten(),
            brief,
        }
    }

    fn list(&self, place: PageSpec, path: &str) -> Reply {
        let newsroom = &self.portal.newsroom;
        let n = place.number;
        let (title, articles) = match place.kind {
            Kind::Section if n < newsroom.sections().len() => {
                (newsroom.sections()[n].clone(), newsroom.select(|article| newsroom.section_of(article) == n))
            }
            Kind::Tag if n < newsroom.tags().len() => {
                (newsroom.tags()[n].clone(), newsroom.select(|article| newsroom.tags_of(article).contains(&n)))
            }
            Kind::Author if n < AUTHORS => {
                (newsroom.author(n), newsroom.select(|article| newsroom.brief(article).author == n))
            }
            Kind::Search if n < newsroom.tags().len() => {
                let title = format!("{} {}", self.portal.word("hits"), newsroom.tags()[n]);
                (title, newsroom.select(|article| newsroom.tags_of(article).contains(&n)))
            }
            Kind::Front => (self.portal.word("latest"), newsroom.select(|_| true)),
            _ => return not_found(self.portal),
        };
        let sheets = articles.len().div_ceil(SHEET).max(1);
        if place.page > sheets {
            return not_found(self.portal);
        }
        let sheet = |page: usize| ((1..=sheets).contains(&page)).then(|| self.portal.path(place.sheet(page))).flatten();
        let shown: Vec<usize> = articles.into_iter().skip((place.page - 1) * SHEET).take(SHEET).collect();
        let page = ListPage {
            portal: self.portal,
            title,
            teasers: self.portal.teasers(shown),
            previous: sheet(place.page - 1),
            next: sheet(place.page + 1),
            most_read: self.portal.teasers(newsroom.most_read(5)),
            extras: if place.kind == Kind::Front { self.front_extras() } else { Vec::new() },
        };
        let mut reply = self.html(&self.skin.list(&page), None);
        if path == "/" {
            let newest = newsroom.published(newsroom.unpublished);
            reply = reply.field("Last-Modified", newest.strftime("%a, %d %b %Y %H:%M:00 GMT").to_string());
        }
        reply
    }

    fn front_extras(&self) -> Vec<Link> {
        let galleries = (1..=GALLERIES).map(|n| PageSpec::new(Kind::Gallery, n));
        let authors = (0..AUTHORS).map(|n| (self.portal.newsroom.author(n), PageSpec::new(Kind::Author, n)));
        galleries
            .map(|place| (format!("{} {}", self.portal.word("gallery"), place.number), place))
            .chain(authors)
            .filter_map(|(label, place)| self.portal.link(&label, place))
            .collect()
    }

    fn tag_links(&self) -> String {
        let tags = self.portal.newsroom.tags().iter().enumerate();
        let links = tags.filter_map(|(n, tag)| self.portal.link(tag, PageSpec::new(Kind::Tag, n)));
        format!("<ul class=\"tag-index\">\n{}</ul>\n", each(links, |l| format!("<li>{}</li>", link(&l.path, &l.label))))
    }

    fn gallery(&self, n: usize) -> Reply {
        let grammar = self.portal.newsroom.language.grammar();
        let mut rng = Rng::new(n as u64);
        let pictures = each(1..=12usize, |i| {
            let story_seed = StorySeed { topic: 0, seed: mix(self.portal.newsroom.seed, (n * 100 + i) as u64) };
            let caption = grammar.expand(story_seed, "ui.gallery.caption", &mut rng);
            format!(
                "<figure><img src=\"/img/g{n}-{i}.jpg\" alt=\"\"><figcaption>{}</figcaption></figure>",
                text(&caption)
            )
        });
        let next = self.portal.path(PageSpec::new(Kind::Gallery, n % GALLERIES + 1)).unwrap_or_default();
        let title = format!("{} {n}", self.portal.word("gallery"));
        self.plain(&title, format!("<div class=\"gallery\">\n{pictures}</div>\n<p>{}</p>\n", link(&next, "→")), false)
    }

    fn about_texts(&self) -> Vec<String> {
        let story_seed = StorySeed { topic: 0, seed: 0 };
        self.portal.newsroom.language.grammar().expand_all(story_seed, "ui.about.text", &mut Rng::new(0))
    }

    /// The page about the portal. It links to the special pages: redirects, a loop, and deleted, slow, hidden and
    /// forbidden pages.
    fn about(&self) -> Reply {
        let corners = [Kind::Hop, Kind::Loop, Kind::Missing, Kind::Slow, Kind::Hidden, Kind::Press];
        let private = (1..=3).map(|n| PageSpec::new(Kind::Private, n));
        let places = corners.into_iter().map(|kind| PageSpec::new(kind, 0)).chain(private);
        let mut links =
            each(places.filter_map(|place| self.portal.path(place)), |path| format!("<li>{}</li>", link(&path, &path)));
        if let Some(path) = self.portal.path(PageSpec::new(Kind::Sponsored, 0)) {
            links +=
                &format!("<li><a rel=\"sponsored nofollow\" href=\"{}\">{}</a></li>\n", attribute(&path), text(&path));
        }
        self.plain(
            &self.portal.word("about"),
            format!("{}<ul>\n{links}</ul>\n", paragraphs(&self.about_texts())),
            false,
        )
    }

    fn calendar(&self, place: PageSpec) -> Reply {
        let PageSpec { number: year, page: month, .. } = place;
        if !(1..=12).contains(&month) {
            return not_found(self.portal);
        }
        let to = |year, month| self.portal.path(PageSpec::new(Kind::Calendar, year).sheet(month)).unwrap_or_default();
        let next = if month == 12 { to(year + 1, 1) } else { to(year, month + 1) };
        let days = each(1..=28, |day| format!("<td>{day}</td>"));
        let main = format!(
            "<table class=\"calendar\"><tr>{days}</tr></table>\n<p>{} {}</p>\n",
            link(&next, "»"),
            link(&to(year + 1, month), &(year + 1).to_string())
        );
        self.plain(&format!("{} {year}/{month:02}", self.portal.word("calendar")), main, false)
    }

    /// A page of the endless archive. Its link has no leading slash, so the URL gets longer with each page.
    fn archive(&self, path: &str) -> Reply {
        let last = path.trim_matches('/').rsplit('/').next().unwrap_or_default();
        self.plain(
            &self.portal.word("archive"),
            format!("<p>{}</p>\n", link(&format!("{last}/"), &self.portal.word("archive"))),
            false,
        )
    }
}
