//! Finds teasers: texts that only announce another page, under a title or in a card that links to it. A page that consists of
//! teasers (a front page, a list of a tag, an archive) is not an article. The learner does not learn from it, and it
//! gives no text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use goldminer_html::address::{CrawlUrl, is_picture};
use goldminer_html::{ElementId, Page, Paragraph, Tag};

use super::super::site::Site;
use super::super::sums::Sums;
use super::super::thresholds::MIN_ARTICLE;
use super::announcements::{Announces, announcement, may_announce};
use super::text_key::text_key;
use super::{Block, Node, PageModel, TitleShape};

/// The fewest teasers in a list.
const MIN_TEASERS: usize = 3;
/// An item with a larger share of the text is not a teaser, but the article.
const MAX_SHARE: f64 = 0.6;
/// The most blocks before a teaser's title, such as a date or the name of a section.
const BEFORE_TITLE: usize = 3;
/// The most characters below a title that count as a teaser only because of a "read more" link.
const MAX_TEXT: u32 = 1_500;
/// The fewest characters below the title of a teaser.
const MIN_TEXT: u32 = 40;
/// The fewest characters in a title that is not a heading; otherwise every tag and name would be a title.
const MIN_TITLE: u32 = 25;
/// The most elements around a heading that may be its card.
const MAX_AROUND: usize = 4;
/// The most elements in a card among which its link is sought.
const MAX_IN_CARD: usize = 64;

/// A block that links to another page.
#[derive(Debug, Clone, Copy)]
struct Link {
    block: usize,
    /// A hash of the URL that it links to.
    target: u64,
    /// Whether the block is a heading, or long enough for a title.
    is_title: bool,
    /// The element around the heading; None if the block is not a heading.
    parent: Option<ElementId>,
}

