//! Announcements behind an article: a list whose rows begin with a link to another page of the site and go on with a
//! sentence or two. The classifier sees sentences, paragraph by paragraph; that each stands below such a link, it doesn't.
//!
//! Profiles know what teasers look like on their domain: this is for pages without one. A list of sources, of other sites'
//! pages, is the article's own, and so is one whose rows stand under subheads.

use std::ops::Range;

use goldminer_html::address::CrawlUrl;
use goldminer_html::{ElementId, Page, Tag};
use rustc_hash::FxHashMap;

use crate::extract::lengths;
use crate::goldminer::Site;
use crate::goldminer::sums::Sums;
use crate::goldminer::trim::{ParagraphReason, Trimmed};

/// Fewer rows are no list.
const MIN_ROWS: usize = 3;
/// What is told in a row is no longer, in characters.
const MAX_TOLD: u32 = 1_000;
/// A link that is a title has so many bytes at least, tags included.
const MIN_TITLE: usize = 15;
/// How many paragraphs (a time, a section's name) may stand before it in its row.
const BEFORE_TITLE: usize = 1;
/// So many bytes, tags included, may stand before it in its paragraph.
const MAX_BEFORE: usize = 200;
/// What stands before the list is an article, in characters.
const MIN_ARTICLE: u32 = 200;
/// What stands behind it is no part of one: at most such a part of what is told in the list.
const BEHIND: u32 = 5;

/// A paragraph that begins with a link to another page.
struct Title {
    paragraph: usize,
    link: ElementId,
}

/// Takes such a list, and what is behind it, out of a cut.
pub(crate) fn drop_from(page: &Page, url: Option<&CrawlUrl>, cut: &mut Trimmed) {
    let Some(first) = cut.paragraphs.iter().copied().min() else { return };
    let titles = titles(page, url, first);
    if titles.len() < MIN_ROWS {
        return;
    }
    let told = lengths::of_running_text(page, cut);
    let lists = lists(page, &titles);
    let begin = lists.iter().filter(|rows| is_behind_article(page, &told, rows)).map(|rows| rows[0].start).min();
    if let Some(begin) = begin {
        cut.drop_kept(ParagraphReason::Teaser, |at| at >= begin);
    }
}

/// The paragraphs behind the first of the text that begin with a title, each with its link.
fn titles(page: &Page, url: Option<&CrawlUrl>, first: usize) -> Vec<Title> {
    let (paragraphs, site) = (page.paragraphs(), Site::of(page, url));
    let mut titles: Vec<Title> = Vec::new();
    for (link, at) in page.links_in(paragraphs) {
        let paragraph = &paragraphs[at];
        if at <= first || titles.last().is_some_and(|last| last.paragraph == at) || paragraph.heading.is_some() {
            continue;
        }
        let is_long = page.inner_source(link).len() >= MIN_TITLE;
        let leads_elsewhere = || page.attribute(link, "href").is_some_and(|href| site.target(&href).is_some());
        if is_long && stands_alone(page, paragraph.span.start, link) && leads_elsewhere() {
            titles.push(Title { paragraph: at, link });
        }
    }
    titles
}

/// Whether nothing is said before a link, from the beginning of its paragraph on, and a tag ends it: in a sentence words
/// go on.
fn stands_alone(page: &Page, begin: u32, link: ElementId) -> bool {
    let element = page.element(link);
    let before = &page.text()[begin.min(element.start) as usize..element.start as usize];
    if before.len() > MAX_BEFORE {
        return false;
    }
    let mut is_tag = false;
    let says_nothing = before.chars().all(|c| {
        is_tag = (is_tag || c == '<') && c != '>';
        is_tag || !c.is_alphabetic()
    });
    says_nothing && page.text()[element.end as usize..].trim_start().starts_with('<')
}

/// The rows of each list, which are elements that stand in one and have one name. What a term has is told behind it;
/// between other elements an article may go on.
fn lists(page: &Page, titles: &[Title]) -> Vec<Vec<Range<usize>>> {
    let mut lists: FxHashMap<(Option<ElementId>, Tag), Vec<Range<usize>>> = FxHashMap::default();
    for at in 0..titles.len() {
        let Some(row) = row(page, titles, at) else { continue };
        let (element, inside) = (page.element(row), page.paragraphs_in(row));
        let list = lists.entry((element.parent, element.tag)).or_default();
        if let Some(last) = list.last_mut().filter(|_| element.tag == Tag::Dt) {
            last.end = inside.start;
        }
        list.push(inside);
    }
    lists.into_values().filter(|list| list.len() >= MIN_ROWS).collect()
}

