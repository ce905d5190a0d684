//! What is wrong with a seeds file: where, what was found, and what to write instead.
//!
//! Asked when serde has refused a file, and for what serde cannot see. What a key takes is in `keys`.

use std::ops::Range;
use std::path::PathBuf;

use goldminer_core::rights::Restriction;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{KEYS, Key, Kind, Table, key};
use super::pattern;
use super::typed::{of_host_name, typed_url};
use super::units::{ByteSize, HumanDuration};

/// What is wrong with a seeds file, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum SeedsError {
    /// It can't be read.
    #[error("cannot read the seeds file {}: {cause}{hint}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
        /// What to do; begins with `; `.
        hint: String,
    },
    /// Something else was given.
    #[error("{0}")]
    NoFile(String),
    /// It isn't what a seeds file is.
    #[error("{name}{}{}: {message}{hint}", line.map(|l| format!(", line {l}")).unwrap_or_default(), key.as_ref().map(|k| format!(", `{k}`")).unwrap_or_default())]
    Wrong {
        /// The file's name, as given.
        name: String,
        /// The line, from 1.
        line: Option<usize>,
        /// The key that it stands at.
        key: Option<String>,
        /// What is wrong.
        message: String,
        /// What may have been meant; empty or beginning with `; `.
        hint: String,
    },
}

/// A mistake and its place in the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    at: Range<usize>,
    key: Option<String>,
    message: String,
    hint: String,
}

impl Mistake {
    /// With the file's name and the line.
    pub(super) fn in_file(self, name: &str, text: &str) -> SeedsError {
        let Self { at, key, message, hint } = self;
        SeedsError::Wrong { name: name.to_owned(), line: Some(line_of(text, at.start)), key, message, hint }
    }
}

/// What serde found wrong, as well as it can be told.
pub(super) fn explained(text: &str, error: &toml::de::Error) -> Mistake {
    if let Some(mistake) = DeTable::parse(text).ok().and_then(|table| first(table.get_ref())) {
        return mistake;
    }
    let at = error.span().unwrap_or(0..0);
    let (mut message, mut hint) = explain(error.message());
    let line = text.lines().nth(line_of(text, at.start) - 1).unwrap_or_default();
    let key = line.split_once('=').map(|(key, _)| key.trim()).filter(|key| KEYS.iter().any(|known| known.name == *key));
    if message.contains("must be quoted") {
        message = "texts stand in quotes".to_owned();
        hint = match key.and_then(|key| KEYS.iter().find(|known| known.name == key)).map(|key| key.kind) {
            Some(Kind::Urls) => "; write for example [\"https://portal.example/\"]".to_owned(),
            Some(Kind::Duration) => "; write for example \"5s\"".to_owned(),
            _ => String::new(),
        };
    }
    Mistake { at, key: key.map(str::to_owned), message, hint }
}

/// What serde takes and nobody can have meant.
pub(super) fn unmeant(text: &str) -> Option<Mistake> {
    first(DeTable::parse(text).ok()?.get_ref())
}

/// The line where a key of a table stands; of `[[portal]]`, in the portal of that number.
pub(super) fn line_of_key(text: &str, table: Table, portal: usize, name: &str) -> Option<usize> {
    let parsed = DeTable::parse(text).ok()?;
    let table = match (table, parsed.get_ref().get(table_name(table))?.get_ref()) {
        (Table::Crawl, crawl) => crawl.as_table()?,
        (Table::Portal, portals) => portals.as_array()?.get(portal)?.get_ref().as_table()?,
    };
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(key, _)| line_of(text, key.span().start))
}

/// The line where a `[[portal]]` begins.
pub(super) fn line_of_portal(text: &str, portal: usize) -> Option<usize> {
    let parsed = DeTable::parse(text).ok()?;
    let portals = parsed.get_ref().get("portal")?.get_ref().as_array()?;
    portals.get(portal).map(|table| line_of(text, table.span().start))
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

fn table_name(table: Table) -> &'static str {
    match table {
        Table::Crawl => "crawl",
        Table::Portal => "portal",
    }
}

