//! Removes text beside an article that looks like the article: comments below it, announcements of other pages,
//! requests for consent, invitations to a newsletter. They are recognised by the elements around them, and removed if
//! the page has other text.

use std::ops::Range;

use goldminer_html::{ElementId, Page, Tag};

use crate::extract::lengths::around_most;
use crate::extract::walls;
use crate::goldminer::trim::{ParagraphReason, Trimmed};
use crate::goldminer::{MIN_ARTICLE, Surroundings};

/// The fewest paragraphs about consent in a request for consent.
const MIN_NOTICE: usize = 2;

/// Announcements of other pages are removed only if at least this many characters of text are before the first of them.
const MIN_BESIDE: u32 = 200;

/// If the texts below linked titles have at least this many characters on average, they are sections of the article and
/// not announcements of other pages.
const MIN_SECTION: u32 = 600;

/// The most paragraphs in an invitation to a newsletter.
const MAX_SIGN_UP: usize = 6;

/// Removes comments, announcements, requests for consent and invitations to a newsletter from a cut.
pub(crate) fn remove_beside(page: &Page, around: &Surroundings, cut: &mut Trimmed) {
    drop_surroundings(page, around, cut);
    drop_notice(page, cut);
    drop_sign_up(page, cut);
}

/// Removes readers' comments if enough text for an article is left without them. Also removes announcements of other
/// pages beside the text. To the classifier, both are just sentences.
fn drop_surroundings(page: &Page, around: &Surroundings, cut: &mut Trimmed) {
    let chars = |at: &usize| page.paragraphs()[*at].chars;
    let left: u32 = cut.paragraphs.iter().filter(|at| !around.comments[**at]).map(chars).sum();
    if left >= MIN_ARTICLE {
        cut.drop_kept(ParagraphReason::Comment, |at| around.comments[at]);
    }
    let Some(first) = cut.paragraphs.iter().position(|at| around.announces_another(*at)) else { return };
    let announced = (0..page.paragraphs().len()).filter(|at| around.announces_another(*at));
    let is_title = |at: &usize| {
        let paragraph = &page.paragraphs()[*at];
        paragraph.heading.is_some() || 2 * paragraph.link_chars > paragraph.chars
    };
    let (titles, texts): (Vec<usize>, Vec<usize>) = announced.partition(is_title);
    if texts.iter().map(chars).sum::<u32>() >= MIN_SECTION * titles.len() as u32 {
        return;
    }
    if cut.paragraphs[..first].iter().map(chars).sum::<u32>() >= MIN_BESIDE {
        let is_own = |at: &usize| cut.headline != Some(*at) && !around.announces_another(*at);
        let own: Vec<usize> = cut.paragraphs.iter().copied().filter(is_own).collect();
        let holder = around_most(page, &own);
        // A list inside the text, such as one of the ten best films, belongs to the text.
        let inside = holder.map_or(0..page.paragraphs().len(), |holder| page.paragraphs_in(holder));
        let listed =
            || cut.paragraphs.iter().copied().filter(|at| inside.contains(at) && around.announces_another(*at));
        let is_list = holder.is_some_and(|holder| is_list_below(page, holder, &own, listed()));
        cut.drop_kept(ParagraphReason::Teaser, |at| around.announces_another(at) && (is_list || !inside.contains(&at)));
    }
}

/// Whether all announcements in `holder`, the element with most of the text, are in one element below the text.
fn is_list_below(page: &Page, holder: ElementId, own: &[usize], mut listed: impl Iterator<Item = usize>) -> bool {
    let part = |at: usize| {
        let element = page.paragraphs()[at].element?;
        page.ancestors_and_self(element).take_while(|id| *id != holder).last()
    };
    let Some(first) = listed.next() else { return false };
    let behind = first..page.paragraphs_in(holder).end;
    let goes_on = |at: &usize| behind.contains(at) && page.paragraphs()[*at].is_running_text();
    !own.iter().any(goes_on) && listed.all(|at| part(at) == part(first))
}

