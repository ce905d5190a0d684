//! Finds a page's own statements about its rights. `meta`, `json_ld` and `markup` pass on the statements that they
//! meet. This module itself finds links with `rel=license` and RDFa, and, as weaker evidence, links to Creative
//! Commons in the footer.

use std::sync::LazyLock;

use goldminer_html::address::is_picture;
use goldminer_html::{ElementId, Page, Paragraph, Tag};
use memchr::memmem::Finder;
use serde_json::{Map, Value};

use super::own_part::{is_role, item_around, kind_of_item, names};
use super::text;
use crate::phrases::{Categories, category};
use crate::rights::{RightsSource, Signal};
use crate::structure::caption_around;

/// Parts of the URLs of Creative Commons licences and of their badges.
static LICENSES: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new("creativecommons.org/"), Finder::new("licensebuttons.net/")]);
/// Parts of the word "license", with which every relation to a licence is written: `license`, `License` or `LICENSE`.
static WORDS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| [Finder::new("icense"), Finder::new("ICENSE")]);
/// Parts of the names of a page's footer.
const FOOT: Categories = category("name/foot");
/// The most matches that are read; a page with more is about licences.
const MAX_LOOKED_AT: usize = 500;

/// Reads a `<meta>` whose name is about rights.
pub(super) fn of_meta(name: &str, content: &str, signals: &mut Vec<Signal>) {
    let name = name.trim().to_ascii_lowercase();
    match name.as_str() {
        "robots" | "googlebot" | "bingbot" => {
            let agent = Some(&*name).filter(|name| *name != "robots");
            signals.extend(Signal::of_robots_list(RightsSource::Meta, "robots", content, agent));
        }
        _ => signals.extend(text::line(content).map(|value| Signal::new(RightsSource::Meta, name, value))),
    }
}

/// Reads the rights in a JSON-LD object about the page or its article.
pub(super) fn of_object(object: &Map<String, Value>, signals: &mut Vec<Signal>) {
    for key in ["license", "isAccessibleForFree", "copyrightHolder", "copyrightNotice"] {
        let Some(value) = object.get(key) else { continue };
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for value in values.iter().filter_map(named).filter_map(|value| text::line(&value)) {
            signals.push(Signal::new(RightsSource::JsonLd, key.to_ascii_lowercase(), value));
        }
    }
}

/// Returns a JSON value as text; for an object, its URL or name.
fn named(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Object(object) => ["url", "name", "@id", "@value"].iter().find_map(|key| named(object.get(*key)?)),
        _ => None,
    }
}

/// Reads a microdata property about rights. `value` gives its value if the element has no URL. Properties of pictures
/// and persons are ignored, because they are not about the page.
pub(super) fn of_property(
    page: &Page,
    id: ElementId,
    name: &str,
    value: impl FnOnce() -> Option<String>,
    signals: &mut Vec<Signal>,
) {
    let Some(kind) = item_around(page, id).and_then(|item| kind_of_item(page, item)) else { return };
    if !(["Article", "Posting", "WebPage"].iter().any(|end| kind.ends_with(end)) || kind == "CreativeWork") {
        return;
    }
    let linked = page.attribute(id, "href").or_else(|| page.attribute(id, "src")).map(|address| address.into_owned());
    if let Some(value) = linked.or_else(value).and_then(|value| text::line(&value)) {
        signals.push(Signal::new(RightsSource::Microdata, name.to_ascii_lowercase(), value));
    }
}

/// Reads links with `rel=license`, licences in RDFa, and mentions of a licence.
pub(super) fn of_links(page: &Page, signals: &mut Vec<Signal>) {
    of_relations(page, signals);
    mentions(page, signals);
}

/// Reads mentions: links to Creative Commons licences in the footer, and pictures of such licences. Links that are
/// declared to be the text's licence are not mentions.
fn mentions(page: &Page, signals: &mut Vec<Signal>) {
    let bytes = page.text().as_bytes();
    for position in LICENSES.iter().flat_map(|finder| finder.find_iter(bytes).take(MAX_LOOKED_AT)) {
        let Some(id) = page.start_tag_at(position) else { continue };
        let is_picture = page.element(id).tag == Tag::Img;
        let address = match page.element(id).tag {
            Tag::A if is_in_foot(page, id) => page.attribute(id, "href"),
            Tag::Img => page.attribute(id, "src"),
            _ => None,
        };
        let names_license = |address: &str| {
            let parts = if is_picture { ["/l/", "/p/"] } else { ["/licenses/", "/publicdomain/"] };
            parts.iter().any(|part| address.contains(part))
        };
        let Some(address) = address.and_then(|address| text::line(&address)).filter(|a| names_license(a)) else {
            continue;
        };
        // The badge in a link with a relation repeats the link's statement.
        let is_related = page.ancestors_and_self(id).take(2).any(|around| of_link(page, around).is_some());
        if !is_related && !is_of_picture(page, id) {
            signals.push(Signal::new(RightsSource::Mention, "license", address));
        }
    }
}

