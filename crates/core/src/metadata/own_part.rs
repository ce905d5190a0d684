//! Decides whether an element is in the article's own part of a page: not in readers' comments, embedded posts, boxes
//! of related articles, side columns or the footer.
//!
//! An element that also holds the headline is the article's own, whatever its name: some pages name everything
//! `comments`.

use goldminer_html::{ElementId, Page, Paragraph, Tag};

use super::date::numbers::may_hold_date;
use crate::phrases::{Categories, PHRASES, category};

/// Categories of words in element names: for elements with readers' texts, embedded posts or other articles; and for
/// columns beside the article.
const FOREIGN: Categories = category("name/of others");
const COLUMN: Categories = category("name/column");

/// Limits of a box that announces another article: the most characters in a paragraph, the most paragraphs, and how
/// many levels above an element such a box is searched for.
const MAX_BOX_CHARS: u32 = 250;
const MAX_BOX_PARAGRAPHS: usize = 24;
const MAX_LEVELS: usize = 5;
/// The fewest words in a link to another article, and in a linked heading; with fewer, it may be an author or a
/// section.
const MIN_WORDS_OF_LINK: u32 = 5;
const MIN_WORDS_OF_HEADING: u32 = 3;
/// Limits of a column about the article, with its date, author and section: the most paragraphs, and the most
/// characters in each.
const MAX_NOTE_PARAGRAPHS: usize = 10;
const MAX_NOTE_CHARS: u32 = 100;
/// The most words in a date: "Published on Monday, 20 November 2026".
const MAX_WORDS_OF_DAY: u32 = 6;
/// The fewest characters in a paragraph of an article. An element before such a paragraph is not the page's footer.
const MIN_TEXT_CHARS: u32 = 80;

/// What is needed to decide whether an element is in the article's own part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnPart {
    /// The headline's element, if there is one.
    pub(super) headline: Option<ElementId>,
    /// The outermost `<article>` around the headline; without one, the next after it.
    article: Option<ElementId>,
    /// Where the last paragraph that may be an article's begins.
    last_text: u32,
}

impl OwnPart {
    /// The own part of the article whose headline is in this element.
    pub(super) fn of(page: &Page, headline: Option<ElementId>) -> Self {
        let article = headline.and_then(|headline| {
            let around = page.ancestors_and_self(headline).filter(|around| page.element(*around).tag == Tag::Article);
            around.last().or_else(|| page.elements_of(Tag::Article).find(|id| *id > headline))
        });
        let last = page.paragraphs().iter().rfind(|paragraph| paragraph.chars >= MIN_TEXT_CHARS);
        Self { headline, article, last_text: last.map_or(0, |last| last.span.start) }
    }

    /// Whether an `<article>` without the headline is another article: the headline is in an `<article>` of its own, or
    /// this is not the next `<article>` after the headline.
    fn is_another(self, article: ElementId) -> bool {
        self.headline.is_some() && self.article != Some(article)
    }
}

/// Whether an element is in the article's own part.
pub(super) fn is_own(page: &Page, id: ElementId, part: OwnPart) -> bool {
    !is_of_others(page, id, part)
        && !around(page, id, part).any(|id| is_beside(page, id, part))
        && !is_announcement(page, id, part)
}

/// Whether a paragraph is in the article's own part.
pub(super) fn is_own_paragraph(page: &Page, paragraph: &Paragraph, part: OwnPart) -> bool {
    paragraph.element.is_none_or(|id| is_own(page, id, part))
}

/// Whether an element is in text by other people, or in a box of other articles. Columns and footers do not count,
/// because on many pages they name the author.
pub(super) fn is_of_others(page: &Page, id: ElementId, part: OwnPart) -> bool {
    around(page, id, part).any(|id| match page.element(id).tag {
        Tag::Nav | Tag::Blockquote | Tag::Iframe => true,
        Tag::Html | Tag::Body | Tag::Main => false,
        // The article itself may have any name.
        Tag::Article if !part.is_another(id) => false,
        _ => names(page, id) & FOREIGN != 0,
    })
}