/// The first mistake of a file.
fn first(file: &DeTable<'_>) -> Option<Mistake> {
    let mut mistakes: Vec<Mistake> = Vec::new();
    for (name, value) in file {
        match (name.get_ref().as_ref(), value.get_ref()) {
            ("crawl", DeValue::Table(table)) => mistakes.extend(in_table(Table::Crawl, table)),
            ("portal", DeValue::Array(portals)) => {
                for portal in portals {
                    match portal.get_ref() {
                        DeValue::Table(table) => mistakes.extend(in_portal(portal.span(), table)),
                        _ => mistakes.push(at_key(name, portals_hint())),
                    }
                }
            }
            ("crawl", _) => {
                mistakes.push(at_key(name, "settings of the crawl stand in one table; write [crawl]".to_owned()));
            }
            ("portal", _) => mistakes.push(at_key(name, portals_hint())),
            (other, _) => mistakes.push(misplaced(name, other, None)),
        }
    }
    mistakes.into_iter().min_by_key(|mistake| mistake.at.start)
}

/// Without any start page a portal says nothing, unless what is wrong in it may have been meant as one.
fn in_portal(at: Range<usize>, keys: &DeTable<'_>) -> Vec<Mistake> {
    let wrong = in_table(Table::Portal, keys);
    if keys.contains_key("start") || !wrong.is_empty() {
        return wrong;
    }
    let message = "this [[portal]] has no start page; add start = [\"https://portal.example/\"]".to_owned();
    vec![Mistake { at, key: None, message, hint: String::new() }]
}

fn portals_hint() -> String {
    "each portal is a table of its own, in double brackets; write [[portal]]".to_owned()
}

fn at_key(name: &Spanned<std::borrow::Cow<'_, str>>, message: String) -> Mistake {
    Mistake { at: name.span(), key: Some(name.get_ref().to_string()), message, hint: String::new() }
}

fn in_table(table: Table, keys: &DeTable<'_>) -> Vec<Mistake> {
    let wrong = keys.iter().filter_map(|(name, value)| match key(table, name.get_ref()) {
        Some(key) => {
            let (at, message) = wrong_value(key, value)?;
            Some(Mistake { at, key: Some(key.name.to_owned()), message, hint: String::new() })
        }
        None => Some(misplaced(name, name.get_ref(), Some(table))),
    });
    wrong.collect()
}

/// A key that its table does not know: it may belong into another, or be misspelt.
fn misplaced(name: &Spanned<std::borrow::Cow<'_, str>>, unknown: &str, table: Option<Table>) -> Mistake {
    let homes: Vec<&str> = KEYS.iter().filter(|key| key.name == unknown).map(|key| key.table.header()).collect();
    let message = format!("unknown key `{unknown}`");
    let hint = if homes.is_empty() {
        let known: Vec<&str> = match table {
            Some(table) => KEYS.iter().filter(|key| key.table == table).map(|key| key.name).collect(),
            None => vec!["crawl", "portal"],
        };
        hint(unknown, &known)
    } else {
        let here = table.map_or("above the first table", Table::header);
        return Mistake {
            at: name.span(),
            key: None,
            message: format!("`{unknown}` does not belong {} {here}", if table.is_some() { "into" } else { "here," }),
            hint: format!("; write it below {}", homes.join(" or ")),
        };
    };
    Mistake { at: name.span(), key: None, message, hint }
}

/// The nearest known key, else all of them.
fn hint(unknown: &str, known: &[&str]) -> String {
    let nearest = known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(unknown, k), *k))
        .min()
        .filter(|(distance, k)| *distance <= 1 + k.len() / 3);
    match nearest {
        Some((_, key)) => format!("; did you mean `{key}`?"),
        None => format!("; known here: {}", known.join(", ")),
    }
}