#[derive(Debug, Clone, Copy)]
struct Title {
    link: Link,
    /// The block of the nearest title before this one that links elsewhere.
    before: Option<usize>,
    /// The block of the nearest title after this one that links elsewhere.
    behind: Option<usize>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Teasers {
    /// Paragraphs that announce another page, and the hash of the label if there is one.
    pub announcements: Vec<(usize, Announces, Option<u64>)>,
    /// The blocks of each teaser.
    pub items: Vec<Range<usize>>,
    /// The shapes of the teasers' titles, each once.
    pub titles: Vec<TitleShape>,
    /// The shapes of titles, and whether all their titles are in cards. A card is an element after some text of the
    /// article. It has a title that leads to another page, and less text than an article.
    pub cards: Vec<(TitleShape, bool)>,
}

/// Finds the teasers of a page: lists of them, and single ones. A single teaser has a "read more" link, or `is_known`
/// recognises its title from other pages of the domain.
pub(super) fn teasers(
    page: &Page,
    url: Option<&CrawlUrl>,
    paragraphs: &[Paragraph],
    model: &PageModel,
    is_known: impl Fn(&Node) -> bool,
) -> Teasers {
    let site = Site::of(page, url);
    let mut teasers = Teasers::default();
    let links = links(page, paragraphs, model, &site, &mut teasers.announcements);
    let titles = titles(&links);
    let texts = texts(model);
    // Two links to the same page, one above and one below a short article, do not announce the article.
    let first = model.headline.map_or(0, |headline| headline + 1);
    let own = first..model.blocks.len();
    let is_article = |item: &Range<usize>| {
        model.headline.is_some() && first <= item.start && 2 * texts.within(item) >= texts.within(&own)
    };
    let mut lists: BTreeMap<TitleShape, (bool, Vec<Range<usize>>)> = BTreeMap::new();
    let mut cards: BTreeMap<TitleShape, bool> = BTreeMap::new();
    for (at, title) in titles.iter().enumerate() {
        let around = || model.ancestors_of_block(title.link.block).map(|node| &model.nodes[node as usize]);
        let Some(node) = around().next() else { continue };
        // The pattern for a card is not that of the link but of the element around it, which may have a name.
        let holder = around().find(|node| page.element(node.element).tag != Tag::A).unwrap_or(node);
        let is_known = is_known(node) || holder.element != node.element && is_known(holder);
        let teaser = |may_follow_text: bool| teaser(model, &texts, title, titles.get(at + 1), may_follow_text);
        let item = teaser(!is_known);
        let follows_text = model.good.within(&(item.start..title.link.block)) > 0;
        let card = if follows_text { teaser(false) } else { item.clone() };
        let text = texts.within(&item);
        // A title and a "read more" with the same link make a teaser, even if it is the only one.
        let inside = links.partition_point(|link| link.block <= title.link.block)
            ..links.partition_point(|link| link.block < item.end);
        let has_more = || links[inside].iter().any(|link| link.target == title.link.target);
        let shape = |node: &Node| (node.shape, node.parent.map(|parent| model.nodes[parent as usize].shape));
        let of_card = texts.within(&card);
        let may_be_card = card.len() > 1
            && of_card < MIN_ARTICLE
            && texts.within(&(first.min(card.start)..card.start)) >= MIN_TEXT
            && around().any(|node| node.blocks == card);
        if of_card >= MIN_TEXT || !may_be_card {
            *cards.entry(shape(holder)).or_insert(true) &= may_be_card;
        }
        let (are_sure, list) = lists.entry(shape(node)).or_insert_with(|| (true, Vec::new()));
        if text >= MIN_TEXT && list.last().is_none_or(|last| last.end <= item.start) {
            *are_sure &= is_known || (text <= MAX_TEXT && has_more() && !is_article(&item));
            list.push(item);
        }
    }
    teasers.cards = cards.into_iter().collect();
    for (shape, (are_sure, list)) in lists {
        if !list.is_empty() && (are_sure || is_list(&texts, &list)) {
            teasers.titles.push(shape);
            teasers.items.extend(list);
        }
    }
    teasers
}

/// Whether these items form a list of teasers: there are enough, and none is so long that it must be the article.
fn is_list(texts: &Sums, items: &[Range<usize>]) -> bool {
    let lengths = || items.iter().map(|item| texts.within(item));
    let (most, all) = (lengths().max().unwrap_or(0), lengths().sum::<u32>());
    items.len() >= MIN_TEASERS && f64::from(most) <= MAX_SHARE * f64::from(all)
}

/// The blocks that belong to a title: those of the largest element that begins with it and has no other title. If
/// titles and texts are siblings in one element, these are the blocks up to the next title. `may_follow_text` says
/// whether good text may precede the title in the element.
fn teaser(model: &PageModel, texts: &Sums, title: &Title, next: Option<&Title>, may_follow_text: bool) -> Range<usize> {
    let block = title.link.block;
    let is_own = |blocks: &Range<usize>| {
        title.before.is_none_or(|before| before < blocks.start)
            && title.behind.is_none_or(|behind| behind >= blocks.end)
            && model.headline.is_none_or(|headline| !blocks.contains(&headline))
    };
    let begins = |blocks: &Range<usize>| {
        block - blocks.start <= BEFORE_TITLE && (may_follow_text || model.good.within(&(blocks.start..block)) == 0)
    };
    let mut item = block..block + 1;
    for node in model.ancestors_of_block(block) {
        let blocks = &model.nodes[node as usize].blocks;
        if !is_own(blocks) || !begins(blocks) {
            break;
        }
        item = blocks.clone();
    }
    let next = next.filter(|next| title.link.parent.is_some() && next.link.parent == title.link.parent);
    match next.map(|next| block..next.link.block) {
        Some(up_to_next) if texts.within(&item) < MIN_TEXT && is_own(&up_to_next) => up_to_next,
        _ => item,
    }
}

/// Sums the characters of each block that is no heading and has few links.
fn texts(model: &PageModel) -> Sums {
    let counts = |block: &&Block| !block.heading && block.link_share < 0.3;
    Sums::of(model.blocks.iter().map(|block| if counts(&block) { block.weight } else { 0 }))
}

/// The links that are titles, each with the nearest titles that link elsewhere.
fn titles(links: &[Link]) -> Vec<Title> {
    let mut titles: Vec<Title> = links
        .iter()
        .filter(|link| link.is_title)
        .map(|link| Title { link: *link, before: None, behind: None })
        .collect();
    for at in 1..titles.len() {
        let last = titles[at - 1];
        titles[at].before =
            if last.link.target == titles[at].link.target { last.before } else { Some(last.link.block) };
    }
    for at in (1..titles.len()).rev() {
        let next = titles[at];
        let behind = if next.link.target == titles[at - 1].link.target { next.behind } else { Some(next.link.block) };
        titles[at - 1].behind = behind;
    }
    titles
}

/// Returns the blocks that consist of a link to another page, each with its first such link, and the headings of cards
/// that lead to another page. Also adds the paragraphs that announce another page to `announcements`.
fn links(
    page: &Page,
    paragraphs: &[Paragraph],
    model: &PageModel,
    site: &Site,
    announcements: &mut Vec<(usize, Announces, Option<u64>)>,
) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut last = None;
    for (id, at) in page.links_in(paragraphs) {
        let block = &model.blocks[at];
        let is_linked = block.link_share >= if block.heading { 0.4 } else { 0.9 };
        let is_new = links.last().is_none_or(|last| last.block != at);
        let is_linked = is_linked && is_new && model.headline != Some(at);
        let may_announce = last.replace(at) != Some(at) && may_announce(block);
        if !is_linked && !may_announce {
            continue;
        }
        let Some(target) = page.attribute(id, "href").and_then(|href| site.target(&href)) else { continue };
        if may_announce {
            let (announces, label) = announcement(page, &paragraphs[at], block, id);
            announcements.push((at, announces, label.map(text_key)));
        }
        if is_linked {
            let is_title = block.heading || block.weight >= MIN_TITLE;
            links.push(Link { block: at, target, is_title, parent: parent_of_heading(page, &paragraphs[at]) });
        }
    }
    let may_be_title = |at: &usize| {
        let is_linked = || links.binary_search_by_key(at, |link| link.block).is_ok();
        model.blocks[*at].heading && model.headline != Some(*at) && !is_linked()
    };
    let of_card = |at: usize| {
        let target = target_of_card(page, paragraphs[at].element?, site)?;
        Some(Link { block: at, target, is_title: true, parent: parent_of_heading(page, &paragraphs[at]) })
    };
    let of_cards: Vec<Link> = (0..paragraphs.len()).filter(may_be_title).filter_map(of_card).collect();
    links.extend(of_cards);
    links.sort_by_key(|link| link.block);
    links
}

