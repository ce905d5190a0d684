//! Layouts that extractors stumble over, one habit each, on a plain portal of today. What they have in common is dull on
//! purpose: whatever goes wrong on such a portal goes wrong because of its habit.

use super::super::html::{attribute, each, link, text};
use super::super::view::{ArticlePage, Layout, ListPage, PlainPage, Site, Teaser};
use super::{MODERN, TABLES};
use crate::prose::story::{Genre, Paragraph, Story};
use crate::rng::mix;
use goldminer_core::ParagraphKind;
use strum::VariantArray;

/// What a portal does that others don't.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum Habit {
    /// The article stands in `<noscript>`, and a script would put it where readers see it.
    Noscript,
    /// It stands in a declarative shadow root.
    ShadowRoot,
    /// Two other articles follow below it, each in full and made like the first.
    Endless,
    /// One other article follows below it, in full.
    SecondBelow,
    /// The page has a copy for desks and one for pockets, and a style sheet hides one of them.
    TwoCopies,
    /// Two sentences a page, beside longer teasers.
    Notices,
    /// Questions and short answers.
    Interviews,
    /// Tables in tables, without a class or an id.
    Tables,
    /// Teasers that are nothing but paragraphs behind the article.
    BareTeasers,
    /// Readers' comments below no title, in elements whose names say nothing.
    NamelessComments,
    /// Text in the article that no reader sees.
    Hidden,
    /// Names of elements that are others on every page.
    RandomNames,
    /// Names that say how things look, and teasers longer than the article.
    Utilities,
    /// Ingredients and steps.
    Recipes,
    /// Links to other pages between the paragraphs.
    LinksBetween,
    /// A word on the author behind the article, in an element whose name says nothing.
    AuthorBoxes,
}

impl Habit {
    /// All of them.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// How its articles are written.
    pub fn genre(self) -> Genre {
        match self {
            Self::Notices => Genre::Notice,
            Self::Interviews => Genre::Interview,
            Self::Recipes => Genre::Recipe,
            _ => Genre::Report,
        }
    }

    /// Its look.
    pub(crate) fn layout(self) -> &'static dyn Layout {
        if self == Self::Tables {
            return &TABLES;
        }
        &Self::ALL[self as usize]
    }
}

impl Layout for Habit {
    fn article(&self, page: &ArticlePage<'_>) -> String {
        let look = Look { habit: *self, page };
        let story = look.story(&page.brief.headline, &page.brief.lead, &page.body);
        let main = match self {
            Habit::Noscript => format!("<div id=\"app\"></div>\n<noscript>{story}</noscript>"),
            Habit::ShadowRoot => {
                format!(
                    "<news-story><template shadowrootmode=\"open\"><style>p{{margin:0}}</style>{story}</template></news-story>"
                )
            }
            Habit::Endless => look.others(2).iter().fold(story, |all, other| all + "<hr>" + other),
            Habit::SecondBelow => format!(
                "{story}\n<div{}><p>{}</p>{}</div>",
                look.class("next"),
                text(&page.site.word("latest")),
                look.others(1).concat()
            ),
            Habit::TwoCopies => {
                format!("<div{}>{story}</div>\n<div{}>{story}</div>", look.class("wide"), look.class("narrow"))
            }
            _ => story,
        };
        let side = each(&page.most_read, |teaser| format!("<li>{}</li>", look.teaser(teaser)));
        let end = match self {
            Habit::BareTeasers => {
                each(&page.related, |t| format!("<p>{}</p>\n<p>{}</p>", link(&t.path, &t.headline), text(&t.lead)))
            }
            Habit::NamelessComments => look.comments(),
            Habit::AuthorBoxes => format!(
                "<div{}><p>{} {}</p></div>",
                look.class("b-7"),
                text(&page.author.label),
                text(&look.of_author())
            ),
            _ => String::new(),
        };
        let main = format!(
            "<div{}>\n{main}\n{end}</div>\n<div{}><h3>{}</h3><ul>\n{side}</ul></div>",
            look.class("content"),
            look.class("side"),
            text(&page.site.word("most_read"))
        );
        look.shell(&main)
    }

