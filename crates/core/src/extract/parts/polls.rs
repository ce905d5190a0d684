//! Polls inside of an article: a form with a question and what readers may choose from. They are sentences like the
//! article's, and none of its text.

use std::ops::Range;

use goldminer_html::{ElementId, Page, Tag};

use crate::extract::lengths;
use crate::goldminer::trim::{ParagraphReason, Trimmed};

/// Who may choose has so many answers at least.
const MIN_ANSWERS: usize = 2;

/// Takes the polls out of a cut. A form around the whole page, as some servers make it, is none.
pub(crate) fn drop_from(page: &Page, cut: &mut Trimmed) {
    let mut answers = page.elements_of(Tag::Input).filter(|id| is_radio_button(page, *id)).peekable();
    if answers.peek().is_none() {
        return;
    }
    let answers: Vec<ElementId> = answers.collect();
    let kept = lengths::of_text(page, cut);
    let is_poll = |form: ElementId, inside: &Range<usize>| {
        let first = answers.partition_point(|answer| *answer < form);
        let may_choose = answers.get(first + MIN_ANSWERS - 1).is_some_and(|answer| page.is_within(*answer, form));
        let holds_headline = cut.headline.is_some_and(|headline| inside.contains(&headline));
        may_choose && !holds_headline && 2 * u64::from(kept.within(inside)) < u64::from(kept.all())
    };
    let mut polls: Vec<Range<usize>> = Vec::new();
    for form in page.elements_of(Tag::Form) {
        let inside = page.paragraphs_in(form);
        let is_new = polls.last().is_none_or(|last| last.end <= inside.start);
        if is_new && is_poll(form, &inside) {
            polls.push(inside);
        }
    }
    let poll_before = |at: usize| polls.partition_point(|poll| poll.start <= at).checked_sub(1);
    cut.drop_kept(ParagraphReason::Poll, |at| poll_before(at).is_some_and(|before| at < polls[before].end));
}

fn is_radio_button(page: &Page, input: ElementId) -> bool {
    page.attribute(input, "type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("radio"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(html: &str) -> Vec<usize> {
        let page = Page::parse(html.to_owned());
        let mut cut = Trimmed::of((0..page.paragraphs().len()).collect(), Some(0));
        drop_from(&page, &mut cut);
        cut.paragraphs
    }

    const ARTICLE: &str = "<h1>Rain</h1><p>It rained in Rome for a week, and then the sun came out over the river.</p>";

    #[test]
    fn what_readers_may_choose_from_is_no_text() {
        let poll =
            "<form><p>Do you like rain?</p><input type=radio><p>Yes, I do.</p><input type=RADIO><p>No.</p></form>";
        assert_eq!(left(&format!("{ARTICLE}{poll}<p>It is dry now.</p>")), [0, 1, 5]);
    }

    #[test]
    fn a_form_around_the_page_and_one_to_write_in_are_no_polls() {
        let page = format!("<form>{ARTICLE}<input type=radio><input type=radio></form>");
        assert_eq!(left(&page), [0, 1]);
        assert_eq!(left(&format!("{ARTICLE}<form><p>Your name</p><input type=text></form>")), [0, 1, 2]);
    }
}
