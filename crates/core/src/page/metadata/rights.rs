//! What a page itself says of its rights. What stands in `<meta>`, JSON-LD and microdata is found by those who read them;
//! links with `rel=license` and RDFa are looked for by one search through the page, which most pages end without a hit.

use serde_json::{Map, Value};

use super::text;
use crate::page::tag::Tag;
use crate::page::{ElementId, Page};
use crate::rights::{RightsSource, Signal};

/// So many hits are looked at; a page with more speaks about licences.
const MAX_LOOKED_AT: usize = 500;

/// A `<meta>` whose name is one of those that tell of rights.
pub(super) fn of_meta(name: &str, content: &str, said: &mut Vec<Signal>) {
    let name = name.trim().to_ascii_lowercase();
    match name.as_str() {
        "robots" => said.extend(Signal::of_robots_list(RightsSource::Meta, "robots", content, None)),
        "googlebot" | "bingbot" => {
            said.extend(Signal::of_robots_list(RightsSource::Meta, "robots", content, Some(&name)));
        }
        _ => {
            if let Some(value) = text::line(content) {
                said.push(Signal::new(RightsSource::Meta, name, value));
            }
        }
    }
}

/// A quick look at a block of JSON-LD.
pub(super) fn may_speak(block: &str) -> bool {
    ["isAccessibleForFree", "\"license\"", "\"copyright"]
        .iter()
        .any(|word| memchr::memmem::find(block.as_bytes(), word.as_bytes()).is_some())
}

/// An object of JSON-LD that speaks of the page.
pub(super) fn of_object(object: &Map<String, Value>, said: &mut Vec<Signal>) {
    for (key, name) in [
        ("license", "license"),
        ("isAccessibleForFree", "isaccessibleforfree"),
        ("copyrightHolder", "copyrightholder"),
        ("copyrightNotice", "copyrightnotice"),
    ] {
        let Some(value) = object.get(key) else { continue };
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for value in values.iter().filter_map(named).filter_map(|value| text::line(&value)) {
            said.push(Signal::new(RightsSource::JsonLd, name, value));
        }
    }
}

/// A value as text: of an object its name, or its address.
fn named(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Object(object) => ["url", "name", "@id", "@value"].iter().find_map(|key| named(object.get(*key)?)),
        _ => None,
    }
}

/// A property of microdata, whose value is `value` where it is no address. One of a picture or a person is none of the page's.
pub(super) fn of_property(
    page: &Page,
    id: ElementId,
    name: &str,
    value: impl FnOnce() -> Option<String>,
    said: &mut Vec<Signal>,
) {
    let scope = page.ancestors_and_self(id).skip(1).find_map(|around| {
        let mut attributes = page.attributes(around);
        attributes.any(|attribute| attribute.is("itemscope")).then(|| page.attribute(around, "itemtype"))
    });
    let Some(Some(kind)) = scope else { return };
    let kind = kind.trim().rsplit('/').next().unwrap_or_default();
    if !(["Article", "Posting", "WebPage"].iter().any(|end| kind.ends_with(end)) || kind == "CreativeWork") {
        return;
    }
    let linked = page.attribute(id, "href").or_else(|| page.attribute(id, "src")).map(|address| address.into_owned());
    if let Some(value) = linked.or_else(value).and_then(|value| text::line(&value)) {
        said.push(Signal::new(RightsSource::Microdata, name.to_ascii_lowercase(), value));
    }
}

/// Links with `rel=license`, and licences in RDFa.
pub(super) fn of_links(page: &Page, said: &mut Vec<Signal>) {
    if !page.notable.license {
        return;
    }
    let mut before = None;
    // Whether it is written with a capital or not.
    for position in memchr::memmem::find_iter(page.text().as_bytes(), "icense").take(MAX_LOOKED_AT) {
        let Some(id) = page.start_tag_at(position).filter(|id| Some(*id) != before) else { continue };
        before = Some(id);
        // A picture's licence is none of the text's.
        let in_figure = || page.ancestors_and_self(id).any(|a| matches!(page.element(a).tag, Tag::Figure));
        if page.element(id).tag != Tag::Meta && !in_figure() {
            said.extend(of_link(page, id));
        }
    }
}

fn of_link(page: &Page, id: ElementId) -> Option<Signal> {
    let (mut source, mut value, mut is_rsl) = (None, None, false);
    for attribute in page.attributes(id) {
        if attribute.is("rel") || attribute.is("property") {
            let is_rel = attribute.is("rel");
            for token in attribute.value().split_ascii_whitespace() {
                let token = token.to_ascii_lowercase();
                match token.rsplit_once([':', '#', '/']) {
                    Some((_, "license")) => source = Some(RightsSource::Rdfa),
                    None if is_rel && token == "license" => source = source.or(Some(RightsSource::Link)),
                    _ => {}
                }
            }
        } else if attribute.is("href") || attribute.is("resource") || attribute.is("content") {
            value = value.or_else(|| text::line(&attribute.value()));
        } else if attribute.is("type") {
            is_rsl = attribute.value().trim().eq_ignore_ascii_case("application/rsl+xml");
        }
    }
    Some(Signal::new(source?, if is_rsl { "rsl" } else { "license" }, value?))
}
