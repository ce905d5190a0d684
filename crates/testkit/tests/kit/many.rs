//! Webs of other portals than the demo's: many small ones, odd ones, and ones with extras.

use std::sync::Arc;

use super::odd::Habit;
use super::traps::Trap;
use crate::newsroom::Newsroom;
use crate::portals::html::{link, text};
use crate::portals::mastheads::{MASTHEADS, newsroom};
use crate::portals::{Coding, Portal, Portals, Size};
use crate::prose::Language;
use crate::rng::mix;

/// What the demo's portals do not have.
#[derive(Clone, Default)]
pub(crate) struct Extras {
    /// The infinite spaces that every page links to.
    pub traps: Vec<Trap>,
    /// Whether the portal also answers under its host name with `www.`, and links to both names on every page.
    pub under_www: bool,
    /// The least bytes of an article's page, to measure throughput. Shorter pages are filled up with links.
    page_bytes: usize,
}

impl Portals {
    /// Creates plain portals, each with one habit that is difficult for extractors.
    pub fn odd(size: &Size) -> Self {
        Self::of(Habit::ALL.iter().map(|habit| odd(*habit, size)))
    }

    /// Creates many small portals, `portal-000.example` and so on, in all layouts and languages, each with its own
    /// texts.
    pub fn many(hosts: usize, articles: usize, size: &Size) -> Self {
        Self::sized(&[(hosts, articles)], size)
    }

    /// Creates small portals of several sizes, like [`Self::many`]. With `[(2, 3), (1, 3000)]`, there are two portals
    /// with three articles each, and one with 3,000.
    pub fn sized(sizes: &[(usize, usize)], size: &Size) -> Self {
        let articles = sizes.iter().flat_map(|&(portals, articles)| std::iter::repeat_n(articles, portals));
        Self::of(articles.enumerate().map(|(number, articles)| small(number, articles, size)))
    }

    /// Adds traps to one in `every` portals, beginning with the first.
    pub fn trapped(self, every: usize, traps: &[Trap]) -> Self {
        self.changed(|number, portal| {
            if number.is_multiple_of(every) {
                portal.extras.traps = traps.to_vec();
            }
        })
    }

    /// Makes each portal also answer under its host name with `www.`, and link to both names on every page. So
    /// everything exists twice, as on real portals with a wrong configuration.
    pub fn under_www(self) -> Self {
        self.changed(|_, portal| portal.extras.under_www = true)
    }

    /// Fills up the pages of articles with links to at least this many bytes, and serves all pages without compression,
    /// to measure throughput. Without this, they have 9 to 16 kB.
    pub fn of_page_bytes(self, bytes: usize) -> Self {
        self.changed(|_, portal| {
            portal.extras.page_bytes = bytes;
            portal.coding = Coding::Identity;
        })
    }

    fn changed(self, change: impl Fn(usize, &mut Portal)) -> Self {
        let changed = self.portals.iter().enumerate().map(|(number, portal)| {
            let mut portal = Portal::clone(portal);
            change(number, &mut portal);
            portal
        });
        let mut changed = Self::of(changed);
        let twice: Vec<Arc<Portal>> = changed.iter().filter(|portal| portal.extras.under_www).collect();
        changed.by_host.extend(twice.into_iter().map(|portal| (format!("www.{}", portal.host), portal)));
        changed
    }
}

impl Portal {
    /// The portal at an earlier time, when `unpublished` of its newest articles were not published yet.
    pub fn earlier(&self, unpublished: usize) -> Self {
        let newsroom = Newsroom { unpublished, ..self.newsroom.clone() };
        Self { newsroom, ..self.clone() }
    }

    /// The kinds of traps that the portal has.
    pub fn traps(&self) -> &[Trap] {
        &self.extras.traps
    }
}

fn small(number: usize, articles: usize, size: &Size) -> Portal {
    let size = Size { seed: mix(size.seed, number as u64 + 1), ..size.clone() };
    let mut portal = MASTHEADS[number % MASTHEADS.len()](&size);
    portal.newsroom.articles = articles;
    portal.host = format!("portal-{number:03}.example");
    portal.name = format!("{} {number}", portal.name);
    portal.old_skin = portal.old_skin.map(|(_, skin)| (articles / 2, skin));
    portal
}

/// A plain modern English portal with one habit that is difficult for extractors.
fn odd(habit: Habit, size: &Size) -> Portal {
    let newsroom = newsroom(Language::English, 100 + habit as u64, 120, size);
    Portal {
        host: format!("{habit}.example"),
        name: "The Odd Observer".to_owned(),
        newsroom: Newsroom { usual: habit.genre(), ..newsroom },
        skin: habit.layout(),
        ..MASTHEADS[0](size)
    }
}

/// Fills up an article's page with links to other articles, as in long footers of real portals.
pub(crate) fn filled_up(portal: &Portal, mut html: String, n: usize) -> String {
    let wanted = portal.extras.page_bytes;
    if html.len() >= wanted {
        return html;
    }
    let tail = html.rfind("</body>").map_or_else(String::new, |at| html.split_off(at));
    html.push_str("<div class=\"mega-footer\"><ul>\n");
    let published: Vec<usize> = portal.newsroom.published_articles().collect();
    let others = (1..=published.len().min(12)).map(|i| published[(n + i * 7) % published.len()]);
    let teasers = portal.teasers(others);
    for teaser in teasers.iter().cycle() {
        if html.len() + tail.len() >= wanted {
            break;
        }
        html += &format!(
            "<li class=\"mega-footer__item mega-footer__item--plain\"><span class=\"icon icon--arrow\" \
             aria-hidden=\"true\"></span>{}<p>{}</p></li>\n",
            link(&teaser.path, &teaser.headline),
            text(&teaser.lead)
        );
    }
    html + "</ul></div>\n" + &tail
}
