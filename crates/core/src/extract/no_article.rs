//! Finds out what a page without an article is, as far as its elements show: a list, a gallery, or only a video.
//!
//! This is done only for pages that gave no text, and influences no document.

use goldminer_html::{Page, Paragraph, Tag};

use super::NoArticle;
use crate::metadata;

/// A page with at least this many links that read like titles is a list.
const MIN_TITLES: usize = 5;
/// A page with at least this many links is an index (of tags, for example), if at least `LINKS_SHARE` percent of its
/// characters are in links.
const MIN_LINKS: usize = 20;
/// The least share of an index's characters that is in links, in percent.
const LINKS_SHARE: u32 = 70;
/// The fewest words in a linked title that is not a heading.
const TITLE_WORDS: u32 = 5;
/// The fewest `figure` elements in a gallery.
const MIN_FIGURES: usize = 5;

/// A more precise reason than `why`, if the page shows one; otherwise `why`.
pub(super) fn of_page(page: &Page, why: NoArticle) -> NoArticle {
    if !matches!(why, NoArticle::NoTemplate | NoArticle::NoText) {
        return why;
    }
    let titles = page.paragraphs().iter().filter(|paragraph| is_title(paragraph)).count();
    let figures = page.elements_of(Tag::Figure).count();
    match () {
        () if shows_a_recording(page) => NoArticle::Stub,
        () if figures >= MIN_FIGURES && figures > titles => NoArticle::Gallery,
        () if titles >= MIN_TITLES || is_index(page) => NoArticle::List,
        () => why,
    }
}

/// Whether a paragraph is a link that reads like the title of another page.
fn is_title(paragraph: &Paragraph) -> bool {
    paragraph.link_density() >= 0.9 && (paragraph.heading.is_some() || paragraph.words >= TITLE_WORDS)
}

/// Whether nearly all of a page is links.
fn is_index(page: &Page) -> bool {
    let links = page.paragraphs().iter().filter(|paragraph| paragraph.link_density() >= 0.9).count();
    let linked: u32 = page.paragraphs().iter().map(|paragraph| paragraph.link_chars).sum();
    let all: u32 = page.paragraphs().iter().map(|paragraph| paragraph.chars).sum();
    links >= MIN_LINKS && u64::from(linked) * 100 >= u64::from(all) * u64::from(LINKS_SHARE)
}

/// Whether a page declares itself a video, or has a player below its only `h1`.
fn shows_a_recording(page: &Page) -> bool {
    let is_video = |id| page.attribute(id, "content").is_some_and(|kind| kind.trim_start().starts_with("video"));
    if metadata::named(page, &["og:type"]).any(is_video) {
        return true;
    }
    let mut headlines = page.elements_of(Tag::H1);
    let (Some(headline), None) = (headlines.next(), headlines.next()) else { return false };
    let begin = page.element(headline).start;
    // A player below the linked title of another page belongs to that page.
    let end = page.paragraphs().iter().filter(|p| p.span.start > begin && is_title(p)).map(|p| p.span.start).min();
    let is_player =
        |tag, id| tag != Tag::Iframe || page.attributes(id).any(|attribute| attribute.is("allowfullscreen"));
    [Tag::Video, Tag::Audio, Tag::Iframe].into_iter().any(|tag| {
        page.elements_of(tag).any(|id| {
            let at = page.element(id).start;
            at > begin && end.is_none_or(|end| at < end) && is_player(tag, id)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(html: &str) -> NoArticle {
        of_page(&Page::parse(html.to_owned()), NoArticle::NoText)
    }

    #[test]
    fn lists_galleries_and_stubs_are_told_from_each_other() {
        let teaser = "<h2><a href=/a>Rain in Rome</a></h2><p>It rained.</p>";
        assert_eq!(kind(&format!("<h1>Local</h1>{}", teaser.repeat(6))), NoArticle::List);
        assert_eq!(kind(&"<li><a href=/t>tag</a>".repeat(30)), NoArticle::List);
        let picture = "<figure><img src=/1.jpg><figcaption>Rome</figcaption></figure>";
        assert_eq!(kind(&format!("<h1>Pictures</h1>{}", picture.repeat(8))), NoArticle::Gallery);
        assert_eq!(kind(&format!("<h1>Rain</h1><video src=/1.mp4></video>{}", teaser.repeat(6))), NoArticle::Stub);
        assert_eq!(kind("<h1>Rain</h1><iframe src=/p allowfullscreen></iframe>"), NoArticle::Stub);
        assert_eq!(kind("<h1>Login</h1><p>Name"), NoArticle::NoText);
    }
}