/// The element around a heading; None if the paragraph is not in a heading element.
fn parent_of_heading(page: &Page, paragraph: &Paragraph) -> Option<ElementId> {
    let is_heading = |id: &ElementId| page.element(*id).tag.heading_level().is_some();
    page.element(page.ancestors_and_self(paragraph.element?).find(is_heading)?).parent
}

/// Returns the page to which the card around a heading leads. Its link has no text: it covers the card, or holds its
/// picture. In a card without links, it is the card's own script. None if the smallest element around the heading that
/// has links does not lead to one page.
fn target_of_card(page: &Page, heading: ElementId, site: &Site) -> Option<u64> {
    let links = |card: ElementId| -> Vec<_> {
        let inside = page.ids_in(card).take(MAX_IN_CARD).filter(|id| page.element(*id).tag == Tag::A);
        let mut links: Vec<_> = inside.filter_map(|id| Some((id, page.attribute(id, "href")?))).collect();
        // Cards with links have such attributes for other purposes: `data-url` often names what a script loads.
        if links.is_empty() {
            links.extend(clicked(page, card).map(|address| (card, Cow::Owned(address))));
        }
        links
    };
    let mut around = page.ancestors_and_self(heading).take(MAX_AROUND).map(|card| (card, links(card)));
    let (card, links) = around.find(|(_, links)| !links.is_empty())?;
    let target = site.target(&links[0].1)?;
    let headings = page.paragraphs()[page.paragraphs_in(card)].iter().filter(|paragraph| paragraph.heading.is_some());
    let leads_there = links.iter().all(|(_, href)| site.target(href) == Some(target));
    let covers = |(id, href): &(ElementId, Cow<'_, str>)| {
        !is_picture(href) && (*id == card || page.first_paragraph_of(*id).is_none())
    };
    (headings.count() == 1 && leads_there && links.iter().any(covers)).then_some(target)
}

