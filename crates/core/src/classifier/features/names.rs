//! The meaning of class names, ids, roles and properties, in 32 categories. The names are words that sites everywhere
//! use. The model learns how much each category counts; no category is a rule about a site.

use goldminer_html::Marks;

use crate::phrases::{self, PHRASES, SIGNS, category, for_each_word, names_comments};

/// Categories as bits: the first categories in the table of phrases.
pub(crate) type Categories = u32;

pub(crate) const CATEGORIES: usize = category("title/comments").trailing_zeros() as usize;
/// The category of readers' comments. `names_comments` recognises names of comments that the usual words do not.
pub(crate) const COMMENTS: Categories = category("element/comments") as Categories;
/// The category of hidden elements. They are also recognised by attributes (`tree::is_hidden`).
pub(crate) const HIDDEN: Categories = category("element/hidden") as Categories;
/// Categories that an element with most of the page's text cannot have: comments come after the text, and the text is
/// visible.
pub(crate) const DENIED: Categories = COMMENTS | HIDDEN;

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    phrases::categories().map_while(|name| name.strip_prefix("element/"))
}

/// The categories of an element, by its class, id, role and property. They are recognised by whole words in these
/// names, and by parts at any place in them.
pub(crate) fn categories(marks: &Marks<'_>) -> Categories {
    let mut found = 0;
    let names = [&marks.class, &marks.id, &marks.role, &marks.itemprop];
    for name in names.into_iter().filter_map(|name| name.as_deref()) {
        let phrases = PHRASES.of_text(name);
        found |= phrases as Categories;
        found |= if phrases & SIGNS != 0 && names_comments(name) { COMMENTS } else { 0 };
        for_each_word(name, |word| found |= PHRASES.of_word(word) as Categories);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    fn names_in(html: &str) -> Vec<&'static str> {
        let page = Page::parse(html.to_owned());
        let found = categories(&page.marks(page.ids().next().unwrap()));
        names().enumerate().filter(|(bit, _)| found >> bit & 1 == 1).map(|(_, name)| name).collect()
    }

    #[test]
    fn names_are_read_by_whole_words_and_by_parts() {
        assert_eq!(names_in("<div class='relatedPosts_2-top'>"), ["content", "related", "header", "more of the site"]);
        assert_eq!(names_in("<div id=kommentare>"), ["comments"]);
        assert_eq!(names_in("<div class='comment-piece category-opinion id_41c0ad97b2e'>"), ["tags"]);
        assert_eq!(names_in("<div class=shareholders>"), [""; 0]);
        assert_eq!(names_in("<section itemprop=articleBody>"), ["content", "article body"]);
    }
}
