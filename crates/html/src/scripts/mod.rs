//! Reads the JSON in the scripts of a page: in `<script>` elements with JSON, and in programs the values that are
//! assigned or passed to a function. Invalid JSON in elements is repaired (`lenient`). The bytes per page and the
//! attempts per program are limited; serde limits the depth.

mod lenient;

use serde_json::{Map, Value};

use crate::{Page, Tag};

/// The most bytes of scripts that are read on a page. Larger scripts are catalogues of data, not articles.
const MAX_BYTES: usize = 4 << 20;
/// The fewest bytes in a script that is read; shorter ones contain settings and no texts.
const MIN_BYTES: usize = 300;
/// The most positions in a program at which JSON is tried.
const MAX_ATTEMPTS: usize = 12;
/// The longest chain of references between items that is followed.
const MAX_DEPTH: usize = 40;
/// A rough estimate of the bytes that an item of a list takes in addition to its text and keys. It is used while
/// references between items are resolved. All items together may take at most `MAX_BYTES`.
const ITEM_BYTES: usize = 16;

/// A JSON value in a script of a page.
#[derive(Debug)]
pub struct Datum {
    /// The JSON value. Some programs write a list whose items refer to each other by number; these references are
    /// resolved.
    pub value: Value,
    /// Whether it is JSON-LD: its keys then have the meanings that schema.org defines.
    pub is_json_ld: bool,
}

/// The JSON values in the scripts of a page, in page order. Scripts with fewer than 300 bytes are left out.
///
/// ```
/// use goldminer_html::{Page, scripts};
///
/// let text = "It rained. ".repeat(40);
/// let page = Page::parse(format!("<script>window.state = {{\"article\": \"{text}\"}};</script>"));
/// let values = scripts::values(&page);
/// assert_eq!(values[0].value["article"], text);
/// assert!(!values[0].is_json_ld);
/// ```
pub fn values(page: &Page) -> Vec<Datum> {
    let (mut values, mut left) = (Vec::new(), MAX_BYTES);
    for id in page.elements_of(Tag::Script) {
        let source = page.inner_source(id);
        if source.len() < MIN_BYTES || source.len() > left {
            continue;
        }
        left -= source.len();
        let kind = page.attribute(id, "type").map(|kind| kind.to_ascii_lowercase()).unwrap_or_default();
        if kind.contains("json") {
            let is_json_ld = kind.contains("ld+json");
            values.extend(json(source).map(|value| Datum { value: resolved(value), is_json_ld }));
        } else if matches!(kind.as_str(), "" | "module") || kind.contains("javascript") {
            in_program(source, &mut values);
        }
    }
    values
}

/// The JSON value in the content of a script element, repaired if it is broken. None if it cannot be read.
///
/// ```
/// use goldminer_html::scripts;
///
/// let block = scripts::json("<!-- {\"headline\": \"Flood in \"Rome\"\",} -->");
/// assert_eq!(block.unwrap()["headline"], "Flood in \"Rome\"");
/// ```
pub fn json(source: &str) -> Option<Value> {
    serde_json::from_str(bare(source)).ok().or_else(|| lenient::read(source))
}

/// The JSON in a block, without the HTML comments, CDATA marks and semicolons around it.
fn bare(source: &str) -> &str {
    let start = source.find(['{', '[']).map(|i| match source[i..].starts_with("[CDATA[") {
        true => i + 7 + source[i + 7..].find(['{', '[']).unwrap_or_default(),
        false => i,
    });
    let end = source.rfind(['}', ']']).map(|i| match source[..=i].ends_with("]]") {
        true => source[..i - 1].rfind(['}', ']']).unwrap_or(i),
        false => i,
    });
    match (start, end) {
        (Some(start), Some(end)) if start <= end => &source[start..=end],
        _ => "",
    }
}

