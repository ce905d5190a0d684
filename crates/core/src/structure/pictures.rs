//! Finds the URL of a picture: the largest file that the page names, never a placeholder or a `data:` URL.

use goldminer_html::address::{MAX_URL_BYTES, Targets};
use goldminer_html::{ElementId, Page, Tag};

/// The most files of a picture that are compared.
const MAX_FILES: usize = 64;
/// Attributes with the file that a script shows instead of a placeholder.
const LATER: [&str; 8] = [
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-lazy",
    "data-full-src",
    "data-image",
    "data-url",
    "data-hi-res-src",
];
/// Attributes with several files of one picture, for different sizes.
const SETS: [&str; 3] = ["srcset", "data-srcset", "data-lazy-srcset"];
/// Parts of the names of placeholders.
const STAND_INS: [&str; 6] = ["placeholder", "blank.", "spacer", "transparent.", "lazy", "1x1"];
/// Parts of the names of pictures that do not belong to a text.
const ORNAMENTS: [&str; 16] = [
    "avatar",
    "gravatar",
    "emoji",
    "smiley",
    "icon",
    "logo",
    "spacer",
    "pixel",
    "tracking",
    "spinner",
    "badge-img",
    "bullet",
    "byline",
    "author-photo",
    "author-image",
    "wp-smiley",
];
/// Parts of the addresses of files that decorate a page.
const ORNAMENT_FILES: [&str; 6] = ["gravatar.com", "/emoji", "/smilies", "/pixel", "/1x1", "/spacer."];
/// A picture with both sides shorter than this, in pixels, is an ornament.
const MIN_SIDE: u32 = 40;

/// A picture, as its element describes it.
pub(super) struct Picture {
    pub(super) source: String,
    /// The file apart from those for special sizes; the same as `source` if there is no other.
    pub(super) file: String,
    pub(super) alt: Option<String>,
}

/// The picture of an image element. None for ornaments, tracking pixels, and images without a URL.
pub(super) fn of(page: &Page, image: ElementId, targets: &Targets) -> Option<Picture> {
    if is_ornament(page, image) {
        return None;
    }
    let (mut source, mut later, mut alt) = (None, None, None);
    let mut largest: Option<(u32, String)> = None;
    let mut consider = |set: &str| {
        if let Some((size, file)) = of_set(set)
            && largest.as_ref().is_none_or(|(known, _)| *known <= size)
        {
            largest = Some((size, file.to_owned()));
        }
    };
    let picture = page.element(image).parent.filter(|parent| page.element(*parent).tag == Tag::Picture);
    let sources = picture.into_iter().flat_map(|picture| page.ids_in(picture)).take(MAX_FILES);
    for id in sources.filter(|id| page.element(*id).tag == Tag::Source) {
        page.attributes(id).filter(|own| SETS.iter().any(|name| own.is(name))).for_each(|own| consider(&own.value()));
    }
    for attribute in page.attributes(image) {
        if attribute.is("src") {
            source = Some(attribute.value());
        } else if attribute.is("alt") {
            alt = Some(attribute.value());
        } else if LATER.iter().any(|name| attribute.is(name)) {
            later = later.or(Some(attribute.value()).filter(|file| !file.starts_with(['{', '['])));
        } else if SETS.iter().any(|name| attribute.is(name)) {
            consider(&attribute.value());
        }
    }
    let is_stand_in = |file: &str| {
        let end = file.floor_char_boundary(file.len().min(MAX_URL_BYTES));
        file.is_empty() || file.starts_with("data:") || STAND_INS.iter().any(|name| file[..end].contains(name))
    };
    let shown = source.as_deref().filter(|file| !is_stand_in(file));
    let named = [largest.as_ref().map(|(_, file)| file.as_str()), later.as_deref(), shown, source.as_deref()];
    let address = |file: &str| targets.resolve(file).or_else(|| targets.relative(file));
    let first = |named: &[Option<&str>]| {
        let mut named = named.iter().flatten().filter(|file| !file.starts_with("data:"));
        named.find_map(|file| address(file))
    };
    let source = first(&named)?;
    let file = first(&named[1..]).unwrap_or_else(|| source.clone());
    let alt = alt.map(|alt| folded(&alt)).filter(|alt| !alt.is_empty());
    Some(Picture { source, file, alt })
}

/// Whether an element is a picture with a meaning, such as a flag or a symbol in a table cell.
pub(super) fn shows_picture(page: &Page, id: ElementId) -> bool {
    page.element(id).tag == Tag::Img
        && page.attribute(id, "alt").is_some_and(|alt| !alt.is_empty())
        && !is_ornament(page, id)
}