/// The outermost element that a title begins and that has no other.
fn row(page: &Page, titles: &[Title], at: usize) -> Option<ElementId> {
    let title = &titles[at];
    let before = at.checked_sub(1).map(|before| titles[before].paragraph);
    let behind = titles.get(at + 1).map(|title| title.paragraph);
    let is_own = |id: &ElementId| {
        let inside = page.paragraphs_in(*id);
        before.is_none_or(|before| before < inside.start)
            && behind.is_none_or(|behind| behind >= inside.end)
            && title.paragraph <= inside.start + BEFORE_TITLE
    };
    page.ancestors_and_self(title.link).skip(1).take_while(is_own).last()
}

/// Whether the rows tell something each, an article stands before them, and none behind.
fn is_behind_article(page: &Page, told: &Sums, rows: &[Range<usize>]) -> bool {
    let (begin, end) = (rows[0].start, rows[rows.len() - 1].end);
    let of_rows = || rows.iter().map(|row| told.within(row));
    // The last of some terms is told outside of its element.
    let telling = of_rows().filter(|told| *told > 0).count();
    telling + 1 >= MIN_ROWS
        && 2 * telling >= rows.len()
        && of_rows().all(|told| told <= MAX_TOLD)
        && told.within(&(0..begin)) >= MIN_ARTICLE
        && BEHIND * told.within(&(end..page.paragraphs().len())) <= of_rows().sum()
        && !page.paragraphs()[begin..end].iter().any(|paragraph| paragraph.heading.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARTICLE: &str = "It rained in Rome for a week, and then the sun came out over the river. ";
    const TOLD: &str = "The council met on Monday to speak of the new bridge.";

    /// What is left of an article with this behind it.
    fn left(html: &str) -> Vec<String> {
        let page = Page::parse(format!("<h1>Rain</h1><p>{}</p>{html}", ARTICLE.repeat(4)));
        let url = CrawlUrl::parse("https://portal.example/rain").unwrap();
        let mut cut = Trimmed::of((0..page.paragraphs().len()).collect(), Some(0));
        drop_from(&page, Some(&url), &mut cut);
        cut.paragraphs.iter().skip(2).map(|at| page.paragraphs()[*at].text.to_string()).collect()
    }

    fn rows(row: impl Fn(u32) -> String) -> String {
        format!("<div>{}</div>", (1..=8).map(row).collect::<String>())
    }

    #[test]
    fn rows_below_links_to_other_pages_go() {
        for row in [
            |n| format!("<div><a href=/{n}>The bridge, part {n}</a><p>{TOLD}</p></div>"),
            |n| format!("<div><a href=/{n}><b>The bridge, part {n}</b></a><br>{TOLD}</div>"),
            |n| {
                format!(
                    "<li><i>10:0{n}</i> <a href=/{n}>The bridge, part {n}</a> <cite>Portal</cite><p>{TOLD}</p></li>"
                )
            },
            |n| format!("<dt><i>10:0{n}</i> <a href=/{n}>The bridge, part {n}</a><dd>{TOLD}</dd>"),
        ] {
            assert!(left(&rows(row)).is_empty(), "{}", row(1));
        }
    }

    #[test]
    fn what_the_article_itself_lists_stays() {
        for row in [
            |n| format!("<li><a href=https://other.example/{n}>The source, number {n}</a><p>{TOLD}</p></li>"),
            |n| format!("<li><a href=/{n}>The bridge, part {n}</a> was what they asked about, and {TOLD}</li>"),
            |n| format!("<p>In part {n} of <a href=/{n}>the bridge</a><br>{TOLD}</p>"),
            |n| format!("<div><h2><a href=/{n}>The bridge, part {n}</a></h2><p>{TOLD}</p></div>"),
        ] {
            assert!(!left(&rows(row)).is_empty(), "{}", row(1));
        }
        let between = rows(|n| format!("<p><a href=/{n}>Read also: part {n}</a></p><p>{TOLD}</p>"));
        assert!(!left(&between).is_empty(), "links between the paragraphs");
        let related = rows(|n| format!("<div><a href=/{n}>The bridge, part {n}</a><p>{TOLD}</p></div>"));
        assert!(!left(&format!("{related}<p>{}</p>", ARTICLE.repeat(4))).is_empty(), "the article goes on");
    }
}