/// Removes a request for consent, on a page with a button. It is an element outside that of the article. At least half
/// of its paragraphs are about consent.
fn drop_notice(page: &Page, cut: &mut Trimmed) {
    let has_button = page.elements_of(Tag::Button).next().is_some();
    let mentions = |at: &usize| has_button && walls::mentions_consent(&page.paragraphs()[*at].text);
    let mentioning: Vec<usize> = cut.paragraphs.iter().copied().filter(mentions).collect();
    if mentioning.len() < MIN_NOTICE {
        return;
    }
    let Some(notice) = around_most(page, &mentioning) else { return };
    let inside = page.paragraphs_in(notice);
    let (within, beside): (Vec<usize>, Vec<usize>) = cut.paragraphs.iter().partition(|at| inside.contains(at));
    let is_notice = 2 * mentioning.iter().filter(|at| inside.contains(at)).count() >= within.len();
    let is_beside = |article: ElementId| !page.is_within(article, notice) && !page.is_within(notice, article);
    let has_running_text = beside.iter().any(|at| page.paragraphs()[*at].is_running_text());
    if is_notice && has_running_text && around_most(page, &beside).is_some_and(is_beside) {
        cut.drop_kept(ParagraphReason::Wall, |at| inside.contains(&at));
    }
}

/// Removes invitations to a newsletter: the elements around a field for an e-mail address that contain few paragraphs
/// and less than half of the text.
fn drop_sign_up(page: &Page, cut: &mut Trimmed) {
    let is_mail =
        |id: &ElementId, name: &str| page.attribute(*id, name).is_some_and(|is| is.to_lowercase().contains("mail"));
    let mut chars = vec![0; page.paragraphs().len()];
    cut.paragraphs.iter().for_each(|at| chars[*at] = page.paragraphs()[*at].chars);
    let mut left: u32 = chars.iter().sum();
    let mut is_dropped = vec![false; chars.len()];
    for field in page.elements_of(Tag::Input).filter(|id| ["type", "name", "id"].iter().any(|name| is_mail(id, name))) {
        let within = |held: &Range<usize>| chars[held.clone()].iter().sum::<u32>();
        let is_beside = |held: &Range<usize>| {
            held.len() <= MAX_SIGN_UP && 2 * within(held) < left && cut.headline.is_none_or(|at| !held.contains(&at))
        };
        let around = page.ancestors_and_self(field).map(|id| page.paragraphs_in(id)).take_while(is_beside).last();
        if let Some(around) = around.filter(|around| within(around) > 0) {
            left -= within(&around);
            chars[around.clone()].fill(0);
            is_dropped[around].fill(true);
        }
    }
    if is_dropped.contains(&true) {
        cut.drop_kept(ParagraphReason::Outside, |at| is_dropped[at]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Extractor, SourcePage};
    use goldminer_html::address::Domain;

    fn texts(html: &str) -> Vec<String> {
        let domain = Domain::named("portal.example");
        let document = Extractor::default().extract(&SourcePage::new(html.as_bytes(), &domain), None);
        document
            .map(|document| document.paragraphs.iter().map(|own| own.text.to_string()).collect())
            .unwrap_or_default()
    }

    fn paragraph(n: usize) -> String {
        let sentence =
            format!("In week {n} the council met, and asked what they thought of the bridge and the {n} boats. ");
        format!("<p>{}</p>", sentence.repeat(3))
    }

    fn story(paragraphs: usize) -> String {
        (1..=paragraphs).map(paragraph).collect()
    }

    fn page(inside: &str) -> String {
        format!("<title>Rain in Rome</title><body><ul><li><a href=/a>News</a></ul>{inside}<p>The portal")
    }

    /// Announcements of other pages, each with its first sentences.
    fn announced(pages: usize) -> String {
        (1..=pages)
            .map(|n| {
                format!(
                    "<div class=t><h3><a href=/{n}>The mayor of town {n} was chosen</a></h3><p>{} {n}</p></div>",
                    "Many had come to the old hall that night, and most of them were against what the mayor wants."
                )
            })
            .collect()
    }

    #[test]
    fn comments_below_their_title_are_removed_without_a_profile() {
        let page = |title: &str| {
            let comment =
                "<p>I was there that night, and it was nothing like what you write of the council and its boats.</p>";
            let head = "<title>Rain in Rome</title><body><h1>Rain in Rome</h1>";
            format!("{head}{}<h3>{title}</h3>{}", story(8), comment.repeat(2))
        };
        assert_eq!(texts(&page("ความคิดเห็น")).len(), 9);
        assert!(texts(&page("What was said there")).len() > 9, "a title of another kind");
    }

    #[test]
    fn a_list_of_other_pages_below_the_text_is_removed() {
        let list = format!("<div><div class=more>{}</div></div>", announced(5));
        let in_parts: String = (1..8).map(|n| format!("<div class=x><div>{}</div></div>", paragraph(n))).collect();
        let inside = |list: &str| texts(&page(&format!("<main><h1>Rain in Rome</h1>{in_parts}{list}</main>")));
        assert_eq!(inside(&list).len(), 8, "{:?}", inside(&list));
    }

    #[test]
    fn sections_below_linked_titles_are_an_article() {
        let paragraph = |n: usize| {
            format!(
                "<p>Am Tag {n} kam der Rat zusammen und fragte, was die Leute von der Brücke und den Booten hielten.</p>"
            )
        };
        let section = |tag: &str, n: usize, length: usize| {
            let title = format!("<h2><a href=/part/{n}>Was der Bürgermeister von Ort {n} sagt</a></h2>");
            format!("<{tag}>{title}{}</{tag}>", (0..length).map(|at| paragraph(100 * n + at)).collect::<String>())
        };
        let left = |tag: &str, sections: usize, length: usize, around: &str| {
            let all: String = (1..=sections).map(|n| section(tag, n, length)).collect();
            let lead = format!("<header><h1>Regen in Rom</h1>{}</header>", paragraph(0).replace("</p>", "").repeat(3));
            texts(&page(&format!("<main>{lead}<{around}>{all}</{around}></main>"))).len()
        };
        assert!(left("section", 4, 8, "div") > 32);
        assert!(left("div", 12, 10, "div") > 120);
        assert!(left("article", 3, 12, "section") > 36);
        assert!(left("section", 6, 1, "aside") < 6, "announcements");
    }

    #[test]
    fn two_sentences_above_a_list_of_other_pages_are_an_article() {
        let brief = format!(
            "<main><article><h1>Rain in Rome</h1>{}</article><aside>{}</aside></main>",
            paragraph(1),
            announced(5)
        );
        assert_eq!(texts(&page(&brief)).len(), 2, "{:?}", texts(&page(&brief)));
        assert!(texts(&page(&format!("<main><h1>Rain in Rome</h1>{}</main>", announced(9)))).is_empty());
    }

    #[test]
    fn an_invitation_to_a_newsletter_is_removed_by_its_field() {
        let field = "<form><input type=email></form>";
        let left = |html: &str| {
            let page = Page::parse(format!("<article><h1>Rain in Rome</h1>{html}</article>"));
            let mut cut = Trimmed::of((0..page.paragraphs().len()).collect(), Some(0));
            drop_sign_up(&page, &mut cut);
            cut.paragraphs.len()
        };
        let letter = |field: &str| {
            let letter =
                "<h4>Every Thursday</h4><p>We send you what matters here, and nothing else, in one letter.</p>";
            left(&format!("{}<div class=x7>{letter}{field}</div>{}", story(4), story(4)))
        };
        assert_eq!(letter(field), 9);
        assert_eq!(letter("<form><input name=user_mail></form>"), 9);
        assert_eq!(letter("<form><input type=search></form>"), 11);
        assert_eq!(left(&format!("<div>{}{field}</div>", story(3))), 4, "the text's own element");
    }
}