/// Whether an element is in a column beside the article, which may be about the article.
pub(super) fn is_in_column(page: &Page, id: ElementId, part: OwnPart) -> bool {
    around(page, id, part).any(|id| {
        page.element(id).tag == Tag::Aside || is_role(page, id, "complementary") || names(page, id) & COLUMN != 0
    })
}

/// The element itself and the elements around it, up to the one with the headline.
fn around(page: &Page, id: ElementId, part: OwnPart) -> impl Iterator<Item = ElementId> {
    page.ancestors_and_self(id)
        .take_while(move |id| part.headline.is_none_or(|headline| !page.is_within(headline, *id)))
}

/// Whether an element is a column beside the article, the footer, or another article.
fn is_beside(page: &Page, id: ElementId, part: OwnPart) -> bool {
    match page.element(id).tag {
        Tag::Aside => !is_note(page, id) && !begins_with_day(page, id, part),
        Tag::Footer => is_foot(page, id, part),
        Tag::Article => part.is_another(id),
        Tag::Html | Tag::Body | Tag::Main => false,
        _ if is_role(page, id, "navigation") => true,
        _ if is_role(page, id, "contentinfo") => is_foot(page, id, part),
        _ if is_role(page, id, "complementary") => !is_note(page, id) && !begins_with_day(page, id, part),
        _ => names(page, id) & COLUMN != 0 && !is_note(page, id),
    }
}

/// Whether a column beside the article has only a few short paragraphs and no title of another article.
fn is_note(page: &Page, id: ElementId) -> bool {
    let inside: Vec<&Paragraph> = paragraphs(page, id).map(|(_, own)| own).take(MAX_NOTE_PARAGRAPHS + 1).collect();
    let is_short = |paragraph: &&Paragraph| paragraph.chars <= MAX_NOTE_CHARS && !is_title(page, paragraph);
    inside.len() <= MAX_NOTE_PARAGRAPHS && inside.iter().all(is_short)
}

/// Whether a column begins right after the headline, with a day.
fn begins_with_day(page: &Page, id: ElementId, part: OwnPart) -> bool {
    let Some(headline) = part.headline else { return false };
    let (behind, all) = (page.element(headline).end, page.paragraphs());
    let next = all.get(all.partition_point(|paragraph| paragraph.span.start < behind));
    next.is_some_and(|next| {
        next.words <= MAX_WORDS_OF_DAY
            && may_hold_date(&next.text)
            && next.element.is_some_and(|line| page.is_within(line, id))
    })
}

/// Whether an element is the page's footer. A footer of the article, or of a part above its text, is not.
fn is_foot(page: &Page, id: ElementId, part: OwnPart) -> bool {
    let holds_headline = |article| part.headline.is_some_and(|headline| page.is_within(headline, article));
    let is_of_article = part.article.is_some_and(|article| holds_headline(article) && page.is_within(id, article));
    !is_of_article && part.last_text < page.element(id).end
}

pub(super) fn is_role(page: &Page, id: ElementId, role: &str) -> bool {
    page.element(id).is_marked && page.marks(id).role.is_some_and(|value| value.trim() == role)
}

/// The categories of the words in an element's classes, its id and its microdata property.
pub(super) fn names(page: &Page, id: ElementId) -> Categories {
    let marks = page.marks(id);
    let others = [marks.id.as_deref(), marks.itemprop.as_deref()];
    marks.classes().chain(others.into_iter().flatten()).fold(0, |kinds, name| kinds | PHRASES.of_text(name))
}

