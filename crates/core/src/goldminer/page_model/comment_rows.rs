//! Finds readers' comments without a telling name or title. They are rows of similar elements that begin or end with a
//! name and a date. In addition, each row has a link to reply, or a text form follows the rows. If each row has the
//! word for a reply, and the rows are below an article, a name without a date is enough.

use std::ops::Range;

use goldminer_html::{ElementId, Page, Paragraph, Tag};

use super::super::thresholds::MIN_ARTICLE;
use super::replies::Replies;
use super::{Alike, Node, PageModel};
use crate::justext::Class;
use crate::metadata::date::DateText;
use crate::metadata::date::style::DateStyle;

/// The most characters of a name and a date together.
const MAX_BYLINE: u32 = 80;
/// The most lines for the name and the time of a comment.
pub(super) const MAX_LINES: usize = 3;
/// The fewest characters in a comment.
const MIN_SAID: u32 = 30;

/// The ranges of text blocks that are rows of readers' comments. If the element around the rows begins after the
/// headline and has no running text of its own (`own_text`, see [`own_texts`]) before them, one range goes from the
/// first row to the element's end. It then includes a form after the rows. Otherwise each row is a range.
pub(super) fn comment_rows(
    page: &Page,
    paragraphs: &[Paragraph],
    model: &PageModel,
    alike: &Alike,
    style: &DateStyle<'_>,
    own_text: impl Fn(u32) -> usize,
) -> Vec<Range<usize>> {
    let forms: Vec<ElementId> = page.elements_of(Tag::Textarea).collect();
    let replies = Replies::of(page, paragraphs, model);
    if forms.is_empty() && replies.is_empty() {
        return Vec::new();
    }
    let first = model.headline.map_or(0, |headline| headline + 1);
    let mut found = Vec::new();
    for ((parent, _), numbers) in alike {
        let Some(number) = *parent else { continue };
        let parent = &model.nodes[number as usize];
        let rows = model.row(numbers, |node| node.blocks.start >= first && node.blocks.len() > 1);
        let Some(begin) = rows.first().map(|row| row.blocks.start) else { continue };
        let has_form = || {
            let next = forms.partition_point(|form| *form < rows[0].element);
            forms.get(next).is_some_and(|form| page.is_within(*form, parent.element))
        };
        let are_answered = rows.len() > 1 && rows.iter().all(|row| replies.are_in(row, page));
        let is_below_article = || model.good.within(&(first..begin)) >= MIN_ARTICLE;
        let have_word = || are_answered && is_below_article() && rows.iter().all(|row| replies.have_word_in(row, page));
        let are_comments = || {
            rows.iter().all(|row| is_comment(row, model))
                && (rows.iter().all(|row| is_dated(row, paragraphs, model)) || have_word())
                || is_below_article() && rows.iter().all(|row| is_signed(row, paragraphs, model, style))
        };
        // A single row may be the article itself, which also begins with a date.
        let good = &model.good;
        let is_beside_more = || rows.len() > 1 || good.within(&(first..begin)) >= good.within(&rows[0].blocks);
        let are_in_text = || own_text(number) < begin;
        let is_thread = are_answered || (has_form() && !are_in_text() && !have_titles(&rows, model));
        if !is_thread || !are_comments() || !is_beside_more() {
            continue;
        }
        match parent.blocks.start >= first && !are_in_text() {
            true => found.push(begin..parent.blocks.end),
            false => found.extend(rows.iter().map(|row| row.blocks.clone())),
        }
    }
    found
}

/// Whether a row begins with a short line, such as a name, and continues with a comment.
fn is_comment(row: &Node, model: &PageModel) -> bool {
    is_byline(row.blocks.start, model) && row.blocks.clone().skip(1).any(|at| may_be_comment(at, model))
}

pub(super) fn may_be_comment(at: usize, model: &PageModel) -> bool {
    model.blocks[at].weight >= MIN_SAID && model.blocks[at].link_share < 0.3
}