    fn list(&self, page: &ListPage<'_>) -> String {
        MODERN.list(page)
    }

    fn plain(&self, page: &PlainPage<'_>) -> String {
        MODERN.plain(page)
    }
}

/// A page in the look of a habit.
struct Look<'l, 'p> {
    habit: Habit,
    page: &'l ArticlePage<'p>,
}

impl Look<'_, '_> {
    /// The attribute for an element that others would call so.
    fn class(&self, name: &str) -> String {
        let number = name.bytes().fold(7, |number, byte| mix(number, u64::from(byte)));
        match self.habit {
            Habit::RandomNames => format!(" class=\"c{:x}\"", mix(number, self.page.id as u64) & 0xff_ffff),
            Habit::Utilities => {
                let pad = number % 9;
                format!(" class=\"flex flex-col p-{pad} mt-{} text-base\"", number % 4)
            }
            Habit::NamelessComments => format!(" class=\"c{:x}\"", number & 0xff_ffff),
            _ => format!(" class=\"{name}\""),
        }
    }

    /// An article from its headline to its end.
    fn story(&self, headline: &str, lead: &str, body: &[Paragraph]) -> String {
        let page = self.page;
        let mut out = format!(
            "<div{story}>\n<h1{title}>{headline}</h1>\n<div{by}>{author} · {date}</div>\n<p{first}>{lead}</p>\n<div{body}>\n",
            story = self.class("story"),
            title = self.class("story-title"),
            headline = text(headline),
            by = self.class("story-by"),
            author = link(&page.author.path, &page.author.label),
            date = page.brief.published.date(),
            first = self.class("story-lead"),
            lead = text(lead),
            body = self.class("story-body"),
        );
        let mut in_list = false;
        for (number, (kind, paragraph)) in body.iter().enumerate() {
            let is_item = *kind == ParagraphKind::ListItem;
            if in_list != is_item {
                out.push_str(if is_item { "<ul>\n" } else { "</ul>\n" });
                in_list = is_item;
            }
            let inner = text(paragraph);
            match kind {
                ParagraphKind::Heading => out += &format!("<h2>{inner}</h2>\n"),
                ParagraphKind::ListItem => out += &format!("<li>{inner}</li>\n"),
                _ if self.habit == Habit::Interviews && number % 2 == 0 => {
                    out += &format!("<p><b>{inner}</b></p>\n");
                }
                _ => out += &format!("<p>{inner}</p>\n"),
            }
            match self.habit {
                Habit::Hidden if *kind == ParagraphKind::Paragraph => out.push_str(&self.hidden(number)),
                Habit::LinksBetween if number % 2 == 1 && !in_list => {
                    if let Some(teaser) = page.related.get(number / 2 % 3) {
                        let label = format!("{}: {}", page.site.word("related"), teaser.headline);
                        out += &format!("<p>{}</p>\n", link(&teaser.path, &label));
                    }
                }
                _ => {}
            }
        }
        out.push_str(if in_list { "</ul>\n</div></div>" } else { "</div></div>" });
        out
    }

    /// What readers don't see, behind the paragraph of this number.
    fn hidden(&self, number: usize) -> String {
        let texts: Vec<&String> = self.page.comments.iter().flat_map(|comment| &comment.paragraphs).collect();
        let Some(unseen) = texts.get(number) else { return String::new() };
        let unseen = text(unseen);
        match number % 7 {
            0 => format!("<p style=\"display: none\">{unseen}</p>\n"),
            1 => format!("<div hidden><p>{unseen}</p></div>\n"),
            2 => format!("<p aria-hidden=\"true\">{unseen}</p>\n"),
            3 => format!("<p style=\"position:absolute;left:-9999px\">{unseen}</p>\n"),
            4 => format!("<p class=\"sr-only\">{unseen}</p>\n"),
            5 => format!("<style>.n7 {{ display: none }}</style><p class=\"n7\">{unseen}</p>\n"),
            _ => format!("<div class=\"visually-hidden\">{unseen}</div>\n"),
        }
    }

