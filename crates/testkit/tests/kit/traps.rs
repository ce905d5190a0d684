//! Crawler traps, which are infinite spaces: calendars, sessions, filters, loops. A portal with traps links to them
//! from every page, as real portals do. Each page of a trap links to more pages of the same trap.
//!
//! A path shows to which trap it belongs, so the requests to each trap can be counted in an access log ([`visits`]).
//! The server has no state: session ids, which never repeat, are made from the path of the page with the link.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use strum::VariantArray;

use super::Extras;
use crate::access_log::Entry;
use crate::portals::html::{each, link, text};
use crate::portals::pages::PageMaker;
use crate::portals::{Portal, Reply};
use crate::prose::story::{Genre, Story};
use crate::rng::{mix, named};

/// A kind of trap. Most kinds have their own root path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, VariantArray)]
pub enum Trap {
    /// `/calendar/2040-09`, and the days of each month.
    Calendar,
    /// `/events?month=2040-09`, and the days of each month.
    CalendarQuery,
    /// `/forum/?sid=…` and its threads. The links on every page have other session ids.
    Session,
    /// `/shop/?colour=red&size=xl`. The links on every page add one more filter to those in its URL, in any order.
    Facets,
    /// `/service/help/contact/help/`. Links without a leading slash make the URL longer with each page.
    RelativeLoop,
    /// `/termine/2040/09/14/`: the days of a calendar, as folders.
    CalendarFolders,
    /// `/wochen/kw-2040_37.html`: the weeks of a calendar, as file names.
    CalendarFiles,
    /// `/chat/1f3a…/room-3`: the session id is a folder.
    SessionFolder,
    /// `/Board.aspx?Room=3&uniqueKey=…&_=…`: two values that never repeat, in parameters with uncommon names.
    SessionUnknown,
    /// `/latest/217`: a list whose page numbers continue without end. All pages show the same articles.
    EndlessList,
    /// `/directory/onto/mira/salu/`: folders with invented names, each with more folders.
    EndlessTree,
    /// Every page of the portal has a link without a leading slash to a folder.
    LooseLink,
    /// Every link on every page, also to articles, has `visit=…` with another value on each page.
    SessionOnLinks,
}

impl Trap {
    /// The traps that are so common that a crawler finds them within a week.
    pub const USUAL: [Self; 5] = [Self::Calendar, Self::CalendarQuery, Self::Session, Self::Facets, Self::RelativeLoop];
    /// All traps.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The beginning of the trap's paths. None for traps that are on all paths.
    fn root(self) -> Option<&'static str> {
        match self {
            Self::Calendar => Some("/calendar/"),
            Self::CalendarQuery => Some("/events"),
            Self::Session => Some("/forum/"),
            Self::Facets => Some("/shop/"),
            Self::RelativeLoop => Some("/service/"),
            Self::CalendarFolders => Some("/termine/"),
            Self::CalendarFiles => Some("/wochen/"),
            Self::SessionFolder => Some("/chat/"),
            Self::SessionUnknown => Some("/Board.aspx"),
            Self::EndlessList => Some("/latest/"),
            Self::EndlessTree => Some("/directory/"),
            Self::LooseLink | Self::SessionOnLinks => None,
        }
    }

    fn holds(self, path: &str) -> bool {
        match self.root() {
            Some(root) => path.starts_with(root),
            None if self == Self::SessionOnLinks => path.contains(VISIT),
            None => path.ends_with(LOOSE),
        }
    }
}