fn is_in_foot(page: &Page, id: ElementId) -> bool {
    page.ancestors_and_self(id).any(|around| {
        page.element(around).tag == Tag::Footer
            || is_role(page, around, "contentinfo")
            || names(page, around) & FOOT != 0
    })
}

/// Whether an element is about a picture, whose licence is not that of the text: it is in a figure or a caption, its
/// RDFa subject is a picture, or it is in a line between a picture and the text.
fn is_of_picture(page: &Page, id: ElementId) -> bool {
    let subject = page.ancestors_and_self(id).find_map(|around| page.attribute(around, "about"));
    page.ancestors_and_self(id).any(|around| page.element(around).tag == Tag::Figure)
        || caption_around(page, id).is_some()
        || subject.is_some_and(|subject| is_picture(&subject))
        || is_between_picture_and_text(page, id)
}

/// Whether the paragraph of an element is right below a picture that is not a licence's logo, and above running text.
fn is_between_picture_and_text(page: &Page, id: ElementId) -> bool {
    let paragraphs = page.paragraphs();
    let Some(at) = page.first_paragraph_of(id) else { return false };
    let above = at.checked_sub(1).map_or(0, |above| paragraphs[above].span.end)..paragraphs[at].span.start;
    let is_logo = |image| page.ancestors_and_self(image).take(2).any(|around| of_link(page, around).is_some());
    let mut pictures = page.elements_of(Tag::Img).filter(|image| above.contains(&page.element(*image).start));
    let Some(picture) = pictures.find(|image| !is_logo(*image)) else { return false };
    let is_around = |id: &ElementId| page.is_within(picture, *id) && page.paragraphs_in(*id).len() > 1;
    let around = page.ancestors_and_self(id).find(is_around).map_or(0, |around| page.paragraphs_in(around).end);
    paragraphs[..around].iter().skip(at + 1).any(Paragraph::is_running_text) && !is_in_foot(page, id)
}

fn of_relations(page: &Page, signals: &mut Vec<Signal>) {
    // Most pages do not have the word. To look for it is faster than to read the attributes of all links.
    if !WORDS.iter().any(|word| word.find(page.text().as_bytes()).is_some()) {
        return;
    }
    let may_name = |id: &ElementId| page.may_have_relation(*id) || page.may_have_property(*id);
    let ids = page.ids().filter(|id| may_name(id) && page.element(*id).tag != Tag::Meta);
    let named = ids.filter_map(|id| Some((id, of_link(page, id)?))).take(MAX_LOOKED_AT);
    signals.extend(named.filter(|(id, _)| !is_of_picture(page, *id)).map(|(_, signal)| signal));
}

