//! JSON Feed. Whatever is not a link or a date is passed over without being built, however deep it is.

use std::fmt;

use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Feed, FeedError, MAX_ITEMS, as_address};
use crate::fetch::list::Cut;
use crate::fetch::response::date;

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
    #[serde(borrow)]
    date_published: Option<&'t RawValue>,
    #[serde(borrow)]
    date_modified: Option<&'t RawValue>,
}

/// Reads a JSON feed: the object that begins first, without what stands before or behind it. Where the JSON breaks off, the
/// items before that place count. `cut` is what was cut off of the text before.
pub(crate) fn read(text: &str, location: &CrawlUrl, cut: Option<Cut>) -> Result<Feed, FeedError> {
    let mended = mended(&text[text.find('{').unwrap_or_default()..]);
    let shortened;
    let (json, error) = match object(&mended) {
        Ok(json) => (json, None),
        Err(error) => {
            shortened = whole_items(&mended, error.column());
            (object(&shortened).map_err(|_| FeedError(error.to_string()))?, Some(error))
        }
    };
    match (json.version.and_then(short_text), &error) {
        (Some(version), _) if !version.contains("jsonfeed.org/version/") => {
            return Err(FeedError("its version names no JSON Feed".to_owned()));
        }
        // The version may stand behind the place where it breaks off.
        (_, Some(error)) if !json.items.iter().any(|item| item.get().starts_with('{')) => {
            return Err(FeedError(error.to_string()));
        }
        (None, None) => return Err(FeedError("it names no version of JSON Feed".to_owned())),
        _ => {}
    }
    let mut feed = Feed { cut: error.map(|error| Cut::Json(error.to_string())).or(cut), ..Feed::default() };
    for item in json.items {
        let item: Item<'_> = serde_json::from_str(item.get()).unwrap_or_default();
        let texts = [item.url, item.external_url, item.id, item.date_published, item.date_modified];
        let [url, external_url, id, published, modified] = texts.map(|raw| raw.and_then(short_text));
        let link = url.or(external_url).or_else(|| id.filter(|id| as_address(id).is_some()));
        let published = [published, modified].into_iter().flatten().find_map(|date| date::parse(&date));
        if !feed.add(link.and_then(|link| location.join(link.trim()).ok()), published) {
            break;
        }
    }
    Ok(feed)
}

/// The object at the beginning of a text.
fn object(text: &str) -> Result<JsonFeed<'_>, serde_json::Error> {
    JsonFeed::deserialize(&mut serde_json::Deserializer::from_str(text))
}

/// The items that are kept, and one more where there is one, so that [`Feed::add`] sees it. The rest is passed over: the
/// longest text that is read has room for millions.
fn first_items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'de RawValue>, D::Error> {
    struct FirstItems;
    impl<'de> Visitor<'de> for FirstItems {
        type Value = Vec<&'de RawValue>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array of items")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while items.len() <= MAX_ITEMS {
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

/// A feed without what stands behind the last item that ends within so many bytes.
fn whole_items(text: &str, bytes: usize) -> String {
    let (mut in_string, mut is_escaped) = (false, false);
    let (mut depth, mut in_array, mut end) = (0_usize, false, None);
    for (at, byte) in text.bytes().enumerate().take(bytes) {
        match byte {
            b'"' if !is_escaped => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                in_array = if depth == 2 { byte == b'[' } else { in_array };
            }
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                end = if depth == 2 && in_array { Some(at + 1) } else { end };
            }
            _ => {}
        }
        is_escaped = in_string && byte == b'\\' && !is_escaped;
    }
    end.map_or_else(|| "{}".to_owned(), |end| format!("{}]}}", &text[..end]))
}

/// A string that is short enough for an address.
fn short_text(raw: &RawValue) -> Option<String> {
    let text: String = serde_json::from_str(raw.get()).ok()?;
    (text.len() <= MAX_URL_BYTES).then_some(text)
}