/// The folder of [`Trap::LooseLink`].
const LOOSE: &str = "/imprint/";
/// The query parameter of [`Trap::SessionOnLinks`].
const VISIT: &str = "visit=";
/// The folders of [`Trap::RelativeLoop`].
const SERVICES: [&str; 3] = ["help", "contact", "service"];
/// The number of threads in a forum, and of rooms in a chat.
const THREADS: u64 = 12;
const FILTERS: [(&str, [&str; 4]); 6] = [
    ("colour", ["red", "blue", "green", "black"]),
    ("size", ["s", "m", "l", "xl"]),
    ("brand", ["acme", "globex", "initech", "umbrella"]),
    ("price", ["10", "20", "50", "100"]),
    ("sort", ["new", "price", "name", "rating"]),
    ("stock", ["now", "soon", "order", "all"]),
];
/// The syllables of the invented names of [`Trap::EndlessTree`].
const SYLLABLES: [&str; 8] = ["on", "to", "mi", "ra", "sa", "lu", "ke", "ve"];

/// Counts the requests in a log to each trap of each host.
pub fn visits(entries: &[Entry], traps: &[Trap]) -> BTreeMap<(String, Trap), usize> {
    let mut visits = BTreeMap::new();
    for entry in entries {
        if let Some(trap) = traps.iter().find(|trap| trap.holds(&entry.path)) {
            *visits.entry((entry.host.clone(), *trap)).or_default() += 1;
        }
    }
    visits
}

impl Portal {
    /// The response of a portal with traps or with two names, which every page links to. None for other portals.
    pub(crate) fn reply_with_trap_links(&self, path_with_visit: &str, redesigned: bool) -> Option<Reply> {
        let marks_links = self.extras.traps.contains(&Trap::SessionOnLinks);
        let path = &if marks_links { without_visit(path_with_visit) } else { path_with_visit.to_owned() };
        let margin = self.margin(path);
        if margin.is_empty() {
            return None;
        }
        let mut reply = match at(self, path) {
            Some(trap) => {
                let skin = if redesigned { self.next_skin } else { self.skin };
                let (title, main) = page(self, trap, path);
                PageMaker { portal: self, skin }.plain(&title, main, false)
            }
            None => self.page(path, redesigned),
        };
        if reply.status == 200 && reply.content_type.starts_with("text/html") {
            // All encodings of the portals represent ASCII unchanged.
            let end = reply.body.windows(7).rposition(|seven| seven == b"</body>").unwrap_or(reply.body.len());
            reply.body.splice(end..end, margin.into_bytes());
            if marks_links {
                reply.body = mark_links(&reply.body, path_with_visit);
            }
        }
        Some(reply)
    }

    /// The ASCII text at the end of every page. It is empty without traps and a second name.
    fn margin(&self, path: &str) -> String {
        let Extras { traps, under_www, .. } = &self.extras;
        let mut margin = if traps.is_empty() { String::new() } else { trap_links(traps, path) };
        if *under_www {
            margin += &format!("<p>{}</p>\n", link(&format!("http://{}/", self.host), "this site"));
            margin += &format!("<p>{}</p>\n", link(&format!("http://www.{}/", self.host), "this site"));
        }
        margin
    }
}

fn at(portal: &Portal, path: &str) -> Option<Trap> {
    portal.extras.traps.iter().copied().find(|trap| *trap != Trap::SessionOnLinks && trap.holds(path))
}

/// Removes the session id of [`Trap::SessionOnLinks`] from a path.
pub fn without_visit(path: &str) -> String {
    let Some((before, query)) = path.split_once('?') else { return path.to_owned() };
    let kept: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with(VISIT)).collect();
    if kept.is_empty() { before.to_owned() } else { format!("{before}?{}", kept.join("&")) }
}

/// Adds a session id to each link of a page that leads to the same portal. The id is different on each page.
fn mark_links(html: &[u8], path: &str) -> Vec<u8> {
    let mark = format!("{VISIT}{}", token(path, 2));
    let mut out = Vec::with_capacity(html.len() * 2);
    let mut rest = html;
    while let Some(at) = rest.windows(7).position(|seven| seven == b"href=\"/") {
        let end = rest[at + 6..].iter().position(|b| *b == b'"').map_or(rest.len(), |length| at + 6 + length);
        let link = &rest[at + 6..end];
        out.extend_from_slice(&rest[..end]);
        if !link.starts_with(b"//") {
            out.extend_from_slice(if link.contains(&b'?') { b"&amp;" } else { b"?" });
            out.extend_from_slice(mark.as_bytes());
        }
        rest = &rest[end..];
    }
    out.extend_from_slice(rest);
    out
}