    /// Other articles in full.
    fn others(&self, count: usize) -> Vec<String> {
        let newsroom = &self.page.site.portal.newsroom;
        let others = newsroom.related(self.page.brief.number, count);
        let told = others.into_iter().map(|other| {
            let brief = newsroom.brief(other);
            self.story(&brief.headline, &brief.lead, &newsroom.body(other))
        });
        told.collect()
    }

    fn teaser(&self, teaser: &Teaser) -> String {
        let lead = match self.habit {
            Habit::Notices | Habit::Utilities => long_lead(self.page.site, teaser),
            _ => teaser.lead.clone(),
        };
        format!("<h4>{}</h4><p>{}</p>", link(&teaser.path, &teaser.headline), text(&lead))
    }

    fn comments(&self) -> String {
        let each_comment = each(&self.page.comments, |comment| {
            let said = each(&comment.paragraphs, |p| format!("<p>{}</p>", text(p)));
            let date = self.page.brief.published.date();
            format!(
                "<div{}><div{}><b>{}</b> <span>{date}</span></div><div{}>{said}</div><a href=\"#r\">{}</a></div>",
                self.class("k1"),
                self.class("k2"),
                text(&comment.nick),
                self.class("k3"),
                text(&self.page.site.word("reply")),
            )
        });
        format!("<div{}>\n{each_comment}<form><textarea></textarea><button>OK</button></form></div>", self.class("k0"))
    }

    /// What is said of an author, the same below all articles.
    fn of_author(&self) -> String {
        let newsroom = &self.page.site.portal.newsroom;
        let story = Story::new(newsroom.language, 0, Genre::Opinion, mix(newsroom.seed, self.page.brief.author as u64));
        story.lead()
    }

    fn shell(&self, main: &str) -> String {
        let site = self.page.site;
        let items =
            |links: &[super::super::view::Link]| each(links, |l| format!("<li>{}</li>", link(&l.path, &l.label)));
        format!(
            "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n{charset}<title>{title} | {name}</title>\n\
             <link rel=\"canonical\" href=\"{url}\">\n<meta property=\"article:published_time\" content=\"{date}\">\n\
             </head>\n<body>\n<div{top}><a href=\"/\">{name}</a>\n<ul>\n{menu}</ul></div>\n<div{page}>\n{main}\n</div>\n\
             <div{bottom}><ul>\n{services}</ul>\n<p>{footer}</p><p>{support}</p><p>{cookies}</p></div>\n</body>\n</html>\n",
            lang = site.portal.newsroom.language.code(),
            charset = site.portal.charset_meta(),
            title = text(&self.page.brief.headline),
            name = text(&site.portal.name),
            url = attribute(&site.absolute(&self.page.path)),
            date = self.page.brief.published,
            top = self.class("top"),
            menu = items(&site.menu()),
            page = self.class("page"),
            bottom = self.class("bottom"),
            services = items(&site.services()),
            footer = text(&site.word("footer")),
            support = text(&site.word("support")),
            cookies = text(&site.word("cookies")),
        )
    }
}

/// As much of an article as is longer than a notice.
fn long_lead(site: Site<'_>, teaser: &Teaser) -> String {
    let newsroom = &site.portal.newsroom;
    let seed = teaser.path.bytes().fold(newsroom.seed, |seed, byte| mix(seed, u64::from(byte)));
    let story = Story::new(newsroom.language, 0, Genre::Report, seed);
    let more = story.body().into_iter().next().map_or_else(String::new, |(_, text)| text);
    format!("{} {more}", teaser.lead)
}
