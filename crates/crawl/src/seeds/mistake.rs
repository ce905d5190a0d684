//! Errors in a seeds file: the place, what was found, and what to write instead.
//!
//! serde reports what it rejects, and where. The messages of the value types (`typed`, `units`, `pattern`) say what is
//! expected, with `{key}` in place of the key's name. serde's other messages are reworded here.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;
use toml::de::{DeTable, DeValue, Error};

use super::typed::of_host_name;

/// An error in a seeds file. The message says what to write.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SeedsError(pub(super) String);

impl SeedsError {
    /// An error at a place: the file's name as given, the line from 1, and the key.
    pub(super) fn at(name: &str, line: Option<usize>, key: Option<&str>, message: &str) -> Self {
        let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
        let key = key.map(|key| format!(", `{key}`")).unwrap_or_default();
        Self(format!("{name}{line}{key}: {message}"))
    }
}

/// The error for a text that is not TOML.
pub(super) fn malformed(text: &str, name: &str, error: &Error) -> SeedsError {
    let line_number = line_of(text, &error.span().unwrap_or(0..0));
    let line = text.lines().nth(line_number - 1).unwrap_or_default();
    let is_key = |key: &&str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let assigned = line.split_once('=').map(|(key, value)| (key.trim(), value)).filter(|(key, _)| is_key(key));
    let message = match assigned {
        Some((key, value)) if error.message().contains("must be quoted") || is_bare_word(value) => {
            let value = value.split(" #").next().unwrap_or_default().trim();
            let quoted = format!("{:?}", value.trim_matches(['[', ']', '"', ' ']));
            let quoted = if value.starts_with('[') { format!("[{quoted}]") } else { quoted };
            format!("texts must be quoted; write {key} = {quoted}")
        }
        _ if line.trim() == "[portal]" => "write [[portal]], with two brackets, for each portal".to_owned(),
        _ => error.message().replace('\n', " "),
    };
    SeedsError::at(name, Some(line_number), assigned.map(|(key, _)| key), &message)
}

/// Whether a value is a word without quotes, which TOML does not allow. The parser reports a word like `trial` as a
/// broken `true`.
fn is_bare_word(value: &str) -> bool {
    value.trim_start_matches(['[', ' ']).starts_with(char::is_alphabetic)
}

/// The error for valid TOML that serde has rejected as a `T`.
pub(super) fn explained<T: DeserializeOwned>(
    text: &str,
    name: &str,
    refused: &serde_path_to_error::Error<Error>,
) -> SeedsError {
    let message = refused.inner().message();
    let at = refused.inner().span().unwrap_or(0..0);
    let path: Vec<&str> = refused
        .path()
        .iter()
        .filter_map(|segment| if let Segment::Map { key } = segment { Some(key.as_str()) } else { None })
        .collect();
    let table = path.first().and_then(|first| HEADERS.into_iter().find(|header| bare(header) == *first));
    let (key, message) = if message.starts_with("unknown field") {
        (None, misplaced::<T>(message, table))
    } else if message.starts_with("missing field") {
        (None, "this [[portal]] has no start page; add start = [\"https://portal.example/\"]".to_owned())
    } else {
        let key = path.last().copied();
        let value = text.get(at.clone()).and_then(|value| DeValue::parse(value).ok());
        (key, wrong_value(key.unwrap_or_default(), message, value.as_ref().map(|value| value.get_ref())))
    };
    SeedsError::at(name, Some(line_of(text, &at)), key, &message)
}

/// The line of a key of `[crawl]`.
pub(super) fn line_of_key(text: &str, name: &str) -> Option<usize> {
    let parsed = DeTable::parse(text).ok()?;
    let crawl = parsed.get_ref().get("crawl")?.get_ref().as_table()?;
    crawl.iter().find(|(key, _)| key.get_ref() == name).map(|(key, _)| line_of(text, &key.span()))
}

/// The line where a `[[portal]]` begins.
pub(super) fn line_of_portal(text: &str, portal: usize) -> Option<usize> {
    let parsed = DeTable::parse(text).ok()?;
    let portals = parsed.get_ref().get("portal")?.get_ref().as_array()?;
    portals.get(portal).map(|table| line_of(text, &table.span()))
}