/// The HTML of the links to the portal's traps, for the page at `path`.
fn trap_links(traps: &[Trap], path: &str) -> String {
    let ways = each(traps, |trap| {
        let way = match trap {
            Trap::Calendar => "/calendar/2026-06".to_owned(),
            Trap::CalendarQuery => "/events?month=2026-06".to_owned(),
            Trap::Session => format!("/forum/?sid={}", token(path, 0)),
            Trap::CalendarFolders => "/termine/2026/06/".to_owned(),
            Trap::CalendarFiles => week_file(2026, 24),
            Trap::SessionFolder => format!("/chat/{}/", token(path, 1)),
            Trap::SessionUnknown => board(path, 0),
            Trap::EndlessList => "/latest/1".to_owned(),
            Trap::LooseLink => LOOSE.trim_start_matches('/').to_owned(),
            Trap::SessionOnLinks => "/".to_owned(),
            Trap::Facets | Trap::RelativeLoop | Trap::EndlessTree => trap.root().unwrap_or("/").to_owned(),
        };
        format!("<li>{}</li>", link(&way, &format!("{trap:?}")))
    });
    format!("<ul class=\"margin\">\n{ways}</ul>\n")
}

/// The title and the HTML of a trap's page.
fn page(portal: &Portal, trap: Trap, path: &str) -> (String, String) {
    match trap {
        Trap::Calendar => calendar(path, "/calendar/%Y-%m", "/calendar/%Y-%m-%d"),
        Trap::CalendarQuery => calendar(path, "/events?month=%Y-%m", "/events?day=%Y-%m-%d"),
        Trap::CalendarFolders => calendar(path, "/termine/%Y/%m/", "/termine/%Y/%m/%d/"),
        Trap::CalendarFiles => weeks(path),
        Trap::Session => match path.split_once("thread-") {
            Some((_, rest)) => (rest.to_owned(), posts(portal, rest) + &threads(path, &session)),
            None => ("forum".to_owned(), threads(path, &session)),
        },
        Trap::SessionFolder => match path.split_once("room-") {
            Some((_, room)) => (room.to_owned(), posts(portal, room) + &threads(path, &chat)),
            None => ("chat".to_owned(), threads(path, &chat)),
        },
        Trap::SessionUnknown => ("board".to_owned(), posts(portal, path) + &threads(path, &board)),
        Trap::Facets => facets(path),
        Trap::RelativeLoop | Trap::LooseLink | Trap::SessionOnLinks => relative(portal, trap),
        Trap::EndlessList => list(portal, path),
        Trap::EndlessTree => tree(path),
    }
}

/// A session id: sixteen hexadecimal digits that occur only on the page at `path`.
fn token(path: &str, salt: u64) -> String {
    format!("{:016x}", mix(named(0x5e55, path), salt))
}

fn session(path: &str, thread: u64) -> String {
    format!("/forum/thread-{thread}?sid={}", token(path, thread))
}

fn chat(path: &str, room: u64) -> String {
    format!("/chat/{}/room-{room}", token(path, room))
}

fn board(path: &str, room: u64) -> String {
    let key = token(path, room);
    format!(
        "/Board.aspx?Room={room}&uniqueKey={{{}}}&_={}",
        key.to_uppercase(),
        mix(named(9, path), room) % 1_000_000_007
    )
}

fn week_file(year: i32, week: i32) -> String {
    format!("/wochen/kw-{year}_{week:02}.html")
}

