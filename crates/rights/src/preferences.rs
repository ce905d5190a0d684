//! Reads lists of preferences: robots rules, Content Signals, and AI Preferences dictionaries.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::restriction::directive;
use crate::unavailable::unavailable_after;
use crate::{RightsSource, Signal, UNAVAILABLE_AFTER};

/// The most bytes of a list that are read, many times more than all known rules take.
const MAX_LIST_BYTES: usize = 8 * 1024;
/// Robots rules with a value after a colon. The words before such colons are not names of crawlers.
const VALUED: [&str; 4] = ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"];

/// The items of a robots list, as in `<meta name=robots>` and `X-Robots-Tag`, each with the name of the crawler that it
/// addresses.
fn pieces<'l>(list: &'l str, mut agent: Option<&'l str>) -> impl Iterator<Item = (Option<&'l str>, &'l str)> {
    list[..list.floor_char_boundary(MAX_LIST_BYTES)].split(',').map(move |piece| {
        let mut piece = piece.trim();
        // In `ourtoken: unavailable_after: 25 Jun 2010`, only the first word is a name.
        while let Some((head, rest)) = piece.split_once(':')
            && is_agent(head.trim())
        {
            agent = Some(head.trim()).filter(|head| *head != "*");
            piece = rest.trim();
        }
        (agent, piece)
    })
}

/// A rule in a robots list.
pub(crate) enum RobotsRule<'l> {
    /// A rule without spaces: `noindex`, `max-snippet:0`.
    Word(&'l str),
    /// The time in the rule `unavailable_after`; None if it cannot be read.
    UnavailableAfter(Option<Timestamp>),
}

/// Calls `read` with each rule of a robots list and the name of the crawler that it addresses: the name in the last
/// `name:` before it, else `to`; None means all crawlers.
pub(crate) fn for_each_rule(list: &str, to: Option<&str>, mut read: impl FnMut(Option<&str>, RobotsRule<'_>)) {
    for (agent, piece) in pieces(list, to) {
        if let Some(end) = unavailable_after(list, piece) {
            read(agent, RobotsRule::UnavailableAfter(end));
            continue;
        }
        let piece = if piece.contains(": ") { piece.replace(": ", ":").into() } else { Cow::Borrowed(piece) };
        piece.split([' ', ';']).for_each(|word| read(agent, RobotsRule::Word(word.trim())));
    }
}

impl Signal {
    /// The rules about rights in a robots list. Rules after `name:` address the crawler of that name; others address
    /// `to`.
    #[must_use]
    pub fn of_robots_list(source: RightsSource, name: &'static str, list: &str, to: Option<&str>) -> Vec<Self> {
        let mut signals = Vec::new();
        for_each_rule(list, to, |agent, rule| {
            let value = match rule {
                RobotsRule::UnavailableAfter(end) => end.map(|end| format!("{UNAVAILABLE_AFTER}{end}")),
                RobotsRule::Word(word) => Some(word.to_ascii_lowercase()).filter(|word| directive(word).is_some()),
            };
            let agent = agent.map(str::to_ascii_lowercase);
            signals.extend(value.map(|value| Self { agent, ..Self::new(source, name, value) }));
        });
        signals
    }

    /// The signals in a list as defined by contentsignals.org: `search=yes, ai-train=no`. Values other than yes and no
    /// are ignored.
    #[must_use]
    pub fn of_content_signal(source: RightsSource, list: &str) -> Vec<Self> {
        let list = &list[..list.floor_char_boundary(MAX_LIST_BYTES)];
        let signals = list.split(',').map(|item| {
            let (key, value) = item.split_once('=').unwrap_or((item, ""));
            let item = format!("{}={}", key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
            Self::new(source, "content-signal", item)
        });
        signals.filter(|signal| signal.meaning().is_some()).collect()
    }

    /// The preferences in an AI Preferences dictionary (draft-ietf-aipref-vocab, section 6): `train-ai=n, search=y`.
    /// An invalid dictionary gives none (RFC 9651, section 4.2). If a key occurs twice, the last one counts.
    #[must_use]
    pub fn of_content_usage(source: RightsSource, dictionary: &str) -> Vec<Self> {
        let mut keys: Vec<(&str, &str)> = Vec::new();
        if dictionary.trim().is_empty() || dictionary.len() > MAX_LIST_BYTES {
            return Vec::new();
        }
        for member in dictionary.split(',') {
            let Some((key, value)) = member_of(member.trim_matches([' ', '\t'])) else { return Vec::new() };
            keys.retain(|(before, _)| *before != key);
            keys.push((key, value));
        }
        let signals = keys.into_iter().map(|(key, value)| Self::new(source, "content-usage", format!("{key}={value}")));
        signals.filter(|signal| signal.meaning().is_some()).collect()
    }
}

/// Splits a member of a dictionary into key and value, without parameters. A key without a value means true (`?1`).
fn member_of(member: &str) -> Option<(&str, &str)> {
    let bare = member.split(';').next()?.trim_end();
    let (key, value) = bare.split_once('=').unwrap_or((bare, "?1"));
    let mut letters = key.bytes();
    let is_key = letters.next().is_some_and(|b| b.is_ascii_lowercase() || b == b'*')
        && letters.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b'.' | b'*'));
    (is_key && !value.is_empty() && !value.contains([' ', '\t'])).then_some((key, value))
}

/// Returns whether a text is a crawler's name: a product token (RFC 9309, section 2.2.1), which may also have digits,
/// dots and slashes.
fn is_agent(name: &str) -> bool {
    let is_name = name == "*"
        || name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/'));
    is_name && !VALUED.iter().any(|valued| name.eq_ignore_ascii_case(valued))
}
