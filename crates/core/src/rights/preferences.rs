//! Lists of preferences: rules for robots, Content Signals, and the dictionaries of AI Preferences.

use super::restriction::directive;
use super::{RightsSource, Signal};

/// Bytes of a list that are read: all that there are, many times over.
const MAX_LIST_BYTES: usize = 8 * 1024;
/// Rules with a value after a colon, which are not names of crawlers.
const VALUED: [&str; 4] = ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"];

/// The pieces of a list for robots, as in `<meta name=robots>` and `X-Robots-Tag`, each with the crawler that it is
/// for: the one in the last `name:` before it, or `agent` at the beginning; none if it is for all crawlers.
pub(super) fn pieces<'l>(
    list: &'l str,
    mut agent: Option<&'l str>,
) -> impl Iterator<Item = (Option<&'l str>, &'l str)> {
    list[..list.floor_char_boundary(MAX_LIST_BYTES)].split(',').map(move |piece| {
        let mut piece = piece.trim();
        // `ourtoken: unavailable_after: 25 Jun 2010`: one name, then a rule.
        while let Some((head, rest)) = piece.split_once(':')
            && is_agent(head.trim())
        {
            agent = Some(head.trim()).filter(|head| *head != "*");
            piece = rest.trim();
        }
        (agent, piece)
    })
}

impl Signal {
    /// The rules in a list for robots that concern rights. After `name:` they are for the crawler of that name.
    pub(crate) fn of_robots_list(source: RightsSource, name: &'static str, list: &str, to: Option<&str>) -> Vec<Self> {
        let mut said = Vec::new();
        for (agent, piece) in pieces(list, to) {
            for rule in piece.replace(": ", ":").split([' ', ';']) {
                let rule = rule.trim().to_ascii_lowercase();
                if directive(&rule).is_some() {
                    let agent = agent.map(str::to_ascii_lowercase);
                    said.push(Self { agent, ..Self::new(source, name, rule) });
                }
            }
        }
        said
    }

    /// The signals of a list as contentsignals.org has it: `search=yes, ai-train=no`. What is neither yes nor no says nothing.
    #[must_use]
    pub fn of_content_signal(source: RightsSource, list: &str) -> Vec<Self> {
        let list = &list[..list.floor_char_boundary(MAX_LIST_BYTES)];
        let said = list.split(',').map(|item| {
            let (key, value) = item.split_once('=').unwrap_or((item, ""));
            let item = format!("{}={}", key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
            Self::new(source, "content-signal", item)
        });
        said.filter(|signal| signal.meaning().is_some()).collect()
    }

    /// The preferences of a dictionary of AI Preferences (draft-ietf-aipref-vocab, section 6): `train-ai=n, search=y`. A
    /// dictionary with a fault says nothing at all (RFC 9651, section 4.2), and of a key that comes twice the last counts.
    #[must_use]
    pub fn of_content_usage(source: RightsSource, dictionary: &str) -> Vec<Self> {
        let mut said: Vec<(&str, &str)> = Vec::new();
        if dictionary.trim().is_empty() || dictionary.len() > MAX_LIST_BYTES {
            return Vec::new();
        }
        for member in dictionary.split(',') {
            let Some((key, value)) = member_of(member.trim_matches([' ', '\t'])) else { return Vec::new() };
            said.retain(|(before, _)| *before != key);
            said.push((key, value));
        }
        let signals = said.into_iter().map(|(key, value)| Self::new(source, "content-usage", format!("{key}={value}")));
        signals.filter(|signal| signal.meaning().is_some()).collect()
    }
}

/// Key and value of a member, its parameters left out; a key alone is true.
fn member_of(member: &str) -> Option<(&str, &str)> {
    let bare = member.split(';').next()?.trim_end();
    let (key, value) = bare.split_once('=').unwrap_or((bare, "?1"));
    let mut letters = key.bytes();
    let is_key = letters.next().is_some_and(|b| b.is_ascii_lowercase() || b == b'*')
        && letters.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b'.' | b'*'));
    (is_key && !value.is_empty() && !value.contains([' ', '\t'])).then_some((key, value))
}

/// A product token, as in RFC 9309, section 2.2.1, with the digits and dots that others add.
fn is_agent(name: &str) -> bool {
    let is_name = name == "*"
        || name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/'));
    is_name && !VALUED.iter().any(|valued| name.eq_ignore_ascii_case(valued))
}
