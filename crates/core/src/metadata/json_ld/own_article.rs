//! Which of the articles in a page's JSON-LD is the page's own: pages describe related articles in the same words, sometimes
//! before their own.
//!
//! An address settles it, then the headline. Where several articles are told and none has anything in common with the page,
//! none is taken.

use goldminer_html::address::CrawlUrl;
use goldminer_html::{Page, Paragraph, Tag};
use serde_json::{Map, Value};

use super::super::near::{MAX_HEADING_CHARS, Words};
use super::super::{canonical_links, text, title};

/// An object of JSON-LD.
pub(crate) type Object = Map<String, Value>;

/// How much of its words a headline shares with a title of the page at least.
const MIN_SHARED: f32 = 0.7;
/// So many headings are compared.
const MAX_HEADINGS: usize = 20;

/// What an article has in common with the page, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// It names another page, and has another headline.
    Foreign,
    /// It has another headline.
    Untitled,
    /// It has neither address nor headline.
    Unsaid,
    /// It has the page's headline.
    Titled,
    /// It names the page.
    Named,
}

/// The page's own article among the objects of its JSON-LD.
pub(crate) fn among<'o>(page: &Page, address: Option<&CrawlUrl>, objects: &[&'o Object]) -> Option<&'o Object> {
    let articles: Vec<&Object> = objects.iter().copied().filter(|object| is_a(object, is_article)).collect();
    let first = articles.first()?;
    // Most pages tell of one article, and name themselves in it.
    let is_of = |named: &str| address.is_some_and(|of| comparable(Some(of), named) == comparable(None, of.as_str()));
    if articles.len() == 1 && addresses(first).all(is_of) {
        return Some(first);
    }
    let page = DeclaredMetadata::of(page, address);
    let (mut best, mut likeness) = (*first, page.likeness(first));
    for article in &articles[1..] {
        let this = page.likeness(article);
        if this > likeness {
            (best, likeness) = (article, this);
        }
    }
    match likeness {
        Likeness::Foreign => None,
        Likeness::Untitled if articles.len() > 1 => None,
        _ => Some(best),
    }
}

/// Whether a kind of things is one of articles.
pub(crate) fn is_article(kind: &str) -> bool {
    kind.ends_with("Article")
        || kind.ends_with("Posting")
        || matches!(kind, "Report" | "Review" | "Recipe" | "NewsMediaObject")
}

/// Whether an object is of a kind.
pub(crate) fn is_a(object: &Object, is_kind: impl Fn(&str) -> bool) -> bool {
    let bare =
        |kind: &Value| kind.as_str().is_some_and(|kind| is_kind(kind.rsplit(['/', ':', '#']).next().unwrap_or(kind)));
    match object.get("@type") {
        Some(Value::Array(kinds)) => kinds.iter().any(bare),
        Some(kind) => bare(kind),
        None => false,
    }
}

/// The addresses and titles of a page.
struct DeclaredMetadata<'p> {
    address: Option<&'p CrawlUrl>,
    addresses: Vec<String>,
    titles: Vec<String>,
}

impl<'p> DeclaredMetadata<'p> {
    fn of(page: &'p Page, address: Option<&'p CrawlUrl>) -> Self {
        let of_meta = |wanted: &'static str| {
            page.elements_of(Tag::Meta).filter_map(move |id| {
                let is_it = page.attribute(id, "property").is_some_and(|name| name.trim() == wanted);
                if is_it { page.attribute(id, "content") } else { None }
            })
        };
        let linked = canonical_links(page).chain(of_meta("og:url")).filter_map(|linked| comparable(address, &linked));
        let addresses = linked.chain(address.and_then(|address| comparable(None, address.as_str()))).collect();
        let is_heading = |paragraph: &&Paragraph| paragraph.heading == Some(1) && paragraph.chars <= MAX_HEADING_CHARS;
        let headings = page.paragraphs().iter().filter(is_heading).take(MAX_HEADINGS);
        let titles = headings.map(|heading| heading.text.to_string());
        let titles = titles.chain(title::whole(page));
        let titles = titles.chain(of_meta("og:title").filter_map(|title| text::line(&title))).collect();
        Self { address, addresses, titles }
    }

    fn likeness(&self, article: &Object) -> Likeness {
        let named: Vec<String> = addresses(article).filter_map(|address| comparable(self.address, address)).collect();
        if named.iter().any(|address| self.addresses.contains(address)) {
            return Likeness::Named;
        }
        let headline = ["headline", "name"].iter().find_map(|key| article.get(*key)?.as_str()).and_then(text::line);
        let is_titled = headline.as_ref().is_some_and(|headline| self.is_title(headline));
        match (is_titled, named.is_empty(), headline) {
            (true, ..) => Likeness::Titled,
            // A page that has no address cannot be another one, and one without a title has no other one.
            (false, false, _) if !self.addresses.is_empty() => Likeness::Foreign,
            (false, _, Some(_)) if !self.titles.is_empty() => Likeness::Untitled,
            (false, ..) => Likeness::Unsaid,
        }
    }

    fn is_title(&self, headline: &str) -> bool {
        let words = Words::of(headline);
        self.titles.iter().any(|title| words.shared(title) >= MIN_SHARED || title::begins_so(title, headline))
    }
}

