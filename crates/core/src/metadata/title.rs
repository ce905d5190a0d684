//! Chooses the title of an article. The page's `<title>` is mostly the headline followed by the name of the site.

use goldminer_html::Page;
use goldminer_html::address::CrawlUrl;
use goldminer_html::text::case_fold::letters_of;
use goldminer_html::text::script::is_han_or_kana;

use super::near::Words;
use super::text;
use crate::document::MetadataSource;

/// Separators of headline and site that do not occur within headlines.
const SEPARATORS: &[&str] = &[" | ", " :: ", " » ", " « ", " • ", " · ", "｜", "_"];
/// Separators that also occur within headlines.
const DASHES: &[&str] = &[" - ", " – ", " — ", " / "];
/// If only a dash separates headline and site: the most words in the site's name, and the fewest in the headline.
const MAX_WORDS_OF_SITE: usize = 3;
const MIN_WORDS: usize = 4;

/// The headline in a page's `<title>`.
pub(super) fn of_document(title: Option<&str>, address: Option<&CrawlUrl>, site_name: Option<&str>) -> Option<String> {
    let title = title?;
    let bare = without_site(title, site_name);
    if bare.len() < title.len() {
        return Some(bare.to_owned());
    }
    // The longest part between separators is the headline, if it is long enough.
    let between = SEPARATORS.iter().filter(|separator| title.contains(**separator) && may_part(title, separator));
    let longest = between.flat_map(|separator| title.split(separator)).max_by_key(|part| part.chars().count());
    let is_long = |part: &&str| part.split_whitespace().count() >= MIN_WORDS || part.chars().count() >= 20;
    let headline = longest.filter(is_long).unwrap_or(title).trim();
    Some(before_dash(headline, address).to_owned())
}

/// The text before the last dash, if the text after it may be a site's name; else the whole title.
fn before_dash<'t>(title: &'t str, address: Option<&CrawlUrl>) -> &'t str {
    let last = DASHES.iter().filter_map(|dash| title.rsplit_once(dash)).max_by_key(|(before, _)| before.len());
    let Some((before, behind)) = last else { return title };
    let name = comparable(behind);
    let is_of_host = |address: &CrawlUrl| name.len() >= 4 && letters_of(address.host_name()).contains(&name);
    let words = |text: &str| text.split_whitespace().count();
    let is_like_a_name = words(behind) <= MAX_WORDS_OF_SITE && behind.starts_with(char::is_uppercase);
    match words(before) >= MIN_WORDS && is_like_a_name || address.is_some_and(is_of_host) {
        true => before.trim(),
        false => title,
    }
}

/// Whether a separator divides headline and site in this title. A pair of the quotes « and » does not, and `_` does
/// only in titles with Chinese or Japanese characters.
fn may_part(title: &str, separator: &str) -> bool {
    match separator {
        " » " | " « " => !(title.contains('»') && title.contains('«')),
        "_" => title.chars().any(is_han_or_kana),
        _ => true,
    }
}

/// The page's `<title>`, unchanged.
pub(super) fn whole(page: &Page) -> Option<String> {
    page.title_element().map(|id| page.inner_source(id)).and_then(text::line)
}

/// The titles from different places on the page.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub json_ld: Option<String>,
    pub meta: Option<String>,
    /// The whole `<title>`.
    pub document: Option<String>,
}

/// Two titles are for the same article if they share at least this part of their words.
const MIN_SHARED: f32 = 0.35;
/// Two titles with at least this share of words in common are the same except for a number or a kicker (a few words
/// before the headline).
const NEARLY_SAME: f32 = 0.8;
/// The most words in a kicker; more words before a title belong to the title.
const MAX_WORDS_OF_KICKER: usize = 5;
/// The most characters in a title; longer texts are descriptions.
const MAX_TITLE_CHARS: usize = 200;

impl Candidates {
    pub(super) fn all(&self) -> Vec<&str> {
        [&self.json_ld, &self.meta, &self.document].into_iter().flatten().map(String::as_str).collect()
    }

    /// Chooses the visible title. `headline` is the heading on the page that is most similar to the other titles.
    /// `<title>` is written for search engines, and often `og:title` is, too. If another title differs from `<title>`,
    /// it is the one that the editors wrote.
    pub(super) fn choose(&self, headline: Option<&str>, site_name: Option<&str>) -> Option<(String, MetadataSource)> {
        use MetadataSource::{JsonLd, Meta, Text};
        let site = site_name.map(comparable);
        let is_title =
            |title: &&str| title.chars().count() <= MAX_TITLE_CHARS && site.as_ref() != Some(&comparable(title));
        let whole = |title| without_site(title, site_name);
        let headline = headline.filter(is_title).map(whole);
        let json_ld = self.json_ld.as_deref().filter(is_title).map(whole);
        // The title of a front page may be the site's name.
        let is_front = headline.is_none() && json_ld.is_none();
        let meta = self.meta.as_deref().filter(|title| is_front || is_title(title)).map(whole);
        let is_document = |title| {
            self.document.as_deref().is_some_and(|document| extends(document, title) || extends(title, document))
        };
        let chosen = match (json_ld, meta, headline) {
            (Some(json_ld), Some(meta), Some(headline)) if same(json_ld, meta) => {
                let is_another = (MIN_SHARED..NEARLY_SAME).contains(&Words::of(meta).shared(headline))
                    && is_document(meta)
                    && !is_document(headline)
                    && !contains(meta, headline)
                    && !contains(headline, meta);
                if is_another { (headline, Text) } else { (json_ld, JsonLd) }
            }
            (Some(json_ld), Some(meta), Some(headline))
                if same(meta, headline) && is_document(json_ld) && !is_document(meta) =>
            {
                (meta, Meta)
            }
            (Some(json_ld), ..) => (json_ld, JsonLd),
            (None, Some(meta), Some(headline))
                if !same(meta, headline) && Words::of(meta).shared(headline) >= MIN_SHARED =>
            {
                (headline, Text)
            }
            (None, Some(meta), _) => (meta, Meta),
            (None, None, headline) => {
                let is_it = |title: &&str| {
                    self.document.as_deref().is_none_or(|document| Words::of(document).shared(title) >= MIN_SHARED)
                };
                (headline.filter(is_it)?, Text)
            }
        };
        let mut declared =
            [(json_ld, JsonLd), (meta, Meta)].into_iter().filter_map(|(title, source)| Some((title?, source)));
        let bare = declared.find(|(title, _)| has_kicker_before(chosen.0, title));
        let (title, source) = bare.unwrap_or(chosen);
        Some((title.to_owned(), source))
    }
}

