//! Layouts that are difficult for extractors. Each has one difficult habit; everything else is as on a plain modern
//! portal, so any error of an extractor is caused by this habit.

use std::sync::LazyLock;

use crate::newsroom::Brief;
use crate::portals::Portal;
use crate::portals::html::link;
use crate::portals::layout::Slot::{self, Html, Text};
use crate::portals::layout::{MODERN, Slots, TABLES, Theme, snippets};
use crate::portals::view::{ArticlePage, Layout, ListPage, PlainPage, Teaser};
use crate::prose::story::{Genre, Story};
use crate::rng::mix;
use goldminer_core::ParagraphKind;
use strum::VariantArray;

static ODD: Theme = Theme(LazyLock::new(|| snippets(include_str!("odd.html"))));

/// The habit of a portal that is difficult for extractors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Habit {
    /// The article is in `<noscript>`.
    Noscript,
    /// The article is in a declarative shadow root.
    ShadowRoot,
    /// Two other complete articles with the same markup follow the article.
    Endless,
    /// Another complete article follows the article.
    SecondBelow,
    /// The page contains its text twice, for desktops and for phones, and a style sheet hides one of the copies.
    TwoCopies,
    /// Articles have two sentences, and the teasers beside them are longer.
    Notices,
    /// Articles are questions and short answers.
    Interviews,
    /// Pages consist of nested tables without classes and ids.
    Tables,
    /// Teasers are plain paragraphs after the article.
    BareTeasers,
    /// Readers' comments have no title, and their elements have meaningless names.
    NamelessComments,
    /// The article contains invisible text.
    Hidden,
    /// The classes of elements are different on every page.
    RandomNames,
    /// Classes describe only the presentation (`flex`, `p-4`), and teasers are longer than in other layouts.
    Utilities,
    /// Articles are ingredients and steps.
    Recipes,
    /// Links to other pages are between the paragraphs.
    LinksBetween,
    /// A note about the author follows the article, in an element with a meaningless class.
    AuthorBoxes,
}

impl Habit {
    /// All habits.
    pub(super) const ALL: &'static [Self] = Self::VARIANTS;

    /// The genre of the portal's articles.
    pub(super) fn genre(self) -> Genre {
        match self {
            Self::Notices => Genre::Notice,
            Self::Interviews => Genre::Interview,
            Self::Recipes => Genre::Recipe,
            _ => Genre::Report,
        }
    }

    pub(super) fn layout(self) -> &'static dyn Layout {
        if self == Self::Tables {
            return &TABLES;
        }
        &Self::ALL[self as usize]
    }
}

impl Layout for Habit {
    fn article(&self, page: &ArticlePage<'_>) -> String {
        let mut page = page.clone();
        match self {
            Self::Interviews => page.body.iter_mut().step_by(2).for_each(|(kind, _)| *kind = ParagraphKind::Quote),
            Self::Notices | Self::Utilities => {
                page.most_read.iter_mut().for_each(|teaser| teaser.lead = long_lead(page.portal, teaser));
            }
            _ => {}
        }
        ODD.page("article", &|name| self.slot(&page, name))
    }

    fn list(&self, page: &ListPage<'_>) -> String {
        MODERN.list(page)
    }

    fn plain(&self, page: &PlainPage<'_>) -> String {
        MODERN.plain(page)
    }
}

impl Habit {
    /// The content of a slot (a named place in a snippet of HTML). `class.name` is the class of the element `name`,
    /// `after.3` the text after the fourth paragraph, and `other.0` another complete article.
    fn slot(self, page: &ArticlePage<'_>, name: &str) -> Slot {
        let slots: Slots<'_> = &|name| self.slot(page, name);
        let (what, which) = name.split_once('.').unwrap_or((name, ""));
        match (what, which.parse::<usize>()) {
            ("class", _) => Html(self.class(which, page.id)),
            ("after", Ok(at)) => Html(self.after(page, at)),
            ("other", Ok(nth)) => Html(self.other(page, nth)),
            ("stories" | "end", _) => {
                let own = format!("{self} {name}");
                Html(ODD.fill(if ODD.0.contains_key(own.as_str()) { &own } else { name }, slots))
            }
            ("story", _) => Html(ODD.fill("story", slots)),
            ("body", _) => Html(ODD.body(page, slots)),
            ("author", _) if which == "text" => {
                let newsroom = &page.portal.newsroom;
                let seed = mix(newsroom.seed, page.brief.author as u64);
                Text(Story::new(newsroom.language, 0, Genre::Opinion, seed).lead())
            }
            _ => ODD.of_article(page, name),
        }
    }

    /// The `class` attribute for an element that has the class `name` on a plain page.
    fn class(self, name: &str, page: usize) -> String {
        let number = name.bytes().fold(7, |number, byte| mix(number, u64::from(byte)));
        match self {
            Self::RandomNames => format!(" class=\"c{:x}\"", mix(number, page as u64) & 0xff_ffff),
            Self::Utilities => {
                format!(" class=\"flex flex-col p-{} mt-{} text-base\"", number % 9, number % 4)
            }
            Self::NamelessComments => format!(" class=\"c{:x}\"", number & 0xff_ffff),
            _ => format!(" class=\"{name}\""),
        }
    }

    fn after(self, page: &ArticlePage<'_>, at: usize) -> String {
        match (self, page.body[at].0) {
            (Self::Hidden, ParagraphKind::Paragraph) => {
                let unseen = page.comments.iter().flat_map(|comment| &comment.paragraphs).nth(at);
                let hide = |unseen: &String| ODD.fill(&format!("hidden {}", at % 7), &|_| unseen.as_str().into());
                unseen.map(hide).unwrap_or_default()
            }
            (Self::LinksBetween, kind) if at % 2 == 1 && kind != ParagraphKind::ListItem => {
                let linked = |teaser: &Teaser| {
                    let label = format!("{}: {}", page.portal.word("related"), teaser.headline);
                    format!("<p>{}</p>\n", link(&teaser.path, &label))
                };
                page.related.get(at / 2 % 3).map(linked).unwrap_or_default()
            }
            _ => String::new(),
        }
    }

    /// Another article of the portal, with the same markup.
    fn other(self, page: &ArticlePage<'_>, nth: usize) -> String {
        let newsroom = &page.portal.newsroom;
        let Some(other) = newsroom.related(page.brief.number, nth + 1).into_iter().nth(nth) else {
            return String::new();
        };
        let brief = Brief { published: page.brief.published, ..newsroom.brief(other) };
        let other = ArticlePage { brief, body: newsroom.body(other), ..page.clone() };
        ODD.fill("story", &|name| self.slot(&other, name))
    }
}

/// The teaser's lead with another paragraph, so that it is longer than a notice.
fn long_lead(portal: &Portal, teaser: &Teaser) -> String {
    let newsroom = &portal.newsroom;
    let seed = teaser.path.bytes().fold(newsroom.seed, |seed, byte| mix(seed, u64::from(byte)));
    let story = Story::new(newsroom.language, 0, Genre::Report, seed);
    let more = story.body().into_iter().next().map_or_else(String::new, |(_, text)| text);
    format!("{} {more}", teaser.lead)
}
