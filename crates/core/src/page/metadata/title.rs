//! The `<title>` of a page: the headline, most often with the name of the site behind it.

use super::near::Words;
use super::text;
use crate::document::MetadataSource;
use crate::page::Page;
use crate::page::letters::letters_of;
use crate::page::tag::Tag;

/// What stands between headline and site.
const SEPARATORS: &[&str] = &[" | ", " - ", " – ", " — ", " :: ", " » ", " « ", " • ", " · ", " / ", "｜", "_"];

/// The headline in the page's `<title>`.
pub(super) fn of_document(page: &Page, site_name: Option<&str>) -> Option<String> {
    let title = whole(page)?;
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

/// The page's `<title>` as it stands.
pub(super) fn whole(page: &Page) -> Option<String> {
    page.elements_of(Tag::Title).next().map(|id| page.inner_source(id)).and_then(text::line)
}

/// What different places say that the title is.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub json_ld: Option<String>,
    pub meta: Option<String>,
    /// The heading on the page that is most like the others.
    pub headline: Option<String>,
}

/// So much of its words a headline shares with another title at least, to be the better one of two.
const MIN_SHARED: f32 = 0.35;
/// More, and they are the same but for a kicker or a figure.
const NEARLY_SAME: f32 = 0.8;
/// A longer title is a description.
const MAX_TITLE_CHARS: usize = 200;

impl Candidates {
    /// The title that readers see. `<title>` is written for search engines, often `og:title` with it; where one of the
    /// others differs from `<title>`, that is what the editors wrote.
    pub(super) fn choose(self, document: Option<&str>, site_name: Option<&str>) -> Option<(String, MetadataSource)> {
        let site = site_name.map(comparable);
        let is_site = |title: &str| site.as_ref().is_some_and(|site| comparable(title) == *site);
        let is_title = |title: &String| title.chars().count() <= MAX_TITLE_CHARS && !is_site(title);
        let whole = |title: String| without_site(&title, site_name).to_owned();
        let headline = self.headline.filter(is_title).map(whole);
        let json_ld = self.json_ld.filter(is_title).map(whole);
        // A front page is called like its site.
        let may_be = |title: &String| is_title(title) || headline.is_none() && json_ld.is_none();
        let meta = self.meta.filter(may_be).map(whole);
        let is_document =
            |title: &str| document.is_some_and(|document| begins_so(document, title) || begins_so(title, document));
        let chosen = match (json_ld, meta, headline) {
            (Some(json_ld), Some(meta), Some(headline)) => {
                let words = Words::of(&meta);
                if same(&json_ld, &meta) {
                    let is_another = (MIN_SHARED..NEARLY_SAME).contains(&words.shared(&headline))
                        && is_document(&meta)
                        && !is_document(&headline)
                        && !contains(&meta, &headline)
                        && !contains(&headline, &meta);
                    if is_another { (headline, MetadataSource::Text) } else { (json_ld, MetadataSource::JsonLd) }
                } else if same(&meta, &headline) && is_document(&json_ld) && !is_document(&meta) {
                    (meta, MetadataSource::Meta)
                } else {
                    (json_ld, MetadataSource::JsonLd)
                }
            }
            (Some(json_ld), ..) => (json_ld, MetadataSource::JsonLd),
            (None, Some(meta), Some(headline)) => {
                let is_better = !same(&meta, &headline) && Words::of(&meta).shared(&headline) >= MIN_SHARED;
                if is_better { (headline, MetadataSource::Text) } else { (meta, MetadataSource::Meta) }
            }
            (None, Some(meta), None) => (meta, MetadataSource::Meta),
            (None, None, Some(headline)) => {
                let is_it = document.is_none_or(|document| Words::of(document).shared(&headline) >= MIN_SHARED);
                if is_it { (headline, MetadataSource::Text) } else { return None }
            }
            (None, None, None) => return None,
        };
        Some(chosen)
    }
}

/// Whether two titles are the same, but for case, signs and a site's name behind one of them.
fn same(one: &str, other: &str) -> bool {
    begins_so(one, other) && begins_so(other, one)
}

pub(super) fn begins_so(title: &str, beginning: &str) -> bool {
    let beginning = letters_of(beginning);
    !beginning.is_empty() && letters_of(title).starts_with(&beginning)
}

fn contains(title: &str, part: &str) -> bool {
    letters_of(title).contains(&letters_of(part))
}

/// A title without the site's name behind or before it. No separator is without a sign.
pub(super) fn without_site<'a>(title: &'a str, site_name: Option<&str>) -> &'a str {
    if title.bytes().all(|byte| byte.is_ascii() && !b"|-:/_".contains(&byte)) {
        return title;
    }
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
pub(super) fn comparable(name: &str) -> String {
    let bare = name.trim().trim_start_matches("www.");
    let bare = match bare.rsplit_once('.') {
        Some((name, top)) if (2..=7).contains(&top.len()) && top.chars().all(char::is_alphabetic) => name,
        _ => bare,
    };
    letters_of(bare)
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
