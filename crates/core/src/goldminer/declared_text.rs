//! Finds paragraphs that the page itself declares as article text, in the `articleBody` of its JSON-LD. The learner
//! uses them besides jusText's classes. A paragraph that is not declared keeps its class, because many pages declare
//! only the beginning of their text. Texts are compared by letters and digits, because typography, tags and character
//! references differ.

use goldminer_html::Page;
use goldminer_html::text::case_fold::letters_of;
use memchr::memmem::Finder;

use crate::justext::{Class, Thresholds};
use crate::metadata::article_body;

/// The fewest bytes of letters and digits in a paragraph that is compared. A shorter one may be in the declared text
/// by chance.
const MIN_BYTES: usize = 25;
/// The most bytes that are searched, for all paragraphs of a page together. The longest articles need far fewer.
const MAX_SEARCHED_BYTES: usize = 64 << 20;

/// Sets the class to good for the paragraphs that the page declares as text of its article.
pub(super) fn label(page: &Page, classes: &mut [Class]) {
    let Some(declared) = article_body(page) else { return };
    let declared = letters_of(&declared);
    // A paragraph that is mostly links is never good.
    let most_links = Thresholds::default().max_link_density;
    let (mut behind_last, mut left) = (0, MAX_SEARCHED_BYTES);
    for (paragraph, class) in page.paragraphs().iter().zip(classes) {
        if *class == Class::Good || paragraph.link_density() > most_links {
            continue;
        }
        let letters = letters_of(&paragraph.text);
        if letters.len() < MIN_BYTES || left < 2 * declared.len() {
            continue;
        }
        // Most paragraphs are declared in their order on the page.
        let finder = Finder::new(&letters);
        match finder.find(&declared.as_bytes()[behind_last..]) {
            Some(at) => {
                left -= at;
                behind_last += at + letters.len();
            }
            None => {
                left -= 2 * declared.len();
                let before = declared.len().min(behind_last + letters.len());
                if finder.find(&declared.as_bytes()[..before]).is_none() {
                    continue;
                }
            }
        }
        *class = Class::Good;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "The mayor said \\\"no\\\".<br>Every chair &amp; table of the hall had been sold by then, said the clerk of the town.";

    fn classes(declared: &str, paragraphs: &str) -> Vec<Class> {
        let html = format!("<script type=application/ld+json>{declared}</script>{paragraphs}");
        let page = Page::parse(html);
        let mut classes = vec![Class::Bad; page.paragraphs().len()];
        label(&page, &mut classes);
        classes
    }

    #[test]
    fn declared_text_is_good_whatever_its_typography() {
        let declared = format!("{{\"@type\":\"NewsArticle\",\"articleBody\":\"{BODY}\"}}");
        let shown = "<p>Every <i>chair</i> & table of the hall had been<p>sold by then, “said the clerk of the town”<p>Nobody bought the lamps of the hall";
        assert_eq!(classes(&declared, shown), [Class::Good, Class::Good, Class::Bad]);
    }

    #[test]
    fn menus_and_links_with_words_of_the_article_stay_bad() {
        let declared = format!("{{\"@type\":\"NewsArticle\",\"articleBody\":\"{BODY}\"}}");
        let shown = "<li>The mayor said no<li>Table<p><a href=/>Every chair & table of the hall had been sold</a>";
        assert_eq!(classes(&declared, shown), [Class::Bad; 3]);
    }

    #[test]
    fn only_the_pages_own_article_declares_its_text() {
        let shown = "<p>Every chair & table of the hall had been sold by then";
        let list = format!(
            "[{{\"@type\":\"Article\",\"headline\":\"Own\"}},{{\"@type\":\"Article\",\"articleBody\":\"{BODY}\"}}]"
        );
        assert_eq!(classes(&list, shown), [Class::Bad], "another article's text");
        assert_eq!(classes(&format!("{{\"@type\":\"Product\",\"articleBody\":\"{BODY}\"}}"), shown), [Class::Bad]);
        assert_eq!(classes("{\"@type\":\"Article\",\"articleBody\":[1,{\"a\":2}]}", shown), [Class::Bad]);
        assert_eq!(classes("articleBody", shown), [Class::Bad]);
    }
}
