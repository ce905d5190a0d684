//! Recognises embedded posts, videos and recordings of other sites by the providers' embed codes: host names of
//! frames, and classes of quotes.

use std::borrow::Cow;
use std::sync::LazyLock;

use goldminer_html::address::Targets;
use goldminer_html::{ElementId, Page, Tag};

/// The lines of `embeds.tsv`, in columns. The first column is the kind of line:
/// - `host`: a host name (its subdomains count too), the provider;
/// - `class`: a class of elements that a provider's script turns into a post, the provider;
/// - `element`: an element that a script turns into a frame, its attribute with the URL or the ID of the content, and
///   the text to put before that ID to get a URL.
static TABLE: LazyLock<Vec<[&str; 4]>> = LazyLock::new(|| {
    let columns = |line: &'static str| {
        let mut columns = line.split('\t');
        std::array::from_fn(|_| columns.next().unwrap_or_default())
    };
    include_str!("embeds.tsv").lines().map(columns).collect()
});
/// Attributes with a post's URL, the most reliable first.
const PERMALINKS: [&str; 5] =
    ["data-instgrm-permalink", "data-text-post-permalink", "data-embed-url", "data-href", "cite"];
/// Parts of the URLs of frames with advertisements, forms and counters.
const NO_CONTENT: [&str; 10] = [
    "googlesyndication",
    "doubleclick",
    "googletagmanager",
    "recaptcha",
    "/ads",
    "adserver",
    "plugins/like",
    "/widgets/follow",
    "newsletter",
    "disqus",
];

fn rows(kind: &str) -> impl Iterator<Item = &'static [&'static str; 4]> {
    TABLE.iter().filter(move |[own, ..]| *own == kind)
}

/// The provider of a URL, if it is known.
pub(super) fn provider(address: &str) -> Option<&'static str> {
    let host = address.split_once("://")?.1.split(['/', '?', '#', ':']).next()?;
    let is_of = |name: &str| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    rows("host").find(|[_, name, ..]| is_of(name)).map(|[_, _, provider, _]| *provider)
}

/// The provider of a post, by the post's class; None if the element is no post.
pub(super) fn post_of(page: &Page, id: ElementId) -> Option<&'static str> {
    let class = page.raw_class(id)?;
    let is_of = |name: &str| class.split_ascii_whitespace().any(|own| own == name);
    rows("class").find(|[_, name, ..]| is_of(name)).map(|[_, _, provider, _]| *provider)
}

/// Adds to the kept paragraphs the other paragraphs of embedded posts that are partly kept, or that stand between two
/// kept paragraphs. So each post is complete, even if it consists mostly of links.
pub(super) fn with_whole_posts<'k>(page: &Page, kept: &'k [usize]) -> Cow<'k, [usize]> {
    let mut posts = page.elements_of(Tag::Blockquote).filter(|id| post_of(page, *id).is_some()).peekable();
    if posts.peek().is_none() {
        return Cow::Borrowed(kept);
    }
    let mut is_kept = vec![false; page.paragraphs().len()];
    kept.iter().for_each(|at| is_kept[*at] = true);
    let mut all = kept.to_vec();
    for inside in posts.map(|post| page.paragraphs_in(post)) {
        let is_between = inside.start > 0 && is_kept[inside.start - 1] && is_kept.get(inside.end) == Some(&true);
        if is_between || is_kept[inside.clone()].contains(&true) {
            all.extend(inside.filter(|at| !std::mem::replace(&mut is_kept[*at], true)));
        }
    }
    // A headline that was moved to the front stays there.
    let moved = usize::from(kept.first() > kept.get(1));
    all[moved..].sort_unstable();
    Cow::Owned(all)
}

/// The URL and the provider of a post; None if the element is no post.
pub(super) fn post(page: &Page, id: ElementId, targets: &Targets) -> Option<(Option<String>, &'static str)> {
    let named = post_of(page, id)?;
    let marked = PERMALINKS.iter().find_map(|name| page.attribute(id, name).and_then(|value| targets.resolve(&value)));
    let last_link = || {
        let links = page.ids_in(id).filter(|link| page.element(*link).tag == Tag::A);
        links.last().and_then(|link| page.attribute(link, "href")).and_then(|href| targets.resolve(&href))
    };
    let address = marked.or_else(last_link);
    let provider = address.as_deref().and_then(provider).unwrap_or(named);
    Some((address, provider))
}

/// The URL and the provider of a frame, a video or a recording. None if it shows no content.
pub(super) fn media(page: &Page, id: ElementId, targets: &Targets) -> Option<(String, Option<&'static str>)> {
    let (mut source, mut is_shown, mut is_tiny) = (None, false, false);
    let tag = page.element(id).tag;
    if tag == Tag::Other {
        let own = Some(page.name(id)).filter(|own| own.contains('-'))?;
        let [_, _, attribute, before] = rows("element").find(|[_, name, ..]| own == *name)?;
        source = Some(Cow::Owned(format!("{before}{}", page.attribute(id, attribute)?)));
    }
    for attribute in page.attributes(id) {
        match () {
            () if attribute.is("src") => {
                source = Some(attribute.value()).filter(|own| !own.starts_with("about:")).or(source)
            }
            () if ["data-src", "data-lazy-src", "data-litespeed-src"].iter().any(|name| attribute.is(name)) => {
                source = source.or(Some(attribute.value()));
            }
            () if attribute.is("allowfullscreen") || attribute.is("title") => is_shown = true,
            () if attribute.is("width") || attribute.is("height") => {
                is_tiny |= matches!(attribute.raw_value.trim(), "0" | "1" | "0px" | "1px");
            }
            () => {}
        }
    }
    if source.is_none() && tag != Tag::Iframe {
        let files = page.ids_in(id).filter(|file| page.element(*file).tag == Tag::Source);
        source = { files }.find_map(|file| page.attribute(file, "src"));
    }
    let address = targets.resolve(&source?)?;
    let provider = provider(&address);
    let is_content = provider.is_some() || tag != Tag::Iframe || is_shown;
    let is_other = NO_CONTENT.iter().any(|name| address.contains(name));
    (is_content && !is_tiny && !is_other && !address.starts_with("mailto:")).then_some((address, provider))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_recognised_by_host() {
        assert_eq!(provider("https://www.youtube.com/embed/a"), Some("youtube"));
        assert_eq!(provider("https://player.vimeo.com/video/1"), Some("vimeo"));
        assert_eq!(provider("https://x.com/a/status/1"), Some("x"));
        assert_eq!(provider("https://netflix.com/a"), None);
    }

    #[test]
    fn a_posts_address_is_its_permalink_or_its_last_link() {
        for (html, expected) in [
            (
                "<blockquote class=twitter-tweet><p>Rain</p>— A <a href='https://twitter.com/a/status/1'>May</a></blockquote>",
                "https://twitter.com/a/status/1",
            ),
            (
                "<blockquote class=instagram-media data-instgrm-permalink='https://www.instagram.com/p/1/'><a href=/x>x</a></blockquote>",
                "https://www.instagram.com/p/1/",
            ),
            (
                "<blockquote class=tiktok-embed cite='https://www.tiktok.com/@a/video/1'></blockquote>",
                "https://www.tiktok.com/@a/video/1",
            ),
        ] {
            let page = Page::parse(html.to_owned());
            let quote = page.elements_of(Tag::Blockquote).next().unwrap();
            assert_eq!(post(&page, quote, &Targets::default()).unwrap().0.as_deref(), Some(expected));
        }
    }
}