/// The page of a month or of a day. `month_at` and `day_at` are the formats of their paths. Each page links to later
/// months, without end.
fn calendar(path: &str, month_at: &str, day_at: &str) -> (String, String) {
    let day = Date::strptime(day_at, path).ok();
    let first_day = day.or_else(|| Date::strptime(format!("{month_at}%d"), format!("{path}01")).ok());
    let month = first_day.unwrap_or(date(2026, 6, 1)).first_of_month();
    let to = |date: Date, address: &str, label: &str| {
        link(&date.strftime(address).to_string(), &date.strftime(label).to_string())
    };
    let steps = [1, -1, 12, -12].into_iter().filter_map(|step: i32| month.checked_add(step.months()).ok());
    let others = each(steps, |other| format!("<li>{}</li>", to(other, month_at, "%B %Y")));
    let (title, main) = match day {
        Some(day) => (day.to_string(), format!("<p>{}</p>\n", day.strftime("No events on %e %B %Y."))),
        None => (
            month.strftime("%Y-%m").to_string(),
            each(0..28_i32, |n| {
                let day = month.checked_add(n.days()).unwrap_or(month);
                format!("<span>{}</span>", to(day, day_at, "%-d"))
            }),
        ),
    };
    (title, format!("<div class=\"calendar\">\n{main}</div>\n<ul>\n{others}</ul>\n"))
}

fn weeks(path: &str) -> (String, String) {
    let name = path.rsplit('/').next().unwrap_or_default().trim_start_matches("kw-").trim_end_matches(".html");
    let (year, week) = name.split_once('_').unwrap_or(("2026", "24"));
    let (year, week): (i32, i32) = (year.parse().unwrap_or(2026), week.parse().unwrap_or(24));
    let next = if week >= 52 { (year + 1, 1) } else { (year, week + 1) };
    let previous = if week <= 1 { (year - 1, 52) } else { (year, week - 1) };
    let links = [previous, next, (year + 1, week)];
    let links =
        each(links, |(year, week)| format!("<li>{}</li>", link(&week_file(year, week), &format!("{week}/{year}"))));
    (format!("{week}/{year}"), format!("<p>–</p>\n<ul>\n{links}</ul>\n"))
}

/// Paragraphs that read like an article. They are the same for every session id.
fn posts(portal: &Portal, thread: &str) -> String {
    let number: u64 =
        thread.chars().skip_while(|c| !c.is_ascii_digit()).map_while(|c| c.to_digit(10)).map(u64::from).sum();
    let newsroom = &portal.newsroom;
    let story = Story::new(newsroom.language, number as usize, Genre::Report, mix(newsroom.seed ^ 0xf0_12, number));
    let body = story.body().into_iter().map(|(_, words)| words).take(3);
    each(std::iter::once(story.lead()).chain(body), |words| format!("<p>{}</p>", text(&words)))
}

fn threads(path: &str, address: &dyn Fn(&str, u64) -> String) -> String {
    let links = each(1..=THREADS, |thread| format!("<li>{}</li>", link(&address(path, thread), &format!("#{thread}"))));
    format!("<ul class=\"threads\">\n{links}</ul>\n")
}

fn facets(path: &str) -> (String, String) {
    let chosen = path.split_once('?').map_or("", |(_, query)| query);
    let free = FILTERS.iter().filter(|(name, _)| !chosen.split('&').any(|pair| pair.starts_with(&format!("{name}="))));
    let more = each(free.flat_map(|(name, values)| values.map(|value| (name, value))), |(name, value)| {
        let mark = if chosen.is_empty() { "" } else { "&" };
        format!("<li>{}</li>", link(&format!("/shop/?{chosen}{mark}{name}={value}"), value))
    });
    let goods = mix(named(1, chosen), 0) % 9;
    (format!("{goods} goods"), format!("<p>{goods} goods</p>\n<ul class=\"filters\">\n{more}</ul>\n"))
}