fn of_link(page: &Page, id: ElementId) -> Option<Signal> {
    let source = page.attributes(id).fold(None, |mut source, attribute| {
        let is_rel = attribute.is("rel");
        if is_rel || attribute.is("property") {
            for token in attribute.value().split_ascii_whitespace() {
                let name = token.rsplit([':', '#', '/']).next().unwrap_or(token);
                match name.eq_ignore_ascii_case("license") {
                    true if name.len() < token.len() => source = Some(RightsSource::Rdfa),
                    true if is_rel => source = source.or(Some(RightsSource::Link)),
                    _ => {}
                }
            }
        }
        source
    })?;
    let (mut value, mut is_rsl) = (None, false);
    for attribute in page.attributes(id) {
        if attribute.is("href") || attribute.is("resource") || attribute.is("content") {
            value = value.or_else(|| text::line(&attribute.value()));
        } else if attribute.is("type") {
            is_rsl = attribute.value().trim().eq_ignore_ascii_case("application/rsl+xml");
        }
    }
    Some(Signal::new(source, if is_rsl { "rsl" } else { "license" }, value?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rights::Rights;

    const BY: &str = "https://creativecommons.org/licenses/by/4.0/";

    fn rights(html: &str) -> (Option<String>, Vec<&'static str>) {
        let rights = Rights::of(crate::metadata::rights_of_page(&Page::parse(html.to_owned())));
        (rights.license, rights.signals.iter().map(|signal| signal.source.as_str()).collect())
    }

    #[test]
    fn a_licence_in_the_footer_is_only_a_mention() {
        for html in [
            format!("<footer><p>Contents: <a href={BY}>CC BY</a></footer>"),
            format!("<div class=site-footer><a href={BY}deed.de>CC BY</a></div>"),
            format!("<div role=contentinfo><a href={BY}>CC BY</a></div>"),
            format!("<p id=copyright><a href={BY}>CC BY</a>"),
            "<p><img src=https://licensebuttons.net/l/by-sa/3.0/88x31.png>".to_owned(),
            "<div><a href=/about><img src=//i.creativecommons.org/l/by-nc/4.0/80x15.png></a></div>".to_owned(),
        ] {
            assert_eq!(rights(&html), (None, vec!["mention"]), "{html}");
        }
    }

    #[test]
    fn the_licence_of_a_picture_is_not_the_text_s() {
        for html in [
            format!("<figure><img src=a.jpg><a rel=license href={BY}>CC BY</a></figure>"),
            format!(
                "<div class=wp-caption><img src=a.jpg><p class=wp-caption-text>By X, <a rel=license href={BY}>x</a></div>"
            ),
            format!("<p about='http://other.example/a.JPG?w=1'>By X, <a rel=license href={BY}>CC BY</a>"),
        ] {
            assert_eq!(rights(&html), (None, vec![]), "{html}");
        }
        let of_article = format!("<div about='/node/1'><p>Text <a rel=license href={BY}>CC BY</a></div>");
        assert_eq!(rights(&of_article), (Some(BY.to_owned()), vec!["link"]));
    }

    #[test]
    fn a_licence_in_a_line_below_a_picture_is_the_picture_s() {
        let text = "<p>It rained in Rome for a week, and then the sun came out over all of the old houses.";
        let line = format!("Photo: X, <a rel=license href={BY}>CC BY</a>");
        for html in [
            format!("<article>{text}<p><img src=a.jpg><p>{line}{text}</article>"),
            format!("<article><h1>Rain</h1><p><img src=a.jpg><br>{line}</p>{text}</article>"),
            format!("<article><div><a href=/big><img src=a.jpg></a><div>{line}</div></div>{text}</article>"),
        ] {
            assert_eq!(rights(&html), (None, vec![]), "{html}");
        }
        for html in [
            format!("<article>{text}<p><img src=a.jpg></p>{text}<p>{line}</article>"),
            format!("<article>{text}<p><img src=a.jpg><p>{line}</article>"),
            format!("<article>{text}</article><footer><img src=logo.png><p>{line}{text}</footer>"),
            format!("<article><p><a rel=license href={BY}><img src=cc.png></a> {line}{text}</article>"),
        ] {
            assert_eq!(rights(&html).0.as_deref(), Some(BY), "{html}");
        }
    }

    #[test]
    fn rel_license_outweighs_a_mention_in_the_footer() {
        let foot = "<footer><a href=https://creativecommons.org/licenses/by-nc-nd/4.0/>CC</a></footer>";
        let html = format!("<link rel=license href={BY}>{foot}");
        assert_eq!(rights(&html), (Some(BY.to_owned()), vec!["link", "mention"]));
        assert!(Rights::of(crate::metadata::rights_of_page(&Page::parse(html))).contradictions.is_empty());
        let badge = format!(
            "<footer><a rel=license href={BY}><img src=//i.creativecommons.org/l/by/4.0/88x31.png></a></footer>"
        );
        assert_eq!(rights(&badge), (Some(BY.to_owned()), vec!["link"]), "a badge repeats the statement of its link");
    }

    #[test]
    fn an_article_about_licences_has_none() {
        for html in [
            format!("<article><p>The ministry chose <a href={BY}>CC BY</a>.</article>"),
            "<footer><a href=https://creativecommons.org/>Creative Commons</a></footer>".to_owned(),
            format!("<footer><figure><img src=1><a href={BY}>CC</a></figure></footer>"),
        ] {
            assert_eq!(rights(&html), (None, vec![]), "{html}");
        }
    }
}
