//! Whether an element lies in the article's own part of a page: not in readers' comments, embedded posts, boxes of related
//! articles, side columns or the page's foot.
//!
//! What the headline lies in as well is the article's own, whatever it is named: many a page says `comments` of all of it.

use std::sync::LazyLock;

use crate::page::phrases::Phrases;
use crate::page::tag::Tag;
use crate::page::{ElementId, Page, Paragraph};

/// Parts of the names of elements with what readers have written,
const OF_READERS: [&str; 13] = [
    "comment", "reply", "replies", "disqus", "respond", "pingback", "trackback", "komment", "coment", "hozzaszol",
    "reactie", "reaktion", "yorum",
];
/// with posts from elsewhere,
const EMBEDDED: [&str; 7] = ["embed", "tweet", "twitter-", "instagram-", "fb-post", "tiktok", "mastodon"];
/// and with other articles of the portal.
const OF_OTHERS: [&str; 14] = [
    "related", "recommend", "teaser", "sidebar", "read-more", "readmore", "read-also", "more-from",
    "more-on", "popular", "trending", "most-read", "see-also", "promo",
];
static NAMES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::of_one_kind(&[&OF_READERS[..], &EMBEDDED, &OF_OTHERS].concat()));
static READERS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of_one_kind(&OF_READERS));

/// A box with a longer paragraph is no announcement of another article.
const MAX_BOX_CHARS: u32 = 250;
/// Nor is one with more paragraphs.
const MAX_BOX_PARAGRAPHS: usize = 6;
/// A link with fewer words may be an author's name, or a section.
const MIN_TITLE_WORDS: u32 = 4;

/// Whether an element lies in the article's own part. `headline` is the headline's element, where there is one.
pub(super) fn is_own(page: &Page, id: ElementId, headline: Option<ElementId>) -> bool {
    let holds_headline = |id: &ElementId| headline.is_some_and(|headline| page.is_within(headline, *id));
    let around = || page.ancestors_and_self(id).take_while(|id| !holds_headline(id));
    !around().any(|id| is_foreign(page, id, headline)) && !is_announcement(page, id, headline)
}

/// The same of a paragraph.
pub(super) fn is_own_paragraph(page: &Page, paragraph: &Paragraph, headline: Option<ElementId>) -> bool {
    paragraph.element.is_none_or(|id| is_own(page, id, headline))
}

/// Whether an element lies in what readers have written.
pub(super) fn is_of_readers(page: &Page, id: ElementId) -> bool {
    page.ancestors_and_self(id).any(|id| !is_whole(page, id) && is_named(page, id, &READERS))
}

/// Elements that hold all of an article, or of the page.
fn is_whole(page: &Page, id: ElementId) -> bool {
    matches!(page.element(id).tag, Tag::Html | Tag::Body | Tag::Main | Tag::Article)
}

fn is_foreign(page: &Page, id: ElementId, headline: Option<ElementId>) -> bool {
    match page.element(id).tag {
        Tag::Nav | Tag::Aside | Tag::Blockquote | Tag::Iframe => true,
        // The foot of the article itself may say when it was written.
        Tag::Footer => !page.ancestors_and_self(id).any(|around| {
            page.element(around).tag == Tag::Article && headline.is_some_and(|headline| page.is_within(headline, around))
        }),
        Tag::Article => headline.is_some_and(|headline| is_another(page, id, headline)),
        Tag::Html | Tag::Body | Tag::Main => false,
        _ => is_named(page, id, &NAMES) || is_complementary(page, id),
    }
}

/// Whether an `<article>` without the headline is another one: the headline lies in one of its own, or this one has its own.
fn is_another(page: &Page, article: ElementId, headline: ElementId) -> bool {
    let span = page.element(article).span();
    let first = page.paragraphs().partition_point(|paragraph| paragraph.span.start < span.start);
    page.ancestors_and_self(headline).any(|around| page.element(around).tag == Tag::Article)
        || page.paragraphs().get(first).is_some_and(|paragraph| paragraph.heading.is_some())
        || page.elements_of(Tag::Article).find(|id| *id > headline) != Some(article)
}

fn is_complementary(page: &Page, id: ElementId) -> bool {
    page.element(id).is_marked
        && page.marks(id).role.is_some_and(|role| matches!(role.trim(), "complementary" | "navigation" | "contentinfo"))
}

fn is_named(page: &Page, id: ElementId, names: &Phrases) -> bool {
    let marks = page.marks(id);
    let says = |name: &str| names.are_in(name);
    marks.classes().any(says) || marks.id.as_deref().is_some_and(says) || marks.itemprop.as_deref().is_some_and(says)
}

/// Whether an element stands in a small box with the title of another article.
fn is_announcement(page: &Page, id: ElementId, headline: Option<ElementId>) -> bool {
    let Some(headline) = headline else { return false };
    let around = page.ancestors_and_self(id).take_while(|id| !page.is_within(headline, *id));
    for id in around {
        let span = page.element(id).span();
        let first = page.paragraphs().partition_point(|paragraph| paragraph.span.end <= span.start);
        let inside = page.paragraphs()[first..].iter().take_while(|paragraph| paragraph.span.start < span.end);
        let inside: Vec<&Paragraph> = inside.take(MAX_BOX_PARAGRAPHS + 1).collect();
        if inside.len() > MAX_BOX_PARAGRAPHS || inside.iter().any(|paragraph| paragraph.chars > MAX_BOX_CHARS) {
            return false;
        }
        let is_title = |paragraph: &&Paragraph| {
            paragraph.words >= MIN_TITLE_WORDS && (paragraph.heading.is_some() || paragraph.link_density() > 0.9)
        };
        if inside.iter().any(is_title) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_own_mark(html: &str) -> bool {
        let page = Page::parse(format!("<title>A bridge opens</title><body>{html}"));
        let headline = page.elements_of(Tag::H1).next();
        let mark = page.elements_of(Tag::Mark).next().expect("a mark");
        is_own(&page, mark, headline)
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
            "<aside><mark>3 May</mark></aside>",
            "<footer><mark>3 May</mark></footer>",
            "<div role=complementary><mark>3 May</mark></div>",
            "<article><h2>Salt</h2><mark>3 May</mark></article>",
            "<div><h3>Everything about salt</h3><p><mark>3 May</mark></div>",
            "<div><p><a href=/salt>All you must know of salt</a><p><mark>3 May</mark></div>",
        ] {
            assert!(!is_own_mark(&format!("<div>{title}<p>It rained.</p>{html}</div>")), "{html}");
        }
    }

    #[test]
    fn what_the_headline_lies_in_is_the_article() {
        for html in [
            "<div class=has-comments><h1>A bridge opens</h1><p><mark>3 May</mark></div>",
            "<aside><h1>A bridge opens</h1><p><mark>3 May</mark></aside>",
            "<article class=no-sidebar><header><h1>A bridge opens</h1></header><p><mark>3 May</mark></article>",
            "<article><h1>A bridge opens</h1><p>It rained.<footer><mark>3 May</mark></footer></article>",
            "<header><h1>A bridge opens</h1></header><article><mark>3 May</mark><p>It rained.</article>",
            "<h1>A bridge opens</h1><div><a href=/anna>Anna Nagy</a> <mark>3 May</mark></div><p>It rained.",
            "<h1>A bridge opens</h1><div><p><mark>3 May</mark><p>It rained.<h2>And it rained the whole day</h2><p>On and \
             on.<p>And on.<p>And on.<p>And on.<p>And on.</div>",
        ] {
            assert!(is_own_mark(html), "{html}");
        }
    }
}