/// Adds the values that a program assigns or passes to a function, if they are valid JSON.
fn in_program(source: &str, values: &mut Vec<Datum>) {
    let bytes = source.as_bytes();
    let (mut from, mut attempts) = (0, 0);
    while attempts < MAX_ATTEMPTS {
        let Some(found) = memchr::memchr2(b'=', b'(', &bytes[from..]) else { return };
        from += found + 1;
        let begin = from + bytes[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if !may_begin(&bytes[begin..]) {
            continue;
        }
        attempts += 1;
        let mut parsed = serde_json::Deserializer::from_str(&source[begin..]).into_iter::<Value>();
        let Some(Ok(value)) = parsed.next() else { continue };
        from = begin + parsed.byte_offset();
        let value = match value {
            Value::String(inner) => serde_json::from_str(&inner).ok(),
            value => Some(value),
        };
        values.extend(value.map(|value| Datum { value: resolved(value), is_json_ld: false }));
    }
}

/// Whether bytes may begin a JSON value: `{"`, `[{`, `[[`, `["`, or a string with JSON (`"{`, `"[`), ignoring white
/// space.
fn may_begin(bytes: &[u8]) -> bool {
    let mut signs = bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
    matches!(
        (signs.next(), signs.next()),
        (Some(b'{'), Some(b'"')) | (Some(b'['), Some(b'{' | b'[' | b'"')) | (Some(b'"'), Some(b'{' | b'['))
    )
}

/// Resolves the references in a value. Some programs write their state as a list whose items refer to each other by
/// number; the result is then the first item, with its references resolved. Other values are returned unchanged.
fn resolved(value: Value) -> Value {
    let Value::Array(items) = &value else { return value };
    let refers = |value: &Value| value.as_i64().is_some_and(|number| number < items.len() as i64);
    let is_such = match items.first() {
        Some(Value::Array(first)) => {
            matches!(first.as_slice(), [Value::String(name), to] if name.starts_with(char::is_uppercase) && refers(to))
        }
        Some(Value::Object(first)) => !first.is_empty() && first.values().all(refers),
        _ => false,
    };
    if !is_such || items.len() < 3 {
        return value;
    }
    let mut left = MAX_BYTES;
    item(items, &Value::from(0), 0, &mut left).unwrap_or_default()
}

/// The item to which a value refers, in a list whose items refer to each other by number; its references are resolved.
/// `left` is the number of bytes that the result may still take. Returns None if they are used up.
fn item(items: &[Value], to: &Value, depth: usize, left: &mut usize) -> Option<Value> {
    let found = to.as_u64().and_then(|to| items.get(to as usize)).filter(|_| depth <= MAX_DEPTH);
    let text = match found {
        Some(Value::String(text)) => text.len(),
        Some(Value::Object(object)) => object.keys().map(String::len).sum(),
        _ => 0,
    };
    // Every use of an item counts, because many items may refer to one long text.
    *left = left.checked_sub(ITEM_BYTES + text)?;
    let mut follow = |to: &Value| item(items, to, depth + 1, left);
    Some(match found {
        Some(Value::Object(object)) => {
            Value::Object(object.iter().map_while(|(key, to)| Some((key.clone(), follow(to)?))).collect::<Map<_, _>>())
        }
        // In `["Name", 3]`, item 3 is the value of the wrapper type `Name`.
        Some(Value::Array(list)) => match list.as_slice() {
            [Value::String(_), to] => follow(to)?,
            list => Value::Array(list.iter().map_while(follow).collect()),
        },
        Some(plain) => plain.clone(),
        None => Value::Null,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_use_of_an_item_counts_towards_the_memory_limit() {
        let nested = |depth: u64| (2..depth).map(|n| json!([n + 1])).collect::<Vec<_>>();
        for (name, used) in [
            ("a text", vec![json!("x".repeat(1_000))]),
            ("a key", vec![json!({ ("x".repeat(1_000)): 0 })]),
            ("lists without items", vec![json!(vec![-1; 1_000])]),
            ("lists of a long text", vec![json!(vec![3; 1_000]), json!("x".repeat(900))]),
            ("a deep list", [nested(39), vec![json!(vec![1; 1_000])]].concat()),
            ("itself", vec![json!(vec![2; 1_000])]),
        ] {
            let items = [vec![json!({ "x": 1 }), json!(vec![2; 1_000])], used].concat();
            let bytes = item(&items, &json!(0), 0, &mut 20_000).unwrap_or_default().to_string().len();
            assert!(bytes < 40_000, "{name}: {bytes}");
        }
    }

    #[test]
    fn references_between_items_are_resolved() {
        let items = json!([{ "title": 1, "tags": 2, "none": -1 }, "Rain", [3, 4], ["Ref", 1], 7]);
        assert_eq!(resolved(items), json!({ "title": "Rain", "tags": ["Rain", 7], "none": null }));
    }
}
