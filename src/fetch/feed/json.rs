//! JSON Feed. Whatever is not a link or a date is passed over without being built, however deep it is.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Feed, FeedError, MAX_ITEMS, as_address};
use crate::address::{CrawlUrl, MAX_URL_BYTES};
use crate::fetch::date;

/// Reads a JSON feed.
pub(super) fn read(text: &str, location: &CrawlUrl, feed: &mut Feed) -> Result<(), FeedError> {
    let read: JsonFeed = serde_json::from_str(text).map_err(|error| FeedError(error.to_string()))?;
    if !read.version.0.as_deref().is_some_and(|version| version.contains("jsonfeed.org/version/")) {
        return Err(FeedError("its version names no JSON Feed".to_owned()));
    }
    feed.cut |= read.items.is_cut;
    let mut bytes = 0;
    for item in read.items.items {
        let link = [&item.url, &item.external_url].into_iter().find_map(|link| link.0.as_deref());
        let url = link.or_else(|| item.id.0.as_deref().and_then(as_address)).and_then(|link| location.join(link).ok());
        let dates = [&item.date_published, &item.date_modified];
        if !feed.add(url, dates.into_iter().find_map(|date| date::parse(date.0.as_deref()?)), &mut bytes) {
            break;
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct JsonFeed {
    #[serde(default)]
    version: Text,
    items: Items,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    id: Text,
    #[serde(default)]
    url: Text,
    #[serde(default)]
    external_url: Text,
    #[serde(default)]
    date_published: Text,
    #[serde(default)]
    date_modified: Text,
}

/// A string short enough for an address; of anything else, nothing.
#[derive(Default)]
struct Text(Option<String>);

/// The first items of an array.
struct Items {
    items: Vec<Item>,
    is_cut: bool,
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text((text.len() <= MAX_URL_BYTES).then(|| text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Text, A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ItemsVisitor)
    }
}

struct ItemsVisitor;

impl<'de> Visitor<'de> for ItemsVisitor {
    type Value = Items;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Items, A::Error> {
        let mut items = Vec::new();
        while items.len() < MAX_ITEMS {
            match sequence.next_element()? {
                Some(item) => items.push(item),
                None => return Ok(Items { items, is_cut: false }),
            }
        }
        let mut is_cut = false;
        while sequence.next_element::<IgnoredAny>()?.is_some() {
            is_cut = true;
        }
        Ok(Items { items, is_cut })
    }
}