/// An address without what differs between the addresses of one page; nothing for that of a whole site.
fn comparable(base: Option<&CrawlUrl>, address: &str) -> Option<String> {
    let url = match base {
        Some(base) => base.join(address.trim()).ok()?,
        None => CrawlUrl::parse(address.trim()).ok()?,
    };
    let host = url.host_name();
    let path = url.path().trim_end_matches('/');
    (!path.is_empty()).then(|| format!("{}{path}", host.strip_prefix("www.").unwrap_or(host)))
}

/// The addresses that an object says are its own.
fn addresses(article: &Object) -> impl Iterator<Item = &str> {
    let own = ["url", "@id"].iter().filter_map(|key| article.get(*key)?.as_str());
    let page = article.get("mainEntityOfPage").into_iter();
    let page = page.flat_map(|page| match page {
        Value::String(address) => vec![address.as_str()],
        Value::Object(page) => ["@id", "url"].iter().filter_map(|key| page.get(*key)?.as_str()).collect(),
        _ => Vec::new(),
    });
    own.chain(page).filter(|address| address.starts_with(['/', 'h', 'H']))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://portal.example/news/bridge";

    fn day(blocks: &str, address: Option<&str>) -> Option<String> {
        let head = "<title>A bridge opens | The Portal</title>";
        let html = format!("{head}<script type='application/ld+json'>{blocks}</script><h1>A bridge opens</h1>");
        let address = address.map(|address| CrawlUrl::parse(address).expect("an address"));
        let page = Page::parse(html);
        super::super::read(&page, address.as_ref()).published
    }

    #[test]
    fn a_related_article_before_the_own_one_says_nothing() {
        let other = r#"{"@type": "NewsArticle", "headline": "Of salt", "datePublished": "2019-02-02", "url": "https://portal.example/news/salt"}"#;
        let article = r#"{"@type": "NewsArticle", "datePublished": "2026-11-20""#;
        for own in [
            r#""url": "https://www.portal.example/news/bridge/?from=feed#top", "headline": "Opening day""#,
            r#""url": "/news/bridge""#,
            r#""mainEntityOfPage": "http://portal.example/news/bridge""#,
            r#""mainEntityOfPage": {"@type": "WebPage", "@id": "https://portal.example/news/bridge"}"#,
            r#""@id": "https://portal.example/news/bridge#article""#,
            r#""headline": "A bridge opens""#,
            r#""name": "A bridge opens", "url": "https://portal.example/""#,
        ] {
            for blocks in
                [format!("[{other}, {article}, {own}}}]"), format!("{{\"@graph\": [{other}, {article}, {own}}}]}}")]
            {
                assert_eq!(day(&blocks, Some(ADDRESS)).as_deref(), Some("2026-11-20"), "{blocks}");
            }
        }
    }

    #[test]
    fn articles_that_are_all_of_other_pages_say_nothing() {
        let article = |n: u8, more: &str| format!(r#"{{"@type": "Article", "datePublished": "2019-02-0{n}"{more}}}"#);
        let salt = r#", "headline": "Of salt", "url": "https://portal.example/news/salt""#;
        assert_eq!(day(&article(1, salt), Some(ADDRESS)), None);
        let (one, two) = (article(1, r#", "headline": "Of salt""#), article(2, r#", "headline": "Of trains""#));
        assert_eq!(day(&format!("[{one}, {two}]"), Some(ADDRESS)), None);
        assert_eq!(day(&one, Some(ADDRESS)).as_deref(), Some("2019-02-01"), "the only one may have another headline");
        assert_eq!(day(&article(1, ""), None).as_deref(), Some("2019-02-01"));
    }
}
