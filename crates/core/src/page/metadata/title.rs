//! The `<title>` of a page: the headline, most often with the name of the site behind it.

use super::text;
use crate::page::Page;
use crate::page::tag::Tag;

/// What stands between headline and site.
const SEPARATORS: &[&str] = &[" | ", " - ", " – ", " — ", " :: ", " » ", " « ", " • ", " · ", " / ", "｜", "_"];

/// The headline in the page's `<title>`.
pub(super) fn of_document(page: &Page, site_name: Option<&str>) -> Option<String> {
    let title = page.elements_of(Tag::Title).next().map(|id| page.inner_source(id)).and_then(text::line)?;
    let bare = without_site(&title, site_name);
    if bare.len() < title.len() {
        return Some(bare.to_owned());
    }
    // The longest part between separators is the headline, if it is long enough to be one.
    let longest = SEPARATORS
        .iter()
        .filter(|separator| title.contains(**separator))
        .flat_map(|separator| title.split(separator))
        .max_by_key(|part| part.chars().count())
        .filter(|part| part.split_whitespace().count() >= 4 || part.chars().count() >= 20);
    Some(longest.map_or_else(|| title.clone(), |headline| headline.trim().to_owned()))
}

/// A title without the site's name behind or before it.
pub(super) fn without_site<'a>(title: &'a str, site_name: Option<&str>) -> &'a str {
    let Some(site) = site_name.map(comparable).filter(|site| !site.is_empty()) else { return title };
    for separator in SEPARATORS {
        for (headline, rest) in
            [title.rsplit_once(separator), title.split_once(separator).map(|(a, b)| (b, a))].into_iter().flatten()
        {
            if comparable(rest) == site && !headline.trim().is_empty() {
                return headline.trim();
            }
        }
    }
    title
}

/// Letters and digits in lower case, without the end of a host name.
fn comparable(name: &str) -> String {
    let bare = name.trim().trim_start_matches("www.");
    let bare = match bare.rsplit_once('.') {
        Some((name, top)) if (2..=7).contains(&top.len()) && top.chars().all(char::is_alphabetic) => name,
        _ => bare,
    };
    bare.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_site_is_cut_off() {
        for (title, site, expected) in [
            ("A new bridge - The Portal", "The Portal", "A new bridge"),
            ("Portal.example | A new bridge", "portal", "A new bridge"),
            ("A new bridge - and an old one", "The Portal", "A new bridge - and an old one"),
            ("The Portal", "The Portal", "The Portal"),
        ] {
            assert_eq!(without_site(title, Some(site)), expected);
        }
    }

    #[test]
    fn without_a_known_site_the_longest_part_is_the_headline() {
        for (title, expected) in [
            ("A new bridge opens in the north | Home | Portal", "A new bridge opens in the north"),
            ("Bridge - Portal", "Bridge - Portal"),
            ("Bridges", "Bridges"),
        ] {
            let page = Page::parse(format!("<title>{title}</title>"));
            assert_eq!(of_document(&page, None).as_deref(), Some(expected));
        }
    }
}
