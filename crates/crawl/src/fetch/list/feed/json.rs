//! JSON Feed. Whatever is not a link or a date is passed over without being built, however deep it is.

use std::fmt;

use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Feed, FeedError, MAX_ITEMS, as_address};
use crate::fetch::date;
use crate::fetch::list::Cut;

/// Reads a JSON feed: the object that begins first, without what stands before or behind it.
pub(super) fn read(text: &str, location: &CrawlUrl, feed: &mut Feed) -> Result<(), FeedError> {
    let text = mended(&text[text.find('{').unwrap_or_default()..]);
    let mut read = JsonFeed::default();
    let error = serde_json::Deserializer::from_str(&text).deserialize_map(FeedVisitor(&mut read)).err();
    let names_it = |version: &str| version.contains("jsonfeed.org/version/");
    match (read.version.as_deref(), error) {
        (Some(version), _) if !names_it(version) => {
            return Err(FeedError("its version names no JSON Feed".to_owned()));
        }
        // The version may stand behind the place where it breaks off.
        (_, Some(error)) if !read.items.iter().any(Option::is_some) => return Err(FeedError(error.to_string())),
        (None, None) => return Err(FeedError("it names no version of JSON Feed".to_owned())),
        (_, Some(error)) => feed.cut = Some(Cut::Json(error.to_string())),
        (Some(_), None) if read.is_cut => feed.cut = Some(Cut::Entries(MAX_ITEMS)),
        (Some(_), None) => {}
    }
    for item in read.items {
        let item = item.unwrap_or_default();
        let link = item.url.or(item.external_url);
        let link = link.as_deref().or_else(|| item.id.as_deref().and_then(as_address));
        let dates = [item.date_published, item.date_modified];
        let published = dates.into_iter().find_map(|date| date::parse(&date?));
        if !feed.add(link.and_then(|link| location.join(link).ok()), published) {
            break;
        }
    }
    Ok(())
}

/// JSON as it should be: no control characters, no comma before the end of an array or object.
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

/// What was read of a feed, though it may break off.
#[derive(Default)]
struct JsonFeed {
    version: Option<String>,
    /// None for what is no object.
    items: Vec<Option<Item>>,
    is_cut: bool,
}

/// What is read of an item.
#[derive(Default)]
struct Item {
    id: Option<String>,
    url: Option<String>,
    external_url: Option<String>,
    date_published: Option<String>,
    date_modified: Option<String>,
}

/// A value: a string short enough for an address, an object, or something else.
enum Value {
    Text(String),
    Item(Item),
    Other,
}

impl Value {
    fn text(self) -> Option<String> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

/// Reads into a feed, which keeps what was read before a fault.
struct FeedVisitor<'a>(&'a mut JsonFeed);

impl<'de> Visitor<'de> for FeedVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a feed")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "version" => self.0.version = map.next_value::<Value>()?.text(),
                "items" => map.next_value_seed(ItemsSeed(&mut *self.0))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Reads the items.
struct ItemsSeed<'a>(&'a mut JsonFeed);

impl<'de> DeserializeSeed<'de> for ItemsSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ItemsSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        while self.0.items.len() < MAX_ITEMS {
            match sequence.next_element()? {
                Some(Value::Item(item)) => self.0.items.push(Some(item)),
                Some(_) => self.0.items.push(None),
                None => return Ok(()),
            }
        }
        while sequence.next_element::<IgnoredAny>()?.is_some() {
            self.0.is_cut = true;
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(if text.len() <= MAX_URL_BYTES { Value::Text(text.to_owned()) } else { Value::Other })
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut item = Item::default();
        while let Some(key) = map.next_key::<String>()? {
            let field = match key.as_str() {
                "id" => &mut item.id,
                "url" => &mut item.url,
                "external_url" => &mut item.external_url,
                "date_published" => &mut item.date_published,
                "date_modified" => &mut item.date_modified,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *field = map.next_value::<Value>()?.text();
        }
        Ok(Value::Item(item))
    }
}
