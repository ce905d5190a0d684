//! JSON Feed. Whatever is not a link is passed over without being built, however deep it is.

use std::fmt;

use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::entries::as_address;
use super::{EntryKind, List, ListError, ListKind};

/// Items that are looked at: one more than is kept, so that [`List::add`] sees it.
const MAX_ITEMS: usize = 10_001;

#[derive(Deserialize)]
struct JsonFeed<'t> {
    #[serde(borrow)]
    version: Option<&'t RawValue>,
    #[serde(borrow, default, deserialize_with = "first_items")]
    items: Vec<&'t RawValue>,
}

#[derive(Default, Deserialize)]
struct Item<'t> {
    #[serde(borrow)]
    id: Option<&'t RawValue>,
    #[serde(borrow)]
    url: Option<&'t RawValue>,
    #[serde(borrow)]
    external_url: Option<&'t RawValue>,
}

/// Reads a JSON feed: the object that begins first, without what stands before or behind it.
pub(super) fn read(text: &str, location: &CrawlUrl) -> Result<List, ListError> {
    let mended = mended(&text[text.find('{').unwrap_or_default()..]);
    let json = JsonFeed::deserialize(&mut serde_json::Deserializer::from_str(&mended));
    let json = json.map_err(|error| ListError(error.to_string()))?;
    match json.version.and_then(short_text) {
        None => return Err(ListError("it names no version of JSON Feed".to_owned())),
        Some(version) if !version.contains("jsonfeed.org/version/") => {
            return Err(ListError("its version names no JSON Feed".to_owned()));
        }
        Some(_) => {}
    }
    let mut list = List::new(ListKind::Feed);
    for item in json.items {
        let item: Item<'_> = serde_json::from_str(item.get()).unwrap_or_default();
        let [url, external_url, id] = [item.url, item.external_url, item.id].map(|raw| raw.and_then(short_text));
        let link = url.or(external_url).or_else(|| id.filter(|id| as_address(id).is_some()));
        if !list.add(link.and_then(|link| location.join(link.trim()).ok()), EntryKind::Page, None) {
            break;
        }
    }
    Ok(list)
}

/// The first [`MAX_ITEMS`]. The rest is passed over: the longest text that is read has room for millions.
fn first_items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'de RawValue>, D::Error> {
    struct FirstItems;
    impl<'de> Visitor<'de> for FirstItems {
        type Value = Vec<&'de RawValue>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array of items")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while items.len() < MAX_ITEMS {
                match sequence.next_element()? {
                    Some(item) => items.push(item),
                    None => return Ok(items),
                }
            }
            while sequence.next_element::<IgnoredAny>()?.is_some() {}
            Ok(items)
        }
    }
    deserializer.deserialize_seq(FirstItems)
}

/// JSON as it should be, in one line: no control characters, no comma before the end of an array or object.
fn mended(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for c in text.chars() {
        if !in_string && matches!(c, ']' | '}') && mended.trim_ascii_end().ends_with(',') {
            mended.truncate(mended.trim_ascii_end().len() - 1);
        }
        if c == '"' && !is_escaped {
            in_string = !in_string;
        }
        is_escaped = in_string && c == '\\' && !is_escaped;
        mended.push(if c.is_ascii_control() { ' ' } else { c });
    }
    mended
}

/// A string that is short enough for an address.
fn short_text(raw: &RawValue) -> Option<String> {
    let text: String = serde_json::from_str(raw.get()).ok()?;
    (text.len() <= MAX_URL_BYTES).then_some(text)
}
