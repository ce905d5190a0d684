//! Removes the line with author and date between headline and text: it is part of the document's metadata, not of its
//! text.
//!
//! Profiles recognise such a line by its element; here it is recognised by its words. Only lines before the first
//! running text are removed: a later line that ends with a name is text.

use goldminer_html::{Page, Paragraph};

use crate::goldminer::PageProfile;
use crate::goldminer::trim::{ParagraphReason, Trimmed, corrected};
use crate::metadata::is_credit;

/// Removes lines with author and date from a cut, unless a manual rule declares them text.
pub(crate) fn drop_from(page: &Page, profile: Option<&PageProfile<'_>>, cut: &mut Trimmed, authors: &[String]) {
    let paragraph = |at: usize| -> &Paragraph { &page.paragraphs()[at] };
    let is_text = |at: &usize| Some(*at) != cut.headline && paragraph(*at).is_running_text();
    let Some(text) = cut.paragraphs.iter().copied().find(is_text) else { return };
    let is_manual = |at: usize| profile.is_some_and(|profile| corrected::is_manual_text(page, profile, at));
    cut.drop_kept(ParagraphReason::Credit, |at| {
        at < text && paragraph(at).heading.is_none() && is_credit(&paragraph(at).text, authors) && !is_manual(at)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(html: &str) -> Vec<String> {
        let page = Page::parse(html.to_owned());
        let mut cut = Trimmed::of((0..page.paragraphs().len()).collect(), Some(0));
        drop_from(&page, None, &mut cut, &["Anna Nagy".to_owned()]);
        cut.paragraphs.iter().map(|at| page.paragraphs()[*at].text.to_string()).collect()
    }

    #[test]
    fn a_line_that_a_person_has_marked_as_text_stays() {
        let profile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n[manual]\nkeep = ['p.by']\n";
        let page = Page::parse(format!("<h1>Rain</h1><p class=by>Anna Nagy</p><p>Anna Nagy</p>{SAID}"));
        let mut cut = Trimmed::of((0..4).collect(), Some(0));
        let profile = profile.parse().unwrap();
        let profile = PageProfile::of(&page, &profile).unwrap();
        drop_from(&page, Some(&profile), &mut cut, &["Anna Nagy".to_owned()]);
        assert_eq!(cut.paragraphs, [0, 1, 3]);
    }

    const SAID: &str = "<p>It rained all day in the town, and nobody lent an umbrella.</p>";

    #[test]
    fn only_author_and_date_below_the_headline_are_removed() {
        let lines = "<p>Anna Nagy</p><p>20 November 2026</p><p>Rome</p>";
        assert_eq!(texts(&format!("<h1>Rain</h1>{lines}{SAID}<p>Anna Nagy</p>"))[..2], ["Rain", "Rome"]);
        assert_eq!(texts(&format!("<h1>Rain</h1>{lines}{SAID}<p>Anna Nagy</p>")).len(), 4, "the last line stays");
        assert_eq!(texts(&format!("<h1>Rain</h1>{lines}")).len(), 4, "there is no text behind them");
    }
}
