//! Reads JSON Feed. Everything except links is skipped without being stored, at any depth of nesting.

use std::fmt;

use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::entries::as_address;
use super::{Cut, EntryKind, List, ListError, ListKind, MAX_ITEMS};

/// The fields of a feed that were complete when the JSON broke off.
#[derive(Default)]
struct JsonFeed<'t> {
    version: Option<&'t RawValue>,
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

/// Reads a JSON feed: the first object in the text, ignoring what comes before or after it. If the JSON breaks off,
/// the items before that point count.
pub(super) fn read(text: &str, location: &CrawlUrl) -> Result<List, ListError> {
    let repaired = repaired(&text[text.find('{').unwrap_or_default()..]);
    let mut json = JsonFeed::default();
    let error = serde_json::Deserializer::from_str(&repaired).deserialize_map(&mut json).err();
    match (json.version.and_then(short_text), &error) {
        (Some(version), _) if !version.contains("jsonfeed.org/version/") => {
            return Err(ListError("its version names no JSON Feed".to_owned()));
        }
        // The version may come after the place where the JSON breaks off.
        (_, Some(error)) if !json.items.iter().any(|item| item.get().starts_with('{')) => {
            return Err(ListError(error.to_string()));
        }
        (None, None) => return Err(ListError("it names no version of JSON Feed".to_owned())),
        _ => {}
    }
    let mut list = List::new(ListKind::Feed);
    list.cut = error.map(|error| Cut::Json(error.to_string()));
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

impl<'de> Visitor<'de> for &mut JsonFeed<'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON feed")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "version" => self.version = Some(map.next_value()?),
                "items" => map.next_value_seed(Items(&mut self.items))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Collects the first [`MAX_ITEMS`] items of a feed and one more, so that [`List::add`] notices that there are too
/// many. The rest is skipped, because a feed may have millions of items.
struct Items<'a, 'de>(&'a mut Vec<&'de RawValue>);

impl<'de> DeserializeSeed<'de> for Items<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        while self.0.len() <= MAX_ITEMS {
            match sequence.next_element()? {
                Some(item) => self.0.push(item),
                None => return Ok(()),
            }
        }
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// Repairs JSON: removes control characters, and commas before the end of an array or object.
fn repaired(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for c in text.chars() {
        if !in_string && matches!(c, ']' | '}') && repaired.trim_ascii_end().ends_with(',') {
            repaired.truncate(repaired.trim_ascii_end().len() - 1);
        }
        if c == '"' && !is_escaped {
            in_string = !in_string;
        }
        is_escaped = in_string && c == '\\' && !is_escaped;
        repaired.push(if c.is_ascii_control() { ' ' } else { c });
    }
    repaired
}

/// The string, if it is short enough for a URL.
fn short_text(raw: &RawValue) -> Option<String> {
    let text: String = serde_json::from_str(raw.get()).ok()?;
    (text.len() <= MAX_URL_BYTES).then_some(text)
}