fn line_of(text: &str, at: &Range<usize>) -> usize {
    text.as_bytes()[..at.start.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The headers of the tables.
const HEADERS: [&str; 2] = ["[crawl]", "[[portal]]"];

fn bare(header: &str) -> &str {
    header.trim_matches(['[', ']'])
}

/// The keys that a table may have.
fn keys_of<T: DeserializeOwned>(header: &str) -> Vec<String> {
    let refused = toml::from_str::<T>(&format!("{header}\nno_such_key = 1\n")).err();
    let message = refused.map(|error| error.message().to_owned()).unwrap_or_default();
    message.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

/// The message for an unknown key, which may belong to another table or be misspelt.
fn misplaced<T: DeserializeOwned>(message: &str, table: Option<&str>) -> String {
    let unknown = message.split('`').nth(1).unwrap_or_default();
    let homes = HEADERS.into_iter().filter(|header| keys_of::<T>(header).iter().any(|key| key == unknown));
    let homes: Vec<&str> = homes.collect();
    if homes.is_empty() {
        let (message, hint) = explain(message);
        return format!("{message}{hint}");
    }
    let here = table.map_or_else(|| "here, above the first table".to_owned(), |table| format!("into {table}"));
    format!("`{unknown}` does not belong {here}; write it below {}", homes.join(" or "))
}

fn wrong_value(key: &str, message: &str, value: Option<&DeValue<'_>>) -> String {
    let found = value.map_or_else(|| "this".to_owned(), shown);
    let wanted = message.rsplit_once(", expected ").map_or("", |(_, wanted)| wanted);
    let is_pattern = matches!(key, "include" | "exclude");
    match (key, wanted, value) {
        ("crawl", ..) => "the settings of the crawl are in one table; write [crawl]".to_owned(),
        ("portal", ..) => "each portal is a table of its own, in double brackets; write [[portal]]".to_owned(),
        ("scope", ..) => format!(
            "{found} is not a scope; write \"host\" (the hosts of the start pages), \"domain\" (all hosts of their \
             domains) or \"prefix\" (URLs that begin like a start page)"
        ),
        (_, "a string", _) => format!("{found} is not a text; write it in quotes"),
        (_, "a sequence", Some(DeValue::String(text))) if is_pattern => {
            format!("{found} stands alone where a list belongs; write {key} = ['{text}']")
        }
        (_, "a sequence", Some(DeValue::String(text))) => {
            let whole = of_host_name(text).map_or_else(|| text.to_string(), |url| url.as_str().to_owned());
            format!("{found} stands alone where a list belongs; write {key} = [{whole:?}]")
        }
        (_, "a sequence", _) => format!("{found} is not a list; write texts in quotes, in square brackets"),
        (_, "u64" | "u32" | "usize", Some(DeValue::String(text))) if text.trim().parse::<u64>().is_ok() => {
            format!("{found} is a text; write the number without quotes, {key} = {}", text.trim())
        }
        (_, "u64" | "u32" | "usize", _) => {
            format!("{found} is not a whole number from 0; write for example {key} = 100")
        }
        _ if message.contains("TypedDuration") => {
            format!("{found} is not a duration; write for example {key} = \"5s\"")
        }
        _ if message.contains("TypedSize") => format!("{found} is not a size; write for example {key} = \"2GiB\""),
        _ if message.starts_with("unknown variant") => {
            let known: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
            format!("{found} is not a restriction that a page can state; write one of {}", known.join(", "))
        }
        _ => message.replace("{key}", key),
    }
}

/// A value as a message shows it.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(is_set) => is_set.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// Rewords a message of the TOML parser. Also returns a hint at a similar known key if the message is about an unknown
/// key, or else an empty string.
pub(crate) fn explain(message: &str) -> (String, String) {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match quoted.split_first() {
        Some((unknown, known)) if message.starts_with("unknown field") => {
            (format!("unknown key `{unknown}`"), hint(unknown, known))
        }
        _ => (message.replace('\n', " ").replace("{key} = ", ""), String::new()),
    }
}

/// A hint at the known key that is most similar to the unknown one, or else a list of all known keys.
fn hint(unknown: &str, known: &[&str]) -> String {
    match nearest(unknown, known.iter().copied()) {
        Some(key) => format!("; did you mean `{key}`?"),
        None => format!("; known here: {}", known.join(", ")),
    }
}

/// The known word that is most similar to a typed one, if it is similar enough.
pub(crate) fn nearest<'k>(typed: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let (distance, known) = known.into_iter().map(|known| (strsim::damerau_levenshtein(typed, known), known)).min()?;
    (distance <= 1 + known.len() / 3).then_some(known)
}