fn relative(portal: &Portal, trap: Trap) -> (String, String) {
    let folders: &[&str] = if trap == Trap::LooseLink { &["imprint"] } else { &SERVICES };
    let links = each(folders, |folder| format!("<li>{}</li>", link(&format!("{folder}/"), folder)));
    (trap.root().unwrap_or(LOOSE).to_owned(), format!("{}<ul>\n{links}</ul>\n", posts(portal, "1")))
}

fn list(portal: &Portal, path: &str) -> (String, String) {
    let sheet: u64 = path.rsplit('/').next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let teasers = portal.teasers(portal.newsroom.published_articles().rev().take(5));
    let shown = each(&teasers, |teaser| {
        format!("<li>{}<p>{}</p></li>", link(&teaser.path, &teaser.headline), text(&teaser.lead))
    });
    let next = link(&format!("/latest/{}", sheet.saturating_add(1)), "»");
    (format!("{sheet}"), format!("<ul>\n{shown}</ul>\n<p>{next}</p>\n"))
}

fn tree(path: &str) -> (String, String) {
    let here = if path.ends_with('/') { path.to_owned() } else { format!("{path}/") };
    let names = (0..5_u64).map(|n| {
        let bits = mix(named(7, path), n);
        (0..3).map(|i| SYLLABLES[(bits >> (i * 3)) as usize % SYLLABLES.len()]).collect::<String>()
    });
    let links = each(names, |name| format!("<li>{}</li>", link(&format!("{here}{name}/"), &name)));
    (here.clone(), format!("<ul>\n{links}</ul>\n"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::portals::{Portals, Size};

    /// The targets of a page's links, including relative ones.
    fn links(html: &str, page: &str) -> Vec<String> {
        let hrefs = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let folder = page.split('?').next().and_then(|path| path.rsplit_once('/')).map_or("", |(folder, _)| folder);
        hrefs
            .map(|href| href.replace("&amp;", "&"))
            .map(|href| if href.starts_with('/') { href } else { format!("{folder}/{href}") })
            .collect()
    }

    #[test]
    fn traps_never_end_and_contain_no_article() {
        let size = Size { traps: false, ..Size::default() };
        let portals = Portals::many(1, 30, &size).trapped(1, Trap::ALL);
        let portal = portals.iter().next().unwrap();
        let front = String::from_utf8_lossy(&portal.reply("/", false).body).into_owned();
        for trap in Trap::ALL.iter().copied() {
            let mut queue: Vec<String> = links(&front, "/").into_iter().filter(|path| trap.holds(path)).collect();
            assert!(!queue.is_empty(), "no way into {trap:?}");
            let mut seen: HashSet<String> = queue.iter().cloned().collect();
            for _ in 0..250 {
                let Some(path) = queue.pop() else { panic!("{trap:?} has an end after {}", seen.len()) };
                let reply = portal.reply(&path, false);
                assert_eq!(reply.status, 200, "{path}");
                // The session on all links has no pages of its own, because it is on all pages.
                if trap != Trap::SessionOnLinks {
                    assert_eq!(at(&portal, &without_visit(&path)), Some(trap), "{path}");
                }
                let html = String::from_utf8_lossy(&reply.body).into_owned();
                queue.extend(links(&html, &path).into_iter().filter(|l| trap.holds(l) && seen.insert(l.clone())));
            }
        }
    }

    #[test]
    fn requests_are_counted_by_host_and_trap() {
        let entry = |path: &str| Entry { host: "a.example".to_owned(), path: path.to_owned(), ..Entry::default() };
        let log = ["/", "/calendar/2040-09", "/calendar/2040-10", "/forum/?sid=1", "/a/imprint/"].map(entry);
        let host = || "a.example".to_owned();
        let counted = [(Trap::Calendar, 2), (Trap::Session, 1), (Trap::LooseLink, 1)];
        assert_eq!(visits(&log, Trap::ALL), counted.into_iter().map(|(trap, n)| ((host(), trap), n)).collect());
    }
}
