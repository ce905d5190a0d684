//! Removes lines that are part of the document's metadata, not of its text: the line with author and date between
//! headline and text, and lines with the URL of the article, as print versions have them.
//!
//! Profiles recognise such a line by its element; here it is recognised by its words. Lines with an author are only
//! removed before the first running text: a later line that ends with a name is text.

use goldminer_html::address::CrawlUrl;
use goldminer_html::{Page, Paragraph};

use crate::document::Metadata;
use crate::goldminer::PageProfile;
use crate::goldminer::trim::{ParagraphReason, Trimmed, corrected};
use crate::metadata::is_credit;

/// The most words in a line with a URL.
const MAX_WORDS: u32 = 4;

/// Removes lines that repeat the metadata from a cut, unless a manual rule declares them text. A URL of the same
/// website is removed if it is that of the page or its canonical URL, or if it is the first or last line.
pub(crate) fn drop_from(
    page: &Page,
    url: Option<&CrawlUrl>,
    profile: Option<&PageProfile<'_>>,
    cut: &mut Trimmed,
    metadata: &Metadata,
) {
    let authors = &metadata.authors;
    let paragraph = |at: usize| -> &Paragraph { &page.paragraphs()[at] };
    let is_text = |at: &usize| Some(*at) != cut.headline && paragraph(*at).is_running_text();
    let Some(text) = cut.paragraphs.iter().copied().find(is_text) else { return };
    let is_manual = |at: usize| profile.is_some_and(|profile| corrected::is_manual_text(page, profile, at));
    let mut lines = cut.paragraphs.iter().copied().filter(|at| Some(*at) != cut.headline);
    let edges = [lines.next(), lines.next_back()];
    let canonical = metadata.canonical.as_deref().and_then(|url| CrawlUrl::parse(url).ok());
    let names_page = |at: usize| {
        let (Some(own), Some(named)) = (url, url_in(paragraph(at))) else { return false };
        let is_same = |url: &CrawlUrl| host_and_path(url) == host_and_path(&named);
        named.domain() == own.domain()
            && (edges.contains(&Some(at)) || is_same(own) || canonical.as_ref().is_some_and(is_same))
    };
    let is_line = |at| at < text && is_credit(&paragraph(at).text, authors) || names_page(at);
    cut.drop_kept(ParagraphReason::Credit, |at| paragraph(at).heading.is_none() && is_line(at) && !is_manual(at));
}

/// The URL that a line consists of, without a label before it such as "Source:".
fn url_in(line: &Paragraph) -> Option<CrawlUrl> {
    let (label, url) = line.text.rsplit_once(char::is_whitespace).unwrap_or(("", &line.text));
    let url = url.trim_matches(['(', ')', '[', ']', '<', '>', '.', ',']);
    if line.words > MAX_WORDS
        || !label.is_empty() && !label.ends_with([':', '：'])
        || !url.contains(['/', '.'])
        || url.contains('@') && !url.contains("://")
    {
        return None;
    }
    CrawlUrl::parse(url).or_else(|_| CrawlUrl::parse(&format!("http://{url}"))).ok()
}

/// The part of a URL by which two URLs of one page are compared.
fn host_and_path(url: &CrawlUrl) -> (&str, &str) {
    let host = url.host_name();
    (host.strip_prefix("www.").unwrap_or(host), url.path_and_query().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Metadata {
        let canonical = Some("https://portal.example/rain".to_owned());
        Metadata { authors: vec!["Anna Nagy".to_owned()], canonical, ..Metadata::default() }
    }

    fn texts(html: &str) -> Vec<String> {
        let page = Page::parse(html.to_owned());
        let mut cut = Trimmed::of((0..page.paragraphs().len()).collect(), Some(0));
        let url = CrawlUrl::parse("https://www.portal.example/rain/print").unwrap();
        drop_from(&page, Some(&url), None, &mut cut, &metadata());
        cut.paragraphs.iter().map(|at| page.paragraphs()[*at].text.to_string()).collect()
    }

    #[test]
    fn a_line_that_a_person_has_marked_as_text_stays() {
        let profile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n[manual]\nkeep = ['p.by']\n";
        let page = Page::parse(format!("<h1>Rain</h1><p class=by>Anna Nagy</p><p>Anna Nagy</p>{SAID}"));
        let mut cut = Trimmed::of((0..4).collect(), Some(0));
        let profile = profile.parse().unwrap();
        let profile = PageProfile::of(&page, &profile).unwrap();
        drop_from(&page, None, Some(&profile), &mut cut, &metadata());
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

    #[test]
    fn lines_with_the_url_of_the_article_are_removed() {
        for line in [
            "http://portal.example/rain",
            "Source: https://www.portal.example/rain/",
            "www.portal.example/rain/print",
            "(portal.example/article?id=17)",
            "Forrás: <a href=/rain>http://portal.example/article?id=17</a>",
        ] {
            let last = texts(&format!("<h1>Rain</h1>{SAID}<hr><p>{line}</p>"));
            let first = texts(&format!("<h1>Rain</h1><p>{line}</p>{SAID}"));
            assert_eq!((last.len(), first.len()), (2, 2), "{line}");
        }
        for line in [
            "http://other.example/rain",
            "See portal.example/rain",
            "Rain, wind.",
            "and/or",
            "It is 9.30",
            "info@portal.example",
        ] {
            assert_eq!(texts(&format!("<h1>Rain</h1>{SAID}<p>{line}</p>")).len(), 3, "{line}");
        }
        let between = |url: &str| texts(&format!("<h1>Rain</h1>{SAID}<p>{url}</p>{SAID}")).len();
        assert_eq!((between("http://portal.example/rain"), between("http://portal.example/sun")), (3, 4));
    }
}
