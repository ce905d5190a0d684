//! Teasers: stretches of text that only announce another page, under a title that links to it. A page that consists of
//! them (a front page, a tag list, an archive) is no article: it does not teach, and it gives no text.

use std::ops::Range;

use rustc_hash::FxHashMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::sketch::{Node, ShapeId, Sketch};
use crate::address::CrawlUrl;
use crate::page::{ElementId, Page, Tag};

/// Fewer teasers make no list.
const MIN_TEASERS: usize = 3;
/// If one of them has a larger share of the text, it is no teaser but the article.
const MAX_SHARE: f64 = 0.6;
/// How many blocks (a date, a section's name) may stand before a teaser's title.
const BEFORE_TITLE: usize = 3;
/// The least text under a title, in characters.
const MIN_TEXT: u32 = 40;
/// Titles that are no headings must be this long, or every tag and every name would be one.
const MIN_TITLE: u32 = 25;

/// A block that links to another page as a title does.
#[derive(Debug, Clone, Copy)]
struct Title {
    block: usize,
    /// The hash of where it leads.
    target: u64,
    /// The element around it, if it is a heading.
    parent: Option<ElementId>,
}

/// What was found of a page's teasers.
#[derive(Debug, Clone, Default)]
pub(super) struct Teasers {
    /// The blocks that belong to one.
    pub items: Vec<Range<usize>>,
    /// What the elements of their titles, and their parents, look like, each once.
    pub titles: Vec<(ShapeId, Option<ShapeId>)>,
}

/// Finds lists of teasers. A title that `is_known` (from other pages of the domain) needs no list around it.
pub(super) fn teasers(
    page: &Page,
    url: Option<&CrawlUrl>,
    sketch: &Sketch,
    is_known: impl Fn(&Node) -> bool,
) -> Teasers {
    let named = if url.is_none() { named_url(page) } else { None };
    let titles = titles(page, url.or(named.as_ref()), sketch);
    let mut lists: FxHashMap<(ShapeId, Option<ShapeId>), (bool, Vec<Range<usize>>)> = FxHashMap::default();
    for at in 0..titles.len() {
        let Some(node) = sketch.blocks[titles[at].block].node.map(|node| &sketch.nodes[node as usize]) else {
            continue;
        };
        let item = teaser(sketch, &titles, at);
        let (_, list) = lists
            .entry((node.shape, node.parent.map(|parent| sketch.nodes[parent as usize].shape)))
            .or_insert_with(|| (is_known(node), Vec::new()));
        if text(sketch, &item) >= MIN_TEXT && list.last().is_none_or(|last| last.end <= item.start) {
            list.push(item);
        }
    }
    let mut teasers = Teasers::default();
    for (shape, (is_known, list)) in lists {
        if !list.is_empty() && (is_known || is_list(sketch, &list)) {
            teasers.titles.push(shape);
            teasers.items.extend(list);
        }
    }
    teasers.titles.sort_unstable();
    teasers
}

/// Whether these are teasers: some, and none of them so long that it is rather an article.
fn is_list(sketch: &Sketch, items: &[Range<usize>]) -> bool {
    let texts = || items.iter().map(|item| text(sketch, item));
    let (most, all) = (texts().max().unwrap_or(0), texts().sum::<u32>());
    items.len() >= MIN_TEASERS && f64::from(most) <= MAX_SHARE * f64::from(all)
}

/// The blocks that belong to a title: of the largest element that it begins and that has no other title; where titles
/// and texts stand side by side in one element, up to the next title.
fn teaser(sketch: &Sketch, titles: &[Title], at: usize) -> Range<usize> {
    let title = titles[at];
    let before = titles[..at].iter().rev().find(|other| other.target != title.target).map(|other| other.block);
    let behind = titles[at + 1..].iter().find(|other| other.target != title.target).map(|other| other.block);
    let is_own = |blocks: &Range<usize>| {
        before.is_none_or(|before| before < blocks.start)
            && behind.is_none_or(|behind| behind >= blocks.end)
            && sketch.headline.is_none_or(|headline| !blocks.contains(&headline))
    };
    let begins = |blocks: &Range<usize>| title.block - blocks.start <= BEFORE_TITLE;
    let mut item = title.block..title.block + 1;
    for node in sketch.holders(title.block) {
        let blocks = &sketch.nodes[node as usize].blocks;
        if !is_own(blocks) || !begins(blocks) {
            break;
        }
        item = blocks.clone();
    }
    let next = titles.get(at + 1).filter(|next| title.parent.is_some() && next.parent == title.parent);
    match next {
        Some(next) if text(sketch, &item) < MIN_TEXT && is_own(&(title.block..next.block)) => title.block..next.block,
        _ => item,
    }
}

/// Characters outside of links.
fn text(sketch: &Sketch, blocks: &Range<usize>) -> u32 {
    sketch.blocks[blocks.clone()]
        .iter()
        .filter(|block| !block.heading && block.link_share < 0.3)
        .map(|block| block.weight)
        .sum()
}

/// The blocks that link to another page, by their first link there.
fn titles(page: &Page, url: Option<&CrawlUrl>, sketch: &Sketch) -> Vec<Title> {
    let mut titles: Vec<Title> = Vec::new();
    for link in page.elements_of(Tag::A) {
        let element = page.element(link);
        let at = page.paragraphs().partition_point(|paragraph| paragraph.span.end <= element.content);
        let Some(block) = sketch.blocks.get(at) else { break };
        let is_inside = page.paragraphs()[at].span.start < element.close;
        let is_title =
            if block.heading { block.link_share >= 0.4 } else { block.link_share >= 0.9 && block.weight >= MIN_TITLE };
        let is_known = titles.last().is_some_and(|last| last.block == at);
        if is_inside && is_title && !is_known && sketch.headline != Some(at) {
            let target = page.attribute(link, "href").and_then(|href| target(&href, url));
            let heading = || {
                page.ancestors_and_self(page.paragraphs()[at].element?)
                    .find(|id| page.element(*id).tag.heading_level().is_some())
            };
            let parent = heading().and_then(|heading| page.element(heading).parent);
            titles.extend(target.map(|target| Title { block: at, target, parent }));
        }
    }
    titles
}

/// What the page names as its own address.
fn named_url(page: &Page) -> Option<CrawlUrl> {
    let is =
        |id, name: &str, value: &str| page.attribute(id, name).is_some_and(|found| found.eq_ignore_ascii_case(value));
    let canonical =
        page.elements_of(Tag::Link).find(|id| is(*id, "rel", "canonical")).and_then(|id| page.attribute(id, "href"));
    let open_graph = || {
        page.elements_of(Tag::Meta)
            .find(|id| is(*id, "property", "og:url"))
            .and_then(|id| page.attribute(id, "content"))
    };
    canonical.or_else(open_graph).and_then(|url| CrawlUrl::parse(&url).ok())
}

/// The hash of a link's target, if it is another page of the same host (any host, where the page's
/// own is unknown).
fn target(href: &str, url: Option<&CrawlUrl>) -> Option<u64> {
    let path = href.trim();
    if path.is_empty() || path.contains('#') || path.starts_with("javascript:") || path.starts_with("mailto:") {
        return None;
    }
    let Some(url) = url else { return Some(xxh3_64(path.as_bytes())) };
    let joined: Url = url.url().join(path).ok()?;
    let bare = |url: &Url| url.host_str().map(|host| host.trim_start_matches("www.").to_owned());
    (joined != *url.url() && bare(&joined) == bare(url.url())).then(|| xxh3_64(joined.as_str().as_bytes()))
}