/// Whether an element is in a small box with the title of another article.
pub(super) fn is_announcement(page: &Page, id: ElementId, part: OwnPart) -> bool {
    let Some(of_page) = part.headline else { return false };
    let own = page.element(id).span();
    for id in around(page, id, part).take(MAX_LEVELS) {
        let inside: Vec<&Paragraph> = paragraphs(page, id).map(|(_, own)| own).take(MAX_BOX_PARAGRAPHS + 1).collect();
        if inside.len() > MAX_BOX_PARAGRAPHS || inside.iter().any(|paragraph| paragraph.chars > MAX_BOX_CHARS) {
            return false;
        }
        let is_another = |paragraph: &Paragraph| {
            let is_itself = own.start <= paragraph.span.start && paragraph.span.end <= own.end;
            let is_headline = |id: ElementId| page.is_within(id, of_page) || page.is_within(of_page, id);
            !is_itself && !paragraph.element.is_some_and(is_headline)
        };
        let titles = inside.iter().filter(|paragraph| is_title(page, paragraph) && is_another(paragraph)).count();
        let days = inside.iter().filter(|paragraph| may_hold_date(&paragraph.text)).count();
        // A single date beside a list of titles belongs to none of them.
        if titles > 0 && titles <= days.max(1) {
            return true;
        }
    }
    false
}

/// The paragraphs that are at least partly inside an element, with their indexes.
pub(super) fn paragraphs(page: &Page, id: ElementId) -> impl Iterator<Item = (usize, &Paragraph)> {
    let span = page.element(id).span();
    let first = page.paragraphs().partition_point(|paragraph| paragraph.span.end <= span.start);
    (first..).zip(&page.paragraphs()[first..]).take_while(move |(_, paragraph)| paragraph.span.start < span.end)
}

/// Whether a paragraph is the title of another article: one link of several words, without a date.
fn is_title(page: &Page, paragraph: &Paragraph) -> bool {
    let least = if paragraph.heading.is_some() { MIN_WORDS_OF_HEADING } else { MIN_WORDS_OF_LINK };
    if paragraph.words < least || paragraph.link_density() <= 0.9 || may_hold_date(&paragraph.text) {
        return false;
    }
    // The tag of a paragraph's first link is before the paragraph's text.
    let (elements, span) = (page.elements(), &paragraph.span);
    let first = elements.partition_point(|element| element.start < span.start).saturating_sub(MAX_LEVELS);
    let near = elements[first..].iter().take_while(|element| element.start < span.end);
    near.filter(|element| element.tag == Tag::A && element.end > span.start).nth(1).is_none()
}

/// The microdata item that a property belongs to.
pub(super) fn item_around(page: &Page, id: ElementId) -> Option<ElementId> {
    let is_scope = |around: &ElementId| page.attributes(*around).any(|attribute| attribute.is("itemscope"));
    page.ancestors_and_self(id).skip(1).find(is_scope)
}

/// The type of an item, without the URL of the vocabulary. None if the page does not declare it.
pub(super) fn kind_of_item(page: &Page, item: ElementId) -> Option<String> {
    let kind = page.attribute(item, "itemtype")?;
    Some(kind.trim().rsplit('/').next().unwrap_or_default().to_owned())
}