/// Whether two titles are the same, apart from case, punctuation and a site's name at the end of one.
fn same(one: &str, other: &str) -> bool {
    extends(one, other) && extends(other, one)
}

pub(super) fn extends(title: &str, beginning: &str) -> bool {
    let beginning = letters_of(beginning);
    !beginning.is_empty() && letters_of(title).starts_with(&beginning)
}

/// Whether `title` is the title `bare` with a kicker before it: a few words that name the topic or the kind of text.
fn has_kicker_before(title: &str, bare: &str) -> bool {
    let kicker = title.strip_suffix(bare).unwrap_or_default();
    let words = |text: &str| text.split_whitespace().count();
    (1..=MAX_WORDS_OF_KICKER).contains(&words(kicker))
        && words(bare) >= MIN_WORDS
        && kicker.ends_with(char::is_whitespace)
        && !bare.starts_with(char::is_lowercase)
}

fn contains(title: &str, part: &str) -> bool {
    letters_of(title).contains(&letters_of(part))
}

/// Returns a title without the site's name before or after it.
pub(super) fn without_site<'a>(title: &'a str, site_name: Option<&str>) -> &'a str {
    let Some(site) = site_name.map(comparable).filter(|site| !site.is_empty()) else { return title };
    for separator in SEPARATORS.iter().chain(DASHES).filter(|separator| may_part(title, separator)) {
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

/// Returns the letters and digits of a name in lower case, without `www.` and the top-level domain of a host name.
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
    fn the_site_s_name_is_removed() {
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
            ("A new bridge opens today - The Portal", "A new bridge opens today"),
            ("A new bridge opens today – The Portal | Home", "A new bridge opens today"),
            ("Bridge - Portal", "Bridge - Portal"),
            ("Bridges", "Bridges"),
            ("新しい橋が北部で開通し住民が喜ぶ様子を取材した_新聞", "新しい橋が北部で開通し住民が喜ぶ様子を取材した"),
        ] {
            assert_eq!(of_document(titled(title).as_deref(), None, None).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_kicker_is_removed_if_the_metadata_have_the_bare_title() {
        let chosen = |headline: &str, meta: &str| {
            Candidates { meta: Some(meta.to_owned()), ..Default::default() }.choose(Some(headline), None).unwrap()
        };
        let bare = "A new bridge opens in the north";
        for headline in [
            "Traffic A new bridge opens in the north",
            "Floods in the north: A new bridge opens in the north",
            "Comment – A new bridge opens in the north",
        ] {
            assert_eq!(chosen(headline, bare), (bare.to_owned(), MetadataSource::Meta));
            assert_eq!(chosen(headline, headline).0, headline, "nothing shows where the headline begins");
        }
        let whole = "Why the bridge was opened a year too late";
        assert_eq!(chosen(whole, "bridge was opened a year too late").0, whole);
        assert_eq!(chosen("The long way: Home", "Home").0, "The long way: Home");
    }

    #[test]
    fn quotes_dashes_and_signs_of_a_headline_stay() {
        for title in [
            "Le ministre reconnaît « une erreur » dans le dossier de la centrale",
            "Der Minister spricht von » einem Fehler « in der Sache der Brücke",
            "« Une erreur »",
            "The long way home – a story of five brothers",
            "Bridges - and what comes after them in the north",
            "How my_function calls your_function again",
            "How the &lt;dialog&gt; element works",
        ] {
            let shown = title.replace("&lt;", "<").replace("&gt;", ">");
            assert_eq!(of_document(titled(title).as_deref(), None, None), Some(shown));
        }
    }

    #[test]
    fn the_title_of_a_drawing_is_not_that_of_the_page() {
        let page = Page::parse("<body><svg><title>Menu</title></svg><title>A new bridge</title>".to_owned());
        assert_eq!(whole(&page).as_deref(), Some("A new bridge"));
        let page = Page::parse("<body><svg><title>Menu</title></svg><h1>A new bridge</h1><p>It opens.".to_owned());
        assert_eq!(crate::metadata::of_page(&page, None).title.as_deref(), Some("A new bridge"));
    }

    fn titled(title: &str) -> Option<String> {
        whole(&Page::parse(format!("<title>{title}</title>")))
    }
}