/// What is wrong with the value of a key, and where.
fn wrong_value(key: Key, value: &Spanned<DeValue<'_>>) -> Option<(Range<usize>, String)> {
    let name = key.name;
    let at = value.span();
    let found = shown(value.get_ref());
    let here = |message: Option<String>| message.map(|message| (at.clone(), message));
    match (key.kind, value.get_ref()) {
        (Kind::Text, DeValue::String(_)) => None,
        (Kind::Text, _) => here(Some(format!("{found} is no text; write it in quotes"))),
        (Kind::Count, DeValue::Integer(number)) if !number.as_str().starts_with('-') => None,
        (Kind::Count, DeValue::String(text)) if text.trim().parse::<u64>().is_ok() => {
            here(Some(format!("{found} is a text; write the number without quotes, {name} = {}", text.trim())))
        }
        (Kind::Count, _) => here(Some(format!("{found} is no whole number from 0; write for example {name} = 100"))),
        (Kind::Duration, DeValue::String(text)) => here(text.parse::<HumanDuration>().err()),
        (Kind::Duration, DeValue::Integer(number)) => here(Some(no_unit(name, number.as_str()))),
        (Kind::Duration, DeValue::Float(number)) => here(Some(no_unit(name, number.as_str()))),
        (Kind::Duration, _) => here(Some(format!("{found} is no duration; write for example {name} = \"5s\""))),
        (Kind::Size, DeValue::String(text)) => here(text.parse::<ByteSize>().err()),
        (Kind::Size, DeValue::Integer(number)) if !number.as_str().starts_with('-') => None,
        (Kind::Size, _) => here(Some(format!("{found} is no size; write for example {name} = \"2GiB\""))),
        (Kind::Scope, DeValue::String(text)) if matches!(text.as_ref(), "host" | "domain" | "prefix") => None,
        (Kind::Scope, _) => here(Some(format!(
            "{found} is no scope; write \"host\" (the hosts of the start pages), \"domain\" (all hosts of their domains) or \
             \"prefix\" (what begins like a start page)"
        ))),
        (Kind::Restrictions, DeValue::Array(names)) => names.iter().find_map(|name| match name.get_ref() {
            DeValue::String(text) if Restriction::named(text).is_some() => None,
            other => Some((name.span(), unknown_restriction(&shown(other)))),
        }),
        (Kind::Restrictions, DeValue::String(text)) => {
            here(Some(format!("{found} stands alone where a list belongs; write {name} = [\"{text}\"]")))
        }
        (Kind::Restrictions, _) => here(Some(format!("{found} is no list; write for example {name} = [\"noindex\"]"))),
        (Kind::Urls, DeValue::Array(urls)) => urls.iter().find_map(|url| match url.get_ref() {
            DeValue::String(text) => Some((url.span(), typed_url(text).err()?)),
            other => {
                Some((url.span(), format!("{} is no URL; write one such as \"https://portal.example/\"", shown(other))))
            }
        }),
        (Kind::Urls, DeValue::String(text)) => {
            let url = of_host_name(text).map_or_else(|| text.to_string(), |url| url.as_str().to_owned());
            here(Some(format!("{found} stands alone where a list belongs; write {name} = [{url:?}]")))
        }
        (Kind::Urls, _) => {
            here(Some(format!("{found} is no list; write for example {name} = [\"https://portal.example/\"]")))
        }
        (Kind::Patterns, DeValue::Array(patterns)) => patterns.iter().find_map(|found| match found.get_ref() {
            DeValue::String(text) => Some((found.span(), pattern::mistake(text)?)),
            other => {
                Some((found.span(), format!("{} is no regular expression; write one in single quotes", shown(other))))
            }
        }),
        (Kind::Patterns, DeValue::String(text)) => {
            here(Some(format!("{found} stands alone where a list belongs; write {name} = ['{text}']")))
        }
        (Kind::Patterns, _) => here(Some(format!("{found} is no list; write for example {name} = ['/news/']"))),
    }
}

fn unknown_restriction(found: &str) -> String {
    let known: Vec<&str> = Restriction::ALL.into_iter().map(Restriction::as_str).collect();
    format!("{found} is nothing that a page says of its rights; known are {}", known.join(", "))
}

fn no_unit(name: &str, number: &str) -> String {
    format!("{number} is a number without a unit; write {name} = \"{number}s\" for seconds (or m, h, d)")
}

/// A value as people would say it.
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

/// A parser's message in our words, and the nearest known key where an unknown one was met.
pub(crate) fn explain(message: &str) -> (String, String) {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match quoted.split_first() {
        Some((unknown, known)) if message.starts_with("unknown field") => {
            (format!("unknown key `{unknown}`"), hint(unknown, known))
        }
        _ => (message.replace('\n', " "), String::new()),
    }
}
