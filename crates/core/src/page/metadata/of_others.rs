//! Whether a name stands in a part of the page that is not the article's: what readers have written, a post from elsewhere,
//! a box that announces another article.
//!
//! A side column or a foot may be the article's own: many a page names its author there. What the headline lies in as well
//! is the article's, whatever it is called.

use std::sync::LazyLock;

use crate::page::phrases::Phrases;
use crate::page::tag::Tag;
use crate::page::{ElementId, Page, Paragraph};

/// Parts of the names of such elements.
static NAMES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::of_one_kind(&[
        "comment",
        "reply",
        "replies",
        "disqus",
        "respond",
        "pingback",
        "trackback",
        "komment",
        "coment",
        "hozzaszol",
        "reactie",
        "reaktion",
        "yorum",
        "embed",
        "tweet",
        "twitter-",
        "instagram-",
        "fb-post",
        "tiktok",
        "mastodon",
        "related",
        "recommend",
        "teaser",
        "read-more",
        "readmore",
        "read-also",
        "more-from",
        "more-on",
        "popular",
        "trending",
        "most-read",
        "see-also",
        "promo",
    ])
});

/// A box with more text announces nothing.
const MAX_BOX_CHARS: u32 = 400;
/// A link with fewer words may be an author's name, or a section.
const MIN_TITLE_WORDS: u32 = 4;

/// Whether a paragraph near the headline stands there.
pub(super) fn is_line(page: &Page, paragraph: &Paragraph, headline: Option<ElementId>) -> bool {
    paragraph.element.is_some_and(|id| is_part(page, id, headline))
}

/// Whether an element stands there. `headline` is the headline's element, where there is one.
pub(super) fn is_part(page: &Page, id: ElementId, headline: Option<ElementId>) -> bool {
    let is_whole = |id: &ElementId| matches!(page.element(*id).tag, Tag::Html | Tag::Body | Tag::Main);
    let around = page.ancestors_and_self(id).take_while(|id| !is_whole(id) && !holds(page, *id, headline));
    around.into_iter().any(|id| match page.element(id).tag {
        Tag::Nav | Tag::Blockquote | Tag::Iframe => true,
        // Without a headline the article may be called anything.
        Tag::Article if headline.is_none() => false,
        _ => is_named(page, id),
    })
}

/// Whether an element that is far from the headline stands there, or beside the title of another article.
pub(super) fn is_far(page: &Page, id: ElementId, headline: Option<ElementId>) -> bool {
    is_part(page, id, headline) || announces(page, id, headline)
}

fn holds(page: &Page, id: ElementId, headline: Option<ElementId>) -> bool {
    headline.is_some_and(|headline| page.is_within(headline, id))
}

fn is_named(page: &Page, id: ElementId) -> bool {
    let marks = page.marks(id);
    let says = |name: &str| NAMES.are_in(name);
    marks.classes().any(says) || [&marks.id, &marks.itemprop].into_iter().flatten().any(|name| says(name))
}

/// Whether an element stands in a small box with a title that links elsewhere.
fn announces(page: &Page, id: ElementId, headline: Option<ElementId>) -> bool {
    let own = page.element(id).span();
    let around = page.ancestors_and_self(id).take_while(|id| !holds(page, *id, headline));
    for box_around in around {
        let span = page.element(box_around).span();
        let first = page.paragraphs().partition_point(|paragraph| paragraph.span.end <= span.start);
        let inside = page.paragraphs()[first..].iter().take_while(|paragraph| paragraph.span.start < span.end);
        let (mut chars, mut is_titled) = (0, false);
        for paragraph in inside {
            chars += paragraph.chars;
            if chars > MAX_BOX_CHARS {
                return false;
            }
            let is_itself = own.start <= paragraph.span.start && paragraph.span.end <= own.end;
            is_titled |= !is_itself && paragraph.words >= MIN_TITLE_WORDS && paragraph.link_density() > 0.9;
        }
        if is_titled {
            return true;
        }
    }
    false
}