/// Whether a property belongs to an article or the page, not to a comment, a picture or a person. An item around the
/// headline is about the page, whatever its type.
pub(super) fn is_of_article(page: &Page, id: ElementId, headline: Option<ElementId>) -> bool {
    const KINDS: [&str; 8] = ["Article", "Posting", "Page", "Blog", "Report", "Recipe", "Review", "CreativeWork"];
    let Some(item) = item_around(page, id) else { return true };
    matches!(page.element(item).tag, Tag::Html | Tag::Body)
        || headline.is_some_and(|headline| page.is_within(headline, item))
        || kind_of_item(page, item).is_none_or(|kind| KINDS.iter().any(|end| kind.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_own_mark(html: &str) -> bool {
        let page = Page::parse(format!("<title>A bridge opens</title><body>{html}"));
        let headline = page.elements_of(Tag::H1).next();
        let mark = page.elements_of(Tag::Mark).next().expect("a mark");
        is_own(&page, mark, OwnPart::of(&page, headline))
    }

    #[test]
    fn comments_embeds_and_boxes_are_not_the_article() {
        let title = "<h1>A bridge opens</h1>";
        for html in [
            "<ol class=commentlist><li><mark>3 May</mark></ol>",
            "<section id=comments><div><mark>3 May</mark></div></section>",
            "<ul class=hozzaszolasok><li><mark>3 May</mark></ul>",
            "<div itemprop=comment itemscope><mark>3 May</mark></div>",
            "<blockquote class=twitter-tweet><p>It rains. <mark>3 May</mark></blockquote>",
            "<div class=fb-post><mark>3 May</mark></div>",
            "<div class=related-articles><mark>3 May</mark></div>",
            "<aside><ul><li><a href=/1>The mill is for sale again</a><li><mark>3 May</mark></ul></aside>",
            "<div class=sidebar><h3><a href=/1>Salt for sale</a></h3><p>It is white.<p><mark>3 May</mark></div>",
            "<div role=complementary><h4><a href=/1>Salt for sale</a></h4><p>White.<p>Cheap.<p><mark>3 May</mark></div>",
            "<footer><mark>3 May</mark></footer>",
            "<article>Rain.</article><article>Salt. <mark>3 May</mark></article>",
            "<div><h3><a href=/salt>Everything about salt</a></h3><p><mark>3 May</mark></div>",
            "<div><p><a href=/salt>All you must know of salt</a><p><mark>3 May</mark></div>",
        ] {
            assert!(!is_own_mark(&format!("<div>{title}<p>It rained.</p>{html}</div>")), "{html}");
        }
    }

    #[test]
    fn elements_around_the_headline_are_the_article() {
        for html in [
            "<div class=has-comments><h1>A bridge opens</h1><p><mark>3 May</mark></div>",
            "<aside><h1>A bridge opens</h1><p><mark>3 May</mark></aside>",
            "<article class=no-sidebar><header><h1>A bridge opens</h1></header><p><mark>3 May</mark></article>",
            "<article><h1>A bridge opens</h1><p>It rained.<footer><mark>3 May</mark></footer></article>",
            "<h1>A bridge opens</h1><aside><h4>Published</h4><p><mark>3 May</mark></aside><p>It rained.",
            "<h1>A bridge opens</h1><aside><p><mark>20 November 2026</mark><h2>Topics</h2><p><a href=/1>Bridges</a> \
             <p>On.<p>On.<p>On.<p>On.<p>On.<p>On.<p>On.<p>On.<p>On.<p>On.</aside><p>It rained.",
            "<h1>A bridge opens</h1><div class=left-sidebar><a href=/anna>Anna Nagy</a><p><mark>3 May</mark></div><p>Rain.",
            "<h1>A bridge opens</h1><h2>And it rained the whole day</h2><footer><mark>3 May</mark></footer><p>The river rose \
             in the morning, and in the evening the bridge stood in the water to its railings.",
            "<h1>A bridge opens</h1><div class=date-outer><h2><mark>Monday, September 8, 2008</mark></h2></div>",
            "<h1>A bridge opens</h1><div><mark>3 May</mark><p><a href=/1>Mail this to a friend</a><a href=/2>Share</a></div>",
            "<h1><a href=/bridge><mark>3 May</mark> A bridge opens in the north</a></h1>",
            "<header><h1>A bridge opens</h1></header><article><mark>3 May</mark><p>It rained.</article>",
            "<h1>A bridge opens</h1><div><a href=/anna>Anna Nagy</a> <mark>3 May</mark></div><p>It rained.",
            "<h1>A bridge opens</h1><div><p><mark>3 May</mark><p>It rained.<h2>And it rained the whole day</h2><p>On and \
             on.<p>And on.<p>And on.<p>And on.<p>And on.</div>",
        ] {
            assert!(is_own_mark(html), "{html}");
        }
    }
}
