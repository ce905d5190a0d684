//! The headline: which paragraph of a page is its title. It belongs to the text, once, wherever the cut begins.

use goldminer_html::Page;

use crate::classifier::titled;

/// A heading that names the page has so many letters, …
const MIN_LETTERS: usize = 8;
/// … and so many thousandths of them in words of the title.
const MIN_OVERLAP: usize = 800;
/// The same of a text that is no heading: a title may name the section and the author, too.
const MIN_UNMARKED_LETTERS: usize = 12;
/// Titles are no longer, in characters.
const MAX_UNMARKED: u32 = 300;

/// The paragraph that is the headline: the heading that has the most of the page's title, else the only `h1`, else another
/// text that stands in the title and links nowhere.
pub(super) fn headline(page: &Page) -> Option<usize> {
    let only = || {
        let mut first_level = (0..page.paragraphs().len()).filter(|at| page.paragraphs()[*at].heading == Some(1));
        let only = first_level.next()?;
        first_level.next().is_none().then_some(only)
    };
    let unmarked = || {
        titled(page, MIN_UNMARKED_LETTERS, 999, |paragraph| {
            paragraph.heading.is_none() && paragraph.link_chars == 0 && paragraph.chars <= MAX_UNMARKED
        })
    };
    titled(page, MIN_LETTERS, MIN_OVERLAP, |paragraph| paragraph.heading.is_some()).or_else(only).or_else(unmarked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> Option<String> {
        let page = Page::parse(html.to_owned());
        headline(&page).map(|at| page.paragraphs()[at].text.to_string())
    }

    #[test]
    fn the_heading_named_by_the_title_wins_over_the_site_name_in_h1() {
        let html =
            "<title>Flood in Győr – Portal</title><h1>Portal</h1><h1>News</h1><h2>Flood in Győr</h2><p>It rained.";
        assert_eq!(found(html).as_deref(), Some("Flood in Győr"));
    }

    #[test]
    fn typography_of_the_title_does_not_matter() {
        let html = "<meta property=og:title content='\"Don&#39;t panic\" - says mayor'><h3>“Don’t panic” – says mayor</h3><h1>a</h1><h1>b</h1>";
        assert_eq!(found(html).as_deref(), Some("“Don’t panic” – says mayor"));
    }

    #[test]
    fn without_a_title_the_only_h1_is_it() {
        assert_eq!(found("<h1>One</h1><h2>Two</h2>").as_deref(), Some("One"));
        assert_eq!(found("<h1>One</h1><h1>Two</h1>"), None);
    }

    #[test]
    fn without_headings_it_is_the_longest_text_that_the_title_has_and_no_link() {
        let page = "<title>Rain over Rome for a week | Portal of the North</title><b>Portal of the North</b>\
                    <p><a href=/1>Rain over Rome for a week</a></p><div class=t>Rain over Rome for a week</div>\
                    <p>It rained.</p>";
        assert_eq!(found(page).as_deref(), Some("Rain over Rome for a week"));
        let page = Page::parse(page.to_owned());
        assert_eq!(headline(&page), Some(2), "not the link");
        assert_eq!(found("<title>Rain in Rome</title><p>Rome</p><p>It rained in Rome.</p>"), None);
    }

    #[test]
    fn a_word_inside_of_a_title_is_no_headline() {
        assert_eq!(
            found("<title>The shareholders met in Berlin</title><h2>holders met in</h2><h1>a</h1><h1>b</h1>"),
            None
        );
    }
}