/// Whether the first three short lines of a row contain a date or a time: any digit counts.
fn is_dated(row: &Node, paragraphs: &[Paragraph], model: &PageModel) -> bool {
    let mut short = row.blocks.clone().take_while(|at| is_byline(*at, model)).take(MAX_LINES);
    short.any(|at| paragraphs[at].text.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether a row ends with short lines, one of which has a date, after a comment. A digit is not enough: sections of an
/// article end with captions and numbers.
fn is_signed(row: &Node, paragraphs: &[Paragraph], model: &PageModel, style: &DateStyle<'_>) -> bool {
    let mut lines = row.blocks.clone().rev().take_while(|at| is_byline(*at, model)).take(MAX_LINES);
    row.blocks.clone().rev().skip(1).any(|at| may_be_comment(at, model))
        && lines.any(|at| has_date(&paragraphs[at].text, style))
}

/// Whether a text has a date.
pub(super) fn has_date(text: &str, style: &DateStyle<'_>) -> bool {
    !DateText::of(text, style).dates.is_empty()
}

/// Whether most rows have a heading. Posts have one, comments do not.
fn have_titles(rows: &[&Node], model: &PageModel) -> bool {
    let has_title = |row: &&&Node| row.blocks.clone().any(|at| model.blocks[at].heading);
    2 * rows.iter().filter(has_title).count() > rows.len()
}

/// For each node, the first block of running text that is its own, not that of an element inside it with several
/// blocks. It is the number of all blocks if there is no such text. The element of an article has such text before the
/// rows of comments. An element that holds only comments has none.
pub(super) fn own_texts(model: &PageModel) -> Vec<usize> {
    let mut first = vec![model.blocks.len(); model.nodes.len()];
    // A heading below the headline may be the title of the rows.
    let is_title = |at: usize| model.blocks[at].heading && model.headline.is_some_and(|headline| headline < at);
    let is_text = |at: &usize| model.blocks[*at].class == Class::Good && !is_title(*at);
    for at in (0..model.blocks.len()).rev().filter(is_text) {
        // Skip the paragraph's own element, and elements that hold nothing else.
        let holder = model.ancestors_of_block(at).find(|node| model.nodes[*node as usize].blocks.len() > 1);
        holder.into_iter().for_each(|node| first[node as usize] = at);
    }
    first
}

pub(super) fn is_byline(at: usize, model: &PageModel) -> bool {
    model.blocks[at].weight <= MAX_BYLINE && !model.blocks[at].heading
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goldminer::pattern::shape::Shapes;

    const SAID: &str = "I was there that night, and it was nothing like what you write.";

    fn rows(html: &str) -> Vec<Range<usize>> {
        let page = Page::parse(format!("<h1>Rain</h1><p>It rained.</p>{html}"));
        let classes = vec![Class::Good; page.paragraphs().len()];
        PageModel::of_page(&page, None, &classes, &mut Shapes::default()).comment_rows
    }

    #[test]
    fn rows_with_name_date_and_reply_are_comments() {
        let row = |n| format!("<div class=x><div><b>ann</b> 12.0{n}.2026</div><p>{SAID}</p><a href=#r>Reply</a></div>");
        assert_eq!(rows(&format!("<div class=y>{}{}</div>", row(1), row(2))), vec![2..8]);
        assert!(rows(&row(1)).is_empty(), "a single row is not enough");
    }

    #[test]
    fn rows_with_reply_below_an_article_need_no_date() {
        let article = format!("<p>{SAID} {SAID}</p>").repeat(6);
        for reply in [
            "<button><svg></svg> Reply</button>",
            "<a href='javascript:void(0)'>Antworten</a>",
            "<span>Ответить</span>",
        ] {
            let row = format!("<div><div>ann_b</div><div>{SAID}</div><div>{reply}</div></div>");
            let page = format!("{article}<div>{row}{row}</div>");
            assert_eq!(rows(&page).len(), 1, "{reply}");
            assert!(rows(&format!("<div>{row}{row}</div>")).is_empty(), "no article is above them");
        }
        let shared = format!("<div><div>12:03</div><div>{SAID}</div><button>Share</button></div>").repeat(2);
        assert!(rows(&format!("{article}<div>{shared}</div>")).is_empty(), "a ticker");
    }

    #[test]
    fn rows_signed_below_the_text_are_comments_below_an_article() {
        let article = format!("<p>{SAID} {SAID}</p>").repeat(6);
        let form = "<form><textarea></textarea></form>";
        for signed in ["<div>Ann Weber</div><div>12.05.2026</div>", "<div>Posted by ann | 5/3/2026</div>"] {
            let row = |signed: &str| format!("<div><p>{SAID}</p>{signed}</div>");
            let rows_of = |signed: &str| format!("<div><h2>Guest book</h2>{}{form}</div>", row(signed).repeat(3));
            assert_eq!(rows(&format!("{article}{}", rows_of(signed))).len(), 1, "{signed}");
            assert!(rows(&rows_of(signed)).is_empty(), "a timeline, without an article above it");
            assert!(rows(&format!("{article}{}", rows_of("<div>Picture 12</div>"))).is_empty(), "captions");
        }
    }

    #[test]
    fn an_article_that_begins_with_a_date_is_no_comment() {
        let comment = format!("<div class=x><b>12.01.2026</b><p>{SAID}</p></div><form><textarea></textarea></form>");
        assert!(rows(&format!("<div>{comment}</div>")).is_empty());
        assert_eq!(rows(&format!("<p>{SAID} {SAID}</p><div>{comment}</div>")).len(), 1);
    }

    #[test]
    fn posts_with_a_link_to_themselves_are_no_comments() {
        let article = format!("<p>{SAID} {SAID}</p>").repeat(6);
        let byline =
            ["<time>12:0N</time>", "<b>ann</b> <i>12.01.2026</i>", "<div>12.0N Uhr</div><div>Von Ann Weber</div>"];
        let share = [
            "<a href=#pN>Share</a>",
            "<a href='#pN'>Permalink</a>",
            "<a href=#pN>Teilen</a>",
            "<a href=/live#pN>Condividi</a>",
            "<a href=/correspondents/ann>Ann Weber</a>",
            "<button>Copy link</button>",
            "<a href='#pN'>🔗</a>",
        ];
        for (byline, share) in byline.into_iter().flat_map(|byline| share.map(|share| (byline, share))) {
            for tag in ["div", "section", "article", "li"] {
                let post = format!("<{tag} class=post>{byline}<p>{SAID}</p><div>{share}</div></{tag}>");
                let posts: String = (1..5).map(|n| post.replace('N', &n.to_string())).collect();
                assert!(rows(&format!("{article}<div>{posts}</div>")).is_empty(), "{post}");
                assert!(rows(&format!("<div>{posts}</div>")).is_empty(), "{post}");
            }
        }
    }

    #[test]
    fn links_to_a_form_for_answers_are_found_by_their_addresses() {
        let row =
            |href: &str| format!("<div><div><b>ann</b> 12.01.2026</div><p>{SAID}</p><a href='{href}'>re</a></div>");
        for href in ["/a?replytocom=7#respond", "#respond", "#reply-7", "/reply/7"] {
            assert_eq!(rows(&format!("<div>{}</div>", row(href).repeat(2))).len(), 1, "{href}");
        }
    }

    #[test]
    fn posts_in_the_text_above_a_form_are_no_comments() {
        let post = format!("<div class=x><div>Ann Weber, 12:01</div><p>{SAID}</p></div>").repeat(3);
        let form = "<div><form><textarea></textarea></form></div>";
        assert!(rows(&format!("<div><p>{SAID} {SAID}</p>{post}{form}</div>")).is_empty());
        assert_eq!(rows(&format!("<div><p>{SAID} {SAID}</p><div>{post}{form}</div></div>")).len(), 1);
    }

    #[test]
    fn text_around_answered_posts_in_an_article_is_no_comment() {
        let post = format!("<div class=x><div>Ann 12.01.2026</div><p>{SAID}</p><span>Reply</span></div>");
        let found = rows(&format!("<div><p>{SAID}</p>{post}<p>{SAID} {SAID}</p>{post}<p>{SAID}</p></div>"));
        assert_eq!(found, [3..6, 7..10]);
    }

    #[test]
    fn posts_with_titles_above_a_form_are_no_comments() {
        let post = format!("<div class=x><div>Ann, 12:01</div><h3>Rain</h3><p>{SAID}</p></div>").repeat(3);
        assert!(rows(&format!("<div>{post}<form><textarea></textarea></form></div>")).is_empty());
    }

    #[test]
    fn rows_above_a_form_are_comments_and_a_ticker_is_not() {
        let row = |n| format!("<div class=x><b>12:0{n}</b><p>{SAID}</p></div>");
        let ticker = format!("<div class=y>{}{}</div>", row(1), row(2));
        assert!(rows(&ticker).is_empty());
        assert!(rows(&format!("{ticker}<form><textarea></textarea></form>")).is_empty());
        assert_eq!(rows(&format!("<div>{}{}<form><textarea></textarea></form></div>", row(1), row(2))).len(), 1);
    }
}
