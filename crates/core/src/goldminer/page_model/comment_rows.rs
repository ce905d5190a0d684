//! Readers' comments that no name and no title tells: rows that are made alike, each of which begins with a name and a
//! date, with a link to reply in each of them, or a form for texts behind them.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{Node, PageModel};
use crate::page::{ElementId, Page, Paragraph, Tag};

/// A name and a date have no more characters.
const MAX_BYLINE: u32 = 80;
/// Nor has a link to reply.
const MAX_REPLY: u32 = 30;
/// A comment says something, in characters.
const MIN_SAID: u32 = 30;

/// The stretches of blocks that are such rows, with the form behind them.
pub(super) fn comment_rows(page: &Page, paragraphs: &[Paragraph], model: &PageModel) -> Vec<Range<usize>> {
    let forms: Vec<ElementId> = page.elements_of(Tag::Textarea).collect();
    let replies = replies(page, paragraphs, model);
    if forms.is_empty() && replies.is_empty() {
        return Vec::new();
    }
    let first = model.headline.map_or(0, |headline| headline + 1);
    let mut rows: FxHashMap<(Option<u32>, _), Vec<&Node>> = FxHashMap::default();
    for node in model.nodes.iter().filter(|node| node.blocks.start >= first && node.blocks.len() > 1) {
        rows.entry((node.parent, node.shape)).or_default().push(node);
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    for ((parent, _), rows) in rows {
        let Some(parent) = parent.map(|parent| &model.nodes[parent as usize]) else { continue };
        let begin = rows[0].blocks.start;
        let has_form = || {
            let next = forms.partition_point(|form| *form < rows[0].element);
            forms.get(next).is_some_and(|form| page.is_within(*form, parent.element))
        };
        let reply_to = |row: &&Node| {
            let next = replies.partition_point(|at| *at < row.blocks.start);
            replies.get(next).is_some_and(|at| row.blocks.contains(at))
        };
        let are_answered = rows.len() > 1 && rows.iter().all(reply_to);
        let are_comments = || rows.iter().all(|row| is_comment(row, paragraphs, model));
        // An article's own element begins with a date, too.
        let is_beside_more = || rows.len() > 1 || model.good_in(first..begin) >= model.good_in(rows[0].blocks.clone());
        if (are_answered || has_form()) && are_comments() && is_beside_more() {
            found.push(
                begin..if parent.blocks.start >= first { parent.blocks.end } else { rows[rows.len() - 1].blocks.end },
            );
        }
    }
    found.sort_unstable_by_key(|range| (range.start, range.end));
    found
}

/// Whether a row begins with a name and a date, and goes on with what somebody said.
fn is_comment(row: &Node, paragraphs: &[Paragraph], model: &PageModel) -> bool {
    let byline = |at: usize| model.blocks[at].weight <= MAX_BYLINE && !model.blocks[at].heading;
    let short = row.blocks.clone().take_while(|at| byline(*at)).take(3);
    let is_dated = short.clone().any(|at| paragraphs[at].text.bytes().any(|byte| byte.is_ascii_digit()));
    let said =
        row.blocks.clone().skip(1).any(|at| model.blocks[at].weight >= MIN_SAID && model.blocks[at].link_share < 0.3);
    is_dated && byline(row.blocks.start) && said
}

/// The blocks that are nothing but a short link into the page itself, or one that says that it replies.
fn replies(page: &Page, paragraphs: &[Paragraph], model: &PageModel) -> Vec<usize> {
    let mut replies = Vec::new();
    let Some(first) = paragraphs.first() else { return replies };
    for id in page.elements_of(Tag::A) {
        let element = page.element(id);
        if element.close <= first.span.start {
            continue;
        }
        let at = paragraphs.partition_point(|paragraph| paragraph.span.end <= element.content);
        let Some(block) = model.blocks.get(at) else { break };
        let is_whole =
            paragraphs[at].span.start < element.close && block.link_share >= 0.9 && block.weight <= MAX_REPLY;
        let answers = |href: &str| href.starts_with('#') || href.contains("reply") || href.contains("respond");
        if is_whole && page.attribute(id, "href").is_some_and(|href| answers(href.trim())) {
            replies.push(at);
        }
    }
    replies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goldminer::shape::Shapes;
    use crate::justext::Class;

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
        assert!(rows(&row(1)).is_empty(), "one row is none");
    }

    #[test]
    fn an_articles_element_that_begins_with_a_date_is_no_comment_for_the_form_behind_it() {
        let said = format!("<div class=x><b>12.01.2026</b><p>{SAID}</p></div><form><textarea></textarea></form>");
        assert!(rows(&format!("<div>{said}</div>")).is_empty());
        assert_eq!(rows(&format!("<p>{SAID} {SAID}</p><div>{said}</div>")).len(), 1);
    }

    #[test]
    fn rows_with_a_form_behind_them_are_comments_and_a_ticker_is_none() {
        let row = |n| format!("<div class=x><b>12:0{n}</b><p>{SAID}</p></div>");
        let ticker = format!("<div class=y>{}{}</div>", row(1), row(2));
        assert!(rows(&ticker).is_empty());
        assert!(rows(&format!("{ticker}<form><textarea></textarea></form>")).is_empty());
        assert_eq!(rows(&format!("<div>{}{}<form><textarea></textarea></form></div>", row(1), row(2))).len(), 1);
    }
}