/// Returns a text in one line, without control characters. A very long text is cut off.
pub(super) fn folded(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(text.len().min(4 * MAX_URL_BYTES))];
    let clean = |word: &str| word.chars().filter(|c| !c.is_control()).collect::<String>();
    text.split_whitespace().map(clean).collect::<Vec<_>>().join(" ")
}

fn is_ornament(page: &Page, image: ElementId) -> bool {
    let mut sides = (None, None);
    for attribute in page.attributes(image) {
        let pixels = || attribute.raw_value.trim().trim_end_matches("px").parse::<u32>().ok();
        if attribute.is("width") {
            sides.0 = pixels();
        } else if attribute.is("height") {
            sides.1 = pixels();
        } else if attribute.is("class") || attribute.is("itemprop") {
            let value = attribute.raw_value.to_ascii_lowercase();
            if ORNAMENTS.iter().any(|name| value.contains(name)) {
                return true;
            }
        } else if attribute.is("src") {
            let end = attribute.raw_value.floor_char_boundary(attribute.raw_value.len().min(MAX_URL_BYTES));
            let value = attribute.raw_value[..end].to_ascii_lowercase();
            if ORNAMENT_FILES.iter().any(|part| value.contains(part)) {
                return true;
            }
        }
    }
    match sides {
        (Some(width), Some(height)) => width < MIN_SIDE && height < MIN_SIDE || width.min(height) <= 1,
        (Some(side), None) | (None, Some(side)) => side < MIN_SIDE / 2,
        (None, None) => false,
    }
}

/// The largest file of a `srcset` value, with a number for its size that can be compared with others (HTML standard,
/// "Parse a srcset attribute").
fn of_set(set: &str) -> Option<(u32, &str)> {
    let mut largest: Option<(u32, &str)> = None;
    let mut rest = set;
    for _ in 0..MAX_FILES {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            break;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (file, behind) = rest.split_at(end);
        let (file, size, next) = match file.strip_suffix(',') {
            Some(file) => (file, 1_000, behind),
            None => {
                let end = behind.find(',').unwrap_or(behind.len());
                (file, size(behind[..end].trim()), &behind[end..])
            }
        };
        rest = next;
        if !file.starts_with("data:") && file.len() <= MAX_URL_BYTES && largest.is_none_or(|(known, _)| known < size) {
            largest = Some((size, file));
        }
    }
    largest
}

fn size(descriptor: &str) -> u32 {
    let number = |suffix| descriptor.strip_suffix(suffix).and_then(|number: &str| number.trim().parse::<f32>().ok());
    match (number('w'), number('x')) {
        // Any width ranks above any density, because a file for a density such as `2x` is hardly wider.
        (Some(width), _) => 10_000 + width.clamp(0.0, 1e6) as u32,
        (_, Some(density)) => (1_000.0 * density.clamp(0.0, 9.0)) as u32,
        _ => 1_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_file_that_is_named_is_the_picture() {
        for (html, expected) in [
            ("<img src=/a.jpg>", "/a.jpg"),
            ("<img src=data:image/gif;base64,R0 data-src=/a.jpg>", "/a.jpg"),
            ("<img src=/placeholder.png data-lazy-src=/a.jpg>", "/a.jpg"),
            ("<img src=/s.jpg srcset='/s.jpg 300w, /a.jpg 1200w,/m.jpg 600w'>", "/a.jpg"),
            ("<img src=/s.jpg srcset='/s.jpg, /a.jpg 2x'>", "/a.jpg"),
            ("<picture><source srcset='/a.jpg 900w'><img src=/s.jpg></picture>", "/a.jpg"),
            ("<img src=/lazy.gif>", "/lazy.gif"),
        ] {
            let page = Page::parse(html.to_owned());
            let address = goldminer_html::address::CrawlUrl::parse("http://p.example/").unwrap();
            let image = page.elements_of(Tag::Img).next().unwrap();
            let found = of(&page, image, &Targets::of(&page, Some(&address))).unwrap().source;
            assert_eq!(found, format!("http://p.example{expected}"), "{html}");
        }
        let page = Page::parse("<img src='../a b.jpg'><img src='javascript:x'>".to_owned());
        let found: Vec<_> = page.elements_of(Tag::Img).map(|id| of(&page, id, &Targets::default())).collect();
        assert_eq!(found[0].as_ref().unwrap().source, "../a%20b.jpg", "on a page whose URL is unknown");
        assert!(found[1].is_none());
        for html in [
            "<img src=data:image/png;base64,AA>",
            "<img>",
            "<img src=/a.gif width=1 height=1>",
            "<img class=avatar src=/a.jpg>",
        ] {
            let page = Page::parse(html.to_owned());
            let image = page.elements_of(Tag::Img).next().unwrap();
            assert!(of(&page, image, &Targets::default()).is_none(), "{html}");
        }
    }
}