/// The address that a script opens when readers click on an element.
fn clicked(page: &Page, id: ElementId) -> Option<String> {
    page.attributes(id).find_map(|attribute| {
        if ["data-href", "data-url", "data-link"].iter().any(|name| attribute.is(name)) {
            return Some(attribute.value().into_owned());
        }
        // The script may do other things before: `track('card'); location.href='/news/1'`.
        let script = attribute.is("onclick").then(|| attribute.value())?;
        script.split_once("location")?.1.split(['\'', '"']).nth(1).map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goldminer::pattern::shape::Shapes;
    use crate::justext::Class;

    const LEAD: &str = "The council met on Monday to discuss the new bridge across the river.";

    fn teased(html: &str, url: &str) -> Vec<String> {
        let page = Page::parse(html.to_owned());
        let url = CrawlUrl::parse(url).unwrap();
        let classes = vec![Class::Good; page.paragraphs().len()];
        let model = PageModel::of_page(&page, Some(&url), &classes, &mut Shapes::default());
        let teased = page.paragraphs().iter().zip(&model.blocks).filter(|(_, block)| block.teaser);
        teased.map(|(paragraph, _)| paragraph.text.to_string()).collect()
    }

    fn item(number: usize) -> String {
        format!("<div class=item><h2><a href='/news/{number}'>Title {number}</a></h2><p>{LEAD}</p></div>")
    }

    #[test]
    fn linked_titles_each_with_a_text_are_a_list_of_teasers() {
        let html: String = (0..4).map(item).collect();
        assert_eq!(teased(&html, "https://p.example/").len(), 8);
        assert!(teased(&(0..2).map(item).collect::<String>(), "https://p.example/").is_empty(), "two are no list");
    }

    #[test]
    fn titles_and_texts_may_stand_side_by_side() {
        let flat = |number| format!("<h3><a href=/{number}>Title {number}</a></h3><p>{LEAD}</p>");
        let html = format!("<div>{}</div>", (0..4).map(flat).collect::<String>());
        assert_eq!(teased(&html, "https://p.example/").len(), 6, "the last one has no end");
    }

    #[test]
    fn a_single_teaser_is_recognised_by_its_read_more_link() {
        let html = format!("<div><h2><a href=/a>One</a></h2><p>{LEAD}</p><a href=/a>Read more</a></div>");
        assert_eq!(teased(&html, "https://p.example/tag/").len(), 3);
        assert!(teased(&html, "https://p.example/a").is_empty(), "on the article's own page it is the article");
    }

    #[test]
    fn two_links_around_a_short_article_do_not_announce_it() {
        let link = |text: &str| format!("<p><a href=/series>{text} on the old bridges</a></p>");
        let (above, below) = (link("This story is part of our series"), link("Read the other stories"));
        let article = format!("<h1>Bridges</h1><div>{above}{}{below}</div>", format!("<p>{LEAD}</p>").repeat(6));
        assert!(teased(&article, "https://p.example/a").is_empty());
        let article = format!("<h1>Bridges</h1><div>{}</div>", format!("<p>{LEAD}</p>").repeat(9));
        let promo = format!("<div>{above}<p>{LEAD}</p>{below}</div>");
        assert_eq!(teased(&format!("{article}{promo}"), "https://p.example/a").len(), 3, "below an article it is one");
    }

    #[test]
    fn cards_are_known_by_a_link_without_text() {
        let picture = "<img src=/p.jpg alt='The bridge'>";
        for card in [
            format!("<div class=card><h3>Title {{}}</h3><p>{LEAD}</p><a href=/news/{{}}></a></div>"),
            format!(
                "<div><a href=/news/{{}} aria-label='Title {{}}'></a><div><h3>Title {{}}</h3><p>{LEAD}</p></div></div>"
            ),
            format!("<article><a href=/news/{{}}>{picture}</a><h3>Title {{}}</h3><p>{LEAD}</p></article>"),
            format!("<div onclick=\"location.href='/news/{{}}'\"><h3>Title {{}}</h3><p>{LEAD}</p></div>"),
            format!("<div role=link data-href=/news/{{}}><div><h3>Title {{}}</h3></div><p>{LEAD}</p></div>"),
            format!("<div onclick=\"log('card'); location.href='/news/{{}}'\"><h3>Title {{}}</h3><p>{LEAD}</p></div>"),
            format!(
                "<article data-url=/ajax><a href=/news/{{}}>{picture}</a><h3>Title {{}}</h3><p>{LEAD}</p></article>"
            ),
        ] {
            let cards = |from: usize| (from..from + 4).map(|n| card.replace("{}", &n.to_string())).collect::<String>();
            let article = format!("<h1>Bridges</h1><div>{}</div>", format!("<p>{LEAD}</p>").repeat(9));
            assert_eq!(
                teased(&format!("{article}<section>{}</section>", cards(1)), "https://p.example/a").len(),
                8,
                "{card}"
            );
        }
        for section in [
            format!("<section><h2>Part</h2><p>{LEAD}</p><a href=/photos/{{}}.JPG>{picture}</a></section>"),
            format!(
                "<section><h2>Part</h2><a href=/{{}}>{picture}</a><p>{LEAD} <a href=/b{{}}>Another</a></p></section>"
            ),
            format!("<section><h2>Part</h2><p>{LEAD}</p></section><a href=/{{}}>{picture}</a>"),
        ] {
            let sections: String = (0..4).map(|n| section.replace("{}", &n.to_string())).collect();
            let article = format!("<h1>Bridges</h1><p>{LEAD}</p>{sections}");
            assert!(teased(&article, "https://p.example/a").is_empty(), "{section}");
        }
    }

    #[test]
    fn an_article_with_linked_section_titles_is_no_teaser() {
        let anchored: String = (0..4).map(|n| format!("<h2><a href=#{n}>Part {n}</a></h2><p>{LEAD}</p>")).collect();
        assert!(teased(&anchored, "https://p.example/a").is_empty());
        let elsewhere: String =
            (0..4).map(|n| format!("<h2><a href=https://other.example/{n}>Part {n}</a></h2><p>{LEAD}</p>")).collect();
        assert!(teased(&elsewhere, "https://p.example/a").is_empty(), "a review of other sites is an article");
    }
}
