//! Finds the hidden elements that readers can open: those whose id a link targets or a button controls. A hidden
//! element that nothing opens is never seen. Elements that open in front of the page, such as dialogs, are left out,
//! because they do not belong to the page's text.

use memchr::memmem;
use rustc_hash::FxHashSet;

/// The attribute with the ids of the elements that a button controls.
const IDS: &str = "aria-controls";
/// Attributes that refer to the element to open with `#` and its id.
const ADDRESSES: [&str; 3] = ["href", "data-target", "data-bs-target"];
/// Words in the start tag of a link or button whose target opens in front of the page.
pub(super) const IN_FRONT: [&str; 8] =
    ["dialog", "modal", "popup", "popover", "lightbox", "tooltip", "dropdown", "menu"];
/// The most bytes that are searched from an attribute: back for the beginning of its tag, and forward for the end of
/// the tag or of the value.
const MAX_TAG: usize = 600;
const MAX_IDS: usize = 4_096;

/// The ids of the elements that links and buttons open. They are collected once per page, at the first hidden element
/// with an id.
#[derive(Debug, Default)]
pub(crate) struct Openers<'a>(Option<FxHashSet<&'a str>>);

impl<'a> Openers<'a> {
    /// Whether a link or button on the page opens the element with this id.
    pub(crate) fn opens(&mut self, page: &'a str, id: &str) -> bool {
        self.0.get_or_insert_with(|| ids(page)).contains(id)
    }
}

fn ids(page: &str) -> FxHashSet<&str> {
    let controlled_ids = memmem::find_iter(page.as_bytes(), IDS);
    let controlled_ids = controlled_ids.filter_map(|at| Some((at, value(&page[at + IDS.len()..])?)));
    // The search is for `#`, because most targets are other pages and do not contain it.
    let addressed = memchr::memchr_iter(b'#', page.as_bytes()).filter_map(|sign| {
        let before = page[..sign].strip_suffix(['"', '\'']).unwrap_or(&page[..sign]).strip_suffix('=')?;
        let name = ADDRESSES.into_iter().find(|name| before.ends_with(name))?;
        Some((before.len() - name.len(), value(&page[before.len()..])?.strip_prefix('#')?))
    });
    let mut ids = FxHashSet::default();
    for (at, controlled) in controlled_ids.chain(addressed).filter(|(_, controlled)| !controlled.is_empty()) {
        if ids.len() < MAX_IDS && opens_in_place(page, at) {
            ids.extend(controlled.split_ascii_whitespace());
        }
    }
    ids
}

/// The value of the attribute whose name ends before `behind`.
fn value(behind: &str) -> Option<&str> {
    let value = behind[..behind.floor_char_boundary(MAX_TAG)].strip_prefix('=')?;
    match value.as_bytes().first()? {
        quote @ (b'"' | b'\'') => value[1..].split(char::from(*quote)).next(),
        _ => value.split([' ', '>', '\n', '\t', '/']).next(),
    }
}

/// Whether `at` is inside a tag that opens nothing in front of the page. The words in the tag decide, such as `modal`.
fn opens_in_place(page: &str, at: usize) -> bool {
    let from = page.floor_char_boundary(at.saturating_sub(MAX_TAG));
    let Some(begin) = page[from..at].rfind('<').map(|begin| from + begin) else { return false };
    let to = page.floor_char_boundary(page.len().min(at + MAX_TAG));
    let tag = page[begin..to].split('>').next().unwrap_or_default();
    begin + tag.len() >= at && !IN_FRONT.iter().any(|word| memmem::find(tag.as_bytes(), word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_buttons_open_the_elements_with_their_ids() {
        let page = r##"<a href="#a1">Rain</a><button aria-controls='b1 b2'></button><a data-bs-target="#c1" href=#d>
            <a href=#e data-toggle=modal><button aria-haspopup=dialog aria-controls=f></button> href="#g" <a href=/x#h>"##;
        let mut openers = Openers::default();
        for (id, is_opened) in [("a1", true), ("b2", true), ("c1", true), ("d", true), ("e", false), ("f", false)] {
            assert_eq!(openers.opens(page, id), is_opened, "{id}");
        }
        assert!(!openers.opens(page, "g") && !openers.opens(page, "h") && !openers.opens(page, ""));
    }
}
